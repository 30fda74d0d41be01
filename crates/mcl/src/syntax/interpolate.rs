//! The content of strings: escapes and variables.

use ecow::EcoString;

use super::ast::Piece;

/// Cuts the raw text of a string into pieces.
///
/// # Errors
/// When an escape is unknown or a variable is malformed.
pub fn pieces(raw: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = EcoString::new();
    let mut rest = raw;
    while let Some(at) = rest.find(['\\', '$']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("${") {
            let name = after.find('}').map(|end| &after[..end]).filter(|name| is_name(name));
            let Some(name) = name else {
                return Err(format!("parser failed: cannot parse string: {raw}"));
            };
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
            }
            pieces.push(Piece::Var(name.into()));
            rest = &after[name.len() + 1..];
        } else if rest.starts_with('$') {
            text.push('$');
            rest = &rest[1..];
        } else {
            let escaped = rest[1..].chars().next().unwrap_or_default();
            text.push(
                escape(escaped).ok_or_else(|| {
                    format!("parser failed: unknown escape sequence: \\{escaped}")
                })?,
            );
            rest = &rest[1 + escaped.len_utf8()..];
        }
    }
    text.push_str(rest);
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// The offset of the first `${` in a raw text that is not followed by the name of a variable and
/// `}`.
pub fn broken(raw: &str) -> Option<usize> {
    raw.match_indices("${").map(|(at, _)| at).find(|at| {
        let is_escaped = raw[..*at].ends_with('\\');
        let after = &raw[at + 2..];
        !is_escaped && !after.find('}').is_some_and(|end| is_name(&after[..end]))
    })
}

fn escape(c: char) -> Option<char> {
    Some(match c {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' | '"' | '$' => c,
        _ => return None,
    })
}

/// Lower-case letters, digits, underscores and single dots, beginning with a letter.
fn is_name(text: &str) -> bool {
    let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'.';
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(known)
        && !text.contains("..")
        && !text.ends_with('.')
}
