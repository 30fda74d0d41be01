//! Errors of a program, with the phase that finds them, in the original's words.

use ordain_source::{Diagnostic, Span, TextRange};

use crate::{codes, resources};

/// The phases of a compile, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// Text to tree.
    LexParse,
    /// The shape of statements.
    Init,
    /// The content of strings.
    Interpolate,
    /// Names.
    SetScope,
    /// Types.
    Unify,
    /// The function graph.
    Graph,
    /// Its evaluation.
    Stream,
    /// From values to resources.
    Interpret,
    /// Edges that kinds of resources add by themselves.
    AutoEdge,
}

impl Phase {
    /// The name for errors of this phase in the original.
    pub fn class(self) -> &'static str {
        match self {
            Self::LexParse => "errLexParse",
            Self::Init => "errInit",
            Self::Interpolate => "errInterpolate",
            Self::SetScope => "errSetScope",
            Self::Unify => "errUnify",
            Self::Graph => "errGraph",
            Self::Stream => "errStream",
            Self::Interpret => "errInterpret",
            Self::AutoEdge => "errAutoEdge",
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::LexParse => codes::SYNTAX,
            Self::Init => codes::SHAPE,
            Self::Interpolate => codes::STRING,
            Self::SetScope => codes::NAME,
            Self::Unify => codes::TYPE,
            Self::Graph | Self::Interpret | Self::AutoEdge => codes::RESOURCE,
            Self::Stream => codes::EVALUATION,
        }
    }
}

/// An error with its places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The phase that found it.
    pub phase: Phase,
    /// The error in the original's words.
    pub text: String,
    /// The error in plain words, if they differ.
    pub plain: Option<Box<str>>,
    /// The places, from the innermost level of imports outwards. A level may have several.
    pub places: Vec<Vec<Span>>,
    /// Whether the original reports no place.
    pub is_placeless: bool,
    /// Related places with their notes.
    pub related: Vec<(Span, String)>,
    /// The place of the mistake, if the original reports another one, with a note.
    pub focus: Option<Box<(Span, String)>>,
    /// Advice.
    pub help: Option<Box<str>>,
}

impl Failure {
    /// An error at a place.
    pub fn new(phase: Phase, text: impl Into<String>, span: Span) -> Self {
        Self {
            phase,
            text: text.into(),
            plain: None,
            places: vec![vec![span]],
            is_placeless: false,
            related: Vec::new(),
            focus: None,
            help: None,
        }
    }

    /// The error for an unknown kind, whose name begins at the span.
    pub(crate) fn unknown_kind(text: String, kind: &str, span: Span) -> Self {
        let range = TextRange::new(span.range.start, span.range.start + kind.len() as u32);
        let failure = Self::new(Phase::Interpret, text, span)
            .pointing(range.in_file(span.file), "not a kind of resource");
        let failure = failure.in_plain_words(format!("no resource kind `{kind}` available"));
        failure.meaning(resources::nearest(kind))
    }

    /// The same in plain words.
    pub(crate) fn in_plain_words(self, plain: impl Into<String>) -> Self {
        Self { plain: Some(plain.into().into()), ..self }
    }

    /// Puts the words of an enclosing step before the message.
    pub(crate) fn wrap(&mut self, prefix: &str) {
        self.text.insert_str(0, &format!("{prefix}: "));
        if let Some(plain) = &mut self.plain {
            *plain = format!("{prefix}: {plain}").into();
        }
    }

    /// The same, if the original reports no place.
    pub fn placeless(self) -> Self {
        Self { is_placeless: true, ..self }
    }

    /// Suggests a name, if one is near.
    pub fn meaning(mut self, near: Option<impl std::fmt::Display>) -> Self {
        self.help = near.map(|near| format!("did you mean `{near}`?").into()).or(self.help);
        self
    }

    /// Says where the mistake is.
    pub fn pointing(mut self, span: Span, text: impl Into<String>) -> Self {
        self.focus = Some(Box::new((span, text.into())));
        self
    }

    /// Adds a place that matters.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }

    /// As a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let text = self.plain.as_deref().unwrap_or(&self.text);
        let mut found = Diagnostic::error(self.phase.code(), text.to_owned());
        let mut places = self.places.iter().flatten();
        if let Some(first) = places.next() {
            found = found.at(*first);
        }
        for span in places {
            found = found.related(*span, "");
        }
        for (span, text) in &self.related {
            found = found.related(*span, text.clone());
        }
        if let Some((span, text)) = self.focus.as_deref() {
            found = found.move_to(*span, text.clone());
        }
        if let Some(help) = &self.help {
            found = found.help(help.to_string());
        }
        found.issue(self.phase.class())
    }
}
