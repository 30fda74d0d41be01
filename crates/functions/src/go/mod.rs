//! What Go's standard library does to plain texts and numbers, as far as programs can see it.
//!
//! Texts are bytes here, as in Go; most are UTF-8.

pub mod number;
pub mod quote;
