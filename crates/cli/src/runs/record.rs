//! Records of a run in the journal.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use ordain_engine::backup::{self, Backups, SavedPath};
use ordain_engine::host::Host;
use ordain_engine::kind::{Change, Level};
use ordain_engine::report::{ResourceReport, Status};
use ordain_engine::saved::{action_name, status_name};
use ordain_engine::unfinished::UnfinishedRuns;
use ordain_functions::digest::hex;
use ordain_functions::pbkdf2::hmac_sha256;
use ordain_graph::locate::place;
use ordain_graph::{Graph, ResourceRef};
use ordain_source::{Diagnostic, SourceMap};
use ordain_store::{MachineKey, Outcome, PathBefore, Run, Store};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::Failure;
use crate::signals;
use crate::ui::Ui;

/// The action in the journal when a resource reacts to a notification.
const REFRESH: &str = "refresh";

/// The length of a cause in the journal, in bytes.
const MAX_CAUSE: usize = 4096;

/// The journal entry of a resource that failed or was skipped. `None` for other resources, also for
/// those that the selection excludes.
fn outcome(report: &ResourceReport, graph: &Graph, sources: &SourceMap) -> Option<Outcome> {
    let level = match report.status {
        Status::Failed => Level::Error,
        Status::Skipped | Status::SkippedForFailure | Status::Stopped => Level::Notice,
        _ => return None,
    };
    let lines = report.lines.iter().filter(|line| line.level >= level);
    let lines: Vec<&str> = lines.map(|line| line.message.as_str()).collect();
    // The log names the failed dependency only for the first resources behind it.
    let mut cause = match &report.blocked_by {
        Some(failed) => format!("Dependency {failed} has failures: true"),
        None => lines.join("\n"),
    };
    if cause.len() > MAX_CAUSE {
        cause.truncate(cause.floor_char_boundary(MAX_CAUSE));
        cause.push_str(" ...");
    }
    if cause.is_empty() && report.status == Status::Stopped {
        cause = "the run ended before it".into();
    }
    let place = place(graph, report.origin, sources);
    let place = place.map(|place| (place.file.to_string(), place.line));
    let (resource, status) = (report.resource.to_string(), status_name(report.status).into());
    Some(Outcome { resource, status, cause, place, is_over: false })
}

/// Records a resource that failed or was skipped. Returns whether it is such a resource.
pub(crate) fn record_outcome(
    store: &Store,
    run: Run,
    report: &ResourceReport,
    graph: &Graph,
    sources: &SourceMap,
) -> bool {
    let outcome = outcome(report, graph, sources);
    if let Some(outcome) = &outcome {
        // The run reports it, too, so an unwritable journal is no reason to stop.
        let _ = store.note_outcome(run, outcome);
    }
    outcome.is_some()
}

/// The number of resources that a message names.
const MAX_NAMES: usize = 5;

/// Warns that a signal stopped the run, and which resources it did not reach.
pub(crate) fn report_interruption(ui: &mut Ui, signal: i32, stopped: &[String]) {
    let text = format!("{} ended the run", signals::name(signal));
    let mut warning = Diagnostic::warning(codes::INTERRUPTED, text);
    if !stopped.is_empty() {
        let names = stopped.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>();
        let more = match stopped.len().saturating_sub(MAX_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let count = stopped.len();
        warning = warning.help(format!("not reached ({count}): {}{more}", names.join(", ")));
    }
    ui.message(&warning.help("the next run continues from here"));
}

/// Warns about earlier runs that did not finish. Returns their unfinished steps.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn take_interrupted(ui: &mut Ui, store: &Store) -> Result<UnfinishedRuns, Failure> {
    let mut unfinished = UnfinishedRuns::default();
    for run in store.take_interrupted().map_err(codes::state)? {
        let text = format!("an earlier run (process {}) was interrupted", run.pid);
        let mut warning = Diagnostic::warning(codes::INTERRUPTED, text);
        for step in &run.done {
            match step.action.as_str() {
                REFRESH => unfinished.notified(&step.resource),
                _ => unfinished.changed(&step.resource),
            }
        }
        for step in &run.in_progress {
            warning = warning.help(format!("under way was: {} {}", step.action, step.resource));
            if step.action != REFRESH {
                unfinished.in_progress(&step.resource);
            }
        }
        if run.is_new {
            ui.message(&warning);
        }
    }
    Ok(unfinished)
}

