//! Imports keys and certificates of other programs, copies of a directory, and revocation lists of
//! the authorities above this one.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::authority::CertificateAuthority;
use crate::certificate::Certificate;
use crate::crl::RevocationList;
use crate::directory::{self, Directory, PRIVATE, PUBLIC};
use crate::key::{self, SigningKey};
use crate::settings::Settings;
use crate::{CaError, Serial, chain};

/// The number of serial numbers that a restored copy skips: the original may have signed more
/// certificates after the copy was made.
const COPY_GAP: u64 = 100_000;

/// The files of an authority that another program made.
#[derive(Debug, Clone, Copy)]
pub struct ImportFiles<'a> {
    /// The certificates from the authority's own to the root, in any order, as PEM text.
    pub bundle: &'a [u8],
    /// The private key for one of the certificates, as PEM text.
    pub key: &'a [u8],
    /// The revocation lists of all authorities, as PEM text. That of this authority may be missing.
    pub crls: &'a [u8],
}

impl CertificateAuthority {
    /// Creates an authority from an existing key and certificates, such as an intermediate CA below
    /// a company's root. It must not have issued certificates that are still in use: they are not
    /// in the inventory, and new certificates may repeat their serial numbers.
    ///
    /// # Errors
    /// [`CaError::Mismatch`] if the key, the certificates and the lists do not form a valid chain
    /// to a root; [`CaError::Exists`] if the directory contains an authority.
    pub fn import(dir: &Path, files: ImportFiles<'_>, settings: Settings) -> Result<Self, CaError> {
        let now = (settings.clock)();
        let bundle = Certificate::all_from_pem(files.bundle)?;
        let mut lists = RevocationList::all_from_pem(files.crls)
            .map_err(|e| CaError::Mismatch(format!("the revocation lists cannot be read: {e}")))?;
        let (key, own) = matching_key(files.key, &bundle)?;
        let path = chain::to_root(own, &bundle, now)?;
        let mine = lists.iter().position(|list| list.verify_issued_by(own).is_ok());
        let list = match mine {
            Some(at) => lists.remove(at),
            None => RevocationList::sign(own, &key, &[0], Vec::new(), now)?,
        };
        lists.insert(0, list);
        chain::check_lists(&path, &lists, now)?;
        let used = lists.first().into_iter().flat_map(RevocationList::serials);
        let next = used.filter_map(|serial| serial.as_u64()).max().unwrap_or(0).saturating_add(1);

        let directory = Directory::new(dir);
        directory.create()?;
        let lock = directory.lock()?;
        if directory.is_used()? {
            return Err(CaError::Exists(dir.to_path_buf()));
        }
        let certificates: String = path.iter().map(Certificate::pem).collect();
        let crls: String = lists.iter().map(RevocationList::pem).collect();
        let public = key::public_pem(key.public())?;
        directory::replace(&directory.key(), files.key, PRIVATE)?;
        directory::replace(&directory.public_key(), public.as_bytes(), PUBLIC)?;
        directory::replace(&directory.serial(), Serial::from(next).to_string().as_bytes(), PUBLIC)?;
        directory::replace(&directory.crls(), crls.as_bytes(), PUBLIC)?;
        directory::replace(&directory.inventory(), b"", PUBLIC)?;
        directory::replace(&directory.bundle(), certificates.as_bytes(), PUBLIC)?;
        drop(lock);
        Self::open(dir, settings)
    }

    /// Copies the directory of this authority, including its private key. Holds the lock meanwhile.
    ///
    /// # Errors
    /// [`CaError::NotEmpty`] if the target directory has files.
    pub fn export(&self, to: &Path) -> Result<(), CaError> {
        let _lock = self.directory.lock()?;
        copy(&self.directory, to, self.next_serial()?)
    }

    /// Creates an authority from a copy of its directory: a backup, or the `ssl/ca` of a
    /// puppetserver. It skips 100,000 serial numbers, because the original may have signed more
    /// certificates after the copy was made.
    ///
    /// # Errors
    /// The copy is not a complete authority, or the directory already contains one.
    pub fn restore(dir: &Path, from: &Path, settings: Settings) -> Result<Self, CaError> {
        let original = Self::open(from, settings.clone())?;
        {
            let _lock = original.directory.lock()?;
            let next = original.next_serial()?.saturating_add(COPY_GAP);
            copy(&original.directory, dir, next)?;
        }
        Self::open(dir, settings)
    }

    /// Replaces revocation lists of other authorities in the chain with newer ones. The list of
    /// this authority is never replaced, and lists of unknown authorities are ignored.
    ///
    /// # Errors
    /// [`CaError::Mismatch`] if a list is malformed, or the chain would become invalid.
    pub fn import_crls(&self, pem: &[u8]) -> Result<(), CaError> {
        self.merge_crls(pem, false)
    }

