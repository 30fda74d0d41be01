//! PEM: bytes as base64 text between lines with their type.
//!
//! The reader follows Go, which searches for the first valid block in any text, skips header lines
//! and accepts spaces; the library that writes PEM accepts none of these.

use der::pem::LineEnding;

use crate::text::decode_base64;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// A piece of PEM.
pub(crate) struct Block {
    /// The type of the bytes.
    pub(crate) kind: String,
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
}

/// Bytes as PEM.
///
/// # Errors
/// When there are too many.
pub(crate) fn encode(kind: &str, bytes: &[u8]) -> Result<String, String> {
    let text = der::pem::encode_string(kind, LineEnding::LF, bytes);
    text.map_err(|e| format!("pem: {e}"))
}

/// The first piece of PEM in a text.
pub(crate) fn decode(text: &str) -> Option<Block> {
    let mut rest = text.strip_prefix(BEGIN).or_else(|| after(text, BEGIN))?;
    // The position of the next end marker; it is searched for once, however many blocks begin
    // before it.
    let mut next_end = 0;
    loop {
        let (line, below) = line_of(rest);
        rest = below;
        if let Some(kind) = line.strip_suffix(DASHES) {
            let (headers, body) = without_headers(below)?;
            rest = body;
            let (data, end) = match body.strip_prefix(END).filter(|_| !headers) {
                Some(end) => ("", end),
                None => {
                    let start = text.len() - body.len();
                    if next_end < start {
                        next_end = start + body.find("\n-----END ")?;
                    }
                    (&text[start..next_end], &text[next_end + 1 + END.len()..])
                }
            };
            if let Some(bytes) = ends(end, kind).then(|| decoded(data)).flatten() {
                return Some(Block { kind: kind.to_owned(), bytes });
            }
        }
        rest = rest.strip_prefix(BEGIN).or_else(|| after(rest, BEGIN))?;
    }
}

/// The text after a marker at the beginning of a later line.
fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let mut from = text;
    loop {
        from = from.split_once('\n')?.1;
        if let Some(rest) = from.strip_prefix(mark) {
            return Some(rest);
        }
    }
}

/// Whether there are header lines with a colon, and the text below them.
fn without_headers(text: &str) -> Option<(bool, &str)> {
    let mut body = text;
    loop {
        if body.is_empty() {
            return None;
        }
        let (line, below) = line_of(body);
        if !line.contains(':') {
            return Some((body.len() < text.len(), body));
        }
        body = below;
    }
}

/// Whether an end line has this type.
fn ends(line: &str, kind: &str) -> bool {
    let rest = line.strip_prefix(kind).and_then(|e| e.strip_prefix(DASHES));
    rest.is_some_and(|rest| line_of(rest).0.is_empty())
}

fn decoded(data: &str) -> Option<Vec<u8>> {
    decode_base64(&data.replace([' ', '\t'], ""))
}

/// The first line without trailing spaces, and the rest.
fn line_of(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.strip_suffix('\r').unwrap_or(line).trim_end_matches([' ', '\t']), rest)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn pieces_are_found_behind_other_text() {
        let long = vec![3; 100];
        for bytes in [&b""[..], b"x", &long] {
            let text = format!("a note\n-----BEGIN X\n{}{}", encode("A B", bytes).unwrap(), "more");
            let block = decode(&text).unwrap();
            assert_eq!((block.kind.as_str(), &block.bytes[..]), ("A B", bytes));
        }
        let block = decode("-----BEGIN K-----\r\nProc-Type: 4\r\n\r\n eA\t==\r\n-----END K-----");
        assert_eq!(block.unwrap().bytes, b"x");
    }

    #[test]
    fn broken_pieces_are_none() {
        for text in [
            "",
            "peter",
            "-----BEGIN A-----",
            "-----BEGIN A-----\n",
            "-----BEGIN A-----\neA==\n-----END B-----\n",
            "-----BEGIN A-----\neA==\n-----END A----- x\n",
            "-----BEGIN A-----\n!\n-----END A-----\n",
            " -----BEGIN A-----\neA==\n-----END A-----\n",
            "-----BEGIN A-----\na:\n-----END A-----",
        ] {
            assert!(decode(text).is_none(), "{text}");
        }
    }
}
