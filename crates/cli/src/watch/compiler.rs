//! Compiles in a background thread, so that the reconcile loop does not wait for it.

use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use ordain_engine::prepare::Prepared;
use ordain_engine::reversal::ReversalNotes;
use ordain_engine::watch::Wake;
use ordain_puppet::eval::STACK_SIZE;
use ordain_source::Diagnostic;
use ordain_source::limits::on_deep_stack;

use super::args::WatchArgs;
use crate::codes;
use crate::commands::plan::prepare_after;
use crate::exit::Failure;
use crate::show::failures;
use crate::ui::Ui;
use ordain_driver::{Compiled, KindSource, LiveSources, Options as CompileOptions, Session};

/// The time that shutdown waits for a running compile, and for programs to stop their commands.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// A request to the thread.
enum Request {
    /// Compile the sources.
    Compile,
    /// Evaluate running programs again: one of their files may have changed.
    Inputs,
}

/// The result of a request.
pub(super) struct CompileResult {
    /// The graph, if it differs from the one before.
    pub graph: Result<Option<Box<PreparedGraph>>, Failure>,
    /// The messages of the compile, its errors included.
    pub text: String,
    /// The files that were read, if the sources were compiled.
    pub sources: Option<SourceFiles>,
    /// The files that running programs depend on.
    pub inputs: Vec<PathBuf>,
    pub took: Duration,
}

/// The files and directories that a compile read.
pub(super) struct SourceFiles {
    /// Sorted.
    pub paths: Vec<PathBuf>,
    /// The time when reading began.
    pub began: SystemTime,
}

impl SourceFiles {
    /// Whether a file may have changed after it was read and before it was watched. Directories are
    /// left out, since the compile itself may change them.
    pub(super) fn has_moved(&self, watched: &[PathBuf]) -> bool {
        let began = self.began.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let is_later = |path: &PathBuf| {
            let Ok(found) = std::fs::symlink_metadata(path) else { return false };
            let seconds = u64::try_from(found.ctime()).unwrap_or_default();
            let nanos = u32::try_from(found.ctime_nsec()).unwrap_or_default();
            !found.is_dir() && Duration::new(seconds, nanos) > began
        };
        self.paths.iter().filter(|path| watched.binary_search(path).is_err()).any(is_later)
    }
}

/// A graph that is ready to be reconciled.
pub(super) struct PreparedGraph {
    pub loaded: Compiled,
    pub prepared: Prepared,
    /// The records on this machine about resources with an undo.
    pub noted: ReversalNotes,
}

/// The graph that is being reconciled.
type CurrentGraph = Arc<Mutex<Weak<Prepared>>>;

/// The handle of the compiler thread.
pub(super) struct Compiler {
    requests: Sender<Request>,
    answers: Receiver<CompileResult>,
    /// Whether the sources are being compiled.
    is_compiling: bool,
    current: CurrentGraph,
}

impl Compiler {
    /// Compiles once, then starts the thread. Calls `wake` for every result.
    ///
    /// The first compile runs on this thread: nothing waits yet, and the reconcile loop reuses its
    /// memory. The compiler thread is created before it, because a thread that starts later would
    /// claim the memory which the compile has freed.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub(super) fn start(
        ui: &Ui,
        args: &WatchArgs,
        kinds: KindSource,
        wake: Wake,
    ) -> std::io::Result<Self> {
        let (requests, received) = channel();
        let (sender, answers) = channel();
        let current = CurrentGraph::default();
        let mut work = Worker {
            ui: ui.for_background(),
            args: Arc::new(args.clone()),
            kinds,
            current: Arc::clone(&current),
            running: None,
            session: Session::default(),
        };
        let (begin, begun) = channel::<(Worker, Sender<CompileResult>, Wake)>();
        let run = move || {
            if let Ok((work, answers, wake)) = begun.recv() {
                work.run(&received, &answers, &wake);
            }
        };
        std::thread::Builder::new().name("compiler".into()).spawn(run)?;
        let first = work.compile_here();
        let is_compiling = sender.send(first).is_ok();
        wake();
        // The thread waits for this message only, so sending cannot fail.
        let _ = begin.send((work, sender, wake));
        Ok(Self { requests, answers, is_compiling, current })
    }

    /// Compiles the sources. Returns false while a compile is running.
    pub(super) fn compile(&mut self) -> bool {
        if self.is_compiling {
            return false;
        }
        // The thread ends before this handle only together with the process.
        self.is_compiling = self.requests.send(Request::Compile).is_ok();
        self.is_compiling
    }

    /// Marks a file of a running program as possibly changed.
    pub(super) fn inputs_changed(&self) {
        let _ = self.requests.send(Request::Inputs);
    }

    /// Whether a compile is running.
    pub(super) fn is_compiling(&self) -> bool {
        self.is_compiling
    }

    /// The next result, if there is one.
    pub(super) fn answer(&mut self) -> Option<CompileResult> {
        let answer = self.answers.try_recv().ok()?;
        self.is_compiling &= answer.sources.is_none();
        Some(answer)
    }

    /// Sets the current graph. The next graph reuses its unchanged parts.
    pub(super) fn set_current(&self, prepared: Option<&Arc<Prepared>>) {
        let current = prepared.map(Arc::downgrade).unwrap_or_default();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = current;
    }

    /// Stops the thread, so that programs stop their commands.
    pub(super) fn end(self) {
        drop(self.requests);
        let end = Instant::now() + SHUTDOWN_TIMEOUT;
        let left = || end.saturating_duration_since(Instant::now());
        // The channel closes when the thread ends.
        while self.answers.recv_timeout(left()).is_ok() {}
    }
}

