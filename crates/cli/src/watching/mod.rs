//! `ordain watch`: compiles, keeps true what was compiled, and compiles again when a source changes.

mod lines;
mod manager;
mod printer;
mod signals;
mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ordain_engine::host::Host;
use ordain_engine::kind::Change;
use ordain_engine::reconcile::{Keeper, Standing, Swapped, Tuning};
use ordain_engine::registry::Registry;
use ordain_engine::report::{ResourceReport, Status};
use ordain_engine::step::Observer;
use ordain_engine::unfinished::Unfinished;
use ordain_graph::ResourceRef;
use ordain_source::{Diagnostic, Touched};
use ordain_store::{Run, RunLock, Store};

use crate::codes;
use crate::commands::plan::prepare_after;
use crate::commands::watch::WatchArgs;
use crate::exit::{Exit, Failure};
use crate::graphs::{self, Loaded};
use crate::mcl;
use crate::options::CompileArgs;
use crate::runs;
use crate::ui::Ui;
use lines::{JsonLines, Lines};
use manager::Manager;
use signals::Asked;
use view::View;

/// How long sources have to be at rest before they are compiled, so that a checkout of many files is
/// compiled once.
const REST: Duration = Duration::from_millis(30);

/// The longest that a change of a source waits for rest.
const LONGEST_REST: Duration = Duration::from_millis(500);

/// Who is told what happens.
trait Teller {
    /// Another graph is kept true.
    fn graph(&mut self, graph: &NewGraph);

    /// The sources do not compile, or their graph cannot be kept true; what was kept true still is,
    /// if there is anything.
    fn refused(&mut self, text: &str, is_kept: bool);

    /// Warnings and logs of a compile.
    fn remarks(&mut self, text: &str);

    /// A resource was looked at.
    fn report(&mut self, report: &ResourceReport);

    /// Something about the run itself.
    fn note(&mut self, text: &str);

    /// Everything was looked at, and nothing is to be done now.
    fn settled(&mut self, standings: &[(&ResourceRef, Standing)]);

    /// Whether [`Teller::draw`] is of use.
    fn draws(&self) -> bool {
        false
    }

    /// Shows how everything stands.
    fn draw(&mut self, _standings: &[(&ResourceRef, Standing)]) {}
}

/// A graph that is kept true from now on.
struct NewGraph {
    /// How it differs from the one before.
    swapped: Swapped,
    /// How many files and directories it was made from.
    sources: usize,
    /// How long it took to make it.
    took: Duration,
}

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
    let dir = runs::state_dir(args.state_dir.as_deref())?;
    let _lock = RunLock::acquire(&dir).map_err(codes::state)?;
    let store = Arc::new(Store::open(&dir).map_err(codes::state)?);
    let earlier = runs::interrupted(ui, &store)?;
    let failed = |e: std::io::Error| codes::io("cannot watch", &e);
    Asked::block().map_err(failed)?;
    crate::outlive_panics();
    let run = store.begin("watch").map_err(codes::state)?;
    let notes = Notes { store: Arc::clone(&store), run };
    let mut host = args.selection.host();
    host.stays = true;
    let host = Arc::new(runs::keeping(host, &store, run));
    let keeper = Keeper::new(Arc::clone(&host), Arc::new(notes), tuning(args)).map_err(failed)?;
    let asked = Asked::listen(keeper.waker()).map_err(failed)?;
    let mut watching = Watching {
        host: Arc::clone(&host),
        teller: teller(ui, args),
        ui,
        args,
        keeper,
        program: None,
        registry: args.compile.registry()?,
        earlier: Some(earlier),
        manager: Manager::of_environment(),
        last: Said::default(),
        changed: 0,
        is_settled: false,
        is_ready: false,
    };
    watching.compile();
    watching.follow(&asked).map_err(failed)?;
    let Watching { keeper, mut teller, manager, changed, .. } = watching;
    manager.tell("STOPPING=1\nSTATUS=Ending what is under way");
    let mut failing = 0;
    if !asked.end() {
        let standings = keeper.standings();
        failing = standings.iter().filter(|(_, how)| *how == Standing::Failed).count();
    }
    for report in keeper.end() {
        teller.report(&report);
    }
    drop(teller);
    runs::note_made(&store, run, &host)?;
    let summary = serde_json::json!({ "changed": changed });
    store.finish(run, &summary).map_err(codes::state)?;
    let by_itself = match (asked.end(), failing, changed) {
        (true, ..) | (false, 0, 0) => Exit::Done,
        (false, 0, _) => Exit::Changes,
        (false, ..) => Exit::Failed,
    };
    Ok(host.ending().map_or(by_itself, Exit::Code))
}

fn tuning(args: &WatchArgs) -> Tuning {
    let jobs = args.selection.jobs.map_or(4, Into::into);
    let sweep = (args.interval > 0).then(|| args.interval.saturating_mul(1000));
    Tuning { jobs, sweep, ..Tuning::default() }
}

