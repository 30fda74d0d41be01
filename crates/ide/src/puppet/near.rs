//! Names of the repository that are similar to an unknown one.

use ordain_puppet::schema;
use ordain_puppet::syntax::Definition;
use ordain_puppet::validation::names::plain;
use ordain_source::{TextRange, suggest};

use super::complete::for_each_definition;
use super::definitions::{self, Found};
use super::functions;
use super::names::Symbol;
use crate::file::File;
use crate::snapshot::Analysis;

/// The class, function, type or parameter that is most similar to the unknown name in a range.
pub(crate) fn name(analysis: &Analysis, file: &File, at: TextRange) -> Option<String> {
    let symbol = &file.names.at(at.start).next()?.symbol;
    let mut known: Vec<String> = Vec::new();
    for_each_definition(analysis, |_, definition| match (symbol, definition) {
        (Symbol::Class(_), Definition::Class { name, .. })
        | (Symbol::Type(_), Definition::Define { name, .. }) => known.push(plain(name).to_string()),
        (Symbol::Function(_), Definition::Function { name, .. }) => known.push(name.to_string()),
        _ => {}
    });
    let name = match symbol {
        Symbol::Class(name) => name,
        Symbol::Type(name) => {
            known.extend(schema::TYPES.iter().map(|ty| ty.name.to_owned()));
            name
        }
        Symbol::Function(name) => {
            known.extend(functions::builtin().map(|function| function.name.to_owned()));
            name
        }
        Symbol::Member { owner, name } => {
            let found = definitions::owner(analysis, owner);
            known.extend(found.iter().flat_map(Found::params).map(|param| param.name.to_string()));
            let kind = ordain_kinds::of_puppet(owner).into_iter();
            let attributes = kind.flat_map(|(kind, _)| kind.puppet_attributes());
            known.extend(attributes.map(|attribute| attribute.name.to_owned()));
            name
        }
        _ => return None,
    };
    suggest::nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}
