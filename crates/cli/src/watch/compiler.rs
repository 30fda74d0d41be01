//! Compiles in a thread of its own, so that the reconcile loop does not wait for it.

use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use ordain_engine::prepare::Prepared;
use ordain_engine::registry::Registry;
use ordain_engine::reversal::Noted;
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
use ordain_driver::{Compiled, LiveSources, Session};

/// How long the end waits for a compile that is under way, and for programs to let go of what they
/// started.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// A request to the thread.
enum Request {
    /// SourceFiles the sources.
    Compile,
    /// Go on: a file that a program waits for may have changed.
    Inputs,
}

/// The result of a request.
pub(super) struct CompileResult {
    /// A graph, if there is another one than before.
    pub made: Result<Option<Box<PreparedGraph>>, Failure>,
    /// The messages of the compile, its errors included.
    pub text: String,
    /// The files that were read, if the sources were.
    pub sources: Option<SourceFiles>,
    /// The files that programs wait for.
    pub inputs: Vec<PathBuf>,
    pub took: Duration,
}

/// The files and directories that were read.
pub(super) struct SourceFiles {
    /// Sorted.
    pub paths: Vec<PathBuf>,
    /// When reading began.
    pub began: SystemTime,
}

impl SourceFiles {
    /// Whether a file among them may have changed after it was read, when nobody watched it yet.
    /// Directories may change by the compile itself.
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

/// A graph that is ready to be kept true.
pub(super) struct PreparedGraph {
    pub loaded: Compiled,
    pub prepared: Prepared,
    /// The notes on this machine about resources that are to be undone.
    pub noted: Noted,
}

/// The graph that is kept true.
type CurrentGraph = Arc<Mutex<Weak<Prepared>>>;

/// The thread, seen from the one that keeps graphs true.
pub(super) struct Compiler {
    requests: Sender<Request>,
    answers: Receiver<CompileResult>,
    /// Whether the sources are being compiled.
    is_compiling: bool,
    current: CurrentGraph,
}

impl Compiler {
    /// Compiles once, and starts the thread; it wakes who waits when it has an answer.
    ///
    /// The first compile is done here: there is nothing yet that could wait for it, and what it used is
    /// used again by those who keep its graph. So the thread is there before it: one that begins later
    /// takes what the compile no longer needs to itself.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(
        ui: &Ui,
        args: &WatchArgs,
        registry: &Arc<Registry>,
        wake: Wake,
    ) -> std::io::Result<Self> {
        let (requests, received) = channel();
        let (sender, answers) = channel();
        let current = CurrentGraph::default();
        let mut work = Work {
            ui: ui.beside(),
            args: Arc::new(args.clone()),
            registry: Arc::clone(registry),
            current: Arc::clone(&current),
            running: None,
            session: Session::default(),
        };
        let (begin, begun) = channel::<(Work, Sender<CompileResult>, Wake)>();
        let run = move || {
            if let Ok((work, answers, wake)) = begun.recv() {
                work.run(&received, &answers, &wake);
            }
        };
        std::thread::Builder::new().name("compiler".into()).spawn(run)?;
        let first = work.compile_here();
        let is_compiling = sender.send(first).is_ok();
        wake();
        // It waits for just this.
        let _ = begin.send((work, sender, wake));
        Ok(Self { requests, answers, is_compiling, current })
    }

    /// Reads the sources. Whether it does: not while it is still at it.
    pub(super) fn compile(&mut self) -> bool {
        if self.is_compiling {
            return false;
        }
        // The thread only ends before this when the process does.
        self.is_compiling = self.requests.send(Request::Compile).is_ok();
        self.is_compiling
    }

    /// A file that programs wait for may have changed.
    pub(super) fn inputs_changed(&self) {
        let _ = self.requests.send(Request::Inputs);
    }

    /// Whether the sources are being compiled.
    pub(super) fn is_compiling(&self) -> bool {
        self.is_compiling
    }

    /// The next answer, if there is one.
    pub(super) fn answer(&mut self) -> Option<CompileResult> {
        let answer = self.answers.try_recv().ok()?;
        self.is_compiling &= answer.sources.is_none();
        Some(answer)
    }

