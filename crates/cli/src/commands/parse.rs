//! `ordain parse`: prints syntax trees.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ordain_puppet::syntax::{self, dump, pn};
use ordain_source::{Severity, SourceMap, render};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use ordain_driver::puppet;

/// Parse a file and print its syntax tree
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain parse site.pp
  ordain parse motd.epp --format json
  echo '$a = 1' | ordain parse - --format pn")]
pub(crate) struct ParseArgs {
    /// A manifest, a template (.epp), or -
    file: PathBuf,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "tree")]
    format: Format,
    /// The file is a template, whatever its name
    #[arg(long)]
    epp: bool,
}

/// The output format of a syntax tree.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per node
    Tree,
    /// A document
    Json,
    /// Puppet's S-expressions, on one line
    Pn,
}

/// Parses a file and prints its syntax tree.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn run(ui: &mut Ui, args: &ParseArgs) -> Result<Exit, Failure> {
    let (path, text) = if args.file == Path::new("-") {
        (Path::new(""), puppet::read_stdin()?)
    } else {
        let path = args.file.as_path();
        (path, ordain_source::read_input_text(path).map_err(|e| codes::unreadable(path, &e))?)
    };
    let sources = SourceMap::new();
    let file = sources.add(path, text.as_str());
    let is_template = args.epp || path.extension().is_some_and(|e| e.eq_ignore_ascii_case("epp"));
    let parsed =
        if is_template { syntax::parse_epp(file, text) } else { syntax::parse(file, text) };
    let failed = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
    match args.format {
        Format::Json => {
            let mut out = dump::json(&parsed.program);
            out["ok"] = json!(!failed);
            let diagnostics = parsed.diagnostics.iter().map(|d| render::json(d, &sources));
            out["diagnostics"] = diagnostics.collect::<Json>();
            writeln!(ui.document(), "{out}")?;
        }
        Format::Tree | Format::Pn => {
            ui.diagnostics(parsed.diagnostics, &sources);
            if !failed {
                let text = match args.format {
                    Format::Pn => pn::print(&parsed.program) + "\n",
                    _ => dump::tree(&parsed.program),
                };
                ui.out().write_all(text.as_bytes())?;
            }
        }
    }
    Ok(if failed { Exit::Failed } else { Exit::Done })
}
