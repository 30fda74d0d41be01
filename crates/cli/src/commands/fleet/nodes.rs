//! `ordain fleet nodes`: the nodes of a server.

use std::io::Write;

use clap::Args;
use ordain_fleet::StoredNode;
use serde_json::json;

use super::common::{SelectionArgs, StoreArgs, failure, shown_time};
use super::table::{ListFormat, Table};
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// List the nodes of a server with the outcome of their last run
///
/// QUERY and the filters choose nodes that meet all of their conditions.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  done, also if no node is chosen
  1  an error: in the query, of the database, or there is no node of this name

Examples:
  ordain fleet nodes
  ordain fleet nodes 'web*' --status failed
  ordain fleet nodes --fact os.family=Debian --class ntp --format csv
  ordain fleet nodes 'facts.processors.count > 4 and facts.role = \"web\"'
  ordain fleet nodes 'nodes[certname] { report_timestamp < \"2026-11-01\" }'")]
pub(super) struct NodesArgs {
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    chosen: SelectionArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Lists nodes.
///
/// # Errors
/// When the database or the query cannot be used.
pub(super) fn run(ui: &mut Ui, args: &NodesArgs) -> Result<Exit, Failure> {
    let selection = args.chosen.selection()?;
    let nodes = args.store.open()?.nodes(&selection).map_err(failure)?;
    let rows = nodes.iter().map(row).collect();
    let table = Table { columns: &["node", "environment", "status", "report"], rows };
    match args.format {
        ListFormat::Json => {
            let out = json!({ "format": "ordain-fleet-nodes", "version": 1, "nodes": nodes });
            writeln!(ui.document(), "{out}")?;
        }
        ListFormat::Csv => table.csv(ui)?,
        ListFormat::Text if nodes.is_empty() => writeln!(ui.out(), "No node.")?,
        ListFormat::Text => table.print(ui)?,
    }
    Ok(Exit::Done)
}

fn row(node: &StoredNode) -> Vec<String> {
    let status = match node {
        StoredNode { deactivated: Some(_), .. } => "deactivated",
        StoredNode { expired: Some(_), .. } => "expired",
        node => node.status.word(node.corrective_change),
    };
    vec![
        node.name.clone(),
        node.environment.clone().unwrap_or_else(|| "-".to_owned()),
        status.to_owned(),
        shown_time(node.report_time.as_deref()),
    ]
}
