//! JSON text, written into a buffer that the caller passes on.

use serde::Serialize;

/// The number of bytes of a short text that are checked together for characters that JSON escapes.
const STRIDE: usize = size_of::<u64>();
/// The number of bytes of a longer text that are checked together.
const WIDE_STRIDE: usize = 16;

/// JSON text without spaces. The caller has to keep it well-formed: keys and values alternate, and
/// every opening has its end.
#[derive(Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    /// Whether a comma belongs before the next entry.
    follows: bool,
}

impl Text {
    /// An empty text with this capacity.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), follows: false }
    }

    /// The bytes since the buffer was emptied.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Empties the buffer; the text goes on.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// `{` or `[`
    #[inline]
    pub(super) fn begin(&mut self, sign: u8) {
        self.bytes.push(sign);
        self.follows = false;
    }

    /// `}` or `]`
    #[inline]
    pub(super) fn end(&mut self, sign: u8) {
        self.bytes.push(sign);
        self.follows = true;
    }

    /// Goes to the next item of a list.
    #[inline]
    pub(super) fn item(&mut self) {
        if std::mem::replace(&mut self.follows, true) {
            self.bytes.push(b',');
        }
    }

    /// Goes to the next entry of an object.
    pub(super) fn key(&mut self, key: &str) {
        self.item();
        self.string(key);
        self.bytes.push(b':');
    }

    /// Starts an object entry; the key needs no escapes.
    #[inline]
    pub(super) fn plain_key(&mut self, key: &str) {
        // Reserving once saves a capacity check for each part.
        self.bytes.reserve(key.len() + 4);
        self.item();
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(key.as_bytes());
        self.bytes.extend_from_slice(b"\":");
    }

    /// `true`, `false` or `null`
    pub(super) fn word(&mut self, word: &'static str) {
        self.bytes.extend_from_slice(word.as_bytes());
    }

    /// A part that is JSON already.
    #[inline]
    pub(super) fn json(&mut self, json: &[u8]) {
        self.bytes.extend_from_slice(json);
    }

    /// A small number, such as a line.
    pub(super) fn unsigned(&mut self, number: u32) {
        let mut digits = [0; u32::MAX.ilog10() as usize + 1];
        let mut at = digits.len();
        let mut rest = number;
        loop {
            at -= 1;
            // A digit is less than ten.
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.bytes.extend_from_slice(&digits[at..]);
    }

    /// A number, or another value that is written unchanged.
    pub(super) fn number(&mut self, number: impl Serialize) {
        // Writing plain data into memory cannot fail.
        let _ = serde_json::to_writer(&mut self.bytes, &number);
    }

    /// Text.
    pub(super) fn string(&mut self, text: &str) {
        self.bytes.reserve(text.len() + 2);
        self.bytes.push(b'"');
        self.escaped(text.as_bytes());
        self.bytes.push(b'"');
    }

    /// `Kind[title]` as text.
    pub(super) fn reference(&mut self, kind: &str, title: &str) {
        self.bytes.reserve(kind.len() + title.len() + 4);
        self.bytes.push(b'"');
        self.escaped(kind.as_bytes());
        self.bytes.push(b'[');
        self.escaped(title.as_bytes());
        self.bytes.extend_from_slice(b"]\"");
    }

    /// A list of texts.
    pub(super) fn strings<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        let mut texts = texts.into_iter();
        match texts.next() {
            None => self.bytes.extend_from_slice(b"[]"),
            Some(first) => {
                self.bytes.extend_from_slice(b"[\"");
                self.escaped(first.as_bytes());
                for text in texts {
                    self.bytes.extend_from_slice(b"\",\"");
                    self.escaped(text.as_bytes());
                }
                self.bytes.extend_from_slice(b"\"]");
            }
        }
        self.follows = true;
    }

    #[inline]
    fn escaped(&mut self, bytes: &[u8]) {
        match first_special(bytes) {
            None => self.bytes.extend_from_slice(bytes),
            Some(at) => self.escaped_from(bytes, at),
        }
    }

    /// As [`Self::escaped`], with a known first byte to escape.
    fn escaped_from(&mut self, bytes: &[u8], at: usize) {
        self.bytes.extend_from_slice(&bytes[..at]);
        self.escape(bytes[at]);
        let mut rest = &bytes[at + 1..];
        while let Some(at) = first_special(rest) {
            self.bytes.extend_from_slice(&rest[..at]);
            self.escape(rest[at]);
            rest = &rest[at + 1..];
        }
        self.bytes.extend_from_slice(rest);
    }

    fn escape(&mut self, byte: u8) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\t' => b't',
            b'\r' => b'r',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                self.bytes.extend_from_slice(b"\\u00");
                self.bytes.extend_from_slice(&digits);
                return;
            }
        };
        self.bytes.extend_from_slice(&[b'\\', short]);
    }
}

