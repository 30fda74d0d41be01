//! Texts in Go's quotes and in base64.

use base64::Engine;
use base64::alphabet;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{PAD, STANDARD};
use ordain_functions::go::quote::quote;

/// A text in Go's quotes.
pub(crate) fn quoted(text: &str) -> String {
    quote(text.as_bytes())
}

/// Text in base64, in lines of this length.
pub(crate) fn encode_base64(data: &[u8], width: Option<usize>) -> String {
    let text = STANDARD.encode(data);
    match width {
        None | Some(0) => text,
        Some(width) => {
            let mut out = String::with_capacity(text.len() + text.len() / width);
            let mut rest = text.as_str();
            while rest.len() > width {
                let (line, after) = rest.split_at(width);
                out.push_str(line);
                out.push('\n');
                rest = after;
            }
            out.push_str(rest);
            out
        }
    }
}

/// Decodes base64; line breaks and superfluous bits are ignored.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose =
        GeneralPurpose::new(&alphabet::STANDARD, PAD.with_decode_allow_trailing_bits(true));
    let clean: String = text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
    LENIENT.decode(clean).ok()
}

/// The byte offset of the first error in a base64 text.
pub(crate) fn first_wrong_base64_byte(text: &str) -> usize {
    const GROUP: usize = 4;
    let mut digits = 0;
    let mut bytes = text.bytes().enumerate().filter(|(_, b)| !matches!(b, b'\n' | b'\r'));
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => digits += 1,
            b'=' => {
                return match (digits % GROUP, bytes.next()) {
                    (2, Some((_, b'='))) | (3, None) => bytes.next().map_or(text.len(), |b| b.0),
                    (2, Some((other, _))) => other - 1,
                    (3, Some((other, _))) => other,
                    (2, None) => text.len(),
                    _ => at,
                };
            }
            _ => return at,
        }
    }
    // The last group is incomplete.
    text.len() - digits % GROUP
}
