//! Revocation of names, and maintenance of the revocation lists.

use std::collections::HashSet;

use jiff::Timestamp;
use x509_cert::crl::RevokedCert;

use crate::authority::CertificateAuthority;
use crate::crl::{self, RevocationList};
use crate::directory::{self, PUBLIC, WriteLock};
use crate::time::after;
use crate::{CaError, Certname, Serial, infra, inventory};

/// A list is renewed when less than this time, in seconds, of its validity is left: thirty days.
const RENEWAL_WINDOW: i64 = 30 * 86_400;

/// The result of revoking several names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevokeResult {
    /// Names whose certificates are now revoked.
    pub revoked: Vec<String>,
    /// Names that have no certificate.
    pub not_found: Vec<String>,
}

impl CertificateAuthority {
    /// Revokes all certificates of the given names: the current ones, and older ones that are still
    /// valid after a renewal. The files stay in the directory.
    ///
    /// # Errors
    /// Errors of the directory. Unknown names are part of the result.
    pub fn revoke(&self, names: &[String]) -> Result<RevokeResult, CaError> {
        let lock = self.directory.lock()?;
        self.revoke_names(&lock, names)
    }

    /// Revokes all certificates of the given names, and removes their certificate and request
    /// files.
    ///
    /// # Errors
    /// Errors of the directory. Unknown names are part of the result.
    pub fn clean(&self, names: &[String]) -> Result<RevokeResult, CaError> {
        let lock = self.directory.lock()?;
        let mut outcome = self.revoke_names(&lock, names)?;
        let mut removed = HashSet::new();
        for name in names {
            let Ok(certname) = Certname::new(name) else { continue };
            // Revoke first: a crash here leaves a revoked certificate, not a usable one.
            let certificate = directory::remove(&self.directory.certificate(&certname))?;
            let request = directory::remove(&self.directory.request(&certname))?;
            if certificate || request {
                removed.insert(name.as_str());
            }
        }
        outcome.not_found.retain(|name| !removed.contains(name.as_str()));
        Ok(outcome)
    }

    /// Removes expired and repeated entries from the list. Returns how many.
    ///
    /// # Errors
    /// Errors of the directory.
    pub fn prune(&self) -> Result<usize, CaError> {
        let lock = self.directory.lock()?;
        let expired = self.expired_serials()?;
        let list = self.own_list()?;
        let entries = kept(&list, &expired);
        let gone = list.entries().len() - entries.len();
        if gone > 0 {
            self.write_list(&lock, &list, entries)?;
        }
        Ok(gone)
    }

    /// Signs the list of this authority again, without expired certificates, if it is valid for
    /// less than thirty days. Returns whether it did. A server calls this daily.
    /// [`CertificateAuthority::import_crls`] updates the lists of the other authorities in the
    /// chain.
    ///
    /// # Errors
    /// Errors of the directory.
    pub fn refresh_crl(&self) -> Result<bool, CaError> {
        let soon = after(self.now(), RENEWAL_WINDOW);
        let is_due = |list: &RevocationList| list.next_update().is_none_or(|at| at < soon);
        let infra_due =
            infra::list(&self.directory)?.is_some_and(|lists| lists.first().is_some_and(is_due));
        if !is_due(&self.own_list()?) && !infra_due {
            return Ok(false);
        }
        let lock = self.directory.lock()?;
        let expired = self.expired_serials()?;
        let list = self.own_list()?;
        if is_due(&list) {
            self.write_list(&lock, &list, kept(&list, &expired))?;
        }
        if infra_due {
            infra::refresh(self, &lock)?;
        }
        Ok(true)
    }

