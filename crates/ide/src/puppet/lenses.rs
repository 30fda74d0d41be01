//! The texts above definitions: the numbers of their references and of the nodes that use them, and
//! plans.

use ordain_puppet::syntax::{Definition, Expr, ExprId};
use ordain_puppet::validation::names::plain;
use rustc_hash::FxHashMap;

use super::calls::is_callable;
use super::find::unquoted;
use super::names::{Name, Symbol};
use crate::file::File;
use crate::language::Language;
use crate::snapshot::Analysis;
use crate::types::{Lens, Place};

/// The key of Hiera's data that is no value.
const LOOKUP_OPTIONS: &str = "lookup_options";

/// All lenses of a file.
pub(crate) fn lenses(analysis: &Analysis, file: &File) -> Vec<Lens> {
    let mut out = match file.language {
        Some(Language::Puppet) => references(analysis, file),
        Some(Language::Data) => Vec::new(),
        _ => return Vec::new(),
    };
    if !analysis.is_cancelled() {
        out.extend(usage(analysis, file));
        out.extend(plans(analysis, file));
    }
    out
}

/// The definitions of a file that others can use.
fn callables(file: &File) -> Vec<&Name> {
    let names = file.names.names.iter();
    names.filter(|name| name.is_definition && is_callable(&name.symbol)).collect()
}

/// The names of the classes and defines of a file, as far as they are not those of data types.
fn containers(file: &File) -> Vec<&Name> {
    let Some(program) = file.program() else { return Vec::new() };
    let symbol = |id: &ExprId| match &program[*id] {
        Expr::Definition(definition) => match program.definition(*definition) {
            Definition::Class { name, .. } => Some(Symbol::Class(plain(name))),
            Definition::Define { name, .. } => Some(Symbol::Type(plain(name))),
            _ => None,
        },
        _ => None,
    };
    let known: Vec<Symbol> = program.definitions.iter().filter_map(symbol).collect();
    callables(file).into_iter().filter(|name| known.contains(&name.symbol)).collect()
}

fn text(file: &File, name: &Name, text: String) -> Lens {
    Lens { place: Place::new(&file.path, name.range), text, plan: None }
}

/// The number of references of each definition.
fn references(analysis: &Analysis, file: &File) -> Vec<Lens> {
    let own = callables(file);
    let mut counts: FxHashMap<&Symbol, usize> = own.iter().map(|name| (&name.symbol, 0)).collect();
    if own.is_empty() {
        return Vec::new();
    }
    for file in analysis.files() {
        if analysis.is_cancelled() {
            return Vec::new();
        }
        for name in file.names.names.iter().filter(|name| !name.is_definition) {
            if let Some(count) = counts.get_mut(&name.symbol) {
                *count += 1;
            }
        }
    }
    let lens = |name: &Name| {
        let count = counts.get(&name.symbol).copied().unwrap_or_default();
        let references = if count == 1 { "reference" } else { "references" };
        text(file, name, format!("{count} {references}"))
    };
    own.into_iter().map(lens).collect()
}

/// The number of nodes that use each class, define and key of data, as far as they are known.
fn usage(analysis: &Analysis, file: &File) -> Vec<Lens> {
    let Some(usage) = analysis.usage(&file.path) else { return Vec::new() };
    let of_definition = |name: &Name| match &name.symbol {
        Symbol::Class(owner) | Symbol::Type(owner) => {
            Some(text(file, name, usage.of_definition(owner)?))
        }
        _ => None,
    };
    let mut out: Vec<Lens> = containers(file).into_iter().filter_map(of_definition).collect();
    for key in file.keys().into_iter().filter(|key| key.name != LOOKUP_OPTIONS) {
        let place = Place::new(&file.path, unquoted(file, key.range));
        let text = usage.of_key(&file.path, key.name);
        out.extend(text.map(|text| Lens { place, text, plan: None }));
    }
    out
}

/// The plans: of each node that a node definition names, and of the chosen node above the other
/// definitions.
fn plans(analysis: &Analysis, file: &File) -> Vec<Lens> {
    let Some(program) = file.program() else { return Vec::new() };
    let plan = |range, node: &str| Lens {
        place: Place::new(&file.path, range),
        text: format!("plan {node}"),
        plan: Some(node.to_owned()),
    };
    let mut out = Vec::new();
    for &id in &program.definitions {
        let Expr::Definition(definition) = &program[id] else { continue };
        let Definition::Node { matches, .. } = program.definition(*definition) else { continue };
        for &id in program.list(*matches) {
            if let Expr::Str(name) = &program[id] {
                out.push(plan(program.range(id), &name.as_str().to_lowercase()));
            }
        }
    }
    let chosen = analysis.node();
    let named = containers(file).into_iter();
    out.extend(named.filter_map(|name| chosen.map(|node| plan(name.range, node))));
    out
}
