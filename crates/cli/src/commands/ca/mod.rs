//! `ordain ca`: administrates the certificate authority of a fleet.

mod common;
mod generate;
mod list;
mod output;
mod revoke;
mod setup;
mod sign;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Administrate the certificate authority of `ordain serve`
///
/// The authority is a directory with the layout of puppetserver's `ssl/ca`: `--ca-dir` may name
/// one of puppetserver. A server on this directory may run meanwhile; it sees changes at once.
#[derive(Args)]
pub(crate) struct CaArgs {
    #[command(subcommand)]
    command: CaCommand,
}

/// The subcommands.
#[derive(Subcommand)]
enum CaCommand {
    Setup(setup::SetupArgs),
    Import(setup::ImportArgs),
    Export(setup::ExportArgs),
    List(list::ListArgs),
    Sign(sign::SignArgs),
    Revoke(revoke::RevokeArgs),
    Clean(revoke::CleanArgs),
    Generate(generate::GenerateArgs),
    Renew(sign::RenewArgs),
    Prune(revoke::PruneArgs),
    Show(list::ShowArgs),
}

/// Runs the subcommand.
///
/// # Errors
/// When the subcommand fails.
pub(super) fn run(ui: &mut Ui, args: &CaArgs) -> Result<Exit, Failure> {
    match &args.command {
        CaCommand::Setup(args) => setup::setup(ui, args),
        CaCommand::Import(args) => setup::import(ui, args),
        CaCommand::Export(args) => setup::export(ui, args),
        CaCommand::List(args) => list::list(ui, args),
        CaCommand::Sign(args) => sign::sign(ui, args),
        CaCommand::Revoke(args) => revoke::revoke(ui, args),
        CaCommand::Clean(args) => revoke::clean(ui, args),
        CaCommand::Generate(args) => generate::run(ui, args),
        CaCommand::Renew(args) => sign::renew(ui, args),
        CaCommand::Prune(args) => revoke::prune(ui, args),
        CaCommand::Show(args) => list::show(ui, args),
    }
}
