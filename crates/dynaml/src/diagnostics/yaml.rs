//! YAML errors in the wording of spiff: the messages and positions of libyaml.

use ordain_data::yaml::{Error, ErrorKind};

/// The message for an invalid text, as spiff prints it after the name of the file.
pub fn error_message(text: &str, error: &Error) -> String {
    if let ErrorKind::UnknownAlias(name) = &error.kind {
        let (line, column) = (error.line.saturating_sub(1), error.column.saturating_sub(1));
        return format!("missing anchor: '{name}' at line {line}, column {column}");
    }
    let (words, place) =
        known(text, error).unwrap_or((("", error.message.as_str()), Position::Same));
    let (line, column) = match place {
        Position::Same => (error.line as usize, error.column as usize),
        Position::Next => (error.line as usize, error.column as usize + 1),
        Position::LineStart => (error.line as usize, first_word(text, error.line as usize)),
        Position::NextLine => next_line(text, error.line as usize),
        Position::Escape(length) => {
            let before = text.get(..escape(text, error)).unwrap_or(text);
            let (line, column) = end(before);
            (line, column + length)
        }
        Position::End => end(text),
        Position::LastLine => last_line(text),
    };
    format!("yaml: [{}] {} at line {line}, column {column}", words.0, words.1)
}

/// The position of a message.
#[derive(Clone, Copy)]
enum Position {
    /// The reader's position.
    Same,
    /// The character behind that.
    Next,
    /// The first non-space character of that line.
    LineStart,
    /// The next word after that line.
    NextLine,
    /// This many characters after the first unknown escape.
    Escape(usize),
    /// The end of the text.
    End,
    /// The line behind the last one.
    LastLine,
}

/// The context, and the error.
type Words<'m> = (&'m str, &'m str);

const TOKEN: Words<'static> =
    ("while scanning for the next token", "found character that cannot start any token");
const VALUE: Words<'static> = ("while parsing a flow node", "did not find expected node content");
const MAP_ENTRY: Words<'static> = ("while parsing a block mapping", "did not find expected key");
const LIST_ENTRY: Words<'static> =
    ("while parsing a block collection", "did not find expected '-' indicator");
const FLOW_LIST: Words<'static> =
    ("while parsing a flow sequence", "did not find expected ',' or ']'");
const FLOW_MAP: Words<'static> =
    ("while parsing a flow mapping", "did not find expected ',' or '}'");
const DOCUMENT: Words<'static> = ("", "did not find expected <document start>");

/// Messages that differ from the reader's in words or position.
fn known(text: &str, error: &Error) -> Option<(Words<'static>, Position)> {
    let at = (error.range.start as usize).min(text.len());
    let before = text.get(..at).unwrap_or(text);
    Some(match &error.kind {
        ErrorKind::MapEntryExpected => (MAP_ENTRY, Position::LineStart),
        ErrorKind::ListEntryExpected => (LIST_ENTRY, Position::LineStart),
        ErrorKind::ColonExpected => {
            (("while scanning a simple key", "could not find expected ':'"), Position::NextLine)
        }
        ErrorKind::MisplacedColon => (FLOW_LIST, Position::Same),
        ErrorKind::UnclosedQuote => {
            (("while scanning a quoted scalar", "found unexpected end of stream"), Position::End)
        }
        // A value is missing where one is required.
        ErrorKind::UnclosedBracket(_) if text.trim_end().ends_with(['{', '[', ',', ':']) => {
            (VALUE, Position::LastLine)
        }
        ErrorKind::UnclosedBracket('{') => (FLOW_MAP, Position::LastLine),
        ErrorKind::UnclosedBracket(_) => (FLOW_LIST, Position::LastLine),
        ErrorKind::MisplacedBracket if before.trim().is_empty() => {
            (("while parsing a block node", "did not find expected node content"), Position::Same)
        }
        ErrorKind::MisplacedBracket | ErrorKind::TextAfterQuote => {
            (surroundings(before), Position::Same)
        }
        ErrorKind::ValueExpected => (VALUE, Position::Same),
        ErrorKind::UnknownEscape => (
            ("while parsing a quoted scalar", "found unknown escape character"),
            Position::Escape(0),
        ),
        ErrorKind::IncompleteEscape => (
            ("while parsing a quoted scalar", "did not find expected hexdecimal number"),
            Position::Escape(2),
        ),
        ErrorKind::MissingName => {
            let is_alias = text[before.len()..].starts_with('*');
            let doing =
                if is_alias { "while scanning an alias" } else { "while scanning an anchor" };
            ((doing, "did not find expected alphabetic or numeric character"), Position::Next)
        }
        ErrorKind::UnexpectedCharacter => (TOKEN, Position::Same),
        ErrorKind::Tab => (TOKEN, Position::LineStart),
        ErrorKind::Refused
        | ErrorKind::UnspecifiedClass
        | ErrorKind::UnknownAlias(_)
        | ErrorKind::MapNotAllowed
        | ErrorKind::TabInText
        | ErrorKind::Syntax => return None,
    })
}

/// The message for an unexpected token after a complete value, by the surrounding map or list.
fn surroundings(before: &str) -> Words<'static> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    match line.trim_start() {
        line if line.starts_with("- ") => LIST_ENTRY,
        line if line.contains(": ") && !line.starts_with(['{', '[', '"', '\'']) => MAP_ENTRY,
        _ => DOCUMENT,
    }
}

/// The column of the first non-space character of a line, from 1.
fn first_word(text: &str, line: usize) -> usize {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    line.len() - line.trim_start_matches(' ').len() + 1
}

/// Line and column of the first word after a line, from 1.
fn next_line(text: &str, line: usize) -> (usize, usize) {
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let found = text.lines().enumerate().skip(line).find(|(_, line)| is_code(line));
    match found {
        Some((at, _)) => (at + 1, first_word(text, at + 1)),
        None => last_line(text),
    }
}

/// The position of the first unknown escape, starting at an error, in bytes.
fn escape(text: &str, error: &Error) -> usize {
    const KNOWN: &str = "0abt\tnvfre \"/\\N_LPxuU\n\r";
    let start = (error.range.start as usize).min(text.len());
    let mut chars = text.char_indices().skip_while(|(at, _)| *at < start);
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            continue;
        }
        let Some((next, c)) = chars.next() else { return at };
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let code = text[next + c.len_utf8()..].bytes().take(digits);
        let is_complete =
            code.clone().count() == digits && code.clone().all(|b| b.is_ascii_hexdigit());
        if !KNOWN.contains(c) || !is_complete {
            return at;
        }
    }
    start
}

/// Line and column of the end of a text, from 1.
fn end(text: &str) -> (usize, usize) {
    let last = text.rsplit('\n').next().unwrap_or_default();
    (text.bytes().filter(|b| *b == b'\n').count() + 1, last.chars().count() + 1)
}

/// Line and column of the end of a text with a final line break, from 1.
fn last_line(text: &str) -> (usize, usize) {
    match end(text) {
        (line, 1) => (line, 1),
        (line, _) => (line + 1, 1),
    }
}
