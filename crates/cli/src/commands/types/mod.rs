//! `ordain types`: resource types in Ruby and types of the language, in their forms.

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
pub struct TypesArgs {
    #[command(subcommand)]
    command: TypesCommand,
}

/// What to do with types.
#[derive(Subcommand)]
enum TypesCommand {
    Generate(generate::GenerateArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    FromRuby(from_ruby::FromRubyArgs),
    Load(instances::LoadArgs),
    Save(instances::SaveArgs),
}

/// Does what is asked for.
///
/// # Errors
/// Whatever keeps it from its end.
pub fn run(ui: &mut Ui, args: &TypesArgs) -> Result<Exit, Failure> {
    match &args.command {
        TypesCommand::Generate(args) => generate::run(ui, args),
        TypesCommand::Export(args) => export::run(ui, args),
        TypesCommand::Import(args) => import::run(ui, args),
        TypesCommand::FromRuby(args) => from_ruby::run(ui, args),
        TypesCommand::Load(args) => instances::load(ui, args),
        TypesCommand::Save(args) => instances::save(ui, args),
    }
}
