//! The printf dialects.

mod number;
pub mod ruby;
