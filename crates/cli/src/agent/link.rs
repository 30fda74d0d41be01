//! The thread that talks with the server, and the one that waits for its changes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ordain_agent::schedule::{Backoff, jitter};
use ordain_agent::{AgentError, Answer, ChangeNotice, Enrolment, Home, Server, Spool};
use ordain_driver::CollectingReporter;
use ordain_engine::watch::Wake;

use super::args::Settings;
use super::common::{deliver, facts, is_pinned};
use super::graph::ReceivedGraph;

/// Agents that learn of a change at once ask at random times within this one.
const SPREAD: Duration = Duration::from_millis(500);

/// Something that the main thread has to know.
pub(super) enum Event {
    /// A new graph, verified and stored, and the job that asked for it.
    Graph(Box<ReceivedGraph>, Option<String>),
    /// The server has no other graph. All resources are to be checked, for a job if there is one.
    Unchanged(Option<String>),
    /// A message for the log.
    Note(String),
}

/// Something for the thread to do.
enum Request {
    /// The code has changed to this state.
    Changed(String),
    /// A user asks for a run, which gets this job id.
    Run(String),
    /// The connection that waits for changes has ended.
    Lost(String),
    /// A report waits.
    Deliver,
    /// Ask for the graph.
    Refresh,
}

/// The threads, from outside. They end with the process.
pub(super) struct Link {
    requests: Sender<Request>,
    events: Receiver<Event>,
}

/// The state that the other thread waits to end.
struct Hold {
    server: Arc<Server>,
    environment: String,
    state: String,
}

impl Link {
    /// Starts the threads. `known` is the digest of the graph that is in effect already.
    ///
    /// # Errors
    /// When the system refuses a thread, or the spool cannot be opened.
    pub(super) fn start(
        settings: &Settings,
        home: &Arc<Home>,
        known: Option<String>,
        wake: Wake,
    ) -> Result<Self, AgentError> {
        let (requests, received) = channel();
        let (sender, events) = channel();
        let (hold, holds) = channel();
        let worker = Worker {
            settings: settings.clone(),
            home: Arc::clone(home),
            spool: Spool::open(home)?,
            enrolment: None,
            server: None,
            known,
            hold,
            backoff: Backoff::new(settings.reconnect, settings.interval.max(settings.reconnect)),
            is_out: false,
            noticed: String::new(),
            last_note: String::new(),
            events: sender,
            wake,
        };
        let notices = requests.clone();
        let failed = |error: std::io::Error| AgentError::Setting(format!("no thread: {error}"));
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        thread("changes").spawn(move || wait_for_changes(&holds, &notices)).map_err(failed)?;
        thread("server").spawn(move || worker.run(&received)).map_err(failed)?;
        Ok(Self { requests, events })
    }

