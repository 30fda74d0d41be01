//! The analysis of sources for editors, and a language server.
//!
//! - [`Workspace`]: the files of an editor and of the disk, and their diagnostics
//! - [`Analysis`]: a snapshot of the files: outline, definitions, references, hover, completion, rename
//! - [`server`]: the language server protocol over both
//!
//! ```
//! use std::path::Path;
//!
//! use ordain_ide::{Settings, Workspace};
//!
//! let mut workspace = Workspace::new(Vec::new(), Settings::default())?;
//! let path = Path::new("/site/site.pp");
//! workspace.set_text(path, "class web($port) { notice($porr) }");
//! workspace.check(path);
//! let analysis = workspace.analysis();
//! assert_eq!(analysis.outline(path)[0].name, "web");
//! assert_eq!(analysis.completions(path, 30).items[0].label, "port");
//! # Ok::<(), ordain_ide::Error>(())
//! ```
//!
//! Parsers need a stack of several hundred kilobytes for nested texts, up to
//! [`ordain_driver::check::STACK_SIZE`] for hostile ones. [`server`] runs on such a stack.
//!
//! Only [`server`] knows the protocol, and only [`Job`] reads directories. The crate must not know
//! arguments, terminals, and how anything is compiled.

mod actions;
mod analysis;
mod by_words;
mod error;
mod file;
mod hints;
mod language;
mod lines;
mod node;
mod puppet;
pub mod server;
mod snapshot;
mod types;
mod usage;
mod words;
mod workspace;

pub use error::Error;
pub use language::Language;
pub use lines::{Lines, Position};
pub use node::NodeSettings;
pub use snapshot::Analysis;
pub use types::{
    Action, CallItem, CompletionItem, Completions, Edit, Fold, Hover, InlayHint, ItemKind, Lens,
    Link, OutlineItem, Place, Report, SignatureHelp, SignatureText, Token, TokenKind,
};
pub use usage::{FinishedUsage, UsageJob};
pub use workspace::{Finished, Job, Settings, Workspace};
