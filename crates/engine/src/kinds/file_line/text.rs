//! The lines of a file, as Ruby reads them in an encoding.

use std::borrow::Cow;

use ordain_functions::regex::Regex;

use crate::kind::KindError;

/// The encoding of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    /// UTF-8.
    Utf8,
    /// ASCII. Other bytes are wrong.
    Ascii,
    /// An encoding with a character for each byte that has ASCII as a part.
    SingleByte,
}

impl Encoding {
    /// The encoding of a name of Ruby's, in letters of any case, if it is supported.
    pub(super) fn of(name: &str) -> Option<Self> {
        const SINGLE: [&str; 9] = [
            "iso-8859-",
            "iso8859-",
            "windows-125",
            "cp125",
            "koi8-",
            "mac",
            "ibm",
            "tis-620",
            "windows-874",
        ];
        let name = name.to_lowercase();
        match name.as_str() {
            "utf-8" | "cp65001" => Some(Self::Utf8),
            "us-ascii" | "ascii" | "ansi_x3.4-1968" | "646" => Some(Self::Ascii),
            "ascii-8bit" | "binary" => Some(Self::SingleByte),
            // Characters of several bytes.
            "macjapanese" | "macjapan" | "ibm037" | "ibm037-us" | "ebcdic-cp-us" => None,
            _ => SINGLE.iter().any(|start| name.starts_with(start)).then_some(Self::SingleByte),
        }
    }
}

/// The bytes of a file.
#[derive(Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
}

impl Text {
    /// The text of these bytes.
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The lines, each with its end.
    pub(super) fn lines(&self, encoding: Encoding) -> Vec<Line<'_>> {
        let lines = self.bytes.split_inclusive(|byte| *byte == b'\n');
        lines.map(|bytes| Line { bytes, encoding }).collect()
    }
}

/// A line with its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// Its bytes.
    pub(super) bytes: &'t [u8],
    encoding: Encoding,
}

impl<'t> Line<'t> {
    /// The bytes without the end.
    pub(super) fn bare(&self) -> &'t [u8] {
        chomp(self.bytes)
    }

    /// Whether a pattern matches the line, its end included.
    pub(super) fn matches(&self, pattern: &Regex) -> Result<bool, KindError> {
        let text = match (std::str::from_utf8(self.bytes), self.encoding) {
            (Ok(text), Encoding::Utf8) => Cow::Borrowed(text),
            (Err(_), Encoding::Utf8) => {
                return Err(KindError::new("invalid byte sequence in UTF-8"));
            }
            (Ok(text), _) if text.is_ascii() => Cow::Borrowed(text),
            (_, Encoding::Ascii) => {
                return Err(KindError::new("invalid byte sequence in US-ASCII"));
            }
            _ if !pattern.pattern().is_ascii() => {
                let text = "a pattern with characters beyond ASCII cannot be compared with a line \
                            of another encoding";
                return Err(KindError::new(text));
            }
            // Each byte is a character, whichever it is.
            _ => Cow::Owned(self.bytes.iter().map(|byte| char::from(*byte)).collect()),
        };
        pattern.is_match(&text).map_err(|e| KindError::new(e.to_string()))
    }
}

/// The bytes without one end of a line.
pub(super) fn chomp(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
