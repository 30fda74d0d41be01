//! `ordain merge` and `ordain process`: templates of spiff and spiff++.

use std::io::Write;

use clap::{Args, ValueEnum};
use ordain_dynaml::diagnose;
use ordain_dynaml::eval::Dialect;
use ordain_source::SourceMap;

use crate::exit::{Exit, Failure};
use crate::merging::{self, MergeFlags, Run, Trouble};
use crate::ui::Ui;

/// Merge a dynaml template with stubs and print the document
///
/// The expressions `(( … ))` of TEMPLATE are resolved, and values of the stubs merged in; the
/// rightmost stub wins. The formats are those of spiff and spiff++.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain merge manifest.yml cf.yml infrastructure.yml
  ordain merge manifest.yml - --path jobs.[0] < stub.yml
  ordain merge manifest.yml --json -D env=test --no-exec")]
pub struct MergeArgs {
    /// The template, or -
    #[arg(required = true)]
    template: String,
    /// What is merged into it, or -
    stubs: Vec<String>,
    /// How unresolved expressions are reported
    #[arg(long, value_name = "FORM", default_value = "ordain")]
    report: Report,
    #[command(flatten)]
    flags: MergeFlags,
}

/// Process a document with a dynaml template and stubs
///
/// Template and stubs see the document under the name `document`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain process data.yml report.yml")]
pub struct ProcessArgs {
    /// The document, or -
    document: String,
    /// The template, or -
    template: String,
    /// What is merged into it, or -
    stubs: Vec<String>,
    /// How unresolved expressions are reported
    #[arg(long, value_name = "FORM", default_value = "ordain")]
    report: Report,
    #[command(flatten)]
    flags: MergeFlags,
}

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// Diagnostics with their places and causes
    Ordain,
    /// The report of spiff
    Spiff,
    /// The report of spiff++
    #[value(name = "spiff++")]
    SpiffPlusPlus,
}

/// Merges and prints.
///
/// # Errors
/// When a file cannot be read, or an expression has no value.
pub fn run(ui: &mut Ui, args: &MergeArgs) -> Result<Exit, Failure> {
    let run = Run {
        template: &args.template,
        stubs: &args.stubs,
        flags: args.flags.clone(),
        ..Run::default()
    };
    print(ui, run, args.report)
}

/// Processes and prints.
///
/// # Errors
/// When a file cannot be read, or an expression has no value.
pub fn process(ui: &mut Ui, args: &ProcessArgs) -> Result<Exit, Failure> {
    let run = Run {
        template: &args.template,
        stubs: &args.stubs,
        document: Some(&args.document),
        flags: args.flags.clone(),
        ..Run::default()
    };
    print(ui, run, args.report)
}

fn print(ui: &mut Ui, mut run: Run<'_>, report: Report) -> Result<Exit, Failure> {
    run.dialect = match report {
        Report::Spiff => Dialect::Spiff,
        Report::Ordain | Report::SpiffPlusPlus => Dialect::SpiffPlusPlus,
    };
    match merging::run(&run) {
        Ok(output) => {
            let sources = SourceMap::new();
            ui.diagnostics(diagnose::warnings(&output, &sources), &sources);
            ui.document().write_all(output.text.as_bytes())?;
            Ok(Exit::Done)
        }
        Err(trouble) if report == Report::Ordain => Err(shown(ui, &trouble)),
        Err(trouble) => {
            // When nobody reads it there is nobody to tell.
            let _ = std::io::stderr().write_all(trouble.text().as_bytes());
            Err(Failure::Shown)
        }
    }
}

/// Shows what is wrong with its places.
pub fn shown(ui: &mut Ui, trouble: &Trouble) -> Failure {
    let sources = SourceMap::new();
    ui.diagnostics(trouble.diagnostics(&sources), &sources);
    Failure::Shown
}
