//! The reasons why an evaluation has no value, which `||` distinguishes.

use std::rc::Rc;

use ecow::EcoString;
use ordain_source::limits::Exceeded;

use crate::ids::InstId;

/// The requested memo of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoKind {
    /// Its kind.
    Reach,
    /// Its entries.
    Shape,
    /// Its finished value.
    Deep,
}

/// The reason why there is no value.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The expression itself failed; `||` takes the other side.
    Failed(Rc<Issue>),
    /// A dependency has no value; `||` does not help.
    Blocked(Rc<Blocked>),
    /// The stack is exhausted: evaluate this node first, then try again.
    Suspend(InstId, MemoKind),
}

impl From<Exceeded> for Stop {
    fn from(exceeded: Exceeded) -> Self {
        Self::limit(exceeded.to_string())
    }
}

/// A result of evaluating.
pub type Eval<T> = Result<T, Stop>;

/// The kind of a failure. Callers distinguish failures by it, not by the text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum FailureKind {
    /// An operator or a function that is undefined for its operands.
    #[default]
    Expression,
    /// A function was called with arguments of the wrong number or type.
    Argument,
    /// These two types cannot be concatenated.
    Concatenation,
    /// A text that is no expression.
    Syntax,
    /// No stub has a value at this path.
    NotInStubs(EcoString),
    /// A reference to a missing path, up to the missing step.
    NotFound(EcoString),
    /// No built-in function has this name.
    UnknownFunction(EcoString),
    /// A call of a lambda failed; the inner issue is the reason.
    Lambda,
    /// Nodes of a template or an inner document have no value.
    Nested,
    /// A command or a file: the operation failed, or is not allowed.
    World,
    /// A bound of the whole evaluation was reached.
    Limit,
    /// Templates, files or merges that use themselves.
    TooDeep,
}

impl FailureKind {
    /// Whether the failure passes through surrounding expressions without further description.
    pub fn is_bound(&self) -> bool {
        matches!(self, Self::Limit | Self::TooDeep)
    }
}

/// A failure.
#[derive(Debug, Default)]
pub struct Issue {
    /// Its kind.
    pub kind: FailureKind,
    /// In words; may be empty.
    pub text: EcoString,
    /// The failure that led to it.
    pub inner: Option<Rc<Self>>,
    /// Nodes whose errors are the reason.
    pub nested: Vec<InstId>,
    /// A detail in the line of the node itself.
    pub detail: Option<EcoString>,
}

/// A value that is not there yet.
#[derive(Debug)]
pub struct Blocked {
    /// In words; may be empty.
    pub text: EcoString,
    /// The path of the reference that waits, if any.
    pub path: Option<EcoString>,
    /// The nodes it depends on.
    pub waits: Vec<InstId>,
    /// Whether one of them has failed.
    pub failed: bool,
    /// Nodes whose errors are the reason.
    pub nested: Vec<InstId>,
}

impl Stop {
    /// Whether it passes through nested documents unchanged: the evaluation is suspended, or too
    /// deep.
    pub fn passes(&self) -> bool {
        self.is_suspend() || self.kind() == Some(&FailureKind::TooDeep)
    }

    /// A failure of an expression with this text.
    pub fn failed(text: impl Into<EcoString>) -> Self {
        Self::of(FailureKind::Expression, text)
    }

    /// A failure of a kind with this text.
    pub fn of(kind: FailureKind, text: impl Into<EcoString>) -> Self {
        Self::Failed(Rc::new(Issue { kind, text: text.into(), ..Issue::default() }))
    }

    /// A reference to a missing path: `path` ends with the missing step.
    pub fn not_found(path: impl Into<EcoString>) -> Self {
        let path = path.into();
        let text = ecow::eco_format!("'{path}' not found");
        Self::of(FailureKind::NotFound(path), text)
    }

    /// No stub has a value at this path.
    pub fn not_in_stubs(path: impl Into<EcoString>) -> Self {
        let path = path.into();
        let text = ecow::eco_format!("'{path}' not found in any stub");
        Self::of(FailureKind::NotInStubs(path), text)
    }

    /// No built-in function has this name.
    pub fn unknown_function(name: &str) -> Self {
        let text = ecow::eco_format!("unknown function '{name}'");
        Self::of(FailureKind::UnknownFunction(name.into()), text)
    }

    /// Templates, files or merges use themselves.
    pub fn too_deep() -> Self {
        Self::of(FailureKind::TooDeep, "templates are nested too deep")
    }

    /// The kind of a failure.
    pub fn kind(&self) -> Option<&FailureKind> {
        if let Self::Failed(issue) = self { Some(&issue.kind) } else { None }
    }

    /// A bound of the whole evaluation was reached.
    pub fn limit(text: impl Into<EcoString>) -> Self {
        Self::of(FailureKind::Limit, text)
    }

    /// A failure without a text.
    pub fn silent() -> Self {
        Self::Failed(Rc::default())
    }

    /// Waits for a node.
    pub fn blocked(text: impl Into<EcoString>, waits: Option<InstId>, failed: bool) -> Self {
        Self::waiting(text.into(), None, waits, failed)
    }

    /// Waits for a value that a check cannot know.
    pub fn unknown() -> Self {
        Self::waiting(EcoString::new(), None, None, false)
    }

    /// Waits for the node at a path that has no value.
    pub fn unresolved(path: impl Into<EcoString>, waits: Option<InstId>, failed: bool) -> Self {
        let path = path.into();
        Self::waiting(ecow::eco_format!("'{path}' unresolved"), Some(path), waits, failed)
    }

    /// Waits for the entries of the map or list at a path.
    pub fn incomplete(path: impl Into<EcoString>, waits: InstId) -> Self {
        let path = path.into();
        Self::waiting(ecow::eco_format!("'{path}' not complete"), Some(path), Some(waits), false)
    }

    fn waiting(
        text: EcoString,
        path: Option<EcoString>,
        waits: Option<InstId>,
        failed: bool,
    ) -> Self {
        let waits = waits.into_iter().collect();
        Self::Blocked(Rc::new(Blocked { text, path, waits, failed, nested: Vec::new() }))
    }

    /// The same without its text.
    pub(crate) fn without_words(self) -> Self {
        match self {
            Self::Blocked(blocked) => Self::Blocked(Rc::new(Blocked {
                text: EcoString::new(),
                path: None,
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

    /// The failure in words.
    pub fn text(&self) -> &str {
        match self {
            Self::Failed(issue) => &issue.text,
            Self::Blocked(blocked) => &blocked.text,
            Self::Suspend(..) => "",
        }
    }
}

/// Evaluates operands: the first failure ends the expression, a blocked operand only after all
/// others were evaluated.
#[derive(Debug, Default)]
pub struct OperandOutcome {
    blocked: Option<Rc<Blocked>>,
}

impl OperandOutcome {
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
                        path: b.path.clone(),
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

    /// Ends the evaluation of the operands.
    ///
    /// # Errors
    /// When an operand was blocked.
    pub fn end(self) -> Result<(), Stop> {
        match self.blocked {
            None => Ok(()),
            Some(b) => Err(Stop::Blocked(b)),
        }
    }
}
