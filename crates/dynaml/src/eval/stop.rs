//! Why an evaluation has no value: the heart of `||`.

use std::rc::Rc;

use ecow::EcoString;
use ordain_source::limits::Exceeded;

use super::tree::InstId;

/// Which memo of a node is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// What the node is.
    Reach,
    /// Which entries it has.
    Shape,
    /// Its finished value.
    Deep,
}

/// Why there is no value.
#[derive(Clone, Debug)]
pub enum Stop {
    /// A failure of this expression itself; `||` takes the other side.
    Failed(Rc<Issue>),
    /// Something it depends on has no value; `||` does not help.
    Blocked(Rc<Blocked>),
    /// The stack is used up: evaluate this node first, then try again.
    Suspend(InstId, Want),
}

impl From<Exceeded> for Stop {
    fn from(exceeded: Exceeded) -> Self {
        Self::limit(exceeded.to_string())
    }
}

/// What went wrong.
#[derive(Debug, Default)]
pub struct Issue {
    /// In words; may be empty.
    pub text: EcoString,
    /// What is the reason for it.
    pub inner: Option<Rc<Self>>,
    /// Whether a bound of the whole evaluation was reached.
    pub limit: bool,
    /// Nodes whose own trouble is the reason.
    pub nested: Vec<InstId>,
    /// What is added to the line of the node itself.
    pub detail: Option<EcoString>,
}

/// What is waited for.
#[derive(Debug)]
pub struct Blocked {
    /// In words; may be empty.
    pub text: EcoString,
    /// The nodes it depends on.
    pub waits: Vec<InstId>,
    /// Whether one of them is known to have failed.
    pub failed: bool,
    /// Nodes whose own trouble is the reason.
    pub nested: Vec<InstId>,
}

/// Templates, files or merges that use themselves.
pub const TOO_DEEP: &str = "templates are nested too deep";

impl Stop {
    /// Whether it goes on as it is through what is nested: it is put off, or nested too deep.
    pub fn passes(&self) -> bool {
        self.is_suspend() || self.text() == TOO_DEEP
    }

    /// A failure with this text.
    pub fn failed(text: impl Into<EcoString>) -> Self {
        Self::Failed(Rc::new(Issue { text: text.into(), ..Issue::default() }))
    }

    /// A bound of the whole evaluation was reached.
    pub fn limit(text: impl Into<EcoString>) -> Self {
        Self::Failed(Rc::new(Issue { text: text.into(), limit: true, ..Issue::default() }))
    }

    /// A failure without a text.
    pub fn silent() -> Self {
        Self::Failed(Rc::default())
    }

    /// Waits for a node.
    pub fn blocked(text: impl Into<EcoString>, waits: Option<InstId>, failed: bool) -> Self {
        Self::Blocked(Rc::new(Blocked {
            text: text.into(),
            waits: waits.into_iter().collect(),
            failed,
            nested: Vec::new(),
        }))
    }

    /// The same without what it waits for, in words.
    pub(crate) fn without_words(self) -> Self {
        match self {
            Self::Blocked(blocked) => Self::Blocked(Rc::new(Blocked {
                text: EcoString::new(),
                waits: blocked.waits.clone(),
                failed: blocked.failed,
                nested: blocked.nested.clone(),
            })),
            stop => stop,
        }
    }

    /// Whether the evaluation is only put off.
    pub fn is_suspend(&self) -> bool {
        matches!(self, Self::Suspend(..))
    }

    /// What went wrong, in words.
    pub fn text(&self) -> &str {
        match self {
            Self::Failed(issue) => &issue.text,
            Self::Blocked(blocked) => &blocked.text,
            Self::Suspend(..) => "",
        }
    }
}

/// The outcome of operands: the first failure ends the expression, a blocked operand only after
/// the others were looked at.
#[derive(Debug, Default)]
pub struct Waiting {
    blocked: Option<Rc<Blocked>>,
}

impl Waiting {
    /// Takes an operand's value; `None` if it is blocked.
    ///
    /// # Errors
    /// When the operand failed.
    pub fn take<T>(&mut self, result: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Blocked(b)) => {
                self.blocked = Some(match self.blocked.take() {
                    None => b,
                    Some(before) => Rc::new(Blocked {
                        text: b.text.clone(),
                        waits: before.waits.iter().chain(&b.waits).copied().collect(),
                        failed: before.failed || b.failed,
                        nested: b.nested.clone(),
                    }),
                });
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Whether no operand was blocked.
    ///
    /// # Errors
    /// When one was.
    pub fn end(self) -> Result<(), Stop> {
        match self.blocked {
            None => Ok(()),
            Some(b) => Err(Stop::Blocked(b)),
        }
    }
}
