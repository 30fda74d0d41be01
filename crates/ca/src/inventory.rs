//! The inventory: one line for each certificate that was ever signed.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use jiff::Timestamp;

use crate::certificate::Certificate;
use crate::directory::{PUBLIC, WriteLock, read_if_exists, sync_dir};
use crate::time::{format_time, parse_time};
use crate::{CaError, Certname, Serial};

/// A line of the inventory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) serial: Serial,
    pub(crate) not_after: Timestamp,
    /// The subject as puppetserver writes it: `/CN=name`.
    pub(crate) subject: String,
}

impl Entry {
    /// Parses a line. Returns `None` if it is damaged.
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.splitn(4, ' ');
        let serial = Serial::from_hex(parts.next()?)?;
        parse_time(parts.next()?)?;
        let not_after = parse_time(parts.next()?)?;
        Some(Self { serial, not_after, subject: parts.next()?.to_string() })
    }

    /// Whether the certificate is for this name.
    pub(crate) fn is_of(&self, name: &Certname) -> bool {
        self.subject.strip_prefix("/CN=") == Some(name.as_str())
    }
}

/// All entries. Damaged lines are skipped.
pub(crate) fn read(path: &Path) -> Result<Vec<Entry>, CaError> {
    let bytes = read_if_exists(path)?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).lines().filter_map(Entry::parse).collect())
}

/// Appends a certificate and waits until it is on disk.
pub(crate) fn append(
    path: &Path,
    certificate: &Certificate,
    subject: &str,
    _lock: &WriteLock,
) -> Result<(), CaError> {
    let line = format!(
        "0x{} {} {} /CN={subject}\n",
        certificate.serial().to_string().to_lowercase(),
        format_time(certificate.not_before()),
        format_time(certificate.not_after()),
    );
    let failed = |e| CaError::io(path, e);
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    let mut file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(PUBLIC)
        .open(path)
        .map_err(failed)?;
    let end = end_of_lines(&mut file).map_err(failed)?;
    let mut rest = String::new();
    file.seek(SeekFrom::Start(end)).map_err(failed)?;
    // A damaged last line may not be UTF-8; it is cut off below.
    let _ = file.read_to_string(&mut rest);
    let text = match Entry::parse(&rest) {
        Some(_) => format!("{rest}\n{line}"),
        None => line,
    };
    file.set_len(end).map_err(failed)?;
    file.seek(SeekFrom::Start(end)).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    if is_new { path.parent().map_or(Ok(()), sync_dir) } else { Ok(()) }
}

/// The offset after the last complete line. A crash during [`append`] may leave part of a line,
/// which puppetserver cannot read.
fn end_of_lines(file: &mut std::fs::File) -> std::io::Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut at = length;
    let mut chunk = [0; 512];
    while at > 0 {
        let start = at.saturating_sub(512);
        file.seek(SeekFrom::Start(start))?;
        // The difference is at most 512.
        let size = usize::try_from(at - start).unwrap_or(512);
        let part = chunk.get_mut(..size).unwrap_or_default();
        file.read_exact(part)?;
        if let Some(found) = part.iter().rposition(|b| *b == b'\n') {
            return Ok(start + found as u64 + 1);
        }
        at = start;
    }
    Ok(0)
}
