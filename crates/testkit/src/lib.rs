//! What the tests of several crates share. Nothing but tests depends on it.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`mod@golden`] | compares what is given with files, or writes it there |
//! | [`models`] | compares outcomes of models of Inmanta |
//! | [`pages`] | Markdown pages whose fenced blocks are cases |
//! | [`transcript`] | pages whose blocks are commands and what they print |
//! | [`codes`] | whether every diagnostic code is documented and tested |
//! | [`bounded`](mod@bounded) | ends a test whose input takes too much time, stack or memory |
//! | [`mod@peer`] | skips a test whose program to compare with is not installed, never in CI |
//! | [`ruby`] | directories of files for tests that need `ruby` |
//! | [`random`] | numbers that look random and can be had again |
//!
//! Everything here ends in a panic, which fails the test with the reason.

// A test that cannot go on is over.
#![allow(clippy::unwrap_used)]

pub mod bounded;
pub mod codes;
pub mod golden;
pub mod models;
pub mod pages;
pub mod peer;
pub mod random;
pub mod ruby;
pub mod transcript;

pub use bounded::bounded;
pub use golden::{Golden, golden};
pub use peer::peer;
