//! The loop over the messages of an editor.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument,
    DidOpenTextDocument, Exit, Notification as Method, PublishDiagnostics,
};
use lsp_types::request::{
    CodeLensRefresh, CodeLensRequest, ExecuteCommand, InlayHintRefreshRequest, RegisterCapability,
    Request as _, Shutdown,
};
use ordain_driver::check::STACK_SIZE;
use ordain_graph::language::Strict;
use ordain_source::limits::on_deep_stack;
use rustc_hash::FxHasher;
use serde::Deserialize;
use serde_json::Value as Json;

use super::documents::Documents;
use super::plan::{self, Planner};
use super::{convert, requests, uri};
use crate::error::Error;
use crate::lines::Lines;
use crate::node::NodeSettings;
use crate::types::Report;
use crate::usage::FinishedUsage;
use crate::workspace::{Finished, Settings, Workspace};

/// The time without changes after which all files are checked.
const QUIET: Duration = Duration::from_millis(250);

/// The time without changes after which the nodes are compiled for lenses.
const LONG_QUIET: Duration = Duration::from_secs(1);

/// The maximal number of cancelled requests that are remembered.
const MAX_CANCELLED: usize = 256;

/// The files whose changes on disk matter.
const WATCHED: [&str; 2] =
    ["**/*.{pp,epp,erb,mcl,cf,yaml,yml,eyaml,json,rb,conf}", "**/{Puppetfile,Puppetfile.lock}"];

/// Serves an editor on standard input and output until it shuts the server down or closes them. Plans
/// come from `planner`. Returns whether it shut the server down.
///
/// # Errors
/// When the editor breaks the protocol, or threads cannot be started.
pub fn serve_stdio(planner: Arc<dyn Planner>) -> Result<bool, Error> {
    let (connection, threads) = Connection::stdio();
    let is_orderly = run(connection, planner)?;
    threads.join().map_err(|error| Error::Io(error.to_string()))?;
    Ok(is_orderly)
}

/// Serves an editor until it shuts the server down or closes the connection. Plans come from `planner`.
/// Returns whether it shut
/// the server down.
///
/// # Errors
/// When the editor breaks the protocol, or threads cannot be started.
pub fn run(connection: Connection, planner: Arc<dyn Planner>) -> Result<bool, Error> {
    on_deep_stack(STACK_SIZE, || {
        let (id, params) =
            connection.initialize_start().map_err(|error| Error::Protocol(error.to_string()))?;
        let params: lsp::InitializeParams =
            serde_json::from_value(params).map_err(|error| Error::Protocol(error.to_string()))?;
        let info = serde_json::json!({
            "capabilities": requests::capabilities(),
            "serverInfo": { "name": "ordain", "version": env!("CARGO_PKG_VERSION") },
        });
        let finished = connection.initialize_finish(id, info);
        finished.map_err(|error| Error::Protocol(error.to_string()))?;
        let watches = watches(&params);
        let mut server = Server::new(connection, &params, planner)?;
        if watches {
            server.register_watches();
        }
        Ok(server.serve())
    })
}

/// Whether the editor watches files for the server.
fn watches(params: &lsp::InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    let watched = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
    watched.and_then(|watched| watched.dynamic_registration).unwrap_or(false)
}

/// Whether the editor asks for inlay hints again if it is told to.
fn refreshes_hints(params: &lsp::InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    let hints = workspace.and_then(|workspace| workspace.inlay_hint.as_ref());
    hints.and_then(|hints| hints.refresh_support).unwrap_or(false)
}

/// Whether the editor asks for lenses again if it is told to.
fn refreshes_lenses(params: &lsp::InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
    lenses.and_then(|lenses| lenses.refresh_support).unwrap_or(false)
}

/// The options that an editor passes at the start.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct InitOptions {
    /// `error`, `warning` or `off`, as of `ordain check --strict`.
    strict: Option<String>,
    /// Codes that are not reported.
    ignore: Vec<String>,
    /// Further directories of modules.
    modulepath: Vec<PathBuf>,
    /// Whether warnings in modules that a Puppetfile installs are reported, too.
    all_modules: bool,
    /// The node whose values are shown.
    node: Option<String>,
    /// A file of facts, or a directory with one for each node.
    facts: Option<PathBuf>,
    /// The fact set of nodes without facts, as of `ordain test`.
    fact_set: Option<String>,
}

