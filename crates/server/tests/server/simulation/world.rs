//! The clock, the events, and the messages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ordain_fleet_store::Sqlite;
use ordain_puppetdb::sqlite_functions;
use ordain_testkit::random::Random;

use super::SECOND;
use super::agent::{Agent, INTERVAL};
use super::checks::Checks;
use super::faults::Faults;
use super::server::{Message, Server};
use super::work::Work;

/// When a fleet begins.
const BEGIN: i64 = 1_795_694_400 * SECOND;
/// The time with faults; then there is time to converge.
const LIFE: i64 = 16 * INTERVAL;
/// The time to converge: an agent waits at most for an interval after its last failure, then for another
/// one.
const REST: i64 = 3 * INTERVAL;
/// The number of agents.
pub(super) const AGENTS: usize = 60;
/// The number of servers.
pub(super) const SERVERS: usize = 3;

/// Something that happens at a time.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// An agent begins a run, unless it has another turn meanwhile.
    AgentWakes { agent: usize, turn: u64 },
    /// A message of an agent reaches a server.
    Arrives { server: usize, message: Message },
    /// A server writes everything that waits.
    Writes { server: usize, life: u64 },
    /// A reply reaches an agent.
    Replied { agent: usize, attempt: u64, is_accepted: bool },
    /// An agent has waited long enough for a reply.
    TimesOut { agent: usize, attempt: u64 },
    /// A server tells an agent to run.
    RunRequested { agent: usize, run: i64 },
    /// A killed server is there again.
    ServerStarts { server: usize },
    /// A server looks for requests to run.
    ServerLooks { server: usize, life: u64 },
    /// A worker looks for work.
    WorkerWakes { worker: usize, life: u64 },
    /// A worker renews its lease, or ends its batch.
    WorkerGoesOn { worker: usize, life: u64 },
    /// The process that coordinates a run of many nodes and a job of workers makes a step.
    Coordinates,
    /// The next fault.
    Fault,
}

/// A fleet.
pub(super) struct World {
    pub(super) seed: u64,
    pub(super) now: i64,
    pub(super) random: Random,
    pub(super) database: Sqlite,
    pub(super) agents: Vec<Agent>,
    pub(super) servers: Vec<Server>,
    pub(super) work: Work,
    pub(super) faults: Faults,
    pub(super) checks: Checks,
    /// The revision of the code, which grows.
    pub(super) revision: u64,
    events: BinaryHeap<Reverse<(i64, u64)>>,
    /// The events by their number.
    pending: std::collections::BTreeMap<u64, Event>,
    number: u64,
    // Deleted at the end.
    _directory: tempfile::TempDir,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        // Memory, where it can be had: commits wait for the disk otherwise.
        let memory = std::path::Path::new("/dev/shm");
        let directory = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
        let directory = tempfile::tempdir_in(directory).unwrap();
        let database = Sqlite::open(&directory.path().join("db"), 2, sqlite_functions()).unwrap();
        // Seeds beside each other would give similar numbers.
        let random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut world = Self {
            seed,
            now: BEGIN,
            random,
            database,
            agents: (0..AGENTS).map(Agent::new).collect(),
            servers: (0..SERVERS).map(|_| Server::default()).collect(),
            work: Work::default(),
            faults: Faults::new(seed),
            checks: Checks::default(),
            revision: 1,
            events: BinaryHeap::new(),
            pending: std::collections::BTreeMap::new(),
            number: 0,
            _directory: directory,
        };
        for agent in 0..AGENTS {
            let delay = world.below(INTERVAL);
            world.after(delay, Event::AgentWakes { agent, turn: 0 });
        }
        for server in 0..SERVERS {
            world.after(SECOND, Event::ServerLooks { server, life: 0 });
        }
        world.begin_work();
        world.after(60 * SECOND, Event::Fault);
        world
    }

    /// Lets all events happen, and checks the end. Returns the number of runs.
    pub(super) fn live(&mut self) -> u64 {
        let end = BEGIN + LIFE + REST;
        while let Some(Reverse((time, number))) = self.events.pop() {
            if time > end {
                break;
            }
            self.now = time;
            let event = self.pending.remove(&number).unwrap();
            self.happen(event);
        }
        self.now = end;
        self.check_end();
        self.checks.runs
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::AgentWakes { agent, turn } => self.agent_wakes(agent, turn),
            Event::Arrives { server, message } => self.arrives(server, message),
            Event::Writes { server, life } => self.writes(server, life),
            Event::Replied { agent, attempt, is_accepted } => {
                self.replied(agent, attempt, is_accepted);
            }
            Event::TimesOut { agent, attempt } => self.replied(agent, attempt, false),
            Event::RunRequested { agent, run } => self.run_requested(agent, run),
            Event::ServerStarts { server } => self.server_starts(server),
            Event::ServerLooks { server, life } => self.server_looks(server, life),
            Event::WorkerWakes { worker, life } => self.worker_wakes(worker, life),
            Event::WorkerGoesOn { worker, life } => self.worker_goes_on(worker, life),
            Event::Coordinates => self.coordinates(),
            Event::Fault => {
                if self.now < BEGIN + LIFE {
                    self.fault();
                }
            }
        }
    }

    /// Has an event happen after a time.
    pub(super) fn after(&mut self, delay: i64, event: Event) {
        self.number += 1;
        self.events.push(Reverse((self.now + delay, self.number)));
        self.pending.insert(self.number, event);
    }

    /// A random time below a bound.
    pub(super) fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.random.below(usize::try_from(bound.max(1)).unwrap())).unwrap()
    }

    /// Whether something happens that has a probability in percent.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// When the faults are over.
    pub(super) fn end_of_faults(&self) -> i64 {
        BEGIN + LIFE
    }

    /// A line about a life.
    pub(super) fn summary(&self) -> String {
        let checks = &self.checks;
        format!(
            "{} runs, {} messages, {} acknowledged, {} faults, {} batches, {} requests to run",
            checks.runs,
            checks.messages,
            checks.acknowledged,
            self.faults.count,
            checks.results.len(),
            checks.deliveries.len(),
        )
    }
}
