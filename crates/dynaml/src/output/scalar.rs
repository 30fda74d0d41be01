//! Scalars as spiff writes them.

use std::fmt::Write;

use crate::scalar::is_ambiguous;

/// The column after which a text is folded.
const FOLD_COLUMN: usize = 80;

/// The style of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// Bytes that never require a special style inside a text.
const PLAIN_BYTES: [bool; 256] = {
    let mut harmless = [false; 256];
    let mut c = b'!';
    while c <= b'~' {
        harmless[c as usize] = c != b'#';
        c += 1;
    }
    harmless
};

fn style(text: &str) -> Style {
    if is_ambiguous(text) {
        return Style::Double;
    }
    let mut breaks = false;
    let mut blank_break = false;
    let mut quotes = needs_quotes(text);
    let bytes = text.as_bytes();
    for (at, &c) in bytes.iter().enumerate() {
        if PLAIN_BYTES[c as usize] {
            continue;
        }
        let previous = if at == 0 { b'\0' } else { bytes[at - 1] };
        match c {
            b'\n' => {
                breaks = true;
                blank_break |= previous == b' ';
            }
            b' ' => quotes |= previous == b':',
            b'#' => quotes |= previous == b' ',
            _ => return Style::Double,
        }
    }
    if breaks {
        let literal = !blank_break && bytes.last() != Some(&b' ');
        return if literal { Style::Literal } else { Style::Double };
    }
    if quotes { Style::Single } else { Style::Plain }
}

/// Whether the start or end of a text would be read differently; so would `: ` and ` #` inside.
fn needs_quotes(text: &str) -> bool {
    let bytes = text.as_bytes();
    let first = bytes.first().copied().unwrap_or(b' ');
    match first {
        b' ' | b'#' | b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>'
        | b'\'' | b'"' | b'%' | b'@' | b'`' => return true,
        b'-' | b'?' | b':' if matches!(bytes.get(1), None | Some(b' ')) => return true,
        b'-' if text.starts_with("---") => return true,
        b'.' if text.starts_with("...") => return true,
        _ => {}
    }
    matches!(bytes.last(), Some(b' ' | b':'))
}

/// Writes a text as a value; `column` is its start, `indent` the indentation of further lines.
pub fn write(out: &mut String, text: &str, column: usize, indent: usize) {
    match style(text) {
        Style::Plain => folded(out, text, column, indent),
        Style::Single => {
            out.push('\'');
            folded(out, &text.replace('\'', "''"), column + 1, indent);
            out.push('\'');
        }
        Style::Double => double(out, text, column, Some(indent)),
        Style::Literal => literal(out, text, indent),
    }
}

/// Whether a key needs lines of its own.
pub fn is_long_key(text: &str) -> bool {
    const MAX_LENGTH: usize = 128;
    text.len() > MAX_LENGTH || text.contains('\n')
}

/// Writes a text as a key: never folded.
pub fn write_key(out: &mut String, text: &str) {
    match style(text) {
        Style::Plain => out.push_str(text),
        Style::Single => {
            let _ = write!(out, "'{}'", text.replace('\'', "''"));
        }
        Style::Double | Style::Literal => double(out, text, 0, None),
    }
}

/// Breaks at single spaces after the last column.
fn folded(out: &mut String, text: &str, mut column: usize, indent: usize) {
    if column + text.len() <= FOLD_COLUMN {
        return out.push_str(text);
    }
    let bytes = text.as_bytes();
    let last = text.len().saturating_sub(1);
    for (at, c) in text.char_indices() {
        let single = c == ' '
            && at > 0
            && at < last
            && bytes.get(at - 1) != Some(&b' ')
            && bytes.get(at + 1) != Some(&b' ');
        if single && column > FOLD_COLUMN {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else {
            out.push(c);
            column += 1;
        }
    }
}

fn double(out: &mut String, text: &str, column: usize, indent: Option<usize>) {
    out.push('"');
    let mut column = column + 1;
    let last = text.len().saturating_sub(1);
    let mut broken = false;
    for (at, c) in text.char_indices() {
        let start = out.len();
        match c {
            ' ' if indent.is_some() && column > FOLD_COLUMN && at > 0 && at < last && !broken => {
                let indent = indent.unwrap_or(0);
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                if text.as_bytes().get(at + 1) == Some(&b' ') {
                    out.push('\\');
                }
                column = indent;
                broken = true;
                continue;
            }
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            ' '..='~' => out.push(c),
            c => {
                let n = u32::from(c);
                let _ = match n {
                    0..=0xff => write!(out, "\\x{n:02X}"),
                    0x100..=0xffff => write!(out, "\\u{n:04X}"),
                    _ => write!(out, "\\U{n:08X}"),
                };
            }
        }
        broken = false;
        column += out.len() - start;
    }
    out.push('"');
}

fn literal(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    out.push(if text.ends_with('\n') { '+' } else { '-' });
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
        }
    }
}
