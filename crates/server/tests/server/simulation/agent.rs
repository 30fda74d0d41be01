//! Agents: runs at intervals, reports that wait for a server, backoff.

use std::collections::VecDeque;
use std::time::Duration;

use ordain_agent::schedule::Backoff;

use super::SECOND;
use super::server::{Content, Message};
use super::world::{Event, SERVERS, World};

/// The time between runs.
pub(super) const INTERVAL: i64 = 1_800 * SECOND;
/// The window of the first delay after a failure.
pub(super) const RECONNECT: i64 = 60 * SECOND;
/// The time that an agent waits for a reply.
const PATIENCE: i64 = 30 * SECOND;

/// A report that waits for a server.
#[derive(Clone, Debug)]
pub(super) struct Spooled {
    pub(super) run: u64,
    pub(super) time: i64,
    pub(super) job: Option<i64>,
}

/// An agent.
pub(super) struct Agent {
    pub(super) name: String,
    /// The server that it asked last.
    pub(super) server: usize,
    /// The number of the run, which is in the facts, the catalog and the report.
    pub(super) run: u64,
    /// The revision that it applied last.
    pub(super) revision: u64,
    /// The end of its last complete run.
    pub(super) done: i64,
    backoff: Backoff,
    attempt: u64,
    turn: u64,
    /// The message that it waits for.
    open: Option<Content>,
    spool: VecDeque<Spooled>,
    /// The run of many nodes that told it to run.
    job: Option<i64>,
}

impl Agent {
    pub(super) fn new(number: usize) -> Self {
        let time = |micros: i64| Duration::from_micros(micros.unsigned_abs());
        Self {
            name: format!("node{number}.example.org"),
            server: number % SERVERS,
            run: 0,
            revision: 0,
            done: 0,
            backoff: Backoff::new(time(RECONNECT), time(INTERVAL)),
            attempt: 0,
            turn: 0,
            open: None,
            spool: VecDeque::new(),
            job: None,
        }
    }
}

impl World {
    pub(super) fn agent_wakes(&mut self, number: usize, turn: u64) {
        let agent = &mut self.agents[number];
        if agent.turn != turn || agent.open.is_some() {
            return;
        }
        agent.run += 1;
        let is_requested = agent.job.is_some();
        self.checks.note_begin(number, is_requested, self.now);
        self.checks.runs += 1;
        self.send(number, Content::Facts);
    }

    /// Sends a message to a server, and waits for the reply.
    fn send(&mut self, number: usize, content: Content) {
        let agent = &mut self.agents[number];
        agent.attempt += 1;
        let attempt = agent.attempt;
        agent.open = Some(content.clone());
        let message = Message { agent: number, attempt, run: agent.run, content };
        let server = self.agents[number].server;
        self.send_to_server(server, message);
        self.after(PATIENCE, Event::TimesOut { agent: number, attempt });
    }

    pub(super) fn replied(&mut self, number: usize, attempt: u64, is_accepted: bool) {
        let agent = &mut self.agents[number];
        if agent.attempt != attempt {
            return;
        }
        let Some(open) = agent.open.take() else { return };
        if !is_accepted {
            // It asks another server next time.
            agent.server = (agent.server + 1) % SERVERS;
            let share = self.share();
            let agent = &mut self.agents[number];
            let delay = agent.backoff.delay_at(share);
            self.wake(number, delay);
            return;
        }
        match open {
            Content::Facts => self.send(number, Content::Catalog),
            Content::Catalog => {
                let (run, time, revision) = (agent.run, self.now, self.revision);
                let job = agent.job.take();
                agent.revision = revision;
                agent.spool.push_back(Spooled { run, time, job });
                self.send_report(number);
            }
            Content::Report(_) => {
                agent.spool.pop_front();
                match agent.spool.is_empty() {
                    false => self.send_report(number),
                    true => self.run_ends(number),
                }
            }
        }
    }

    fn send_report(&mut self, number: usize) {
        let report = self.agents[number].spool[0].clone();
        self.send(number, Content::Report(report));
    }

    fn run_ends(&mut self, number: usize) {
        let share = self.share();
        let now = self.now;
        let agent = &mut self.agents[number];
        agent.done = now;
        let interval = Duration::from_micros(INTERVAL.unsigned_abs());
        let delay = agent.backoff.succeed_at(interval, share);
        // A request that came meanwhile has its turn at once.
        let delay = if agent.job.is_some() { Duration::ZERO } else { delay };
        self.wake(number, delay);
    }

    fn wake(&mut self, number: usize, delay: Duration) {
        let agent = &mut self.agents[number];
        agent.turn += 1;
        let turn = agent.turn;
        let delay = i64::try_from(delay.as_micros()).unwrap();
        self.after(delay, Event::AgentWakes { agent: number, turn });
    }

    /// A server tells an agent to run.
    pub(super) fn run_requested(&mut self, number: usize, run: i64) {
        let agent = &mut self.agents[number];
        agent.job = Some(run);
        if agent.open.is_none() {
            self.wake(number, Duration::ZERO);
        }
    }

    fn share(&mut self) -> f64 {
        self.random.below(1 << 30) as f64 / (1u64 << 30) as f64
    }
}
