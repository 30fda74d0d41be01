//! Errors in the original's words: class, message, place, the statement that reports it, causes.

use crate::explanation::Explanation;
use crate::location::{Files, Location};

/// The class of an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Class {
    Compiler,
    Parser,
    InvalidNamespaceAccess,
    Multi,
    InvalidModule,
    ModuleV2InV1Path,
    ModuleNotFound,
    InvalidMetadata,
    ModuleMetadataFileNotFound,
    ProjectNotFound,
    InvalidRelationPrecedenceRule,
    CycleInRelationPrecedencePolicy,
    Runtime,
    Typing,
    InvalidTypeAnnotation,
    Index,
    Cycle,
    IndexAttributeMissing,
    IndexCollision,
    DirectExecute,
    DataClass,
    DataClassMismatch,
    TypeNotFound,
    MissingImport,
    AmbiguousType,
    NotFound,
    Duplicate,
    ModifiedAfterFreeze,
    DoubleSet,
    External,
    ExplicitPlugin,
    OptionalValue,
    Key,
    Unset,
    Hyphen,
    UnexpectedReference,
    Wrapping,
    Attribute,
    PluginType,
    ModuleLoading,
    /// An error that the original raises as a bare Python exception.
    Python,
    /// Python's exception of this name.
    ZeroDivision,
}

impl Class {
    /// The Python module of the class in the original.
    pub fn module(self) -> &'static str {
        match self {
            Self::Parser | Self::InvalidNamespaceAccess => "inmanta.parser",
            Self::InvalidModule
            | Self::ModuleV2InV1Path
            | Self::InvalidMetadata
            | Self::ModuleLoading
            | Self::ModuleMetadataFileNotFound
            | Self::ModuleNotFound
            | Self::ProjectNotFound => "inmanta.module",
            Self::IndexAttributeMissing | Self::IndexCollision => {
                "inmanta.ast.statements.generator"
            }
            Self::CycleInRelationPrecedencePolicy | Self::InvalidRelationPrecedenceRule => {
                "inmanta.execute.scheduler"
            }
            Self::Python | Self::ZeroDivision => "builtins",
            _ => "inmanta.ast",
        }
    }

    /// The name of the class in the original.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compiler => "CompilerException",
            Self::Parser => "ParserException",
            Self::InvalidNamespaceAccess => "InvalidNamespaceAccess",
            Self::Multi => "MultiException",
            Self::InvalidModule => "InvalidModuleException",
            Self::ModuleV2InV1Path => "ModuleV2InV1PathException",
            Self::ModuleNotFound => "ModuleNotFoundException",
            Self::InvalidMetadata => "InvalidMetadata",
            Self::ModuleMetadataFileNotFound => "ModuleMetadataFileNotFound",
            Self::ProjectNotFound => "ProjectNotFoundException",
            Self::InvalidRelationPrecedenceRule => "InvalidRelationPrecedenceRuleError",
            Self::CycleInRelationPrecedencePolicy => "CycleInRelationPrecedencePolicyError",
            Self::Runtime => "RuntimeException",
            Self::Typing => "TypingException",
            Self::InvalidTypeAnnotation => "InvalidTypeAnnotation",
            Self::Index => "IndexException",
            Self::Cycle => "CycleException",
            Self::IndexAttributeMissing => "IndexAttributeMissingInConstructorException",
            Self::IndexCollision => "IndexCollisionException",
            Self::DirectExecute => "DirectExecuteException",
            Self::DataClass => "DataClassException",
            Self::DataClassMismatch => "DataClassMismatchException",
            Self::TypeNotFound => "TypeNotFoundException",
            Self::MissingImport => "MissingImportException",
            Self::AmbiguousType => "AmbiguousTypeException",
            Self::NotFound => "NotFoundException",
            Self::Duplicate => "DuplicateException",
            Self::ModifiedAfterFreeze => "ModifiedAfterFreezeException",
            Self::DoubleSet => "DoubleSetException",
            Self::External => "ExternalException",
            Self::ExplicitPlugin => "ExplicitPluginException",
            Self::OptionalValue => "OptionalValueException",
            Self::Key => "KeyException",
            Self::Unset => "UnsetException",
            Self::Hyphen => "HyphenException",
            Self::UnexpectedReference => "UnexpectedReference",
            Self::Wrapping => "WrappingRuntimeException",
            Self::Attribute => "AttributeException",
            Self::PluginType => "PluginTypeException",
            Self::ModuleLoading => "ModuleLoadingException",
            Self::Python => "Exception",
            Self::ZeroDivision => "ZeroDivisionError",
        }
    }

    /// The classes of the original that it extends, the nearest first; Python's own are left out.
    pub fn bases(self) -> &'static [&'static str] {
        match self {
            Self::Python | Self::ZeroDivision => &[],
            Self::Compiler => &["Exportable"],
            Self::Parser
            | Self::Multi
            | Self::InvalidMetadata
            | Self::ProjectNotFound
            | Self::InvalidRelationPrecedenceRule
            | Self::CycleInRelationPrecedencePolicy
            | Self::Runtime => &["CompilerException", "Exportable"],
            Self::InvalidNamespaceAccess => &["ParserException", "CompilerException", "Exportable"],
            Self::InvalidModule | Self::ModuleNotFound => {
                &["CompilerExceptionWithExtendedTrace", "CompilerException", "Exportable"]
            }
            Self::ModuleV2InV1Path | Self::ModuleMetadataFileNotFound => &[
                "InvalidModuleException",
                "CompilerExceptionWithExtendedTrace",
                "CompilerException",
                "Exportable",
            ],
            Self::InvalidTypeAnnotation
            | Self::Cycle
            | Self::IndexAttributeMissing
            | Self::DirectExecute
            | Self::DataClass
            | Self::Duplicate => {
                &["TypingException", "RuntimeException", "CompilerException", "Exportable"]
            }
            Self::DataClassMismatch => &[
                "DataClassException",
                "TypingException",
                "RuntimeException",
                "CompilerException",
                "Exportable",
            ],
            Self::MissingImport | Self::AmbiguousType => {
                &["TypeNotFoundException", "RuntimeException", "CompilerException", "Exportable"]
            }
            Self::ExplicitPlugin => {
                &["ExternalException", "RuntimeException", "CompilerException", "Exportable"]
            }
            Self::Attribute | Self::PluginType | Self::ModuleLoading => {
                &["WrappingRuntimeException", "RuntimeException", "CompilerException", "Exportable"]
            }
            _ => &["RuntimeException", "CompilerException", "Exportable"],
        }
    }

    /// Whether statements that an error passes through are noted in it.
    pub fn is_runtime(self) -> bool {
        !matches!(
            self,
            Self::Compiler
                | Self::Parser
                | Self::InvalidNamespaceAccess
                | Self::Multi
                | Self::InvalidModule
                | Self::ModuleV2InV1Path
                | Self::ModuleNotFound
                | Self::InvalidMetadata
                | Self::ModuleMetadataFileNotFound
                | Self::ProjectNotFound
                | Self::InvalidRelationPrecedenceRule
                | Self::CycleInRelationPrecedencePolicy
                | Self::Python
        )
    }

    fn importance(self) -> u32 {
        match self {
            Self::ModuleLoading => 5,
            Self::DataClass | Self::DataClassMismatch => 9,
            Self::Typing
            | Self::InvalidTypeAnnotation
            | Self::Index
            | Self::Cycle
            | Self::IndexAttributeMissing
            | Self::IndexCollision => 10,
            Self::DirectExecute => 11,
            Self::TypeNotFound | Self::MissingImport | Self::AmbiguousType | Self::NotFound => 20,
            Self::Duplicate => 40,
            Self::ModifiedAfterFreeze => 50,
            Self::DoubleSet => 51,
            Self::External | Self::ExplicitPlugin => 60,
            Self::OptionalValue => 61,
            Self::Key => 70,
            _ => 100,
        }
    }
}

