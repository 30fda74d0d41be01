//! Checks before type inference: shape, names, modules.

pub mod constants;
pub mod init;
mod literal_typer;
pub mod names;
pub mod order;
mod print;
pub mod program;
pub mod protected;
pub mod scope;
