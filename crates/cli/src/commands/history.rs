//! `ordain history` and `ordain show`: list earlier runs and their changes.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use ordain_functions::time;
use ordain_source::Diagnostic;
use ordain_store::{Outcome, RunRecord, RunTarget, StepRecord, Store, StoreError};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::{TextOrJson, number_of_run};
use crate::runs::existing_state_dir;
use crate::show::log::with_short_digests;
use crate::ui::{Ui, styles};

/// List the runs in the journal, the last one first
///
/// Each has its path, its node and its user.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain history
  ordain history --format json --state-dir state")]
pub(crate) struct HistoryArgs {
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// The directory of the lock and the journal of runs
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
}

/// Show what a run changed, what failed and why
///
/// Without RUN, the last one is shown.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain show
  ordain show 12 --format json")]
pub(crate) struct ShowArgs {
    /// The number of a run, as `ordain history` lists it
    #[arg(value_parser = number_of_run)]
    run: Option<i64>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// The directory of the lock and the journal of runs
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
}

/// Lists runs.
///
/// # Errors
/// When the journal cannot be read.
pub(super) fn run(ui: &mut Ui, args: &HistoryArgs) -> Result<Exit, Failure> {
    let store = open(args.state_dir.as_deref())?;
    let runs = store.map_or(Ok(Vec::new()), |store| store.runs()).map_err(codes::state)?;
    if args.format == TextOrJson::Json {
        let runs: Json = runs.iter().map(run_json).collect();
        let out = json!({ "format": "ordain-history", "version": 1, "runs": runs });
        writeln!(ui.document(), "{out}")?;
        return Ok(Exit::Done);
    }
    if runs.is_empty() {
        writeln!(ui.out(), "No run is known.")?;
    }
    for run in &runs {
        let line = line(run);
        writeln!(ui.out(), "{line}")?;
    }
    Ok(Exit::Done)
}

/// Shows a run.
///
/// # Errors
/// When the journal cannot be read or has no such run.
pub(super) fn show(ui: &mut Ui, args: &ShowArgs) -> Result<Exit, Failure> {
    let store = open(args.state_dir.as_deref())?;
    let found = store.map_or(Ok(None), |store| find(&store, args.run)).map_err(codes::state)?;
    let Some((run, steps, outcomes)) = found else {
        let text = match args.run {
            Some(number) => format!("the journal has no run {number}"),
            None => "the journal has no run".to_string(),
        };
        let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
        return Err(error.help("`ordain history` lists the runs").into());
    };
    if args.format == TextOrJson::Json {
        let mut out = run_json(&run);
        out["format"] = "ordain-run".into();
        out["version"] = 1.into();
        out["steps"] = steps.iter().map(step_json).collect();
        out["outcomes"] = outcomes.iter().map(outcome_json).collect();
        writeln!(ui.document(), "{out}")?;
        return Ok(Exit::Done);
    }
    writeln!(ui.out(), "{}", line(&run))?;
    show_steps(ui, &steps, &outcomes)?;
    show_others(ui, &steps, &outcomes)?;
    Ok(Exit::Done)
}

/// A run in the journal with its steps and outcomes.
type RunDetails = (RunRecord, Vec<StepRecord>, Vec<Outcome>);

/// Finds a run by number; by default the last one.
fn find(store: &Store, number: Option<i64>) -> Result<Option<RunDetails>, StoreError> {
    let number = match number {
        Some(number) => Some(number),
        None => store.runs()?.first().map(|run| run.number),
    };
    let Some(number) = number else { return Ok(None) };
    let Some((run, steps)) = store.past(number)? else { return Ok(None) };
    Ok(Some((run, steps, store.outcomes(number)?)))
}

/// Prints the steps of a run.
fn show_steps(ui: &mut Ui, steps: &[StepRecord], outcomes: &[Outcome]) -> Result<(), Failure> {
    for (i, step) in steps.iter().enumerate() {
        let (sign, style) = match (step.ok, step.action.as_str()) {
            (Some(true), "create") => ("+", styles::ADD),
            (Some(true), "remove") => ("-", styles::REMOVE),
            (Some(true), "run" | "refresh") => ("!", styles::CHANGE),
            (Some(true), _) => ("~", styles::CHANGE),
            _ => ("x", styles::REMOVE),
        };
        let ending = match step.ok {
            Some(true) => "",
            Some(false) => "  failed",
            None => "  interrupted",
        };
        let sign = ui.styled(style, sign);
        let (resource, action) = (&step.resource, &step.action);
        writeln!(ui.out(), "{sign} {resource} {action}{ending}")?;
        if step.ok != Some(false) {
            for (property, message) in &step.changes {
                below(ui, &format!("{property}: {}", with_short_digests(message)))?;
            }
            continue;
        }
        // The planned message of a failed change would be misleading.
        let is_last = !steps[i + 1..].iter().any(|later| later.resource == step.resource);
        let outcome = outcomes.iter().find(|outcome| outcome.resource == step.resource);
        if let Some(outcome) = outcome.filter(|_| is_last) {
            show_cause(ui, outcome)?;
        }
    }
    Ok(())
}

/// The number of unreached resources that are named.
const MAX_NAMES: usize = 10;

