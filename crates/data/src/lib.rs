//! Plain data trees, for Hiera files, facts, stubs, documents and graph attributes.
//!
//! [`Value`] is the tree without places; the readers ([`yaml`], [`json`], [`hocon`]) also give the
//! places of nodes.
//!
//! ```
//! use ordain_data::{Value, json};
//!
//! let value = json::read(r#"{"port": 80}"#)?;
//! assert_eq!(value, Value::map([("port", Value::Int(80))]));
//! # Ok::<(), json::Error>(())
//! ```
//!
//! The crate must not know: languages. Each has values of its own; they meet only here.

pub mod diff;
pub mod hocon;
pub mod json;
pub mod number;
pub mod secret;
pub mod value;
pub mod yaml;

pub use secret::{Decrypted, REDACTED, Redactor};
pub use value::{Map, Value};