    /// Revokes all certificates of the names that are valid certnames.
    pub(crate) fn revoke_all_of(
        &self,
        lock: &WriteLock,
        names: &[&Certname],
    ) -> Result<(), CaError> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        self.revoke_names(lock, &names).map(|_| ())
    }

    fn revoke_names(&self, lock: &WriteLock, names: &[String]) -> Result<RevokeResult, CaError> {
        let entries = inventory::read(&self.directory.inventory())?;
        let now = self.now();
        let known: HashSet<Serial> = self.own_list()?.serials().collect();
        let mut outcome = RevokeResult::default();
        let mut serials = Vec::new();
        for name in names {
            let Ok(certname) = Certname::new(name) else {
                outcome.not_found.push(name.clone());
                continue;
            };
            let before = serials.len();
            let mine = entries.iter().filter(|e| e.is_of(&certname) && e.not_after >= now);
            // `clean` may have removed the name before: its revoked certificates do not count.
            let mine = mine.map(|entry| &entry.serial).filter(|serial| !known.contains(serial));
            serials.extend(mine.cloned());
            // The inventory may lack a certificate that another program issued.
            serials.extend(self.stored_certificate(&certname)?.map(|c| c.serial()));
            let list =
                if serials.len() > before { &mut outcome.revoked } else { &mut outcome.not_found };
            list.push(name.clone());
        }
        self.add_to_list(lock, &serials, now)?;
        Ok(outcome)
    }

    /// Adds the serial numbers that are not yet in the list.
    fn add_to_list(
        &self,
        lock: &WriteLock,
        serials: &[Serial],
        now: Timestamp,
    ) -> Result<(), CaError> {
        let list = self.own_list()?;
        let mut known: HashSet<Serial> = list.serials().collect();
        let mut entries = list.entries().to_vec();
        let mut added = Vec::new();
        for serial in serials {
            if known.insert(serial.clone()) {
                entries.push(crl::entry(serial, now)?);
                added.push(serial.clone());
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        self.write_list(lock, &list, entries)?;
        infra::revoke(self, lock, &added)
    }

    /// Writes a new list of this authority; the other lists of the chain stay the same.
    fn write_list(
        &self,
        _lock: &WriteLock,
        old: &RevocationList,
        entries: Vec<RevokedCert>,
    ) -> Result<(), CaError> {
        let list = self.next_list(old, entries)?;
        let lists = &self.revocations()?.lists;
        let own = self.own_position(lists);
        let others = lists.iter().enumerate().filter(|(at, _)| Some(*at) != own);
        let text: String = std::iter::once(&list)
            .chain(others.map(|(_, other)| other))
            .map(RevocationList::pem)
            .collect();
        directory::replace(&self.directory.crls(), text.as_bytes(), PUBLIC)
    }

    /// Signs a list of this authority that follows another one.
    pub(crate) fn next_list(
        &self,
        old: &RevocationList,
        entries: Vec<RevokedCert>,
    ) -> Result<RevocationList, CaError> {
        let now = self.now();
        RevocationList::sign(self.certificate(), &self.key, &old.next_number(), entries, now)
    }

    /// The list of this authority.
    pub(crate) fn own_list(&self) -> Result<RevocationList, CaError> {
        let now = self.revocations()?;
        let own = self.own_position(&now.lists).and_then(|at| now.lists.get(at));
        own.cloned().ok_or_else(|| {
            let path = self.directory.crls();
            CaError::damaged(&path, "it has no revocation list of this authority")
        })
    }

    /// The index of this authority's list, the one that its key signed.
    pub(crate) fn own_position(&self, lists: &[RevocationList]) -> Option<usize> {
        lists.iter().position(|list| list.verify_issued_by(self.certificate()).is_ok())
    }

    /// The serial numbers of expired certificates in the inventory.
    fn expired_serials(&self) -> Result<HashSet<Serial>, CaError> {
        let now = self.now();
        let entries = inventory::read(&self.directory.inventory())?;
        Ok(entries.into_iter().filter(|e| e.not_after < now).map(|e| e.serial).collect())
    }
}

/// The entries of a list except expired and repeated ones.
fn kept(list: &RevocationList, expired: &HashSet<Serial>) -> Vec<RevokedCert> {
    let mut seen = HashSet::new();
    let is_kept = |entry: &&RevokedCert| {
        let serial = Serial::of(&entry.serial_number);
        !expired.contains(&serial) && seen.insert(serial)
    };
    list.entries().iter().filter(is_kept).cloned().collect()
}