/// Prints the resources that failed or were skipped before a step began.
fn show_others(ui: &mut Ui, steps: &[StepRecord], outcomes: &[Outcome]) -> Result<(), Failure> {
    let failing: HashSet<&str> =
        steps.iter().filter(|s| s.ok == Some(false)).map(|s| s.resource.as_str()).collect();
    let others = outcomes.iter().filter(|o| !failing.contains(o.resource.as_str()));
    let (stopped, others): (Vec<_>, Vec<_>) = others.partition(|o| o.status == "stopped");
    for outcome in others {
        let resource = &outcome.resource;
        if outcome.status == "failed" {
            let sign = ui.styled(styles::REMOVE, "x");
            writeln!(ui.out(), "{sign} {resource}  failed")?;
            show_cause(ui, outcome)?;
            continue;
        }
        let sign = ui.styled(styles::DIM, ".");
        match failed_dependency(&outcome.cause) {
            Some(cause) => {
                writeln!(ui.out(), "{sign} {resource}  skipped, because {cause} failed")?;
            }
            None => {
                writeln!(ui.out(), "{sign} {resource}  skipped")?;
                show_cause(ui, outcome)?;
            }
        }
    }
    let named = if ui.verbose() { stopped.len() } else { MAX_NAMES };
    for outcome in stopped.iter().take(named) {
        let sign = ui.styled(styles::DIM, ".");
        writeln!(ui.out(), "{sign} {}  not reached", outcome.resource)?;
    }
    match stopped.len().saturating_sub(named) {
        0 => {}
        more => writeln!(ui.out(), "  {more} more not reached; -v lists them")?,
    }
    Ok(())
}

/// The resource whose failure caused another one to be skipped.
fn failed_dependency(cause: &str) -> Option<&str> {
    let first = cause.lines().next()?;
    first.strip_prefix("Dependency ")?.strip_suffix(" has failures: true")
}

/// Prints the place of a resource, and why it failed or was skipped.
fn show_cause(ui: &mut Ui, outcome: &Outcome) -> Result<(), Failure> {
    if let Some((file, line)) = &outcome.place {
        below(ui, &format!("at {file}:{line}"))?;
    }
    for line in outcome.cause.lines() {
        below(ui, &with_short_digests(line))?;
    }
    if outcome.is_over {
        below(ui, "later in the run it came right")?;
    }
    Ok(())
}

/// Prints a line below a resource.
fn below(ui: &mut Ui, text: &str) -> Result<(), Failure> {
    Ok(ui.line(&format!("    {text}"), 6)?)
}

/// Opens the journal, if there is one.
fn open(given: Option<&Path>) -> Result<Option<Store>, Failure> {
    Ok(Store::existing(&existing_state_dir(given)?).map_err(codes::state)?)
}

/// A run, in two lines.
fn line(run: &RunRecord) -> String {
    let ending = match run.finished {
        Some(finished) => {
            let took = finished.duration_since(run.started).unwrap_or_default();
            format!("{:.1} s", took.as_secs_f64())
        }
        None => "no end".into(),
    };
    let mut counts = format!("{} changed", run.changed);
    for (count, word) in [(run.failed, "failed"), (run.skipped, "skipped")] {
        if count > 0 {
            counts.push_str(&format!(", {count} {word}"));
        }
    }
    let (number, kind) = (run.number, &run.kind);
    let first = format!("{number:4}  {}  {kind:8} {ending:>7}  {counts}", shown(run.started));
    let RunTarget { source, node, account, root } = &run.subject;
    let parts = [
        source.clone(),
        node.as_ref().map(|node| format!("for {node}")),
        account.as_ref().map(|account| format!("by {account}")),
        root.as_ref().map(|root| format!("in {root}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { first } else { format!("{first}\n      {}", parts.join(" ")) }
}

/// A time in UTC, for people.
fn shown(at: SystemTime) -> String {
    let nanos = milliseconds(at).saturating_mul(1_000_000);
    let text = time::format("%Y-%m-%d %H:%M:%SZ", nanos, None);
    text.unwrap_or_else(|_| format!("{:>19}s", milliseconds(at) / 1000))
}

fn seconds(time: SystemTime) -> Json {
    json!(milliseconds(time) as f64 / 1000.0)
}

/// Milliseconds since 1970, negative before.
fn milliseconds(at: SystemTime) -> i128 {
    let count = |distance: Duration| distance.as_millis() as i128;
    at.duration_since(UNIX_EPOCH).map_or_else(|before| -count(before.duration()), count)
}

fn run_json(run: &RunRecord) -> Json {
    json!({
        "run": run.number, "kind": run.kind, "started": seconds(run.started),
        "finished": run.finished.map(seconds), "changed": run.changed, "failed": run.failed,
        "skipped": run.skipped, "path": run.subject.source, "node": run.subject.node,
        "user": run.subject.account, "root": run.subject.root,
    })
}

fn outcome_json(outcome: &Outcome) -> Json {
    let (file, line) = outcome.place.as_ref().map(|(file, line)| (file, line)).unzip();
    json!({
        "resource": outcome.resource, "status": outcome.status, "cause": outcome.cause,
        "file": file, "line": line, "came_right": outcome.is_over,
    })
}

fn step_json(step: &StepRecord) -> Json {
    let changes: Json = (step.changes.iter())
        .map(|(property, message)| json!({ "property": property, "message": message }))
        .collect();
    json!({
        "resource": step.resource, "action": step.action, "begun": seconds(step.begun),
        "ok": step.ok, "changes": changes,
    })
}