impl InitOptions {
    /// The choices, with paths below the first directory that is open.
    fn settings(self, roots: &[PathBuf]) -> Settings {
        let strict = match self.strict.as_deref() {
            Some("off") => Strict::Off,
            Some("warning") => Strict::Warning,
            _ => Strict::Error,
        };
        let below = |path: PathBuf| {
            roots.first().map_or_else(|| PathBuf::clone(&path), |root| root.join(&path))
        };
        let node =
            NodeSettings { name: self.node, facts: self.facts.map(below), fact_set: self.fact_set };
        Settings {
            strict,
            ignore: self.ignore,
            modulepath: self.modulepath,
            all_modules: self.all_modules,
            node,
        }
    }
}

/// Messages that have arrived and wait for their turn, and the requests that were cancelled.
struct Inbox {
    receiver: Receiver<Message>,
    state: Mutex<InboxState>,
}

#[derive(Default)]
struct InboxState {
    waiting: VecDeque<Message>,
    /// The last ones that were cancelled; some of them were answered before.
    cancelled: VecDeque<RequestId>,
}

impl Inbox {
    fn add(&self, message: Message) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            Message::Notification(note) if note.method == Cancel::METHOD => {
                let params: Result<lsp::CancelParams, _> = serde_json::from_value(note.params);
                if let Ok(params) = params {
                    let id: RequestId = match params.id {
                        lsp::NumberOrString::Number(id) => id.into(),
                        lsp::NumberOrString::String(id) => id.into(),
                    };
                    state.cancelled.push_back(id);
                    if state.cancelled.len() > MAX_CANCELLED {
                        state.cancelled.pop_front();
                    }
                }
            }
            message => state.waiting.push_back(message),
        }
    }

    /// Takes the messages that have arrived, without waiting.
    fn drain(&self) {
        while let Ok(message) = self.receiver.try_recv() {
            self.add(message);
        }
    }

    fn next(&self) -> Option<Message> {
        self.drain();
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.pop_front()
    }

    fn is_cancelled(&self, id: &RequestId) -> bool {
        self.drain();
        self.was_cancelled(id)
    }

    /// The same for other threads than that of the loop, which waits for messages itself.
    fn was_cancelled(&self, id: &RequestId) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.cancelled.contains(id)
    }

    fn forget(&self, id: &RequestId) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.cancelled.retain(|cancelled| cancelled != id);
    }
}

struct Server {
    inbox: Arc<Inbox>,
    sender: Sender<Message>,
    workspace: Workspace,
    documents: Documents,
    /// Open files that were changed and not analyzed yet.
    pending: BTreeSet<PathBuf>,
    /// The time of the next check of all files.
    job_at: Option<Instant>,
    is_job_running: bool,
    finished: (Sender<Option<Finished>>, Receiver<Option<Finished>>),
    planner: Arc<dyn Planner>,
    /// The time of the next compile of the nodes.
    usage_at: Option<Instant>,
    is_usage_running: bool,
    finished_usage: (Sender<Option<FinishedUsage>>, Receiver<Option<FinishedUsage>>),
    /// A digest of the last diagnostics of each file that has some.
    published: BTreeMap<PathBuf, u64>,
    /// Whether the editor asks for inlay hints again if it is told to.
    refreshes_hints: bool,
    /// Whether it asks for lenses again if it is told to.
    refreshes_lenses: bool,
    /// The number of requests to the editor.
    sent: u32,
    is_shut_down: bool,
}

impl Server {
    fn new(
        connection: Connection,
        params: &lsp::InitializeParams,
        planner: Arc<dyn Planner>,
    ) -> Result<Self, Error> {
        let options = params.initialization_options.clone().filter(|options| !options.is_null());
        let options = options.map(serde_json::from_value::<InitOptions>).transpose();
        // Unknown options of an editor are no reason not to start.
        let roots = roots(params);
        let settings = options.ok().flatten().unwrap_or_default().settings(&roots);
        let Connection { sender, receiver } = connection;
        Ok(Self {
            inbox: Arc::new(Inbox { receiver, state: Mutex::default() }),
            sender,
            workspace: Workspace::new(roots, settings)?,
            refreshes_hints: refreshes_hints(params),
            refreshes_lenses: refreshes_lenses(params),
            planner,
            usage_at: None,
            is_usage_running: false,
            finished_usage: crossbeam_channel::unbounded(),
            sent: 0,
            documents: Documents::default(),
            pending: BTreeSet::new(),
            job_at: Some(Instant::now()),
            is_job_running: false,
            finished: crossbeam_channel::unbounded(),
            published: BTreeMap::new(),
            is_shut_down: false,
        })
    }

