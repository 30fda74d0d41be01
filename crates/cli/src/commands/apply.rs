//! `ordain apply`: make the machine match.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ordain_engine::apply::{Report, apply};
use ordain_engine::kind::Change;
use ordain_engine::plan::plan;
use ordain_engine::prepare::{Options, Prepared};
use ordain_engine::report::{Counts, ResourceReport, Status};
use ordain_engine::saved::{Refusal, action_name, status_name};
use ordain_engine::step::{Observer, Silent};
use ordain_graph::ResourceRef;
use ordain_source::Diagnostic;
use ordain_store::{Run, RunLock, Store};
use serde_json::{Value as Json, json};

use super::plan::{SelectionArgs, prepare};
use crate::codes;
use crate::exit::{APPLY_HELP, Exit, Failure};
use crate::graphs::{self, Loaded};
use crate::input::Exporting;
use crate::options::{CompileArgs, TextOrJson};
use crate::ui::{Progress, Ui, engine_level};

/// Make this machine match a manifest, a control repository, a catalog or a saved plan
///
/// PATH is a manifest, a control repository, a graph or a Puppet catalog (.json), or a plan that
/// `ordain plan --out` saved. The exit code is 2 when changes were made.
#[derive(Args)]
#[command(after_help = APPLY_HELP)]
pub struct ApplyArgs {
    /// A manifest, a directory, a graph, a catalog, a saved plan, or -
    path: PathBuf,
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// Change nothing, only say what would be changed
    #[arg(long)]
    noop: bool,
    /// Where the lock and the journal of runs are
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    compile: CompileArgs,
}

/// Compiles, applies and prints.
///
/// # Errors
/// When the sources have errors, the relations a loop, another run is under way, or a saved plan
/// does not fit.
pub fn run(ui: &mut Ui, args: &ApplyArgs) -> Result<Exit, Failure> {
    let loaded = graphs::load_examined(ui, &args.path, &args.compile)?;
    let options = options(args, &loaded)?;
    let prepared = prepare(ui, &loaded, Arc::default(), options.clone())?;
    if options.noop {
        return run_noop(ui, args, &prepared, loaded.leaves());
    }
    loaded.exports.as_ref().map_or(Ok(()), Exporting::keep)?;
    let dir = state_dir(args)?;
    let _lock = RunLock::acquire(&dir).map_err(codes::state)?;
    let store = Store::open(&dir).map_err(codes::state)?;
    interrupted(ui, &store)?;
    if let Some(saved) = &loaded.plan {
        let now = plan(&prepared, &args.selection.host(), &Silent, options.jobs);
        saved.check(&now).map_err(|refusal| {
            let help = match refusal {
                Refusal::Omitted(_) => "make it with `ordain plan --include-secrets --out FILE`",
                Refusal::Moved(_) => "make a new plan, and look at it",
            };
            Diagnostic::error(codes::STALE_PLAN, refusal.to_string()).help(help)
        })?;
    }
    let run = store.begin("apply").map_err(codes::state)?;
    let progress = ui.progress(loaded.leaves(), true);
    let mut journal = Journal { progress, store: &store, run };
    let report = apply(&prepared, &args.selection.host(), &journal, options.jobs);
    journal.progress.clear();
    let counts = report.counts();
    store.finish(run, &counts_json(&counts)).map_err(codes::state)?;
    finish(ui, args, &report, "Applied")
}

fn run_noop(
    ui: &mut Ui,
    args: &ApplyArgs,
    prepared: &Prepared,
    resources: usize,
) -> Result<Exit, Failure> {
    let mut progress = ui.progress(resources, true);
    let jobs = args.selection.jobs.map_or(1, Into::into);
    let report = apply(prepared, &args.selection.host(), &progress, jobs);
    progress.clear();
    finish(ui, args, &report, "Would apply")
}

fn options(args: &ApplyArgs, loaded: &Loaded) -> Result<Options, Failure> {
    let Some(saved) = &loaded.plan else { return Ok(args.selection.options(args.noop)) };
    if args.noop || !args.selection.tags.is_empty() || !args.selection.skip_tags.is_empty() {
        let text = "a saved plan is applied exactly: --noop, --tags and --skip-tags go to `plan`";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let jobs = args.selection.jobs.map_or(1, Into::into);
    Ok(Options { jobs, ..saved.options.clone() })
}

/// The directory of lock and journal.
fn state_dir(args: &ApplyArgs) -> Result<PathBuf, Diagnostic> {
    if let Some(dir) = &args.state_dir {
        return Ok(dir.clone());
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

/// Says which earlier runs did not come to their end.
fn interrupted(ui: &mut Ui, store: &Store) -> Result<(), Failure> {
    for run in store.take_interrupted().map_err(codes::state)? {
        let text = format!("an earlier run (process {}) did not come to its end", run.pid);
        let mut warning = Diagnostic::warning(codes::INTERRUPTED, text);
        for step in &run.under_way {
            warning = warning.help(format!("under way was: {} {}", step.action, step.resource));
        }
        ui.message(&warning);
    }
    Ok(())
}

/// Writes down what is about to be done, and shows how far the run is.
struct Journal<'a> {
    progress: Progress,
    store: &'a Store,
    run: Run,
}

impl Observer for Journal<'_> {
    fn started(&self, resource: &ResourceRef) {
        self.progress.started(resource);
    }

    fn acting(&self, resource: &ResourceRef, changes: &[Change]) -> Result<(), String> {
        let action = changes.first().map_or("refresh", |c| action_name(c.action));
        self.store.begin_step(self.run, &resource.to_string(), action).map_err(|e| e.to_string())
    }

    fn acted(&self, resource: &ResourceRef, ok: bool) {
        // What is not marked as done is looked at again: that is all that the mark is for.
        let _ = self.store.end_step(self.run, &resource.to_string(), ok);
    }

    fn finished(&self, report: &ResourceReport) {
        self.progress.finished(report);
    }
}

fn finish(ui: &mut Ui, args: &ApplyArgs, report: &Report, word: &str) -> Result<Exit, Failure> {
    let counts = report.counts();
    match args.format {
        TextOrJson::Text => writeln!(ui.out(), "{word}: {}", counts_text(&counts))?,
        TextOrJson::Json => {
            let resources: Json = report.resources.iter().map(resource_json).collect();
            let out = json!({
                "format": "ordain-report", "version": 1, "noop": args.noop,
                "counts": counts_json(&counts), "resources": resources,
            });
            writeln!(ui.out(), "{out}")?;
        }
    }
    let touched = |s| s == Status::Changed || args.noop && s == Status::WouldChange;
    Ok(if counts.failed > 0 {
        Exit::Failed
    } else if report.resources.iter().any(|r| touched(r.status)) {
        Exit::Changes
    } else {
        Exit::Done
    })
}

fn counts_text(counts: &Counts) -> String {
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
        (counts.failed, "failed"),
    ];
    parts.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")));
    parts.join(", ") + "."
}

fn counts_json(counts: &Counts) -> Json {
    json!({
        "created": counts.created, "changed": counts.modified, "removed": counts.removed,
        "run": counts.run, "in_place": counts.in_place, "failed": counts.failed,
        "skipped": counts.skipped, "refreshed": counts.refreshed,
    })
}

fn resource_json(report: &ResourceReport) -> Json {
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
