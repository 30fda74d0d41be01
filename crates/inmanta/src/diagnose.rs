//! Errors and warnings as diagnostics with excerpts.

use ordain_source::{CodeDoc, Diagnostic, FileId, SourceFile, SourceMap, Span, TextRange};

use crate::error::{Class, Error};
use crate::location::Location;
use crate::program::Warning;
use crate::syntax::Doubt;

/// The codes of this front end.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "inmanta::deploy",
        summary: "a resource cannot be applied on this machine",
        details: "A plan is for one machine: the resources of one agent. `--node NAME` says whose \
                  if a model has several. Resources that are reached over a connection, that need \
                  values which are computed while they are deployed, or that two resources of the \
                  model describe differently cannot be applied here.",
    },
    CodeDoc {
        code: "inmanta::doubtful",
        summary: "something is allowed but hardly meant",
        details: "A bare constant is a statement that does nothing. Most often a blank is missing \
                  behind a minus: `x = 3 -1` is `x = 3` and a statement `-1`. Write `x = 3 - 1`.",
    },
    CodeDoc {
        code: "inmanta::duplicate",
        summary: "something is defined twice, or an index has a key twice",
        details: "Names are defined once in a namespace, attributes once in an entity, and there is \
                  one instance for each key of an index:\n\n    entity A:\n    end\n    entity \
                  A:\n    end\n\nRename one of them.",
    },
    CodeDoc {
        code: "inmanta::incomplete",
        summary: "an instance lacks values at the end",
        details: "Every attribute and every relation needs its values when the model is complete. \
                  The first label is where the instance is made, the second what is missing: \
                  `Host()` lacks a name where `Host` has `string name`. Often several instances are incomplete because one value is missing.",
    },
    CodeDoc {
        code: "inmanta::invalid-definition",
        summary: "a definition does not fit others",
        details: "An entity that extends itself, such as `entity A extends A:`, an index over a \
                  list, an implementation for another entity. The message says which.",
    },
    CodeDoc {
        code: "inmanta::invalid-value",
        summary: "a value does not fit where it is used",
        details: "Attributes take what their type says: `int n` takes no text. Conditions take \
                  `true` and `false` only. The causes say which check failed.",
    },
    CodeDoc {
        code: "inmanta::module",
        summary: "a module or a project cannot be loaded",
        details: "Modules are looked for in the directories of `modulepath` in project.yml and in \
                  the installed Python packages.",
    },
    CodeDoc {
        code: "inmanta::modified-after-freeze",
        summary: "a relation gets a value after it was taken as complete",
        details: "A relation to several instances is complete when no statement is known that adds \
                  to it and something needs all of it, such as `std::count(x.items)`. The labels \
                  say who needed it, and what came too late. What stands inside of `if` and `for` \
                  is announced before it runs; what implementations add is not. Assign from the \
                  other end, or set `relation_precedence_policy` in project.yml.",
    },
    CodeDoc {
        code: "inmanta::not-found",
        summary: "a name means nothing here",
        details: "Types of other modules need an `import`, and are written with their namespace: \
                  `import a` and `a::T`. Variables are those of the blocks around and of the file.",
    },
    CodeDoc {
        code: "inmanta::plugin",
        summary: "a plugin failed",
        details: "The message is that of the plugin's function. `std::at([], 0)` fails so, as \
                  there is no first item.",
    },
    CodeDoc {
        code: "inmanta::runtime",
        summary: "the model fails while it runs",
        details: "The message says why; the labels say where. `x = 1 / 0` fails so.",
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
        details: "Variables that hide others, deprecated types and plugins. Where `x` is a \
                  variable of the file, `x = 1` in an implementation makes another one.",
    },
];

/// The code of a class of errors.
fn code(class: Class) -> &'static str {
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

/// The bytes of a place; of a whole line those without its blanks.
pub(crate) fn span(at: Location, sources: &SourceMap) -> Option<Span> {
    if at.file == u32::MAX || at.line == 0 {
        return None;
    }
    let id = FileId(at.file);
    let file = sources.file(id);
    let start = offset(&file, at.line)?;
    let text = file.line_text(at.line);
    let within = |text: &str, column: u32| {
        text.char_indices().nth(column.saturating_sub(1) as usize).map_or(text.len(), |(i, _)| i)
    };
    let (from, to) = if at.is_range() {
        let end_start = offset(&file, at.end_line)?;
        let end = end_start + within(file.line_text(at.end_line), at.end_column) as u32;
        (start + within(text, at.column) as u32, end)
    } else {
        let blanks = text.len() - text.trim_start().len();
        (start + blanks as u32, start + text.trim_end().len().max(blanks) as u32)
    };
    Some(Span { file: id, range: TextRange::new(from, to.max(from)) })
}

