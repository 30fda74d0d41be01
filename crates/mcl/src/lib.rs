//! The front end for mcl, the language of mgmt.
//!
//! A program becomes a graph of functions whose values change over time. Each complete set of
//! values yields a graph of resources:
//!
//! ```
//! use ordain_mcl::functions::surroundings::Memory;
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
//! The crate must not know: files and the machine (they are reached through a
//! [`World`](ordain_source::World) and through [`functions::Surroundings`]), command lines,
//! terminals, and the other languages. Nothing here plans or applies a graph.
//!
//! Modules, from the top floor down; a module imports only modules of the floors below:
//!
//! | module | contents |
//! | --- | --- |
//! | [`session`], [`stream`] | a program to its first graph, and to one graph after the other |
//! | [`mod@language`], [`explain`] | the language as the verbs for all languages see it |
//! | [`lower`], [`exports`] | resources as a graph for the engine, and for other hosts |
//! | [`graph`] | graph building: the function graph of a program, and resources from its values |
//! | `elaborate` | types inferred, all modules as one program ([`ir`]) |
//! | [`check`] | the shape of statements, names, modules |
//! | [`eval`] | evaluation: the incremental function engine |
//! | [`template`], [`functions`] | Go's templates, and the built-in functions |
//! | [`resources`] | the kinds of resources with their fields |
//! | [`syntax`], [`mod@fmt`] | text to tree, and the formatter |
//! | [`types`], [`value`] | types and values |

#![forbid(unsafe_code)]

pub mod check;
pub mod codes;
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
pub mod resources;
pub mod session;
pub mod stream;
pub mod syntax;
pub mod template;
pub mod types;
pub mod value;

pub use language::Mcl;

/// The version of the language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Edition {
    /// The language of the original, with the forms that its last releases and its guide accept.
    #[default]
    Wide,
    /// Exactly the language of the original.
    Upstream,
}
