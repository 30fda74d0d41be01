//! One run: get the graph, apply it, report.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use jiff::{Timestamp, Zoned};
use ordain_agent::report::{self, Run as ReportedRun};
use ordain_agent::schedule::jitter;
use ordain_agent::{AgentError, Answer, Enrolment, Home, Server, Spool, StoredGraph};
use ordain_engine::apply::{Report, apply, apply_after};
use ordain_engine::host::Host;
use ordain_engine::kind::Level;
use ordain_engine::prepare::Prepared;
use ordain_engine::report::Status;
use ordain_graph::Graph;
use ordain_process::interruption;
use ordain_source::{Diagnostic, SourceMap};

use super::args::{AgentArgs, Settings};
use super::common::{deliver, facts, is_pinned, subject};
use super::graph::{self, ReceivedGraph};
use super::shared::AgentValues;
use crate::codes;
use crate::commands::apply::{Journal, record_end};
use crate::exit::{Exit, Failure};
use crate::runs::{self, ReadOnlyObserver};
use crate::show::log::Context;
use crate::signals::{self, Signals};
use crate::ui::Ui;
use ordain_driver::Compiled;

/// Applies the graph once.
///
/// # Errors
/// When there is no graph, it is not accepted, or the machine cannot be locked.
pub(super) fn run(
    ui: &mut Ui,
    args: &AgentArgs,
    settings: &Settings,
    home: &Arc<Home>,
) -> Result<Exit, Failure> {
    let signals = Signals::for_single_run(ui)?;
    let dir = runs::state_dir(settings.state_dir.as_deref())?;
    let _lock = runs::lock(&dir)?;
    std::thread::sleep(jitter(settings.splay));
    let server = connected(settings, home)?;
    let mut notes = Vec::new();
    let (received, is_new, is_cached) = get(ui, settings, home, &server, &mut notes)?;
    let noop = settings.noop || settings.windows.contain(Zoned::now().datetime());
    let mut account = Account {
        stored: &received.stored,
        began: Timestamp::now(),
        start: Instant::now(),
        is_noop: noop,
        is_corrective: !is_new,
        is_cached,
        notes,
    };
    let prepared = received.prepare(ui, home, &args.selection, settings, (noop, None));
    let (compiled, prepared) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => {
            let text = "the graph cannot be applied on this machine; nothing was changed";
            account.notes.push((Level::Error, text.to_string()));
            let document = account.document(None, &Report::default())?;
            spool(ui, home, &server, &document)?;
            return Err(failure);
        }
    };
    if is_new {
        // Only a graph that can be applied replaces the stored one, which outages use.
        home.store(&received.stored).map_err(failed)?;
        received.sources.remove_others(home, &received.sources);
    }
    signals.enable_graceful_stop();
    let mut host = args.selection.host(std::path::Path::new("/"));
    host.shared = Some(AgentValues::new(args, settings, home, false));
    let report = match noop {
        true => observe(ui, args, settings, (&compiled, &prepared), host),
        false => change(ui, args, settings, (&compiled, &prepared), host)?,
    };
    let document = account.document(Some(&compiled), &report)?;
    spool(ui, home, &server, &document)?;
    let counts = report.counts();
    let word = if noop { "Would apply" } else { "Applied" };
    writeln!(ui.out(), "{word}: {}", runs::counts_text(&counts))?;
    if let Some(signal) = interruption::requested() {
        return Ok(signals::code(signal));
    }
    let has_changed = report.resources.iter().any(|r| r.status == Status::Changed);
    Ok(Exit::Code(if has_changed { 2 } else { 0 } | if counts.failed > 0 { 4 } else { 0 }))
}

fn failed(error: AgentError) -> Failure {
    graph::error(&error).into()
}

/// The server, with a certificate of this node that is not about to expire.
fn connected(settings: &Settings, home: &Arc<Home>) -> Result<Server, Failure> {
    let enrolment = Enrolment::begin(home, &settings.server, &settings.certname, &settings.trust);
    let enrolment = enrolment.map_err(failed)?;
    let server = match settings.wait_for_cert {
        Some(interval) => enrolment.wait(interval, &|pause| {
            std::thread::sleep(pause);
            true
        }),
        None => enrolment.server(),
    };
    let mut server = match enrolment.renewed() {
        Ok(Some(renewed)) => renewed,
        // The next run tries again.
        Ok(None) | Err(_) => server.map_err(failed)?,
    };
    match server.refresh_lists() {
        // If the server is absent, the last graph is applied.
        Err(error) if !error.is_outage() => Err(failed(error)),
        _ => Ok(server),
    }
}

