//! The loop of an agent that stays: keeps the graph true, takes new ones, reports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{Timestamp, Zoned};
use ordain_agent::protocol::Head;
use ordain_agent::report::{self, Run as ReportedRun};
use ordain_agent::{AgentError, Home, Spool};
use ordain_driver::Compiled;
use ordain_engine::apply::Report;
use ordain_engine::host::{Host, SharedValues};
use ordain_engine::kind::Level;
use ordain_engine::reconcile::{Reconciler, SchedulerOptions};
use ordain_engine::report::{ResourceReport, Status};
use ordain_engine::unfinished::UnfinishedRuns;
use ordain_graph::Graph;
use ordain_process::interruption;
use ordain_source::{Diagnostic, SourceMap, printable_line};
use ordain_store::Store;

use super::args::{AgentArgs, Settings};
use super::common::{is_pinned, subject};
use super::graph::{self, ReceivedGraph};
use super::link::{Event, Link};
use super::shared::AgentValues;
use crate::exit::{Exit, Failure};
use crate::show::log::Context;
use crate::signals::{self, HangupAction, Signals};
use crate::ui::{Progress, Ui, count};
use crate::watch::journal::{FailureJournal, RunRecorder};
use crate::watch::service_manager::ServiceManager;
use crate::{codes, runs};

/// The time after which a run is reported although some of its resources are not settled.
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval at which windows are looked at.
const WINDOWS_INTERVAL: Duration = Duration::from_secs(20);

/// Runs until a signal arrives.
///
/// # Errors
/// When another run holds the lock, or a directory cannot be used.
pub(super) fn run(
    ui: &mut Ui,
    args: &AgentArgs,
    settings: Settings,
    home: &Arc<Home>,
) -> Result<Exit, Failure> {
    let dir = runs::state_dir(settings.state_dir.as_deref())?;
    let _lock = runs::lock(&dir)?;
    let store = runs::journal(ui, &dir)?;
    let earlier = runs::take_interrupted(ui, &store)?;
    let failed = |error: std::io::Error| codes::io("cannot watch", &error);
    let agent = |error: AgentError| Failure::from(graph::error(&error));
    let signals = Signals::block(HangupAction::Reload).map_err(failed)?;
    signals.enable_graceful_stop();
    let subject = subject(&settings, &args.selection.root);
    let run = store.begin("agent", &subject).map_err(codes::state)?;
    let mut host = args.selection.host(Path::new("/"));
    let shared = AgentValues::new(args, &settings, home, true);
    host.shared = Some(Arc::clone(&shared) as Arc<dyn SharedValues>);
    host.stays = true;
    let host = Arc::new(runs::with_backups(host, &store, run));
    let recorder = Arc::new(RunRecorder { store: Arc::clone(&store), run });
    let tuning = tuning(args, &settings);
    let reconciler = Reconciler::new(Arc::clone(&host), recorder, tuning).map_err(failed)?;
    signals.listen(reconciler.waker(), ui.resource_log()).map_err(failed)?;
    let stored = stored_graph(ui, &settings, home);
    let known = stored.as_ref().map(|stored| stored.stored.head.digest.clone());
    let link = Link::start(&settings, home, known, reconciler.waker()).map_err(agent)?;
    let mut agent = AgentLoop {
        noop: settings.noop || settings.windows.contain(Zoned::now().datetime()),
        log: ui.resource_log(),
        ui,
        args,
        settings,
        home,
        spool: Spool::open(home).map_err(agent)?,
        link,
        reconciler,
        journal: FailureJournal::new(Arc::clone(&store), run),
        store: Arc::clone(&store),
        host: Arc::clone(&host),
        manager: ServiceManager::of_environment(),
        earlier: Some(earlier),
        current: None,
        pending: Pending::default(),
        is_settled: false,
        is_disturbed: false,
    };
    if let Some(stored) = stored {
        agent.keep(stored, true, None);
    }
    agent.manager.notify("READY=1");
    let result = agent.run_loop(&signals, &|store: &Store| store.mark_completed(run).map_err(drop));
    let is_whole = agent.end();
    // The server removes what remains after its time.
    let _ = shared.leave();
    result.map_err(failed)?;
    runs::record_final_states(&store, run, &host)?;
    let summary = serde_json::json!({});
    match is_whole {
        true => store.finish(run, &summary),
        false => store.break_off(run, &summary),
    }
    .map_err(codes::state)?;
    Ok(match interruption::requested() {
        Some(signal) if interruption::is_forced() => signals::code(signal),
        _ => host.ending().map_or(Exit::Done, Exit::Code),
    })
}

fn tuning(args: &AgentArgs, settings: &Settings) -> SchedulerOptions {
    SchedulerOptions {
        jobs: args.selection.jobs.map_or(4, Into::into),
        // The answers of the server lead to complete checks; this is for the time without it.
        sweep: Some(u64::try_from(settings.interval.as_millis()).unwrap_or(u64::MAX)),
        ..SchedulerOptions::default()
    }
}

