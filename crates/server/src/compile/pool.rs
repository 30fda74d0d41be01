//! A bounded pool of threads with the stack that deep recursion needs.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use ordain_puppet::eval::STACK_SIZE;
use tokio::sync::oneshot;

/// The lowest priority.
const NICENESS: i32 = 19;

type Job = Box<dyn FnOnce() + Send>;

/// The pool.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// The maximum number of jobs that wait.
    max_waiting: usize,
    running: AtomicUsize,
    /// Whether all other work comes first.
    is_background: bool,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    has_ended: bool,
}

/// The reason why a job has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// Too many jobs wait already.
    Full,
    /// The job has panicked, or the pool has ended.
    Failed,
}

impl Pool {
    /// Starts threads. `is_background`: they get the time that nothing else needs.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub(crate) fn start(
        threads: usize,
        max_waiting: usize,
        is_background: bool,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            wake: Condvar::new(),
            max_waiting,
            running: AtomicUsize::new(0),
            is_background,
        });
        let start = |_| {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("compile".into()).stack_size(STACK_SIZE);
            thread.spawn(move || shared.work())
        };
        let threads = (0..threads.max(1)).map(start).collect::<Result<_, _>>()?;
        Ok(Self { shared, threads })
    }

    /// Runs a job. It is skipped if nobody waits for its result any more when its turn comes.
    ///
    /// # Errors
    /// When the queue is full, or the job panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let (sender, receiver) = oneshot::channel();
        let job = move || {
            if !sender.is_closed() {
                // The receiver may have gone away during the job.
                let _ = sender.send(job());
            }
        };
        self.push(Box::new(job))?;
        receiver.await.map_err(|_| Refused::Failed)
    }

    fn push(&self, job: Job) -> Result<(), Refused> {
        let mut queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.has_ended {
            return Err(Refused::Failed);
        }
        if queue.jobs.len() >= self.shared.max_waiting {
            return Err(Refused::Full);
        }
        queue.jobs.push_back(job);
        drop(queue);
        self.shared.wake.notify_one();
        Ok(())
    }

    /// The number of jobs that wait, and of those that run.
    pub(crate) fn load(&self) -> (usize, usize) {
        let queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        (queue.jobs.len(), self.shared.running.load(Ordering::Relaxed))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
        self.shared.wake.notify_all();
        // The last job may own the server, and so drop the pool on its own thread.
        let own = std::thread::current().id();
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != own) {
            // A thread catches the panics of its jobs.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn work(&self) {
        if self.is_background {
            // On Linux this is the priority of this thread alone. Without it compiles only take time
            // from requests.
            let _ = rustix::process::setpriority_process(None, NICENESS);
        }
        while let Some(job) = self.next() {
            self.running.fetch_add(1, Ordering::Relaxed);
            // A panic is a bug, but it must not take the thread away from the other nodes.
            let _ = catch_unwind(AssertUnwindSafe(job));
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The next job, or `None` when the pool has ended and all jobs are done.
    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            if queue.has_ended {
                return None;
            }
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn a_full_queue_refuses_and_a_panic_fails_one_job() {
        let pool = Pool::start(1, 1, false).unwrap();
        let (begun, has_begun) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        pool.push(Box::new(move || {
            begun.send(()).unwrap();
            let _ = released.recv();
        }))
        .unwrap();
        has_begun.recv().unwrap();
        pool.push(Box::new(|| {})).unwrap();
        assert_eq!(pool.load(), (1, 1));
        assert_eq!(runtime().block_on(pool.run(|| 1)), Err(Refused::Full));
        release.send(()).unwrap();
        while pool.load() != (0, 0) {
            std::thread::yield_now();
        }
        let failed = runtime().block_on(pool.run(|| panic!("a test")));
        assert_eq!(failed.map(|(): ()| ()), Err(Refused::Failed));
        assert_eq!(runtime().block_on(pool.run(|| 2)), Ok(2));
    }
}
