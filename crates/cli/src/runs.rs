//! Runs that change the machine: where they keep their lock and journal, what they write down and
//! how they tell it.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use ordain_engine::backup::{self, Backups, SavedPath};
use ordain_engine::host::Host;
use ordain_engine::kind::{Change, Level};
use ordain_engine::observer::Observer;
use ordain_engine::report::{Counts, ResourceReport, Status};
use ordain_engine::saved::{action_name, status_name};
use ordain_engine::unfinished::UnfinishedRuns;
use ordain_functions::digest::hex;
use ordain_functions::pbkdf2::hmac_sha256;
use ordain_graph::locate::place;
use ordain_graph::{Graph, ResourceRef};
use ordain_process::interruption;
use ordain_source::{Diagnostic, SourceMap};
use ordain_store::{MachineKey, Outcome, PathBefore, Run, RunLock, Store, Subject};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::Failure;
use crate::signals;
use crate::ui::{Progress, Ui, engine_level};

/// What the journal calls it when a resource acts on a notification.
const REFRESH: &str = "refresh";

/// The directory of lock and journal.
///
/// # Errors
/// When none is given and there is no home directory.
pub fn state_dir(given: Option<&Path>) -> Result<PathBuf, Diagnostic> {
    if let Some(dir) = given {
        return Ok(dir.to_path_buf());
    }
    if rustix::process::geteuid().is_root() {
        return Ok("/var/lib/ordain".into());
    }
    let var = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let home = || var("HOME").map(|home| home.join(".local/state"));
    let base = var("XDG_STATE_HOME").or_else(home);
    base.map(|dir| dir.join("ordain")).ok_or_else(|| {
        Diagnostic::error(codes::STATE, "there is no home directory to keep state in")
            .help("--state-dir says where to keep it")
    })
}

/// As [`state_dir`], of those who only read what earlier runs left: nothing is made.
///
/// # Errors
/// As of [`state_dir`], and if a directory is named that is not there.
pub fn known_state_dir(given: Option<&Path>) -> Result<PathBuf, Diagnostic> {
    if let Some(dir) = given.filter(|dir| !dir.exists()) {
        return Err(codes::missing(dir));
    }
    state_dir(given)
}

/// The journal of a run that holds the lock; says so if a damaged one was set aside.
///
/// # Errors
/// When it cannot be used.
pub fn journal(ui: &mut Ui, dir: &Path) -> Result<Arc<Store>, Failure> {
    let store = Arc::new(Store::open_for_run(dir).map_err(codes::state)?);
    tell_damages(ui, &store);
    Ok(store)
}

/// Says which journals were found damaged and set aside, and what is lost with them.
pub fn tell_damages(ui: &mut Ui, store: &Store) {
    for damage in store.take_damages() {
        let text = format!("the journal was unusable and is set aside: {}", damage.reason);
        let warning = Diagnostic::warning(codes::DAMAGED, text)
            .help(format!("it is in {} now; a new one was begun", damage.moved_to.display()))
            .help(
                "lost are the history, the rollback of earlier runs, and when schedules were met",
            );
        ui.message(&warning);
    }
}

/// What a run is of: the path that was given, the node, who runs it, and on which file system.
pub fn subject(source: &Path, node: &str, root: &Path) -> Subject {
    let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let source = match source == Path::new("-") {
        true => "standard input".to_string(),
        false => full(source).display().to_string(),
    };
    let root = root_path(root);
    Subject {
        source: Some(source),
        node: Some(node).filter(|node| !node.is_empty()).map(ToString::to_string).or_else(hostname),
        account: Some(account()),
        root: (root != Path::new("/")).then(|| root.display().to_string()),
    }
}

fn hostname() -> Option<String> {
    let system = rustix::system::uname();
    system.nodename().to_str().ok().map(ToString::to_string)
}

/// The account that runs this, and who became it with sudo.
fn account() -> String {
    let uid = nix::unistd::geteuid();
    let user = nix::unistd::User::from_uid(uid).ok().flatten();
    let name = user.map_or_else(|| uid.to_string(), |user| user.name);
    match std::env::var("SUDO_USER") {
        Ok(by) if uid.is_root() && by != name => format!("{name} (sudo by {by})"),
        _ => name,
    }
}

/// The directory that stands for the file system, as an absolute path without links.
pub fn root_path(root: &Path) -> PathBuf {
    let full = || std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
    root.canonicalize().unwrap_or_else(|_| full())
}

/// How much of a cause the journal keeps, in bytes.
const MAX_CAUSE: usize = 4096;

