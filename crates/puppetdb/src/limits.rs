//! Limits on queries, so that none can exhaust the memory or the stack.

/// Nesting of a query, in levels of the AST.
pub const MAX_DEPTH: usize = 100;
/// Length of a query, in bytes.
pub const MAX_LENGTH: usize = 4 << 20;
/// Values that one statement binds. SQLite takes up to 32,766.
pub const MAX_PARAMETERS: usize = 30_000;
