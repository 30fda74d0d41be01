//! Heredocs that name a syntax: their text must have this syntax.
//!
//! Text without interpolation is checked with its program, other text when it is evaluated. As in
//! the reference, `json`, `pp`, `epp` and `base64` are known. Of an unknown name such as `a+json`,
//! the last part decides. Text of any other syntax is not checked.

use ordain_data::json;
use ordain_functions::base64;
use ordain_source::{Diagnostic, FileId, Severity, SourceFile};

use super::checker::{Checker, Options};
use super::validate_embedded;
use crate::syntax::{self, Expr, ExprId, Parsed, code_of};

/// Programs in programs are checked this deep.
const MAX_DEPTH: u32 = 8;
/// So many characters of another parser's message are shown.
const MAX_JSON_MESSAGE: usize = 100;
const MAX_PROGRAM_MESSAGE: usize = 500;

/// The error of a text that does not have its syntax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    /// The issue code of the reference.
    pub(crate) issue: &'static str,
    /// The message.
    pub(crate) message: String,
}

impl Checker<'_> {
    /// The reference stops at the first text with an error, even if it found errors before.
    pub(super) fn heredoc(&mut self, syntax: &str, text: ExprId) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        let Expr::Str(value) = &self.program[text] else { return };
        let Some(Problem { issue, message }) = problem(syntax, value, self.depth + 1) else {
            return;
        };
        if std::mem::replace(&mut self.embedded_failed, true) {
            self.error_at(issue, text, message);
            return;
        }
        self.errors += 1;
        let span = self.program.span(text);
        self.found.insert(0, Diagnostic::error(code_of(issue), message).issue(issue).at(span));
    }
}

/// The error of a text that does not have its syntax; `None` if it has, or the syntax is unknown.
pub(crate) fn embedded(syntax: &str, text: &str) -> Option<Problem> {
    problem(syntax, text, 1)
}

fn problem(syntax: &str, text: &str, depth: u32) -> Option<Problem> {
    let known = syntax.rsplit('+').next()?;
    let found = match known {
        "json" => not_json(text)?,
        "base64" => not_base64(text)?,
        "pp" => not_program("PP", "ILLEGAL_PP", syntax, text, |f| syntax::parse(f, text), depth)?,
        "epp" => {
            not_program("EPP", "ILLEGAL_EPP", syntax, text, |f| syntax::parse_epp(f, text), depth)?
        }
        _ => return None,
    };
    let message = format!("Invalid produced text having syntax: '{syntax}'. {}", found.message);
    Some(Problem { message, ..found })
}

/// The beginning of a message, on one line.
fn capped(message: &str, max: usize) -> String {
    let short: String = message.chars().take(max).collect();
    short.replace("\r\n", "\\n").replace('\n', "\\n")
}

fn not_json(text: &str) -> Option<Problem> {
    let error = json::read(text).err()?;
    let what = format!("line {}, column {}: {}", error.line, error.column, error.message);
    let message = format!(
        "JSON syntax checker: Cannot parse invalid JSON string. \"{}\"",
        capped(&what, MAX_JSON_MESSAGE)
    );
    Some(Problem { issue: "ILLEGAL_JSON", message })
}

fn not_base64(text: &str) -> Option<Problem> {
    // A question mark among them is an accident of the reference that texts may rely on.
    let skipped = |c: char| matches!(c, '\r' | '\n' | '\t' | '?') || c.is_whitespace() && c >= ' ';
    let text: String = text.chars().filter(|&c| !skipped(c)).collect();
    base64::decode(&text, base64::Mode::Strict).err()?;
    let why = if (text.len() * 8).is_multiple_of(6) {
        "contains letters outside strict base 64 range (or whitespace)"
    } else {
        "padding is not correct"
    };
    let message = format!("Base64 syntax checker: Cannot parse invalid Base64 string - {why}");
    Some(Problem { issue: "ILLEGAL_BASE64", message })
}

fn not_program(
    name: &str,
    issue: &'static str,
    syntax: &str,
    text: &str,
    parse: impl FnOnce(FileId) -> Parsed,
    depth: u32,
) -> Option<Problem> {
    if syntax.contains('+') {
        let expected = name.to_lowercase();
        let message = format!("{name} syntax checker: the syntax must be '{expected}' alone");
        return Some(Problem { issue, message });
    }
    let Parsed { program, diagnostics, ends_early } = parse(FileId(0));
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let error = diagnostics.into_iter().find(is_error).or_else(|| {
        let found = validate_embedded(&program, &Options::default(), depth);
        found.into_iter().find(is_error)
    })?;
    let what = capped(&with_place(&error, ends_early, text), MAX_PROGRAM_MESSAGE);
    Some(Problem { issue, message: format!("{name} syntax checker: \"{what}\"") })
}

/// The message with the line and column in the text; the end of the text is no place.
fn with_place(error: &Diagnostic, ends_early: bool, text: &str) -> String {
    let start = error.peer_span().map(|span| span.range.start);
    match start.filter(|_| !ends_early) {
        Some(start) => {
            let at = SourceFile::new("", text).line_col(start);
            format!("{} (line: {}, column: {})", error.message, at.line, at.column)
        }
        None => error.message.clone(),
    }
}
