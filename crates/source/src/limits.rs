//! The limits of every evaluation: counted steps, and the measured depth of the stack.
//!
//! Front ends define a step and the reaction to a stack overflow. They also limit the size of
//! values, because it depends on how a language shares values.

use crate::budget;
pub use crate::exceeded::Exceeded;

/// The maximum length in bytes of a text that an evaluation creates.
pub fn most_text() -> usize {
    budget::scaled_size(32 << 20)
}

/// The maximum length of a list from a range, a repetition or a similar operation.
pub fn most_items() -> usize {
    budget::scaled_size(2_000_000)
}

/// A result within bounds.
pub type Bounded<T = ()> = Result<T, Exceeded>;

/// Counts steps.
#[derive(Clone, Debug)]
pub struct Steps {
    taken: u64,
    most: u64,
}

impl Steps {
    /// Allows this number of steps.
    pub fn new(most: u64) -> Self {
        Self { taken: 0, most }
    }

    /// Takes steps before doing their work.
    ///
    /// # Errors
    /// If the limit is exceeded, or another bound of the evaluation.
    #[inline]
    pub fn take(&mut self, count: u64) -> Bounded {
        self.charge(count);
        if self.taken > self.most { Err(Exceeded::Steps(self.most)) } else { budget::check() }
    }

    /// The number of remaining steps.
    pub fn left(&self) -> u64 {
        self.most.saturating_sub(self.taken)
    }

    /// Counts steps after their work: if they exceed the limit, the next [`Steps::take`] fails.
    #[inline]
    pub fn charge(&mut self, count: u64) {
        self.taken = self.taken.saturating_add(count);
    }
}

/// Measures the stack usage since its creation.
#[derive(Clone, Copy, Debug)]
pub struct StackMeter {
    base: usize,
}

impl StackMeter {
    /// A measurement that begins with the caller's frame.
    #[must_use]
    pub fn here() -> Self {
        Self { base: address() }
    }

    /// The bytes in use since.
    #[inline]
    pub fn used(self) -> usize {
        self.base.abs_diff(address())
    }

    /// Checks the stack usage.
    ///
    /// # Errors
    /// If more than `bytes` are in use.
    #[inline]
    pub fn at_most(self, bytes: usize) -> Bounded {
        if self.used() > bytes { Err(Exceeded::Stack) } else { Ok(()) }
    }
}

/// An address on the stack.
fn address() -> usize {
    let here = 0u8;
    std::ptr::from_ref(&here) as usize
}

/// Runs work on a thread with a stack of this many bytes. Only used pages take memory.
///
/// # Panics
/// If the work panics, or the system refuses a thread.
pub fn on_deep_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes);
        match thread.spawn_scoped(scope, work).map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("the system gives no thread to evaluate on: {error}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end() {
        let mut steps = Steps::new(3);
        assert_eq!((steps.take(2), steps.take(1)), (Ok(()), Ok(())));
        steps.charge(u64::MAX);
        assert_eq!(steps.take(0), Err(Exceeded::Steps(3)));
    }

    #[test]
    fn depth_is_measured_where_there_is_a_stack_for_it() {
        fn down(meter: StackMeter) -> u64 {
            let frame = [1u8; 1024];
            match meter.at_most(8 << 20) {
                Ok(()) => u64::from(frame[meter.used() % 1024]) + down(meter),
                Err(_) => 0,
            }
        }
        let depth = on_deep_stack(16 << 20, || down(StackMeter::here()));
        assert!(depth > 1000 && depth <= 8 << 10, "{depth}");
    }
}
