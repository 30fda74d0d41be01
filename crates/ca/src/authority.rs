//! The certificate authority: its key, its certificate chain, and its revocation lists.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use x509_cert::name::Name;

use crate::certificate::{Certificate, NewCertificate, name_with_cn};
use crate::crl::{RevocationList, RevokedSet};
use crate::directory::{self, Directory, PRIVATE, PUBLIC, WriteLock};
use crate::key::SigningKey;
use crate::settings::{CreateOptions, Settings};
use crate::time::after;
use crate::{CaError, Certname, Serial, extension, inventory, key};

/// The longest validity period, in seconds: fifty years.
pub(crate) const MAX_TTL: i64 = 1_576_800_000;
/// The default validity period of a new authority, in seconds: fifteen years, as in `puppetserver
/// ca setup`.
const CA_TTL: i64 = 15 * 365 * 86_400;
/// Certificates become valid one day before they are issued, because clocks of agents may be slow.
pub(crate) const BACKDATED: i64 = 86_400;

/// A certificate authority in a directory.
///
/// All methods take `&self` and may be called from any thread. Other processes may use the same
/// directory at the same time. Writers wait for the lock of the directory; readers never wait.
#[derive(Debug)]
pub struct CertificateAuthority {
    pub(crate) directory: Directory,
    pub(crate) settings: Settings,
    pub(crate) key: SigningKey,
    own: Certificate,
    /// The authority's own certificate comes first.
    pub(crate) chain: Vec<Certificate>,
    bundle: Arc<str>,
    revocations: RwLock<Arc<Revocations>>,
    /// Serial numbers below this one are taken, even if the file `serial` has a lower number.
    lowest_serial: u64,
}

/// The revocation lists as last read from disk.
#[derive(Debug)]
pub(crate) struct Revocations {
    stamp: Stamp,
    pub(crate) lists: Vec<RevocationList>,
    pem: Arc<str>,
    revoked: Arc<RevokedSet>,
}

/// Identifies a version of a file, so that an unchanged file is not read again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: SystemTime,
}

/// The revocation lists as clients get them.
#[derive(Debug, Clone)]
pub struct CrlText {
    /// The lists of the whole chain as PEM text; the list of this authority comes first.
    pub pem: Arc<str>,
    /// When the text last changed, for `If-Modified-Since`.
    pub modified: SystemTime,
}

impl CertificateAuthority {
    /// Creates an authority with a new key and a self-signed certificate.
    ///
    /// # Errors
    /// [`CaError::Exists`] if the directory has files of an authority.
    pub fn create(
        dir: &Path,
        options: &CreateOptions,
        settings: Settings,
    ) -> Result<Self, CaError> {
        let directory = Directory::new(dir);
        directory.create()?;
        let lock = directory.lock()?;
        if directory.is_used()? {
            return Err(CaError::Exists(dir.to_path_buf()));
        }
        let (key, pem) = SigningKey::generate(options.key)?;
        let certificate = self_signed(&key, options, &settings)?;
        let now = (settings.clock)();
        let list = RevocationList::sign(&certificate, &key, &[0], Vec::new(), now)?;
        directory::replace(&directory.key(), pem.as_bytes(), PRIVATE)?;
        let public = key::public_pem(key.public())?;
        directory::replace(&directory.public_key(), public.as_bytes(), PUBLIC)?;
        directory::replace(&directory.serial(), b"0002", PUBLIC)?;
        directory::replace(&directory.crls(), list.pem().as_bytes(), PUBLIC)?;
        directory::replace(&directory.inventory(), b"", PUBLIC)?;
        let subject = certificate.common_name().unwrap_or_default();
        inventory::append(&directory.inventory(), &certificate, &subject, &lock)?;
        // The certificate is written last: a directory with a certificate is a complete authority.
        directory::replace(&directory.bundle(), certificate.pem().as_bytes(), PUBLIC)?;
        drop(lock);
        Self::open(dir, settings)
    }