/// The last graph that was verified, with all of its files. One that cannot be used is none.
fn stored_graph(ui: &mut Ui, settings: &Settings, home: &Home) -> Option<ReceivedGraph> {
    let stored = home.stored(&settings.certname).unwrap_or_else(|error| {
        ui.message(&Diagnostic::warning(codes::AGENT, error.to_string()));
        None
    });
    let stored = stored.filter(|stored| is_pinned(settings, &stored.head))?;
    ReceivedGraph::complete(home, None, stored).ok()
}

/// The graph that is kept true.
struct Current {
    received: ReceivedGraph,
    compiled: Compiled,
}

/// The resources of the next report.
#[derive(Default)]
struct Pending {
    reports: BTreeMap<String, ResourceReport>,
    /// Resources that failed in the last report.
    failing: BTreeSet<String>,
    /// When the run began that is to be reported, whatever its outcome is.
    wanted: Option<(Timestamp, Instant)>,
    /// The job that asked for the run.
    job: Option<String>,
    /// When something happened that is to be reported.
    since: Option<Instant>,
    /// Whether its changes are those of a new graph.
    is_new: bool,
    is_cached: bool,
}

impl Pending {
    fn add(&mut self, report: ResourceReport) {
        let name = report.resource.to_string();
        let is_news = match report.status {
            Status::Changed | Status::WouldChange => true,
            Status::Failed => !self.failing.contains(&name),
            _ => false,
        };
        if is_news {
            self.since.get_or_insert_with(Instant::now);
        }
        match self.reports.get(&name) {
            // The change counts, not the check after it.
            Some(known) if known.status == Status::Changed && report.status == Status::InPlace => {}
            _ => drop(self.reports.insert(name, report)),
        }
    }

    fn want(&mut self, is_new: bool, is_cached: bool, job: Option<String>) {
        self.job = job.or_else(|| self.job.take());
        self.wanted = Some((Timestamp::now(), Instant::now()));
        self.since.get_or_insert_with(Instant::now);
        self.is_new |= is_new;
        self.is_cached = is_cached;
    }
}

struct AgentLoop<'a> {
    ui: &'a mut Ui,
    args: &'a AgentArgs,
    settings: Settings,
    home: &'a Home,
    spool: Spool,
    link: Link,
    reconciler: Reconciler,
    journal: FailureJournal,
    store: Arc<Store>,
    host: Arc<Host>,
    log: Progress,
    manager: ServiceManager,
    /// Unfinished steps of earlier runs, until there is a graph.
    earlier: Option<UnfinishedRuns>,
    current: Option<Current>,
    pending: Pending,
    noop: bool,
    is_settled: bool,
    /// Whether checks were asked for that have not begun yet.
    is_disturbed: bool,
}

