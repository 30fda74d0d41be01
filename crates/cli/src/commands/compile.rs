//! `ordain compile`: from sources to a graph.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_driver::mcl::Request;
use ordain_driver::{Options, Purpose, SourceKind, compile, envelope, inmanta};
use ordain_graph::json::Secrets;
use ordain_graph::{Graph, dot, json, puppet_catalog};
use ordain_source::{Diagnostic, Severity, SourceMap};

use crate::compat::mgmt;
use crate::exit::{Exit, Failure};
use crate::options::{CompileArgs, Edition, at_least_one};
use crate::ui::Ui;

mod nodes;
mod static_args;

use static_args::StaticArgs;

/// Compile a manifest, control repository, model of Inmanta or program of mgmt
///
/// PATH is a manifest (.pp), a directory with environment.conf, manifests/, modules/, hiera.yaml
/// or data/, or `-` for standard input; or a program of mgmt (.mcl), or a directory with its
/// metadata.yaml or main.mcl; or a model of Inmanta (.cf), or a directory with its project.yml or
/// main.cf.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain compile site.pp
  ordain compile . --node web1.example.org --facts web1.json --format puppet-catalog
  ordain compile . --facts facts/ --out catalogs/ --format puppet-catalog
  ordain compile . --static --code-id $(git rev-parse HEAD) --format puppet-catalog
  ordain compile - --format dot < site.pp | dot -Tsvg")]
pub struct CompileCommandArgs {
    /// A manifest, a directory, or -
    #[arg(default_value = ".")]
    path: PathBuf,
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "graph")]
    format: Format,
    /// Write secrets in clear in a graph or model; catalogs and exports always have them, as agents
    /// need them
    #[arg(long)]
    include_secrets: bool,
    /// Compile many nodes at once: a file with a name a line, or - for standard input. --facts and
    /// --node-data may then be directories with a file for each node; without --nodes, facts of a
    /// directory are those of the nodes to compile
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with = "node")]
    nodes: Option<PathBuf>,
    /// Write a file for each node to a directory. Files with secrets, as all catalogs may be, are
    /// readable by their owner only
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many nodes at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N", requires = "out", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// Do not import `std` everywhere in a model of Inmanta
    #[arg(long)]
    no_std: bool,
    /// Which mcl a program of mgmt is in
    #[arg(long, value_name = "EDITION", default_value = "wide")]
    edition: Edition,
    #[command(flatten)]
    static_catalog: StaticArgs,
    #[command(flatten)]
    compile: CompileArgs,
}

/// The form of a compiled graph.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Ordain's graph as JSON, with the origin of every value
    Graph,
    /// Puppet's catalog as JSON, as agents apply it
    PuppetCatalog,
    /// The graph as YAML
    Yaml,
    /// The graph as DOT, for Graphviz
    Dot,
    /// The sorted lines of mgmt's own graphs, for programs of mgmt
    Mgmt,
    /// Variables, instances, output and resources as JSON, or the error, for models of Inmanta
    Json,
    /// The resources as `inmanta export -j` writes them, for models of Inmanta
    Resources,
}

impl Format {
    /// The ending of a file of this form.
    fn ending(self) -> &'static str {
        match self {
            Self::Graph | Self::PuppetCatalog | Self::Json | Self::Resources => "json",
            Self::Yaml => "yaml",
            Self::Dot => "dot",
            Self::Mgmt => "txt",
        }
    }
}