    /// Opens an authority that [`CertificateAuthority::create`] made, or the directory `ssl/ca` of
    /// a puppetserver.
    ///
    /// # Errors
    /// [`CaError::Incomplete`] if files are missing, [`CaError::Damaged`] and [`CaError::Mismatch`]
    /// if they are unreadable or do not belong together.
    pub fn open(dir: &Path, settings: Settings) -> Result<Self, CaError> {
        let directory = Directory::new(dir);
        let missing = directory.missing();
        if !missing.is_empty() {
            return Err(CaError::Incomplete { dir: dir.to_path_buf(), missing });
        }
        directory.create()?;
        let path = directory.bundle();
        let text = directory::read(&path)?;
        let mut chain =
            Certificate::all_from_pem(&text).map_err(|e| CaError::damaged(&path, e.to_string()))?;
        if chain.is_empty() {
            return Err(CaError::damaged(&path, "it has no certificate"));
        }
        let key_path = directory.key();
        directory::protect(&key_path)?;
        let key_text = directory::read(&key_path)?;
        let hint = chain.first().map(Certificate::public_key);
        let key = SigningKey::from_pem(&key_text, hint)
            .map_err(|reason| CaError::damaged(&key_path, reason))?;
        // Like puppetserver: the authority's own certificate is the one for its key, wherever it is
        // in the file.
        let own = chain.iter().position(|c| c.public_key() == key.public());
        let Some(own) = own else {
            return Err(CaError::Mismatch(format!(
                "no certificate of {} belongs to the key {}",
                path.display(),
                key_path.display()
            )));
        };
        let own_certificate = chain.remove(own);
        chain.insert(0, own_certificate.clone());
        let revocations = Revocations::read(&directory)?;
        let is_own = |list: &&RevocationList| list.verify_issued_by(&own_certificate).is_ok();
        let own = revocations.lists.iter().find(is_own).ok_or_else(|| {
            let path = directory.crls();
            CaError::Mismatch(format!("{} has no list that the key signed", path.display()))
        })?;
        let entries = inventory::read(&directory.inventory())?;
        let used = entries.into_iter().map(|entry| entry.serial).chain(own.serials());
        let highest = used.filter_map(|serial| serial.as_u64()).max().unwrap_or(0);
        let lowest_serial = highest.saturating_add(1);
        let bundle = chain.iter().map(Certificate::pem).collect::<String>().into();
        let revocations = RwLock::new(Arc::new(revocations));
        Ok(Self {
            directory,
            settings,
            key,
            own: own_certificate,
            chain,
            bundle,
            revocations,
            lowest_serial,
        })
    }

    /// Whether a directory contains an authority.
    #[must_use]
    pub fn exists(dir: &Path) -> bool {
        Directory::new(dir).missing().is_empty()
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.directory.root()
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The authority's own certificate.
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.own
    }

    /// The certificates of the chain, the authority's own first.
    #[must_use]
    pub fn chain(&self) -> &[Certificate] {
        &self.chain
    }

    /// The certificates of the chain as PEM text, the authority's own first.
    #[must_use]
    pub fn bundle_pem(&self) -> Arc<str> {
        Arc::clone(&self.bundle)
    }

    /// The revocation lists of the chain.
    ///
    /// # Errors
    /// [`CaError::Io`], [`CaError::Damaged`].
    pub fn crl(&self) -> Result<CrlText, CaError> {
        let now = self.revocations()?;
        Ok(CrlText { pem: Arc::clone(&now.pem), modified: now.stamp.modified })
    }

    /// The revoked certificates according to the lists that are on disk now.
    ///
    /// # Errors
    /// [`CaError::Io`], [`CaError::Damaged`].
    pub fn revoked(&self) -> Result<Arc<RevokedSet>, CaError> {
        Ok(Arc::clone(&self.revocations()?.revoked))
    }

    /// Whether a certificate is revoked by the list of its issuer.
    ///
    /// # Errors
    /// [`CaError::Io`], [`CaError::Damaged`]; callers must then refuse the certificate.
    pub fn is_revoked(&self, certificate: &Certificate) -> Result<bool, CaError> {
        Ok(self.revoked()?.contains(certificate))
    }

