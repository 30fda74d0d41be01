//! `ordain fleet drift`: the differences between machines and their catalogs.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use ordain_driver::Options;
use ordain_fleet::{Drift, DriftState, NodeCompiler, NodeStore};
use serde_json::json;

use super::common::{SelectionArgs, StoreArgs, failure, place, shown_time};
use super::reports::shown;
use super::table::{ListFormat, Table};
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count, styles};

/// Show where machines differ from their catalogs, since when, and the code that wants it
///
/// The differences are those of stored reports: attributes that an agent cannot establish or only
/// observed, and those that it repaired, because somebody had changed them. With --path, the code is
/// compiled for the nodes, to name the lines of code and data that set each attribute.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  there is no difference
  1  an error: in the query, of the database, or there is no node of this name
  2  there are differences

Examples:
  ordain fleet drift
  ordain fleet drift 'web*' --open
  ordain fleet drift web1.example.org --path /srv/control
  ordain fleet drift --class ntp --days 2 --format csv")]
pub(super) struct DriftArgs {
    /// Only differences that remain, not those that were repaired
    #[arg(long)]
    open: bool,
    /// Only differences that were found in the last N days; default: all that reports have
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36500))]
    days: Option<u32>,
    /// The control repository, to name the lines that set the attributes
    #[arg(long, value_name = "REPO")]
    path: Option<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    chosen: SelectionArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Shows differences.
///
/// # Errors
/// When the database, the query or the code cannot be used.
pub(super) fn run(ui: &mut Ui, args: &DriftArgs) -> Result<Exit, Failure> {
    let selection = args.chosen.selection()?;
    let store = args.store.open()?;
    let nodes = store.nodes(&selection).map_err(failure)?;
    let since = args.days.and_then(|days| {
        let days = SignedDuration::from_hours(24 * i64::from(days));
        Some(Timestamp::now().checked_sub(days).ok()?.to_string())
    });
    let mut drift = store.drift(&nodes, since.as_deref()).map_err(failure)?;
    if args.open {
        drift.retain(|one| one.state != DriftState::Repaired);
    }
    if let Some(path) = &args.path {
        let options = Options { environment: selection.environment.clone(), ..Options::default() };
        let compiler = NodeCompiler::open(ui, path, &options, &store).map_err(failure)?;
        add_origins(ui, &compiler, &store, &mut drift)?;
    }
    print(ui, args, &drift)?;
    Ok(if drift.is_empty() { Exit::Done } else { Exit::Changes })
}

/// Compiles the nodes and adds the lines that set the attributes.
fn add_origins(
    ui: &mut Ui,
    compiler: &NodeCompiler,
    store: &NodeStore,
    drift: &mut [Drift],
) -> Result<(), Failure> {
    for of_node in drift.chunk_by_mut(|a, b| a.node == b.node) {
        let Some(first) = of_node.first() else { continue };
        let Some(node) = store.fleet_node(&first.node).map_err(failure)? else { continue };
        let (graph, diagnostics) = compiler.compile(&node).map_err(failure)?;
        // Nodes without a graph still have the places of their resources.
        if let Some(graph) = graph {
            compiler.add_origins(&graph, of_node);
        } else {
            ui.diagnostics(diagnostics, compiler.sources());
        }
    }
    Ok(())
}

fn print(ui: &mut Ui, args: &DriftArgs, drift: &[Drift]) -> Result<(), Failure> {
    match args.format {
        ListFormat::Json => {
            let out = json!({ "format": "ordain-fleet-drift", "version": 1, "drift": drift });
            writeln!(ui.document(), "{out}")?;
        }
        ListFormat::Csv => {
            let columns =
                ["node", "resource", "property", "state", "since", "last", "count", "place"];
            let rows = drift.iter().map(row).collect();
            Table { columns: &columns, rows }.csv(ui)?;
        }
        ListFormat::Text if drift.is_empty() => writeln!(ui.out(), "No difference.")?,
        ListFormat::Text => {
            for of_node in drift.chunk_by(|a, b| a.node == b.node) {
                if let Some(first) = of_node.first() {
                    ui.line(&styles::BOLD.apply(&first.node), 4)?;
                }
                of_node.iter().try_for_each(|one| print_one(ui, one))?;
            }
        }
    }
    Ok(())
}

fn print_one(ui: &mut Ui, drift: &Drift) -> Result<(), Failure> {
    let since = shown_time(drift.since.as_deref());
    let (sign, style, state) = match drift.state {
        DriftState::Fails => ("x", styles::REMOVE, format!("fails since {since}")),
        DriftState::Differs => ("~", styles::CHANGE, format!("differs since {since}")),
        DriftState::Repaired if drift.count == 1 => ("+", styles::ADD, format!("repaired {since}")),
        DriftState::Repaired => {
            let (times, last) = (count(drift.count, "time"), shown_time(drift.last.as_deref()));
            ("+", styles::ADD, format!("repaired {times}, {since} to {last}"))
        }
    };
    let property = drift.property.as_deref().map(|name| format!(".{name}")).unwrap_or_default();
    ui.line(&format!("  {} {}{property}  {state}", ui.styled(style, sign), drift.resource), 6)?;
    match &drift.message {
        Some(message) if drift.state == DriftState::Fails => {
            ui.line(&format!("      {message}"), 8)?;
        }
        _ => {
            let (found, wanted) = (shown(&drift.found), shown(&drift.wanted));
            ui.line(&format!("      {found} instead of {wanted}"), 8)?;
        }
    }
    match (&drift.set_by[..], place(drift.file.as_ref(), drift.line)) {
        ([], Some(place)) => ui.line(&format!("      declared at {place}"), 8)?,
        ([], None) => {}
        (places, _) => ui.line(&format!("      set at {}", places.join(", ")), 8)?,
    }
    Ok(())
}

fn row(drift: &Drift) -> Vec<String> {
    let state = match drift.state {
        DriftState::Fails => "fails",
        DriftState::Differs => "differs",
        DriftState::Repaired => "repaired",
    };
    vec![
        drift.node.clone(),
        drift.resource.clone(),
        drift.property.clone().unwrap_or_default(),
        state.to_owned(),
        drift.since.clone().unwrap_or_default(),
        drift.last.clone().unwrap_or_default(),
        drift.count.to_string(),
        drift
            .set_by
            .first()
            .cloned()
            .or_else(|| place(drift.file.as_ref(), drift.line))
            .unwrap_or_default(),
    ]
}