    /// Makes a graph the current one. The next graph takes over what it has in common with it.
    pub(super) fn set_current(&self, prepared: Option<&Arc<Prepared>>) {
        let current = prepared.map(Arc::downgrade).unwrap_or_default();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = current;
    }

    /// Ends the thread, so that programs end what they started.
    pub(super) fn end(self) {
        drop(self.requests);
        let end = Instant::now() + SHUTDOWN_TIMEOUT;
        let left = || end.saturating_duration_since(Instant::now());
        // The channel closes when the thread ends.
        while self.answers.recv_timeout(left()).is_ok() {}
    }
}

/// The thread.
struct Work {
    ui: Ui,
    args: Arc<WatchArgs>,
    registry: Arc<Registry>,
    current: CurrentGraph,
    running: Option<LiveSources>,
    session: Session,
}

impl Work {
    fn run(mut self, requests: &Receiver<Request>, answers: &Sender<CompileResult>, wake: &Wake) {
        loop {
            let order = match self.running.as_ref().and_then(LiveSources::patience) {
                Some(patience) => requests.recv_timeout(patience),
                None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let answer = match order {
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

    /// Reads the sources, and runs what they say up to the first graph. If that fails, what ran before
    /// goes on.
    ///
    /// This is done in a thread that ends then: the memory that it used and no longer needs goes back
    /// to the system. Only parsed texts stay for the next compile.
    fn compile(&mut self) -> CompileResult {
        on_deep_stack(STACK_SIZE, || self.compile_here())
    }

    fn compile_here(&mut self) -> CompileResult {
        let (start, began) = (Instant::now(), SystemTime::now());
        let options = self.args.selection.compile_options(&self.args.compile);
        let options = self.session.options(&options);
        let args = Arc::clone(&self.args);
        let (made, text) = self.capture_output(|work| {
            let mut running = LiveSources::start(&mut work.ui, &args.path, &options)?;
            let made = work.next(&mut running)?;
            work.running = Some(running).filter(LiveSources::goes_on);
            Ok(made)
        });
        let paths = watched(&options.touched.paths(), &self.args.path);
        let sources = Some(SourceFiles { paths, began });
        CompileResult { made, text, sources, inputs: self.inputs(), took: start.elapsed() }
    }

    /// Runs programs further, if something happened for which they wait.
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
        let (made, text) = self.capture_output(|work| work.next(&mut running));
        self.running = Some(running);
        Some(CompileResult {
            made,
            text,
            sources: None,
            inputs: self.inputs(),
            took: start.elapsed(),
        })
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.running.as_ref().map(LiveSources::files).unwrap_or_default()
    }

    /// The next graph, made ready.
    fn next(&mut self, running: &mut LiveSources) -> Result<Option<Box<PreparedGraph>>, Failure> {
        let Some(mut loaded) = running.poll(&mut self.ui)? else { return Ok(None) };
        if loaded.plan.is_some() {
            let text = "a saved plan is applied once and not watched";
            return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
        }
        let selection = &self.args.selection;
        let noted = loaded.undo_missing(&selection.host(&self.args.path), &self.registry)?;
        let options = selection.options(self.args.noop);
        let earlier = self.current.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        let (earlier, registry) = (earlier.as_deref(), Arc::clone(&self.registry));
        let prepared = prepare_after(&mut self.ui, earlier, &loaded, registry, options)?;
        if !self.args.keep_going {
            failures::refuse(&mut self.ui, &prepared, &loaded)?;
        }
        Ok(Some(Box::new(PreparedGraph { loaded, prepared, noted })))
    }

    /// Runs an action. Returns its result and its messages, errors included. A panic was shown by its
    /// hook and counts as one more failure.
    fn capture_output<T>(
        &mut self,
        action: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> (Result<T, Failure>, String) {
        self.ui.hold();
        let result = catch_unwind(AssertUnwindSafe(|| action(self))).unwrap_or_else(|_| {
            Err(Diagnostic::error(codes::RESOURCE, "the compile ended in the middle").into())
        });
        if let Err(Failure::Message(diagnostic)) = &result {
            self.ui.message(diagnostic);
        }
        (result, self.ui.release())
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
