//! `ordain watch`: compiles, keeps true what was compiled, and compiles again when a source changes.

mod args;
mod compiler;
mod lines;
mod manager;
mod output;
mod printer;
mod view;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ordain_engine::host::Host;
use ordain_engine::kind::Change;
use ordain_engine::reconcile::{Keeper, Standing, Swapped, Tuning, Turn};
use ordain_engine::report::{ResourceReport, Status};
use ordain_engine::step::Observer;
use ordain_engine::unfinished::Unfinished;
use ordain_graph::{Graph, ResourceRef};
use ordain_process::interruption;
use ordain_source::{Diagnostic, SourceMap};
use ordain_store::{Run, Store};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::show::log::Context;
use crate::signals::{self, Hangup, Signals};
use crate::ui::Ui;
use crate::{panics, runs};
pub use args::WatchArgs;
use compiler::{CompileResult, Compiler, PreparedGraph, SourceFiles};
use lines::{JsonLines, TextLines};
use manager::Manager;
use output::{NewGraph, WatchOutput};
use view::View;

/// How long sources have to be at rest before they are compiled, so that a checkout of many files is
/// compiled once.
const REST: Duration = Duration::from_millis(30);

/// The longest that a change of a source waits for rest.
const MAX_REST: Duration = Duration::from_millis(500);

