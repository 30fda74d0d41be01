//! The ways in which evaluation ends early: errors, and the jumps `next`, `return` and `break`.

use std::borrow::Cow;

use ecow::EcoString;
use ordain_source::{Diagnostic, Span};

use crate::value::Value;

/// The result of evaluating something.
pub type EvalResult<T = Value> = Result<T, Box<Unwind>>;

/// An error, or a jump that has not reached its target yet.
#[derive(Debug)]
pub enum Unwind {
    /// An error at a place.
    Error(EvalError),
    /// An error whose place the caller knows, as functions and operators return it.
    Plain(PlainError),
    /// `next(value)`: the enclosing lambda or function ends.
    Next(Value, Span),
    /// `return(value)`: the enclosing function, class or define ends.
    Return(Value, Span),
    /// `break()`: the enclosing iteration ends.
    Break(Span),
}

/// An error without a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainError {
    /// Puppet's issue code, if the error has its own; else it is wrapped by the call that caught it.
    pub issue: Option<&'static str>,
    /// The text.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
    /// Other places, each with a label.
    pub related: Vec<(Span, String)>,
    /// The place of the mistake with a label, if Puppet reports the error at another place.
    pub focus: Option<(Span, String)>,
    /// The part of the expression that caused the error.
    pub blame: Blame,
    /// The part of the value that caused the error, innermost step first.
    pub path: Vec<Step>,
    /// Whether upstream raises an error of Puppet's own here, which a lookup takes for its own.
    pub is_puppets: bool,
    /// The name that nothing defines, if that is the error.
    pub unknown: Option<UnknownName>,
}

/// A name that nothing defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownName {
    /// A class that a function such as `include` got, in lower case, without leading colons.
    IncludedClass(EcoString),
    /// The title of a class in a resource expression.
    DeclaredClass(EcoString),
    /// The type of a resource.
    ResourceType,
}

/// A step into a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// An item of a list.
    Item(usize),
    /// The value of an entry of a hash.
    Value(EcoString),
    /// The key of an entry of a hash.
    Key(EcoString),
}

/// The part of an expression that an error without a place is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Blame {
    /// All of it.
    #[default]
    Whole,
    /// The left operand, or the value before the brackets of an access.
    Left,
    /// The right operand.
    Right,
    /// One of the keys or arguments.
    Key(usize),
}

/// An error at a place.
#[derive(Debug)]
pub struct EvalError {
    /// Our own code, where Puppet's issue does not decide it.
    pub code: Option<&'static str>,
    /// Puppet's issue code, if it has one.
    pub issue: Option<Cow<'static, str>>,
    /// The text, as Puppet words it, without a place.
    pub message: String,
    /// The place that Puppet reports; `None` for some errors at the end of a compile.
    pub span: Option<Span>,
    /// Whether only the line is known to Puppet.
    pub line_only: bool,
    /// Other places, each with a label.
    pub related: Vec<(Span, String)>,
    /// The place of the mistake with a label, if Puppet reports the error at another place.
    pub focus: Option<(Span, String)>,
    /// Whether the expression at `span` asked for the subject of `focus`, and is shown beside it. The `=`
    /// of an assignment asks for nothing.
    pub is_asking: bool,
    /// Advice.
    pub help: Vec<String>,
    /// Diagnostics of a file that does not parse; they replace this error.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether this is a jump such as `break()` without a target.
    pub is_jump: bool,
    /// The error of a body that this one reports for the resource whose body it is.
    pub wrapped: Option<Box<EvalError>>,
}

impl PlainError {
    /// An error that the catching call wraps.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            issue: None,
            message: message.into(),
            help: None,
            related: Vec::new(),
            focus: None,
            blame: Blame::Whole,
            path: Vec::new(),
            is_puppets: false,
            unknown: None,
        }
    }

    /// An error with its own issue code.
    #[inline]
    pub fn issue(issue: &'static str, message: impl Into<String>) -> Self {
        Self { issue: Some(issue), ..Self::new(message) }
    }

    /// The error with advice.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The error of a text that is not a type.
    pub fn not_a_type(text: &str) -> Self {
        let message = format!("The expression <{text}> is not a valid type specification.");
        Self::new(message)
            .with_help(format!("a class is `Class['{text}']`, a resource `Type['title']`"))
    }

    /// The error with the part that is to blame.
    #[inline]
    pub fn at(self, blame: Blame) -> Self {
        Self { blame, ..self }
    }
}

impl EvalError {
    /// An error at a place.
    pub fn new(issue: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self {
            code: None,
            issue: Some(Cow::Borrowed(issue)),
            message: message.into(),
            span: Some(span),
            line_only: false,
            related: Vec::new(),
            focus: None,
            is_asking: true,
            help: Vec::new(),
            diagnostics: Vec::new(),
            is_jump: false,
            wrapped: None,
        }
    }

    /// An error without an issue code in Puppet, of which it only reports the line.
    #[inline]
    pub fn without_issue(message: impl Into<String>, span: Span) -> Self {
        Self { issue: None, line_only: true, ..Self::new("", message, span) }
    }
}

/// As [`EvalError::without_issue`], where the place may be unknown.
#[inline]
pub fn unplaced(message: String, span: Option<Span>) -> Box<Unwind> {
    match span {
        Some(span) => EvalError::without_issue(message, span).into(),
        None => PlainError::new(message).into(),
    }
}

/// An error of something that is written in Ruby.
#[inline]
pub fn needs_ruby<T>(message: impl Into<String>, span: Span) -> EvalResult<T> {
    let mut error = EvalError::new("", message, span);
    (error.issue, error.code) = (None, Some("puppet::ruby"));
    Err(error.into())
}

impl From<PlainError> for Box<Unwind> {
    #[inline]
    fn from(error: PlainError) -> Self {
        Box::new(Unwind::Plain(error))
    }
}

impl From<ordain_functions::Error> for Box<Unwind> {
    #[inline]
    fn from(error: ordain_functions::Error) -> Self {
        PlainError::new(error.to_string()).into()
    }
}

impl From<EvalError> for Box<Unwind> {
    #[inline]
    fn from(error: EvalError) -> Self {
        Box::new(Unwind::Error(error))
    }
}

/// An error without a place that the catching call wraps.
#[inline]
pub fn plain<T>(message: impl Into<String>) -> EvalResult<T> {
    Err(PlainError::new(message).into())
}

/// As [`plain`], of Puppet's own.
#[inline]
pub fn puppets<T>(message: impl Into<String>) -> EvalResult<T> {
    Err(PlainError { is_puppets: true, ..PlainError::new(message) }.into())
}

/// An error without a place and with an issue code.
#[inline]
pub fn issue<T>(issue: &'static str, message: impl Into<String>) -> EvalResult<T> {
    Err(PlainError::issue(issue, message).into())
}

/// An error with an issue code about one part of the expression.
#[inline]
pub fn issue_at<T>(issue: &'static str, blame: Blame, message: impl Into<String>) -> EvalResult<T> {
    Err(PlainError::issue(issue, message).at(blame).into())
}
