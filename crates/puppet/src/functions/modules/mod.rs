//! Functions that much used modules bring in Ruby, native: without them the modules do not compile.
//!
//! A file per module, or per family of modules. What is not here is an error that names the Ruby
//! file of the function.

pub mod apache;
pub mod databases;
pub mod helpers;
