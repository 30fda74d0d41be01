//! `ordain apply`: make the machine match.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use ordain_engine::apply::{Report, apply, apply_after};
use ordain_engine::host::Host;
use ordain_engine::kind::Change;
use ordain_engine::observer::Observer;
use ordain_engine::plan::plan;
use ordain_engine::prepare::{Options, Prepared};
use ordain_engine::report::{ResourceReport, Status};
use ordain_engine::saved::{Refusal, SavedPlan};
use ordain_graph::{Graph, ResourceRef};
use ordain_process::interruption;
use ordain_source::{Diagnostic, SourceMap};
use ordain_store::{MachineKey, Run, Store};
use serde_json::{Value as Json, json};

use super::plan::{SelectionArgs, prepare};
use crate::codes;
use crate::exit::{APPLY_HELP, Exit, Failure};
use crate::options::{CompileArgs, TextOrJson};
use crate::runs::{self, ReadOnlyObserver};
use crate::show::failures;
use crate::show::log::Context;
use crate::signals::{self, Signals};
use crate::ui::{Progress, Ui};
use ordain_driver::{Compiled, KindSource, Purpose, compile};

/// Make this machine match a manifest, a control repository, a catalog or a saved plan
///
/// PATH is a manifest, a control repository, a graph or a Puppet catalog (.json), or a plan that
/// `ordain plan --out` saved. The exit code is 2 when changes were made.
#[derive(Args)]
#[command(after_help = APPLY_HELP)]
pub(crate) struct ApplyArgs {
    /// A manifest, a directory, a graph, a catalog, a saved plan, or -
    #[arg(default_value = ".")]
    path: PathBuf,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// Change nothing, only report the changes
    #[arg(long)]
    noop: bool,
    /// Show what changes in files, as `diff -u` does
    #[arg(long)]
    show_diff: bool,
    /// Apply a graph even if some of its resources cannot be applied
    #[arg(long)]
    keep_going: bool,
    /// The directory of the lock and the journal of runs
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    compile: CompileArgs,
}

/// Compiles, applies and prints the report.
///
/// # Errors
/// When the sources have errors, the relationships form a cycle, another run holds the lock, or a
/// saved plan does not match.
pub(super) fn run(ui: &mut Ui, args: &ApplyArgs) -> Result<Exit, Failure> {
    let signals = Signals::for_single_run(ui)?;
    let compile_options =
        args.selection.run_options(&args.compile, args.state_dir.as_deref(), args.noop);
    let mut loaded = compile(ui, &args.path, &compile_options, Purpose::Application)?;
    if let Some(saved) = &loaded.plan {
        verify(saved, &runs::state_dir(args.state_dir.as_deref())?, &args.selection.root)?;
        let changed = loaded.changed_code();
        if !changed.is_empty() {
            let names = changed.iter().map(|dir| dir.display().to_string());
            return Err(stale(&Refusal::Code(names.collect())).into());
        }
    }
    let options = options(args, &loaded)?;
    let mut kinds = KindSource::new(&compile_options)?;
    let registry = kinds.registry(ui, &loaded, &compile_options)?;
    let noted = loaded.undo_missing(&args.selection.host(&args.path), &registry)?;
    let prepared = prepare(ui, &loaded, registry, options.clone())?;
    // A saved plan is first compared with the machine: that comparison explains errors better.
    if !args.keep_going && loaded.plan.is_none() {
        failures::refuse(ui, &prepared, &loaded)?;
    }
    if options.noop {
        let host = args.selection.shared_host(&args.path, &compile_options)?;
        return run_noop(ui, args, (&prepared, &host), &loaded, &kinds);
    }
    if let Some(exports) = &loaded.exports {
        exports.keep(ui)?;
    }
    let dir = runs::state_dir(args.state_dir.as_deref())?;
    let _lock = runs::lock(&dir)?;
    signals.enable_graceful_stop();
    let store = runs::journal(ui, &dir)?;
    let earlier = runs::take_interrupted(ui, &store)?;
    if let Some(saved) = &loaded.plan {
        compare(ui, args, &loaded, &prepared, saved)?;
        if let Some(signal) = interruption::requested() {
            runs::report_interruption(ui, signal, &[]);
            return Ok(signals::code(signal));
        }
        if !args.keep_going {
            failures::refuse(ui, &prepared, &loaded)?;
        }
    }
    let host = args.selection.shared_host(&args.path, &compile_options)?;
    noted.forget_obsolete(&loaded.graph, &host).map_err(codes::note)?;
    let subject = runs::subject(&args.path, &loaded.graph.name, &args.selection.root);
    let run = store.begin("apply", &subject).map_err(codes::state)?;
    let mut progress = ui.progress(loaded.leaves(), true);
    progress.set_context(Context::new(&loaded).diffs(args.show_diff));
    let mut journal =
        Journal { progress, store: &store, run, graph: &loaded.graph, sources: &loaded.sources };
    let host = runs::with_backups(host, &store, run);
    let report = apply_after(&prepared, &host, &journal, options.jobs, &earlier);
    journal.progress.clear();
    runs::record_final_states(&store, run, &host)?;
    let signal = interruption::requested();
    record_end(&store, run, &report, signal)?;
    runs::report_damages(ui, &store);
    let exit = finish(ui, args, &report, "Applied", &kinds)?;
    if let Some(signal) = signal {
        let stopped = report.resources.iter().filter(|r| r.status == Status::Stopped);
        let stopped: Vec<String> = stopped.map(|r| r.resource.to_string()).collect();
        runs::report_interruption(ui, signal, &stopped);
        return Ok(signals::code(signal));
    }
    Ok(host.ending().map_or(exit, Exit::Code))
}