/// Sets up the host of a run, so that it backs up all changed paths for `ordain rollback`.
pub(crate) fn with_backups(mut host: Host, store: &Arc<Store>, run: Run) -> Host {
    let journal = Arc::clone(store);
    let note = move |kept: &[SavedPath]| {
        let found: Result<Vec<_>, _> = kept.iter().map(found_path).collect();
        let found = found.map_err(|e| e.to_string())?;
        journal.note_before(run, &found).map_err(|e| e.to_string())
    };
    host.backups = Some(Arc::new(Backups::new(store.backups(run.number()), Box::new(note))));
    host
}

/// A path and its state in the form of the journal.
fn found_path(kept: &SavedPath) -> serde_json::Result<PathBefore> {
    let path = kept.path.as_os_str().as_bytes().to_vec();
    Ok(PathBefore { path, state: serde_json::to_string(&kept.state)?, name: kept.name.clone() })
}

/// Records the states of the changed paths after the run, so that later changes by others are
/// detected.
///
/// # Errors
/// When the journal cannot be written.
pub(crate) fn record_final_states(store: &Store, run: Run, host: &Host) -> Result<(), Failure> {
    let paths = host.backups.as_ref().map(|backups| backups.paths()).unwrap_or_default();
    let state = |path: PathBuf| {
        // An unreadable path is compared with nothing, as after a run that did not finish.
        let state = backup::observe(host, &path, None).ok()?;
        Some((path.into_os_string().into_vec(), serde_json::to_string(&state).ok()?))
    };
    let states: Vec<_> = paths.into_iter().filter_map(state).collect();
    Ok(store.note_after(run, &states).map_err(codes::state)?)
}

/// Records that the machine is about to be changed for a resource.
///
/// # Errors
/// When the journal cannot be written. Then nothing may be changed.
pub(crate) fn record_step_start(
    store: &Store,
    run: Run,
    resource: &ResourceRef,
    changes: &[Change],
) -> Result<(), String> {
    let action = changes.first().map_or(REFRESH, |c| action_name(c.action));
    let changes = changes.iter().map(|c| json!({ "property": c.property, "message": c.message }));
    let changes = Json::from_iter(changes);
    store.begin_step(run, &resource.to_string(), action, &changes).map_err(|e| e.to_string())
}

/// Records the end of that change.
pub(crate) fn record_step_end(store: &Store, run: Run, resource: &ResourceRef, ok: bool) {
    // A step without this mark is checked again, so an error does no harm.
    let _ = store.end_step(run, &resource.to_string(), ok);
}

/// The time when a resource with a schedule was last applied; `None` if the journal does not have
/// it.
pub(crate) fn last_applied(store: &Store, resource: &ResourceRef) -> Option<Timestamp> {
    let seconds = store.last_applied(&resource.to_string()).ok().flatten()?;
    Timestamp::from_second(seconds).ok()
}

/// Records that a resource with a schedule was applied.
pub(crate) fn record_applied(store: &Store, resource: &ResourceRef, now: Timestamp) {
    // Without the record the resource is applied once more, which does no harm.
    let _ = store.note_applied(&resource.to_string(), now.as_second());
}

/// The last recorded values of a resource's audited properties; empty if the journal does not have
/// them.
pub(crate) fn audited(store: &Store, resource: &ResourceRef) -> Vec<(String, String)> {
    store.audited(&resource.to_string()).unwrap_or_default()
}

/// Records the current values of audited properties.
pub(crate) fn record_audited(store: &Store, resource: &ResourceRef, values: &[(String, String)]) {
    // Without the record they are reported again, which does no harm.
    let _ = store.note_audited(&resource.to_string(), values);
}

/// A digest of a secret under the key of the machine.
pub(crate) fn secret_digest(store: &Store, secret: &str) -> String {
    // Without a key all secrets look the same. That is better than a digest that can be guessed.
    let key = MachineKey::open(store.directory());
    key.map_or_else(
        |_| "secret".into(),
        |key| {
            let text = format!("ordain audit {secret}");
            hex(&hmac_sha256(key.bytes(), text.as_bytes())[..16])
        },
    )
}
