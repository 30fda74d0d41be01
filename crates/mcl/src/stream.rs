//! A program as a stream of graphs of resources.
//!
//! A [`Stream`] is a running program. Its driver, the engine or a test, gets the watches
//! ([`Stream::watches`]) and the time of the next timer ([`Stream::due`]), reports events
//! ([`Stream::happened`]), and gets the result ([`Stream::poll`]). Nothing here waits, starts a
//! thread, or reads another clock than that of the [`Environment`]:
//!
//! ```
//! use ordain_mcl::functions::environment::{Memory, Watch};
//! use ordain_mcl::session::{self, Input, Options};
//! use ordain_mcl::stream::{PollResult, Stream};
//!
//! let mut host = Memory::default();
//! host.world.files.insert("/x".into(), b"a".into());
//! let program = "import \"os\"\ntest os.readfile(\"/x\") {}\n";
//! let input = Input::Text("/main.mcl".into(), program.into());
//! let sources = ordain_source::SourceMap::new();
//! let checked = session::check(&host.world, &sources, &input, &Options::default()).unwrap();
//! let mut stream = Stream::new(checked.program, &host).unwrap();
//! let PollResult::Graph(graph) = stream.poll(&host).unwrap() else { panic!("the first graph is there") };
//! assert_eq!(graph.lines(), ["Vertex: test[a]"]);
//!
//! host.world.files.insert("/x".into(), b"b".into());
//! stream.happened(&Watch::File("/x".into()));
//! let PollResult::Graph(graph) = stream.poll(&host).unwrap() else { panic!("another graph") };
//! assert_eq!(graph.lines(), ["Vertex: test[b]"]);
//! assert!(matches!(stream.poll(&host), Ok(PollResult::Nothing)));
//! ```
//!
//! All events since the last poll make one wave, and a graph that equals the last one is not
//! returned. [`Stream::next_graph`] is the loop for callers that can wait; they provide a [`Wait`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use ordain_source::limits;

use crate::eval::NodeId;
use crate::failure::Failure;
use crate::functions::environment::{Environment, Watch};
use crate::graph::RunningProgram;
use crate::graph::meta;
use crate::graph::resource::Resources;
use crate::ir::Program;
use crate::session::STACK;

/// The result of a poll.
#[derive(Debug)]
pub enum PollResult {
    /// Different resources than before.
    Graph(Arc<Resources>),
    /// The resources did not change.
    Nothing,
    /// A value is missing that a watched event will provide.
    Incomplete,
}

/// Waits for events.
pub trait Wait {
    /// Waits for one of these events or until this time, whichever is first. Returns the events.
    /// Timers are not among the watches; `until` covers them.
    fn wait(&mut self, watches: &BTreeSet<Watch>, until: Option<SystemTime>) -> Vec<Watch>;

    /// The present environment of the program.
    fn environment(&self) -> &dyn Environment;
}

/// A program that runs.
pub struct Stream {
    running: RunningProgram,
    last: Option<Arc<Resources>>,
    /// The next calls of nodes with timers.
    timers: BTreeMap<(NodeId, Watch), SystemTime>,
    watches: BTreeSet<Watch>,
    watches_changed: bool,
}

impl Stream {
    /// Starts a program.
    ///
    /// # Errors
    /// When its graph of functions cannot be built.
    pub fn new(program: Arc<Program>, environment: &dyn Environment) -> Result<Self, Failure> {
        if let Some(failure) = meta::repeated(&program) {
            return Err(failure);
        }
        let running = limits::on_deep_stack(STACK, || RunningProgram::new(program, environment))?;
        Ok(Self {
            running,
            last: None,
            timers: BTreeMap::new(),
            watches: BTreeSet::new(),
            watches_changed: true,
        })
    }

