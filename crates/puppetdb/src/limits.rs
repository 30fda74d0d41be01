//! Limits that keep a query from exhausting memory or stack.

/// The maximum nesting of a query, in levels of the AST.
pub const MAX_DEPTH: usize = 100;
/// The maximum length of a query, in bytes.
pub const MAX_LENGTH: usize = 4 << 20;
/// The maximum number of bound values in a statement. SQLite allows 32,766.
pub const MAX_PARAMETERS: usize = 30_000;
/// The maximum nesting of subqueries. SQLite has its own limit.
pub const MAX_SUBQUERIES: usize = 30;
