//! The values, errors and types of the Puppet language.
//!
//! A [`Value`](value::Value) can be tested against a [`Type`](types::Type), converted to another
//! type, compared, and written as text or plain data, all without a compile:
//!
//! ```
//! use ordain_puppet_types::types::{infer, is_assignable, is_instance, parse_static};
//! use ordain_puppet_types::value::Value;
//! use ordain_puppet_types::value::compare::equals;
//!
//! let ports = Value::array([Value::Int(80), Value::Int(443)]);
//! assert!(is_instance(&parse_static("Array[Integer[1, 65535]]"), &ports));
//! assert!(is_assignable(&parse_static("Data"), &infer(&ports)));
//! assert_eq!(infer(&ports).to_string(), "Array[Integer[80, 443], 2, 2]");
//! assert!(equals(&Value::str("Web"), &Value::str("web")));
//! ```
//!
//! The crate must not know: scopes, catalogs, functions, Hiera, modules and files. A lambda is a value
//! here, but only the evaluator calls it; a type alias is resolved by whoever loads definitions.
//!
//! | module | contents |
//! | --- | --- |
//! | [`types`] | the types; tests of values and types, inference, conversion, descriptions of mismatches |
//! | [`value`] | the values; comparison, text, plain data, names in Ruby |
//! | [`error`] | the ways in which evaluation ends early |
//! | [`schema`] | the names of the attributes of resource types |

// Only the library is bound to the World; its tests are not.
#![warn(clippy::disallowed_methods)]

pub mod error;
pub mod schema;
pub mod types;
pub mod value;