/// Watches until a signal or the end of all work.
///
/// # Errors
/// When another run is under way or the state directory cannot be used.
pub fn run(ui: &mut Ui, args: &WatchArgs) -> Result<Exit, Failure> {
    if args.path == Path::new("-") {
        let text = "standard input does not change, so it cannot be watched";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    if !args.path.exists() {
        return Err(codes::missing(&args.path).into());
    }
    let compile_options = args.compile.options();
    compile_options.check_paths()?;
    let dir = runs::state_dir(args.state_dir.as_deref())?;
    let _lock = runs::lock(&dir)?;
    let store = runs::journal(ui, &dir)?;
    let earlier = runs::interrupted(ui, &store)?;
    let failed = |e: std::io::Error| codes::io("cannot watch", &e);
    let signals = Signals::block(Hangup::Reloads).map_err(failed)?;
    signals.finish_what_runs();
    panics::end_thread_on_panic();
    let node = args.compile.node.as_deref().unwrap_or_default();
    let subject = runs::subject(&args.path, node, &args.selection.root);
    let run = store.begin("watch", &subject).map_err(codes::state)?;
    let notes = RunRecorder { store: Arc::clone(&store), run };
    let mut host = args.selection.host(&args.path);
    host.stays = true;
    let host = Arc::new(runs::keeping(host, &store, run));
    let keeper = Keeper::new(Arc::clone(&host), Arc::new(notes), tuning(args)).map_err(failed)?;
    signals.listen(keeper.waker(), ui.lines()).map_err(failed)?;
    let registry = compile_options.registry()?;
    let (output, manager) = (output(ui, args), Manager::of_environment());
    let compiler = Compiler::start(ui, args, &registry, keeper.waker()).map_err(failed)?;
    let mut watch = Watch {
        host: Arc::clone(&host),
        output,
        ui,
        args,
        store: Arc::clone(&store),
        run,
        keeper,
        compiler,
        sources: Vec::new(),
        dirty: None,
        is_reloading: false,
        earlier: Some(earlier),
        journal: FailureJournal {
            store: Arc::clone(&store),
            run,
            failing: BTreeSet::new(),
            texts: Arc::default(),
        },
        manager,
        last: LastMessages::default(),
        changed: 0,
        is_settled: false,
        is_ready: false,
    };
    watch.follow(&signals).map_err(failed)?;
    let asked = interruption::requested();
    let WatchOutcome { changed, would_change, failing, is_whole } = watch.end(asked.is_some());
    runs::note_made(&store, run, &host)?;
    let summary = serde_json::json!({ "changed": changed });
    match is_whole {
        true => store.finish(run, &summary),
        false => store.break_off(run, &summary),
    }
    .map_err(codes::state)?;
    runs::tell_damages(ui, &store);
    let by_itself = match (asked, failing, changed + would_change) {
        (Some(signal), ..) if interruption::is_forced() => signals::code(signal),
        (Some(_), ..) | (None, 0, 0) => Exit::Done,
        (None, 0, _) => Exit::Changes,
        (None, ..) => Exit::Failed,
    };
    Ok(host.ending().map_or(by_itself, Exit::Code))
}

fn tuning(args: &WatchArgs) -> Tuning {
    let jobs = args.selection.jobs.map_or(4, Into::into);
    let sweep = (args.interval > 0).then(|| args.interval.saturating_mul(1000));
    Tuning { jobs, sweep, ..Tuning::default() }
}

fn output(ui: &Ui, args: &WatchArgs) -> Box<dyn WatchOutput> {
    use crate::options::TextOrJson;
    match args.format {
        TextOrJson::Json => Box::new(JsonLines::new()),
        TextOrJson::Text if args.lines || !View::fits(ui) => Box::new(TextLines::new(ui)),
        TextOrJson::Text => Box::new(View::new(ui, &args.path)),
    }
}

/// Records changes in the journal.
struct RunRecorder {
    store: Arc<Store>,
    run: Run,
}

impl Observer for RunRecorder {
    fn acting(&self, resource: &ResourceRef, changes: &[Change]) -> Result<(), String> {
        runs::note_acting(&self.store, self.run, resource, changes)
    }

    fn acted(&self, resource: &ResourceRef, ok: bool) {
        runs::note_acted(&self.store, self.run, resource, ok);
    }

    fn last_applied(&self, resource: &ResourceRef) -> Option<Timestamp> {
        runs::last_applied(&self.store, resource)
    }

    fn applied(&self, resource: &ResourceRef, now: Timestamp) {
        runs::note_applied(&self.store, resource, now);
    }

    fn audited(&self, resource: &ResourceRef) -> Vec<(String, String)> {
        runs::audited(&self.store, resource)
    }

    fn note_audited(&self, resource: &ResourceRef, values: &[(String, String)]) {
        runs::note_audited(&self.store, resource, values);
    }

    fn secret_digest(&self, secret: &str) -> String {
        runs::secret_digest(&self.store, secret)
    }
}

/// Records failures and recoveries in the journal.
struct FailureJournal {
    store: Arc<Store>,
    run: Run,
    /// The resources that fail now.
    failing: BTreeSet<String>,
    /// The texts that the graph was made from.
    texts: Arc<SourceMap>,
}

impl FailureJournal {
    fn note(&mut self, report: &ResourceReport, graph: &Graph) {
        if runs::note_outcome(&self.store, self.run, report, graph, &self.texts) {
            self.failing.insert(report.resource.to_string());
        } else if !self.failing.is_empty() && self.failing.remove(&report.resource.to_string()) {
            // It is told as failed then, which it was.
            let _ = self.store.note_recovered(self.run, &report.resource.to_string());
        }
    }
}

/// The last messages, so that they are not repeated.
#[derive(Default)]
struct LastMessages {
    refused: String,
    remarks: String,
}

/// How a watch ended.
struct WatchOutcome {
    /// How many resources were changed.
    changed: usize,
    /// How many would be, with `--noop`.
    would_change: usize,
    /// How many fail, where nobody asked for the end.
    failing: usize,
    /// Whether nothing was broken off, and everybody was notified who had to be.
    is_whole: bool,
}

struct Watch<'a> {
    ui: &'a mut Ui,
    args: &'a WatchArgs,
    store: Arc<Store>,
    run: Run,
    host: Arc<Host>,
    keeper: Keeper,
    compiler: Compiler,
    /// The files and directories that are watched as sources, sorted.
    sources: Vec<PathBuf>,
    /// When the sources changed first and last since they were compiled.
    dirty: Option<(Instant, Instant)>,
    /// Whether the service manager was told that the sources are read again.
    is_reloading: bool,
    /// What runs before this one left undone, until there is a graph.
    earlier: Option<Unfinished>,
    journal: FailureJournal,
    output: Box<dyn WatchOutput>,
    manager: Manager,
    last: LastMessages,
    /// How many resources were changed so far.
    changed: usize,
    is_settled: bool,
    is_ready: bool,
}

