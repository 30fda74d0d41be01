//! Reads JSON of requests. Errors show the line and the column, as PuppetDB's do.

use serde_json::Value;

use crate::error::QueryError;

/// Parses one JSON value.
pub(crate) fn parse(text: &str) -> Result<Value, QueryError> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        let marker = " ".repeat(column.saturating_sub(1));
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
        QueryError::bad_request(format!(
            "Json parse error at line {line}, column {column}:\n\n{shown}\n{marker}^\n\n{message}"
        ))
    })
}
