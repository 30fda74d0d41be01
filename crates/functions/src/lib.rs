//! Language-neutral pure functions on plain Rust types
