//! Files, spans, diagnostics and the outside world: the base of every front end and of the engine.
//!
//! It owns the identity of source files ([`SourceMap`]), places in them ([`Span`]), the diagnostic
//! type ([`Diagnostic`]) with its renderers, and [`World`], through which all input and output of a
//! compile goes.
//!
//! ```
//! use ordain_source::{Diagnostic, SourceMap, TextRange};
//!
//! let sources = SourceMap::new();
//! let file = sources.add("site.pp", "notice(x)\n");
//! let error = Diagnostic::error("demo::name", "unknown name").at(TextRange::new(7, 8).in_file(file));
//! assert_eq!(error.primary.map(|label| label.span.range.start), Some(7));
//! ```
//!
//! The crate must not know: languages, values, resources.

mod address;
pub mod budget;
mod cached;
pub mod child_session;
pub mod ci;
pub mod diagnostic;
mod exceeded;
pub mod files;
pub mod fix;
pub mod inputs;
pub mod layer;
pub mod limits;
mod parse_cache;
pub mod places;
pub mod printable;
pub mod process;
pub mod render;
mod reuse;
mod shorten;
pub mod suggest;
pub mod world;

pub use address::{HttpStatus, is_web, with_masked_passwords, without_passwords};
pub use cached::CachedWorld;
pub use child_session::{ChildSession, ChildSessionRequest};
pub use diagnostic::{CodeDoc, Diagnostic, Label, Severity};
pub use files::{FileId, LineCol, SourceFile, SourceMap, Span, TextRange};
pub use fix::{Edit, Fix, Safety};
pub use layer::{Buffers, FileLayer, LayeredWorld};
pub use places::PlaceMap;
pub use printable::{printable, printable_line};
pub use process::{ProcessOutput, ProcessRequest};
pub use shorten::shortened;
pub use world::{
    EntryKind, Fetch, HostWorld, MemoryWorld, TouchedPaths, World, read_input, read_input_text,
    read_standard_input,
};