fn teller(ui: &Ui, args: &WatchArgs) -> Box<dyn Teller> {
    use crate::options::TextOrJson;
    match args.format {
        TextOrJson::Json => Box::new(JsonLines::new()),
        TextOrJson::Text if args.lines || !View::fits(ui) => Box::new(Lines::new(ui)),
        TextOrJson::Text => Box::new(View::new(ui, &args.path)),
    }
}

/// Writes down what is changed.
struct Notes {
    store: Arc<Store>,
    run: Run,
}

impl Observer for Notes {
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
}

/// What was said last, so that it is not said again.
#[derive(Default)]
struct Said {
    refused: String,
    remarks: String,
}

struct Watching<'a> {
    ui: &'a mut Ui,
    args: &'a WatchArgs,
    host: Arc<Host>,
    keeper: Keeper,
    /// The program that makes the graphs, where it is one that goes on to run.
    program: Option<mcl::Running>,
    registry: Arc<Registry>,
    /// What runs before this one left undone, until there is a graph.
    earlier: Option<Unfinished>,
    teller: Box<dyn Teller>,
    manager: Manager,
    last: Said,
    /// How many resources were changed so far.
    changed: usize,
    is_settled: bool,
    is_ready: bool,
}

impl Watching<'_> {
    /// Turns until the end is asked for, or comes by itself.
    fn follow(&mut self, asked: &Asked) -> std::io::Result<()> {
        // When the sources changed first and last since they were compiled.
        let mut dirty: Option<(Instant, Instant)> = None;
        // When the screen was drawn last, and whether anything happened since.
        let (mut drawn, mut is_old) = (Instant::now(), true);
        while !asked.end() {
            let draw = is_old.then(|| view::PAUSE.saturating_sub(drawn.elapsed()));
            let turn = self.keeper.turn(self.patience(dirty, draw))?;
            is_old = true;
            self.manager.tell("WATCHDOG=1");
            let now = Instant::now();
            for (resource, error) in &turn.unwatched {
                self.teller.note(&format!("{resource} cannot be watched and is polled: {error}"));
            }
            for resource in &turn.flapping {
                let text = lines::flapping_text(resource, &self.keeper.standings());
                self.teller.note(&text);
            }
            for report in &turn.reports {
                self.changed += usize::from(report.status == Status::Changed);
                self.teller.report(report);
            }
            if turn.sources_changed {
                dirty = Some((dirty.map_or(now, |(first, _)| first), now));
            }
            if asked.take_reload() {
                self.manager.tell("RELOADING=1");
                self.keeper.look_at_all();
                self.compile();
                self.manager.tell("READY=1");
                dirty = None;
            }
            if dirty.is_some_and(|(first, last)| now - last >= REST || now - first >= LONGEST_REST)
            {
                self.compile();
                dirty = None;
            }
            self.hear_program(turn.inputs_changed);
            self.tell_rest();
            if self.teller.draws() && now - drawn >= view::PAUSE {
                self.teller.draw(&self.keeper.standings());
                (drawn, is_old) = (now, false);
            }
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// How long the next turn may wait.
    fn patience(
        &self,
        dirty: Option<(Instant, Instant)>,
        draw: Option<Duration>,
    ) -> Option<Duration> {
        let rest = dirty.map(|_| REST);
        let draw = draw.filter(|_| self.teller.draws());
        let draw = draw.map(|pause| pause.max(Duration::from_millis(1)));
        let end = self.args.converged_timeout.map(|seconds| {
            let wanted = Duration::from_secs(seconds);
            wanted.saturating_sub(self.keeper.quiet_for().unwrap_or_default())
        });
        let program = self.program.as_ref().and_then(mcl::Running::patience);
        [rest, draw, end, program, self.manager.patience].into_iter().flatten().min()
    }

    /// Whether nothing had to be done for as long as was asked for, or a resource ends the run.
    fn is_over(&self) -> bool {
        if self.host.ending().is_some() {
            return true;
        }
        let wanted = self.args.converged_timeout.map(Duration::from_secs);
        self.keeper.quiet_for().zip(wanted).is_some_and(|(quiet, wanted)| quiet >= wanted)
    }

    /// Says so when there is nothing to do any more.
    fn tell_rest(&mut self) {
        let is_settled = self.keeper.quiet_for().is_some();
        if is_settled && !self.is_settled && self.is_ready {
            self.teller.settled(&self.keeper.standings());
        }
        self.is_settled = is_settled;
    }

    /// Does something; gives what came of it, and what was said about it, with what went wrong.
    fn hearing<T>(
        &mut self,
        action: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> (Result<T, Failure>, String) {
        self.ui.hold();
        let result = action(self);
        if let Err(Failure::Message(diagnostic)) = &result {
            self.ui.message(diagnostic);
        }
        (result, self.ui.release())
    }

    /// Compiles the sources; what comes of it is kept true from now on.
    fn compile(&mut self) {
        let start = Instant::now();
        let compile = self.args.selection.compile(&self.args.compile);
        let compile = CompileArgs { touched: Touched::default(), ..compile };
        let (swapped, text) = self.hearing(|watching| watching.swap(&compile));
        let sources = watched(&compile.touched.paths(), &self.args.path);
        if let Err(error) = self.keeper.follow_sources(&sources) {
            let text = format!("not all sources can be watched, a reload reads them: {error}");
            self.teller.note(&text);
        }
        match swapped {
            Ok(swapped) => {
                if text != self.last.remarks && !text.is_empty() {
                    self.teller.remarks(&text);
                }
                self.last = Said { refused: String::new(), remarks: text };
                let (sources, took) = (sources.len(), start.elapsed());
                self.teller.graph(&NewGraph { swapped, sources, took });
                // A graph that is the same has nothing to wait for.
                self.is_settled = false;
                self.tell_ready(swapped);
            }
            Err(_) => {
                if text != self.last.refused {
                    self.teller.refused(&text, self.is_ready);
                    self.manager
                        .tell("STATUS=The sources have errors; the last graph is kept true");
                }
                self.last.refused = text;
            }
        }
    }

    fn tell_ready(&mut self, swapped: Swapped) {
        let count = swapped.kept + swapped.changed + swapped.added;
        self.manager.tell(&format!("STATUS=Keeping {count} resources true"));
        if !std::mem::replace(&mut self.is_ready, true) {
            self.manager.tell("READY=1");
        }
    }

    /// Keeps true what the sources say.
    fn swap(&mut self, compile: &CompileArgs) -> Result<Swapped, Failure> {
        if !mcl::is_program(&self.args.path) {
            let loaded = graphs::load_examined(self.ui, &self.args.path, compile)?;
            return self.keep(loaded);
        }
        let mut program = mcl::Running::start(self.ui, &self.args.path, compile)?;
        let first = program.poll(self.ui)?;
        let swapped = first.map_or(Ok(Swapped::default()), |loaded| self.keep(loaded))?;
        self.follow_program(&program);
        self.program = Some(program);
        Ok(swapped)
    }

    /// Keeps true what a running program says now, if that is something else than before.
    fn hear_program(&mut self, changed: bool) {
        let Some(mut program) = self.program.take() else { return };
        if !program.is_due() && !changed {
            self.program = Some(program);
            return;
        }
        if changed {
            program.files_changed();
        }
        let start = Instant::now();
        let (swapped, text) = self.hearing(|watching| {
            let next = program.poll(watching.ui)?;
            next.map(|loaded| watching.keep(loaded)).transpose()
        });
        match swapped {
            Ok(None) => {}
            Ok(Some(swapped)) => {
                let (sources, took) = (program.files().len(), start.elapsed());
                self.teller.graph(&NewGraph { swapped, sources, took });
                self.is_settled = false;
            }
            Err(_) => self.teller.refused(&text, true),
        }
        self.follow_program(&program);
        self.program = Some(program);
    }

    fn follow_program(&mut self, program: &mcl::Running) {
        if let Err(error) = self.keeper.follow_inputs(&program.files()) {
            self.teller
                .note(&format!("not all that the program waits for can be watched: {error}"));
        }
    }

    /// Keeps a graph true.
    fn keep(&mut self, mut loaded: Loaded) -> Result<Swapped, Failure> {
        if loaded.plan.is_some() {
            let text = "a saved plan is applied once and not watched";
            return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
        }
        let options = self.args.selection.options(self.args.noop);
        let host = self.args.selection.host();
        let noted = loaded.undo_missing(&host, &self.registry)?;
        let (earlier, registry) = (self.keeper.prepared(), Arc::clone(&self.registry));
        let prepared = prepare_after(self.ui, earlier, &loaded, registry, options)?;
        if !self.args.noop {
            noted.forget_obsolete(&loaded.graph, &host).map_err(codes::note)?;
        }
        if let Some(exports) = &loaded.exports {
            exports.keep()?;
        }
        let swapped = self.keeper.swap(prepared).map_err(|error| {
            Diagnostic::error(codes::RESOURCE, format!("this graph cannot be kept true: {error}"))
        })?;
        if let Some(earlier) = self.earlier.take() {
            self.keeper.resume(&earlier);
        }
        Ok(swapped)
    }
}

/// The paths to watch for changes of the sources, each with its full name.
fn watched(touched: &[PathBuf], given: &Path) -> Vec<PathBuf> {
    const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];
    let all = touched.iter().map(PathBuf::as_path).chain([given]);
    let mut paths: Vec<PathBuf> = all.filter_map(|path| std::path::absolute(path).ok()).collect();
    paths.retain(|path| !SYSTEM.iter().any(|dir| path.starts_with(dir)));
    paths.sort();
    paths.dedup();
    paths
}
