//! The front end for dynaml: the language of spiff and spiff++ templates.
//!
//! A template is merged with stubs, its expressions `(( … ))` are resolved in any order, and one
//! document comes out:
//!
//! ```
//! use ordain_dynaml::session::{Input, Request, merge};
//! use ordain_source::MemoryWorld;
//!
//! let file = |name: &str, text: &str| Input {
//!     name: name.into(),
//!     text: text.into(),
//!     under: None,
//! };
//! let request = Request {
//!     template: Some(file("template.yml", "env: (( merge ))\nhost: (( \"web.\" env ))\n")),
//!     stubs: vec![file("stub.yml", "env: prod\n")],
//!     ..Request::default()
//! };
//! let output = merge(&MemoryWorld::default(), &request).map_err(|error| error.text())?;
//! assert_eq!(output.text, "env: prod\nhost: web.prod\n");
//! # Ok::<(), String>(())
//! ```
//!
//! The crate must not know: files, commands, the environment and time (a
//! [`World`](ordain_source::World) argument provides them), command lines, terminals, and the other
//! languages. A graph of resources is built by [`resources`]; nothing here plans or applies it.
//!
//! Modules, from the top floor down; a module imports only modules of the floors below:
//!
//! | module | contents |
//! | --- | --- |
//! | [`session`] | a whole run: stubs from right to left, then the template |
//! | [`check`] | checks of a document by itself |
//! | [`mod@language`] | the language as the verbs for all languages see it |
//! | [`explain`] | the origin of a value |
//! | [`mod@fmt`] | the formatter |
//! | [`diagnostics`] | failures, the original's report, diagnostics with causes |
//! | [`functions`] | the built-in functions, a file a family |
//! | [`eval`] | evaluation on demand |
//! | [`diff`] | documents compared by structure |
//! | [`lower`], [`resources`] | finished documents as plain data, and as a graph |
//! | [`output`] | finished documents as YAML and JSON |
//! | [`mod@document`], [`load`] | YAML to values, and to the source of a document |
//! | [`value`], [`scope`] | values, and the names around an expression |
//! | [`syntax`] | expressions: text to tree and back |

#![forbid(unsafe_code)]

pub mod check;
pub mod diagnostics;
pub mod diff;
pub mod document;
pub mod eval;
pub mod explain;
pub mod fmt;
pub mod functions;
mod ids;
mod input;
pub mod interpolation;
pub mod language;
mod limits;
pub mod load;
pub mod lower;
mod network;
pub mod options;
mod origin;
pub mod output;
mod path;
mod pki;
pub mod resources;
pub mod scalar;
pub mod scope;
pub mod session;
pub mod syntax;
mod text;
pub mod value;

pub use diagnostics::{diagnose, report};
pub use language::Dynaml;

/// The version of spiff++ that this crate implements, as `__ctx.VERSION` shows it.
pub const VERSION: &str = "1.7.0-beta-8";
