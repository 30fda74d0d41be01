//! What a syntax error may come from, in words for people: looked up in the text before it.

use ordain_source::{Diagnostic, SourceFile, Span, TextRange, suggest};

/// The words of the language with which something begins.
const KEYWORDS: [&str; 9] =
    ["entity", "implementation", "implement", "typedef", "index", "import", "for", "if", "end"];

/// Adds to a syntax error what may be behind it.
pub(crate) fn with_hints(error: Diagnostic, at: Span, file: &SourceFile) -> Diagnostic {
    let text = file.text.as_ref();
    let start = (at.range.start as usize).min(text.len());
    let place =
        |start: usize, end: usize| TextRange::new(start as u32, end as u32).in_file(at.file);
    let found = Scan::of(&text[..start]);
    if error.message.contains("Illegal character '\"'") || error.message.contains("character '''") {
        let long = found.long_text.map(|from| {
            let text = "this text goes on over the end of its line: is a quote missing?";
            (place(from, from + 1), text)
        });
        return match long {
            Some((span, text)) => error.move_to(span, text),
            None => error.move_to(at, "this quote is not closed"),
        };
    }
    if !error.message.starts_with("Syntax error") {
        return error;
    }
    let token = text.get(start..at.range.end as usize).unwrap_or("");
    if let Some(&(open, _)) = found.open.last()
        && (token.is_empty() || is_mismatch(&text[open..=open], token) || starts_line(text, start))
    {
        return error.move_to(place(open, open + 1), "this is not closed");
    }
    if let Some(end) = head_without_colon(text, start) {
        return error.move_to(place(end - 1, end), "a colon is missing behind this");
    }
    match token {
        "=" if line_begins(text, start, &["if", "elif"]) => {
            return error.help("two values are compared with `==`");
        }
        "=" if text[start..].starts_with("=>") => {
            return error.help("an attribute is set with `=`");
        }
        ":" if !found.open.is_empty() => return error.help("an attribute is set with `=`"),
        ";" => return error.help("statements end with their line"),
        _ => {}
    }
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let first: &str = text[line..].trim_start();
    let from = text.len() - first.len();
    let word =
        &first[..first.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(first.len())];
    match suggest::nearest(word, KEYWORDS) {
        Some(near) if from < start && !KEYWORDS.contains(&word) => error
            .move_to(place(from, from + word.len()), "this is no keyword")
            .help(format!("did you mean `{near}`?")),
        _ => error,
    }
}

/// What is open in a text.
#[derive(Default)]
struct Scan {
    /// Brackets that are not closed, with their places.
    open: Vec<(usize, u8)>,
    /// The last text in single quotes or one pair of double quotes that has a line break.
    long_text: Option<usize>,
}

impl Scan {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut out = Self::default();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'#' => {
                    at += text[at..].find('\n').unwrap_or(text.len() - at);
                    continue;
                }
                b'"' if bytes[at..].starts_with(b"\"\"\"") => {
                    let end = text[at + 3..].find("\"\"\"");
                    at += end.map_or(bytes.len() - at, |end| end + 6);
                    continue;
                }
                quote @ (b'"' | b'\'') => {
                    let end = end_of_text(bytes, at, quote);
                    if text[at..end].contains('\n') {
                        out.long_text = Some(at);
                    }
                    at = end;
                    continue;
                }
                b @ (b'(' | b'[' | b'{') => out.open.push((at, b)),
                b')' | b']' | b'}' => {
                    out.open.pop();
                }
                _ => {}
            }
            at += 1;
        }
        out
    }
}

/// Where a text ends that is opened at a place.
fn end_of_text(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Whether a closing bracket is not that of an open one.
fn is_mismatch(open: &str, token: &str) -> bool {
    let closes = match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    };
    matches!(token, ")" | "]" | "}") && token != closes
}

/// Whether a place is the first of its line.
fn starts_line(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    text[line..at].trim().is_empty()
}

fn line_begins(text: &str, at: usize, words: &[&str]) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let first = text[line..at].trim_start();
    words
        .iter()
        .any(|word| first.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', '('])))
}

/// The end of a line that begins a block and has no colon there. It is that of the error or the one
/// before it.
fn head_without_colon(text: &str, at: usize) -> Option<usize> {
    const HEADS: [&str; 6] = ["entity ", "implementation ", "for ", "if ", "elif ", "else"];
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let before = text[..line.saturating_sub(1)].rfind('\n').map_or(0, |n| n + 1);
    for start in [before, line] {
        let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
        let shown = text[start..end].split('#').next().unwrap_or("").trim_end();
        let is_head = HEADS.iter().any(|head| shown.trim_start().starts_with(head));
        if is_head && !shown.contains(':') && start < at {
            return Some(start + shown.len());
        }
    }
    None
}
