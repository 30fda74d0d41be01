//! The directory of an authority, with the layout of puppetserver's `ssl/ca`, and crash-safe
//! changes to it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{CaError, Certname};

/// The mode of files that only the authority may read.
pub(crate) const PRIVATE: u32 = 0o600;
/// The mode of files that everybody may read.
pub(crate) const PUBLIC: u32 = 0o644;
/// The mode of directories.
const DIRECTORY: u32 = 0o750;

/// The largest file that is read, in bytes. An inventory of a few million certificates fits.
const MAX_FILE: u64 = 1 << 30;

/// The paths of an authority.
#[derive(Debug, Clone)]
pub(crate) struct Directory {
    root: PathBuf,
}

impl Directory {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The certificates of the chain, the authority's own first.
    pub(crate) fn bundle(&self) -> PathBuf {
        self.root.join("ca_crt.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.root.join("ca_key.pem")
    }

    pub(crate) fn public_key(&self) -> PathBuf {
        self.root.join("ca_pub.pem")
    }

    /// The revocation lists of the chain, the authority's own first.
    pub(crate) fn crls(&self) -> PathBuf {
        self.root.join("ca_crl.pem")
    }

    pub(crate) fn inventory(&self) -> PathBuf {
        self.root.join("inventory.txt")
    }

    /// The file with the next serial number.
    pub(crate) fn serial(&self) -> PathBuf {
        self.root.join("serial")
    }

    pub(crate) fn signed_dir(&self) -> PathBuf {
        self.root.join("signed")
    }

    pub(crate) fn requests_dir(&self) -> PathBuf {
        self.root.join("requests")
    }

    pub(crate) fn certificate(&self, name: &Certname) -> PathBuf {
        self.signed_dir().join(format!("{name}.pem"))
    }

    pub(crate) fn request(&self, name: &Certname) -> PathBuf {
        self.requests_dir().join(format!("{name}.pem"))
    }

    /// The revocation lists for agents that only talk to servers.
    pub(crate) fn infra_crls(&self) -> PathBuf {
        self.root.join("infra_crl.pem")
    }

    /// The file with the names of infrastructure nodes.
    pub(crate) fn infra_nodes(&self) -> PathBuf {
        self.root.join("infra_inventory.txt")
    }

    /// The serial numbers of their certificates, one per line, in decimal.
    pub(crate) fn infra_serials(&self) -> PathBuf {
        self.root.join("infra_serials")
    }

    /// The file that every writer locks.
    pub(crate) fn lock_file(&self) -> PathBuf {
        self.root.join(".ordain.lock")
    }

    /// Names of required files that are missing.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let required = [
            ("ca_crt.pem", self.bundle()),
            ("ca_key.pem", self.key()),
            ("ca_crl.pem", self.crls()),
            ("inventory.txt", self.inventory()),
            ("serial", self.serial()),
        ];
        required.into_iter().filter(|(_, path)| !path.exists()).map(|(name, _)| name).collect()
    }

    /// Whether the directory contains an authority or the remains of one. An interrupted creation
    /// leaves neither a certificate of the authority nor certificates of nodes.
    pub(crate) fn is_used(&self) -> Result<bool, CaError> {
        let inventory = read_if_exists(&self.inventory())?.unwrap_or_default();
        let lines = inventory.iter().filter(|byte| **byte == b'\n').count();
        Ok(self.bundle().exists() || lines > 1 || !names_in(&self.signed_dir())?.is_empty())
    }

    /// Creates the directories that do not exist.
    pub(crate) fn create(&self) -> Result<(), CaError> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(DIRECTORY);
        for dir in [self.root.clone(), self.signed_dir(), self.requests_dir()] {
            if dir.is_dir() {
                continue;
            }
            builder.create(&dir).map_err(|e| CaError::io(&dir, e))?;
            copy_owner(&self.root, &dir).map_err(|e| CaError::io(&dir, e))?;
        }
        sync_dir(&self.root)
    }

    /// Waits until no other process or thread changes the directory, and locks the others out until
    /// the guard is dropped.
    pub(crate) fn lock(&self) -> Result<WriteLock, CaError> {
        let path = self.lock_file();
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).mode(PRIVATE);
        let file = file.open(&path).map_err(|e| CaError::io(&path, e))?;
        // Root may create the lock file before the server runs as another user.
        copy_owner(&self.root, &path).map_err(|e| CaError::io(&path, e))?;
        file.lock().map_err(|e| CaError::io(&path, e))?;
        Ok(WriteLock { _file: file })
    }
}

