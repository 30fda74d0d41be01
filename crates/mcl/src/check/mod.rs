//! Everything that is checked before types are: shape, names, modules.

pub mod constants;
pub mod init;
pub mod names;
pub mod order;
pub mod program;
pub mod protected;
pub mod scope;
mod still;
