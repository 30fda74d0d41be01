//! Native versions of functions that popular modules have in Ruby; without them the modules do not
//! compile.
//!
//! There is a file per module, or per family of modules. Functions that are missing here are errors
//! that name their Ruby file.

pub mod apache;
pub mod databases;
pub mod helpers;
pub mod puppetdb;
