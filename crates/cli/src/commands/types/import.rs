//! `ordain types import`: translates Ecore models to types of the language.

use std::path::PathBuf;

use clap::Args;
use ordain_ecore as ecore;
use ordain_puppet::types::models;
use ordain_puppet_tools::exchange::from_ecore::from_ecore;
use ordain_puppet_tools::exchange::logic;
use ordain_source::{Diagnostic, SourceMap};

use super::output::write;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Write the classes of an Ecore model as types of the language
///
/// A model that `ordain types export` wrote becomes the types that it was made of. Parts of
/// models of other tools that the language does not support are left out with a warning.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain types import library.ecore --out library.pp
  ordain types import accounts.ecore --logic accounts.json")]
pub(super) struct ImportArgs {
    /// The .ecore file
    file: PathBuf,
    /// The file to write, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The code of the types, if the model is free of it
    #[arg(long, value_name = "FILE")]
    logic: Option<PathBuf>,
}

/// Imports a model.
///
/// # Errors
/// When the file cannot be read or is no Ecore model.
pub(super) fn run(ui: &mut Ui, args: &ImportArgs) -> Result<Exit, Failure> {
    let read = |path: &PathBuf| {
        ordain_source::read_input(path).map_err(|e| Failure::from(codes::unreadable(path, &e)))
    };
    let bytes = read(&args.file)?;
    let text = ecore::decode(&bytes).map_err(|why| codes::document(&args.file, why))?;
    let sources = SourceMap::new();
    let file = sources.add(&args.file, &*text);
    let name = args.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let document = match ecore::read(&text, name.as_deref()) {
        Ok(document) => document,
        Err(problem) => {
            let error = Diagnostic::error(codes::ECORE, problem.message);
            ui.diagnostics(vec![error.at(problem.range.in_file(file))], &sources);
            return Ok(Exit::Failed);
        }
    };
    let mut found = from_ecore(&document.packages, args.logic.is_some())
        .map_err(|why| codes::document(&args.file, why))?;
    if let Some(path) = &args.logic {
        let json = serde_json::from_slice(&read(path)?).map_err(|e| codes::document(path, e))?;
        logic::put(&mut found.models, &json).map_err(|why| codes::document(path, why))?;
    }
    let left_out = document
        .left_out
        .into_iter()
        .map(|one| Diagnostic::warning(codes::ECORE, one.message).at(one.range.in_file(file)));
    let notes = found.notes.into_iter().map(|note| Diagnostic::warning(codes::ECORE, note));
    ui.diagnostics(left_out.chain(notes).collect(), &sources);
    write(ui, args.out.as_ref(), &models::write(&found.models))?;
    Ok(Exit::Done)
}
