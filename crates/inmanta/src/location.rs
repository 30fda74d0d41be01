//! Places in model files, as the original prints them: a line, or a range with columns.

use std::fmt::Write;

/// A place. Lines and columns count from 1. A place without a column is a whole line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Location {
    /// The file, as its number in [`Files`].
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The first column; 0 for a whole line.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// The column after the last one.
    pub end_column: u32,
}

impl Location {
    /// Creates the place of a whole line.
    pub fn line(file: u32, line: u32) -> Self {
        Self { file, line, ..Self::default() }
    }

    /// Whether the place has columns.
    pub fn is_range(&self) -> bool {
        self.column != 0
    }

    /// The range from the beginning of this place to the end of another.
    pub fn to(self, end: Self) -> Self {
        Self { end_line: end.end_line, end_column: end.end_column, ..self }
    }

    /// The range of both places. Ends are compared as in the original.
    pub fn merge(self, other: Self) -> Self {
        if !self.is_range() || !other.is_range() {
            return Self::line(self.file, self.line.min(other.line));
        }
        let (line, column) = match other.line.cmp(&self.line) {
            std::cmp::Ordering::Less => (other.line, other.column),
            std::cmp::Ordering::Equal => (self.line, self.column.min(other.column)),
            std::cmp::Ordering::Greater => (self.line, self.column),
        };
        let (end_line, end_column) = match other.end_line.cmp(&self.end_line) {
            std::cmp::Ordering::Greater => (other.end_line, other.end_column),
            std::cmp::Ordering::Equal => (self.end_line, self.end_column.max(other.end_column)),
            std::cmp::Ordering::Less => (self.line, self.end_column),
        };
        Self { file: self.file, line, column, end_line, end_column }
    }
}

/// The names of the files of a program.
#[derive(Clone, Default, Debug)]
pub struct Files {
    names: Vec<String>,
}

impl Files {
    /// Adds a file and returns its number.
    pub fn add(&mut self, name: impl Into<String>) -> u32 {
        self.names.push(name.into());
        self.names.len() as u32 - 1
    }

    /// The name of a file.
    pub fn name(&self, file: u32) -> &str {
        self.names.get(file as usize).map_or("__internal__", String::as_str)
    }

    /// A place as text: `file:line` or `file:line:column`.
    pub fn show(&self, at: Location) -> String {
        let mut out = format!("{}:{}", self.name(at.file), at.line);
        if at.is_range() {
            let _ = write!(out, ":{}", at.column);
        }
        out
    }
}
