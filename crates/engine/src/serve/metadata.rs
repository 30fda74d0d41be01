//! The metadata of one file.

use std::fs::{File, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use ordain_functions::checksum::{Checksum, NAMES};
use ordain_functions::time;
use ordain_graph::served::{FileMetadata, ServedChecksum};

use super::request::Request;
use crate::system::path::own_ids;

/// The default mode of files whose source permissions are ignored.
const PLAIN_MODE: u32 = 0o644;

/// The format of times in checksums, in UTC.
const TIME: &str = "%Y-%m-%d %H:%M:%S %z";

/// The metadata of a file at or below a path.
///
/// # Errors
/// When it cannot be read, or is a device.
pub(super) fn of(
    path: &Path,
    below: Option<&str>,
    request: &Request,
) -> Result<FileMetadata, String> {
    let full = match below {
        None | Some(".") => path.to_path_buf(),
        Some(below) => path.join(below),
    };
    let failed = |e: std::io::Error| format!("Could not read {}: {e}", full.display());
    let stat = |follow: bool| match follow {
        true => std::fs::metadata(&full),
        false => std::fs::symlink_metadata(&full),
    };
    let meta = stat(request.follow).map_err(failed)?;
    let kind = kind(&meta);
    let digest = || sum(&request.checksum, &full);
    let (checksum, value) = match kind {
        "file" => (request.checksum.as_str(), Some(digest().map_err(failed)?)),
        "directory" => ("ctime", Some(sum("ctime", path).map_err(failed)?)),
        "link" => (request.checksum.as_str(), digest().ok()),
        "fifo" | "socket" => ("none", Some("{none}".to_string())),
        other => return Err(format!("Cannot manage files of type {other}: {}", full.display())),
    };
    let destination = match kind {
        "link" => Some(std::fs::read_link(&full).map_err(failed)?.to_string_lossy().into_owned()),
        _ => None,
    };
    let own = own_ids();
    let (owner, group, mode) = match request.permissions {
        true => (meta.uid(), meta.gid(), meta.mode() & 0o7777),
        false => (own.0, own.1, PLAIN_MODE),
    };
    Ok(FileMetadata {
        path: path.to_string_lossy().into_owned(),
        relative_path: below.map(str::to_string),
        links: if request.follow { "follow" } else { "manage" }.to_string(),
        owner: Some(owner),
        group: Some(group),
        mode: Some(mode),
        checksum: ServedChecksum { kind: checksum.to_string(), value },
        kind: kind.to_string(),
        destination,
        content_uri: None,
        source: None,
    })
}

fn kind(meta: &Metadata) -> &'static str {
    let kind = meta.file_type();
    match kind {
        _ if kind.is_file() => "file",
        _ if kind.is_dir() => "directory",
        _ if kind.is_symlink() => "link",
        _ if kind.is_fifo() => "fifo",
        _ if kind.is_socket() => "socket",
        _ if kind.is_block_device() => "blockSpecial",
        _ => "characterSpecial",
    }
}

/// `{sha256}…`, or the time of a change. Links are followed.
fn sum(name: &str, path: &Path) -> std::io::Result<String> {
    // An entity tag of a file is its MD5.
    let algorithm = if name == "etag" { "md5" } else { name };
    let index = NAMES.iter().position(|known| *known == algorithm).unwrap_or_default();
    let meta = || std::fs::metadata(path);
    let time = |seconds: i64| {
        let nanos = i128::from(seconds) * 1_000_000_000;
        time::format(TIME, nanos, Some(0)).map_err(std::io::Error::other)
    };
    let value = match Checksum::from_index(index) {
        Checksum::Mtime => time(meta()?.mtime())?,
        Checksum::Ctime => time(meta()?.ctime())?,
        Checksum::None => String::new(),
        Checksum::Digest(algorithm, _) => {
            if !meta()?.is_file() {
                return Err(std::io::Error::other("a pipe or device has no checksum"));
            }
            let (_, limit) = Checksum::from_index(index).algorithm();
            algorithm.hex(std::io::Read::take(File::open(path)?, limit))?
        }
    };
    Ok(format!("{{{name}}}{value}"))
}
