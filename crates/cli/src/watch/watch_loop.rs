//! The loop of a watch: reconciles the graph, and compiles again when a source changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_engine::host::Host;
use ordain_engine::reconcile::{ReconcileStatus, Reconciler, SwapSummary, TurnEvents};
use ordain_engine::report::Status;
use ordain_engine::unfinished::UnfinishedRuns;
use ordain_process::interruption;
use ordain_source::Diagnostic;
use ordain_store::{Run, Store};

use super::args::WatchArgs;
use super::compiler::{CompileResult, Compiler, PreparedGraph, SourceFiles};
use super::journal::FailureJournal;
use super::output::{NewGraph, WatchOutput};
use super::service_manager::ServiceManager;
use super::{lines, view};
use crate::codes;
use crate::exit::Failure;
use crate::show::log::Context;
use crate::signals::Signals;
use crate::ui::Ui;

/// The time without changes after which sources are compiled, so that a checkout of many files is
/// compiled once.
const DEBOUNCE: Duration = Duration::from_millis(30);

/// The maximum time that a changed source waits for that.
const MAX_DEBOUNCE: Duration = Duration::from_millis(500);

/// The last messages, so that they are not repeated.
#[derive(Default)]
pub(super) struct LastMessages {
    pub(super) refused: String,
    pub(super) remarks: String,
}

/// The outcome of a watch.
pub(super) struct WatchOutcome {
    /// The number of changed resources.
    pub(super) changed: usize,
    /// The number of resources that would change, with `--noop`.
    pub(super) would_change: usize,
    /// The number of failing resources; 0 if a signal stopped the watch.
    pub(super) failing: usize,
    /// Whether no step was aborted, and all notifications were delivered.
    pub(super) is_whole: bool,
}

/// The state of the watch loop.
pub(super) struct Watch<'a> {
    pub(super) ui: &'a mut Ui,
    pub(super) args: &'a WatchArgs,
    pub(super) store: Arc<Store>,
    pub(super) run: Run,
    pub(super) host: Arc<Host>,
    pub(super) reconciler: Reconciler,
    pub(super) compiler: Compiler,
    /// The watched source files and directories, sorted.
    pub(super) sources: Vec<PathBuf>,
    /// The watched files that running programs depend on.
    pub(super) inputs: Vec<PathBuf>,
    /// The first and the last change of the sources since they were compiled.
    pub(super) dirty: Option<(Instant, Instant)>,
    /// Whether the service manager was notified of a reload.
    pub(super) is_reloading: bool,
    /// Unfinished steps of earlier runs, until there is a graph.
    pub(super) earlier: Option<UnfinishedRuns>,
    pub(super) journal: FailureJournal,
    pub(super) output: Box<dyn WatchOutput>,
    pub(super) manager: ServiceManager,
    pub(super) last: LastMessages,
    /// The number of changed resources so far.
    pub(super) changed: usize,
    pub(super) is_settled: bool,
    pub(super) is_ready: bool,
}

