//! Failures of child processes.

use std::fmt;

use crate::language::Language;

/// The reason why the child does not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// This program was built without the feature `interpreters`.
    Excluded(Language),
    /// The machine has no interpreter.
    Missing(Language),
    /// It could not be started.
    Start(Language, String),
    /// It ended, with its status and its last output.
    Ended(Language, String),
    /// It did not answer within this number of seconds.
    Late(Language, u32),
    /// It sent an invalid message.
    Garbled(Language, String),
}

impl Fault {
    /// Advice for the user.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Excluded(_) => Some(
                "this program has only the verbs of the agent; the package `ordain` has the whole program",
            ),
            Self::Missing(Language::Ruby) => Some(
                "install Ruby: the package is called `ruby` on Debian, Ubuntu, Fedora, Red Hat and SUSE; \
                 ORDAIN_RUBY names one that is not on the PATH",
            ),
            Self::Missing(Language::Python) => Some(
                "install Python: the package is called `python3` on Debian, Ubuntu, Fedora, Red Hat and SUSE; \
                 ORDAIN_PYTHON names one that is not on the PATH",
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Excluded(language) => {
                write!(f, "this program runs no code in `{}`", language.program())
            }
            Self::Missing(language) => {
                write!(f, "there is no `{}` on this machine", language.program())
            }
            Self::Start(language, why) => {
                write!(f, "`{}` does not start: {why}", language.program())
            }
            Self::Ended(language, how) => {
                write!(f, "the `{}` process stopped: {how}", language.program())
            }
            Self::Late(language, seconds) => {
                let program = language.program();
                write!(
                    f,
                    "the `{program}` process did not answer within {seconds} s and was killed"
                )
            }
            Self::Garbled(language, why) => {
                write!(f, "the `{}` process gave no valid answer: {why}", language.program())
            }
        }
    }
}

impl std::error::Error for Fault {}
