//! Errors in the original's words: class, message, place, the statement that reports it, causes.

use super::class::Class;
use super::exception::Exception;
use super::explanation::Explanation;
use crate::location::{Files, Location};

/// The classes with explanations, in the order in which the explanations are printed.
const EXPLAINED: [Class; 4] = [
    Class::ModifiedAfterFreeze,
    Class::ModuleV2InV1Path,
    Class::IndexCollision,
    Class::DataClassMismatch,
];

/// The heading of the explanations.
const EXPLANATION_HEAD: &str = "\nException explanation\n=====================\n";

/// A statement that reports an error.
#[derive(Clone, PartialEq, Debug)]
pub struct Reporter {
    /// The statement as the original prints it.
    pub text: String,
    /// The place.
    pub location: Option<Location>,
}

/// Facts that the diagnostic shows beside the original's message.
#[derive(Clone, Default, Debug)]
pub struct Background {
    /// Related places with their labels.
    pub places: Vec<(Location, String)>,
    /// Suggestions.
    pub help: Vec<String>,
    /// The place of the mistake with its label, if it is not the one that the original reports.
    pub focus: Option<(Location, String)>,
}

/// Faults that code treats differently from others of the same class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// No token begins with this text.
    IllegalCharacter(String),
    /// The parser expected another token. The text is that of the message.
    UnexpectedToken(String),
    /// The file ends too early.
    UnexpectedEnd,
    /// An entity has no attribute of this name.
    UnknownAttribute(String),
    /// A value does not satisfy the condition of its typedef.
    UnmetCondition,
    /// A plugin refuses its arguments with this message.
    Refused(String),
    /// An exception that the original does not catch.
    Raised(Exception),
}

/// An error.
#[derive(Clone, Debug)]
pub struct Error {
    /// Its class.
    pub class: Class,
    /// The message.
    pub message: String,
    /// The place.
    pub location: Option<Location>,
    /// The statement that reports it.
    pub reporter: Option<Reporter>,
    /// The causes.
    pub causes: Vec<Error>,
    /// The place of the other definition if two collide.
    pub other: Option<Location>,
    /// The Python exception that caused it, as `class: text`.
    pub python: Option<String>,
    /// Further facts for the diagnostic.
    pub background: Option<Box<Background>>,
    /// The original's long explanation.
    pub explanation: Option<Explanation>,
    /// The fault, if code treats it differently from others of its class.
    pub fault: Option<Fault>,
}