/// The state of the thread.
struct Worker {
    ui: Ui,
    args: Arc<WatchArgs>,
    kinds: KindSource,
    current: CurrentGraph,
    running: Option<LiveSources>,
    session: Session,
}

impl Worker {
    fn run(mut self, requests: &Receiver<Request>, answers: &Sender<CompileResult>, wake: &Wake) {
        loop {
            let request = match self.running.as_ref().and_then(LiveSources::timeout) {
                Some(timeout) => requests.recv_timeout(timeout),
                None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let answer = match request {
                Ok(Request::Compile) => Some(self.compile()),
                Ok(Request::Inputs) => self.advance(true),
                Err(RecvTimeoutError::Timeout) => self.advance(false),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if let Some(answer) = answer {
                if answers.send(answer).is_err() {
                    return;
                }
                wake();
            }
        }
    }

    /// Compiles the sources and runs programs up to their first graph. If that fails, the earlier
    /// programs keep running.
    ///
    /// The compile runs in a thread of its own, so that the system gets back the memory which it no
    /// longer needs. Only parsed texts are kept for the next compile.
    fn compile(&mut self) -> CompileResult {
        on_deep_stack(STACK_SIZE, || self.compile_here())
    }

    fn compile_options(&self) -> CompileOptions {
        let WatchArgs { selection, compile, state_dir, noop, .. } = &*self.args;
        selection.run_options(compile, state_dir.as_deref(), *noop)
    }

    fn compile_here(&mut self) -> CompileResult {
        let (start, began) = (Instant::now(), SystemTime::now());
        let options = self.compile_options();
        let options = self.session.options(&options);
        let args = Arc::clone(&self.args);
        let (graph, text) = self.capture_output(|work| {
            let mut running = LiveSources::start(&mut work.ui, &args.path, &options)?;
            let graph = work.next(&mut running)?;
            work.running = Some(running).filter(LiveSources::may_change);
            Ok(graph)
        });
        let paths = watched(&options.touched.paths(), &self.args.path);
        let sources = Some(SourceFiles { paths, began });
        CompileResult { graph, text, sources, inputs: self.inputs(), took: start.elapsed() }
    }

    /// Evaluates running programs again, if one of their inputs has changed.
    fn advance(&mut self, files_changed: bool) -> Option<CompileResult> {
        let start = Instant::now();
        let mut running = self.running.take()?;
        if !running.is_due() && !files_changed {
            self.running = Some(running);
            return None;
        }
        if files_changed {
            running.files_changed();
        }
        let (graph, text) = self.capture_output(|work| work.next(&mut running));
        self.running = Some(running);
        Some(CompileResult {
            graph,
            text,
            sources: None,
            inputs: self.inputs(),
            took: start.elapsed(),
        })
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.running.as_ref().map(LiveSources::files).unwrap_or_default()
    }

    /// Prepares the next graph.
    fn next(&mut self, running: &mut LiveSources) -> Result<Option<Box<PreparedGraph>>, Failure> {
        let Some(mut loaded) = running.poll(&mut self.ui)? else { return Ok(None) };
        if loaded.plan.is_some() {
            let text = "a saved plan is applied once and not watched";
            return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
        }
        let args = Arc::clone(&self.args);
        let selection = &args.selection;
        let compile_options = self.compile_options();
        let registry = self.kinds.registry(&mut self.ui, &loaded, &compile_options)?;
        let noted = loaded.undo_missing(&selection.host(&args.path), &registry)?;
        let options = selection.options(self.args.noop);
        let earlier = self.current.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        let prepared = prepare_after(&mut self.ui, earlier.as_deref(), &loaded, registry, options)?;
        if !self.args.keep_going {
            failures::refuse(&mut self.ui, &prepared, &loaded)?;
        }
        Ok(Some(Box::new(PreparedGraph { loaded, prepared, noted })))
    }

    /// Runs an action. Returns its result and its messages, errors included. A panic, which its
    /// hook has shown, counts as an error.
    fn capture_output<T>(
        &mut self,
        action: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> (Result<T, Failure>, String) {
        self.ui.start_buffering();
        let result = catch_unwind(AssertUnwindSafe(|| action(self))).unwrap_or_else(|_| {
            Err(Diagnostic::error(codes::RESOURCE, "the compile ended in the middle").into())
        });
        if let Err(Failure::Message(diagnostic)) = &result {
            self.ui.message(diagnostic);
        }
        (result, self.ui.take_buffer())
    }
}

/// The paths to watch for changes of the sources, as absolute paths.
fn watched(touched: &[PathBuf], given: &Path) -> Vec<PathBuf> {
    const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];
    let all = touched.iter().map(PathBuf::as_path).chain([given]);
    let mut paths: Vec<PathBuf> = all.filter_map(|path| std::path::absolute(path).ok()).collect();
    paths.retain(|path| !SYSTEM.iter().any(|dir| path.starts_with(dir)));
    paths.sort();
    paths.dedup();
    paths
}
