//! `ordain rollback`: restores files, directories and links to their state before a run.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Args;
use ordain_engine::backup::{self, SavedPath, State};
use ordain_engine::host::AllowedActions;
use ordain_engine::host::Host;
use ordain_engine::runner::HostRunner;
use ordain_graph::ResourceRef;
use ordain_process::interruption;
use ordain_source::Diagnostic;
use ordain_store::{Run, RunTarget, Store};
use serde_json::json;

use ordain_driver::project::machine_path;

use super::plan::machine_root;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::number_of_run;
use crate::runs;
use crate::signals::{self, Signals};
use crate::ui::{Ui, styles};

/// Restore files, directories and links to their state before a run
///
/// Without RUN it is the last run that changed any. If a path was changed after the run, nothing is
/// restored unless --force is given. Packages, services, users and effects of commands are not
/// restored. The exit code is 2 when something was restored.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain rollback --noop
  ordain rollback 12")]
pub(crate) struct RollbackArgs {
    /// The number of a run, as `ordain history` lists it
    #[arg(value_parser = number_of_run)]
    run: Option<i64>,
    /// Also restore paths that were changed after the run
    #[arg(long)]
    force: bool,
    /// Change nothing, only list the paths to restore
    #[arg(long)]
    noop: bool,
    /// The root directory of the machine
    #[arg(long, value_name = "DIR", default_value = "/", value_parser = machine_root)]
    root: PathBuf,
    /// Allow PATH to be removed, even if the system needs it
    #[arg(long, value_name = "PATH", value_parser = machine_path)]
    allow_remove: Vec<PathBuf>,
    /// Allow changes of files that another user may have hard-linked
    #[arg(long)]
    allow_hard_links: bool,
    /// The directory of the lock and the journal of runs
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
}

/// A path that a run changed.
struct ChangedPath {
    kept: SavedPath,
    after: Option<State>,
}

/// Reverts the changes of a run.
///
/// # Errors
/// When there is no such run, a path was changed since, or a path cannot be written.
pub(super) fn run(ui: &mut Ui, args: &RollbackArgs) -> Result<Exit, Failure> {
    let signals = Signals::for_single_run(ui)?;
    let dir = runs::existing_state_dir(args.state_dir.as_deref())?;
    if !dir.exists() {
        return Err(nothing_known());
    }
    let _lock = runs::lock(&dir)?;
    let store = runs::journal(ui, &dir)?;
    let number = number(args, &store)?;
    let changed = changed(&store, number)?;
    let mut host = Host::new(args.root.clone(), Box::new(HostRunner));
    host.allowed = AllowedActions::new(&args.allow_remove, args.allow_hard_links);
    refuse_changed(args, &host, number, &changed)?;
    let all = backup::in_order(changed.into_iter().map(|changed| changed.kept).collect());
    let todo: Vec<SavedPath> =
        all.into_iter().filter(|kept| !backup::is_as(&host, &kept.path, &kept.state)).collect();
    if args.noop {
        return show_todo(ui, number, &todo);
    }
    signals.enable_graceful_stop();
    let subject = RunTarget { source: None, ..runs::subject(Path::new("-"), "", &args.root) };
    let own = store.begin("rollback", &subject).map_err(codes::state)?;
    let host = runs::with_backups(host, &store, own);
    let copies = store.backups(number);
    let (mut failed, mut stopped) = (0, Vec::new());
    for kept in &todo {
        if interruption::requested().is_some() {
            stopped.push(kept.shown());
            continue;
        }
        let result = restore_path(&store, own, &host, kept, &copies);
        failed += usize::from(result.is_err());
        show_result(ui, kept, result)?;
    }
    runs::record_final_states(&store, own, &host)?;
    let done = todo.len() - failed - stopped.len();
    let summary = json!({
        "of": number, "put_back": done, "failed": failed, "not_reached": stopped.len(),
    });
    store.finish(own, &summary).map_err(codes::state)?;
    let rest = match stopped.len() {
        0 => String::new(),
        rest => format!(", {rest} not reached"),
    };
    writeln!(ui.out(), "Restored: {done} of run {number}{rest}.")?;
    if let Some(signal) = interruption::requested() {
        runs::report_interruption(ui, signal, &stopped);
        return Ok(signals::code(signal));
    }
    Ok(match (failed, done) {
        (1.., _) => Exit::Failed,
        (0, 0) => Exit::Done,
        _ => Exit::Changes,
    })
}