impl Watch<'_> {
    /// Runs the loop until a signal stops it or there is nothing left to do.
    pub(super) fn run_loop(&mut self, signals: &Signals) -> std::io::Result<()> {
        // The time of the last draw, and whether anything happened since.
        let (mut drawn, mut is_old) = (Instant::now(), true);
        while interruption::requested().is_none() {
            let draw = is_old.then(|| view::FRAME_INTERVAL.saturating_sub(drawn.elapsed()));
            let turn = self.reconciler.turn(self.timeout(draw))?;
            is_old = true;
            self.manager.notify("WATCHDOG=1");
            let now = Instant::now();
            for (resource, error) in &turn.unwatched {
                self.output.note(&format!("{resource} cannot be watched and is polled: {error}"));
            }
            for resource in &turn.flapping {
                let text = lines::flapping_text(resource, &self.reconciler.standings());
                self.output.note(&text);
            }
            for report in &turn.reports {
                self.changed += usize::from(report.status == Status::Changed);
                if let Some(prepared) = self.reconciler.prepared() {
                    self.journal.note(report, &prepared.graph);
                }
                self.output.report(report);
            }
            self.check_sources(&turn, signals.take_reload());
            self.receive_results();
            self.report_settled();
            if self.output.draws() && now - drawn >= view::FRAME_INTERVAL {
                self.output.draw(&self.reconciler.standings());
                (drawn, is_old) = (now, false);
            }
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Compiles the sources when they have changed and no more changes arrive, or on a reload.
    fn check_sources(&mut self, turn: &TurnEvents, reload: bool) {
        let now = Instant::now();
        if turn.sources_changed {
            self.dirty = Some((self.dirty.map_or(now, |(first, _)| first), now));
        }
        if turn.inputs_changed {
            self.compiler.inputs_changed();
        }
        if reload {
            self.manager.notify("RELOADING=1");
            self.reconciler.check_all();
            // A reload does not wait for further changes.
            self.dirty = now.checked_sub(MAX_DEBOUNCE).map(|first| (first, first)).or(self.dirty);
            self.is_reloading = true;
        }
        let is_due = |(first, last)| now - last >= DEBOUNCE || now - first >= MAX_DEBOUNCE;
        if self.dirty.is_some_and(is_due) && self.compiler.compile() {
            self.dirty = None;
        }
    }

    /// Stops the compiler and the reconcile loop.
    pub(super) fn end(self, is_asked: bool) -> WatchOutcome {
        let Watch { reconciler, compiler, mut output, manager, changed, last, .. } = self;
        manager.notify("STOPPING=1\nSTATUS=Ending running work");
        compiler.end();
        let count =
            |wanted| reconciler.standings().iter().filter(|(_, how)| *how == wanted).count();
        // Sources that do not compile count as a failure.
        let failing = match is_asked {
            true => 0,
            false => count(ReconcileStatus::Failed) + usize::from(!last.refused.is_empty()),
        };
        let would_change = count(ReconcileStatus::WouldChange);
        let (reports, has_pending_notification) = reconciler.end();
        for report in reports {
            output.report(&report);
        }
        let is_whole = !has_pending_notification && !interruption::is_forced();
        WatchOutcome { changed, would_change, failing, is_whole }
    }

    /// The longest time that the next turn may wait.
    fn timeout(&self, draw: Option<Duration>) -> Option<Duration> {
        // A running compile wakes the loop by itself.
        let rest = self.dirty.filter(|_| !self.compiler.is_compiling()).map(|_| DEBOUNCE);
        let draw = draw.filter(|_| self.output.draws());
        let draw = draw.map(|pause| pause.max(Duration::from_millis(1)));
        // While there is something to do, an event wakes the loop.
        let end = self.args.converged_timeout.zip(self.reconciler.quiet_for());
        let end = end.map(|(seconds, quiet)| Duration::from_secs(seconds).saturating_sub(quiet));
        let end = end.filter(|_| !self.compiler.is_compiling());
        [rest, draw, end, self.manager.watchdog_interval].into_iter().flatten().min()
    }

    /// Whether there was nothing to do for `--converged-timeout`, or a resource ends the run.
    fn is_over(&self) -> bool {
        if self.host.ending().is_some() {
            return true;
        }
        if self.compiler.is_compiling() || self.dirty.is_some() {
            return false;
        }
        let wanted = self.args.converged_timeout.map(Duration::from_secs);
        self.reconciler.quiet_for().zip(wanted).is_some_and(|(quiet, wanted)| quiet >= wanted)
    }

    /// Reports once that there is nothing left to do.
    fn report_settled(&mut self) {
        let is_settled = self.reconciler.quiet_for().is_some();
        if is_settled && !self.is_settled && self.is_ready {
            // If this cannot be written, interrupted runs are resumed once more.
            let _ = self.store.mark_completed(self.run);
            self.output.settled(&self.reconciler.standings());
        }
        self.is_settled = is_settled;
    }

    /// Receives graphs from the compiler and reconciles them.
    fn receive_results(&mut self) {
        while let Some(answer) = self.compiler.answer() {
            let CompileResult { graph, text, sources, inputs, took } = answer;
            self.follow_files(sources.as_ref(), &inputs);
            let (is_compiled, count) = match &sources {
                Some(read) => (true, read.paths.len()),
                None => (false, inputs.len()),
            };
            match graph.and_then(|graph| graph.map(|graph| self.keep(*graph)).transpose()) {
                Ok(kept) => self.report_swapped(kept, is_compiled.then_some(text), count, took),
                Err(failure) => self.report_refused(text, failure, is_compiled),
            }
            if is_compiled && std::mem::take(&mut self.is_reloading) {
                self.manager.notify("READY=1");
            }
        }
    }

    /// Reports a compile, or a program that was evaluated again, and its graph if there is one.
    fn report_swapped(
        &mut self,
        kept: Option<(SwapSummary, Context)>,
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
            None if is_compiled => (SwapSummary::default(), None),
            None => return,
        };
        self.output.graph(&NewGraph { swapped, sources, took, context });
        // An unchanged graph has nothing to wait for.
        self.is_settled = false;
        if is_compiled {
            self.report_ready(swapped);
        }
    }

    fn report_refused(&mut self, mut text: String, failure: Failure, is_compiled: bool) {
        if let (true, Failure::Message(diagnostic)) = (text.is_empty(), failure) {
            self.ui.start_buffering();
            self.ui.message(&diagnostic);
            text = self.ui.take_buffer();
        }
        if !is_compiled {
            self.output.refused(&text, true);
            return;
        }
        if text != self.last.refused {
            self.output.refused(&text, self.is_ready);
            self.manager
                .notify("STATUS=The sources have errors; the previous graph stays in effect");
        }
        self.last.refused = text;
    }

    /// Watches the sources that were read and the inputs of programs.
    fn follow_files(&mut self, sources: Option<&SourceFiles>, inputs: &[PathBuf]) {
        if let Some(read) = sources {
            if let Err(error) = self.reconciler.follow_sources(&read.paths) {
                let text = format!("not all sources can be watched, a reload reads them: {error}");
                self.output.note(&text);
            }
            if read.has_moved(&self.sources) {
                self.dirty.get_or_insert((Instant::now(), Instant::now()));
            }
            self.sources.clone_from(&read.paths);
        }
        if let Err(error) = self.reconciler.follow_inputs(inputs) {
            self.output
                .note(&format!("not all that the program waits for can be watched: {error}"));
        }
        if self.inputs != inputs {
            // They may have changed after the program read them and before they were watched.
            self.inputs = inputs.to_vec();
            self.compiler.inputs_changed();
        }
    }

    fn report_ready(&mut self, swapped: SwapSummary) {
        let count = swapped.kept + swapped.changed + swapped.added;
        self.manager.notify(&format!("STATUS=Keeping {count} resources true"));
        if !std::mem::replace(&mut self.is_ready, true) {
            self.manager.notify("READY=1");
        }
    }

    /// Makes a graph the reconciled one.
    fn keep(&mut self, graph: PreparedGraph) -> Result<(SwapSummary, Context), Failure> {
        let PreparedGraph { loaded, prepared, noted } = graph;
        let context = Context::new(&loaded);
        if !self.args.noop {
            let host = self.args.selection.host(&self.args.path);
            noted.forget_obsolete(&loaded.graph, &host).map_err(codes::note)?;
        }
        if let Some(exports) = &loaded.exports {
            exports.keep(self.ui)?;
        }
        self.journal.texts = Arc::clone(&loaded.sources);
        let swapped = self.reconciler.swap(prepared).map_err(|error| {
            Diagnostic::error(codes::RESOURCE, format!("this graph is invalid: {error}"))
        })?;
        self.compiler.set_current(self.reconciler.prepared());
        if let Some(earlier) = self.earlier.take() {
            self.reconciler.resume(&earlier);
        }
        Ok((swapped, context))
    }
}
