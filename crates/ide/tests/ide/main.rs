//! Tests of the analysis and of the protocol.
#![allow(clippy::unwrap_used)]

mod cases;
mod edits;
mod hostile;
mod incremental;
mod protocol;
