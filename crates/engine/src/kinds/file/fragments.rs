//! Content that is assembled from other files of the machine.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::kind::KindError;
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::safety::check_links;

/// The maximum total size of fragments.
const MAX_BYTES: u64 = 256 << 20;

/// The concatenated contents of the fragments. A fragment that ends in a slash is a directory and
/// stands for its files, sorted by name.
///
/// # Errors
/// When a fragment does not exist or cannot be read, or they are too large. A fragment that is
/// declared but does not exist yet counts as empty, so that plans work.
pub(super) fn read(
    fragments: &[String],
    declared: &BTreeSet<PathBuf>,
    host: &Host,
) -> Result<Vec<u8>, KindError> {
    let mut out = Vec::new();
    for fragment in fragments {
        let failed = |e: io::Error| KindError::new(format!("could not read {fragment}: {e}"));
        let path = host.path(Path::new(fragment));
        if !path.exists() && declared.contains(Path::new(fragment.trim_end_matches('/'))) {
            continue;
        }
        if !fragment.ends_with('/') {
            append(host, Path::new(fragment), &mut out).map_err(failed)?;
            continue;
        }
        let entries: io::Result<Vec<_>> = fs::read_dir(&path).map_err(failed)?.collect();
        let mut entries = entries.map_err(failed)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if !entry.file_type().map_err(failed)?.is_dir() {
                let inner = Path::new(fragment).join(entry.file_name());
                append(host, &inner, &mut out).map_err(failed)?;
            }
        }
    }
    Ok(out)
}

fn append(host: &Host, path: &Path, out: &mut Vec<u8>) -> io::Result<()> {
    let room = MAX_BYTES.saturating_sub(out.len() as u64);
    let file = File::open(host.path(path))?;
    if file.metadata()?.nlink() > 1 {
        let place = resolve(host, path, true)?;
        place.stat()?.map_or(Ok(()), |stat| check_links(host, &place, &stat))?;
    }
    file.take(room + 1).read_to_end(out)?;
    if out.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the fragments are too large"));
    }
    Ok(())
}
