//! Texts in quotes, as they are written in manifests.

use std::fmt::Write as _;

/// Writes text as source text: in single quotes unless it has control characters.
pub fn write_text_quoted(out: &mut String, text: &str) {
    if text.bytes().any(|b| b < 0x20) {
        write_double_quoted(out, text);
        return;
    }
    out.push('\'');
    // As upstream, the character after a backslash stays, even if it is a quote.
    let mut escaped = false;
    for c in text.chars() {
        if c == '\'' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out.push('\'');
}

/// Writes text in double quotes.
pub fn write_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '$' => out.push_str("\\$"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{{{:X}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
