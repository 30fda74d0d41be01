//! Test utilities that several crates share. Only tests depend on this crate.
//!
//! | module | purpose |
//! | --- | --- |
//! | [`mod@golden`] | compares output with golden files, or writes it there |
//! | [`models`] | compares outcomes of models of Inmanta |
//! | [`mod@mistakes`] | files of mistakes that `check` has to find |
//! | [`pages`] | Markdown pages whose fenced blocks are cases |
//! | [`transcript`] | pages whose blocks are commands and their output |
//! | [`codes`] | checks that every diagnostic code is documented and tested |
//! | [`bounded`](mod@bounded) | ends a test whose input takes too much time, stack or memory |
//! | [`mod@peer`] | skips a test whose reference program is not installed, but never in CI |
//! | [`ruby`] | directories of files for tests that need `ruby` |
//! | [`random`] | reproducible random numbers |
//! | [`mod@share`] | a share of the cases of a long comparison |
//!
//! Everything here panics on failure, which fails the test with the reason.

// A panic is how a test fails.
#![allow(clippy::unwrap_used)]

pub mod bounded;
pub mod codes;
pub mod golden;
pub mod mistakes;
pub mod models;
pub mod pages;
pub mod peer;
pub mod random;
pub mod ruby;
pub mod share;
pub mod transcript;

pub use bounded::bounded;
pub use golden::{Golden, golden};
pub use peer::peer;
pub use share::share;
