//! A run of many nodes, and a job whose batches workers share.

use ordain_fleet_store::{
    FleetRunLimits, FleetRunSettings, FleetRunState, LeasedBatch, acquire_lease, add_batches,
    advance_fleet_job, batch_results, complete_batch, create_fleet_job, create_fleet_run,
    lease_batch, read, renew_batch, step_fleet_run, write,
};

use super::SECOND;
use super::world::{Event, SERVERS, World};

/// The number of workers.
const WORKERS: usize = 4;
/// The number of batches of a job.
const BATCHES: i64 = 60;
/// The time of a lease.
const LEASE: i64 = 30 * SECOND;
/// The time between renewals of a lease.
const RENEWAL: i64 = 10 * SECOND;
/// The time between steps of the coordinator.
const STEP: i64 = 10 * SECOND;
/// The leases of a batch. Faults are so frequent here that a few would not do.
const ATTEMPTS: i64 = 1_000;
/// The maximum number of nodes of a run at a time.
const AT_ONCE: i64 = 8;
const LIMITS: FleetRunLimits = FleetRunLimits { reach: 120 * SECOND, report: 900 * SECOND };

/// A worker.
#[derive(Default)]
struct Worker {
    life: u64,
    batch: Option<LeasedBatch>,
    /// The number of renewals until the batch is done.
    left: usize,
    paused_until: i64,
}

/// The open run of many nodes, the open job, and the workers.
#[derive(Default)]
pub(super) struct Work {
    run: Option<i64>,
    job: Option<i64>,
    workers: Vec<Worker>,
    /// The epoch and the holder of the coordinators' lease.
    epoch: (i64, usize),
}

impl World {
    pub(super) fn begin_work(&mut self) {
        self.work.workers = (0..WORKERS).map(|_| Worker::default()).collect();
        for worker in 0..WORKERS {
            self.after(SECOND, Event::WorkerWakes { worker, life: 0 });
        }
        self.after(STEP, Event::Coordinates);
    }

    /// One of two coordinators makes a step, if it has the lease.
    pub(super) fn coordinates(&mut self) {
        self.after(STEP, Event::Coordinates);
        if !self.faults.database_takes_writes(self.now) {
            return;
        }
        let holder = self.random.below(2);
        let (now, name) = (self.now, format!("coordinator{holder}"));
        let times = (now, now + LEASE);
        let epoch =
            write(&self.database, |c| acquire_lease(c, "coordinator", &name, times)).unwrap();
        let Some(epoch) = epoch else { return };
        let (before, last) = self.work.epoch;
        let is_right = if last == holder { epoch >= before } else { epoch > before };
        assert!(is_right, "seed {}: the epoch {epoch} of {name} follows {before}", self.seed);
        self.work.epoch = (epoch, holder);
        // Nobody asks for runs while agents come back: it would hide when they do on their own.
        if !self.checks.is_return(now) {
            self.step_run();
        }
        self.step_job();
        let agent = self.random.below(self.agents.len());
        self.check_node(agent);
    }

    fn step_run(&mut self) {
        let now = self.now;
        let Some(run) = self.work.run else {
            if now < self.end_of_faults() {
                let nodes = self.agents.iter().zip(0..);
                let nodes: Vec<_> = nodes.map(|(agent, at)| (agent.name.clone(), at < 2)).collect();
                let settings = FleetRunSettings {
                    actor: "root",
                    at_once: AT_ONCE,
                    stop_at: 100,
                    by_server: false,
                };
                let run = write(&self.database, |c| create_fleet_run(c, settings, &nodes, now));
                self.work.run = Some(run.unwrap());
            }
            return;
        };
        let step = write(&self.database, |c| step_fleet_run(c, run, LIMITS, now)).unwrap();
        let under_way = step.nodes.iter().filter(|node| node.state.is_under_way()).count() as i64;
        assert!(under_way <= AT_ONCE, "seed {}: {under_way} nodes of run {run} at once", self.seed);
        if step.run.state != FleetRunState::Running {
            self.checks.note_run_end();
            self.work.run = None;
        }
    }

