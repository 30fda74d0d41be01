//! `ordain types export`: writes types of the language in other formats.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ordain_ecore as ecore;
use ordain_puppet::load::GENERATED_TYPES;
use ordain_puppet::syntax;
use ordain_puppet::types::models::{self, TypeModel};
use ordain_puppet_tools::exchange::aliases::Aliases;
use ordain_puppet_tools::exchange::to_ecore::{Code, to_ecore};
use ordain_puppet_tools::exchange::{generated, logic, schema};
use ordain_source::{Diagnostic, Severity, SourceMap};

use super::output::{write, write_file};
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// The maximum depth of directories; it ends a cycle of links.
const MAX_DEPTH: usize = 64;

/// Write the types of files and modules as an Ecore model, a JSON Schema, or in the language
///
/// Types are those that are written as `type X { ... }`, and those that `ordain types generate`
/// wrote to .resource_types. Directories are searched for both.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain types export modules/accounts --out accounts.ecore
  ordain types export types.pp --format json-schema
  ordain types export .resource_types --format puppet")]
pub(super) struct ExportArgs {
    /// Files and directories
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "ecore")]
    format: Format,
    /// The file to write, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the code of the types to a file of its own, and none into the Ecore model
    #[arg(long, value_name = "FILE")]
    logic: Option<PathBuf>,
    /// Module directories with type aliases, separated by colons
    #[arg(long, value_name = "DIRS", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
}

/// The output format of types.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Format {
    /// An Ecore model, XMI 2.0
    Ecore,
    /// JSON Schema, draft 2020-12, of documents with instances
    JsonSchema,
    /// The language itself, formatted
    Puppet,
}

/// Exports types.
///
/// # Errors
/// When a file cannot be read or has errors, a type refers to an unknown one, or the result cannot
/// be written.
pub(super) fn run(ui: &mut Ui, args: &ExportArgs) -> Result<Exit, Failure> {
    if args.logic.is_some() && args.format != Format::Ecore {
        let text = "--logic requires --format ecore: the other formats cannot contain code, or contain it already";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let load = |name: &str| alias_file(&args.modulepath, name);
    let mut aliases = Aliases::new(&load);
    let models = read(ui, &args.paths, &mut aliases)?;
    let refused = |why: String| Failure::from(Diagnostic::error(codes::TYPES, why));
    let text = match args.format {
        Format::Puppet => models::write(&models),
        Format::Ecore => {
            let code = if args.logic.is_some() { Code::Elsewhere } else { Code::Annotations };
            let package = to_ecore(&models, code).map_err(refused)?;
            if let Some(path) = &args.logic {
                write_file(path, &format!("{:#}\n", logic::document(&models)))?;
            }
            ecore::write(&[package])
        }
        Format::JsonSchema => {
            let found = schema::schema(&models, &mut |name| aliases.find(name)).map_err(refused)?;
            let notes = found.notes.into_iter().map(|note| Diagnostic::warning(codes::TYPES, note));
            ui.diagnostics(notes.collect(), &SourceMap::new());
            format!("{:#}\n", found.json)
        }
    };
    write(ui, args.out.as_ref(), &text)?;
    Ok(Exit::Done)
}

/// Reads the types in files and directories.
fn read(
    ui: &mut Ui,
    paths: &[PathBuf],
    aliases: &mut Aliases<'_>,
) -> Result<Vec<TypeModel>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        find(path, 0, &mut files)?;
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    let sources = SourceMap::new();
    let mut found = Vec::new();
    let mut models: Vec<TypeModel> = Vec::new();
    for path in files {
        let text =
            ordain_source::read_input_text(&path).map_err(|e| codes::unreadable(&path, &e))?;
        let file = sources.add(&path, text.as_str());
        let parsed = syntax::parse(file, text);
        aliases.add(&parsed.program);
        if let Some(model) = generated::model(&parsed.program) {
            models.push(model);
            continue;
        }
        let errors = parsed.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
        found.extend(errors);
        models.extend(models::models(&parsed.program));
    }
    let bad = found.iter().any(|d| d.severity == Severity::Error);
    ui.diagnostics(found, &sources);
    if bad {
        return Err(Failure::Shown);
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = models.iter().find(|model| !names.insert(model.name.clone())) {
        let text = format!("the type '{}' is defined twice", twice.name);
        let error = Diagnostic::error(codes::TYPES, text);
        return Err(match twice.span {
            Some(span) => {
                ui.diagnostics(vec![error.at(span)], &sources);
                Failure::Shown
            }
            None => error.into(),
        });
    }
    if models.is_empty() {
        return Err(Diagnostic::error(codes::TYPES, "there is no type in these files").into());
    }
    Ok(models)
}

/// Adds the manifests of a directory that may define types, sorted.
fn find(path: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    if !path.is_dir() {
        out.push(path.to_path_buf());
        return Ok(());
    }
    let failed = |e| codes::io(&format!("cannot read {}", path.display()), &e);
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if entry.is_dir() {
            if !name.starts_with('.') || name == GENERATED_TYPES {
                find(&entry, depth + 1, out)?;
            }
        } else if entry.extension().is_some_and(|e| e == "pp") {
            out.push(entry);
        }
    }
    Ok(())
}

/// The text of the file that must define a name, in one of the directories of modules.
fn alias_file(modulepath: &[PathBuf], name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let (module, rest) = name.split_once("::")?;
    let sound = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    if !name.split("::").all(sound) {
        return None;
    }
    let below = Path::new(module).join("types").join(format!("{}.pp", rest.replace("::", "/")));
    modulepath.iter().find_map(|dir| ordain_source::read_input_text(&dir.join(&below)).ok())
}
