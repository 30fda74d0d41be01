//! The threads that check resources.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_graph::ResourceId;

use super::scheduler::{DueVertex, Outcome};
use super::vertex::VertexId;
use crate::kind::Action;
use crate::kind::report::{ResourceReport, Status};
use crate::run::observer::Observer;
use crate::run::prepare::Prepared;
use crate::run::step::Mode;
use crate::run::step::{Events, StepResult, Stepper};
use crate::run::transfer::Transfers;
use crate::system::host::Host;
use crate::system::watch::Wake;

/// Resources to check, as a batch if there are several.
pub(super) struct Job {
    pub(super) prepared: Arc<Prepared>,
    pub(super) due: Vec<(DueVertex, ResourceId)>,
}

/// A resource that was checked.
pub(super) struct CheckResult {
    pub(super) vertex: VertexId,
    pub(super) outcome: Outcome,
    pub(super) reports: Vec<ResourceReport>,
}

/// The context that all workers share.
pub(super) struct WorkerContext {
    pub(super) host: Arc<Host>,
    pub(super) observer: Arc<dyn Observer + Send + Sync>,
    pub(super) wake: Wake,
    /// The values that resources send to others.
    pub(super) transfers: Transfers,
}

/// Worker threads. They end when this is dropped, each after its current job.
pub(super) struct Workers {
    jobs: Sender<Job>,
    done: Receiver<CheckResult>,
}

impl Workers {
    /// Starts the threads.
    pub(super) fn start(count: usize, workshop: WorkerContext) -> io::Result<Self> {
        let (jobs, waiting) = channel();
        let (sender, done) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let workshop = Arc::new(workshop);
        for i in 0..count.max(1) {
            let (waiting, sender) = (Arc::clone(&waiting), sender.clone());
            let workshop = Arc::clone(&workshop);
            let name = format!("worker {i}");
            let work = move || work(&workshop, &waiting, &sender);
            std::thread::Builder::new().name(name).spawn(work)?;
        }
        Ok(Self { jobs, done })
    }

    pub(super) fn give(&self, job: Job) {
        // The threads live as long as the channel.
        let _ = self.jobs.send(job);
    }

    /// The results once the threads have ended.
    pub(super) fn end(self) -> Vec<CheckResult> {
        drop(self.jobs);
        self.done.iter().collect()
    }

    /// The results by now.
    pub(super) fn take(&self) -> impl Iterator<Item = CheckResult> + '_ {
        self.done.try_iter()
    }
}

fn work(workshop: &WorkerContext, waiting: &Mutex<Receiver<Job>>, done: &Sender<CheckResult>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let stepper = Stepper {
            prepared: &job.prepared,
            host: &workshop.host,
            observer: &*workshop.observer,
            mode: Mode::Apply,
            transfers: &workshop.transfers,
            tries_again: false,
        };
        let incoming = |due: &DueVertex| Events { real: usize::from(due.refresh), noop: 0 };
        let members: Vec<_> = job.due.iter().map(|(due, id)| (*id, incoming(due))).collect();
        let stepped = stepper.run_batch(&members);
        // An old graph is dropped here, where nobody waits for it.
        drop(job.prepared);
        let mut is_heard = true;
        for ((due, _), stepped) in job.due.iter().zip(stepped) {
            let outcome = outcome(&stepped);
            let reports = stepped.reports;
            is_heard &= done.send(CheckResult { vertex: due.vertex, outcome, reports }).is_ok();
        }
        (workshop.wake)();
        if !is_heard {
            return;
        }
    }
}

fn outcome(stepped: &StepResult) -> Outcome {
    let would = |report: &ResourceReport| report.status == Status::WouldChange;
    if stepped.failed {
        Outcome::Failed
    } else if stepped.events.real > 0 {
        let mut changes = stepped.reports.iter().flat_map(|report| &report.changes).peekable();
        let runs = changes.peek().is_some() && changes.all(|change| change.action == Action::Run);
        if runs { Outcome::Ran } else { Outcome::Changed }
    } else if stepped.reports.iter().any(would) {
        Outcome::WouldChange
    } else {
        Outcome::InPlace
    }
}
