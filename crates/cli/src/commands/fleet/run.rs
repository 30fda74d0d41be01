//! `ordain fleet run`: asks agents to run now, some at a time.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::time::Duration;

use clap::Args;
use ordain_fleet::{
    Canaries, FleetRunLimits, FleetRunNode, FleetRunNodeState, FleetRunResume, FleetRunSettings,
    FleetRunState, FleetRunStep, NodeStore, RunDriver, run_order,
};
use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use super::common::{SelectionArgs, StoreArgs, failure};
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::runs::account;
use crate::ui::{Ui, count, styles};

/// The time between two looks at the database.
const INTERVAL: Duration = Duration::from_millis(500);
/// The exit code of a run with failures.
const FAILED: Exit = Exit::Code(3);

/// Ask the agents of nodes to run now, some at a time, canaries first
///
/// The server tells agents of Ordain that hold a connection (`ordain agent` without --once). Agents of
/// Puppet hold none, so they cannot be asked: such nodes are listed as unreached. A killed run goes on
/// with --resume.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  all nodes ran without failures
  1  an error: in the query, of the database, or there is no such node or run
  3  nodes failed or could not be reached, or the run stopped

Examples:
  ordain fleet run 'web*' --canary web1.example.org --at-once 20
  ordain fleet run --class ntp --canary 3 --stop-at 5
  ordain fleet run --resume 12")]
pub(super) struct RunArgs {
    /// The maximum number of nodes at a time [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    at_once: Option<u32>,
    /// Nodes that run first, or their number: the others follow if all of these succeed
    #[arg(long, value_name = "NODE|N", value_delimiter = ',')]
    canary: Vec<String>,
    /// Stop when this share of all nodes has failed, in percent [default: 10]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100))]
    stop_at: Option<u32>,
    /// The seconds that a node may take to report [default: 600]
    #[arg(long, value_name = "SECONDS", hide_default_value = true)]
    #[arg(default_value_t = seconds(FleetRunLimits::DEFAULT.report))]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// The seconds in which a server has to reach an agent [default: 30]
    #[arg(long, value_name = "SECONDS", hide_default_value = true)]
    #[arg(default_value_t = seconds(FleetRunLimits::DEFAULT.reach))]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=60))]
    reach: u32,
    /// Go on with a run that was killed or has stopped: with the nodes that had no turn
    #[arg(long, value_name = "ID", conflicts_with_all = ["canary", "query"])]
    resume: Option<i64>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    chosen: SelectionArgs,
    #[command(flatten)]
    store: StoreArgs,
}

const MICROS: i64 = 1_000_000;

fn seconds(micros: i64) -> u32 {
    u32::try_from(micros / MICROS).unwrap_or(u32::MAX)
}

/// Runs nodes.
///
/// # Errors
/// When the database or the query cannot be used, or there is no such node or run.
pub(super) fn run(ui: &mut Ui, args: &RunArgs) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let limits = FleetRunLimits {
        reach: i64::from(args.reach) * MICROS,
        report: i64::from(args.timeout) * MICROS,
    };
    let driver = match args.resume {
        Some(id) => {
            let resume = FleetRunResume {
                actor: &account(),
                at_once: args.at_once.map(i64::from),
                stop_at: args.stop_at.map(i64::from),
                by_server: false,
            };
            RunDriver::resume(&store, id, resume, limits).map_err(failure)?
        }
        None => start(args, &store, limits)?,
    };
    let step = follow(ui, args, &driver)?;
    print_end(ui, args, &step)?;
    let is_good = |node: &FleetRunNode| {
        matches!(
            node.state,
            FleetRunNodeState::Changed | FleetRunNodeState::Unchanged | FleetRunNodeState::Noop
        )
    };
    Ok(if step.nodes.iter().all(is_good) { Exit::Done } else { FAILED })
}

