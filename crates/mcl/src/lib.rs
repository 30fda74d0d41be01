//! The front end for mcl, the language of mgmt.
//!
//! A program becomes a graph of functions whose values change over time. Each complete set of
//! values yields a graph of resources:
//!
//! ```
//! use ordain_mcl::functions::environment::Memory;
//! use ordain_mcl::session::{Input, Options, compile};
//! use ordain_source::{MemoryWorld, SourceMap};
//!
//! let text = "$name = \"motd\"\nfile \"/etc/${name}\" {\n\tstate => \"exists\",\n}\n";
//! let input = Input::Text("/main.mcl".into(), text.into());
//! let (world, sources) = (MemoryWorld::default(), SourceMap::new());
//! let compiled = compile(&world, &sources, &input, &Options::default(), &Memory::default())
//!     .map_err(|refused| refused.first(&sources).1)?;
//! assert_eq!(compiled.resources.lines(), ["Vertex: file[/etc/motd]"]);
//! # Ok::<(), String>(())
//! ```
//!
//! The crate must not know: files and the machine (a [`World`](ordain_source::World) and
//! [`functions::Environment`] provide them), command lines, terminals, and the other languages.
//! Nothing here plans or applies a graph.
//!
//! Modules, from the top floor down; a module imports only modules of the floors below:
//!
//! | module | contents |
//! | --- | --- |
//! | [`stream`], [`mod@language`] | one graph after the other; the language for verbs of all languages |
//! | [`session`], [`explain`] | a program up to its first graph; the origin of a value |
//! | [`lower`] | resources as a graph for the engine |
//! | [`graph`], [`exports`] | graph building: the function graph of a program, and resources from its values; resources for other hosts |
//! | `elaborate` | types inferred, all modules as one program ([`ir`]) |
//! | [`check`] | the shape of statements, names, modules |
//! | [`failure`], [`codes`] | errors and diagnostic codes |
//! | [`syntax`], [`mod@fmt`], [`eval`] | the parser, the formatter; evaluation: the incremental function engine |
//! | [`template`], [`functions`] | Go's templates, and the built-in functions |
//! | [`resources`] | the kinds of resources with their fields |
//! | [`types`], [`value`], `plain_data`, `edition` | types, values, and versions of the language |

#![forbid(unsafe_code)]

pub mod check;
pub mod codes;
mod edition;
mod elaborate;
pub mod eval;
pub mod explain;
pub mod exports;
pub mod failure;
pub mod fmt;
pub mod functions;
pub mod graph;
pub mod ir;
pub mod language;
pub mod lower;
mod plain_data;
pub mod resources;
pub mod session;
pub mod stream;
pub mod syntax;
pub mod template;
pub mod types;
pub mod value;

pub use edition::Edition;
pub use language::Mcl;
