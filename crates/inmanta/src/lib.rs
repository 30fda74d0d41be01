//! The front end for Inmanta's model language.
//!
//! A model is parsed ([`syntax`]), its names and types are checked ([`check`]), and then it is run
//! as a net of variables that wait for each other ([`eval`]).
//!
//! | module | contents |
//! | --- | --- |
//! | [`value`] | the values of the language |
//! | [`mod@plugin`] | how plugin functions are called |
//! | [`mod@error`] | errors in the original's words |
//! | [`explanation`] | the original's long explanations of some of them |
//! | [`location`] | places in model files |
//! | [`symbol`] | interned names |
//! | [`syntax`] | text to tree |
//! | [`check`] | definitions and names |
//! | [`types`], [`program`] | definitions of a program |
//! | [`mod@eval`] | the run |
//! | [`project`] | modules and files |
//! | [`mod@std`] | the model of the module `std` |
//! | [`session`], [`output`] | a run as a whole, and its outcome as JSON |
//! | [`mod@language`], [`diagnose`] | the interface to the verbs for all languages |
//! | [`functions`] | the plugins of the module `std` |
//! | [`template`] | Jinja2 templates |
//! | [`python`] | the Python code of modules |
//! | [`export`] | the resources of a model |
//! | [`mod@lower`], [`mod@explain`] | resources and instances as graphs, and why they are so |

#![forbid(unsafe_code)]

pub mod check;
pub mod diagnose;
pub mod error;
pub mod eval;
pub mod explain;
pub mod explanation;
pub mod export;
pub mod functions;
mod hint;
pub mod language;
pub mod location;
pub mod lower;
pub mod output;
pub mod plugin;
pub mod program;
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
