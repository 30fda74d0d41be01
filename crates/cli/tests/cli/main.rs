//! The program as users run it, in one executable, since each takes seconds to link.

#![allow(clippy::unwrap_used)]

mod agent;
mod agents;
mod apply;
mod canary;
mod check_runs_nothing;
mod codes;
mod danger;
mod deploy;
mod ecore;
mod editor;
mod example;
mod fleet_workers;
mod help;
mod kinds;
mod offline;
mod plan_reads_only;
mod processes;
mod schemas;
mod state;
mod watch;
mod web_inputs;
