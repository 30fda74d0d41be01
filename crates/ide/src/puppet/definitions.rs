//! The definitions of classes, defines, functions and data types in all files.

use ecow::EcoString;
use ordain_puppet::syntax::{Definition, Expr, ExprId, Param, Program};
use ordain_puppet::validation::names::plain;

use super::docs;
use super::names::Symbol;
use crate::file::File;
use crate::snapshot::Analysis;

/// The deepest chain of classes that inherit from each other.
pub(crate) const MAX_ANCESTORS: usize = 64;

/// A definition in a program.
pub(crate) struct Found<'a> {
    pub(crate) file: &'a File,
    pub(crate) program: &'a Program,
    pub(crate) id: ExprId,
    pub(crate) definition: &'a Definition,
}

impl Found<'_> {
    /// The parameters.
    pub(crate) fn params(&self) -> &[Param] {
        match self.definition {
            Definition::Class { params, .. }
            | Definition::Define { params, .. }
            | Definition::Function { params, .. } => self.program.params(*params),
            _ => &[],
        }
    }

    /// The comment above the definition.
    pub(crate) fn comment(&self) -> String {
        docs::of(self.program, self.program.range(self.id).start)
    }
}

/// The definition of a class, define, function or data type.
pub(crate) fn definition<'a>(analysis: &'a Analysis, symbol: &Symbol) -> Option<Found<'a>> {
    let is_it = |definition: &Definition| match (symbol, definition) {
        (Symbol::Class(wanted), Definition::Class { name, .. })
        | (Symbol::Type(wanted), Definition::Define { name, .. })
        | (
            Symbol::Type(wanted),
            Definition::TypeAlias { name, .. } | Definition::TypeDefinition { name, .. },
        ) => plain(name) == *wanted,
        (Symbol::Function(wanted), Definition::Function { name, .. }) => {
            name.trim_start_matches("::") == wanted
        }
        _ => false,
    };
    analysis.files().find_map(|file| {
        let program = file.program()?;
        let mut all = program.definitions.iter();
        all.find_map(|&id| {
            let Expr::Definition(definition) = &program[id] else { return None };
            let definition = program.definition(*definition);
            is_it(definition).then_some(Found { file, program, id, definition })
        })
    })
}

/// The class or define of this name.
pub(crate) fn owner<'a>(analysis: &'a Analysis, name: &EcoString) -> Option<Found<'a>> {
    definition(analysis, &Symbol::Class(name.clone()))
        .or_else(|| definition(analysis, &Symbol::Type(name.clone())))
}

/// Whether a file defines a name.
pub(crate) fn declares(file: &File, symbol: &Symbol) -> bool {
    file.names.names.iter().any(|name| name.is_definition && name.symbol == *symbol)
}

/// A variable of a class or define, as one of the class that sets it: an ancestor, if the class itself
/// does not.
pub(crate) fn member(analysis: &Analysis, class: &EcoString, name: &EcoString) -> Symbol {
    let mut at = class.clone();
    for _ in 0..MAX_ANCESTORS {
        let symbol = Symbol::Member { owner: at.clone(), name: name.clone() };
        let Some(found) = owner(analysis, &at).filter(|_| !at.is_empty()) else { break };
        if declares(found.file, &symbol) {
            return symbol;
        }
        let Definition::Class { parent: Some(parent), .. } = found.definition else { break };
        at = plain(parent);
    }
    Symbol::Member { owner: class.clone(), name: name.clone() }
}
