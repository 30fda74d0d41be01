//! Tools on top of the Puppet front end: static checks and the exchange of types.
//!
//! - [`Puppet`]: the language for commands that work on every language, such as `ordain check`
//! - [`absence`]: why a catalog does not have a resource
//! - [`check`]: lint of single files, and checks over all files of a repository
//! - [`puppet_lint`]: the checks of puppet-lint with its findings, and fixes
//! - [`exchange`]: types to and from Ecore, JSON Schema, Ruby and plain data
//! - [`codes`]: the documentation of all diagnostic codes of the language
//!
//! The crate reads programs through [`ordain_puppet`], which knows nothing of it, and evaluates only
//! the definitions of types that a check needs. It must not know the engine, command lines, or how a
//! catalog is made; files come through the `World`.
//!
//! ```
//! use ordain_puppet::syntax;
//! use ordain_puppet_tools::check::lint;
//! use ordain_source::FileId;
//!
//! let program = syntax::parse(FileId(0), "case $x { defualt: { } }").program;
//! let found = lint(&program);
//! assert_eq!(found[0].help, ["did you mean `default`?"]);
//! ```

pub mod absence;
pub mod check;
pub mod codes;
pub mod exchange;
mod language;
pub mod puppet_lint;

pub use language::Puppet;
