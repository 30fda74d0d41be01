//! `ordain agent`: applies the graph that a server compiles, and keeps it true.

mod args;
mod common;
mod graph;
mod link;
mod once;
mod restart;
mod shared;
mod watch_loop;

use std::sync::Arc;

use ordain_agent::Home;

use crate::exit::{Exit, Failure};
use crate::runs;
use crate::ui::Ui;
pub(crate) use args::AgentArgs;

/// Runs the agent.
///
/// # Errors
/// When a setting is wrong, another run holds the lock, or with `--once` the run fails.
pub(crate) fn run(ui: &mut Ui, args: &AgentArgs) -> Result<Exit, Failure> {
    let settings = args.settings()?;
    let dir = runs::state_dir(settings.state_dir.as_deref())?;
    let home = Home::open(&dir.join("agent"), &settings.key_file);
    let home = Arc::new(home.map_err(|error| graph::error(&error))?);
    restart::restart_on_panic(&home);
    match args.once {
        true => once::run(ui, args, &settings, &home),
        false => watch_loop::run(ui, args, settings, &home),
    }
}