    /// The next event, if there is one.
    pub(super) fn event(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Delivers the reports that wait.
    pub(super) fn deliver(&self) {
        // The thread ends only together with the process.
        let _ = self.requests.send(Request::Deliver);
    }

    /// Asks for the graph.
    pub(super) fn refresh(&self) {
        let _ = self.requests.send(Request::Refresh);
    }
}

/// Waits until the code is no longer in the state of the last graph, or a user asks for a run, again
/// and again.
fn wait_for_changes(holds: &Receiver<Hold>, notices: &Sender<Request>) {
    while let Ok(mut current) = holds.recv() {
        let notice = loop {
            while let Ok(newer) = holds.try_recv() {
                current = newer;
            }
            match current.server.changed(&current.environment, &current.state) {
                Ok(ChangeNotice::Nothing) => {}
                Ok(ChangeNotice::Changed(state)) => break Some(Request::Changed(state)),
                Ok(ChangeNotice::Run(job)) => break Some(Request::Run(job)),
                Err(error) if error.is_outage() => break Some(Request::Lost(error.to_string())),
                // The server may not have this route: the interval remains.
                Err(_) => break None,
            }
        };
        if notice.is_some_and(|notice| notices.send(notice).is_err()) {
            return;
        }
    }
}

struct Worker {
    settings: Settings,
    home: Arc<Home>,
    spool: Spool,
    enrolment: Option<Enrolment>,
    server: Option<Arc<Server>>,
    known: Option<String>,
    hold: Sender<Hold>,
    backoff: Backoff,
    /// Whether the server did not answer the last time.
    is_out: bool,
    /// The state of the code in the last notice.
    noticed: String,
    last_note: String,
    events: Sender<Event>,
    wake: Wake,
}

impl Worker {
    fn run(mut self, requests: &Receiver<Request>) {
        let mut due = Instant::now() + jitter(self.settings.splay);
        loop {
            match requests.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Err(RecvTimeoutError::Timeout) | Ok(Request::Refresh) => {
                    due = Instant::now() + self.contact(true, None);
                }
                Ok(Request::Changed(state)) => {
                    self.noticed = state;
                    std::thread::sleep(jitter(SPREAD));
                    due = Instant::now() + self.contact(false, None);
                }
                Ok(Request::Run(job)) => {
                    due = Instant::now() + self.contact(true, Some(job));
                }
                Ok(Request::Lost(text)) => {
                    // All agents lose the server at once; they come back over the whole window.
                    self.note(text);
                    due = due.min(Instant::now() + self.backoff.next_delay());
                }
                Ok(Request::Deliver) if !self.is_out => {
                    if self.deliver().is_err() {
                        self.is_out = true;
                        due = due.min(Instant::now() + self.backoff.next_delay());
                    }
                }
                Ok(Request::Deliver) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Asks for the graph. Returns the time until the next request.
    fn contact(&mut self, checks_all: bool, job: Option<String>) -> Duration {
        match self.ask(checks_all, job) {
            Ok(()) => {
                if self.is_out || !self.last_note.is_empty() {
                    self.note("The server answers.".to_string());
                    self.last_note.clear();
                }
                self.is_out = false;
                let regular = self.backoff.succeed(self.settings.interval);
                match self.deliver() {
                    Ok(()) => regular,
                    Err(_) => self.backoff.next_delay(),
                }
            }
            Err(error) => {
                self.note(error.to_string());
                // The server answers, but the code has errors: their repair is a change.
                let is_in_code = matches!(error, AgentError::Refused { status: 500, .. });
                self.is_out = !is_in_code;
                if is_in_code {
                    let (environment, state) =
                        (self.settings.environment.clone(), self.noticed.clone());
                    self.hold(environment, state);
                }
                let delay = self.backoff.next_delay();
                match error {
                    AgentError::NotSigned => {
                        self.settings.wait_for_cert.unwrap_or(self.settings.interval)
                    }
                    AgentError::Refused { retry_after: Some(seconds), .. } => {
                        Duration::from_secs(seconds).min(self.settings.interval)
                    }
                    _ => delay,
                }
            }
        }
    }

    /// Asks for the graph. If the server has no other one, `checks_all` has all resources checked.
    /// The report of the result belongs to `job`.
    fn ask(&mut self, checks_all: bool, job: Option<String>) -> Result<(), AgentError> {
        let settings = &self.settings;
        if self.enrolment.is_none() {
            let (server, name) = (&settings.server, &settings.certname);
            let begun = Enrolment::begin(&self.home, server, name, &settings.trust)?;
            self.enrolment = Some(begun);
        }
        let Some(enrolment) = &self.enrolment else { return Ok(()) };
        let mut server = match enrolment.renewed()? {
            Some(server) => server,
            None => enrolment.server()?,
        };
        server.refresh_lists()?;
        let mut reporter = CollectingReporter::default();
        let facts = facts(&mut reporter, &settings.certname)
            .map_err(|_| AgentError::Setting("the facts cannot be collected".to_string()))?;
        let server = Arc::new(server);
        self.server = Some(Arc::clone(&server));
        let answer = server.graph(&settings.environment, &facts, self.known.as_deref())?;
        let head = match answer {
            Answer::Unchanged(head) => {
                if checks_all {
                    self.send(Event::Unchanged(job));
                }
                head
            }
            Answer::New(graph) => {
                let head = graph.head.clone();
                if is_pinned(settings, &head) {
                    let received = ReceivedGraph::complete(&self.home, Some(&server), graph)?;
                    self.known = Some(head.digest.clone());
                    self.send(Event::Graph(Box::new(received), job));
                } else {
                    let wanted = settings.revision.as_deref().unwrap_or_default();
                    let text = format!(
                        "the server has the revision {}, not the pinned {wanted}",
                        head.code_id
                    );
                    self.send(Event::Note(text));
                }
                head
            }
        };
        self.noticed.clone_from(&head.state);
        self.hold(head.environment, head.state);
        Ok(())
    }

    /// Has the other thread wait until the code is no longer in a state.
    fn hold(&self, environment: String, state: String) {
        if let Some(server) = self.server.clone() {
            // The thread ends only together with the process.
            let _ = self.hold.send(Hold { server, environment, state });
        }
    }

    fn deliver(&mut self) -> Result<(), AgentError> {
        let Some(server) = &self.server else { return Ok(()) };
        let mut notes = Vec::new();
        let result = deliver(&self.spool, server, &mut |text| notes.push(text));
        notes.into_iter().for_each(|text| self.send(Event::Note(text)));
        result
    }

    /// Logs a message, once.
    fn note(&mut self, text: String) {
        if self.last_note != text {
            self.last_note.clone_from(&text);
            self.send(Event::Note(text));
        }
    }

    fn send(&self, event: Event) {
        // The main thread is gone only when the process ends.
        let _ = self.events.send(event);
        (self.wake)();
    }
}
