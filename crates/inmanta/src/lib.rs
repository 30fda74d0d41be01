//! The front end for Inmanta's model language.

#![forbid(unsafe_code)]
