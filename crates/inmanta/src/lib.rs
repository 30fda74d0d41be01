//! The front end for Inmanta's model language.
//!
//! A compile parses a model ([`syntax`]), checks its names and types ([`check`]), and runs it as a
//! net of variables that wait for each other ([`eval`]).
//!
//! | module | contents |
//! | --- | --- |
//! | [`value`] | the values of the language |
//! | [`diagnostics`] | errors in the original's words, and as diagnostics with excerpts |
//! | [`location`] | places in model files |
//! | [`symbol`] | interned names |
//! | [`syntax`] | text to tree |
//! | [`check`] | definitions and names |
//! | [`types`] | the types of values |
//! | [`model`] | the definitions of a program, plugins, and resources |
//! | [`mod@eval`] | the run |
//! | [`project`] | modules and files |
//! | [`mod@std`] | the model of the module `std` |
//! | [`session`], [`output`] | a run as a whole, and its outcome as JSON |
//! | [`mod@language`] | the interface to the verbs for all languages |
//! | [`functions`] | the plugins of the module `std` |
//! | [`template`] | Jinja2 templates |
//! | [`python`] | the Python code of modules |
//! | [`export`] | the resources of a model |
//! | [`mod@lower`], [`mod@explain`] | resources and instances as graphs, and why they are so |

#![forbid(unsafe_code)]

pub mod check;
pub mod diagnostics;
pub mod eval;
pub mod explain;
pub mod export;
pub mod functions;
pub mod language;
pub mod location;
pub mod lower;
pub mod model;
pub mod output;
pub mod project;
pub mod python;
pub mod session;
pub mod std;
pub mod symbol;
pub mod syntax;
pub mod template;
pub mod types;
pub mod value;

pub use language::Inmanta;
