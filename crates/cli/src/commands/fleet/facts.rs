//! `ordain fleet facts`: the facts of a node, or a fact of many nodes.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use ordain_fleet::{FactOfNode, FleetError, NodeStore};
use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use super::common::{SelectionArgs, StoreArgs, failure};
use super::table::{ListFormat, Table, cell};
use crate::codes;
use crate::commands::facts::{document, find, flatten, shown, text};
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Print the facts of a node, or one fact of many nodes
///
/// If QUERY is the name of a node, its facts are printed as `ordain facts` prints them. If it
/// chooses several nodes, PATH is needed, and each node that has the fact gets a line.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  done, also if no node has the fact
  1  an error: in the query, of the database, or there is no such node or fact

Examples:
  ordain fleet facts web1.example.org
  ordain fleet facts web1.example.org os.family
  ordain fleet facts 'web*' processors.count
  ordain fleet facts '*' os.release.major --count")]
pub(super) struct FactsArgs {
    /// The fact, such as os.family
    #[arg(index = 2)]
    path: Option<String>,
    /// Count the nodes of each value
    #[arg(long, requires = "path")]
    count: bool,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    chosen: SelectionArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Prints facts.
///
/// # Errors
/// When the database or the query cannot be used, or a fact does not exist.
pub(super) fn run(ui: &mut Ui, args: &FactsArgs) -> Result<Exit, Failure> {
    let selection = args.chosen.selection()?;
    let store = args.store.open()?;
    let nodes = store.nodes(&selection).map_err(failure)?;
    match (&nodes[..], &args.path) {
        ([node], path) if !args.count => single(ui, args, &store, &node.name, path.as_deref()),
        (_, Some(path)) => {
            let mut facts = store.fact(path, selection.with_inactive).map_err(failure)?;
            facts.retain(|fact| nodes.binary_search_by(|node| node.name.cmp(&fact.node)).is_ok());
            several(ui, args, path, &facts)
        }
        (_, None) => {
            let text = format!("the facts of {} nodes need a PATH", nodes.len());
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            Err(error.help("such as: ordain fleet facts '*' os.family").into())
        }
    }
}

/// Prints the facts of one node.
fn single(
    ui: &mut Ui,
    args: &FactsArgs,
    store: &NodeStore,
    name: &str,
    path: Option<&str>,
) -> Result<Exit, Failure> {
    let node = store.fleet_node(name).map_err(failure)?;
    let node = node.ok_or_else(|| failure(FleetError::NoFacts(name.to_owned())))?;
    let facts = node.parse().map_err(failure)?.facts;
    let values = match path {
        Some(path) => ordain_data::Value::map([(path, find(&facts, path)?)]),
        None => facts,
    };
    match args.format {
        ListFormat::Json => {
            let text = document(ordain_data::Value::str(name), values);
            ui.document().write_all(text.as_bytes())?;
        }
        ListFormat::Csv => {
            let mut rows = Vec::new();
            flatten(&values, "", &mut |name, value| rows.push(vec![name.to_owned(), shown(value)]));
            Table { columns: &["fact", "value"], rows }.csv(ui)?;
        }
        ListFormat::Text => ui.out().write_all(text(&values, path.is_some()).as_bytes())?,
    }
    Ok(Exit::Done)
}

/// Prints a fact of several nodes.
fn several(
    ui: &mut Ui,
    args: &FactsArgs,
    path: &str,
    facts: &[FactOfNode],
) -> Result<Exit, Failure> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    facts.iter().for_each(|fact| *counts.entry(cell(&fact.value)).or_default() += 1);
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let table = if args.count {
        let row = |(value, count): &(String, usize)| vec![count.to_string(), value.clone()];
        Table { columns: &["nodes", "value"], rows: counts.iter().map(row).collect() }
    } else {
        let row = |fact: &FactOfNode| vec![fact.node.clone(), cell(&fact.value)];
        Table { columns: &["node", "value"], rows: facts.iter().map(row).collect() }
    };
    match args.format {
        ListFormat::Json if args.count => {
            let count =
                |(value, nodes): &(String, usize)| json!({ "value": value, "nodes": nodes });
            let values: Vec<Json> = counts.iter().map(count).collect();
            let out = json!({
                "format": "ordain-fleet-fact-counts", "version": 1, "path": path, "values": values,
            });
            writeln!(ui.document(), "{out}")?;
        }
        ListFormat::Json => {
            let out = json!({
                "format": "ordain-fleet-facts", "version": 1, "path": path, "facts": facts,
            });
            writeln!(ui.document(), "{out}")?;
        }
        ListFormat::Csv => table.csv(ui)?,
        ListFormat::Text if facts.is_empty() => {
            writeln!(ui.out(), "No chosen node has the fact {path}.")?;
        }
        ListFormat::Text => table.print(ui)?,
    }
    Ok(Exit::Done)
}
