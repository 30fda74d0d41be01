//! A piece of SQL with its parameters. Pieces are joined in any order; the parameters are numbered
//! at the end, in the order of the text.

use ordain_fleet_store::Value;

use crate::error::QueryError;
use crate::limits::MAX_PARAMETERS;

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Parameter(Value),
}

/// A piece of SQL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sql {
    pieces: Vec<Piece>,
}

impl Sql {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Sql { pieces: vec![Piece::Text(text.into())] }
    }

    pub(crate) fn parameter(value: impl Into<Value>) -> Self {
        Sql { pieces: vec![Piece::Parameter(value.into())] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Appends text.
    pub(crate) fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Appends another piece.
    pub(crate) fn append(&mut self, other: Sql) {
        for piece in other.pieces {
            match piece {
                Piece::Text(text) => self.push(&text),
                parameter @ Piece::Parameter(_) => self.pieces.push(parameter),
            }
        }
    }

    /// Replaces each `{}` of a template by a piece.
    pub(crate) fn format<const N: usize>(template: &str, parts: [Sql; N]) -> Self {
        let mut sql = Sql::default();
        let mut parts = parts.into_iter();
        for (at, text) in template.split("{}").enumerate() {
            if at > 0 {
                sql.append(parts.next().unwrap_or_default());
            }
            sql.push(text);
        }
        sql
    }

    /// Pieces between separators.
    pub(crate) fn join(parts: impl IntoIterator<Item = Sql>, separator: &str) -> Self {
        let mut sql = Sql::default();
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                sql.push(separator);
            }
            sql.append(part);
        }
        sql
    }

    /// Pieces between an operator, as a balanced tree: SQLite bounds the depth of expressions.
    pub(crate) fn balanced(mut parts: Vec<Sql>, operator: &str) -> Self {
        while parts.len() > 1 {
            let mut pairs = Vec::with_capacity(parts.len().div_ceil(2));
            let mut rest = parts.into_iter();
            while let Some(left) = rest.next() {
                pairs.push(match rest.next() {
                    Some(right) => {
                        let mut pair = Sql::text("(");
                        pair.append(left);
                        pair.push(operator);
                        pair.append(right);
                        pair.push(")");
                        pair
                    }
                    None => left,
                });
            }
            parts = pairs;
        }
        parts.pop().unwrap_or_default()
    }

    /// The text with `$1`, `$2` and so on, and the parameters.
    pub(crate) fn render(self) -> Result<(String, Vec<Value>), QueryError> {
        let mut text = String::new();
        let mut parameters = Vec::new();
        for piece in self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(&piece),
                Piece::Parameter(value) => {
                    parameters.push(value);
                    text.push('$');
                    text.push_str(&parameters.len().to_string());
                }
            }
        }
        if parameters.len() > MAX_PARAMETERS {
            return Err(QueryError::bad_request(format!(
                "The query has more than {MAX_PARAMETERS} values; put them in an array of 'in'"
            )));
        }
        Ok((text, parameters))
    }
}

impl From<&str> for Sql {
    fn from(text: &str) -> Self {
        Sql::text(text)
    }
}