impl AgentLoop<'_> {
    fn run_loop(
        &mut self,
        signals: &Signals,
        settle: &dyn Fn(&Store) -> Result<(), ()>,
    ) -> std::io::Result<()> {
        while interruption::requested().is_none() && self.host.ending().is_none() {
            let turn = self.reconciler.turn(self.timeout())?;
            self.manager.notify("WATCHDOG=1");
            for (resource, error) in &turn.unwatched {
                print(&format!("{resource} cannot be watched and is polled: {error}"));
            }
            for report in turn.reports {
                if let Some(prepared) = self.reconciler.prepared() {
                    self.journal.note(&report, &prepared.graph);
                }
                self.log_report(&report);
                self.pending.add(report);
            }
            if signals.take_reload() {
                self.link.refresh();
            }
            self.is_disturbed = false;
            self.receive();
            self.follow_windows();
            // New checks begin with the next turn.
            let is_settled = !self.is_disturbed && self.reconciler.quiet_for().is_some();
            if is_settled && !self.is_settled {
                // If this cannot be written, interrupted runs are resumed once more.
                let _ = settle(&self.store);
            }
            self.is_settled = is_settled;
            self.report_if_due();
        }
        Ok(())
    }

    fn log_report(&self, report: &ResourceReport) {
        use ordain_engine::observer::Observer;
        self.log.finished(report);
    }

    /// The longest time that the next turn may wait.
    fn timeout(&self) -> Option<Duration> {
        let windows = (!self.settings.windows.is_empty()).then_some(WINDOWS_INTERVAL);
        let report = self.pending.since.map(|since| PATIENCE.saturating_sub(since.elapsed()));
        let report = report.filter(|_| self.current.is_some());
        [windows, report, self.manager.watchdog_interval].into_iter().flatten().min()
    }

    fn receive(&mut self) {
        while let Some(event) = self.link.event() {
            match event {
                Event::Note(text) => print(&text),
                Event::Graph(received, job) => self.keep(*received, false, job),
                Event::Unchanged(job) => {
                    self.check_all();
                    self.pending.want(false, false, job);
                }
            }
        }
    }

    /// Begins or ends to only observe, as the windows say.
    fn follow_windows(&mut self) {
        let noop = self.settings.noop || self.settings.windows.contain(Zoned::now().datetime());
        if noop == self.noop {
            return;
        }
        self.noop = noop;
        print(match noop {
            true => "A window begins in which nothing is changed.",
            false => "The window in which nothing is changed is over.",
        });
        if let Some(current) = self.current.take() {
            self.keep(current.received, false, None);
        }
    }

    /// Keeps a graph true from now on. If it cannot be applied, the one before stays. The report
    /// belongs to `job`.
    fn keep(&mut self, received: ReceivedGraph, is_cached: bool, job: Option<String>) {
        let stored = Arc::clone(&received.stored);
        match self.swap(received) {
            Ok(text) => {
                print(&text);
                // Only a graph that can be applied replaces the stored one, which the next start uses.
                if !is_cached && let Err(error) = self.home.store(&stored) {
                    self.ui.message(&Diagnostic::warning(codes::AGENT, error.to_string()));
                }
                self.pending.want(true, is_cached, job);
            }
            Err(failure) => {
                if let Failure::Message(diagnostic) = &failure {
                    self.ui.message(diagnostic);
                }
                let text = "the graph cannot be applied; the one before stays in effect";
                print(text);
                self.report_refused(&stored.head, text, job.as_deref());
            }
        }
    }

    fn swap(&mut self, received: ReceivedGraph) -> Result<String, Failure> {
        let earlier = self.reconciler.prepared().cloned();
        let how = (self.noop, earlier.as_deref());
        let selection = &self.args.selection;
        let (compiled, prepared) =
            received.prepare(self.ui, self.home, selection, &self.settings, how)?;
        self.journal.texts = Arc::clone(&compiled.sources);
        let swapped = self.reconciler.swap(prepared).map_err(|error| {
            Diagnostic::error(codes::RESOURCE, format!("this graph is invalid: {error}"))
        })?;
        if let Some(earlier) = self.earlier.take() {
            self.reconciler.resume(&earlier);
        }
        // The report of a new graph has all of its resources.
        self.check_all();
        self.log.set_context(Context::new(&compiled));
        let before = self.current.as_ref().map(|current| current.received.sources.clone());
        received.sources.remove_others(self.home, &before.unwrap_or_default());
        let number = swapped.kept + swapped.changed + swapped.added;
        let text = format!(
            "Keeping {} true, revision {}.",
            count(number, "resource"),
            received.stored.head.code_id
        );
        self.manager.notify(&format!("STATUS={text}"));
        self.current = Some(Current { received, compiled });
        Ok(text)
    }

    fn check_all(&mut self) {
        self.reconciler.check_all();
        self.is_disturbed = true;
    }

    /// Reports when all is settled, or has taken too long.
    fn report_if_due(&mut self) {
        let Some(since) = self.pending.since else { return };
        let is_late = since.elapsed() >= PATIENCE;
        if !(self.is_settled || is_late) {
            return;
        }
        let Some(current) = &self.current else { return };
        let (began, start) = self.pending.wanted.unwrap_or_else(|| (Timestamp::now(), since));
        let reports = std::mem::take(&mut self.pending.reports);
        let failed = reports.iter().filter(|(_, report)| report.status == Status::Failed);
        let failing = failed.map(|(name, _)| name.clone()).collect();
        let report = Report { resources: reports.into_values().collect() };
        let run = ReportedRun {
            head: &current.received.stored.head,
            graph: &current.compiled.graph,
            sources: &current.compiled.sources,
            began,
            took: start.elapsed(),
            is_noop: self.noop,
            is_corrective: !self.pending.is_new,
            is_cached: self.pending.is_cached,
            job_id: self.pending.job.as_deref(),
            notes: Vec::new(),
        };
        let document = report::of_run(&run, &report);
        self.pending = Pending { failing, ..Pending::default() };
        self.deliver(document);
    }

    /// Reports a graph that is not applied.
    fn report_refused(&self, head: &Head, text: &str, job_id: Option<&str>) {
        let run = ReportedRun {
            head,
            graph: &Graph::default(),
            sources: &SourceMap::new(),
            began: Timestamp::now(),
            took: Duration::ZERO,
            is_noop: self.noop,
            is_corrective: false,
            is_cached: false,
            job_id,
            notes: vec![(Level::Error, text.to_string())],
        };
        self.deliver(report::of_run(&run, &Report::default()));
    }

    fn deliver(&self, document: Result<serde_json::Value, AgentError>) {
        let added = document.and_then(|text| self.spool.add(text.to_string().as_bytes()));
        match added {
            Ok(_) => self.link.deliver(),
            Err(error) => print(&format!("a report is lost: {error}")),
        }
    }

    /// Stops. Returns whether everything that was begun is finished.
    fn end(mut self) -> bool {
        self.manager.notify("STOPPING=1\nSTATUS=Ending running work");
        self.report_if_due();
        let (reports, has_pending) = self.reconciler.end();
        for report in reports {
            use ordain_engine::observer::Observer;
            self.log.finished(&report);
        }
        !has_pending && !interruption::is_forced()
    }
}

fn print(line: &str) {
    use std::io::Write;
    // A closed stdout is no reason to stop.
    let _ = writeln!(std::io::stdout().lock(), "{}", printable_line(line));
}