/// What the journal keeps of a resource that did not become what it shall be; nothing of others, nor
/// of those that nobody asked for.
fn outcome(report: &ResourceReport, graph: &Graph, sources: &SourceMap) -> Option<Outcome> {
    let level = match report.status {
        Status::Failed => Level::Error,
        Status::Skipped | Status::SkippedForFailure | Status::Stopped => Level::Notice,
        _ => return None,
    };
    let lines = report.lines.iter().filter(|line| line.level >= level);
    let lines: Vec<&str> = lines.map(|line| line.message.as_str()).collect();
    // The log says only of the first resources behind a failure which one it was.
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

/// Writes down what became of a resource, if it did not become what it shall be; whether that is so.
pub fn note_outcome(
    store: &Store,
    run: Run,
    report: &ResourceReport,
    graph: &Graph,
    sources: &SourceMap,
) -> bool {
    let outcome = outcome(report, graph, sources);
    if let Some(outcome) = &outcome {
        // The run says it, too; what the journal lacks is no reason to end it.
        let _ = store.note_outcome(run, outcome);
    }
    outcome.is_some()
}

/// Takes the lock of runs. What runs start holds it as well until it has ended.
///
/// # Errors
/// When another run has it, or the directory cannot be used.
pub fn lock(dir: &Path) -> Result<RunLock, Failure> {
    let lock = RunLock::acquire(dir).map_err(codes::state)?;
    let shared = lock.share().map_err(|e| codes::io("the run cannot be locked", &e))?;
    ordain_process::hold_while_programs_run(shared);
    Ok(lock)
}

/// How many names of resources a message has.
const MOST_NAMES: usize = 5;

/// Says what a run did not come to because it was told to end.
pub fn broken_off(ui: &mut Ui, signal: i32, stopped: &[String]) {
    let text = format!("{} ended the run", signals::name(signal));
    let mut warning = Diagnostic::warning(codes::INTERRUPTED, text);
    if !stopped.is_empty() {
        let names = stopped.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>();
        let more = match stopped.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let count = stopped.len();
        warning = warning.help(format!("not reached ({count}): {}{more}", names.join(", ")));
    }
    ui.message(&warning.help("the next run goes on from here"));
}

/// Says which earlier runs did not come to their end, and gives what they were doing.
///
/// # Errors
/// When the journal cannot be read.
pub fn interrupted(ui: &mut Ui, store: &Store) -> Result<UnfinishedRuns, Failure> {
    let mut unfinished = UnfinishedRuns::default();
    for run in store.take_interrupted().map_err(codes::state)? {
        let text = format!("an earlier run (process {}) did not come to its end", run.pid);
        let mut warning = Diagnostic::warning(codes::INTERRUPTED, text);
        for step in &run.done {
            match step.action.as_str() {
                REFRESH => unfinished.told(&step.resource),
                _ => unfinished.changed(&step.resource),
            }
        }
        for step in &run.under_way {
            warning = warning.help(format!("under way was: {} {}", step.action, step.resource));
            if step.action != REFRESH {
                unfinished.under_way(&step.resource);
            }
        }
        if run.is_new {
            ui.message(&warning);
        }
    }
    Ok(unfinished)
}

/// The machine of a run, which keeps what it changes for `ordain rollback`.
pub fn keeping(mut host: Host, store: &Arc<Store>, run: Run) -> Host {
    let journal = Arc::clone(store);
    let note = move |kept: &[SavedPath]| {
        let found: Result<Vec<_>, _> = kept.iter().map(found_path).collect();
        let found = found.map_err(|e| e.to_string())?;
        journal.note_before(run, &found).map_err(|e| e.to_string())
    };
    host.backups = Some(Arc::new(Backups::new(store.backups(run.number()), Box::new(note))));
    host
}

/// A path and what stands there, as the journal has them.
fn found_path(kept: &SavedPath) -> serde_json::Result<PathBefore> {
    let path = kept.path.as_os_str().as_bytes().to_vec();
    Ok(PathBefore { path, state: serde_json::to_string(&kept.state)?, name: kept.name.clone() })
}

/// Writes down what the run made of what it changed, so that later changes of others are seen.
///
/// # Errors
/// When it cannot be written.
pub fn note_made(store: &Store, run: Run, host: &Host) -> Result<(), Failure> {
    let paths = host.backups.as_ref().map(|backups| backups.paths()).unwrap_or_default();
    let state = |path: PathBuf| {
        // What cannot be read is compared with nothing, as after a run without an end.
        let state = backup::observe(host, &path, None).ok()?;
        Some((path.into_os_string().into_vec(), serde_json::to_string(&state).ok()?))
    };
    let states: Vec<_> = paths.into_iter().filter_map(state).collect();
    Ok(store.note_after(run, &states).map_err(codes::state)?)
}

/// Writes down that the machine is about to be changed for a resource.
///
/// # Errors
/// When it cannot be written; then nothing may be changed.
pub fn note_acting(
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

/// Writes down that it was changed, or could not be.
pub fn note_acted(store: &Store, run: Run, resource: &ResourceRef, ok: bool) {
    // What is not marked as done is looked at again: that is all that the mark is for.
    let _ = store.end_step(run, &resource.to_string(), ok);
}

/// When a resource with a schedule was applied last; nothing if the journal cannot tell.
pub fn last_applied(store: &Store, resource: &ResourceRef) -> Option<Timestamp> {
    let seconds = store.last_applied(&resource.to_string()).ok().flatten()?;
    Timestamp::from_second(seconds).ok()
}

/// Watches a run that changes nothing; knows from the journal when resources were applied.
pub struct Looking<'a> {
    progress: &'a Progress,
    dir: Option<PathBuf>,
    store: OnceLock<Option<Store>>,
}

impl<'a> Looking<'a> {
    /// With the journal of a state directory, if it has one.
    pub fn new(progress: &'a Progress, state_dir: Option<&Path>) -> Self {
        // Without a place for it there is no journal.
        let dir = self::state_dir(state_dir).ok();
        Self { progress, dir, store: OnceLock::new() }
    }

    fn store(&self) -> Option<&Store> {
        // What cannot be read here says nothing about the machine.
        let open = || Store::existing(self.dir.as_ref()?).ok().flatten();
        self.store.get_or_init(open).as_ref()
    }
}

impl Observer for Looking<'_> {
    fn started(&self, resource: &ResourceRef) {
        self.progress.started(resource);
    }

    fn last_applied(&self, resource: &ResourceRef) -> Option<Timestamp> {
        last_applied(self.store()?, resource)
    }

    fn audited(&self, resource: &ResourceRef) -> Vec<(String, String)> {
        self.store().map_or_else(Vec::new, |store| audited(store, resource))
    }

    fn secret_digest(&self, secret: &str) -> String {
        self.store().map_or_else(|| "secret".into(), |store| secret_digest(store, secret))
    }

    fn finished(&self, report: &ResourceReport) {
        self.progress.finished(report);
    }

    fn stop(&self) -> bool {
        self.progress.stop() || interruption::requested().is_some()
    }
}