impl Watch<'_> {
    /// Turns until the end is asked for, or comes by itself.
    fn follow(&mut self, signals: &Signals) -> std::io::Result<()> {
        // When the screen was drawn last, and whether anything happened since.
        let (mut drawn, mut is_old) = (Instant::now(), true);
        while interruption::requested().is_none() {
            let draw = is_old.then(|| view::PAUSE.saturating_sub(drawn.elapsed()));
            let turn = self.keeper.turn(self.patience(draw))?;
            is_old = true;
            self.manager.tell("WATCHDOG=1");
            let now = Instant::now();
            for (resource, error) in &turn.unwatched {
                self.output.note(&format!("{resource} cannot be watched and is polled: {error}"));
            }
            for resource in &turn.flapping {
                let text = lines::flapping_text(resource, &self.keeper.standings());
                self.output.note(&text);
            }
            for report in &turn.reports {
                self.changed += usize::from(report.status == Status::Changed);
                if let Some(prepared) = self.keeper.prepared() {
                    self.journal.note(report, &prepared.graph);
                }
                self.output.report(report);
            }
            self.look_at_sources(&turn, signals.take_reload());
            self.hear_compiler();
            self.tell_rest();
            if self.output.draws() && now - drawn >= view::PAUSE {
                self.output.draw(&self.keeper.standings());
                (drawn, is_old) = (now, false);
            }
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Compiles the sources when they changed and are at rest, or when that is asked for.
    fn look_at_sources(&mut self, turn: &Turn, reload: bool) {
        let now = Instant::now();
        if turn.sources_changed {
            self.dirty = Some((self.dirty.map_or(now, |(first, _)| first), now));
        }
        if turn.inputs_changed {
            self.compiler.inputs_changed();
        }
        if reload {
            self.manager.tell("RELOADING=1");
            self.keeper.look_at_all();
            // It does not wait for rest.
            self.dirty = now.checked_sub(MAX_REST).map(|first| (first, first)).or(self.dirty);
            self.is_reloading = true;
        }
        let is_due = |(first, last)| now - last >= REST || now - first >= MAX_REST;
        if self.dirty.is_some_and(is_due) && self.compiler.compile() {
            self.dirty = None;
        }
    }

    /// Ends what is under way.
    fn end(self, is_asked: bool) -> WatchOutcome {
        let Watch { keeper, compiler, mut output, manager, changed, last, .. } = self;
        manager.tell("STOPPING=1\nSTATUS=Ending what is under way");
        compiler.end();
        let count = |wanted| keeper.standings().iter().filter(|(_, how)| *how == wanted).count();
        // Sources that do not compile are as bad as a resource that fails.
        let failing = match is_asked {
            true => 0,
            false => count(Standing::Failed) + usize::from(!last.refused.is_empty()),
        };
        let would_change = count(Standing::WouldChange);
        let (reports, is_owing) = keeper.end();
        for report in reports {
            output.report(&report);
        }
        let is_whole = !is_owing && !interruption::is_forced();
        WatchOutcome { changed, would_change, failing, is_whole }
    }

    /// How long the next turn may wait.
    fn patience(&self, draw: Option<Duration>) -> Option<Duration> {
        // A compile that is under way is awaited; it wakes who waits for it.
        let rest = self.dirty.filter(|_| !self.compiler.is_compiling()).map(|_| REST);
        let draw = draw.filter(|_| self.output.draws());
        let draw = draw.map(|pause| pause.max(Duration::from_millis(1)));
        let end = self.args.converged_timeout.map(|seconds| {
            let wanted = Duration::from_secs(seconds);
            wanted.saturating_sub(self.keeper.quiet_for().unwrap_or_default())
        });
        let end = end.filter(|_| !self.compiler.is_compiling());
        [rest, draw, end, self.manager.patience].into_iter().flatten().min()
    }

    /// Whether nothing had to be done for as long as was asked for, or a resource ends the run.
    fn is_over(&self) -> bool {
        if self.host.ending().is_some() {
            return true;
        }
        if self.compiler.is_compiling() || self.dirty.is_some() {
            return false;
        }
        let wanted = self.args.converged_timeout.map(Duration::from_secs);
        self.keeper.quiet_for().zip(wanted).is_some_and(|(quiet, wanted)| quiet >= wanted)
    }

    /// Says so when there is nothing to do any more.
    fn tell_rest(&mut self) {
        let is_settled = self.keeper.quiet_for().is_some();
        if is_settled && !self.is_settled && self.is_ready {
            // Where it cannot be written, runs that were interrupted are made up for again.
            let _ = self.store.settle(self.run);
            self.output.settled(&self.keeper.standings());
        }
        self.is_settled = is_settled;
    }

    /// Takes what the compiler has made, and keeps it true from now on.
    fn hear_compiler(&mut self) {
        while let Some(answer) = self.compiler.answer() {
            let CompileResult { made, text, sources, inputs, took } = answer;
            self.follow_files(sources.as_ref(), &inputs);
            let (is_compiled, count) = match &sources {
                Some(read) => (true, read.paths.len()),
                None => (false, inputs.len()),
            };
            match made.and_then(|made| made.map(|made| self.keep(*made)).transpose()) {
                Ok(kept) => self.tell_swapped(kept, is_compiled.then_some(text), count, took),
                Err(failure) => self.tell_refused(text, failure, is_compiled),
            }
            if is_compiled && std::mem::take(&mut self.is_reloading) {
                self.manager.tell("READY=1");
            }
        }
    }

    /// What is said when sources were compiled, or a program went on, and there may be another graph.
    fn tell_swapped(
        &mut self,
        kept: Option<(Swapped, Context)>,
        remarks: Option<String>,
        sources: usize,
        took: Duration,
    ) {
        let is_compiled = remarks.is_some();
        if let Some(text) = remarks {
            if text != self.last.remarks && !text.is_empty() {
                self.output.remarks(&text);
            }
            self.last = LastMessages { refused: String::new(), remarks: text };
        }
        // A program that waits for its first value has no resources yet.
        let (swapped, context) = match kept {
            Some((swapped, context)) => (swapped, Some(context)),
            None if is_compiled => (Swapped::default(), None),
            None => return,
        };
        self.output.graph(&NewGraph { swapped, sources, took, context });
        // A graph that is the same has nothing to wait for.
        self.is_settled = false;
        if is_compiled {
            self.tell_ready(swapped);
        }
    }

    fn tell_refused(&mut self, mut text: String, failure: Failure, is_compiled: bool) {
        if let (true, Failure::Message(diagnostic)) = (text.is_empty(), failure) {
            self.ui.hold();
            self.ui.message(&diagnostic);
            text = self.ui.release();
        }
        if !is_compiled {
            self.output.refused(&text, true);
            return;
        }
        if text != self.last.refused {
            self.output.refused(&text, self.is_ready);
            self.manager.tell("STATUS=The sources have errors; the last graph is kept true");
        }
        self.last.refused = text;
    }

    /// Watches what was read, and what programs wait for.
    fn follow_files(&mut self, sources: Option<&SourceFiles>, inputs: &[PathBuf]) {
        if let Some(read) = sources {
            if let Err(error) = self.keeper.follow_sources(&read.paths) {
                let text = format!("not all sources can be watched, a reload reads them: {error}");
                self.output.note(&text);
            }
            if read.has_moved(&self.sources) {
                self.dirty.get_or_insert((Instant::now(), Instant::now()));
            }
            self.sources.clone_from(&read.paths);
        }
        if let Err(error) = self.keeper.follow_inputs(inputs) {
            self.output
                .note(&format!("not all that the program waits for can be watched: {error}"));
        }
    }

    fn tell_ready(&mut self, swapped: Swapped) {
        let count = swapped.kept + swapped.changed + swapped.added;
        self.manager.tell(&format!("STATUS=Keeping {count} resources true"));
        if !std::mem::replace(&mut self.is_ready, true) {
            self.manager.tell("READY=1");
        }
    }

    /// Keeps a graph true.
    fn keep(&mut self, made: PreparedGraph) -> Result<(Swapped, Context), Failure> {
        let PreparedGraph { loaded, prepared, noted } = made;
        let context = Context::new(&loaded);
        if !self.args.noop {
            let host = self.args.selection.host(&self.args.path);
            noted.forget_obsolete(&loaded.graph, &host).map_err(codes::note)?;
        }
        if let Some(exports) = &loaded.exports {
            exports.keep(self.ui)?;
        }
        self.journal.texts = Arc::clone(&loaded.sources);
        let swapped = self.keeper.swap(prepared).map_err(|error| {
            Diagnostic::error(codes::RESOURCE, format!("this graph cannot be kept true: {error}"))
        })?;
        self.compiler.set_current(self.keeper.prepared());
        if let Some(earlier) = self.earlier.take() {
            self.keeper.resume(&earlier);
        }
        Ok((swapped, context))
    }
}
