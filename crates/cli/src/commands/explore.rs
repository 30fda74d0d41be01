//! `ordain explore`: the web explorer for one repository.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use ordain_fleet::{FleetNode, NodeFilter, Repository, add_node_data, nodes_of_directory};
use ordain_server::LocalExplorer;
use ordain_source::{Diagnostic, budget};

use super::fleet::{FleetCompileArgs, cache_dir, failure};
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::panics;
use crate::ui::Ui;

/// Show a repository in a browser: graphs, origins of values, changes of commits
///
/// The pages are on a loopback address, which the verb prints with a token that works once. Nodes are
/// compiled when a page needs them. Manifests are compiled for the nodes that have facts, without
/// --facts for this machine; other languages have one graph.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain explore . --facts facts/
  ordain explore control --facts facts/ --node 'web*'
  ordain explore main.mcl")]
pub(crate) struct ExploreArgs {
    /// A control repository, a model, a program of mgmt, a YAML document, a graph or a catalog
    #[arg(default_value = ".")]
    path: PathBuf,
    /// The facts of the nodes: a directory with NAME.json or NAME.yaml, or a file
    #[arg(long, value_name = "DIR")]
    facts: Option<PathBuf>,
    /// Only nodes with this name; `*` stands for any characters. Without --facts, the name of the only
    /// node
    #[arg(long = "node", value_name = "NAME")]
    nodes: Vec<String>,
    /// A directory with NAME.json: the answer of a node classifier for each node
    #[arg(long, value_name = "DIR", requires = "facts")]
    node_data: Option<PathBuf>,
    /// The port on the loopback address [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    #[command(flatten)]
    compile: FleetCompileArgs,
}

/// Serves the pages until a signal ends the process.
///
/// # Errors
/// When facts cannot be read, or the address cannot be listened on.
pub(super) fn run(ui: &mut Ui, args: &ExploreArgs) -> Result<Exit, Failure> {
    let mut options = args.compile.options();
    if !args.path.exists() {
        return Err(codes::missing(&args.path).into());
    }
    let nodes = match &args.facts {
        Some(facts) => nodes(args, facts)?,
        // The name of this machine, or of the host of a model.
        None => {
            options.node = args.nodes.first().cloned();
            Vec::new()
        }
    };
    let repository = Repository::new(&args.path, nodes, &options, cache_dir());
    let failed = |error: ordain_server::ServerError| {
        Failure::Message(Diagnostic::error(codes::SERVER, error.to_string()))
    };
    let explorer = LocalExplorer::listen(repository, args.port).map_err(failed)?;
    // A compile that exceeds its budget, or panics, must end only its request.
    budget::go_on();
    panics::end_thread_on_panic();
    let out = ui.out();
    writeln!(out, "Open {}", explorer.url())?;
    writeln!(out, "The address works once. Ctrl-C ends the explorer.")?;
    out.flush()?;
    explorer.run()
}

/// The chosen nodes with their facts.
fn nodes(args: &ExploreArgs, facts: &Path) -> Result<Vec<FleetNode>, Failure> {
    let mut nodes = nodes_of_directory(facts).map_err(failure)?;
    let filter = NodeFilter::new(&args.nodes, &[]).map_err(failure)?;
    nodes.retain(|node| filter.has(node));
    if nodes.is_empty() {
        return Err(Diagnostic::error(codes::NOTHING, "--node chooses no node").into());
    }
    if let Some(dir) = &args.node_data {
        add_node_data(&mut nodes, dir).map_err(failure)?;
    }
    Ok(nodes)
}
