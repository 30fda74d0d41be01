//! `ordain fleet`: works on all nodes of a fleet.

mod common;
mod compile;
mod diff;
mod drift;
mod facts;
mod nodes;
mod pin;
mod reports;
mod run;
mod table;
mod why;
mod worker;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

pub(super) use common::{cache_dir, failure};
pub(super) use compile::FleetCompileArgs;
pub(super) use worker::{WorkerArgs, run as run_worker};

/// Compare, list and explain the nodes of a fleet
#[derive(Args)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

/// The subcommands.
#[derive(Subcommand)]
enum FleetCommand {
    Diff(Box<diff::FleetDiffArgs>),
    Nodes(nodes::NodesArgs),
    Facts(facts::FactsArgs),
    Reports(reports::ReportsArgs),
    Drift(drift::DriftArgs),
    Why(why::WhyArgs),
    Run(run::RunArgs),
    Pin(pin::PinArgs),
    Unpin(pin::UnpinArgs),
    Deactivate(pin::DeactivateArgs),
}

/// Runs the verb.
///
/// # Errors
/// When the verb fails.
pub(super) fn run(ui: &mut Ui, args: &FleetArgs) -> Result<Exit, Failure> {
    match &args.command {
        FleetCommand::Diff(args) => diff::run(ui, args),
        FleetCommand::Nodes(args) => nodes::run(ui, args),
        FleetCommand::Facts(args) => facts::run(ui, args),
        FleetCommand::Reports(args) => reports::run(ui, args),
        FleetCommand::Drift(args) => drift::run(ui, args),
        FleetCommand::Why(args) => why::run(ui, args),
        FleetCommand::Run(args) => run::run(ui, args),
        FleetCommand::Pin(args) => pin::pin(ui, args),
        FleetCommand::Unpin(args) => pin::unpin(ui, args),
        FleetCommand::Deactivate(args) => pin::deactivate(ui, args),
    }
}
