//! Functions of Go's standard library on plain texts and numbers.
//!
//! Texts are bytes here, as in Go; most are UTF-8.

pub mod base64;
pub mod duration;
pub mod html;
pub mod layout;
pub mod net;
pub mod number;
pub mod path;
pub mod printf;
pub mod quote;
pub mod regexp;
pub mod strings;
pub mod url;