    /// Handles messages until the end. Returns whether the editor shut the server down.
    fn serve(&mut self) -> bool {
        loop {
            while let Some(message) = self.inbox.next() {
                match message {
                    Message::Request(request) => self.request(request),
                    Message::Notification(note) if note.method == Exit::METHOD => {
                        return self.is_shut_down;
                    }
                    Message::Notification(note) => self.notification(note),
                    Message::Response(_) => {}
                }
            }
            self.analyze();
            self.start_job();
            self.start_usage();
            let finished = self.finished.1.clone();
            let finished_usage = self.finished_usage.1.clone();
            let next = [
                self.job_at.filter(|_| !self.is_job_running),
                self.usage_at.filter(|_| !self.is_usage_running),
            ];
            let timeout = match next.into_iter().flatten().min() {
                Some(at) => at.saturating_duration_since(Instant::now()),
                None => Duration::from_secs(3600),
            };
            let inbox = Arc::clone(&self.inbox);
            select! {
                recv(inbox.receiver) -> message => match message {
                    Ok(message) => inbox.add(message),
                    Err(_) => return self.is_shut_down,
                },
                recv(finished) -> done => {
                    if let Ok(done) = done {
                        self.finish(done);
                    }
                }
                recv(finished_usage) -> done => {
                    if let Ok(done) = done {
                        self.finish_usage(done);
                    }
                }
                default(timeout) => {}
            }
        }
    }

    /// Analyzes the files that were changed.
    fn analyze(&mut self) {
        for path in std::mem::take(&mut self.pending) {
            let workspace = &mut self.workspace;
            // A bug of Ordain that one file shows must not end the server.
            let report = catch_unwind(AssertUnwindSafe(|| workspace.check(&path)));
            if let Ok(Some(report)) = report {
                self.publish(&report);
            }
        }
    }

