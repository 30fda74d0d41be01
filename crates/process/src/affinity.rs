//! Pins two processes that wait for each other to one processor.
//!
//! The scheduler moves a process that wakes up to an idle processor. For calls of some microseconds
//! the move takes longer than the call.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The number of messages after which the scheduler chooses a processor again.
const MESSAGES_PER_MIGRATION: u32 = 512;

/// The processors with pairs of this process.
static PINNED_PROCESSORS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

thread_local! {
    /// The original processors of a thread that is pinned at present.
    static ALL: Cell<Option<CpuSet>> = const { Cell::new(None) };
}

/// Gives a child that this thread has just started all processors, in case it inherited a pinned
/// one.
pub(crate) fn spread(child: u32) {
    let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
    if let (Some(all), Some(pid)) = (ALL.get(), pid) {
        // It may have ended; staying on that processor does no harm.
        let _ = sched_setaffinity(Some(pid), &all);
    }
}

/// A thread of this process and another process, pinned to one processor until this is dropped.
#[derive(Debug)]
pub(crate) struct SharedProcessor {
    thread: Pid,
    other: Pid,
    /// The processors that the thread had before.
    all: CpuSet,
    /// The common processor; `None` while the scheduler chooses.
    processor: Option<usize>,
    messages: u32,
}

impl SharedProcessor {
    /// Pins this thread and another process to the thread's current processor. `None` if the system
    /// does not allow it, or another pair has the processor.
    pub(crate) fn new(other: u32) -> Option<Self> {
        let other = Pid::from_raw(i32::try_from(other).ok()?)?;
        let all = sched_getaffinity(None).ok()?;
        if all.count() < 2 {
            return None;
        }
        let mut shared = Self { thread: gettid(), other, all, processor: None, messages: 0 };
        shared.settle().then_some(shared)
    }

    /// Must be called before each message of the thread: from time to time the scheduler chooses
    /// again, because the processor may be busy.
    pub(crate) fn count_message(&mut self) {
        self.messages += 1;
        if self.messages == MESSAGES_PER_MIGRATION {
            self.free();
        } else if self.messages > MESSAGES_PER_MIGRATION {
            self.messages = 0;
            self.settle();
        }
    }

    /// Pins both to the thread's current processor.
    fn settle(&mut self) -> bool {
        let processor = sched_getcpu();
        let mut taken = PINNED_PROCESSORS.lock().unwrap_or_else(PoisonError::into_inner);
        if processor >= CpuSet::MAX_CPU || !taken.insert(processor) {
            return false;
        }
        drop(taken);
        self.processor = Some(processor);
        ALL.set(Some(self.all));
        let mut one = CpuSet::new();
        one.set(processor);
        let is_set = self.set(&one);
        if !is_set {
            self.free();
        }
        is_set
    }

    /// Lets both have all processors again.
    fn free(&mut self) {
        if let Some(processor) = self.processor.take() {
            self.set(&self.all);
            ALL.set(None);
            PINNED_PROCESSORS.lock().unwrap_or_else(PoisonError::into_inner).remove(&processor);
        }
    }

    fn set(&self, processors: &CpuSet) -> bool {
        let both = [self.thread, self.other];
        // The other process may have ended.
        both.map(|one| sched_setaffinity(Some(one), processors).is_ok()) == [true, true]
    }
}

impl Drop for SharedProcessor {
    fn drop(&mut self) {
        self.free();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn processors(of: Option<Pid>) -> CpuSet {
        sched_getaffinity(of).unwrap()
    }

    #[test]
    fn both_are_on_one_processor_until_it_is_dropped() {
        let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let before = processors(None);
        let shared = SharedProcessor::new(child.id());
        if let Some(mut shared) = shared {
            assert_eq!(processors(None).count(), 1);
            assert!(processors(None) == processors(pid));
            for _ in 0..MESSAGES_PER_MIGRATION {
                shared.count_message();
            }
            assert!(processors(None) == before && processors(pid) == before);
            shared.count_message();
            assert!(processors(None) == processors(pid));
            assert_eq!(processors(None).count(), 1);
        }
        assert!(processors(None) == before && processors(pid) == before);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_is_gone_shares_nothing() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let before = processors(None);
        assert!(SharedProcessor::new(child.id()).is_none());
        assert!(processors(None) == before);
    }
}
