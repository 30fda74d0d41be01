//! `ordain fleet why`: explains a resource or attribute of a node of a server.

use std::path::PathBuf;

use clap::Args;
use ordain_driver::SourceKind;
use ordain_driver::puppet::explain_absence;
use ordain_fleet::{FleetError, NodeCompiler, add_node_data};
use ordain_puppet::eval::UsedCode;

use super::common::{StoreArgs, failure};
use super::compile::FleetCompileArgs;
use crate::commands::explain::{explain_graph, explain_source, print};
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::references;
use crate::ui::Ui;

/// Say where a resource of a node, or the value of an attribute, comes from
///
/// Manifests are compiled for the node, with the facts, exported resources and answers of the server's
/// database; sources in other languages for the host of its name. The explanation is that of
/// `ordain explain`.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  done
  1  an error: in the code, of the database, or there is no such node, resource
     or attribute

Examples:
  ordain fleet why web1.example.org 'File[/etc/motd].content' /srv/control
  ordain fleet why web1.example.org 'Class[ntp]' . --format json")]
pub(super) struct WhyArgs {
    /// The node
    node: String,
    /// The resource, or one of its attributes
    resource: String,
    /// The control repository, or a model, a program of mgmt or a YAML document
    #[arg(default_value = ".")]
    path: PathBuf,
    /// A directory with NAME.json: the answer of a node classifier for each node
    #[arg(long, value_name = "DIR")]
    node_data: Option<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    compile: FleetCompileArgs,
}

/// Compiles the node and explains.
///
/// # Errors
/// When the database or the code cannot be used, or there is no such node, resource or attribute.
pub(super) fn run(ui: &mut Ui, args: &WhyArgs) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let stored = store.node(&args.node).map_err(failure)?;
    let mut options = args.compile.options();
    options.environment = options.environment.or(stored.environment);
    if SourceKind::of(&args.path, &options) != SourceKind::Puppet {
        options.node = Some(stored.name);
        let explanation = explain_source(ui, &args.path, &options, &args.resource)?;
        return print(ui, args.format, &explanation);
    }
    let (name, attribute) = references::parse_with_attribute(&args.resource)?;
    let node = store.fleet_node(&stored.name).map_err(failure)?;
    let mut nodes = [node.ok_or_else(|| failure(FleetError::NoFacts(stored.name)))?];
    if let Some(dir) = &args.node_data {
        add_node_data(&mut nodes, dir).map_err(failure)?;
    }
    let used = UsedCode::default();
    options.used = Some(used.clone());
    let compiler = NodeCompiler::open(ui, &args.path, &options, &store).map_err(failure)?;
    let [node] = &nodes;
    let (graph, diagnostics) = compiler.compile(node).map_err(failure)?;
    ui.diagnostics(diagnostics, compiler.sources());
    let graph = graph.ok_or(Failure::Shown)?;
    if graph.find(&name).is_none() {
        let error = references::unknown(&name, &graph);
        let code = (&graph, compiler.sources());
        let error = explain_absence(error, &name, &args.path, &options, code, &used);
        ui.diagnostics(vec![error], compiler.sources());
        return Err(Failure::Shown);
    }
    let explanation = explain_graph(&graph, compiler.sources(), &name, attribute.as_deref())?;
    print(ui, args.format, &explanation)
}
