//! Finds likely causes of syntax errors in the text before the error.

use ordain_source::{Diagnostic, FileId, SourceFile, Span, TextRange, suggest};

use super::error::Fault;

/// The keywords that begin a statement or end a block.
const KEYWORDS: [&str; 9] =
    ["entity", "implementation", "implement", "typedef", "index", "import", "for", "if", "end"];

/// Adds the likely cause to a syntax error.
pub(super) fn with_hints(
    error: Diagnostic,
    fault: Option<&Fault>,
    at: Span,
    file: &SourceFile,
) -> Diagnostic {
    let text = file.text.as_ref();
    let (start, end) = token_at(fault, text, at);
    let is_end = fault == Some(&Fault::UnexpectedEnd);
    let found = Scan::of(&text[..start]);
    let place = ErrorToken { file: at.file, text, start, end, is_end };
    let error = if start < end { error.move_to(place.span(start, end), "") } else { error };
    if let Some(Fault::IllegalCharacter(character)) = fault {
        return place.illegal(error, character, &found);
    }
    if let Some((span, text)) = place.missing(&found) {
        return error.move_to(span, text);
    }
    if let Some(help) = place.unnamed_value() {
        return error.help(help);
    }
    match place.advice(&found) {
        Some(help) => error.help(help),
        None => place.keyword(error),
    }
}

/// The token of an error.
struct ErrorToken<'t> {
    file: FileId,
    text: &'t str,
    start: usize,
    end: usize,
    /// Whether the text ends too early.
    is_end: bool,
}

impl ErrorToken<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        TextRange::new(start as u32, end as u32).in_file(self.file)
    }

    fn token(&self) -> &str {
        self.text.get(self.start..self.end).unwrap_or("")
    }

    /// Explains a character that begins no token.
    fn illegal(&self, error: Diagnostic, character: &str, found: &Scan) -> Diagnostic {
        let before = &self.text[..self.start];
        if matches!(character, "\"" | "'") {
            if let Some(from) = found.long_text {
                let text = "this text goes on over the end of its line: is a quote missing?";
                return error.move_to(self.span(from, from + 1), text);
            }
            let quotes = before.len() - before.trim_end_matches('"').len();
            let first = self.start - if quotes == 2 { 2 } else { 0 };
            return error.move_to(self.span(first, self.end), "this quote is not closed");
        }
        let meant = match character {
            "&" => "and",
            "|" => "or",
            "!" => "not",
            "$" => return error.help("variables are written without a sign"),
            _ => return error,
        };
        error.help(format!("this is written `{meant}`"))
    }

    /// The place of a missing comma, bracket, `end` or colon.
    fn missing(&self, found: &Scan) -> Option<(Span, &'static str)> {
        let (text, start) = (self.text, self.start);
        if let Some(&(open, _)) = found.open.last() {
            let before = text[..start].trim_end();
            let is_closed = Scan::of(text).open.iter().all(|(at, _)| *at != open);
            if is_closed && ends_value(before) && starts_value(self.token()) {
                let last = before.chars().next_back().map_or(1, char::len_utf8);
                let span = self.span(before.len() - last, before.len());
                return Some((span, "a comma is missing after this"));
            }
            let is_broken = self.is_end || is_mismatch(&text[open..=open], self.token());
            if !is_closed && (is_broken || starts_line(text, start)) {
                return Some((self.span(open, open + 1), "this is not closed"));
            }
        }
        let until = if self.is_end { Some(text.len()) } else { start_of_definition(text, start) };
        if let Some(head) = until.and_then(|until| open_block(text, until)) {
            let line = text[head..].lines().next().unwrap_or("");
            let code = line.split('#').next().unwrap_or(line).trim_end();
            return Some((self.span(head, head + code.len()), "no `end` closes this"));
        }
        let end = head_without_colon(text, start)?;
        Some((self.span(end - 1, end), "a colon is missing after this"))
    }

    /// A suggestion for a positional argument in a constructor.
    fn unnamed_value(&self) -> Option<String> {
        let before = self.text[..self.start.max(self.end)].trim_end();
        let before = before.strip_suffix([')', ',']).unwrap_or(before);
        let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
        let (head, value) = line.rsplit_once('(')?;
        let is_value = !value.trim().is_empty() && !value.contains(['=', '(', '*']);
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let name = &head[head.trim_end_matches(is_part).len()..];
        let entity = name.rsplit("::").next().unwrap_or(name);
        if !is_value || !entity.starts_with(char::is_uppercase) {
            return None;
        }
        // A positional value is most likely meant for the attribute of the index, or the first one.
        let index = self.text.split_once(&format!("index {entity}("));
        let attribute = index.and_then(|(_, rest)| rest.split([',', ')']).next());
        let attribute = attribute.or_else(|| self.first_attribute(entity));
        let attribute = attribute.map_or("attribute", str::trim);
        let value = value.trim();
        Some(format!("the values of a constructor have names: `{name}({attribute}={value})`"))
    }

    /// The first attribute of an entity that this file declares.
    fn first_attribute(&self, entity: &str) -> Option<&str> {
        const TYPES: [&str; 7] = ["string", "int", "float", "number", "bool", "dict", "list"];
        let (_, rest) = self.text.split_once(&format!("entity {entity}"))?;
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let body = rest.lines().skip(1).map(str::trim).take_while(|line| *line != "end");
        let mut attributes = body.filter_map(|line| {
            let mut words = line.split_whitespace();
            let (kind, name) = (words.next()?, words.next()?);
            let kind = kind.trim_end_matches(['?', '[', ']']);
            let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            ((TYPES.contains(&kind) || kind.contains("::")) && is_name).then_some(name)
        });
        attributes.next()
    }

    /// A suggestion about a token that is not allowed here.
    fn advice(&self, found: &Scan) -> Option<&'static str> {
        let (text, start) = (self.text, self.start);
        Some(match self.token() {
            "=" if line_begins(text, start, &["if", "elif"]) => "two values are compared with `==`",
            "=" if text[start..].starts_with("=>") => "an attribute is set with `=`",
            ":" if !found.open.is_empty() => "an attribute is set with `=`",
            ";" => "statements end with their line",
            "," if found.open.is_empty() => {
                "attributes and statements end with their line, without a comma"
            }
            "-" | "->" | "<-" if text[..start].trim_end().ends_with(']') => {
                "a relation has two dashes: `A.b [1] -- B.a [1]`"
            }
            "none" | "None" | "nil" | "NULL" | "Null" | "undef" => "no value is written `null`",
            _ => return None,
        })
    }

    /// Suggests a keyword if the line begins with a similar word.
    fn keyword(&self, error: Diagnostic) -> Diagnostic {
        let (text, start) = (self.text, self.start);
        let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
        let first: &str = text[line..].trim_start();
        let from = text.len() - first.len();
        let end = first.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(first.len());
        let word = &first[..end];
        match suggest::nearest(word, KEYWORDS) {
            Some(near) if from < start && !KEYWORDS.contains(&word) => error
                .move_to(self.span(from, from + word.len()), "this is not a keyword")
                .help(format!("did you mean `{near}`?")),
            _ => error,
        }
    }
}

