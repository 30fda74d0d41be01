//! The parsing toolkit that every front end's parser is built on. No language is known here.
//!
//! | module | what it is for |
//! | --- | --- |
//! | [`arena`] | trees of nodes with ids |
//! | [`cursor`] | reading a text character by character, and going back |
//! | [`nesting`] | bounds on depth and attempts |
//! | [`operators`] | expressions with operators by precedence |
//!
//! Places in texts that were made of others, such as what stands in quotes, are
//! [`ordain_source::PlaceMap`]s.

pub mod arena;
pub mod cursor;
pub mod nesting;
pub mod operators;

pub use arena::{Arena, Idx, ListRef};
pub use cursor::Cursor;
pub use nesting::{Nesting, TooDeep};
