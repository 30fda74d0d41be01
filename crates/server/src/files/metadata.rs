//! Metadata of files, as Puppet's API has it.

use std::io;
use std::path::Path;

use ordain_agent::protocol::SourceEntry;
use rustix::fs::FileType;
use serde::Serialize;

use super::checksum::Checksums;
use super::root::{Entry, Root};
use ordain_functions::checksum::Checksum;

/// The mode of files whose permissions the agent ignores.
const PLAIN_MODE: u32 = 0o644;

/// The options of a client's request for files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Wanted {
    /// Whether links are followed.
    pub(crate) follows: bool,
    pub(crate) checksum: Checksum,
    /// Whether the owner, group and mode are those of the file.
    pub(crate) has_permissions: bool,
}

/// The metadata of a file.
#[derive(Serialize, Debug)]
pub(crate) struct Metadata {
    path: String,
    relative_path: Option<String>,
    links: &'static str,
    owner: u32,
    group: u32,
    mode: u32,
    checksum: Sum,
    #[serde(rename = "type")]
    kind: &'static str,
    destination: Option<String>,
}

#[derive(Serialize, Debug)]
struct Sum {
    #[serde(rename = "type")]
    kind: &'static str,
    value: Option<String>,
}

impl Metadata {
    /// The entry in the list for Ordain's own agents. `None` for types that they do not copy.
    pub(crate) fn entry(&self) -> Option<SourceEntry> {
        let relative = self.relative_path.as_deref().unwrap_or_default();
        let digest =
            self.checksum.value.as_deref().and_then(|value| value.strip_prefix("{sha256}"));
        Some(SourceEntry {
            path: if relative == "." { String::new() } else { relative.to_string() },
            kind: match self.kind {
                kind @ ("file" | "directory" | "link") => kind.to_string(),
                _ => return None,
            },
            mode: self.mode,
            digest: digest.filter(|_| self.kind == "file").map(str::to_string),
            target: self.destination.clone(),
        })
    }
}

/// The metadata of one entry. `relative` is its path in a listing.
///
/// # Errors
/// When it cannot be read, or its type is not served.
pub(crate) fn of(
    checksums: &Checksums,
    root: &Root,
    base: &Path,
    relative: Option<&str>,
    wanted: Wanted,
) -> io::Result<Metadata> {
    let below = match relative {
        None | Some(".") => base.to_path_buf(),
        Some(relative) => base.join(relative),
    };
    let entry = root.find(&below, wanted.follows)?;
    let (kind, sum) = described(checksums, root, &below, &entry, wanted.checksum)?;
    let destination = match entry.kind() {
        FileType::Symlink => Some(entry.destination()?),
        _ => None,
    };
    let stat = &entry.stat;
    let (owner, group, mode) = match wanted.has_permissions {
        true => (stat.st_uid, stat.st_gid, stat.st_mode & 0o7777),
        false => {
            let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
            (user.as_raw(), group.as_raw(), PLAIN_MODE)
        }
    };
    Ok(Metadata {
        path: full_path(root, base),
        relative_path: relative.map(str::to_string),
        links: if wanted.follows { "follow" } else { "manage" },
        owner,
        group,
        mode,
        checksum: sum,
        kind,
        destination,
    })
}

fn full_path(root: &Root, base: &Path) -> String {
    let path = match base.as_os_str().is_empty() {
        true => root.path().to_path_buf(),
        false => root.path().join(base),
    };
    std::path::absolute(&path).unwrap_or(path).display().to_string()
}

fn described(
    checksums: &Checksums,
    root: &Root,
    below: &Path,
    entry: &Entry,
    wanted: Checksum,
) -> io::Result<(&'static str, Sum)> {
    let sum = |kind: Checksum| checksums.of(root, below, &entry.stat, kind);
    let of = |kind: Checksum, value| Sum { kind: kind.name(), value };
    Ok(match entry.kind() {
        FileType::RegularFile => ("file", of(wanted, Some(sum(wanted)?))),
        FileType::Directory => ("directory", of(Checksum::Ctime, Some(sum(Checksum::Ctime)?))),
        // The checksum of a link is that of its file, if it leads to one.
        FileType::Symlink => ("link", of(wanted, sum(wanted).ok())),
        FileType::Fifo => ("fifo", of(Checksum::None, Some("{none}".to_string()))),
        FileType::Socket => ("socket", of(Checksum::None, Some("{none}".to_string()))),
        _ => return Err(io::Error::from(io::ErrorKind::Unsupported)),
    })
}
