//! PEM: base64 blocks between two lines with a label.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The length of a line in characters.
const WIDTH: usize = 64;

/// A PEM block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The label, such as `CERTIFICATE`.
    pub(crate) label: String,
    /// The decoded bytes.
    pub(crate) der: Vec<u8>,
}

/// The blocks of a text, in order. Text between blocks is skipped.
///
/// # Errors
/// A block has no end, has headers (an encrypted key) or is not valid base64.
pub(crate) fn blocks(text: &[u8]) -> Result<Vec<Block>, &'static str> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not a PEM text")?;
    let mut blocks = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in text.lines().map(str::trim) {
        if let Some(label) = delimiter(line, "-----BEGIN ") {
            if open.is_some() {
                return Err("a PEM block has no end");
            }
            open = Some((label, String::new()));
        } else if let Some(label) = delimiter(line, "-----END ") {
            match open.take() {
                Some((begun, body)) if begun == label => {
                    let der = STANDARD.decode(body).map_err(|_| "a PEM block is not base64")?;
                    blocks.push(Block { label: label.to_string(), der });
                }
                _ => return Err("a PEM block ends that did not begin"),
            }
        } else if let Some((_, body)) = &mut open {
            if line.contains(':') {
                return Err("a PEM block has headers: it is encrypted");
            }
            body.push_str(line);
        }
    }
    if open.is_some() { Err("a PEM block has no end") } else { Ok(blocks) }
}

fn delimiter<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    line.strip_prefix(prefix)?.strip_suffix("-----")
}

/// Encodes one block, with a final newline.
pub(crate) fn encode(label: &str, der: &[u8]) -> String {
    let body = STANDARD.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(WIDTH));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}
