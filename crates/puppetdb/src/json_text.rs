//! Parses JSON in requests, with PuppetDB's error format: line and column.

use std::borrow::Cow;

use serde_json::Value;

use crate::check::shown;
use crate::error::QueryError;

/// Parses one JSON value.
pub(crate) fn parse(text: &str) -> Result<Value, QueryError> {
    let escaped = with_escaped_controls(text);
    let mut values = serde_json::Deserializer::from_str(&escaped).into_iter::<Value>();
    let first = values.next().unwrap_or_else(|| serde_json::from_str(&escaped));
    if let (Ok(first), Some(Ok(second))) = (&first, values.next()) {
        return Err(QueryError::bad_request(format!(
            "Only one query may be sent in a request. Found JSON ({}) after the query {}",
            shown(&second),
            shown(first)
        )));
    }
    // Parsing the whole text gives the error for anything after the value.
    first.and_then(|_| serde_json::from_str(&escaped)).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let shown = excerpt(text.lines().nth(line.saturating_sub(1)).unwrap_or_default());
        let marker = " ".repeat(column.saturating_sub(1).min(SHOWN));
        QueryError::bad_request(format!(
            "Json parse error at line {line}, column {column}:\n\n{shown}\n{marker}^\n\n{error}"
        ))
    })
}

/// The number of characters of a line that a message shows.
const SHOWN: usize = 4_000;

/// The start of a long line, for a message.
pub(crate) fn excerpt(line: &str) -> &str {
    line.char_indices().nth(SHOWN).map_or(line, |(end, _)| &line[..end])
}

/// Escapes control characters in strings, because PuppetDB's parser accepts them.
pub(crate) fn with_escaped_controls(text: &str) -> Cow<'_, str> {
    let is_control = |c: char| u32::from(c) < 0x20;
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let (mut is_inside, mut is_escaped) = (false, false);
    for c in text.chars() {
        match c {
            c if is_inside && is_control(c) => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
                is_escaped = false;
                continue;
            }
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_inside,
            '"' => is_inside = !is_inside,
            _ => {}
        }
        out.push(c);
    }
    Cow::Owned(out)
}
