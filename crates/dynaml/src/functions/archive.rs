//! `archive`: files as a tar archive in base64.

use miniz_oxide::deflate::compress_to_vec;
use ordain_source::limits::most_text;

use super::files::{Options, data, name_marks, options};
use super::support::{eager, fail};
use crate::diagnostics::stop::{Eval, Stop};
use crate::eval::evaluator::{Call, Table};
use crate::text::{decode_base64, encode_base64};
use crate::value::{Map, Value};

/// The size of a block of an archive.
const BLOCK: usize = 512;
/// The line length of base64.
const BASE64_LINE_LENGTH: usize = 60;
const MODE: u32 = 0o644;

/// The line length of base64.
struct File {
    path: String,
    mode: u32,
    data: Vec<u8>,
}

/// A number of a header, in octal digits.
fn octal(field: &mut [u8], value: u64) {
    let width = field.len() - 1;
    let text = format!("{value:0width$o}");
    let start = text.len().saturating_sub(width);
    field[..width].copy_from_slice(&text.as_bytes()[start..]);
}

/// The header of a file, of POSIX.1-1988 with the prefix of ustar.
fn header(path: &str, mode: u32, size: usize, time: u64, kind: u8) -> [u8; BLOCK] {
    const NAME: usize = 100;
    let mut out = [0; BLOCK];
    let (prefix, name) = match path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at) {
        _ if path.len() <= NAME => ("", path),
        mut slashes => match slashes.find(|at| path.len() - at - 1 <= NAME) {
            Some(at) => (&path[..at], &path[at + 1..]),
            None => ("", path),
        },
    };
    let put = |out: &mut [u8], at: usize, most: usize, text: &[u8]| {
        let length = text.len().min(most);
        out[at..at + length].copy_from_slice(&text[..length]);
    };
    put(&mut out, 0, NAME, name.as_bytes());
    octal(&mut out[100..108], u64::from(mode));
    octal(&mut out[108..116], 0);
    octal(&mut out[116..124], 0);
    octal(&mut out[124..136], size as u64);
    octal(&mut out[136..148], time);
    out[148..156].fill(b' ');
    out[156] = kind;
    put(&mut out, 257, 8, b"ustar\x0000");
    octal(&mut out[329..337], 0);
    octal(&mut out[337..345], 0);
    put(&mut out, 345, 155, prefix.as_bytes());
    let sum: u64 = out.iter().map(|b| u64::from(*b)).sum();
    octal(&mut out[148..155], sum);
    out[154..156].copy_from_slice(b"\0 ");
    out
}

fn padded(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(BLOCK), 0);
}

/// A path that does not fit into the header precedes it as an extended header.
fn long_path(out: &mut Vec<u8>, path: &str, time: u64) {
    const EXTENDED: u8 = b'x';
    let record = format!(" path={path}\n");
    let mut length = record.len();
    while record.len() + length.to_string().len() > length {
        length += 1;
    }
    let record = format!("{length}{record}");
    out.extend(header("PaxHeaders.0/path", MODE, record.len(), time, EXTENDED));
    padded(out, record.as_bytes());
}

