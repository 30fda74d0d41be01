//! The resources of a model: what `inmanta export` writes.

mod id;

pub use id::{Id, identity};