/// Records the end of a run. If a signal left work undone, the next run resumes it.
///
/// # Errors
/// When the journal cannot be written.
pub(crate) fn record_end(
    store: &Store,
    run: Run,
    report: &Report,
    signal: Option<i32>,
) -> Result<(), Failure> {
    let counts = report.counts();
    let summary = runs::counts_json(&counts);
    match signal.is_none() || counts.stopped == 0 && !interruption::is_forced() {
        true => store.finish(run, &summary),
        false => store.break_off(run, &summary),
    }
    .map_err(codes::state)?;
    Ok(())
}

/// Checks that a saved plan is unchanged, and that it is applied on the machine it was saved for.
fn verify(saved: &SavedPlan, dir: &Path, root: &Path) -> Result<(), Failure> {
    let key = MachineKey::existing(dir).map_err(codes::state)?;
    let key = key.as_ref().map_or(&[][..], MachineKey::bytes);
    saved.verify(key, dir, &runs::root_path(root)).map_err(|refusal| {
        let help = match &refusal {
            Refusal::Unsigned => "save a plan with `ordain plan --out FILE`",
            Refusal::Foreign(_) => {
                "plan and apply on one machine, as one user, and with the same --state-dir"
            }
            Refusal::Root(_) => "apply it with the same --root",
            _ => "make a new plan and review it",
        };
        Diagnostic::error(codes::UNTRUSTED_PLAN, refusal.to_string()).help(help).into()
    })
}

/// Compares a saved plan with the machine, unless a signal interrupts that.
fn compare(
    ui: &mut Ui,
    args: &ApplyArgs,
    loaded: &Compiled,
    prepared: &Prepared,
    saved: &SavedPlan,
) -> Result<(), Failure> {
    let mut progress = ui.progress(loaded.leaves(), false);
    let observer = ReadOnlyObserver::new(&progress, args.state_dir.as_deref());
    let jobs = args.selection.jobs.map_or(1, Into::into);
    let now = plan(prepared, &args.selection.host(&args.path), &observer, jobs);
    progress.clear();
    if interruption::requested().is_some() {
        return Ok(());
    }
    saved.check(&now).map_err(|refusal| stale(&refusal).into())
}

