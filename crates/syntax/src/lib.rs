//! The parsing toolkit that every front end's parser is built on. No language is known here.

pub mod arena;

pub use arena::{Arena, Idx, ListRef};
