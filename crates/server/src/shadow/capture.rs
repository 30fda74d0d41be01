//! A copy of a reply on its way to an agent, within a common bound on memory.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The unit in which memory is counted.
const UNIT: u64 = 1 << 10;

/// The memory for all comparisons.
#[derive(Clone, Debug)]
pub(super) struct Memory(Arc<Semaphore>);

/// A share of the memory, until it is dropped.
#[derive(Debug)]
pub(super) struct Share(OwnedSemaphorePermit);

impl Memory {
    /// A memory of so many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let units = usize::try_from(bytes / UNIT).unwrap_or(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))))
    }

    /// Takes a share; `None` if there is not enough left.
    pub(super) fn take(&self, bytes: u64) -> Option<Share> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).ok()?;
        Arc::clone(&self.0).try_acquire_many_owned(units).ok().map(Share)
    }
}

/// The two ends of a copy: what happens with the whole reply, and what without memory for it.
pub(super) struct CaptureEnds {
    /// Takes the whole reply and its memory.
    pub(super) whole: Box<dyn FnOnce(Bytes, Share) + Send>,
    /// Is called instead if there is no memory.
    pub(super) failed: Box<dyn FnOnce() + Send>,
}

/// Copies the parts of a reply.
pub(super) struct Capture {
    memory: Memory,
    bytes: Vec<u8>,
    share: Share,
    ends: CaptureEnds,
}

impl Capture {
    /// A copy that is empty so far. `share` is the memory that its comparison has already.
    pub(super) fn new(memory: Memory, share: Share, ends: CaptureEnds) -> Self {
        Self { memory, bytes: Vec::new(), share, ends }
    }

    /// Adds a part. Without memory for it, the copy ends.
    pub(super) fn add(mut self, part: &[u8]) -> Option<Self> {
        match self.memory.take(part.len() as u64) {
            Some(more) => {
                self.share.0.merge(more.0);
                self.bytes.extend_from_slice(part);
                Some(self)
            }
            None => {
                (self.ends.failed)();
                None
            }
        }
    }

    /// The reply is whole.
    pub(super) fn finish(self) {
        (self.ends.whole)(self.bytes.into(), self.share);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn copies_share_the_memory() {
        let memory = Memory::new(4 * UNIT);
        let (sender, receiver) = channel();
        let failed = sender.clone();
        let ends = CaptureEnds {
            whole: Box::new(move |bytes, _| sender.send(bytes.len()).unwrap()),
            failed: Box::new(move || failed.send(0).unwrap()),
        };
        let capture = Capture::new(memory.clone(), memory.take(1).unwrap(), ends);
        let capture = capture.add(&[0; 1000]).and_then(|capture| capture.add(&[0; 1000])).unwrap();
        assert!(memory.take(2 * UNIT).is_none() && memory.take(UNIT).is_some());
        capture.finish();
        assert_eq!(receiver.try_recv(), Ok(2000));
        assert!(memory.take(4 * UNIT).is_some());
        let (sender, receiver) = channel();
        let ends = CaptureEnds {
            whole: Box::new(|_, _| {}),
            failed: Box::new(move || sender.send(()).unwrap()),
        };
        let capture = Capture::new(memory.clone(), memory.take(1).unwrap(), ends);
        assert!(capture.add(&[0; 5000]).is_none());
        assert_eq!(receiver.try_recv(), Ok(()));
        assert!(memory.take(4 * UNIT).is_some());
    }
}
