//! Errors of YAML in the words of spiff: those of libyaml, with its places.

use ordain_data::yaml::Error;

/// The complaint about a text, as spiff prints it behind the name of the file.
///
/// ```
/// use ordain_data::yaml::Tree;
/// use ordain_dynaml::diagnostics::yaml::complaint;
/// let text = "a: 1\n- b\n";
/// let error = Tree::parse_all(text).unwrap_err();
/// assert_eq!(
///     complaint(text, &error),
///     "yaml: [while parsing a block mapping] did not find expected key at line 2, column 1"
/// );
/// ```
pub fn complaint(text: &str, error: &Error) -> String {
    let message = error.message.as_str();
    if let Some(name) = message.strip_prefix("Unknown alias: ") {
        let (line, column) = (error.line.saturating_sub(1), error.column.saturating_sub(1));
        return format!("missing anchor: '{name}' at line {line}, column {column}");
    }
    let (words, place) = known(message).unwrap_or_else(|| (split(message), Position::Same));
    let (line, column) = match place {
        Position::Same => (error.line as usize, error.column as usize),
        Position::LineStart => (error.line as usize, first_word(text, error.line as usize)),
        Position::End => end(text),
    };
    format!("yaml: [{}] {} at line {line}, column {column}", words.0, words.1)
}

/// Where a complaint points.
#[derive(Clone, Copy)]
enum Position {
    /// Where the reader says.
    Same,
    /// The first character in that line that is no blank.
    LineStart,
    /// The end of the text.
    End,
}

/// The context, and the error.
type Words<'m> = (&'m str, &'m str);

/// Complaints with other words or places than the reader's.
fn known(message: &str) -> Option<(Words<'static>, Position)> {
    const TOKEN: Words<'static> =
        ("while scanning for the next token", "found character that cannot start any token");
    Some(match message {
        "while parsing a block mapping, did not find expected key" => {
            (("while parsing a block mapping", "did not find expected key"), Position::LineStart)
        }
        "while parsing a block collection, did not find expected '-' indicator" => (
            ("while parsing a block collection", "did not find expected '-' indicator"),
            Position::LineStart,
        ),
        "illegal placement of ':' indicator" => {
            (("while parsing a flow sequence", "did not find expected ',' or ']'"), Position::Same)
        }
        "unclosed quote" => {
            (("while scanning a quoted scalar", "found unexpected end of stream"), Position::End)
        }
        "unclosed bracket '['" => {
            (("while parsing a flow sequence", "did not find expected ',' or ']'"), Position::End)
        }
        "unclosed bracket '{'" => {
            (("while parsing a flow mapping", "did not find expected ',' or '}'"), Position::End)
        }
        _ if message.starts_with("unexpected character: ") => (TOKEN, Position::Same),
        _ if message.starts_with("tabs disallowed") => (TOKEN, Position::LineStart),
        _ => return None,
    })
}

fn split(message: &str) -> Words<'_> {
    match message.split_once(", ") {
        Some((doing, wrong)) if doing.starts_with("while ") => (doing, wrong),
        _ => ("", message),
    }
}

/// The column of the first character of a line that is no blank, from 1.
fn first_word(text: &str, line: usize) -> usize {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    line.len() - line.trim_start_matches(' ').len() + 1
}

/// Line and column of the end of a text, from 1.
fn end(text: &str) -> (usize, usize) {
    let last = text.rsplit('\n').next().unwrap_or_default();
    (text.bytes().filter(|b| *b == b'\n').count() + 1, last.chars().count() + 1)
}
