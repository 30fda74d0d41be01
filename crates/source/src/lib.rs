//! Files, spans, diagnostics and the outside world: what every front end and the engine share.
//!
//! This crate knows no language. It owns the identity of source files ([`SourceMap`]), places in
//! them ([`Span`]), the one diagnostic type ([`Diagnostic`]) with its renderers, and [`World`],
//! through which all input and output of a compile goes.

mod address;
pub mod budget;
mod cached;
pub mod ci;
pub mod diagnostic;
pub mod files;
pub mod layer;
pub mod limits;
mod peer;
pub mod places;
pub mod printable;
pub mod process;
pub mod render;
mod reuse;
mod shorten;
pub mod suggest;
pub mod world;

pub use address::{is_web, with_masked_passwords, without_passwords};
pub use cached::CachedWorld;
pub use diagnostic::{CodeDoc, Diagnostic, Label, Severity};
pub use files::{FileId, LineCol, SourceFile, SourceMap, Span, TextRange};
pub use layer::{Buffers, FileLayer, LayeredWorld};
pub use places::PlaceMap;
pub use printable::{printable, printable_line};
pub use shorten::shortened;
pub use world::{
    EntryKind, Fetch, HostWorld, MemoryWorld, Peer, PeerRequest, ProcessOutput, ProcessRequest,
    Touched, World, read_input, read_input_text, read_standard_input,
};