/// Prints the paths that a rollback would revert.
fn show_todo(ui: &mut Ui, number: i64, todo: &[SavedPath]) -> Result<Exit, Failure> {
    for kept in todo {
        let line = line(ui, kept);
        writeln!(ui.out(), "{line}")?;
    }
    writeln!(ui.out(), "Would restore: {} of run {number}.", todo.len())?;
    Ok(if todo.is_empty() { Exit::Done } else { Exit::Changes })
}

/// Prints a path that was reverted, or the error.
fn show_result(ui: &mut Ui, kept: &SavedPath, result: Result<(), String>) -> Result<(), Failure> {
    match result {
        Ok(()) => {
            let line = line(ui, kept);
            writeln!(ui.out(), "{line}")?;
        }
        Err(why) => {
            let text = format!("cannot restore {}: {why}", kept.shown());
            ui.message(&Diagnostic::error(codes::ROLLBACK, text));
        }
    }
    Ok(())
}

/// The number of the run in the arguments, or that of the last run that changed a path.
fn number(args: &RollbackArgs, store: &Store) -> Result<i64, Failure> {
    let known = store.runs().map_err(codes::state)?;
    if let Some(number) = args.run {
        if known.iter().any(|run| run.number == number) {
            return Ok(number);
        }
        let text = format!("the journal has no run {number}");
        let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
        return Err(error.help("`ordain history` lists the runs").into());
    }
    for run in known.iter().filter(|run| run.kind != "rollback") {
        if !store.changed_paths(run.number).map_err(codes::state)?.is_empty() {
            return Ok(run.number);
        }
    }
    Err(nothing_known())
}

/// The error that there is nothing to revert.
fn nothing_known() -> Failure {
    Diagnostic::error(codes::ROLLBACK, "no run is known that changed a file").into()
}

fn changed(store: &Store, number: i64) -> Result<Vec<ChangedPath>, Failure> {
    let broken = |e: serde_json::Error| {
        Diagnostic::error(codes::STATE, format!("the journal cannot be read: {e}"))
    };
    let mut out = Vec::new();
    for row in store.changed_paths(number).map_err(codes::state)? {
        let path = PathBuf::from(OsStr::from_bytes(&row.path));
        let state = serde_json::from_str(&row.before).map_err(broken)?;
        let after = row.after.as_deref().map(serde_json::from_str).transpose().map_err(broken)?;
        out.push(ChangedPath { kept: SavedPath { path, state, name: row.name }, after });
    }
    Ok(out)
}

/// Refuses paths that are neither as the run left them nor as they were before.
fn refuse_changed(
    args: &RollbackArgs,
    host: &Host,
    number: i64,
    changed: &[ChangedPath],
) -> Result<(), Failure> {
    let changed_since = changed.iter().filter(|ChangedPath { kept, after }| {
        let is_left = |after: &State| backup::is_as(host, &kept.path, after);
        !after.as_ref().is_none_or(is_left) && !backup::is_as(host, &kept.path, &kept.state)
    });
    let changed_since: Vec<String> = changed_since.map(|changed| changed.kept.shown()).collect();
    if changed_since.is_empty() || args.force {
        return Ok(());
    }
    let text = format!("changed after run {number}: {}", changed_since.join(", "));
    let error = Diagnostic::error(codes::ROLLBACK, text);
    Err(error.help("compare the present state; --force restores it all the same").into())
}

fn restore_path(
    store: &Store,
    run: Run,
    host: &Host,
    kept: &SavedPath,
    copies: &Path,
) -> Result<(), String> {
    let resource = ResourceRef { kind: "File".into(), title: kept.shown().into() };
    let failed = |error: io::Error| match &kept.name {
        Some(name) => error.to_string().replace(&*kept.path.to_string_lossy(), name),
        None => error.to_string(),
    };
    if let Some(backups) = &host.backups {
        backups.save_as(host, &kept.path, kept.name.clone()).map_err(failed)?;
    }
    let begun = store.begin_step(run, &resource.to_string(), "restore", &json!([]));
    begun.map_err(|e| e.to_string())?;
    let done = backup::restore(host, kept, copies);
    runs::record_step_end(store, run, &resource, done.is_ok());
    done.map_err(failed)
}

fn line(ui: &Ui, kept: &SavedPath) -> String {
    let (sign, style, what) = match &kept.state {
        State::Absent => ("-", styles::REMOVE, "removed"),
        State::File { .. } => ("~", styles::CHANGE, "restored the file"),
        State::Link { .. } => ("~", styles::CHANGE, "restored the link"),
        State::Directory { .. } => ("~", styles::CHANGE, "restored the directory"),
        State::Other => ("x", styles::REMOVE, "not restored"),
    };
    format!("{} {}: {what}", ui.styled(style, sign), kept.shown())
}