    /// The result of all events since the last poll. Expired timers need not be reported.
    ///
    /// # Errors
    /// The error that ends the program, after which no graph follows. An error of the resources
    /// alone does not end it; [`Stream::is_over`] distinguishes them.
    pub fn poll(&mut self, environment: &dyn Environment) -> Result<PollResult, Vec<Failure>> {
        let now = environment.world().now();
        self.fire(now);
        let running = &mut self.running;
        let result = limits::on_deep_stack(STACK, || {
            running.run(environment).map_err(|failure| vec![failure])?;
            running.resources(environment)
        });
        self.arm(now);
        let Some(resources) = result? else { return Ok(PollResult::Incomplete) };
        if self.last.as_ref().is_some_and(|last| last.is_same(&resources)) {
            return Ok(PollResult::Nothing);
        }
        let resources = Arc::new(resources);
        self.last = Some(Arc::clone(&resources));
        Ok(PollResult::Graph(resources))
    }

    /// Reports an event. Returns whether the program waits for it.
    pub fn happened(&mut self, event: &Watch) -> bool {
        self.running.engine().wake(|watch| watch == event) > 0
    }

    /// The events that the program waits for besides the clock.
    pub fn watches(&self) -> &BTreeSet<Watch> {
        &self.watches
    }

    /// Whether they changed since the last call of this method.
    pub fn watches_changed(&mut self) -> bool {
        std::mem::take(&mut self.watches_changed)
    }

    /// The time of the next poll if no event occurs.
    pub fn due(&self) -> Option<SystemTime> {
        self.timers.values().min().copied()
    }

    /// The number of nodes of the graph of functions.
    pub fn size(&mut self) -> usize {
        self.running.engine().len()
    }

    /// Whether no further graph can follow, because an error ended the program, or it has no
    /// watches.
    pub fn is_over(&mut self) -> bool {
        let failed = self.running.engine().has_failed();
        failed || self.last.is_some() && self.watches.is_empty() && self.timers.is_empty()
    }

    /// Waits for the next graph, at most until this time. `None` if there was none, or none can
    /// follow.
    ///
    /// # Errors
    /// As of [`Stream::poll`].
    pub fn next_graph(
        &mut self,
        world: &mut dyn Wait,
        deadline: Option<SystemTime>,
    ) -> Result<Option<Arc<Resources>>, Vec<Failure>> {
        loop {
            if let PollResult::Graph(resources) = self.poll(world.environment())? {
                return Ok(Some(resources));
            }
            let now = world.environment().world().now();
            if self.is_over() || deadline.is_some_and(|deadline| now >= deadline) {
                return Ok(None);
            }
            let until = self.due().into_iter().chain(deadline).min();
            for event in world.wait(&self.watches, until) {
                self.happened(&event);
            }
        }
    }

    /// Calls the functions whose timers expired.
    fn fire(&mut self, now: SystemTime) {
        let ready: Vec<(NodeId, Watch)> = (self.timers.iter())
            .filter(|(_, due)| **due <= now)
            .map(|(timer, _)| timer.clone())
            .collect();
        for timer in ready {
            self.running.engine().notify(timer.0);
            self.timers.remove(&timer);
        }
    }

    /// Updates the watches and timers.
    fn arm(&mut self, now: SystemTime) {
        let engine = self.running.engine();
        // A timer that fired is armed again even if its node registers the same span as before.
        let changed = engine.watches_changed();
        let mut timers = BTreeMap::new();
        let mut watches = BTreeSet::new();
        for (node, watch) in engine.watches() {
            let due = match watch {
                Watch::Every(pause) => now.checked_add(*pause),
                Watch::At(time) => Some(*time),
                _ => {
                    if changed {
                        watches.insert(watch.clone());
                    }
                    continue;
                }
            };
            let timer = (node, watch.clone());
            let due = self.timers.get(&timer).copied().or(due);
            timers.extend(due.map(|due| (timer, due)));
        }
        self.timers = timers;
        if changed && watches != self.watches {
            self.watches = watches;
            self.watches_changed = true;
        }
    }
}
