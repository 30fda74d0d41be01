//! `ordain compile`: from sources to a graph.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_graph::exports::Exported;
use ordain_graph::json::Secrets;
use ordain_graph::puppet_catalog::Envelope;
use ordain_graph::{Graph, dot, json, puppet_catalog};
use ordain_puppet::session::{Compiled, compile_node, compile_node_once};
use ordain_source::SourceMap;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::options::CompileArgs;
use crate::show::cycle;
use crate::ui::Ui;

/// Compile a manifest or control repository to a resource graph
///
/// PATH is a manifest (.pp), a directory with environment.conf, manifests/, modules/, hiera.yaml
/// or data/, or `-` for standard input.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain compile site.pp
  ordain compile . --node web1.example.org --facts web1.json --format puppet-catalog
  ordain compile - --format dot < site.pp | dot -Tsvg")]
pub struct CompileCommandArgs {
    /// A manifest, a directory, or -
    path: PathBuf,
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "graph")]
    format: Format,
    /// Write secrets in clear in a graph; catalogs always have them, as agents need them
    #[arg(long)]
    include_secrets: bool,
    #[command(flatten)]
    compile: CompileArgs,
}

/// The form of a compiled graph.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Ordain's graph as JSON, with the origin of every value
    Graph,
    /// Puppet's catalog as JSON, as agents apply it
    PuppetCatalog,
    /// The graph as YAML
    Yaml,
    /// The graph as DOT, for Graphviz
    Dot,
}

/// Compiles and prints.
///
/// # Errors
/// When the sources have errors, or the output cannot be written.
pub fn run(ui: &mut Ui, args: &CompileCommandArgs) -> Result<Exit, Failure> {
    let input = input::open(ui, Some(&args.path), &args.compile)?;
    let compiled = compile_node_once(&input.env, input.settings.clone(), &input.node);
    let (graph, exported) = shown(ui, &input, compiled)?;
    input.exports(exported).keep()?;
    if let Some(loop_) = ordain_graph::order::find_loop(&graph) {
        let warning = cycle::diagnostic(&loop_, &graph, ordain_source::Severity::Warning);
        ui.diagnostics(vec![warning], &input.sources);
    }
    let secrets = if args.include_secrets { Secrets::Include } else { Secrets::Omit };
    write(ui, &graph, &input.sources, args.format, secrets)?;
    // The process ends here, and the system takes all memory back at once.
    std::mem::forget((graph, input));
    Ok(Exit::Done)
}

/// Compiles, and gives what the node exports, too; logs and diagnostics are shown.
///
/// # Errors
/// When the sources have errors.
pub fn graph(ui: &mut Ui, input: &Input) -> Result<(Graph, Vec<Exported>), Failure> {
    shown(ui, input, compile_node(&input.env, input.settings.clone(), &input.node))
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
    ui: &mut Ui,
    graph: &Graph,
    sources: &SourceMap,
    format: Format,
    secrets: Secrets,
) -> Result<(), Failure> {
    match format {
        Format::Graph => {
            json::write(graph, sources, secrets, ui.out())?;
            writeln!(ui.out())?;
        }
        Format::PuppetCatalog => {
            let envelope = envelope();
            puppet_catalog::write(graph, sources, &envelope, ui.out())?;
            writeln!(ui.out())?;
        }
        Format::Yaml => {
            let mut text = Vec::new();
            json::write(graph, sources, secrets, &mut text)?;
            let data = ordain_data::json::read_bytes(&text)
                .map_err(|e| crate::codes::io("cannot read back the graph", &e))?;
            ui.out().write_all(ordain_data::yaml::psych::write(&data).as_bytes())?;
        }
        Format::Dot => {
            let mut text = String::new();
            // Writing to text cannot fail.
            let _ = dot::write(graph, &mut text);
            ui.out().write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

/// What a catalog says of itself. The version is the same for the same sources, so that the same
/// inputs give the same bytes.
fn envelope() -> Envelope {
    Envelope::default()
}
