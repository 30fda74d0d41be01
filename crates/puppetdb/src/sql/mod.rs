//! From the typed query to SQL. Values of queries are bound parameters, never part of the text.

mod condition;
pub(crate) mod counts;
mod dialect;
mod fragment;
mod resource_counts;
mod select;

pub(crate) use dialect::{Dialect, dialect, leaf_value};
pub(crate) use fragment::Sql;
pub(crate) use select::{Decoder, Statement, count_statement, statement};

use crate::error::QueryError;

/// The inputs of a statement besides the query.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    pub(crate) dialect: &'static dyn Dialect,
    /// Nodes that were deactivated or expired before are not shown as inactive; in microseconds
    /// since 1970.
    pub(crate) inactive_since: i64,
}

/// The result of a writer of SQL.
pub(crate) type Written = Result<Sql, QueryError>;
