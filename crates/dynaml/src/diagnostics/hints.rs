//! Explains likely causes of syntax errors in expressions, by the text around the error.

use ordain_source::{Diagnostic, FileId, TextRange, suggest};

/// The words behind `&`.
const MARKERS: [&str; 8] =
    ["template", "temporary", "local", "inject", "state", "default", "dynamic", "tag"];

/// Adds likely causes to a syntax error. `message` is that of the parser, `text` that of the file.
pub(crate) fn with_hints(
    error: Diagnostic,
    message: &str,
    text: &str,
    (file, place): (FileId, TextRange),
) -> Diagnostic {
    let at = (place.start as usize).min(text.len());
    let (Some(before), Some(rest)) = (text.get(..at), text.get(at..)) else { return error };
    let range = |start: usize, end: usize| TextRange::new(start as u32, end as u32).in_file(file);
    if message == "the text has no closing quote" && before.ends_with('"') {
        return error.move_to(range(at - 1, at), "this quote is not closed");
    }
    if message.starts_with("there is no marker")
        && let Some(start) = before.rfind('&')
    {
        let near = suggest::nearest(&before[start + 1..], MARKERS);
        let error = error.move_to(range(start, at), "");
        return match near {
            Some(near) => error.help(format!("did you mean `&{near}`?")),
            None => error,
        };
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

/// Where the innermost bracket is that an expression leaves open.
fn innermost(expression: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut bytes = expression.bytes().enumerate();
    while let Some((at, b)) = bytes.next() {
        match b {
            b'"' => {
                // An escaped quote is passed over together with its backslash.
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
