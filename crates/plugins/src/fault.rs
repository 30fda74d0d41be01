//! What can go wrong with the child itself.

use std::fmt;

/// Why the child does not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no `ruby` on the machine.
    Missing,
    /// It could not be started.
    Start(String),
    /// It ended; how it did, and what it printed last.
    Ended(String),
    /// It did not answer within so many seconds.
    Late(u32),
    /// It said something that is no message.
    Garbled(String),
}

impl Fault {
    /// What to do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Missing => Some(
                "install Ruby: the package is called `ruby` on Debian, Ubuntu, Fedora, Red Hat and SUSE; \
                 ORDAIN_RUBY names one that is not on the PATH",
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no `ruby` on this machine"),
            Self::Start(why) => write!(f, "`ruby` does not start: {why}"),
            Self::Ended(how) => write!(f, "the `ruby` process is gone: {how}"),
            Self::Late(seconds) => {
                write!(f, "the `ruby` process did not answer within {seconds} s and was killed")
            }
            Self::Garbled(why) => write!(f, "the `ruby` process gave no valid answer: {why}"),
        }
    }
}

impl std::error::Error for Fault {}
