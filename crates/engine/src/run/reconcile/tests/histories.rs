//! Random histories of events, after which every resource has to be in its desired state.

use super::*;

/// An event at a moment of a history.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum HistoryEvent {
    Armed(VertexId),
    Event(VertexId),
    /// The end of a check, with whether the resource differed at its start, and whether the check
    /// fails.
    Done(VertexId, bool, bool),
    /// Someone changes the state of a resource.
    Damage(usize),
    Swap,
}

struct History {
    dice: RandomNumbers,
    scheduler: Scheduler,
    agenda: BTreeSet<(u64, u64, HistoryEvent)>,
    serial: u64,
    graph: SchedulerGraph,
    /// By the number in the name: whether the state is right.
    right: BTreeMap<usize, bool>,
    running: BTreeMap<VertexId, usize>,
    /// The running checks that act on a notification.
    acting: BTreeSet<VertexId>,
    watched: BTreeSet<VertexId>,
    armed: BTreeSet<VertexId>,
    /// Receivers of changes that were not notified yet.
    untold: BTreeSet<usize>,
    /// The number of checks that began in each interval of the sweep.
    checks: BTreeMap<u64, usize>,
}

/// The interval at which everything is checked.
const SWEEP_INTERVAL: u64 = 10_000;

impl History {
    fn new(seed: u64) -> Self {
        let mut dice = RandomNumbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let tuning = SchedulerOptions {
            jobs: 1 + dice.below(4) as usize,
            sweep: Some(SWEEP_INTERVAL),
            // Damage is more frequent here than in real flapping.
            flap_changes: 1000,
            ..SchedulerOptions::default()
        };
        let mut history = Self {
            dice,
            scheduler: Scheduler::new(tuning, 0),
            agenda: BTreeSet::new(),
            serial: 0,
            graph: SchedulerGraph::default(),
            right: BTreeMap::new(),
            running: BTreeMap::new(),
            acting: BTreeSet::new(),
            watched: BTreeSet::new(),
            armed: BTreeSet::new(),
            untold: BTreeSet::new(),
            checks: BTreeMap::new(),
        };
        history.next_graph();
        history
    }

    fn at(&mut self, when: u64, what: HistoryEvent) {
        self.serial += 1;
        self.agenda.insert((when, self.serial, what));
    }

    /// Another graph: mostly some of the names, some of them changed, with other edges; else the same
    /// but for some that changed.
    fn next_graph(&mut self) {
        if !self.graph.vertices.is_empty() && self.dice.chance(40) {
            self.next_alike();
            return;
        }
        let mut graph = SchedulerGraph::default();
        for i in 0..12 {
            if self.dice.chance(70) {
                let mut vertex = vertex(i);
                vertex.digest = self.dice.below(3);
                vertex.settings.retry = None;
                vertex.settings.delay = self.dice.below(50);
                if self.dice.chance(20) {
                    vertex.settings.semaphores = vec![("one".into(), 1)];
                } else if self.dice.chance(50) {
                    vertex.settings.group = Some("group");
                }
                graph.vertices.push(vertex);
            }
        }
        let count = graph.vertices.len() as u64;
        for to in 1..count {
            for from in 0..to {
                if self.dice.chance(15) {
                    let notify = self.dice.chance(50);
                    graph.edges.push(Edge { from: from as u32, to: to as u32, notify });
                }
            }
        }
        self.graph = graph.clone();
        self.untold.clear();
        self.scheduler.swap(graph).unwrap();
    }

    fn next_alike(&mut self) {
        let mut changed = Vec::new();
        for (place, vertex) in self.graph.vertices.iter_mut().enumerate() {
            if self.dice.chance(20) {
                vertex.digest = self.dice.below(3);
                vertex.settings.delay = self.dice.below(50);
                changed.push((place as u32, vertex.clone()));
            }
        }
        self.untold.clear();
        if self.scheduler.exchange(&changed).is_none() {
            self.scheduler.swap(self.graph.clone()).unwrap();
        }
    }

    fn number(&self, id: VertexId) -> usize {
        self.scheduler.name(id).unwrap().title[1..].parse().unwrap()
    }

    fn obey(&mut self, now: u64) {
        for order in self.scheduler.orders(now) {
            match order {
                Order::Watch(id) => {
                    self.watched.insert(id);
                    let leaving = self.running.keys().any(|id| !self.watched.contains(id));
                    assert!(!leaving, "something begins while something that leaves is worked on");
                    let after = self.dice.below(30);
                    self.at(now + after, HistoryEvent::Armed(id));
                }
                Order::Unwatch(id) => {
                    assert!(self.watched.remove(&id));
                    self.armed.remove(&id);
                }
                Order::Check(due) => {
                    due.into_iter().for_each(|due| self.begin(now, due.vertex, due.refresh));
                }
            }
        }
    }