/// A plan that is trusted, but does not fit.
fn stale(refusal: &Refusal) -> Diagnostic {
    let help = match refusal {
        Refusal::Omitted(_) => "create it with `ordain plan --include-secrets --out FILE`",
        _ => "make a new plan and review it",
    };
    Diagnostic::error(codes::STALE_PLAN, refusal.to_string()).help(help)
}

fn run_noop(
    ui: &mut Ui,
    args: &ApplyArgs,
    (prepared, host): (&Prepared, &Host),
    loaded: &Compiled,
    kinds: &KindSource,
) -> Result<Exit, Failure> {
    let mut progress = ui.progress(loaded.leaves(), true);
    progress.set_context(Context::new(loaded).diffs(args.show_diff));
    let jobs = args.selection.jobs.map_or(1, Into::into);
    let observer = ReadOnlyObserver::new(&progress, args.state_dir.as_deref());
    let report = apply(prepared, host, &observer, jobs);
    progress.clear();
    finish(ui, args, &report, "Would apply", kinds)
}

fn options(args: &ApplyArgs, loaded: &Compiled) -> Result<Options, Failure> {
    let Some(saved) = &loaded.plan else { return Ok(args.selection.options(args.noop)) };
    let selection = &args.selection;
    let chooses = [&selection.tags, &selection.skip_tags].iter().any(|tags| !tags.is_empty());
    if args.noop || chooses || !selection.target.is_empty() {
        let text = "a saved plan is applied exactly: --noop, --tags, --skip-tags and --target go \
                    to `plan`";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let jobs = args.selection.jobs.map_or(1, Into::into);
    Ok(Options { jobs, ..saved.options.clone() })
}

/// Records changes in the journal, and shows progress.
pub(crate) struct Journal<'a> {
    pub(crate) progress: Progress,
    pub(crate) store: &'a Store,
    pub(crate) run: Run,
    pub(crate) graph: &'a Graph,
    pub(crate) sources: &'a SourceMap,
}

impl Observer for Journal<'_> {
    fn started(&self, resource: &ResourceRef) {
        self.progress.started(resource);
    }

    fn acting(&self, resource: &ResourceRef, changes: &[Change]) -> Result<(), String> {
        runs::record_step_start(self.store, self.run, resource, changes)
    }

    fn acted(&self, resource: &ResourceRef, ok: bool) {
        runs::record_step_end(self.store, self.run, resource, ok);
    }

    fn last_applied(&self, resource: &ResourceRef) -> Option<Timestamp> {
        runs::last_applied(self.store, resource)
    }

    fn applied(&self, resource: &ResourceRef, now: Timestamp) {
        runs::record_applied(self.store, resource, now);
    }

    fn audited(&self, resource: &ResourceRef) -> Vec<(String, String)> {
        runs::audited(self.store, resource)
    }

    fn note_audited(&self, resource: &ResourceRef, values: &[(String, String)]) {
        runs::record_audited(self.store, resource, values);
    }

    fn secret_digest(&self, secret: &str) -> String {
        runs::secret_digest(self.store, secret)
    }

    fn finished(&self, report: &ResourceReport) {
        runs::record_outcome(self.store, self.run, report, self.graph, self.sources);
        self.progress.finished(report);
    }

    fn stop(&self) -> bool {
        interruption::requested().is_some()
    }
}

fn finish(
    ui: &mut Ui,
    args: &ApplyArgs,
    report: &Report,
    word: &str,
    kinds: &KindSource,
) -> Result<Exit, Failure> {
    let counts = report.counts();
    match args.format {
        TextOrJson::Text => writeln!(ui.out(), "{word}: {}", runs::counts_text(&counts))?,
        TextOrJson::Json => {
            let resources: Json = report.resources.iter().map(runs::resource_json).collect();
            let mut out = json!({
                "format": "ordain-report", "version": 1, "noop": args.noop,
                "counts": runs::counts_json(&counts), "resources": resources,
            });
            if let Some(time) = kinds.provider_cpu_time() {
                out["provider_cpu_seconds"] = json!(time.as_secs_f64());
            }
            writeln!(ui.document(), "{out}")?;
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
