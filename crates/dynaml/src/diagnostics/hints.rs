//! Explains likely causes of syntax errors in expressions, by the text around the error.

use ordain_source::{Diagnostic, FileId, TextRange, suggest};

use crate::syntax::parser::ParseErrorKind;

/// The words behind `&`.
const MARKERS: [&str; 8] =
    ["template", "temporary", "local", "inject", "state", "default", "dynamic", "tag"];

/// Adds likely causes to the syntax error of an expression. `text` is the content of the file.
pub(crate) fn with_hints(
    error: Diagnostic,
    kind: &ParseErrorKind,
    text: &str,
    (file, place): (FileId, TextRange),
) -> Diagnostic {
    let at = (place.start as usize).min(text.len());
    let (Some(before), Some(rest)) = (text.get(..at), text.get(at..)) else { return error };
    let range = |start: usize, end: usize| TextRange::new(start as u32, end as u32).in_file(file);
    match kind {
        ParseErrorKind::UnclosedText if before.ends_with('"') => {
            return error.move_to(range(at - 1, at), "this quote is not closed");
        }
        ParseErrorKind::UnknownMarker(word) => {
            let start = at.saturating_sub(word.len() + 1);
            let error = error.move_to(range(start, at), "");
            return match suggest::nearest(word, MARKERS) {
                Some(near) => error.help(format!("did you mean `&{near}`?")),
                None => error,
            };
        }
        _ => {}
    }
    let expression = before.rfind("((").map_or(at, |start| start + 2);
    if rest.trim_start().starts_with("))")
        && let Some(open) = innermost(&before[expression..])
    {
        let open = expression + open;
        return error.move_to(range(open, open + 1), "this is not closed");
    }
    let help = match rest {
        _ if rest.starts_with('\'') => "texts stand in double quotes",
        _ if rest.starts_with("&&") => "both of two conditions: `-and`",
        _ if rest.starts_with("==") => return error,
        _ if rest.starts_with('=') => "two values are compared with `==`",
        _ => return error,
    };
    error.help(help)
}

/// The position of the innermost bracket that is not closed.
fn innermost(expression: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut bytes = expression.bytes().enumerate();
    while let Some((at, b)) = bytes.next() {
        match b {
            b'"' => {
                // An escaped quote is skipped together with its backslash.
                while let Some((_, b)) = bytes.next() {
                    match b {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'(' | b'[' | b'{' => open.push(at),
            b')' | b']' | b'}' => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}
