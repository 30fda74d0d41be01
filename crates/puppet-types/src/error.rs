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
    /// The subject that the message begins with, for callers that name it in other words.
    pub subject: Option<Box<Subject>>,
}

/// The subject that a message begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The type with features whose object the error is about; `None` if the subject is a function.
    pub object: Option<EcoString>,
    /// The feature with a wrong value, and the message without type and feature.
    pub feature: Option<(EcoString, String)>,
    /// The message without the subject.
    pub reason: String,
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
    /// The resource type that a file of Ruby is named after.
    RubyType,
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
    /// The length of the words at the start of the message that name the evaluated expression.
    pub prefix: usize,
    /// The reference of the resource that the message begins with.
    pub resource: Option<EcoString>,
    /// The expression in a text of data that failed, as in `%{NAME}`.
    pub interpolation: Option<EcoString>,
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
            subject: None,
        }
    }

    /// An error of a call that the message names: `'new' REASON`.
    pub fn of_call(name: &str, reason: String) -> Self {
        let mut error = Self::new(format!("'{name}' {reason}"));
        error.subject = Some(Box::new(Subject { object: None, feature: None, reason }));
        error
    }

    /// An error of an object of a type with features: `TYPE: REASON`.
    pub fn of_object(issue: &'static str, kind: &EcoString, reason: String) -> Self {
        let mut error = Self::issue(issue, format!("{kind}: {reason}"));
        let object = Some(kind.clone());
        error.subject = Some(Box::new(Subject { object, feature: None, reason }));
        error
    }

    /// An error of the value of a feature: `TYPE: FEATURE`, the separator and the reason.
    pub fn of_feature(
        issue: &'static str,
        (kind, feature): (&EcoString, &EcoString),
        separator: &str,
        reason: String,
    ) -> Self {
        let mut error = Self::of_object(issue, kind, format!("{feature}{separator}{reason}"));
        if let Some(subject) = &mut error.subject {
            subject.feature = Some((feature.clone(), reason));
        }
        error
    }

    /// The message without its subject.
    pub fn reason(&self) -> &str {
        self.subject.as_ref().map_or(&self.message, |subject| &subject.reason)
    }

    /// The message without its subject, if that is an object of this type.
    pub fn reason_for(&self, kind: &str) -> &str {
        let subject = self.subject.as_ref();
        let own = subject.filter(|subject| subject.object.as_deref() == Some(kind));
        own.map_or(&self.message, |subject| &subject.reason)
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
        let issue = Some(Cow::Borrowed(issue));
        Self { issue, span: Some(span), line_only: false, ..Self::without_place(message) }
    }

    /// An error without a place or an issue code.
    pub fn without_place(message: impl Into<String>) -> Self {
        Self {
            code: None,
            issue: None,
            message: message.into(),
            span: None,
            line_only: true,
            related: Vec::new(),
            focus: None,
            is_asking: true,
            help: Vec::new(),
            diagnostics: Vec::new(),
            is_jump: false,
            wrapped: None,
            prefix: 0,
            resource: None,
            interpolation: None,
        }
    }

    /// The message without the words that name the evaluated expression.
    pub fn reason(&self) -> &str {
        self.message.get(self.prefix..).unwrap_or(&self.message)
    }

    /// Puts a resource before the message, if it does not begin with it already. `at` is its place.
    pub fn name_resource(&mut self, reference: &str, at: Option<Span>) {
        if self.resource.as_deref() == Some(reference) {
            return;
        }
        self.message.insert_str(0, &format!("{reference}: "));
        (self.resource, self.prefix) = (Some(reference.into()), 0);
        self.related.extend(at.map(|span| (span, "asked for here".to_owned())));
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
