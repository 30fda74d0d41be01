//! `ordain compile`: from sources to a graph.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ordain_graph::exports::Exported;
use ordain_graph::json::Secrets;
use ordain_graph::{Graph, dot, json, puppet_catalog};
use ordain_puppet::deferred::DeferredAttribute;
use ordain_puppet::session::{Compiled, compile_node, compile_node_once};
use ordain_source::{Diagnostic, Severity, SourceMap};

use crate::exit::{Exit, Failure};
use crate::inmanta;
use crate::input::{self, Input};
use crate::mcl::{self, Edition};
use crate::options::{CompileArgs, at_least_one};
use crate::served::{self, StaticArgs};
use crate::several;
use crate::show::cycle;
use crate::ui::Ui;

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
    served: StaticArgs,
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
    args.compile.check_paths()?;
    if mcl::is_program(&args.path) || inmanta::is_model(&args.path) {
        input::present(ui, &args.path)?;
    }
    if mcl::is_program(&args.path) {
        return program(ui, args, secrets);
    }
    if inmanta::is_model(&args.path) {
        return model(ui, args, secrets);
    }
    args.served.check(args.format)?;
    if let Some(dir) = &args.out {
        let run = several::Run {
            path: &args.path,
            nodes: args.nodes.as_deref(),
            out: dir,
            ending: args.format.ending(),
            is_private: args.format == Format::PuppetCatalog || args.include_secrets,
            jobs: args.jobs,
            compile: &args.compile,
            served: &args.served,
        };
        return several::run(ui, &run, &|graph, sources, out| {
            write(out, graph, sources, args.format, secrets)
        });
    }
    let input = match args.path == Path::new("-") {
        true => input::open(ui, Some(&args.path), &args.compile)?,
        false => input::open_with_manifests(ui, &args.path, &args.compile)?,
    };
    let compiled = compile_node_once(&input.env, input.settings.clone(), &input.node);
    let (mut graph, exported) = shown(ui, &input, compiled)?;
    let found = args.served.apply(&input.env, &mut graph, &exported)?;
    let fails = found.iter().any(|d| d.severity == Severity::Error);
    ui.diagnostics(found, &input.sources);
    if fails {
        return Err(Failure::Shown);
    }
    input.exports(exported).keep(ui)?;
    if let Some(loop_) = ordain_graph::order::find_loop(&graph) {
        let warning = cycle::diagnostic(&loop_, &graph, Severity::Warning);
        ui.diagnostics(vec![warning], &input.sources);
    }
    write(ui.document(), &graph, &input.sources, args.format, secrets)?;
    // The process ends here, and the system takes all memory back at once.
    std::mem::forget((graph, input));
    Ok(Exit::Done)
}

/// That a form does not go with what is compiled.
fn refused(text: &str) -> Failure {
    Diagnostic::error(crate::codes::ARGUMENTS, text).into()
}

/// Compiles a model of Inmanta.
fn model(ui: &mut Ui, args: &CompileCommandArgs, secrets: Secrets) -> Result<Exit, Failure> {
    let form = match args.format {
        Format::Json => inmanta::Form::Model { has_secrets: secrets == Secrets::Include },
        Format::Resources => inmanta::Form::Resources,
        Format::PuppetCatalog | Format::Mgmt => {
            return Err(refused("models of Inmanta have no such form"));
        }
        _ => {
            let loaded = inmanta::load(ui, &args.path, &args.compile)?;
            write(ui.document(), &loaded.graph, &loaded.sources, args.format, secrets)?;
            return Ok(Exit::Done);
        }
    };
    let model = inmanta::Model::new(&args.path, &args.compile);
    let model = inmanta::Model { has_std: !args.no_std, ..model };
    inmanta::compile(ui, &model, form)
}

/// Compiles a program of mgmt.
fn program(ui: &mut Ui, args: &CompileCommandArgs, secrets: Secrets) -> Result<Exit, Failure> {
    let request = mcl::Request {
        path: &args.path,
        edition: args.edition,
        module_path: args.compile.modulepath.as_deref().map(PathBuf::from),
        hostname: args.compile.node.clone(),
        touched: args.compile.touched.clone(),
        machine: None,
        store: args.compile.export_store()?,
    };
    if args.format == Format::Mgmt {
        let is_graph = mcl::compile_as_mgmt(ui, &request)?;
        return Ok(if is_graph { Exit::Done } else { Exit::Failed });
    }
    let sources = SourceMap::new();
    let (graph, _) = mcl::compile(ui, &request, &sources, false)?;
    write(ui.document(), &graph, &sources, args.format, secrets)?;
    Ok(Exit::Done)
}

/// Compiles, and gives what the node exports and what is still deferred, too; logs and diagnostics
/// are shown.
///
/// # Errors
/// When the sources have errors.
pub fn graph(
    ui: &mut Ui,
    input: &Input,
) -> Result<(Graph, Vec<Exported>, Vec<DeferredAttribute>), Failure> {
    let mut compiled = compile_node(&input.env, input.settings.clone(), &input.node);
    let deferred = std::mem::take(&mut compiled.deferred);
    let (graph, exported) = shown(ui, input, compiled)?;
    Ok((graph, exported, deferred))
}

fn shown(
    ui: &mut Ui,
    input: &Input,
    compiled: Compiled,
) -> Result<(Graph, Vec<Exported>), Failure> {
    ui.logs(&compiled.report.logs, &input.sources);
    ui.diagnostics(compiled.report.diagnostics, &input.sources);
    Ok((compiled.graph.ok_or(Failure::Shown)?, compiled.exports))
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
            let envelope = served::envelope(graph, sources)?;
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
        Format::Mgmt => return Err(refused("only programs of mgmt have this form")),
        Format::Json | Format::Resources => {
            return Err(refused("only models of Inmanta have this form"));
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