    fn begin(&mut self, now: u64, id: VertexId, refresh: bool) {
        let number = self.number(id);
        assert!(self.armed.contains(&id), "checked before its watch is armed");
        assert!(!self.running.values().any(|n| *n == number), "checked twice at a time");
        for ancestor in self.ancestors(number) {
            assert!(!self.running.values().any(|n| *n == ancestor), "checked beside {ancestor}");
        }
        *self.checks.entry(now / SWEEP_INTERVAL).or_default() += 1;
        self.running.insert(id, number);
        if refresh {
            self.acting.insert(id);
        }
        let wrong = !self.right.get(&number).copied().unwrap_or(false);
        let (takes, fails) = (self.dice.below(40), self.dice.chance(10));
        self.at(now + takes, HistoryEvent::Done(id, wrong, fails));
    }

    fn ancestors(&self, number: usize) -> BTreeSet<usize> {
        let of = |place: u32| -> usize {
            self.graph.vertices[place as usize].name.title[1..].parse().unwrap()
        };
        let mut out = BTreeSet::new();
        let mut rest = vec![number];
        while let Some(at) = rest.pop() {
            for edge in self.graph.edges.iter().filter(|edge| of(edge.to) == at) {
                if out.insert(of(edge.from)) {
                    rest.push(of(edge.from));
                }
            }
        }
        out
    }

    /// An event for the watch of a resource. Three of ten are lost, three of ten of the others come
    /// twice, and three of ten come late, behind others that happened after them.
    fn event(&mut self, now: u64, number: usize) {
        let Some(id) = self.scheduler.find(&name(number)) else { return };
        if !self.armed.contains(&id) {
            return;
        }
        if self.dice.chance(30) {
            return;
        }
        let copies = if self.dice.chance(30) { 2 } else { 1 };
        for _ in 0..copies {
            let late = if self.dice.chance(30) { 1 + self.dice.below(220) } else { 0 };
            self.at(now + late, HistoryEvent::Event(id));
        }
    }

    fn happen(&mut self, now: u64, what: HistoryEvent) {
        match what {
            HistoryEvent::Armed(id) => {
                if self.watched.contains(&id) {
                    self.armed.insert(id);
                    self.scheduler.armed(id);
                }
            }
            HistoryEvent::Event(id) => self.scheduler.touched(id),
            HistoryEvent::Damage(number) => {
                self.right.insert(number, false);
                self.event(now, number);
            }
            HistoryEvent::Swap => self.next_graph(),
            HistoryEvent::Done(id, wrong, fails) => {
                let number = self.running.remove(&id).unwrap();
                if self.acting.remove(&id) && !fails {
                    self.untold.remove(&number);
                }
                let outcome = match (fails, wrong) {
                    (true, _) => Outcome::Failed,
                    (false, false) => Outcome::InPlace,
                    (false, true) => Outcome::Changed,
                };
                if outcome == Outcome::Changed {
                    self.right.insert(number, true);
                    self.event(now, number);
                    if self.watched.contains(&id) {
                        self.deliver(number);
                    }
                }
                self.scheduler.finished(id, outcome);
            }
        }
    }

    /// Notifies the resources that have an edge from a changed one.
    fn deliver(&mut self, number: usize) {
        let is =
            |place: u32, number: usize| self.graph.vertices[place as usize].name == name(number);
        let told = self.graph.edges.iter().filter(|e| e.notify && is(e.from, number));
        let told: Vec<usize> = told
            .map(|e| self.graph.vertices[e.to as usize].name.title[1..].parse().unwrap())
            .collect();
        self.untold.extend(told);
    }

    fn play(mut self) {
        let end = 3_000;
        for _ in 0..30 {
            let (when, number) = (self.dice.below(end), self.dice.below(12) as usize);
            self.at(when, HistoryEvent::Damage(number));
        }
        for _ in 0..self.dice.below(4) {
            let when = self.dice.below(end);
            self.at(when, HistoryEvent::Swap);
        }
        let mut now = 0;
        self.obey(now);
        // Long enough for everything to be looked at again after the last change.
        while now < end + 3 * SWEEP_INTERVAL {
            let agenda = self.agenda.first().map(|(at, ..)| *at);
            let wake = self.scheduler.wakes_at();
            let Some(next) = [agenda, wake].into_iter().flatten().min() else { break };
            now = next.max(now);
            while let Some(first) = self.agenda.first().copied().filter(|(at, ..)| *at <= now) {
                self.agenda.remove(&first);
                self.happen(now, first.2);
            }
            self.obey(now);
        }
        for vertex in &self.graph.vertices {
            let number: usize = vertex.name.title[1..].parse().unwrap();
            assert!(self.right.get(&number).copied().unwrap_or(false), "{number} is not right");
        }
        assert!(self.untold.is_empty(), "nobody told {:?}", self.untold);
        // It settles: one check of everything, and some retries.
        let last = self
            .checks
            .get(&((end + 2 * SWEEP_INTERVAL) / SWEEP_INTERVAL))
            .copied()
            .unwrap_or_default();
        let most = 4 * self.graph.vertices.len() + 8;
        assert!(last <= most, "{last} checks of {} after all was right", self.graph.vertices.len());
    }
}

#[test]
fn every_history_ends_well() {
    for seed in 1..=1_000 {
        let played = std::panic::catch_unwind(|| History::new(seed).play());
        assert!(played.is_ok(), "the history of seed {seed}");
    }
}
