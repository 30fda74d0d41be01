//! `concat_file` and `concat_fragment`: a file that is made of parts declared elsewhere.
//!
//! A `concat_file` itself is never changed: it generates a `file` with the content.

mod content;
mod file;
mod fragment;

pub use file::ConcatFile;
pub use fragment::ConcatFragment;
