//! `ordain history` and `ordain show`: what runs of the past changed.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use ordain_functions::time;
use ordain_source::Diagnostic;
use ordain_store::{PastRun, PastStep, Store};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::runs::state_dir;
use crate::ui::{Ui, styles};

/// List the runs that the journal knows, the last first
#[derive(Args)]
pub struct HistoryArgs {
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// Where the lock and the journal of runs are
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
}

/// Show what a run changed
///
/// Without RUN it is the last one.
#[derive(Args)]
pub struct ShowArgs {
    /// The number of a run, as `ordain history` lists it
    run: Option<i64>,
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// Where the lock and the journal of runs are
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
}

/// Lists runs.
///
/// # Errors
/// When the journal cannot be read.
pub fn run(ui: &mut Ui, args: &HistoryArgs) -> Result<Exit, Failure> {
    let store = open(args.state_dir.as_deref())?;
    let runs = store.runs().map_err(codes::state)?;
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
pub fn show(ui: &mut Ui, args: &ShowArgs) -> Result<Exit, Failure> {
    let store = open(args.state_dir.as_deref())?;
    let last = || store.runs().map(|runs| runs.first().map(|run| run.number));
    let number = args.run.map_or_else(last, |number| Ok(Some(number))).map_err(codes::state)?;
    let found = number.map_or(Ok(None), |number| store.past(number)).map_err(codes::state)?;
    let Some((run, steps)) = found else {
        let text = match args.run {
            Some(number) => format!("the journal knows no run {number}"),
            None => "the journal knows no run".to_string(),
        };
        let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
        return Err(error.help("`ordain history` lists those it knows").into());
    };
    if args.format == TextOrJson::Json {
        let mut out = run_json(&run);
        out["format"] = "ordain-run".into();
        out["version"] = 1.into();
        out["steps"] = steps.iter().map(step_json).collect();
        writeln!(ui.document(), "{out}")?;
        return Ok(Exit::Done);
    }
    writeln!(ui.out(), "{}", line(&run))?;
    for step in &steps {
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
            None => "  did not come to its end",
        };
        let sign = ui.styled(style, sign);
        let (resource, action) = (&step.resource, &step.action);
        writeln!(ui.out(), "{sign} {resource} {action}{ending}")?;
        for (property, message) in &step.changes {
            writeln!(ui.out(), "    {property}: {message}")?;
        }
    }
    Ok(Exit::Done)
}

fn open(given: Option<&std::path::Path>) -> Result<Store, Failure> {
    let dir = state_dir(given)?;
    Ok(Store::open(&dir).map_err(codes::state)?)
}

fn line(run: &PastRun) -> String {
    let ending = match run.finished {
        Some(finished) => {
            let took = finished.duration_since(run.started).unwrap_or_default();
            format!("{:.1} s", took.as_secs_f64())
        }
        None => "no end".into(),
    };
    let failed = if run.failed > 0 { format!(", {} failed", run.failed) } else { String::new() };
    let (number, kind, changed) = (run.number, &run.kind, run.changed);
    format!("{number:4}  {}  {kind:8} {ending:>7}  {changed} changed{failed}", shown(run.started))
}

/// A time as people read it, in UTC.
fn shown(at: SystemTime) -> String {
    let nanos = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as i128;
    time::format("%Y-%m-%d %H:%M:%SZ", nanos, None).unwrap_or_default()
}

fn seconds(time: SystemTime) -> Json {
    json!(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as f64 / 1000.0)
}

fn run_json(run: &PastRun) -> Json {
    json!({
        "run": run.number, "kind": run.kind, "started": seconds(run.started),
        "finished": run.finished.map(seconds), "changed": run.changed, "failed": run.failed,
    })
}

fn step_json(step: &PastStep) -> Json {
    let changes: Json = (step.changes.iter())
        .map(|(property, message)| json!({ "property": property, "message": message }))
        .collect();
    json!({
        "resource": step.resource, "action": step.action, "begun": seconds(step.begun),
        "ok": step.ok, "changes": changes,
    })
}
