//! Plain data trees: what Hiera files, facts, stubs, documents and graph attributes have in common.
//!
//! [`Value`] is the tree without places; the readers ([`yaml`], [`json`], [`hocon`]) also tell
//! where things stand. Languages have their own values and meet only here. No language is known.

pub mod diff;
pub mod hocon;
pub mod json;
pub mod number;
pub mod secret;
pub mod value;
pub mod yaml;

pub use secret::{Decrypted, REDACTED, Redactor};
pub use value::{Map, Value};
