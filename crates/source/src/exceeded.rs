//! Bounds that were reached.

use std::fmt;

/// The help for an exceeded bound.
pub const HELP: &str = "`--limits 2` allows twice as much";

/// A bound that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exceeded {
    /// The maximal number of steps.
    Steps(u64),
    /// The stack of the thread is nearly exhausted.
    Stack,
    /// The maximum memory in MiB, without the allowance for read files.
    Memory(u64),
    /// The maximal CPU time in seconds.
    Time(u64),
    /// The maximum CPU time of one operation in milliseconds.
    Moment(u64),
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(most) => write!(f, "the evaluation takes more than {most} steps")?,
            Self::Stack => return f.write_str("the evaluation is nested too deep"),
            Self::Memory(most) => {
                write!(f, "the evaluation takes more than {most} MiB besides its input")?;
            }
            Self::Time(most) => write!(f, "the evaluation takes more than {most} s")?,
            Self::Moment(most) => write!(f, "an operation takes more than {most} ms")?,
        }
        write!(f, "; {}", HELP)
    }
}

impl std::error::Error for Exceeded {}
