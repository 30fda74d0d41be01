//! From sources to graphs.

#![allow(clippy::unwrap_used)]

mod origins;
mod records;
mod session;
mod sources;
