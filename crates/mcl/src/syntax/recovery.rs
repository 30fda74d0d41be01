//! Further syntax errors of a program, for editors and checks. A compile ends with the first one.

use ordain_source::TextRange;
use ordain_syntax::{StatementLines, StatementPart};

use super::error::SyntaxError;
use super::parse;
use super::token::TokenKind;
use crate::Edition;

/// The words that begin statements.
const WORDS: [&str; 9] =
    ["class", "func", "include", "import", "if", "for", "forkv", "panic", "collect"];

const LINES: StatementLines = StatementLines { begins, continues };

/// The errors of a text behind its first one, each with its statement.
pub(crate) fn further(
    text: &str,
    edition: Edition,
    first: &SyntaxError,
) -> Vec<(SyntaxError, StatementPart)> {
    // The error at the end of the text is also one of the statement that is not closed.
    let mut is_end_known = is_end(first);
    let at = first.range.start as usize;
    let parse = |part: &StatementPart| {
        let statement = &text[part.range.clone()];
        let mut error = parse(statement, edition).err()?;
        if is_end(&error) {
            let end = (part.range.start + statement.trim_end().len()) as u32;
            error.range = TextRange::new(end, end);
            let is_known = std::mem::take(&mut is_end_known);
            return Some((end as usize, (!is_known).then(|| (error, part.clone()))));
        }
        let shifted = |offset: u32| offset + part.range.start as u32;
        error.range = TextRange::new(shifted(error.range.start), shifted(error.range.end));
        Some((error.range.start as usize, Some((error, part.clone()))))
    };
    LINES.errors_after(text, at, parse).into_iter().flatten().collect()
}

fn is_end(error: &SyntaxError) -> bool {
    matches!(error.unexpected, Some((TokenKind::End, _)))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a line begins a statement: a word for one, a bind, an edge, or a kind with a name.
fn begins(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix('$') {
        let after = rest.trim_start_matches(is_word);
        let equals = after.find('=').map(|at| &after[at + 1..]);
        return equals.is_some_and(|value| !value.starts_with(['=', '>']));
    }
    let end = line.find(|c| !is_word(c)).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    if WORDS.contains(&word) {
        return rest.starts_with([' ', '\t', '(']);
    }
    if word.starts_with(char::is_uppercase) {
        return rest.starts_with('[');
    }
    let name = rest.trim_start_matches(|c| is_word(c) || c == ':');
    let title = name.trim_start();
    !word.is_empty()
        && title.len() < name.len()
        && (title.starts_with(['"', '$', '[']) || title.starts_with(is_word))
}

/// Whether a line is a field or an argument of the statement above.
fn continues(above: &str, line: &str) -> bool {
    above.ends_with(['(', '[']) || !begins(line) && line.contains("=>")
}
