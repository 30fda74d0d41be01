//! The file that checks look at, and how they add findings.

use std::cell::OnceCell;

use ordain_source::{Safety, TextRange};

use super::finding::{Finding, Level, TextFix};
use super::structure::{Budget, Resource, Structure};
use super::token::{Kind, Token, Tokens};

/// One file for the checks.
pub(crate) struct Pass<'a, 't> {
    pub(crate) text: &'t str,
    pub(crate) tokens: &'a Tokens<'t>,
    /// The absolute path.
    pub(crate) full_path: &'a str,
    /// Whether `autoloader_layout` leaves out the first directory.
    pub(crate) is_relative: bool,
    pub(crate) budget: Budget,
    structure: OnceCell<Structure>,
    /// The token at which a check sees a syntax error.
    pub(crate) broken: Option<usize>,
    pub(crate) found: Vec<Finding>,
    /// The name of the running check, and the code of its findings.
    pub(crate) check: (&'static str, &'static str),
}

impl<'a, 't> Pass<'a, 't> {
    pub(crate) fn new(
        text: &'t str,
        tokens: &'a Tokens<'t>,
        full_path: &'a str,
        is_relative: bool,
    ) -> Self {
        Self {
            text,
            tokens,
            full_path,
            is_relative,
            budget: Budget::for_tokens(tokens.len()),
            structure: OnceCell::new(),
            broken: None,
            found: Vec::new(),
            check: ("", ""),
        }
    }

    pub(crate) fn structure(&self) -> &Structure {
        self.structure.get_or_init(|| Structure::of(self.tokens, &self.budget))
    }

    /// Calls a function for every resource. Without resources, puppet-lint sees a syntax error.
    pub(crate) fn each_resource(
        &mut self,
        mut visit: impl FnMut(&Resource, &Tokens<'t>, &mut Vec<Note>),
    ) {
        let mut notes = Vec::new();
        let broken = match &self.structure().resources {
            Ok(resources) => {
                resources.iter().for_each(|resource| visit(resource, self.tokens, &mut notes));
                None
            }
            Err(token) => Some(*token),
        };
        self.broken = self.broken.or(broken);
        self.add_all(notes);
    }

    pub(crate) fn add_all(&mut self, notes: Vec<Note>) {
        notes.into_iter().for_each(|note| self.add(note));
    }

    /// Adds a finding of the running check.
    pub(crate) fn add(&mut self, note: Note) {
        let token = &self.tokens[note.token];
        self.found.push(Finding {
            check: self.check.0,
            code: self.check.1,
            is_syntax: false,
            level: note.level,
            message: note.message,
            line: token.line,
            column: token.column,
            range: TextRange::new(token.start, token.end),
            ignored: None,
            fix: note.fix,
        });
    }

    pub(crate) fn warn(&mut self, token: usize, message: impl Into<String>) {
        self.add(Note::warning(token, message));
    }

    pub(crate) fn error(&mut self, token: usize, message: impl Into<String>) {
        self.add(Note { level: Level::Error, ..Note::warning(token, message) });
    }

    /// The tokens of some kinds that pass a test, in order.
    pub(crate) fn find_all<const N: usize>(
        &self,
        kinds: [Kind; N],
        test: impl Fn(usize, &Token<'t>) -> bool,
    ) -> Vec<usize> {
        let all = kinds.iter().flat_map(|kind| self.tokens.of_kind(*kind));
        let mut found: Vec<usize> = all.filter(|i| test(*i, &self.tokens[*i])).collect();
        found.sort_unstable();
        found
    }

    /// The tokens of a kind.
    pub(crate) fn all(&self, kind: Kind) -> Vec<usize> {
        self.tokens.of_kind(kind).collect()
    }
}

/// A finding at a token.
pub(crate) struct Note {
    pub(crate) token: usize,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) fix: Option<TextFix>,
}

impl Note {
    pub(crate) fn warning(token: usize, message: impl Into<String>) -> Self {
        Self { token, level: Level::Warning, message: message.into(), fix: None }
    }

    pub(crate) fn fix(mut self, fix: Option<TextFix>) -> Self {
        self.fix = fix;
        self
    }
}

/// A fix of one edit.
pub(crate) fn replace(
    safety: Safety,
    title: &str,
    range: TextRange,
    text: impl Into<String>,
) -> TextFix {
    TextFix { safety, title: title.to_owned(), edits: vec![(range, text.into())] }
}

/// The range of a token.
pub(crate) fn range(token: &Token<'_>) -> TextRange {
    TextRange::new(token.start, token.end)
}

/// The fix that puts a word in single quotes.
pub(crate) fn quote(safety: Safety, token: &Token<'_>) -> TextFix {
    replace(safety, "put it in single quotes", range(token), format!("'{}'", token.value))
}
