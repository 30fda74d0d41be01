//! The limits of a child process.

/// The limits of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Seconds for one call, without the time that it waits for the compile.
    pub seconds: u32,
    /// Bytes of address space.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { seconds: 60, memory: 2 << 30 }
    }
}