/// The byte where a line begins.
fn offset(file: &SourceFile, line: u32) -> Option<u32> {
    let text = file.line_text(line);
    let base = file.text.as_ptr().addr();
    let at = text.as_ptr().addr();
    let end = file.text.len() as u32;
    match at >= base && at <= base + file.text.len() {
        true => Some((at - base) as u32),
        // Behind the last line the file ends.
        false => (line >= file.line(end)).then_some(end),
    }
}

/// The last cause, which names the real fault.
fn root(error: &Error) -> &Error {
    let mut error = error;
    while let (true, Some(cause)) = (error.class != Class::Multi, error.causes.first()) {
        error = cause;
    }
    error
}

/// Where the mistake is, as any of the errors in a row says.
fn focus(error: &Error) -> Option<&(Location, String)> {
    let own = error.background.as_ref().and_then(|background| background.focus.as_ref());
    own.or_else(|| error.causes.first().and_then(focus))
}

/// Where a statement reads or sets an attribute that does not exist, if it names it once.
fn attribute_within(error: &Error, place: Span, sources: &SourceMap) -> Option<Span> {
    let rest = error.message.strip_prefix("could not find attribute with name: ")?;
    let name = rest.split(' ').next()?;
    let file = sources.file(place.file);
    let text = file.text.get(place.range.start as usize..place.range.end as usize)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found = text.match_indices(name).filter(|(at, _)| {
        text[..*at].ends_with('.') && !text[at + name.len()..].starts_with(is_word)
    });
    let (at, _) = found.next().filter(|_| found.clone().next().is_none())?;
    let start = place.range.start + at as u32;
    Some(TextRange::new(start, start + name.len() as u32).in_file(place.file))
}

/// An error as diagnostics: one, or one for each of several.
pub fn errors(error: &Error, sources: &SourceMap) -> Vec<Diagnostic> {
    if error.class == Class::Multi {
        return error.causes.iter().flat_map(|cause| errors(cause, sources)).collect();
    }
    let cause = root(error);
    let mut message = cause.message.trim_end().to_owned();
    if let Some(python) = &cause.python {
        message = match cause.class {
            Class::Python => python.clone(),
            _ => format!("{message}: {python}"),
        };
    }
    let mut out = Diagnostic::error(code(cause.class), message).issue(error.class.name());
    let place = cause.location.or(error.location).and_then(|at| span(at, sources));
    if let Some(place) = place {
        out = out.at(place);
    }
    if let Some(other) = cause.other.and_then(|at| span(at, sources)) {
        out = out.related(other, "the other one");
    }
    // A place that names the attribute is enough.
    if !std::ptr::eq(cause, error)
        && focus(error).is_none()
        && let Some(outer) = error.location.and_then(|at| span(at, sources))
        && Some(outer) != place
    {
        out = out.related(outer, error.message.clone());
    }
    if cause.class == Class::Parser
        && let Some(place) = place
    {
        out = crate::hint::with_hints(out, place, &sources.file(place.file));
    }
    if let Some((at, text)) = focus(error)
        && let Some(found) = span(*at, sources)
    {
        out = out.move_to(found, text.clone());
    } else if let Some(found) = place.and_then(|place| attribute_within(cause, place, sources)) {
        out = out.move_to(found, "");
    }
    if let Some(background) = &cause.background {
        for (at, text) in &background.places {
            if let Some(found) = span(*at, sources) {
                out = out.related(found, text.clone());
            }
        }
        for help in &background.help {
            out = out.help(help.clone());
        }
    }
    vec![out]
}

/// A warning as a diagnostic.
pub fn warning(found: &Warning, sources: &SourceMap) -> Diagnostic {
    let out =
        Diagnostic::warning("inmanta::warning", found.text.clone()).issue(found.class.to_string());
    match found.at.and_then(|at| span(at, sources)) {
        Some(at) => out.at(at),
        None => out,
    }
}

/// A likely mistake as a diagnostic.
pub fn doubt(found: &Doubt, sources: &SourceMap) -> Diagnostic {
    let out = Diagnostic::warning("inmanta::doubtful", found.text.clone());
    match span(found.at, sources) {
        Some(at) => out.at(at),
        None => out,
    }
}