    /// Replaces revocation lists with newer ones, and that of this authority with any other one: this
    /// directory is a copy, and the original revokes certificates. The copy may have signed a list
    /// with a higher number meanwhile.
    ///
    /// # Errors
    /// [`CaError::Mismatch`] if a list is malformed, or the chain would become invalid.
    pub fn follow_crls(&self, pem: &[u8]) -> Result<(), CaError> {
        self.merge_crls(pem, true)
    }

    fn merge_crls(&self, pem: &[u8], replaces_own: bool) -> Result<(), CaError> {
        let incoming = RevocationList::all_from_pem(pem)
            .map_err(|e| CaError::Mismatch(format!("the revocation lists cannot be read: {e}")))?;
        if incoming.is_empty() {
            return Err(CaError::Mismatch("the text has no revocation list".into()));
        }
        let mut newest: HashMap<Vec<u8>, &RevocationList> = HashMap::new();
        for list in &incoming {
            let id = list.issuer_key_id().ok_or_else(|| {
                CaError::Mismatch("a revocation list has no authority key identifier".into())
            })?;
            let place = newest.entry(id).or_insert(list);
            if is_newer(list, place) {
                *place = list;
            }
        }
        let _lock = self.directory.lock()?;
        let now = self.revocations()?;
        let own = self.own_position(&now.lists);
        let updated: Vec<&RevocationList> = now
            .lists
            .iter()
            .enumerate()
            .map(|(at, list)| {
                let offered = list.issuer_key_id().and_then(|id| newest.get(&id).copied());
                let replaces = |offered: &&RevocationList| match Some(at) == own {
                    true => replaces_own,
                    false => is_newer(offered, list),
                };
                offered.filter(replaces).unwrap_or(list)
            })
            .collect();
        let updated: Vec<RevocationList> = updated.into_iter().cloned().collect();
        chain::check_lists(&self.chain, &updated, self.now())?;
        if updated.iter().zip(&now.lists).all(|(list, before)| list.pem() == before.pem()) {
            return Ok(());
        }
        let text: String = updated.iter().map(RevocationList::pem).collect();
        directory::replace(&self.directory.crls(), text.as_bytes(), PUBLIC)
    }
}

/// Whether a list has a higher number than another one.
fn is_newer(list: &RevocationList, than: &RevocationList) -> bool {
    let number = |list: &RevocationList| {
        let bytes = list.number().unwrap_or_default();
        let start = bytes.iter().position(|b| *b != 0).unwrap_or(bytes.len());
        bytes.get(start..).unwrap_or_default().to_vec()
    };
    let (a, b) = (number(list), number(than));
    (a.len(), a) > (b.len(), b)
}

/// The private key, and the certificate that it belongs to.
fn matching_key<'a>(
    text: &[u8],
    bundle: &'a [Certificate],
) -> Result<(SigningKey, &'a Certificate), CaError> {
    if bundle.is_empty() {
        return Err(CaError::Mismatch("the bundle has no certificate".into()));
    }
    let mut reason = None;
    for certificate in bundle {
        match SigningKey::from_pem(text, Some(certificate.public_key())) {
            Ok(key) if key.public() == certificate.public_key() => return Ok((key, certificate)),
            Ok(_) => {}
            Err(e) => reason = Some(e),
        }
    }
    Err(CaError::Mismatch(match reason {
        Some(reason) => format!("the private key cannot be used: {reason}"),
        None => "no certificate of the bundle belongs to the private key".into(),
    }))
}

/// Copies the files of an authority to a new directory. Its certificates are copied last, so that a
/// partial copy is never taken for an authority.
fn copy(from: &Directory, to: &Path, next_serial: u64) -> Result<(), CaError> {
    if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(CaError::NotEmpty(to.to_path_buf()));
    }
    let target = Directory::new(to);
    target.create()?;
    let serial = Serial::from(next_serial).to_string();
    directory::replace(&target.serial(), serial.as_bytes(), PUBLIC)?;
    for (source, copy, mode) in [
        (from.key(), target.key(), PRIVATE),
        (from.public_key(), target.public_key(), PUBLIC),
        (from.crls(), target.crls(), PUBLIC),
        (from.infra_crls(), target.infra_crls(), PUBLIC),
        (from.infra_nodes(), target.infra_nodes(), PUBLIC),
        (from.infra_serials(), target.infra_serials(), PUBLIC),
        (from.inventory(), target.inventory(), PUBLIC),
    ] {
        if let Some(content) = directory::read_if_exists(&source)? {
            directory::replace(&copy, &content, mode)?;
        }
    }
    for name in directory::names_in(&from.signed_dir())? {
        let content = directory::read(&from.certificate(&name))?;
        directory::replace(&target.certificate(&name), &content, PUBLIC)?;
    }
    for name in directory::names_in(&from.requests_dir())? {
        let content = directory::read(&from.request(&name))?;
        directory::replace(&target.request(&name), &content, PUBLIC)?;
    }
    directory::replace(&target.bundle(), &directory::read(&from.bundle())?, PUBLIC)
}