/// What was seen last of the properties of a resource that are watched; nothing if the journal cannot
/// tell.
pub fn audited(store: &Store, resource: &ResourceRef) -> Vec<(String, String)> {
    store.audited(&resource.to_string()).unwrap_or_default()
}

/// Writes down what is seen of them now.
pub fn note_audited(store: &Store, resource: &ResourceRef, values: &[(String, String)]) {
    // Where it cannot be written it is said again, which does no harm.
    let _ = store.note_audited(&resource.to_string(), values);
}

/// A digest of a secret under the key of the machine.
pub fn secret_digest(store: &Store, secret: &str) -> String {
    // Without a key all secrets are the same: that is better than one that can be guessed.
    let key = MachineKey::open(store.directory());
    key.map_or_else(
        |_| "secret".into(),
        |key| {
            let text = format!("ordain audit {secret}");
            hex(&hmac_sha256(key.bytes(), text.as_bytes())[..16])
        },
    )
}

/// Writes down that it is applied now.
pub fn note_applied(store: &Store, resource: &ResourceRef, now: Timestamp) {
    // Where it cannot be written the resource is applied once more, which does no harm.
    let _ = store.note_applied(&resource.to_string(), now.as_second());
}

/// How many resources fared how, in words.
pub fn counts_text(counts: &Counts) -> String {
    let mut parts = vec![
        format!("{} created", counts.created),
        format!("{} changed", counts.modified),
        format!("{} removed", counts.removed),
        format!("{} in place", counts.in_place),
    ];
    let more = [
        (counts.run, "run"),
        (counts.refreshed, "refreshed"),
        (counts.skipped, "left out"),
        (counts.stopped, "not reached"),
        (counts.failed, "failed"),
    ];
    parts.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")));
    parts.join(", ") + "."
}

/// The same as a document has it.
pub fn counts_json(counts: &Counts) -> Json {
    json!({
        "created": counts.created, "changed": counts.modified, "removed": counts.removed,
        "run": counts.run, "in_place": counts.in_place, "failed": counts.failed,
        "skipped": counts.skipped, "not_reached": counts.stopped,
        "refreshed": counts.refreshed,
    })
}

/// A resource of a run as a document has it.
pub fn resource_json(report: &ResourceReport) -> Json {
    let changes: Vec<_> = report
        .changes
        .iter()
        .map(|c| {
            json!({
                "action": action_name(c.action), "property": c.property, "message": c.message,
                "before": write(&c.before), "after": write(&c.after),
            })
        })
        .collect();
    let lines: Vec<_> = report
        .lines
        .iter()
        .map(|l| json!({ "log": engine_level(l.level).word(), "source": l.source, "message": l.message }))
        .collect();
    json!({
        "resource": report.resource.to_string(), "status": status_name(report.status),
        "refreshed": report.refreshed, "changes": changes, "logs": lines,
        "seconds": report.duration.as_secs_f64(),
    })
}

fn write(value: &ordain_data::Value) -> Json {
    ordain_graph::json::write_value(value, ordain_graph::json::Secrets::Omit)
}
