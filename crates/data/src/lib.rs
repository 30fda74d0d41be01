//! Plain data trees, for Hiera files, facts, stubs, documents and graph attributes.
//!
//! [`Value`] is the tree without places; the readers ([`yaml`], [`json`], [`hocon`]) also return
//! the places of nodes.
//!
//! ```
//! use ordain_data::{Value, json};
//!
//! let value = json::read(r#"{"port": 80}"#)?;
//! assert_eq!(value, Value::map([("port", Value::Int(80))]));
//! # Ok::<(), json::Error>(())
//! ```
//!
//! The crate must not know: languages. Each has its own values, and exchanges plain data with the
//! others.

pub mod diff;
pub mod hocon;
pub mod json;
pub mod number;
pub mod secret;
pub mod value;
pub mod yaml;

pub use secret::{Decrypted, REDACTED, Redactor};
pub use value::{Map, Value};