    /// The current time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.settings.clock)()
    }

    /// The revocation lists; reads them again if another process or call changed them.
    pub(crate) fn revocations(&self) -> Result<Arc<Revocations>, CaError> {
        let stamp = Stamp::of(&self.directory.crls())?;
        let known = Arc::clone(&self.revocations.read().unwrap_or_else(PoisonError::into_inner));
        if known.stamp == stamp {
            return Ok(known);
        }
        let read = Arc::new(Revocations::read(&self.directory)?);
        let mut place = self.revocations.write().unwrap_or_else(PoisonError::into_inner);
        *place = Arc::clone(&read);
        Ok(read)
    }

    /// The serial number that the next certificate gets.
    pub(crate) fn next_serial(&self) -> Result<u64, CaError> {
        let path = self.directory.serial();
        let text = directory::read_text(&path)?;
        let stored = Serial::from_hex(text.trim()).and_then(|serial| serial.as_u64());
        let stored = stored.ok_or_else(|| CaError::damaged(&path, "it has no serial number"))?;
        Ok(stored.max(self.lowest_serial))
    }

    /// Takes the next serial number. The number is used up even if the process ends before it
    /// issues a certificate.
    pub(crate) fn take_serial(&self, _lock: &WriteLock) -> Result<Serial, CaError> {
        let path = self.directory.serial();
        let serial = self.next_serial()?;
        let next = serial.checked_add(1);
        let next = next.ok_or_else(|| CaError::damaged(&path, "no serial number is left"))?;
        directory::replace(&path, Serial::from(next).to_string().as_bytes(), PUBLIC)?;
        Ok(Serial::from(serial))
    }

    /// Signs a certificate for a node and stores it: first in the inventory, then as the node's
    /// certificate. After a crash between the two, revocation still finds the serial number in the
    /// inventory.
    pub(crate) fn issue(&self, lock: &WriteLock, new: Issue<'_>) -> Result<Certificate, CaError> {
        let now = self.now();
        let ttl = check_ttl(new.ttl)?;
        let certificate = NewCertificate {
            serial: self.take_serial(lock)?,
            issuer: self.certificate().subject(),
            subject: &name_with_cn(new.name.as_str())?,
            not_before: after(now, -BACKDATED),
            not_after: after(now, ttl),
            public_key: new.public_key,
            extensions: new.extensions,
        };
        let certificate = certificate.sign(&self.key)?;
        let name = new.name.as_str();
        inventory::append(&self.directory.inventory(), &certificate, name, lock)?;
        let path = self.directory.certificate(new.name);
        directory::replace(&path, certificate.pem().as_bytes(), PUBLIC)?;
        Ok(certificate)
    }
}

/// The parts of a node's certificate that the callers choose.
pub(crate) struct Issue<'a> {
    pub(crate) name: &'a Certname,
    pub(crate) ttl: Duration,
    pub(crate) public_key: &'a x509_cert::spki::SubjectPublicKeyInfoOwned,
    pub(crate) extensions: Vec<x509_cert::ext::Extension>,
}

/// A validity period in seconds.
pub(crate) fn check_ttl(ttl: Duration) -> Result<i64, CaError> {
    let seconds = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
    if (1..=MAX_TTL).contains(&seconds) { Ok(seconds) } else { Err(CaError::InvalidTtl(seconds)) }
}

impl Stamp {
    fn of(path: &Path) -> Result<Self, CaError> {
        let failed = |e| CaError::io(path, e);
        let metadata = fs::metadata(path).map_err(failed)?;
        let modified = metadata.modified().map_err(failed)?;
        Ok(Self { inode: metadata.ino(), size: metadata.len(), modified })
    }
}

impl Revocations {
    fn read(directory: &Directory) -> Result<Self, CaError> {
        let path = directory.crls();
        // The stamp is taken before the read: a later change gives another stamp, and the file is
        // read again.
        let stamp = Stamp::of(&path)?;
        let text = directory::read(&path)?;
        let lists = RevocationList::all_from_pem(&text).map_err(|e| CaError::damaged(&path, e))?;
        if lists.is_empty() {
            return Err(CaError::damaged(&path, "it has no revocation list"));
        }
        let pem = lists.iter().map(RevocationList::pem).collect::<String>().into();
        let revoked = Arc::new(RevokedSet::of(&lists));
        Ok(Self { stamp, lists, pem, revoked })
    }
}

/// Creates the self-signed certificate of a new authority.
fn self_signed(
    key: &SigningKey,
    options: &CreateOptions,
    settings: &Settings,
) -> Result<Certificate, CaError> {
    let key_id = key::key_id(key.public());
    let name = match &options.name {
        Some(name) => name.clone(),
        None => {
            let start = key_id.iter().take(4).map(|b| format!("{b:02x}"));
            format!("Ordain CA: {}", start.collect::<String>())
        }
    };
    let subject: Name = name_with_cn(&name)?;
    let ttl = options.ttl.map_or(Ok(CA_TTL), check_ttl)?;
    let now = (settings.clock)();
    let certificate = NewCertificate {
        serial: Serial::from(1),
        issuer: &subject,
        subject: &subject,
        not_before: after(now, -BACKDATED),
        not_after: after(now, ttl),
        public_key: key.public(),
        extensions: vec![
            extension::comment()?,
            extension::authority_key_id(&key_id)?,
            extension::basic_constraints(true)?,
            extension::ca_key_usage()?,
            extension::subject_key_id(&key_id)?,
        ],
    };
    certificate.sign(key)
}