/// The bytes that need escapes.
const ESCAPED_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < b' ' as usize {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

fn is_special(byte: u8) -> bool {
    ESCAPED_BYTES[usize::from(byte)]
}

/// The first byte that needs an escape. Most texts have none, so many bytes are checked at once; the
/// last bytes possibly overlap with checked ones.
#[inline]
fn first_special(bytes: &[u8]) -> Option<usize> {
    if bytes.len() >= WIDE_STRIDE {
        return first_special_of_long(bytes);
    }
    let is_clean = match (bytes.first_chunk::<STRIDE>(), bytes.last_chunk::<STRIDE>()) {
        (Some(first), Some(last)) => is_clean_stride(*first) && is_clean_stride(*last),
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some([a, b, c, d]), Some([e, f, g, h])) => {
                is_clean_stride([*a, *b, *c, *d, *e, *f, *g, *h])
            }
            _ => false,
        },
    };
    if is_clean { None } else { bytes.iter().position(|&b| is_special(b)) }
}

fn first_special_of_long(bytes: &[u8]) -> Option<usize> {
    let (strides, _) = bytes.as_chunks::<WIDE_STRIDE>();
    let dirty = strides.iter().position(|stride| !is_clean_wide(stride));
    if dirty.is_none() && bytes.last_chunk().is_none_or(is_clean_wide) {
        return None;
    }
    let clean = dirty.unwrap_or(strides.len()) * WIDE_STRIDE;
    bytes[clean..].iter().position(|&b| is_special(b)).map(|at| clean + at)
}

/// As [`is_clean_stride`], in a form that the compiler vectorizes.
#[inline]
fn is_clean_wide(bytes: &[u8; WIDE_STRIDE]) -> bool {
    let special = |b: u8| u8::from(b < b' ') | u8::from(b == b'"') | u8::from(b == b'\\');
    bytes.iter().fold(0, |found, &b| found | special(b)) == 0
}

/// Whether none of these bytes is a control character, a quotation mark or a backslash: all are
/// compared at once, as lanes of one number.
#[inline]
fn is_clean_stride(bytes: [u8; STRIDE]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; STRIDE]);
    const HIGH: u64 = ONES << 7;
    // The high bit of a lane tells whether it is below `n`. Above the first such lane it may be set
    // wrongly, but never if there is none.
    let below = |word: u64, n: u8| word.wrapping_sub(ONES * u64::from(n)) & !word & HIGH;
    let word = u64::from_ne_bytes(bytes);
    let quote = below(word ^ (ONES * u64::from(b'"')), 1);
    let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
    below(word, b' ') | quote | backslash == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_is_written_as_serde_json_does(
            text in "[a-zä€\u{0}-\u{1f}\"\\\\\u{7f}]{0,50}",
            number in any::<f64>(),
        ) {
            let mut out = Text::default();
            out.strings([text.as_str(), "plain text that is longer than a stride"]);
            let want = serde_json::json!([text, "plain text that is longer than a stride"]);
            prop_assert_eq!(String::from_utf8_lossy(out.bytes()), want.to_string());
            let mut out = Text::default();
            out.number(number);
            prop_assert_eq!(String::from_utf8_lossy(out.bytes()), serde_json::json!(number).to_string());
        }
    }
}
