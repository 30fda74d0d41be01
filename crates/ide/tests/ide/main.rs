//! Tests of the analysis and of the protocol.
#![allow(clippy::unwrap_used)]

mod cases;
mod hostile;
mod incremental;
mod protocol;
