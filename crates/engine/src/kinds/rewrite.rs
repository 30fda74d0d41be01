//! Replacing a configuration file as a whole.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Component, Path, PathBuf};

use crate::host::Host;

/// More links than this in a row are a circle.
const MAX_LINKS: usize = 40;

/// Mode and owner for a file.
#[derive(Clone, Copy)]
pub(crate) struct Owner {
    /// Permission bits.
    pub(crate) mode: u32,
    /// User and group id.
    pub(crate) ids: Option<(u32, u32)>,
}

/// Replaces a file of the machine: temporary file beside it, synced, renamed. Mode and owner of
/// an existing file stay, a new one gets those of `new`.
///
/// # Errors
/// When it cannot be written; the file is then as it was.
pub(crate) fn replace(host: &Host, path: &Path, content: &[u8], new: Owner) -> io::Result<()> {
    let target = follow(host, path)?;
    let owner = match fs::symlink_metadata(&target) {
        Ok(m) => Owner { mode: m.mode() & 0o7777, ids: Some((m.uid(), m.gid())) },
        Err(e) if e.kind() == io::ErrorKind::NotFound => new,
        Err(e) => return Err(e),
    };
    let parent = target.parent().unwrap_or(Path::new("/"));
    let (temporary, file) = open_beside(&target)?;
    let written = fill(file, content, owner).and_then(|()| fs::rename(&temporary, &target));
    if let Err(e) = written {
        fs::remove_file(&temporary)?;
        // A file that is mounted by itself, as /etc/hosts in containers, cannot be renamed over.
        if e.kind() == io::ErrorKind::ResourceBusy {
            return overwrite(&target, content);
        }
        return Err(e);
    }
    File::open(parent)?.sync_all()
}

/// Where the links of the last component lead, inside the machine's root directory.
fn follow(host: &Host, path: &Path) -> io::Result<PathBuf> {
    let mut inner = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(host.path(&inner)) {
            Ok(link) => inner = without_dots(&inner.parent().unwrap_or(Path::new("/")).join(link)),
            Err(_) => return Ok(host.path(&inner)),
        }
    }
    Err(io::Error::other(format!("too many links: {}", path.display())))
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            // The root is its own parent.
            Component::ParentDir => drop(plain.pop()),
            _ => {}
        }
    }
    plain
}

fn open_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for attempt in 0..100u32 {
        let temporary = target.with_file_name(format!(".{name}.{}-{attempt}", std::process::id()));
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
        match opened {
            Ok(file) => return Ok((temporary, file)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other(format!("no free temporary name beside {}", target.display())))
}

fn fill(mut file: File, content: &[u8], owner: Owner) -> io::Result<()> {
    file.write_all(content)?;
    if let Some((uid, gid)) = owner.ids {
        let now = file.metadata()?;
        if (now.uid(), now.gid()) != (uid, gid) {
            fchown(&file, Some(uid), Some(gid))?;
        }
    }
    file.set_permissions(Permissions::from_mode(owner.mode))?;
    file.sync_all()
}

fn overwrite(target: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(target)?;
    file.write_all(content)?;
    file.sync_all()
}
