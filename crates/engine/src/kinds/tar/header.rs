//! The blocks before the content of each entry of an archive.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;

use crate::system::accounts;
use crate::system::host::Host;

/// The form of the entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// ustar if it can represent the entry, else pax.
    Fitting,
    Ustar,
    Pax,
    Gnu,
}

/// The header of a file or a directory in an archive.
pub(super) struct Entry {
    /// Its name in the archive; that of a directory ends in a slash.
    name: Vec<u8>,
    is_dir: bool,
    mode: u32,
    uid: u32,
    gid: u32,
    size: u64,
    /// Seconds and parts of a second.
    time: (i64, i64),
    user: String,
    group: String,
}

/// The maximum numbers of octal fields with eight and twelve bytes, including the terminator.
const MAX_SHORT_OCTAL: u64 = 0o7_777_777;
const MAX_LONG_OCTAL: u64 = 0o77_777_777_777;

impl Entry {
    pub(super) fn new(host: &Host, name: &[u8], meta: &Metadata) -> Self {
        Self {
            name: name.to_vec(),
            is_dir: meta.is_dir(),
            mode: meta.mode() & 0o7777,
            uid: meta.uid(),
            gid: meta.gid(),
            size: if meta.is_dir() { 0 } else { meta.len() },
            time: (meta.mtime(), meta.mtime_nsec()),
            user: accounts::user_name(host, meta.uid()),
            group: accounts::group_name(host, meta.gid()),
        }
    }

    /// The blocks in a form.
    pub(super) fn header(&self, format: Format) -> io::Result<Vec<u8>> {
        let records = self.records(format == Format::Pax);
        match format {
            Format::Gnu => Ok(self.gnu()),
            Format::Ustar if !records.is_empty() => {
                Err(io::Error::other("it does not fit into the format ustar"))
            }
            _ if records.is_empty() => Ok(self.block(&FormatMagic::USTAR)),
            _ => Ok(self.pax(&records)),
        }
    }

    /// Fields that do not fit into a ustar header, as pax records.
    fn records(&self, with_parts: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let number = |value: u64, most: u64| (value > most).then(|| value.to_string());
        let text = |text: &str| (!fits(text.as_bytes(), 32)).then(|| text.to_owned());
        let texts = [
            ("gid", number(self.gid.into(), MAX_SHORT_OCTAL)),
            ("gname", text(&self.group)),
            ("mtime", self.written_time(with_parts)),
        ];
        for (key, value) in texts {
            value.into_iter().for_each(|value| record(&mut out, key, value.as_bytes()));
        }
        if split(&self.name).is_none() {
            record(&mut out, "path", &self.name);
        }
        let texts = [
            ("size", number(self.size, MAX_LONG_OCTAL)),
            ("uid", number(self.uid.into(), MAX_SHORT_OCTAL)),
            ("uname", text(&self.user)),
        ];
        for (key, value) in texts {
            value.into_iter().for_each(|value| record(&mut out, key, value.as_bytes()));
        }
        out
    }