    fn step_job(&mut self) {
        let now = self.now;
        let Some(job) = self.work.job else {
            if now < self.end_of_faults() {
                let inputs: Vec<_> = (0..BATCHES).map(|n| n.to_string().into_bytes()).collect();
                let job = write(&self.database, |c| {
                    let job = create_fleet_job(c, "root", "{}", now)?;
                    add_batches(c, job, 0, &inputs).map(|()| job)
                });
                self.work.job = Some(job.unwrap());
            }
            return;
        };
        let progress = write(&self.database, |c| advance_fleet_job(c, job, ATTEMPTS, now)).unwrap();
        let progress = progress.unwrap();
        assert_eq!(progress.failed, None, "seed {}", self.seed);
        if progress.done == BATCHES {
            let results =
                read(&self.database, None, |c| batch_results(c, job, 0, BATCHES)).unwrap();
            for (ordinal, result) in (0..BATCHES).zip(results) {
                self.check_result(job, ordinal, &result);
            }
            self.work.job = None;
        }
    }

    fn worker_clock(&self, worker: usize) -> i64 {
        self.now + self.servers[worker % SERVERS].clock
    }

    pub(super) fn worker_wakes(&mut self, number: usize, life: u64) {
        if self.work.workers[number].life != life {
            return;
        }
        let now = self.worker_clock(number);
        let (name, job) = (format!("worker{number}"), self.work.job);
        let job = job.filter(|_| self.faults.database_takes_writes(self.now));
        let batch = job.and_then(|job| {
            let lease = |c: &mut dyn ordain_fleet_store::Connection| {
                lease_batch(c, job, &name, ATTEMPTS, (now, now + LEASE))
            };
            write(&self.database, lease).unwrap()
        });
        let has_batch = batch.is_some();
        let left = self.random.below(8);
        let worker = &mut self.work.workers[number];
        (worker.batch, worker.left) = (batch, left);
        match has_batch {
            true => self.after(RENEWAL, Event::WorkerGoesOn { worker: number, life }),
            false => self.after(STEP, Event::WorkerWakes { worker: number, life }),
        }
    }

    pub(super) fn worker_goes_on(&mut self, number: usize, life: u64) {
        let now = self.worker_clock(number);
        let worker = &mut self.work.workers[number];
        if worker.life != life {
            return;
        }
        if worker.paused_until > self.now {
            let delay = worker.paused_until - self.now;
            self.after(delay, Event::WorkerGoesOn { worker: number, life });
            return;
        }
        let Some(batch) = worker.batch.clone() else { return };
        let is_last = worker.left == 0;
        worker.left = worker.left.saturating_sub(1);
        if !self.faults.database_takes_writes(self.now) {
            self.after(RENEWAL, Event::WorkerGoesOn { worker: number, life });
            return;
        }
        let is_held = match is_last {
            false => write(&self.database, |c| renew_batch(c, &batch, (now, now + LEASE))).unwrap(),
            true => {
                let result = format!("worker{number} {}", batch.epoch).into_bytes();
                let is_stored = write(&self.database, |c| complete_batch(c, &batch, &result, now));
                if is_stored.unwrap() {
                    self.note_result(batch.job, batch.ordinal, result);
                }
                false
            }
        };
        let event = match is_held {
            true => Event::WorkerGoesOn { worker: number, life },
            // The result is stored, or another worker has the batch.
            false => Event::WorkerWakes { worker: number, life },
        };
        self.after(if is_held { RENEWAL } else { SECOND }, event);
    }

    pub(super) fn kill_worker(&mut self) {
        let number = self.random.below(WORKERS);
        let worker = &mut self.work.workers[number];
        *worker = Worker { life: worker.life + 1, ..Worker::default() };
        let life = worker.life;
        let delay = SECOND + self.below(120 * SECOND);
        self.after(delay, Event::WorkerWakes { worker: number, life });
    }

    /// Stops a worker for a time that is mostly longer than its lease.
    pub(super) fn pause_worker(&mut self, time: i64) {
        let number = self.random.below(WORKERS);
        self.work.workers[number].paused_until = self.now + time;
    }

    /// Whether no run and no job is left.
    pub(super) fn is_work_done(&self) -> bool {
        self.work.run.is_none() && self.work.job.is_none()
    }
}