/// Compiles and prints.
///
/// # Errors
/// When the sources have errors, or the output cannot be written.
pub fn run(ui: &mut Ui, args: &CompileCommandArgs) -> Result<Exit, Failure> {
    let secrets = if args.include_secrets { Secrets::Include } else { Secrets::Omit };
    let options = args.options();
    let kind = SourceKind::of(&args.path, &options);
    match (&kind, args.format) {
        (SourceKind::Mcl, Format::Mgmt) => {
            ordain_driver::present(ui, &args.path, &options)?;
            options.check_paths()?;
            let request = Request::of(&args.path, &options)?;
            let is_graph = mgmt::compile(ui, &request)?;
            return Ok(if is_graph { Exit::Done } else { Exit::Failed });
        }
        (SourceKind::Inmanta, Format::Json | Format::Resources) => {
            return export_model(ui, args, &options, secrets);
        }
        (SourceKind::Inmanta, Format::PuppetCatalog | Format::Mgmt) => {
            return Err(refused("models of Inmanta have no such form"));
        }
        (_, Format::Mgmt) => return Err(refused("only programs of mgmt have this form")),
        (_, Format::Json | Format::Resources) => {
            return Err(refused("only models of Inmanta have this form"));
        }
        _ => {}
    }
    if matches!(kind, SourceKind::Puppet | SourceKind::StandardInput) {
        args.static_catalog.check(args.format)?;
    }
    if let Some(out) = &args.out {
        if !matches!(kind, SourceKind::Puppet | SourceKind::StandardInput) {
            return Err(refused("--out is for manifests and control repositories"));
        }
        return nodes::run(ui, args, &options, out, secrets);
    }
    let compiled = compile(ui, &args.path, &options, Purpose::Inspection)?;
    if let Some(exports) = &compiled.exports {
        exports.keep(ui)?;
    }
    if let Some(found) = ordain_graph::order::find_loop(&compiled.graph) {
        let warning = ordain_driver::cycle::diagnostic(&found, &compiled.graph, Severity::Warning);
        ui.diagnostics(vec![warning], &compiled.sources);
    }
    write(ui.document(), &compiled.graph, &compiled.sources, args.format, secrets)?;
    // The process ends here, and the system takes all memory back at once.
    std::mem::forget(compiled);
    Ok(Exit::Done)
}

impl CompileCommandArgs {
    fn options(&self) -> Options {
        let static_catalog = self.static_catalog.options();
        // A catalog says of resources where they are declared, and not of attributes; only errors about
        // the files that attributes name do.
        let is_catalog = self.format == Format::PuppetCatalog;
        Options {
            has_history: !is_catalog || static_catalog.is_some(),
            edition: self.edition.into(),
            imports_std: !self.no_std,
            static_catalog,
            is_last_compile: true,
            ..self.compile.options()
        }
    }
}

/// An error about a form that does not fit the source.
fn refused(text: &str) -> Failure {
    Diagnostic::error(crate::codes::ARGUMENTS, text).into()
}

/// Prints a model of Inmanta in a form of its own.
fn export_model(
    ui: &mut Ui,
    args: &CompileCommandArgs,
    options: &Options,
    secrets: Secrets,
) -> Result<Exit, Failure> {
    options.check_paths()?;
    ordain_driver::present(ui, &args.path, options)?;
    let form = match args.format {
        Format::Resources => inmanta::Form::Resources,
        _ => inmanta::Form::Model { has_secrets: secrets == Secrets::Include },
    };
    let sources = SourceMap::new();
    let model = inmanta::Model::new(&args.path, options);
    let exported = inmanta::export(&model, form, &sources)?;
    ui.diagnostics(exported.diagnostics, &sources);
    if let Some(text) = exported.text {
        writeln!(ui.document(), "{text}")?;
    }
    Ok(if exported.has_failed { Exit::Failed } else { Exit::Done })
}

fn write(
    out: &mut dyn Write,
    graph: &Graph,
    sources: &SourceMap,
    format: Format,
    secrets: Secrets,
) -> Result<(), Failure> {
    match format {
        Format::Graph => {
            json::write(graph, sources, secrets, &mut *out)?;
            writeln!(out)?;
        }
        Format::PuppetCatalog => {
            let envelope = envelope(graph, sources)?;
            puppet_catalog::write(graph, sources, &envelope, &mut *out)?;
            writeln!(out)?;
        }
        Format::Yaml => {
            let mut text = Vec::new();
            json::write(graph, sources, secrets, &mut text)?;
            let data = ordain_data::json::read_bytes(&text)
                .map_err(|e| crate::codes::io("cannot read back the graph", &e))?;
            out.write_all(ordain_data::yaml::psych::write(&data).as_bytes())?;
        }
        Format::Mgmt | Format::Json | Format::Resources => {
            return Err(refused("this source has no such form"));
        }
        Format::Dot => {
            let mut text = String::new();
            // Writing to text cannot fail.
            let _ = dot::write(graph, &mut text);
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}
