//! Faults: one after the other, each for a while.

use super::SECOND;
use super::agent::INTERVAL;
use super::world::{Event, SERVERS, World};

/// The time for which all servers are away, once.
pub(super) const OUTAGE: i64 = 4 * INTERVAL;

/// The time until which a fault lasts, and its extent.
#[derive(Clone, Copy, Default)]
struct Span {
    end: i64,
    extent: i64,
}

impl Span {
    fn at(self, now: i64) -> Option<i64> {
        (now < self.end).then_some(self.extent)
    }
}

/// The faults that are under way.
pub(super) struct Faults {
    pub(super) count: u64,
    /// Whether clocks jump: then "newest" has no meaning between servers.
    has_clocks: bool,
    /// The largest difference of clocks so far.
    pub(super) skew: i64,
    drops: Span,
    doubles: Span,
    delays: Span,
    slow: Span,
    down: Span,
    lost_commits: Span,
    /// Agents whose number has this remainder by three cannot reach a server.
    cuts: Vec<(usize, usize, i64)>,
    /// All servers are down.
    outage: Span,
    has_had_outage: bool,
}

impl Faults {
    pub(super) fn new(seed: u64) -> Self {
        let none = Span::default();
        Self {
            count: 0,
            has_clocks: seed.is_multiple_of(2),
            skew: 0,
            drops: none,
            doubles: none,
            delays: none,
            slow: none,
            down: none,
            lost_commits: none,
            cuts: Vec::new(),
            outage: none,
            has_had_outage: false,
        }
    }

    /// The share of messages that are lost, in percent.
    pub(super) fn dropped(&self, now: i64) -> usize {
        self.drops.at(now).unwrap_or(0) as usize
    }

    /// The share of messages that arrive twice, in percent.
    pub(super) fn doubled(&self, now: i64) -> usize {
        self.doubles.at(now).unwrap_or(0) as usize
    }

    /// The longest time of a message on its way.
    pub(super) fn delay(&self, now: i64) -> i64 {
        self.delays.at(now).unwrap_or(SECOND / 20)
    }

    /// The time that the database takes.
    pub(super) fn write_delay(&self, now: i64) -> i64 {
        self.slow.at(now).unwrap_or(0)
    }

    /// The share of transactions whose outcome servers do not learn, in percent.
    pub(super) fn lost_commits(&self, now: i64) -> usize {
        self.lost_commits.at(now).unwrap_or(0) as usize
    }

    /// Whether the database is there and its disk is not full.
    pub(super) fn database_takes_writes(&self, now: i64) -> bool {
        self.down.at(now).is_none()
    }

    /// Whether all servers are down.
    pub(super) fn is_outage(&self, now: i64) -> bool {
        self.outage.at(now).is_some()
    }
}

impl World {
    /// Whether an agent cannot reach a server.
    pub(super) fn is_cut(&self, agent: usize, server: usize) -> bool {
        let is_hit = |(rest, cut, end): &(usize, usize, i64)| {
            *end > self.now && agent % 3 == *rest && server == *cut
        };
        self.faults.cuts.iter().any(is_hit)
    }

    /// A fault, and the next one later.
    pub(super) fn fault(&mut self) {
        let next = 30 * SECOND + self.below(600 * SECOND);
        self.after(next, Event::Fault);
        self.faults.count += 1;
        let time = 5 * SECOND + self.below(300 * SECOND);
        // All faults end with their time.
        let end = (self.now + time).min(self.end_of_faults());
        let server = self.random.below(SERVERS);
        let extent = |extent: i64| Span { end, extent };
        match self.random.below(13) {
            0 | 1 => {
                self.kill_server(server);
                self.after((end - self.now).max(1), Event::ServerStarts { server });
            }
            2 => self.faults.cuts.push((self.random.below(3), server, end)),
            3 => self.faults.drops = extent(10 + self.below(40)),
            4 => self.faults.doubles = extent(50),
            5 => self.faults.delays = extent(1 + self.below(40 * SECOND)),
            6 => self.faults.slow = extent(1 + self.below(20 * SECOND)),
            7 => self.faults.down = extent(1),
            8 => self.faults.lost_commits = extent(30),
            9 if self.faults.has_clocks => self.jump(server),
            10 => self.kill_worker(),
            11 => self.pause_worker(time),
            12 if !self.faults.has_had_outage => self.begin_outage(),
            // New code.
            _ => self.revision += 1,
        }
    }

    /// The clock of a server jumps by up to two minutes.
    fn jump(&mut self, server: usize) {
        self.servers[server].clock = self.below(240 * SECOND) - 120 * SECOND;
        let clocks = || self.servers.iter().map(|server| server.clock);
        let difference = clocks().max().unwrap() - clocks().min().unwrap();
        self.faults.skew = self.faults.skew.max(difference);
    }

    /// All servers are away for so long that each agent notices it.
    fn begin_outage(&mut self) {
        let end = self.now + OUTAGE;
        if end + 2 * INTERVAL > self.end_of_faults() {
            return;
        }
        self.faults.has_had_outage = true;
        self.faults.outage = Span { end, extent: 1 };
        self.checks.expect_return(end);
        for server in 0..SERVERS {
            self.kill_server(server);
            self.after(end - self.now, Event::ServerStarts { server });
        }
    }
}
