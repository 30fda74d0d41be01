//! Python's `repr` of texts.

use std::fmt::Write;

/// Appends the output of Python's `repr` for a text.
pub fn write_string(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        // Writing to a string never fails.
        let _ = match c {
            '\\' => out.write_str("\\\\"),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            c if c == quote => write!(out, "\\{c}"),
            c if c.is_ascii_control() || ('\u{7f}'..='\u{a0}').contains(&c) || c == '\u{ad}' => {
                write!(out, "\\x{:02x}", c as u32)
            }
            '\u{2028}'
            | '\u{2029}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{feff}' => {
                write!(out, "\\u{:04x}", c as u32)
            }
            c => out.write_char(c),
        };
    }
    out.push(quote);
}

/// The output of Python's `repr` for a text.
pub fn string_repr(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}
