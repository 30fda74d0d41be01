//! The front end for dynaml: the language of spiff and spiff++ templates.
//!
//! A template is merged with stubs, its expressions `(( … ))` are resolved in any order, and one
//! document comes out. [`session::merge`] does it all; the parts are
//!
//! | module | what it does |
//! | --- | --- |
//! | [`syntax`] | expressions: text to tree and back |
//! | [`mod@language`] | what the verbs for all languages know of it |
//! | [`load`] | YAML to the source of a document |
//! | [`mod@document`] | documents as they are written |
//! | [`diff`] | documents compared by structure |
//! | [`eval`] | evaluation on demand |
//! | [`functions`] | the built-in functions, a file a family |
//! | [`report`] | what could not be resolved, in the original's words |
//! | [`check`] | what is wrong with a document by itself |
//! | [`diagnose`] | the same as diagnostics, with places and causes |
//! | [`explain`] | where a value comes from |
//! | [`output`] | finished documents as YAML and JSON |
//! | [`lower`] | finished documents as plain data |
//! | [`resources`] | the resources that a document declares, as a graph |
//!
//! Files, commands and the environment are reached through the
//! [`World`](ordain_source::World) that is passed in.

#![forbid(unsafe_code)]

mod causes;
pub mod check;
pub mod complaint;
pub mod diagnose;
pub mod diff;
pub mod document;
pub mod eval;
pub mod explain;
pub mod functions;
mod hint;
pub mod interpolation;
pub mod language;
pub mod load;
pub mod lower;
mod origin;
pub mod output;
mod pki;
pub mod report;
pub mod resources;
pub mod scalar;
pub mod session;
pub mod syntax;
pub mod value;

pub use language::Dynaml;

/// The version of spiff++ whose language this is, as `__ctx.VERSION` shows it.
pub const VERSION: &str = "1.7.0-beta-8";
