//! The front end for mcl, the language of mgmt.

#![forbid(unsafe_code)]

pub mod engine;
pub mod functions;
pub mod template;
pub mod types;
pub mod value;
