//! `ordain types load` and `save`: read and write documents with instances of types.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ordain_data::{Value as Data, json, yaml};
use ordain_puppet::session::{evaluate, load_objects};
use ordain_puppet::types::models;
use ordain_source::{Diagnostic, Severity};

use super::output::write;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::CompileArgs;
use crate::ui::Ui;
use ordain_driver::private_file;
use ordain_driver::puppet::{self, Input};

/// Read a document with instances of types, check it, and write it again
///
/// Values, checks, invariants and links are tested as when the instances are made. Documents are JSON
/// or YAML; an object has the name of its type as __ptype.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain types load accounts.json --types accounts.pp
  ordain types load accounts.yaml --types environments/production --format json")]
pub(super) struct LoadArgs {
    /// The document
    file: PathBuf,
    /// The manifest, or the directory of the environment, that defines the types
    #[arg(long, value_name = "PATH")]
    types: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    compile: CompileArgs,
}

/// Write the instances that an expression gives as a document
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain types save -e \"Account.new { name => 'eva' }\" --types accounts.pp
  ordain types save -e '[$a, $b]' --types site.pp --format yaml")]
pub(super) struct SaveArgs {
    /// The expression
    #[arg(short, long, value_name = "CODE")]
    expression: String,
    /// The manifest, or the directory of the environment, that defines the types
    #[arg(long, value_name = "PATH")]
    types: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    compile: CompileArgs,
}

/// The output of a document.
#[derive(Args)]
struct OutputArgs {
    /// The form of the document
    #[arg(long, value_name = "FORM", default_value = "json")]
    format: Format,
    /// The file to write, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The output format of a document.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Format {
    /// JSON
    Json,
    /// YAML
    Yaml,
}

impl OutputArgs {
    fn write(&self, ui: &mut Ui, data: &Data) -> Result<(), Failure> {
        let text = match self.format {
            Format::Json => json::pretty(data) + "\n",
            Format::Yaml => yaml::psych::write(data),
        };
        match &self.out {
            // A document has secrets in plain text: without them it could not be loaded.
            Some(path) if data.holds_secret() => {
                let written =
                    private_file::create(path).and_then(|mut out| out.write_all(text.as_bytes()));
                let failed = |e| codes::io(&format!("cannot write {}", path.display()), &e);
                Ok(written.map_err(failed)?)
            }
            out => write(ui, out.as_ref(), &text),
        }
    }
}

/// Reads a document, checks it and writes it.
///
/// # Errors
/// When the document or the types cannot be read.
pub(super) fn load(ui: &mut Ui, args: &LoadArgs) -> Result<Exit, Failure> {
    let (data, text) = document(&args.file)?;
    let Input { env, settings, node, sources, .. } =
        puppet::open(ui, Some(&args.types), &args.compile.options())?;
    let (written, report) = load_objects(&env, settings, &node, &data, (&args.file, &text));
    ui.logs(&report.logs, &sources);
    let bad = report.diagnostics.iter().any(|d| d.severity == Severity::Error);
    ui.diagnostics(report.diagnostics, &sources);
    match written {
        Some(data) if !bad => {
            args.output.write(ui, &data)?;
            Ok(Exit::Done)
        }
        _ => Ok(Exit::Failed),
    }
}

/// The data and the text of a document. The file extension selects JSON or YAML.
fn document(path: &Path) -> Result<(Data, String), Failure> {
    let text = ordain_source::read_input_text(path).map_err(|e| codes::unreadable(path, &e))?;
    let found = match path.extension().is_some_and(|e| e == "json") {
        true => json::read(&text).map_err(|e| codes::document(path, e)),
        false => yaml::read(&text, yaml::Schema::Core).map_err(|e| codes::document(path, e)),
    };
    let data = found?;
    let objects = match &data {
        Data::List(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    if objects.iter().all(|one| one.get("__ptype").is_some()) {
        return Ok((data, text));
    }
    let text = "an object has no __ptype, the name of its type";
    Err(codes::document(path, text).into())
}

/// Evaluates an expression and writes its value as a document.
///
/// # Errors
/// When the types cannot be read.
pub(super) fn save(ui: &mut Ui, args: &SaveArgs) -> Result<Exit, Failure> {
    let Input { env, settings, node, sources, .. } =
        puppet::open(ui, Some(&args.types), &args.compile.options())?;
    let found = evaluate(&env, settings, &node, Path::new("expression"), &args.expression);
    ui.logs(&found.report.logs, &sources);
    ui.diagnostics(found.report.diagnostics, &sources);
    let Some(value) = found.value else { return Ok(Exit::Failed) };
    let (data, dangling) = models::document(&value);
    let is_object = |one: &Data| one.get("__ptype").is_some();
    let is_good = match &data {
        Data::List(items) => items.iter().all(is_object),
        single => is_object(single),
    };
    if !is_good {
        let text = "the expression gives no instance of a type, and no list of them";
        return Err(Diagnostic::error(codes::TYPES, text).into());
    }
    if !dangling.is_empty() {
        let text =
            format!("links lead to objects that are not in the document: {}", dangling.join(", "));
        let help = "write these too: `-e '[$a, $b]'`";
        return Err(Diagnostic::error(codes::TYPES, text).help(help).into());
    }
    args.output.write(ui, &data)?;
    Ok(Exit::Done)
}