fn tar(files: &[File], time: u64) -> Vec<u8> {
    const NAME: usize = 100;
    let mut out = Vec::new();
    for file in files {
        if file.path.len() > NAME || !file.path.is_ascii() {
            long_path(&mut out, &file.path, time);
        }
        out.extend(header(&file.path, file.mode, file.data.len(), time, b'0'));
        padded(&mut out, &file.data);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    out
}

/// Data in the form of gzip.
fn gzip(data: &[u8]) -> Vec<u8> {
    const LEVEL: u8 = 6;
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    out.extend(compress_to_vec(data, LEVEL));
    let sum = u32::from_str_radix(&ordain_functions::digest::crc32(data), 16);
    out.extend(sum.unwrap_or(0).to_le_bytes());
    let length = u32::try_from(data.len() & 0xffff_ffff).unwrap_or(0);
    out.extend(length.to_le_bytes());
    out
}

/// A file in a map of fields; without a path its name is the key of its entry.
fn file(call: &Call<'_, '_>, key: Option<&str>, map: &Map) -> Result<File, String> {
    let field = |name: &str| match map.get(name).map(|i| &i.value) {
        Some(Value::Null) => Err(format!("{name} field must not be nil")),
        found => Ok(found),
    };
    let text = |name: &str, value: &Value| match value {
        Value::Str(text) => Ok(text.to_string()),
        other => Err(format!("{name} field must be string, found {}", other.kind())),
    };
    let (_, executable, name) = name_marks(key.unwrap_or_default());
    let path = match field("path")? {
        Some(value) => text("path", value)?,
        None if key.is_none() => return Err("path field required".into()),
        None => name.to_owned(),
    };
    let chosen = options(field("mode")?, MODE)?;
    let data = match (field("base64")?, field("data")?) {
        (Some(value), _) => decode_base64(&text("base64", value)?).ok_or("illegal base64 data")?,
        (None, Some(value)) => data(call, value, chosen, false)?.1,
        (None, None) => Vec::new(),
    };
    let mode = if executable { chosen.mode | 0o100 } else { chosen.mode };
    Ok(File { path, mode, data })
}

fn files(call: &Call<'_, '_>, value: &Value) -> Result<Vec<File>, String> {
    let mut out = Vec::new();
    match value {
        Value::Null => {}
        Value::Map(map) => {
            for (key, item) in map.entries() {
                match &item.value {
                    Value::Null => {}
                    Value::Map(fields) => out.push(file(call, Some(key), fields)?),
                    other => {
                        let (binary, _, path) = name_marks(key);
                        let plain = Options { mode: MODE, binary: false, multi: false };
                        let (_, data) = data(call, other, plain, binary)?;
                        out.push(File { path: path.to_owned(), mode: MODE, data });
                    }
                }
            }
        }
        Value::List(list) => {
            for item in &list.items {
                match &item.value {
                    Value::Map(fields) => out.push(file(call, None, fields)?),
                    other => return Err(format!("invalid file content type {}", other.kind())),
                }
            }
        }
        other => {
            return Err(format!(
                "first argument for hash must be a file map or list, found {}",
                other.kind()
            ));
        }
    }
    Ok(out)
}

fn archive(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (value, kind) = match call.args {
        [value] => (value, "tar"),
        [value, Value::Str(kind)] => (value, kind.as_str()),
        [_, _] => return fail("second argument for archive must be a string"),
        _ => return fail("archive takes one or two arguments"),
    };
    if !matches!(kind, "tar" | "targz") {
        return fail(format!("invalid archive type '{kind}'"));
    }
    let files = files(call, value).map_err(Stop::failed)?;
    let size: usize = files.iter().map(|f| f.data.len() + 2 * BLOCK).sum();
    if size > most_text() / 2 {
        return fail("the archive has grown too large");
    }
    let time = call.ev.world.now().duration_since(std::time::UNIX_EPOCH);
    let bytes = tar(&files, time.map_or(0, |t| t.as_secs()));
    let bytes = if kind == "targz" { gzip(&bytes) } else { bytes };
    Ok(Value::str(encode_base64(&bytes, Some(BASE64_LINE_LENGTH))))
}

pub(super) fn register(table: &mut Table) {
    table.extend([eager(
        "archive(files, kind?)",
        "A tar archive of files, in base64; `kind` is `tar` or `targz`.",
        archive,
    )]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_its_sum() {
        let head = header("a/b", 0o644, 5, 0, b'0');
        assert_eq!(&head[..4], b"a/b\0");
        assert_eq!(&head[124..136], b"00000000005\0");
        let mut blank = head;
        blank[148..156].fill(b' ');
        let sum: u64 = blank.iter().map(|b| u64::from(*b)).sum();
        assert_eq!(&head[148..154], format!("{sum:06o}").as_bytes());
    }

    #[test]
    fn compressed_content_is_smaller_and_decompresses() {
        let data = b"some text ".repeat(100_000);
        let packed = gzip(&data);
        assert!(packed.len() < data.len() / 100);
        let body = &packed[10..packed.len() - 8];
        assert_eq!(miniz_oxide::inflate::decompress_to_vec(body).ok(), Some(data));
    }

    #[test]
    fn extended_headers_count_themselves() {
        let mut out = Vec::new();
        long_path(&mut out, &"x".repeat(200), 0);
        let record = &out[BLOCK..];
        let length: usize =
            String::from_utf8_lossy(record).split(' ').next().map_or(0, |n| n.parse().unwrap_or(0));
        assert_eq!(record[length - 1], b'\n');
        assert_eq!(record[length], 0);
    }
}
