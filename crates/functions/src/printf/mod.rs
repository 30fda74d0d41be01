//! The printf dialects.

mod number;
pub mod python;
pub mod ruby;
