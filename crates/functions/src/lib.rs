//! Language-neutral pure functions on plain Rust types.
//!
//! The crate knows no value type, no source position and no language; front ends bind its
//! functions under their own names and add positions to its [`Error`]s. What there is:
//!
//! | module | what it offers |
//! | --- | --- |
//! | [`regex`] | [`regex::compile`] per [`regex::Dialect`], [`regex::Regex`], [`regex::escape`] |

mod error;
pub mod regex;

pub use error::{Error, Result};