/// Gets the graph, or the stored one if the server is absent or names another revision. Tells
/// whether it is new, and whether the server is absent.
fn get(
    ui: &mut Ui,
    settings: &Settings,
    home: &Home,
    server: &Server,
    notes: &mut Vec<(Level, String)>,
) -> Result<(ReceivedGraph, bool, bool), Failure> {
    let stored = home.stored(&settings.certname).unwrap_or_else(|error| {
        ui.message(&Diagnostic::warning(codes::AGENT, error.to_string()));
        None
    });
    let facts = facts(ui, &settings.certname)?;
    let known = stored.as_ref().map(|stored| stored.head.digest.clone());
    let answer = server.graph(&settings.environment, &facts, known.as_deref());
    let answer = answer.and_then(|answer| match answer {
        Answer::New(graph) => Ok((Some(ReceivedGraph::complete(home, Some(server), graph)?), true)),
        Answer::Unchanged(_) => Ok((None, false)),
    });
    let (received, is_new, is_cached) = match answer {
        Ok((Some(received), _)) if is_pinned(settings, &received.stored.head) => {
            (Some(received), true, false)
        }
        Ok((Some(received), _)) => {
            let (found, wanted) = (&received.stored.head.code_id, &settings.revision);
            let wanted = wanted.as_deref().unwrap_or_default();
            let text = format!("the server has the revision {found}, not the pinned {wanted}");
            ui.message(&Diagnostic::warning(codes::AGENT, text.clone()));
            notes.push((Level::Warning, text));
            (None, false, false)
        }
        Ok((None, _)) => (None, false, false),
        Err(error) if error.is_outage() && stored.is_some() => {
            let text = format!("{error}; the last graph is applied");
            ui.message(&Diagnostic::warning(codes::AGENT, text.clone()));
            notes.push((Level::Warning, text));
            (None, false, true)
        }
        Err(error) => return Err(failed(error)),
    };
    if let Some(received) = received {
        return Ok((received, is_new, is_cached));
    }
    let stored: Option<StoredGraph> = stored.filter(|stored| is_pinned(settings, &stored.head));
    let stored = stored.ok_or_else(|| {
        let wanted = settings.revision.as_deref().unwrap_or_default();
        let text = format!("there is no graph of the revision {wanted}");
        Failure::from(Diagnostic::error(codes::AGENT, text))
    })?;
    let server = (!is_cached).then_some(server);
    let received = ReceivedGraph::complete(home, server, stored).map_err(failed)?;
    Ok((received, false, is_cached))
}

/// A run, for its report.
struct Account<'a> {
    stored: &'a StoredGraph,
    began: Timestamp,
    start: Instant,
    is_noop: bool,
    is_corrective: bool,
    is_cached: bool,
    notes: Vec<(Level, String)>,
}

impl Account<'_> {
    /// The report of the run. A graph that cannot be applied has no compiled form.
    fn document(&self, compiled: Option<&Compiled>, report: &Report) -> Result<Vec<u8>, Failure> {
        let (graph, texts) = (Graph::default(), SourceMap::new());
        let run = ReportedRun {
            head: &self.stored.head,
            graph: compiled.map_or(&graph, |compiled| &compiled.graph),
            sources: compiled.map_or(&texts, |compiled| &compiled.sources),
            began: self.began,
            took: self.start.elapsed(),
            is_noop: self.is_noop,
            is_corrective: self.is_corrective,
            is_cached: self.is_cached,
            job_id: None,
            notes: self.notes.clone(),
        };
        let document = report::of_run(&run, report).map_err(failed)?;
        Ok(document.to_string().into_bytes())
    }
}

/// Spools a report, and delivers all that wait.
fn spool(ui: &mut Ui, home: &Home, server: &Server, report: &[u8]) -> Result<(), Failure> {
    let spool = Spool::open(home).map_err(failed)?;
    spool.add(report).map_err(failed)?;
    if let Err(error) = deliver(&spool, server, &mut |text| {
        ui.message(&Diagnostic::warning(codes::AGENT, text));
    }) {
        let text = format!("{error}; the report waits");
        ui.message(&Diagnostic::warning(codes::AGENT, text));
    }
    Ok(())
}

fn observe(
    ui: &mut Ui,
    args: &AgentArgs,
    settings: &Settings,
    (compiled, prepared): (&Compiled, &Prepared),
    host: Host,
) -> Report {
    let mut progress = ui.progress(compiled.leaves(), true);
    progress.set_context(Context::new(compiled));
    let jobs = args.selection.jobs.map_or(1, Into::into);
    let observer = ReadOnlyObserver::new(&progress, settings.state_dir.as_deref());
    let report = apply(prepared, &host, &observer, jobs);
    progress.clear();
    report
}

fn change(
    ui: &mut Ui,
    args: &AgentArgs,
    settings: &Settings,
    (compiled, prepared): (&Compiled, &Prepared),
    host: Host,
) -> Result<Report, Failure> {
    let dir = runs::state_dir(settings.state_dir.as_deref())?;
    let store = runs::journal(ui, &dir)?;
    let earlier = runs::take_interrupted(ui, &store)?;
    let subject = subject(settings, &args.selection.root);
    let run = store.begin("agent", &subject).map_err(codes::state)?;
    let mut progress = ui.progress(compiled.leaves(), true);
    progress.set_context(Context::new(compiled));
    let (graph, sources) = (&compiled.graph, &compiled.sources);
    let mut journal = Journal { progress, store: &store, run, graph, sources };
    let host = runs::with_backups(host, &store, run);
    let jobs = args.selection.jobs.map_or(1, Into::into);
    let report = apply_after(prepared, &host, &journal, jobs, &earlier);
    journal.progress.clear();
    runs::record_final_states(&store, run, &host)?;
    record_end(&store, run, &report, interruption::requested())?;
    runs::report_damages(ui, &store);
    Ok(report)
}
