//! Reads terminals of PQL, and remembers the furthest place where one was missing.

use crate::error::QueryError;
use crate::json_text::excerpt;

/// A rule does not match here. The scanner knows the place and the expected words.
#[derive(Debug)]
pub(super) struct Mismatch;

/// Result of a rule.
pub(super) type Match<T> = Result<T, Mismatch>;

/// The text with a position, and the furthest mismatch so far.
pub(super) struct Scanner<'a> {
    text: &'a str,
    /// Byte offset of the next character.
    pub(super) at: usize,
    furthest: usize,
    expected: Vec<&'static str>,
    /// An error that is not a mismatch, such as a number that is too large.
    fault: Option<QueryError>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner { text, at: 0, furthest: 0, expected: Vec::new(), fault: None }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Notes that `expected` is missing at the current position.
    pub(super) fn miss<T>(&mut self, expected: &'static str) -> Match<T> {
        if self.at > self.furthest {
            self.furthest = self.at;
            self.expected.clear();
        }
        if self.at == self.furthest && !self.expected.contains(&expected) {
            self.expected.push(expected);
        }
        Err(Mismatch)
    }

    /// Stops the parser with an error of its own.
    pub(super) fn fail<T>(&mut self, error: QueryError) -> Match<T> {
        self.fault.get_or_insert(error);
        Err(Mismatch)
    }

    /// Whether the parser has to stop.
    pub(super) fn has_failed(&self) -> bool {
        self.fault.is_some()
    }

    pub(super) fn literal(&mut self, literal: &'static str) -> Match<()> {
        if self.rest().starts_with(literal) {
            self.at += literal.len();
            return Ok(());
        }
        self.miss(literal)
    }

    pub(super) fn space(&mut self) -> Match<()> {
        let length = self.length_while(is_space);
        if length == 0 {
            return self.miss("#\"\\s+\"");
        }
        self.at += length;
        Ok(())
    }

    pub(super) fn skip_space(&mut self) {
        // The mismatch is noted, because space may follow.
        let _optional = self.space();
    }

    pub(super) fn length_while(&self, accepts: impl Fn(char) -> bool) -> usize {
        self.rest().find(|c| !accepts(c)).unwrap_or(self.rest().len())
    }

    /// Takes `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.rest()[..length];
        self.at += length;
        taken
    }

    /// The error of a text that does not match.
    pub(super) fn error(self) -> QueryError {
        if let Some(fault) = self.fault {
            return fault;
        }
        let before = &self.text[..self.furthest];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        let shown = excerpt(self.text[start..].lines().next().unwrap_or_default());
        let shown = if self.text.is_empty() { "null" } else { shown };
        let opening = match self.expected.len() {
            0 => "",
            1 => "Expected:\n",
            _ => "Expected one of:\n\n",
        };
        let expected: String = self.expected.iter().map(|token| format!("{token}\n")).collect();
        // A line that is cut off ends before a marker far to the right.
        let marker = " ".repeat((column - 1).min(shown.len()));
        QueryError::bad_request(format!(
            "PQL parse error at line {line}, column {column}:\n\n{shown}\n{marker}^\n\n{opening}{expected}"
        ))
    }
}

/// `\s` of Java's regular expressions.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}
