//! Errors and warnings: as the original prints them, and as diagnostics with excerpts.
//!
//! | file | contents |
//! | --- | --- |
//! | `class.rs`, `exception.rs` | the classes of errors, and those of Python exceptions |
//! | `error.rs`, `warning.rs` | errors with their causes; warnings and lints |
//! | `explanation.rs` | the original's long explanations of some errors |
//! | `codes.rs` | diagnostic codes |
//! | `report.rs`, `hints.rs` | errors as diagnostics; likely causes of syntax errors |

mod class;
mod codes;
mod error;
mod exception;
pub mod explanation;
mod hints;
mod report;
mod warning;

pub use class::Class;
pub use codes::CODES;
pub use error::{Background, Error, Fault, Reporter, Result};
pub use exception::Exception;
pub(crate) use report::span;
pub use report::{errors, lint, warning};
pub use warning::{Lint, Warning};
