//! `ordain fleet`: works on all nodes of a fleet.

mod diff;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Compare what the sources declare on all nodes of a fleet
#[derive(Args)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

/// The subcommands.
#[derive(Subcommand)]
enum FleetCommand {
    Diff(diff::FleetDiffArgs),
}

/// Runs the verb.
///
/// # Errors
/// When the verb fails.
pub(super) fn run(ui: &mut Ui, args: &FleetArgs) -> Result<Exit, Failure> {
    match &args.command {
        FleetCommand::Diff(args) => diff::run(ui, args),
    }
}
