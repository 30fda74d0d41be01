//! Further syntax errors of a model, for editors and checks. A compile ends with the first one.

use ordain_source::SourceMap;
use ordain_syntax::{StatementLines, StatementPart};

use super::ast::Ast;
use super::parser::{parse, parse_part};
use crate::diagnostics::{Error, Fault, span};
use crate::location::Location;

/// The words that begin definitions.
const WORDS: [&str; 6] = ["entity", "implementation", "implement", "typedef", "index", "import"];

const LINES: StatementLines = StatementLines { begins, continues };

/// The errors of a text behind its first one, each with its statement. None if the text has no
/// syntax errors.
pub(crate) fn further(text: &str) -> Vec<(Error, StatementPart)> {
    let (mut ast, mut lints) = (Ast::default(), Vec::new());
    let Err(first) = parse(&mut ast, text, 0, &mut lints) else { return Vec::new() };
    let sources = SourceMap::new();
    sources.add("", text);
    let offset = |error: &Error| {
        let place = error.location.and_then(|at| span(at, &sources));
        let at = place.map_or(0, |place| place.range.start as usize);
        match &error.fault {
            // The place of an unexpected token is its end.
            Some(Fault::UnexpectedToken(_)) => text[..at].trim_end_matches(is_word).len(),
            _ => at,
        }
    };
    // The error at the end of the text is also one of the block that is not closed.
    let mut is_end_known = first.fault == Some(Fault::UnexpectedEnd);
    let at = if is_end_known { 0 } else { offset(&first) };
    let parse = |part: &StatementPart| {
        let statement = &text[part.range.clone()];
        let mut error = parse_part(&mut ast, statement, part.line, &mut lints).err()?;
        if error.fault == Some(Fault::UnexpectedEnd) {
            let written = statement.trim_end();
            let lines = written.matches('\n').count() as u32;
            error.location = Some(Location::line(0, part.line + lines));
            let is_known = std::mem::take(&mut is_end_known);
            let end = part.range.start + written.len();
            return Some((end, (!is_known).then(|| (*error, part.clone()))));
        }
        Some((offset(&error), Some((*error, part.clone()))))
    };
    LINES.errors_after(text, at, parse).into_iter().flatten().collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a line begins a definition or statement: a word for one, an assignment, a constructor or
/// a call, or a relation.
fn begins(line: &str) -> bool {
    let end = line.find(|c| !is_word(c)).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    if WORDS.contains(&word) {
        return rest.starts_with([' ', '\t', '(']);
    }
    if matches!(word, "for" | "if") {
        return rest.starts_with([' ', '\t', '(']) && rest.contains(':');
    }
    let count = |sign| line.matches(sign).count();
    let is_argument = line.ends_with(',') && count('(') <= count(')') && count('[') <= count(']');
    if word.is_empty() || is_argument {
        return false;
    }
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
    let after = rest.trim_start_matches(is_path).trim_start();
    let is_assignment = after.starts_with("+=")
        || after.strip_prefix('=').is_some_and(|value| !value.starts_with('='));
    let is_relation = after.starts_with('[') && after.contains("--");
    is_assignment || is_relation || after.starts_with('(')
}

/// Whether a line is an argument of the statement above, or an attribute of its entity.
fn continues(above: &str, _: &str) -> bool {
    above.ends_with(['(', '[', '{', ',']) || above.starts_with("entity ")
}