/// A statement that reports an error.
#[derive(Clone, PartialEq, Debug)]
pub struct Reporter {
    /// The statement as the original prints it.
    pub text: String,
    /// Where it is.
    pub location: Option<Location>,
}

/// Facts about an error besides the original's message, for the diagnostic.
#[derive(Clone, Default, Debug)]
pub struct Background {
    /// Further places with texts about them.
    pub places: Vec<(Location, String)>,
    /// Suggestions.
    pub help: Vec<String>,
    /// Where the mistake is, if not where the original says, and the text for that place.
    pub focus: Option<(Location, String)>,
}

/// An error.
#[derive(Clone, Debug)]
pub struct Error {
    /// Its class.
    pub class: Class,
    /// The message.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// The statement that reports it.
    pub reporter: Option<Reporter>,
    /// Why.
    pub causes: Vec<Error>,
    /// The other one of two that collide.
    pub other: Option<Location>,
    /// The Python exception behind it, as `class: text`.
    pub python: Option<String>,
    /// Further facts for the diagnostic.
    pub background: Option<Box<Background>>,
    /// The original's long explanation.
    pub explanation: Option<Explanation>,
}

/// An error, in a box since it is rare and large.
pub type Result<T> = std::result::Result<T, Box<Error>>;

impl Error {
    /// An error without a place.
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
        })
    }

    /// A Python exception that the original does not catch.
    pub fn python(class: &str, text: impl Into<String>) -> Box<Self> {
        let text = text.into();
        let mut error = Self::new(Class::Python, text.clone());
        error.python = Some(format!("{class}: {text}"));
        error
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

    /// Suggests a name, if one is near.
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

    /// Notes the statement that it passes through: where none is noted yet, or always if it is to
    /// be replaced.
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

    fn importance(&self) -> u32 {
        match self.class {
            Class::Wrapping | Class::Attribute | Class::PluginType => {
                self.causes.first().map_or(100, |cause| cause.importance() + 1)
            }
            class => class.importance(),
        }
    }

    /// Several errors as one; the most important ones come first.
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

    /// The error in one line or paragraph, without causes.
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