/// A result with a boxed error: errors are rare and large.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl Error {
    /// Creates an error without a place.
    pub fn new(class: Class, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            class,
            message: message.into(),
            location: None,
            reporter: None,
            causes: Vec::new(),
            other: None,
            python: None,
            background: None,
            explanation: None,
            fault: None,
        })
    }

    /// A Python exception that the original does not catch.
    pub fn python(exception: &Exception, text: impl Into<String>) -> Box<Self> {
        let text = text.into();
        let mut error = Self::new(Class::Python, text.clone());
        error.python = Some(format!("{exception}: {text}"));
        error.with_fault(Fault::Raised(exception.clone()))
    }

    /// Sets the fault.
    pub fn with_fault(mut self: Box<Self>, fault: Fault) -> Box<Self> {
        self.fault = Some(fault);
        self
    }

    /// Sets the place if there is none.
    pub fn at(mut self: Box<Self>, location: Location) -> Box<Self> {
        if self.location.is_none() {
            self.location = Some(location);
        }
        self
    }

    /// Sets the statement that reports it, with its place.
    pub fn by(mut self: Box<Self>, text: impl Into<String>, location: Location) -> Box<Self> {
        if self.location.is_none() {
            self.location = Some(location);
        }
        self.reporter = Some(Reporter { text: text.into(), location: Some(location) });
        self
    }

    /// Suggests a similar name, if there is one.
    pub fn meaning(mut self: Box<Self>, near: Option<&str>) -> Box<Self> {
        if let Some(near) = near {
            let help = format!("did you mean `{near}`?");
            self.background.get_or_insert_default().help.push(help);
        }
        self
    }

    /// Adds a cause.
    pub fn caused_by(mut self: Box<Self>, cause: Box<Self>) -> Box<Self> {
        self.causes.push(*cause);
        self
    }

    /// Records the statement that the error passes through: only if there is none yet, or always if
    /// `replace` is set.
    pub fn set_reporter(&mut self, replace: bool, reporter: &dyn Fn() -> Reporter) {
        if !self.class.is_runtime() {
            return;
        }
        for cause in &mut self.causes {
            cause.set_reporter(replace, reporter);
        }
        if !replace && self.reporter.is_some() {
            return;
        }
        let new = reporter();
        let old = self.reporter.as_ref().map(|r| r.location);
        if self.location.is_none() || old == Some(self.location) {
            self.location = new.location;
        }
        self.reporter = Some(new);
    }

    /// The explanations of the error and its causes; `None` if no class of them has one.
    pub fn explained(&self) -> Option<String> {
        let mut all = Vec::new();
        self.collect_explanations(&mut all);
        all.sort_by_key(|(class, _)| EXPLAINED.iter().position(|known| known == class));
        let texts: Vec<String> = all.into_iter().map(|(_, text)| text).collect();
        (!texts.is_empty()).then(|| format!("{EXPLANATION_HEAD}{}", texts.join("\n\n")))
    }

    fn collect_explanations(&self, out: &mut Vec<(Class, String)>) {
        match &self.explanation {
            Some(Explanation::Text(text)) => out.push((self.class, text.clone())),
            Some(Explanation::LateAssignment(late)) => out.push((self.class, late.text())),
            None => {}
        }
        self.causes.iter().for_each(|cause| cause.collect_explanations(out));
    }

    fn importance(&self) -> u32 {
        match self.class {
            Class::Wrapping | Class::Attribute | Class::PluginType => {
                self.causes.first().map_or(100, |cause| cause.importance() + 1)
            }
            class => class.importance(),
        }
    }

    /// Combines errors; the most important ones come first.
    pub fn several(mut errors: Vec<Self>, files: &Files) -> Box<Self> {
        if errors.len() == 1
            && let Some(only) = errors.pop()
        {
            return Box::new(only);
        }
        errors.sort_by_cached_key(|error| {
            let place = error.location.map(|at| (files.name(at.file).to_owned(), at.line));
            (error.importance(), place.unwrap_or_default())
        });
        let mut out = Self::new(Class::Multi, "");
        out.causes = errors;
        out
    }

    /// The text of the error without causes.
    pub fn format(&self, files: &Files) -> String {
        let place = |at: Option<Location>| at.map_or_else(|| "None".into(), |at| files.show(at));
        match (&self.reporter, self.class) {
            (_, Class::Multi) => format!("Reported {} errors", self.causes.len()),
            (_, Class::Duplicate) => format!(
                "{} (original at ({})) (duplicate at ({}))",
                self.message,
                place(self.location),
                place(self.other)
            ),
            (Some(reporter), class) if class.is_runtime() => {
                let at = place(self.location);
                format!("{} (reported in {} ({at}))", self.message, reporter.text)
            }
            _ => match self.location {
                Some(at) if self.class != Class::Python => {
                    format!("{} ({})", self.message, files.show(at))
                }
                _ => self.message.clone(),
            },
        }
    }

    /// The error with all its causes, as the original's command prints it.
    pub fn trace(&self, files: &Files) -> String {
        self.trace_at(files, 0)
    }

    fn trace_at(&self, files: &Files, level: usize) -> String {
        let indent = "  ".repeat(level);
        let mut out = indent.clone() + &self.format(files);
        if let Some(python) = &self.python
            && self.class != Class::Python
        {
            out = indent.clone() + &self.format(files).replace('\n', &format!("\n{indent}"));
            out.push_str(&format!("\n{indent}caused by:\n{indent}  {python}\n"));
            return out;
        }
        for (i, cause) in self.causes.iter().enumerate() {
            let word = match self.class {
                Class::Multi => format!("error {i}:"),
                _ => "caused by:".into(),
            };
            out.push_str(&format!("\n{indent}{word}\n{}", cause.trace_at(files, level + 1)));
        }
        out
    }
}
