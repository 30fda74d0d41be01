//! `ordain types`: works with types of the language and resource types in Ruby.

mod export;
mod from_ruby;
mod generate;
mod import;
mod instances;
mod output;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Work with types of the language and of modules in Ruby
#[derive(Args)]
pub(crate) struct TypesArgs {
    #[command(subcommand)]
    command: TypesCommand,
}

/// The subcommands for types.
#[derive(Subcommand)]
enum TypesCommand {
    Generate(generate::GenerateArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    FromRuby(from_ruby::FromRubyArgs),
    Load(instances::LoadArgs),
    Save(instances::SaveArgs),
}

/// Runs the subcommand.
///
/// # Errors
/// When the subcommand fails.
pub(super) fn run(ui: &mut Ui, args: &TypesArgs) -> Result<Exit, Failure> {
    match &args.command {
        TypesCommand::Generate(args) => generate::run(ui, args),
        TypesCommand::Export(args) => export::run(ui, args),
        TypesCommand::Import(args) => import::run(ui, args),
        TypesCommand::FromRuby(args) => from_ruby::run(ui, args),
        TypesCommand::Load(args) => instances::load(ui, args),
        TypesCommand::Save(args) => instances::save(ui, args),
    }
}