    fn written_time(&self, with_parts: bool) -> Option<String> {
        let (seconds, parts) = self.time;
        let fits = u64::try_from(seconds).is_ok_and(|seconds| seconds <= MAX_LONG_OCTAL);
        if fits && !(with_parts && parts != 0) {
            return None;
        }
        // Nanoseconds count up from the preceding second.
        let nanoseconds = i128::from(seconds) * 1_000_000_000 + i128::from(parts);
        let sign = if nanoseconds < 0 { "-" } else { "" };
        let nanoseconds = nanoseconds.unsigned_abs();
        let (whole, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
        let text = match with_parts && rest != 0 {
            true => format!("{sign}{whole}.{rest:09}").trim_end_matches('0').to_owned(),
            false => seconds.to_string(),
        };
        Some(text)
    }

    /// Records as a separate entry, and the header.
    fn pax(&self, records: &[u8]) -> Vec<u8> {
        let name = String::from_utf8_lossy(&self.name).into_owned();
        let base = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let extra = Self {
            name: ascii(&format!("PaxHeaders.0/{base}"), 100),
            is_dir: false,
            mode: 0,
            uid: 0,
            gid: 0,
            size: records.len() as u64,
            time: (0, 0),
            user: String::new(),
            group: String::new(),
        };
        let mut out = extra.block(&FormatMagic { kind: b'x', ..FormatMagic::USTAR });
        padded(&mut out, records);
        let short = match split(&self.name) {
            Some(_) => self.name.clone(),
            None => ascii(&name, 100),
        };
        let rest =
            Self { name: short, user: self.user.clone(), group: self.group.clone(), ..*self };
        out.extend(rest.block(&FormatMagic::USTAR));
        out
    }

    /// A long name as a separate entry, and the header.
    fn gnu(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.name.len() > 100 {
            let mut text = self.name.clone();
            text.push(0);
            let long = Self {
                name: b"././@LongLink".to_vec(),
                is_dir: false,
                mode: 0,
                uid: 0,
                gid: 0,
                size: text.len() as u64,
                time: (0, 0),
                user: String::new(),
                group: String::new(),
            };
            out.extend(long.block(&FormatMagic { kind: b'L', ..FormatMagic::GNU }));
            padded(&mut out, &text);
        }
        out.extend(self.block(&FormatMagic::GNU));
        out
    }

    fn block(&self, marks: &FormatMagic) -> Vec<u8> {
        let mut block = vec![0; 512];
        let (prefix, name) = match split(&self.name) {
            Some(parts) if !marks.is_gnu => parts,
            _ => (&[][..], &self.name[..self.name.len().min(100)]),
        };
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, name);
        put(100, &number(self.mode.into(), 8, marks));
        put(108, &number(self.uid.into(), 8, marks));
        put(116, &number(self.gid.into(), 8, marks));
        put(124, &number(i64::try_from(self.size).unwrap_or(i64::MAX), 12, marks));
        put(136, &number(self.time.0, 12, marks));
        put(148, b"        ");
        put(156, &[if self.is_dir { b'5' } else { marks.kind }]);
        put(257, marks.magic);
        put(265, &ascii(&self.user, 32));
        put(297, &ascii(&self.group, 32));
        put(345, prefix);
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }
}

/// The magic and version of a format.
struct FormatMagic {
    magic: &'static [u8; 8],
    is_gnu: bool,
    /// The type flag of an entry that is not a directory.
    kind: u8,
}

impl FormatMagic {
    const USTAR: Self = Self { magic: b"ustar\x0000", is_gnu: false, kind: b'0' };
    const GNU: Self = Self { magic: b"ustar  \0", is_gnu: true, kind: b'0' };
}

/// Whether a text fits into a field of the old format.
fn fits(text: &[u8], most: usize) -> bool {
    text.is_ascii() && text.len() <= most
}

/// The part of a text that fits into a field.
fn ascii(text: &str, most: usize) -> Vec<u8> {
    text.bytes().filter(u8::is_ascii).take(most).collect()
}

/// A name as the two fields of ustar, if it fits.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if fits(name, 100) {
        return Some((&[], name));
    }
    // The slash at the end of a directory stays in the name.
    let within = &name[..name.len().min(156).min(name.len() - 1)];
    let at = within.iter().rposition(|byte| *byte == b'/')?;
    let (prefix, rest) = (&name[..at], &name[at + 1..]);
    (name.is_ascii() && !prefix.is_empty() && rest.len() <= 100).then_some((prefix, rest))
}

/// A number in octal digits; in GNU's binary form if it does not fit.
fn number(value: i64, width: usize, marks: &FormatMagic) -> Vec<u8> {
    let digits = width - 1;
    let most = (1_i64 << (3 * digits)) - 1;
    if (0..=most).contains(&value) {
        return format!("{value:0digits$o}\0").into_bytes();
    }
    if !marks.is_gnu {
        // A record has it.
        return format!("{:0digits$o}\0", 0).into_bytes();
    }
    let sign = if value < 0 { 0xff } else { 0 };
    let mut out = vec![sign; width];
    let bytes = value.to_be_bytes();
    let count = bytes.len().min(width);
    out[width - count..].copy_from_slice(&bytes[bytes.len() - count..]);
    out[0] = if value < 0 { 0xff } else { 0x80 };
    out
}

fn padded(out: &mut Vec<u8>, content: &[u8]) {
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512), 0);
}

/// A record: its own length in digits, a key and a value.
fn record(out: &mut Vec<u8>, key: &str, value: &[u8]) {
    // A space, an equals sign and a line feed.
    let rest = key.len() + value.len() + 3;
    let mut length = rest;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    out.extend(format!("{length} {key}=").into_bytes());
    out.extend_from_slice(value);
    out.push(b'\n');
}
