//! The diagnostic type. Code that finds an error builds one; renderers print it.

use std::borrow::Cow;

use crate::files::{SourceMap, Span};
use crate::fix::Fix;
use crate::shorten::shortened;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Something of interest.
    Note,
    /// Likely a mistake; the run goes on.
    Warning,
    /// The run has no result.
    Error,
}

impl Severity {
    /// The word that is printed: `note`, `warning`, `error`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place with a short text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text at this place; may be empty.
    pub text: String,
}

/// One message to the user, with its places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The stable code, such as `puppet::unknown-variable`. Every code is documented ([`CodeDoc`]).
    pub code: Cow<'static, str>,
    /// The issue code or error class of the original program, if it has one.
    pub issue: Option<Cow<'static, str>>,
    /// The error in the user's words; one line where possible.
    pub message: String,
    /// The main place, with a text of its own.
    pub primary: Option<Label>,
    /// The place that the original program reports, if it differs.
    pub peer: Option<Span>,
    /// Other places that matter, such as the first of two declarations.
    pub related: Vec<Label>,
    /// Advice.
    pub help: Vec<String>,
    /// Changes that remove the cause, the best one first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// An error with this code and message, without a place.
    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning with this code and message, without a place.
    pub fn warning(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// All of its words, to be changed.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let labels = self.primary.iter_mut().chain(&mut self.related);
        let texts = std::iter::once(&mut self.message).chain(&mut self.help);
        texts.chain(labels.map(|label| &mut label.text))
    }

    /// A diagnostic with this severity, code and message, without a place.
    pub fn new(
        severity: Severity,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code: code.into(),
            issue: None,
            message: message.into(),
            primary: None,
            peer: None,
            related: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Sets the peer's issue code.
    pub fn issue(mut self, issue: impl Into<Cow<'static, str>>) -> Self {
        self.issue = Some(issue.into());
        self
    }

    /// Sets the primary place.
    pub fn at(self, span: Span) -> Self {
        self.labelled(span, "")
    }

    /// Sets the primary place and its label.
    pub fn labelled(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Moves the primary place to the cause, with a label. The old place becomes that of the
    /// original program.
    pub fn move_to(mut self, span: Span, text: impl Into<String>) -> Self {
        let reported = self.peer_span();
        self = self.labelled(span, text);
        self.peer = reported.filter(|reported| *reported != span);
        self
    }

    /// The place that the original program reports.
    pub fn peer_span(&self) -> Option<Span> {
        self.peer.or(self.primary.as_ref().map(|label| label.span))
    }

    /// The same in the displayed length: long texts are cut, and only the first related places are
    /// kept.
    pub(crate) fn shortened(&self) -> Cow<'_, Self> {
        /// The maximum number of related places that are shown.
        const MAX_RELATED: usize = 20;
        let left_out = self.related.len().saturating_sub(MAX_RELATED);
        if left_out > 0 {
            let mut out = self.clone();
            out.related.truncate(MAX_RELATED);
            out.help.push(format!("{left_out} more places are not shown"));
            return Cow::Owned(out.shortened().into_owned());
        }
        let is_short = |text: &String| matches!(shortened(text), Cow::Borrowed(_));
        let labels = || self.primary.iter().chain(&self.related);
        let all_short = is_short(&self.message)
            && labels().all(|label| is_short(&label.text))
            && self.help.iter().all(is_short);
        if all_short {
            return Cow::Borrowed(self);
        }
        let mut out = self.clone();
        let cut = |text: &mut String| *text = shortened(text).into_owned();
        cut(&mut out.message);
        out.help.iter_mut().for_each(cut);
        out.primary.iter_mut().chain(&mut out.related).for_each(|label| cut(&mut label.text));
        Cow::Owned(out)
    }

    /// Adds a related place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Adds a line of advice.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds a change that removes the cause.
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }
}

/// Sorts by file and place; diagnostics without a place come last.
pub fn sort(diagnostics: &mut [Diagnostic], sources: &SourceMap) {
    diagnostics.sort_by_cached_key(|diagnostic| {
        let label = diagnostic.primary.as_ref();
        let place = label.map(|l| (sources.file(l.span.file).path.clone(), l.span.range.start));
        (place.is_none(), place)
    });
}

/// The documentation of a diagnostic code, printed by `ordain explain-code`.
#[derive(Clone, Copy, Debug)]
pub struct CodeDoc {
    /// The code, such as `puppet::unknown-variable`.
    pub code: &'static str,
    /// Its meaning in one line.
    pub summary: &'static str,
    /// Its causes, with an example and advice.
    pub details: &'static str,
}

impl CodeDoc {
    /// The documentation of a code.
    pub const fn new(code: &'static str, summary: &'static str, details: &'static str) -> Self {
        Self { code, summary, details }
    }
}
