//! Limits of a parser on depth and attempts.

/// The depth or the number of attempts is exhausted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooDeep;

/// Counts the nesting of productions and the number of attempts. The limit on nesting protects the
/// stack, that on attempts prevents exponential backtracking.
#[derive(Clone, Debug)]
pub struct Nesting {
    depth: u32,
    attempts: u32,
    most_depth: u32,
    most_attempts: u32,
}

impl Nesting {
    /// A guard with a limit on depth, and unlimited attempts.
    #[inline]
    pub const fn new(depth: u32) -> Self {
        Self { depth: 0, attempts: 0, most_depth: depth, most_attempts: u32::MAX }
    }

    /// The same with a bound on attempts.
    #[must_use]
    #[inline]
    pub const fn attempts(self, most: u32) -> Self {
        Self { most_attempts: most, ..self }
    }

    /// Enters a production.
    ///
    /// # Errors
    /// If a limit is exceeded; then [`Self::leave`] must not be called.
    #[inline]
    pub fn enter(&mut self) -> Result<(), TooDeep> {
        if self.depth >= self.most_depth || self.attempts >= self.most_attempts {
            return Err(TooDeep);
        }
        self.depth += 1;
        self.attempts = self.attempts.saturating_add(1);
        Ok(())
    }

    /// Leaves a production that was entered.
    #[inline]
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The number of entered productions that were not left.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Leaves everything that was entered since this depth, to recover from an error.
    #[inline]
    pub fn leave_to(&mut self, depth: u32) {
        self.depth = self.depth.min(depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_comes_back_and_attempts_do_not() {
        let mut guard = Nesting::new(2).attempts(4);
        assert_eq!((guard.enter(), guard.enter(), guard.enter()), (Ok(()), Ok(()), Err(TooDeep)));
        guard.leave();
        assert_eq!(guard.enter(), Ok(()));
        guard.leave();
        guard.leave();
        assert_eq!((guard.enter(), guard.enter()), (Ok(()), Err(TooDeep)));
        guard.leave_to(0);
        assert_eq!(guard.depth(), 0);
    }
}
