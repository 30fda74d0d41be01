//! Documents: JSON, or tables as CSV.

use serde_json::{Map, Value as Json, json};

use crate::error::ExplorerError;
use crate::request::{Form, PageRequest, Part};

/// A document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// The content type.
    pub content_type: &'static str,
    /// The content.
    pub text: String,
}

/// The rows of a table.
pub(crate) struct Table {
    /// The names of the columns.
    pub(crate) columns: &'static [&'static str],
    pub(crate) rows: Vec<Vec<Json>>,
    /// The number of all rows, also of those of other pages.
    pub(crate) total: i64,
}

/// A table whose rows are all in memory, in the form and the part that the request names.
///
/// # Errors
/// When a parameter of the request is wrong.
pub fn table_document(
    columns: &'static [&'static str],
    rows: Vec<Vec<Json>>,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    Table::part_of(columns, rows, request.part()?).document(request)
}

impl Document {
    /// A JSON document.
    pub fn json(value: &Json) -> Self {
        Self { content_type: "application/json", text: value.to_string() }
    }
}

impl Table {
    /// The part of a table whose rows are all in memory.
    pub(crate) fn part_of(
        columns: &'static [&'static str],
        rows: Vec<Vec<Json>>,
        part: Part,
    ) -> Self {
        let total = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        let at = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let rows = rows.into_iter().skip(at(part.offset)).take(at(part.limit)).collect();
        Self { columns, rows, total }
    }

    /// The table in the form that the request names.
    ///
    /// # Errors
    /// When there is no such form.
    pub(crate) fn document(self, request: &PageRequest<'_>) -> Result<Document, ExplorerError> {
        if request.form()? == Form::Csv {
            return Ok(Document { content_type: "text/csv; charset=utf-8", text: self.csv() });
        }
        let part = request.part()?;
        let object = |row: Vec<Json>| {
            let names = self.columns.iter().map(|name| (*name).to_owned());
            Json::Object(names.zip(row).collect::<Map<_, _>>())
        };
        let rows: Vec<Json> = self.rows.into_iter().map(object).collect();
        let (total, offset, limit) = (self.total, part.offset, part.limit);
        Ok(Document::json(
            &json!({ "rows": rows, "total": total, "offset": offset, "limit": limit }),
        ))
    }

    fn csv(&self) -> String {
        let mut text = self.columns.join(",");
        for row in &self.rows {
            text.push_str("\r\n");
            let cells: Vec<String> = row.iter().map(cell).collect();
            text.push_str(&cells.join(","));
        }
        text.push_str("\r\n");
        text
    }
}

/// A cell of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe
/// before it.
fn cell(value: &Json) -> String {
    let text = match value {
        Json::Null => return String::new(),
        Json::String(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => {
            format!("'{text}")
        }
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_csv_are_quoted_and_no_formulas() {
        let cells = [json!("a"), json!("a,\"b\""), json!("=1+1"), json!(-1), json!(null)];
        let cells: Vec<String> = cells.iter().map(cell).collect();
        assert_eq!(cells, ["a", "\"a,\"\"b\"\"\"", "'=1+1", "-1", ""]);
    }
}
