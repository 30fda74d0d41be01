//! The revocation list of infrastructure nodes, which puppetserver provides for agents that only
//! talk to servers. Only directories that puppetserver created have one.

use std::collections::HashSet;

use crate::authority::CertificateAuthority;
use crate::crl::{self, RevocationList};
use crate::directory::{self, Directory, PUBLIC, WriteLock};
use crate::{CaError, Certname, Serial, inventory};

/// The lists in `infra_crl.pem`, if the file exists.
pub(crate) fn list(directory: &Directory) -> Result<Option<Vec<RevocationList>>, CaError> {
    let path = directory.infra_crls();
    let Some(text) = directory::read_if_exists(&path)? else { return Ok(None) };
    RevocationList::all_from_pem(&text).map(Some).map_err(|e| CaError::damaged(&path, e))
}

/// Adds the given serial numbers to the list, if they belong to infrastructure nodes.
pub(crate) fn revoke(
    ca: &CertificateAuthority,
    lock: &WriteLock,
    serials: &[Serial],
) -> Result<(), CaError> {
    let Some(lists) = list(&ca.directory)? else { return Ok(()) };
    let ours = serials_of_nodes(&ca.directory)?;
    let added: Vec<&Serial> = serials.iter().filter(|serial| ours.contains(serial)).collect();
    if added.is_empty() { Ok(()) } else { write(ca, lock, &lists, &added) }
}

/// Signs the list again with the same entries.
pub(crate) fn refresh(ca: &CertificateAuthority, lock: &WriteLock) -> Result<(), CaError> {
    match list(&ca.directory)? {
        Some(lists) => write(ca, lock, &lists, &[]),
        None => Ok(()),
    }
}

fn write(
    ca: &CertificateAuthority,
    _lock: &WriteLock,
    lists: &[RevocationList],
    added: &[&Serial],
) -> Result<(), CaError> {
    let Some(at) = ca.own_position(lists) else { return Ok(()) };
    let Some(own) = lists.get(at) else { return Ok(()) };
    let known: HashSet<Serial> = own.serials().collect();
    let mut entries = own.entries().to_vec();
    for serial in added.iter().filter(|serial| !known.contains(serial)) {
        entries.push(crl::entry(serial, ca.now())?);
    }
    let new = ca.next_list(own, entries)?;
    let others = lists.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, list)| list);
    let text: String = std::iter::once(&new).chain(others).map(RevocationList::pem).collect();
    directory::replace(&ca.directory.infra_crls(), text.as_bytes(), PUBLIC)
}

/// The serial numbers of all certificates of the nodes in `infra_inventory.txt`.
fn serials_of_nodes(directory: &Directory) -> Result<HashSet<Serial>, CaError> {
    let text = directory::read_if_exists(&directory.infra_nodes())?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let names: HashSet<Certname> =
        text.lines().filter_map(|line| Certname::new(line.trim()).ok()).collect();
    let entries = inventory::read(&directory.inventory())?;
    let ours = entries.into_iter().filter(|entry| {
        let name = entry.subject.strip_prefix("/CN=").and_then(|n| Certname::new(n).ok());
        name.is_some_and(|name| names.contains(&name))
    });
    Ok(ours.map(|entry| entry.serial).collect())
}
