//! Tests of the engine over whole graphs, each in a directory that stands for the machine.
#![allow(clippy::unwrap_used, missing_docs)]

mod batch;
mod context;
mod danger;
mod deferred;
mod dhcp;
mod exec;
mod file;
mod file_recurse;
mod file_web;
mod keep;
mod life;
mod network;
mod notify;
mod run;
mod saved;
mod secrets;
mod speed;
mod support;