    fn start_job(&mut self) {
        let is_due = self.job_at.is_some_and(|at| at <= Instant::now());
        if !is_due || self.is_job_running {
            return;
        }
        self.job_at = None;
        self.is_job_running = true;
        let job = self.workspace.job();
        let sender = self.finished.0.clone();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| job.run())).ok();
            // Without a receiver, the server has ended.
            let _ = sender.send(done);
        };
        if std::thread::Builder::new().spawn(work).is_err() {
            self.is_job_running = false;
            self.job_at = Some(Instant::now() + QUIET);
        }
    }

    fn finish(&mut self, done: Option<Finished>) {
        self.is_job_running = false;
        let Some(done) = done else { return };
        let reports = self.workspace.finish(done);
        let mut left: BTreeSet<PathBuf> = self.published.keys().cloned().collect();
        for report in reports {
            left.remove(&report.path);
            self.publish(&report);
        }
        left.retain(|path| self.documents.version(path).is_none());
        for path in left {
            self.publish(&Report { path, text: "".into(), found: Vec::new() });
        }
        self.refresh_hints();
        if self.workspace.is_dirty() {
            self.schedule();
        }
    }

    /// Compiles the nodes on another thread if the time has come.
    fn start_usage(&mut self) {
        let is_due = self.usage_at.is_some_and(|at| at <= Instant::now());
        if !is_due || self.is_usage_running {
            return;
        }
        self.usage_at = None;
        self.is_usage_running = true;
        let job = self.workspace.usage_job();
        let sender = self.finished_usage.0.clone();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| job.run())).ok();
            // Without a receiver, the server has ended.
            let _ = sender.send(done);
        };
        if std::thread::Builder::new().spawn(work).is_err() {
            self.is_usage_running = false;
        }
    }

    fn finish_usage(&mut self, done: Option<FinishedUsage>) {
        self.is_usage_running = false;
        let is_new = done.is_some_and(|done| self.workspace.finish_usage(done));
        if is_new && self.refreshes_lenses {
            self.ask(CodeLensRefresh::METHOD);
        }
        self.schedule_usage();
    }

    /// Compiles the nodes when nothing has changed for a while, if lenses lack numbers.
    fn schedule_usage(&mut self) {
        if self.workspace.usage_is_due() {
            self.usage_at = Some(Instant::now() + LONG_QUIET);
        }
    }

    /// Checks all files when nothing has changed for a while.
    fn schedule(&mut self) {
        let now = Instant::now();
        self.job_at = Some(now + QUIET);
        self.usage_at = self.usage_at.map(|_| now + LONG_QUIET);
    }

    /// Sends the diagnostics of a file, unless the editor has the same.
    fn publish(&mut self, report: &Report) {
        let Some(uri) = uri::of(&report.path) else { return };
        let lines = Lines::new(Arc::clone(&report.text));
        let sources = self.workspace.sources();
        let diagnostics = convert::diagnostics(&lines, &report.found, sources);
        let version = self.documents.version(&report.path);
        let is_empty = diagnostics.is_empty();
        let params = lsp::PublishDiagnosticsParams { uri, diagnostics, version };
        let note = Notification::new(PublishDiagnostics::METHOD.into(), params);
        let mut hasher = FxHasher::default();
        note.params.to_string().hash(&mut hasher);
        let digest = hasher.finish();
        let last = self.published.get(&report.path);
        if last == Some(&digest) || last.is_none() && is_empty && version.is_none() {
            return;
        }
        match is_empty && version.is_none() {
            true => drop(self.published.remove(&report.path)),
            false => drop(self.published.insert(report.path.clone(), digest)),
        }
        self.send(note.into());
    }

    /// Sends a message. If the editor has ended, the loop ends by itself.
    fn send(&self, message: Message) {
        let _ = self.sender.send(message);
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        if self.inbox.is_cancelled(&id) {
            self.inbox.forget(&id);
            return self.send(cancelled(id).into());
        }
        if request.method == Shutdown::METHOD {
            self.is_shut_down = true;
            return self.send(Response::new_ok(id, Json::Null).into());
        }
        self.analyze();
        if request.method == ExecuteCommand::METHOD {
            if let Some(response) = self.command(request) {
                self.send(response.into());
            }
            return;
        }
        let is_about_lenses = request.method == CodeLensRequest::METHOD;
        let inbox = Arc::clone(&self.inbox);
        let asked = id.clone();
        let analysis =
            self.workspace.analysis().until(Arc::new(move || inbox.is_cancelled(&asked)));
        let answered = catch_unwind(AssertUnwindSafe(|| requests::answer(&analysis, request)));
        let response = match answered {
            Ok(_) if self.inbox.is_cancelled(&id) => cancelled(id.clone()),
            Ok(response) => response,
            Err(_) => {
                let text = "this is a bug in Ordain; the message is on standard error";
                Response::new_err(id.clone(), ErrorCode::InternalError as i32, text.into())
            }
        };
        self.inbox.forget(&id);
        self.send(response.into());
        if is_about_lenses {
            self.schedule_usage();
        }
    }

    /// Runs a command. The answer comes later if it is `None`.
    fn command(&mut self, request: Request) -> Option<Response> {
        let params = serde_json::from_value::<lsp::ExecuteCommandParams>(request.params);
        let name = params.as_ref().map(|params| params.command.as_str()).unwrap_or_default();
        match (name, &params) {
            (requests::CHOOSE_NODE, Ok(params)) => Some(self.choose_node(request.id, params)),
            (plan::PLAN | plan::EXPLAIN, Ok(params)) => self.plan(request.id, params),
            _ => {
                let code = ErrorCode::InvalidParams as i32;
                Some(Response::new_err(request.id, code, "unknown command".into()))
            }
        }
    }

    /// Makes a plan or an explanation on another thread, which answers.
    fn plan(&mut self, id: RequestId, params: &lsp::ExecuteCommandParams) -> Option<Response> {
        let request =
            match plan::request(&self.workspace.analysis(), &params.command, &params.arguments) {
                Ok(request) => request,
                Err(error) => {
                    return Some(Response::new_err(
                        id,
                        ErrorCode::RequestFailed as i32,
                        error.to_string(),
                    ));
                }
            };
        let (planner, inbox) = (Arc::clone(&self.planner), Arc::clone(&self.inbox));
        let (sender, asked) = (self.sender.clone(), id.clone());
        let work = move || {
            let made = planner.plan(&request, &|| inbox.was_cancelled(&asked));
            let response = match inbox.was_cancelled(&asked) {
                true => cancelled(asked.clone()),
                false => plan::answer(asked.clone(), &request, made),
            };
            inbox.forget(&asked);
            // If the editor has ended, nobody waits for it.
            let _ = sender.send(response.into());
        };
        let started = std::thread::Builder::new().spawn(work);
        started
            .err()
            .map(|error| Response::new_err(id, ErrorCode::InternalError as i32, error.to_string()))
    }

    /// Chooses the node of the first argument, none if it is empty. Without an argument nothing
    /// changes. The answer has the chosen node and the names of all nodes.
    fn choose_node(&mut self, id: RequestId, params: &lsp::ExecuteCommandParams) -> Response {
        if let Some(name) = params.arguments.first() {
            let name = name.as_str().filter(|name| !name.is_empty());
            self.workspace.choose_node(name.map(str::to_lowercase));
            self.refresh_hints();
            if self.refreshes_lenses {
                self.ask(CodeLensRefresh::METHOD);
            }
        }
        let analysis = self.workspace.analysis();
        let answer = serde_json::json!({"node": analysis.node(), "nodes": analysis.nodes()});
        Response::new_ok(id, answer)
    }

    /// Has the editor ask for inlay hints again.
    fn refresh_hints(&mut self) {
        if self.refreshes_hints {
            self.ask(InlayHintRefreshRequest::METHOD);
        }
    }

    /// Sends a request without parameters to the editor.
    fn ask(&mut self, method: &str) {
        self.sent += 1;
        let id = RequestId::from(format!("refresh-{}", self.sent));
        self.send(Request::new(id, method.into(), Json::Null).into());
    }

    fn notification(&mut self, note: Notification) {
        let params = note.params;
        match note.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let params = serde_json::from_value::<lsp::DidOpenTextDocumentParams>(params);
                let Ok(document) = params.map(|params| params.text_document) else { return };
                let Some(path) = uri::path(&document.uri) else { return };
                self.workspace.set_text(&path, document.text.as_str());
                self.documents.open(&path, document.version, document.text);
                self.changed(path);
            }
            DidChangeTextDocument::METHOD => {
                let params = serde_json::from_value::<lsp::DidChangeTextDocumentParams>(params);
                let Ok(params) = params else { return };
                let Some(path) = uri::path(&params.text_document.uri) else { return };
                let version = params.text_document.version;
                if let Some(text) = self.documents.change(&path, version, params.content_changes) {
                    self.workspace.set_text(&path, text);
                    self.changed(path);
                }
            }
            DidCloseTextDocument::METHOD => {
                let params = serde_json::from_value::<lsp::DidCloseTextDocumentParams>(params);
                let Ok(params) = params else { return };
                let Some(path) = uri::path(&params.text_document.uri) else { return };
                self.pending.remove(&path);
                self.documents.close(&path);
                self.workspace.close(&path);
                self.schedule();
            }
            DidChangeWatchedFiles::METHOD => {
                let params = serde_json::from_value::<lsp::DidChangeWatchedFilesParams>(params);
                for change in params.into_iter().flat_map(|params| params.changes) {
                    if let Some(path) = uri::path(&change.uri) {
                        self.workspace.changed_on_disk(&path);
                    }
                }
                self.schedule();
            }
            _ => {}
        }
    }

    fn changed(&mut self, path: PathBuf) {
        self.pending.insert(path);
        self.schedule();
    }

    /// Asks the editor to report changes of files on disk.
    fn register_watches(&self) {
        let watcher = |glob: &str| lsp::FileSystemWatcher {
            glob_pattern: lsp::GlobPattern::String(glob.into()),
            kind: None,
        };
        let watchers = WATCHED.map(watcher).to_vec();
        let options = lsp::DidChangeWatchedFilesRegistrationOptions { watchers };
        let registration = lsp::Registration {
            id: "watched-files".into(),
            method: DidChangeWatchedFiles::METHOD.into(),
            register_options: serde_json::to_value(options).ok(),
        };
        let params = lsp::RegistrationParams { registrations: vec![registration] };
        let id = RequestId::from("register-watched-files".to_owned());
        let request = Request::new(id, RegisterCapability::METHOD.into(), params);
        self.send(request.into());
    }
}

fn cancelled(id: RequestId) -> Response {
    Response::new_err(id, ErrorCode::RequestCanceled as i32, "cancelled".into())
}

/// The directories that the editor has open.
fn roots(params: &lsp::InitializeParams) -> Vec<PathBuf> {
    let folders = params.workspace_folders.iter().flatten();
    let roots: Vec<PathBuf> = folders.filter_map(|folder| uri::path(&folder.uri)).collect();
    if !roots.is_empty() {
        return roots;
    }
    #[allow(deprecated, reason = "older editors send only this")]
    let root = params.root_uri.as_ref().and_then(uri::path);
    root.into_iter().filter(|root| root != Path::new("/")).collect()
}
