//! The diagnostic codes of this front end.

use ordain_source::CodeDoc;

use super::class::Class;

/// The codes of this front end.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "inmanta::deploy",
        summary: "a resource cannot be applied on this machine",
        details: "A plan is for one machine: the resources of one agent. `--node NAME` selects \
                  the agent if a model has several. Resources that are reached over a connection, that need \
                  values which are computed while they are deployed, or that two resources of the \
                  model describe differently cannot be applied here.",
    },
    CodeDoc {
        code: "inmanta::doubtful",
        summary: "the code is allowed but is probably a mistake",
        details: "A bare constant is a statement that does nothing. Most often a blank is missing \
                  after a minus: `x = 3 -1` is `x = 3` and a statement `-1`. Write `x = 3 - 1`.",
    },
    CodeDoc {
        code: "inmanta::duplicate",
        summary: "a duplicate definition or index key",
        details: "Names are defined once in a namespace, attributes once in an entity, and there is \
                  one instance for each key of an index:\n\n    entity A:\n    end\n    entity \
                  A:\n    end\n\nRename one of them.",
    },
    CodeDoc {
        code: "inmanta::incomplete",
        summary: "an instance lacks values at the end",
        details: "Every attribute and every relation needs its values when the model is complete. \
                  The first label is the constructor, the second the missing attribute: \
                  `Host()` lacks a name where `Host` has `string name`. Often several instances are incomplete because one value is missing.",
    },
    CodeDoc {
        code: "inmanta::invalid-definition",
        summary: "contradicting definitions",
        details: "An entity that extends itself, such as `entity A extends A:`, an index over a \
                  list, an implementation for another entity. The message names the conflict.",
    },
    CodeDoc {
        code: "inmanta::invalid-value",
        summary: "a value has the wrong type",
        details: "Values must have the type of the attribute: `int n` accepts no text. Conditions \
                  must be `true` or `false`. The causes show the failed check.",
    },
    CodeDoc {
        code: "inmanta::module",
        summary: "a module or a project cannot be loaded",
        details: "Modules are looked for in the directories of `modulepath` in project.yml and in \
                  the installed Python packages.",
    },
    CodeDoc {
        code: "inmanta::modified-after-freeze",
        summary: "a relation gets a value after it was considered complete",
        details: "A relation to several instances is complete when no known statement can add to \
                  it and an expression needs all of it, such as `std::count(x.items)`. The labels \
                  show that expression and the late value. Assignments inside `if` and `for` are \
                  announced before they run; those in implementations are not. Assign from the \
                  other end, or set `relation_precedence_policy` in project.yml.",
    },
    CodeDoc {
        code: "inmanta::not-found",
        summary: "a name is not defined here",
        details: "Types of other modules need an `import`, and are written with their namespace: \
                  `import a` and `a::T`. Variables are those of the blocks around and of the file.",
    },
    CodeDoc {
        code: "inmanta::plugin",
        summary: "a plugin failed",
        details: "The message comes from the plugin. `std::at([], 0)` fails, since there is no \
                  first item.",
    },
    CodeDoc {
        code: "inmanta::runtime",
        summary: "the model fails while it runs",
        details: "For example, `x = 1 / 0` divides by zero.",
    },
    CodeDoc {
        code: "inmanta::set-twice",
        summary: "a variable or attribute is set to two values",
        details: "Variables and attributes have one value: `x = 1` and `x = 2` contradict each \
                  other. Setting the same value again is allowed.",
    },
    CodeDoc {
        code: "inmanta::syntax",
        summary: "a model cannot be parsed",
        details: "There is no unary minus (`y = -x` is written `y = 0 - x`), no attribute access on the result of a call, and no \
                  positional argument of a constructor.",
    },
    CodeDoc {
        code: "inmanta::warning",
        summary: "a warning of the language",
        details: "Variables that hide others, deprecated types and plugins. If `x` is a \
                  variable of the file, `x = 1` in an implementation creates another one.",
    },
];

/// The code of a class of errors.
pub(super) fn code(class: Class) -> &'static str {
    match class {
        Class::Parser | Class::InvalidNamespaceAccess | Class::Hyphen => "inmanta::syntax",
        Class::Duplicate | Class::IndexCollision => "inmanta::duplicate",
        Class::Unset | Class::Multi => "inmanta::incomplete",
        Class::Cycle
        | Class::Index
        | Class::IndexAttributeMissing
        | Class::DataClass
        | Class::DataClassMismatch
        | Class::InvalidTypeAnnotation
        | Class::InvalidRelationPrecedenceRule
        | Class::CycleInRelationPrecedencePolicy => "inmanta::invalid-definition",
        Class::Typing | Class::DirectExecute | Class::UnexpectedReference | Class::PluginType => {
            "inmanta::invalid-value"
        }
        Class::InvalidModule
        | Class::ModuleV2InV1Path
        | Class::ModuleNotFound
        | Class::InvalidMetadata
        | Class::ModuleMetadataFileNotFound
        | Class::ProjectNotFound
        | Class::ModuleLoading => "inmanta::module",
        Class::ModifiedAfterFreeze => "inmanta::modified-after-freeze",
        Class::TypeNotFound | Class::MissingImport | Class::AmbiguousType | Class::NotFound => {
            "inmanta::not-found"
        }
        Class::External | Class::ExplicitPlugin => "inmanta::plugin",
        Class::DoubleSet => "inmanta::set-twice",
        _ => "inmanta::runtime",
    }
}
