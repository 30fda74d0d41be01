//! The checks: what clients were told is compared with what the store has.

use std::collections::{BTreeMap, BTreeSet};

use ordain_fleet_store::{Value, read};

use super::agent::INTERVAL;
use super::faults::OUTAGE;
use super::server::{Content, Message};
use super::world::World;

/// Facts or a catalog of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Latest {
    Facts,
    Catalog,
}

impl Latest {
    fn of(message: &Message) -> Option<Self> {
        match message.content {
            Content::Facts => Some(Self::Facts),
            Content::Catalog => Some(Self::Catalog),
            Content::Report(_) => None,
        }
    }
}

/// Everything that happened.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) runs: u64,
    pub(super) messages: u64,
    pub(super) acknowledged: u64,
    /// The nodes that were told to run, by run.
    pub(super) deliveries: BTreeSet<(i64, usize)>,
    /// The results of batches.
    pub(super) results: BTreeMap<(i64, i64), Vec<u8>>,
    runs_of_many: u64,
    /// When the facts or the catalog of a run last arrived at a server.
    arrivals: BTreeMap<(usize, Latest, u64), i64>,
    /// The acknowledged facts and catalogs that arrived last.
    newest: BTreeMap<(usize, Latest), i64>,
    /// The acknowledged reports.
    reports: BTreeSet<(usize, u64)>,
    /// The end of an outage, and when each agent came back after it on its own.
    outage_end: Option<i64>,
    returns: BTreeMap<usize, Option<i64>>,
}

impl Checks {
    pub(super) fn note_arrival(&mut self, message: &Message, now: i64) {
        if let Some(newest) = Latest::of(message) {
            self.arrivals.insert((message.agent, newest, message.run), now);
        }
    }

    pub(super) fn note_acknowledged(&mut self, message: &Message, arrived: i64) {
        self.acknowledged += 1;
        match (Latest::of(message), &message.content) {
            (Some(newest), _) => {
                let last = self.newest.entry((message.agent, newest)).or_default();
                *last = (*last).max(arrived);
            }
            (None, Content::Report(report)) => {
                self.reports.insert((message.agent, report.run));
            }
            (None, _) => {}
        }
    }

    /// Agents should come back after this time, spread over an interval.
    pub(super) fn expect_return(&mut self, end: i64) {
        self.outage_end = Some(end);
    }

    /// Whether all servers are away, or agents come back after that.
    pub(super) fn is_return(&self, now: i64) -> bool {
        self.outage_end.is_some_and(|end| (end - OUTAGE..end + INTERVAL).contains(&now))
    }

    /// An agent begins a run, perhaps because a user wants it.
    pub(super) fn note_begin(&mut self, agent: usize, is_requested: bool, now: i64) {
        if self.outage_end.is_some_and(|end| now >= end) {
            self.returns.entry(agent).or_insert((!is_requested).then_some(now));
        }
    }

    pub(super) fn note_delivery(&mut self, agent: usize, run: i64) {
        assert!(
            self.deliveries.insert((run, agent)),
            "run {run} is delivered to agent {agent} twice"
        );
    }

    pub(super) fn note_run_end(&mut self) {
        self.runs_of_many += 1;
    }
}

impl World {
    pub(super) fn note_result(&mut self, job: i64, ordinal: i64, result: Vec<u8>) {
        let before = self.checks.results.insert((job, ordinal), result);
        assert_eq!(
            before, None,
            "seed {}: batch {ordinal} of job {job} has two results",
            self.seed
        );
    }

    pub(super) fn check_result(&self, job: i64, ordinal: i64, stored: &[u8]) {
        let known = self.checks.results.get(&(job, ordinal)).map(Vec::as_slice);
        assert_eq!(known, Some(stored), "seed {}: batch {ordinal} of job {job}", self.seed);
    }

    /// Nothing that a server acknowledged may be older than what the store has.
    pub(super) fn check_node(&self, agent: usize) {
        let name = Value::from(self.agents[agent].name.as_str());
        let json = "json_extract(f.facts, '$.run')";
        for (newest, sql) in [
            (Latest::Facts, format!("SELECT CAST({json} AS TEXT) FROM factsets f JOIN certnames n ON n.id = f.certname_id WHERE n.certname = $1")),
            (Latest::Catalog, "SELECT c.catalog_version FROM catalogs c JOIN certnames n ON n.id = c.certname_id WHERE n.certname = $1".to_owned()),
        ] {
            let Some(acknowledged) = self.checks.newest.get(&(agent, newest)) else { continue };
            let stored = read(&self.database, None, |c| c.value(&sql, std::slice::from_ref(&name)));
            let stored = stored.unwrap().map(|value| value.text().unwrap().parse::<u64>().unwrap());
            let arrival = stored.and_then(|run| self.checks.arrivals.get(&(agent, newest, run)));
            let arrival = arrival.copied().unwrap_or(0);
            assert!(
                arrival >= acknowledged - self.faults.skew,
                "seed {}: the {newest:?} of agent {agent} are of run {stored:?}, which arrived at {arrival}; \
                 newer ones were acknowledged, which arrived at {acknowledged}",
                self.seed
            );
        }
    }

    pub(super) fn check_end(&self) {
        let seed = self.seed;
        for (number, agent) in self.agents.iter().enumerate() {
            self.check_node(number);
            let is_done = agent.done > self.end_of_faults() && agent.revision == self.revision;
            assert!(
                is_done,
                "seed {seed}: agent {number} does not converge: {} {}",
                agent.done, agent.revision
            );
        }
        assert!(self.is_work_done(), "seed {seed}: a run or a job does not end");
        self.check_reports();
        self.check_return();
    }

    /// Each acknowledged report is there once; one whose reply was lost, too.
    fn check_reports(&self) {
        let sql = "SELECT n.certname, r.configuration_version, count(*) FROM reports r
                   JOIN certnames n ON n.id = r.certname_id GROUP BY n.certname, r.configuration_version";
        let mut stored = BTreeMap::new();
        for row in read(&self.database, None, |c| c.rows(sql, &[])).unwrap() {
            let key = (row[0].text().unwrap().to_owned(), row[1].text().unwrap().to_owned());
            stored.insert(key, row[2].integer().unwrap());
        }
        for (key, count) in &stored {
            assert_eq!(*count, 1, "seed {}: the report {key:?} is stored {count} times", self.seed);
        }
        for (agent, run) in &self.checks.reports {
            let key = (self.agents[*agent].name.clone(), run.to_string());
            assert!(stored.contains_key(&key), "seed {}: the report {key:?} is lost", self.seed);
        }
    }

    /// The fullest tenth of the window after an outage has at most three times the mean. A few more are
    /// allowed, as the agents are few.
    fn check_return(&self) {
        let Some(end) = self.checks.outage_end else { return };
        let mut parts = [0usize; 10];
        for time in self.checks.returns.values().flatten() {
            let part = usize::try_from((time - end) * 10 / INTERVAL).unwrap();
            assert!(part < parts.len(), "seed {}: an agent comes back late", self.seed);
            parts[part] += 1;
        }
        let (most, all) = (parts.iter().max().unwrap(), parts.iter().sum::<usize>());
        let limit = all * 3 / 10 + 6;
        assert!(*most <= limit, "seed {}: after an outage {parts:?} agents come back", self.seed);
    }
}
