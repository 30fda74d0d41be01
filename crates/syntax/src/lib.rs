//! The parsing toolkit of every front end.
//!
//! ```
//! use ordain_syntax::Arena;
//!
//! let mut nodes: Arena<&str> = Arena::default();
//! let id = nodes.push("leaf");
//! assert_eq!(nodes[id], "leaf");
//! ```
//!
//! The crate must not know: languages, values, files.
//!
//! | module | contents |
//! | --- | --- |
//! | [`arena`] | trees of nodes with ids |
//! | [`cursor`] | reading a text character by character, and going back |
//! | [`nesting`] | bounds on depth and attempts |
//! | [`operators`] | expressions with operators by precedence |
//! | [`recovery`] | further errors of a text behind its first syntax error |
//!
//! Places in decoded texts, such as the content of quotes, are `PlaceMap`s of `ordain-source`.

pub mod arena;
pub mod cursor;
pub mod nesting;
pub mod operators;
pub mod recovery;

pub use arena::{Arena, Idx, ListRef};
pub use cursor::Cursor;
pub use nesting::{Nesting, TooDeep};
pub use recovery::{StatementLines, StatementPart};
