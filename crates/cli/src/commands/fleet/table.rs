//! Tables for people and as CSV.

use std::io::Write;

use clap::ValueEnum;
use ordain_source::printable_line;
use serde_json::Value as Json;
use unicode_width::UnicodeWidthStr;

use crate::exit::Failure;
use crate::screen::Style;
use crate::ui::{Ui, styles};

/// The output format of a list.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// A table
    Text,
    /// For programs
    Json,
    /// For spreadsheets
    Csv,
}

/// A table.
pub(super) struct Table<'a> {
    /// The names of the columns.
    pub(super) columns: &'a [&'a str],
    /// The rows.
    pub(super) rows: Vec<Vec<String>>,
}

impl Table<'_> {
    /// Prints the table with aligned columns below their names.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn print(&self, ui: &mut Ui) -> Result<(), Failure> {
        let names: Vec<String> = self.columns.iter().map(|name| name.to_uppercase()).collect();
        let cells = |row: &[String]| -> Vec<String> {
            row.iter().map(|cell| printable_line(cell).into_owned()).collect()
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| cells(row)).collect();
        let width = |at: usize| {
            let cells = rows.iter().chain([&names]).filter_map(|row| row.get(at));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |row: &[String]| {
            let cell = |(cell, width): (&String, &usize)| {
                format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
            };
            row.iter().zip(&widths).map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        ui.line(&styles::BOLD.apply(&line(&names)), 4)?;
        for row in &rows {
            ui.line(&status_style(row).apply(&line(row)), 4)?;
        }
        Ok(())
    }

    /// Writes the table as CSV (RFC 4180). A cell that a spreadsheet would take for a formula gets an
    /// apostrophe at its start.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn csv(&self, ui: &mut Ui) -> Result<(), Failure> {
        let head = self.columns.iter().map(|name| (*name).to_owned()).collect();
        for row in std::iter::once(&head).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| csv_cell(cell)).collect();
            write!(ui.document(), "{}\r\n", cells.join(","))?;
        }
        Ok(())
    }
}

/// A value as a cell: a text without quotes, nothing for null.
pub(super) fn cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Rows of failed runs stand out.
fn status_style(row: &[String]) -> Style {
    if row.iter().any(|cell| cell == "failed") { styles::REMOVE } else { Style::Plain }
}

fn csv_cell(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell != "-";
    let cell = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_are_no_formulas() {
        assert_eq!(csv_cell("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(csv_cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(csv_cell("web"), "web");
    }
}