/// Starts a run of the chosen nodes.
fn start(args: &RunArgs, store: &NodeStore, limits: FleetRunLimits) -> Result<RunDriver, Failure> {
    let nodes = store.nodes(&args.chosen.selection()?).map_err(failure)?;
    if nodes.is_empty() {
        return Err(Diagnostic::error(codes::NOTHING, "no node is chosen").into());
    }
    let canaries = match &args.canary[..] {
        [number] if number.chars().all(|c| c.is_ascii_digit()) => {
            let number = number.parse().map_err(|_| {
                Diagnostic::error(codes::ARGUMENTS, format!("{number} is no number of canaries"))
            })?;
            Canaries::Number(number)
        }
        names => Canaries::Names(names.iter().map(|name| name.to_lowercase()).collect()),
    };
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    let order = run_order(&names, &canaries).map_err(failure)?;
    let settings = FleetRunSettings {
        actor: &account(),
        at_once: args.at_once.map_or(FleetRunSettings::AT_ONCE, i64::from),
        stop_at: args.stop_at.map_or(FleetRunSettings::STOP_AT, i64::from),
        by_server: false,
    };
    RunDriver::start(store, &order, settings, limits).map_err(failure)
}

/// Moves the run on until it ends, and prints the outcomes.
fn follow(ui: &mut Ui, args: &RunArgs, driver: &RunDriver) -> Result<FleetRunStep, Failure> {
    let is_text = args.format == TextOrJson::Text;
    if is_text {
        writeln!(ui.out(), "Run {}", driver.id)?;
    }
    let mut shown: HashSet<i64> = HashSet::new();
    let mut is_first = true;
    loop {
        let step = driver.step().map_err(failure)?;
        for node in step.nodes.iter().filter(|node| node.state.is_over()) {
            // Outcomes of before a resume were printed then.
            if shown.insert(node.ordinal) && is_text && !(is_first && args.resume.is_some()) {
                print_node(ui, node)?;
            }
        }
        is_first = false;
        ui.out().flush()?;
        if step.run.state != FleetRunState::Running {
            return Ok(step);
        }
        std::thread::sleep(INTERVAL);
    }
}

fn print_node(ui: &mut Ui, node: &FleetRunNode) -> Result<(), Failure> {
    let (style, note) = match node.state {
        FleetRunNodeState::Failed => (styles::REMOVE, ""),
        FleetRunNodeState::Silent => (styles::REMOVE, ": no report in time"),
        FleetRunNodeState::Unreached => (
            styles::CHANGE,
            ": no agent of Ordain holds a connection; agents of Puppet cannot be asked",
        ),
        FleetRunNodeState::Changed => (styles::ADD, ""),
        _ => (styles::DIM, ""),
    };
    let word = ui.styled(style, &format!("{:<9}", node.state.as_str()));
    let canary = if node.is_canary { " (canary)" } else { "" };
    Ok(ui.line(&format!("{word}  {}{canary}{note}", node.certname), 11)?)
}

fn print_end(ui: &mut Ui, args: &RunArgs, step: &FleetRunStep) -> Result<(), Failure> {
    if args.format == TextOrJson::Json {
        let node = |node: &FleetRunNode| json!({ "node": node.certname, "canary": node.is_canary, "state": node.state.as_str() });
        let nodes: Vec<Json> = step.nodes.iter().map(node).collect();
        let out = json!({
            "format": "ordain-fleet-run", "version": 1, "run": step.run.id,
            "state": step.run.state.as_str(), "reason": step.stop, "nodes": nodes,
        });
        writeln!(ui.document(), "{out}")?;
        return Ok(());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &step.nodes {
        *counts.entry(node.state.as_str()).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let (id, nodes) = (step.run.id, count(step.nodes.len(), "node"));
    writeln!(ui.out(), "Run {id} {}: {nodes}, {}", step.run.state.as_str(), counts.join(", "))?;
    if let (FleetRunState::Stopped, Some(reason)) = (step.run.state, &step.stop) {
        let text =
            format!("It stopped, because {reason}. `ordain fleet run --resume {id}` goes on.");
        ui.line(&text, 2)?;
    }
    Ok(())
}