/// The range of the token that an error is about. The original reports the end of the token.
fn token_at(fault: Option<&Fault>, text: &str, at: Span) -> (usize, usize) {
    let [start, end] = [at.range.start, at.range.end].map(|at| (at as usize).min(text.len()));
    let Some(Fault::UnexpectedToken(token)) = fault else { return (start, end) };
    match text[..start].ends_with(token.as_str()) {
        true => (start - token.len(), start),
        false => (start, end),
    }
}

/// The brackets and blocks that are open in a text.
#[derive(Default)]
struct Scan {
    /// Unclosed brackets with their offsets.
    open: Vec<(usize, u8)>,
    /// The offset of the last string that contains a line break but is not delimited by triple
    /// quotes.
    long_text: Option<usize>,
    /// The offsets of the lines that begin outside of strings and brackets.
    lines: Vec<usize>,
}

impl Scan {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut out = Self { lines: vec![0], ..Self::default() };
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
                b'\n' if out.open.is_empty() => out.lines.push(at + 1),
                _ => {}
            }
            at += 1;
        }
        out
    }
}

/// The end of the string that begins at an offset.
fn end_of_text(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Whether a text may end with a value.
fn ends_value(text: &str) -> bool {
    text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | ')' | ']' | '}'))
}

/// Whether a token may begin a value or the name of an argument.
fn starts_value(token: &str) -> bool {
    let is_first = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | '[' | '{');
    token.starts_with(is_first) && !matches!(token, "if" | "for" | "in" | "and" | "or" | "is")
}

/// The beginning of the line, if the line begins a top-level definition.
fn start_of_definition(text: &str, at: usize) -> Option<usize> {
    const TOPS: [&str; 6] =
        ["entity ", "implementation ", "implement ", "typedef ", "index ", "import "];
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    TOPS.iter().any(|top| text[line..].starts_with(top)).then_some(line)
}

/// The line of the first block without `end`. If an `end` does not match the innermost block, the
/// indentation decides.
fn open_block(text: &str, until: usize) -> Option<usize> {
    const HEADS: [&str; 4] = ["entity ", "implementation ", "for ", "if "];
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut suspect = None;
    for line in Scan::of(&text[..until]).lines.into_iter().filter(|line| *line < until) {
        let code = text[line..].lines().next().unwrap_or("").split('#').next().unwrap_or("");
        let words = code.trim_start();
        let indent = code.len() - words.len();
        if HEADS.iter().any(|head| words.starts_with(head)) && code.trim_end().ends_with(':') {
            open.push((line + indent, indent));
        } else if words.trim_end() == "end"
            && let Some((head, inside)) = open.pop()
            && indent < inside
        {
            suspect.get_or_insert(head);
        }
    }
    suspect.or(open.last().map(|(head, _)| *head)).filter(|_| !open.is_empty())
}

/// Whether a closing bracket does not match the open one.
fn is_mismatch(open: &str, token: &str) -> bool {
    let closes = match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    };
    matches!(token, ")" | "]" | "}") && token != closes
}

/// Whether there are only blanks before an offset on its line.
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

/// The end of a block's first line if it lacks the colon. Looks at the line of the error and the
/// one before.
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
