//! Requests for documents.

use crate::error::ExplorerError;

/// The rows of a page of a table without another number.
const PAGE: i64 = 50;
/// The maximum number of rows of a page.
const MAX_PAGE: i64 = 500;
/// The maximum number of rows of a table that is saved as a file.
const MAX_SAVED: i64 = 100_000;

/// A request for a document.
#[derive(Clone, Debug)]
pub struct PageRequest<'a> {
    /// The segments of the path after `/explore/api/`, decoded.
    pub segments: Vec<&'a str>,
    /// The parameters of the query, decoded.
    pub parameters: Vec<(&'a str, &'a str)>,
}

/// The form of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Json,
    Csv,
}

/// A part of the rows of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) offset: i64,
    pub(crate) limit: i64,
}

impl<'a> PageRequest<'a> {
    /// A parameter that is not empty.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        let found = self.parameters.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| *value).filter(|value| !value.is_empty())
    }

    /// The form that the parameter `format` names.
    ///
    /// # Errors
    /// When it is neither `json` nor `csv`.
    pub(crate) fn form(&self) -> Result<Form, ExplorerError> {
        match self.parameter("format") {
            None | Some("json") => Ok(Form::Json),
            Some("csv") => Ok(Form::Csv),
            Some(other) => {
                Err(ExplorerError::Parameter(format!("the format `{other}` is not json or csv")))
            }
        }
    }

    /// The rows that the parameters `offset` and `limit` name; with `all`, as many as are saved to a
    /// file.
    ///
    /// # Errors
    /// When a number is malformed.
    pub(crate) fn part(&self) -> Result<Part, ExplorerError> {
        if self.parameter("all").is_some() {
            return Ok(Part { offset: 0, limit: MAX_SAVED });
        }
        let limit = self.number("limit")?.unwrap_or(PAGE).min(MAX_PAGE);
        Ok(Part { offset: self.number("offset")?.unwrap_or(0), limit })
    }

    /// A number that is not negative.
    ///
    /// # Errors
    /// When it is malformed.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, ExplorerError> {
        let Some(text) = self.parameter(name) else { return Ok(None) };
        match text.parse() {
            Ok(number) if number >= 0 => Ok(Some(number)),
            _ => Err(ExplorerError::Parameter(format!("`{name}` is `{text}`, not a number"))),
        }
    }
}
