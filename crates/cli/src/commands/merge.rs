//! `ordain merge` and `ordain process`: merge templates of spiff and spiff++.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_driver::dynaml::merge::{Merge, MergeError, MergeOptions, merge};
use ordain_dynaml::diagnose;
use ordain_dynaml::eval::Dialect;
use ordain_engine::fetch::fetch;
use ordain_source::{HostWorld, SourceMap};

use crate::exit::{Exit, Failure};
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
pub(crate) struct MergeArgs {
    /// The template, or -
    #[arg(required = true)]
    template: String,
    /// The stubs, or -
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
pub(crate) struct ProcessArgs {
    /// The document, or -
    document: String,
    /// The template, or -
    template: String,
    /// The stubs, or -
    stubs: Vec<String>,
    /// How unresolved expressions are reported
    #[arg(long, value_name = "FORM", default_value = "ordain")]
    report: Report,
    #[command(flatten)]
    flags: MergeFlags,
}

/// The options of a merge, and of its output.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Merging")]
pub(crate) struct MergeFlags {
    /// Print JSON, one document per line
    #[arg(long)]
    pub json: bool,
    /// Print only the node at this path, such as `a.b.[1]`
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Print a map of these nodes, by the last step of their paths
    #[arg(long, value_name = "PATH")]
    pub select: Vec<String>,
    /// Evaluate an expression on the result and print its value
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub evaluate: Option<String>,
    /// Print a list as documents of their own
    #[arg(long)]
    pub split: bool,
    /// A file with names that are known everywhere
    #[arg(long, value_name = "FILE")]
    pub bindings: Option<PathBuf>,
    /// A name that is known everywhere; dots make nested maps
    #[arg(short = 'D', long, value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// A file that is known by a tag
    #[arg(long, value_name = "TAG:FILE")]
    pub tag: Vec<String>,
    /// Language features to switch on: interpolation, control
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub features: Vec<String>,
    /// The same as --features interpolation
    #[arg(long)]
    pub interpolation: bool,
    /// Print resolved values, and unresolved expressions unchanged
    #[arg(long)]
    pub partial: bool,
    /// Keep the ! of ((! … ))
    #[arg(long)]
    pub preserve_escapes: bool,
    /// Keep nodes that are marked as temporary
    #[arg(long)]
    pub preserve_temporary: bool,
    /// A file of values that are kept from run to run
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Run no command and write no file, whatever the documents say
    #[arg(long, visible_alias = "hermetic")]
    pub no_exec: bool,
    /// Fetch inputs and files of `read` that are named by http: or https:
    #[arg(long)]
    pub allow_http: bool,
}

impl MergeFlags {
    /// The machine with the access that the flags allow.
    fn world(&self) -> HostWorld {
        let world = HostWorld::new();
        if self.allow_http { world.fetching(fetch) } else { world }
    }

    /// The options for the driver.
    fn options(&self) -> MergeOptions {
        MergeOptions {
            json: self.json,
            path: self.path.clone(),
            select: self.select.clone(),
            evaluate: self.evaluate.clone(),
            split: self.split,
            bindings: self.bindings.clone(),
            define: self.define.clone(),
            tag: self.tag.clone(),
            features: self.features.clone(),
            interpolation: self.interpolation,
            partial: self.partial,
            preserve_escapes: self.preserve_escapes,
            preserve_temporary: self.preserve_temporary,
            state: self.state.clone(),
            no_exec: self.no_exec,
        }
    }
}

/// The format of the report about unresolved expressions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// Diagnostics with their places and causes
    Ordain,
    /// The report of spiff
    Spiff,
    /// The report of spiff++
    #[value(name = "spiff++")]
    SpiffPlusPlus,
}

/// Merges documents and prints the result.
///
/// # Errors
/// When a file cannot be read, or an expression has no value.
pub(crate) fn run(ui: &mut Ui, args: &MergeArgs) -> Result<Exit, Failure> {
    let documents = Merge {
        template: &args.template,
        stubs: &args.stubs,
        options: args.flags.options(),
        ..Merge::default()
    };
    print(ui, &args.flags.world(), documents, args.report)
}

/// Processes a document and prints the result.
///
/// # Errors
/// When a file cannot be read, or an expression has no value.
pub(crate) fn process(ui: &mut Ui, args: &ProcessArgs) -> Result<Exit, Failure> {
    let documents = Merge {
        template: &args.template,
        stubs: &args.stubs,
        document: Some(&args.document),
        options: args.flags.options(),
        ..Merge::default()
    };
    print(ui, &args.flags.world(), documents, args.report)
}

fn print(
    ui: &mut Ui,
    world: &HostWorld,
    mut documents: Merge<'_>,
    report: Report,
) -> Result<Exit, Failure> {
    documents.dialect = match report {
        Report::Spiff => Dialect::Spiff,
        Report::Ordain | Report::SpiffPlusPlus => Dialect::SpiffPlusPlus,
    };
    match merge(world, &documents) {
        Ok(output) => {
            let sources = SourceMap::new();
            ui.diagnostics(diagnose::warnings(&output, &sources), &sources);
            ui.document().write_all(output.text.as_bytes())?;
            Ok(Exit::Done)
        }
        Err(error) if report == Report::Ordain => Err(shown(ui, &error)),
        Err(error) => {
            // A closed stderr is no reason to fail.
            let _ = std::io::stderr().write_all(error.text().as_bytes());
            Err(Failure::Shown)
        }
    }
}

/// Prints a merge error with its source places.
pub(crate) fn shown(ui: &mut Ui, error: &MergeError) -> Failure {
    let sources = SourceMap::new();
    ui.diagnostics(error.diagnostics(&sources), &sources);
    Failure::Shown
}
