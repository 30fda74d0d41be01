//! `ordain watch`: compiles, reconciles the graph, and compiles again when a source changes.

mod args;
mod compiler;
pub(crate) mod journal;
mod lines;
mod output;
mod printer;
pub(crate) mod service_manager;
mod view;
mod watch_loop;

use std::path::Path;
use std::sync::Arc;

use ordain_driver::KindSource;
use ordain_engine::reconcile::{Reconciler, SchedulerOptions};
use ordain_process::interruption;
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::signals::{self, HangupAction, Signals};
use crate::ui::Ui;
use crate::{panics, runs};
pub(crate) use args::WatchArgs;
use compiler::Compiler;
use journal::{FailureJournal, RunRecorder};
use lines::{JsonLines, TextLines};
use output::WatchOutput;
use service_manager::ServiceManager;
use view::View;
use watch_loop::{LastMessages, Watch, WatchOutcome};

/// Watches until a signal arrives or there is nothing left to do.
///
/// # Errors
/// When another run holds the lock or the state directory cannot be used.
pub(crate) fn run(ui: &mut Ui, args: &WatchArgs) -> Result<Exit, Failure> {
    check_path(&args.path)?;
    let compile_options = args.compile.options();
    compile_options.check_paths()?;
    let dir = runs::state_dir(args.state_dir.as_deref())?;
    let _lock = runs::lock(&dir)?;
    let store = runs::journal(ui, &dir)?;
    let earlier = runs::take_interrupted(ui, &store)?;
    let failed = |e: std::io::Error| codes::io("cannot watch", &e);
    let signals = Signals::block(HangupAction::Reload).map_err(failed)?;
    signals.enable_graceful_stop();
    panics::end_thread_on_panic();
    let node = args.compile.node.as_deref().unwrap_or_default();
    let subject = runs::subject(&args.path, node, &args.selection.root);
    let run = store.begin("watch", &subject).map_err(codes::state)?;
    let notes = RunRecorder { store: Arc::clone(&store), run };
    let run_options =
        args.selection.run_options(&args.compile, args.state_dir.as_deref(), args.noop);
    let mut host = args.selection.shared_host(&args.path, &run_options)?;
    let cluster = if host.shared.is_some() { run_options.cluster()? } else { None };
    if let Some(cluster) = &cluster {
        cluster.follow().map_err(|e| codes::io("cannot follow the shared values", &e))?;
    }
    host.stays = true;
    let host = Arc::new(runs::with_backups(host, &store, run));
    let reconciler =
        Reconciler::new(Arc::clone(&host), Arc::new(notes), tuning(args)).map_err(failed)?;
    signals.listen(reconciler.waker(), ui.resource_log()).map_err(failed)?;
    let kinds = KindSource::new(&compile_options)?;
    let (output, manager) = (output(ui, args), ServiceManager::of_environment());
    let compiler = Compiler::start(ui, args, kinds, reconciler.waker()).map_err(failed)?;
    let mut watch = Watch {
        host: Arc::clone(&host),
        output,
        ui,
        args,
        store: Arc::clone(&store),
        run,
        reconciler,
        compiler,
        sources: Vec::new(),
        inputs: Vec::new(),
        dirty: None,
        is_reloading: false,
        earlier: Some(earlier),
        journal: FailureJournal::new(Arc::clone(&store), run),
        manager,
        last: LastMessages::default(),
        changed: 0,
        is_settled: false,
        is_ready: false,
    };
    watch.run_loop(&signals).map_err(failed)?;
    let asked = interruption::requested();
    let outcome = watch.end(asked.is_some());
    runs::record_final_states(&store, run, &host)?;
    if let Some(Err(error)) = cluster.map(|cluster| cluster.leave()) {
        // The store removes the candidacies by itself after their time.
        ui.message(&codes::shared_store(error));
    }
    let summary = serde_json::json!({ "changed": outcome.changed });
    match outcome.is_whole {
        true => store.finish(run, &summary),
        false => store.break_off(run, &summary),
    }
    .map_err(codes::state)?;
    runs::report_damages(ui, &store);
    Ok(host.ending().map_or_else(|| exit(asked, &outcome), Exit::Code))
}

/// Refuses a path that does not exist or cannot be watched.
fn check_path(path: &Path) -> Result<(), Diagnostic> {
    if path == Path::new("-") {
        let text = "standard input does not change, so it cannot be watched";
        return Err(Diagnostic::error(codes::ARGUMENTS, text));
    }
    if path.exists() { Ok(()) } else { Err(codes::missing(path)) }
}

/// The exit code after `signal`, or after a watch that ended by itself.
fn exit(signal: Option<i32>, outcome: &WatchOutcome) -> Exit {
    match (signal, outcome.failing, outcome.changed + outcome.would_change) {
        (Some(signal), ..) if interruption::is_forced() => signals::code(signal),
        (Some(_), ..) | (None, 0, 0) => Exit::Done,
        (None, 0, _) => Exit::Changes,
        (None, ..) => Exit::Failed,
    }
}

fn tuning(args: &WatchArgs) -> SchedulerOptions {
    let jobs = args.selection.jobs.map_or(4, Into::into);
    let sweep = (args.interval > 0).then(|| args.interval.saturating_mul(1000));
    SchedulerOptions { jobs, sweep, ..SchedulerOptions::default() }
}

fn output(ui: &Ui, args: &WatchArgs) -> Box<dyn WatchOutput> {
    use crate::options::TextOrJson;
    match args.format {
        TextOrJson::Json => Box::new(JsonLines::new()),
        TextOrJson::Text if args.lines || !View::fits(ui) => Box::new(TextLines::new(ui)),
        TextOrJson::Text => Box::new(View::new(ui, &args.path)),
    }
}
