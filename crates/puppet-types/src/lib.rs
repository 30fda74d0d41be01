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
//! Modules, from the top floor down; a file imports only files of the floors below:
//!
//! | module | contents |
//! | --- | --- |
//! | [`types::new`], [`types::specialize`](mod@types::specialize), [`types::object::define`] | conversions, `T[args]`, object types and type sets from their definitions |
//! | [`types::library`], [`types::mismatch`] | built-in types that texts describe; descriptions of mismatches |
//! | [`types::format`], [`value::rich`], [`value::ruby`], [`value::compare`] | `String.new`, plain data, notations of Ruby, comparison operators |
//! | [`types::display`], [`value::text`] | text of types and values |
//! | [`types::assignable`], [`types::instance`], [`types::infer`](mod@types::infer), [`types::normalize`](mod@types::normalize), [`value::equality`] | relations between types and values, which ask each other |
//! | [`types::aliases`], [`types::signature`], [`value::notation`], [`value::quoting`], [`error`], [`schema`] | small parts, errors, names of the attributes of resource types |
//! | `model` | the definitions, which [`types`] and [`value`] name |

// Only the library is bound to the World; its tests are not.

pub mod error;
mod model;
pub mod schema;
pub mod types;
pub mod value;
