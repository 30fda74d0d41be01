//! The front end for Inmanta's model language.
//!
//! A model is parsed ([`syntax`]), its names and types are checked ([`check`]), and then it is run
//! as a net of variables that wait for each other ([`eval`]).
//!
//! | module | what it does |
//! | --- | --- |
//! | [`value`] | the values of the language |
//! | [`mod@plugin`] | how plugin functions are called |
//! | [`mod@error`] | errors in the original's words |
//! | [`location`] | places in model files |
//! | [`symbol`] | interned names |
//! | [`functions`] | the plugins of the module `std` |
//! | [`template`] | Jinja2 templates |
//! | [`export`] | the resources of a model |

#![forbid(unsafe_code)]

pub mod check;
pub mod error;
pub mod eval;
pub mod export;
pub mod functions;
pub mod location;
pub mod output;
pub mod plugin;
pub mod program;
pub mod project;
pub mod session;
pub mod std;
pub mod symbol;
pub mod syntax;
pub mod template;
pub mod types;
pub mod value;
