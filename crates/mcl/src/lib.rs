//! The front end for mcl, the language of mgmt.

#![forbid(unsafe_code)]
