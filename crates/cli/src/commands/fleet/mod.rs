//! `ordain fleet`: works on all nodes of a fleet.

mod common;
mod diff;
mod facts;
mod nodes;
mod reports;
mod table;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Compare, list and explain the nodes of a fleet
#[derive(Args)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

/// The subcommands.
#[derive(Subcommand)]
enum FleetCommand {
    Diff(diff::FleetDiffArgs),
    Nodes(nodes::NodesArgs),
    Facts(facts::FactsArgs),
    Reports(reports::ReportsArgs),
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
    }
}
