//! The classes of errors, with the names and bases that they have in the original.

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
    /// A Python exception that the original does not convert.
    Python,
    /// Python's `ZeroDivisionError`.
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

    /// The base classes in the original, the nearest first, without Python's own classes.
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

    /// Whether errors of this class record the statements that they pass through.
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

    /// The rank of the class among several errors; small numbers come first.
    pub(super) fn importance(self) -> u32 {
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