/// Proof that the caller holds the lock. The system releases the lock if the process ends.
#[derive(Debug)]
pub(crate) struct WriteLock {
    _file: File,
}

/// The content of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CaError> {
    read_if_exists(path)?.ok_or_else(|| CaError::io(path, io::ErrorKind::NotFound.into()))
}

/// The content of a file that may not exist.
pub(crate) fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>, CaError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(CaError::io(path, e)),
    };
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|e| CaError::io(path, e))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(CaError::damaged(path, "it is larger than 1 GiB"));
    }
    Ok(Some(bytes))
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, CaError> {
    String::from_utf8(read(path)?).map_err(|_| CaError::damaged(path, "it is not a text"))
}

static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

/// Replaces a file: after a crash at any time it has its old or its new content. An existing file
/// keeps its owner and group if this process may set them, because a server of another user may
/// read it.
pub(crate) fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), CaError> {
    let number = NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.{number}.tmp", process::id()));
    let temporary = path.with_file_name(name);
    let result = write_new(&temporary, content, mode)
        .and_then(|()| copy_owner(owner_model(path), &temporary))
        .and_then(|()| fs::rename(&temporary, path));
    if let Err(e) = result {
        // The caller gets the first error.
        let _ = fs::remove_file(&temporary);
        return Err(CaError::io(path, e));
    }
    path.parent().map_or(Ok(()), sync_dir)
}

fn write_new(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    // The umask may have removed permissions.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.write_all(content)?;
    file.sync_all()
}

/// The path that a new file takes its owner from: the file itself if it exists, else its directory.
fn owner_model(path: &Path) -> &Path {
    if path.exists() { path } else { path.parent().unwrap_or(path) }
}

/// Gives a file the owner and group of another one. Only root may do that; for other users, the
/// file belongs to them already.
fn copy_owner(from: &Path, to: &Path) -> io::Result<()> {
    let like = fs::metadata(from)?;
    let own = fs::metadata(to)?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    match std::os::unix::fs::chown(to, Some(like.uid()), Some(like.gid())) {
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

/// Removes write permission for the group, and all permissions for other users, from a private key.
/// The group may read it: a puppetserver may need that.
pub(crate) fn protect(path: &Path) -> Result<(), CaError> {
    let failed = |e| CaError::io(path, e);
    let mode = fs::metadata(path).map_err(failed)?.mode() & 0o7777;
    if mode & 0o027 == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & !0o027)).map_err(failed)
}

/// Makes created, renamed and removed entries of a directory durable.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), CaError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|e| CaError::io(dir, e))
}

/// Removes a file. Returns false if it did not exist.
pub(crate) fn remove(path: &Path) -> Result<bool, CaError> {
    match fs::remove_file(path) {
        Ok(()) => path.parent().map_or(Ok(()), sync_dir).map(|()| true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(CaError::io(path, e)),
    }
}

/// The number of entries of a directory.
pub(crate) fn count(dir: &Path) -> Result<usize, CaError> {
    fs::read_dir(dir).map(Iterator::count).map_err(|e| CaError::io(dir, e))
}

/// The certnames that have a file in a directory, sorted. Files with other names are skipped.
pub(crate) fn names_in(dir: &Path) -> Result<Vec<Certname>, CaError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(CaError::io(dir, e)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(|e| CaError::io(dir, e))?.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(".pem"));
        names.extend(stem.and_then(|stem| Certname::new(stem).ok()));
    }
    names.sort();
    Ok(names)
}
