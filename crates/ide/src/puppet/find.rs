//! The definitions and uses of a name in all files.

use std::path::PathBuf;

use ecow::EcoString;
use ordain_puppet::syntax::{Definition, Expr};
use ordain_puppet::validation::names::{plain, split_name};
use ordain_source::TextRange;
use rustc_hash::FxHashMap;

use super::definitions::{declares, definition, member};
use super::names::{Name, Symbol};
use super::templates;
use crate::file::File;
use crate::language::Language;
use crate::snapshot::Analysis;
use crate::types::Place;

/// The name at a place of a file, as the thing that it means in the whole repository.
pub(crate) fn symbol_at(
    analysis: &Analysis,
    file: &File,
    offset: u32,
) -> Option<(Symbol, TextRange)> {
    match file.language? {
        Language::Puppet => {
            let name = file.names.at(offset).next()?;
            Some((canonical(analysis, name), name.range))
        }
        Language::Data => {
            let keys = file.keys();
            let key = keys.iter().find(|k| k.range.start <= offset && offset <= k.range.end)?;
            Some((key_symbol(analysis, key.name), unquoted(file, key.range)))
        }
        Language::Erb => templates::symbol_at(analysis, file, offset),
        Language::Mcl | Language::Inmanta | Language::Dynaml => None,
    }
}

/// The parameter of a class that a key sets, or the key.
pub(crate) fn key_symbol(analysis: &Analysis, key: &str) -> Symbol {
    if let Some((owner, name)) = split_name(key) {
        let owner = plain(owner);
        let class = definition(analysis, &Symbol::Class(owner.clone()));
        if class.is_some_and(|class| class.params().iter().any(|param| param.name == name)) {
            return Symbol::Member { owner, name: name.into() };
        }
    }
    Symbol::Key(key.into())
}

/// The thing that a name means: an inherited variable is one of the class that sets it.
fn canonical(analysis: &Analysis, name: &Name) -> Symbol {
    match &name.symbol {
        Symbol::Key(key) => key_symbol(analysis, key),
        Symbol::Member { owner, name } => member(analysis, owner, name),
        other => other.clone(),
    }
}

/// The places where a name is defined.
pub(crate) fn definitions(analysis: &Analysis, file: &File, offset: u32) -> Vec<Place> {
    let Some((symbol, _)) = symbol_at(analysis, file, offset) else { return Vec::new() };
    match &symbol {
        Symbol::Template(name) => {
            return analysis
                .module_file(&file.path, "templates", name)
                .into_iter()
                .map(start)
                .collect();
        }
        Symbol::File(name) => {
            return analysis
                .module_file(&file.path, "files", name)
                .into_iter()
                .map(start)
                .collect();
        }
        Symbol::Key(key) => return key_places(analysis, key),
        _ => {}
    }
    let mut found = places(analysis, file, &symbol, |name| name.is_definition);
    if found.is_empty() {
        found = analysis.ruby_definition(&file.path, &symbol).into_iter().map(start).collect();
    }
    // The first assignment of a variable is its definition.
    if matches!(symbol, Symbol::Local { .. } | Symbol::Member { .. }) {
        found.truncate(1);
    }
    found
}

fn start(path: PathBuf) -> Place {
    Place::new(path, TextRange::default())
}

/// The places of a key in all data.
fn key_places(analysis: &Analysis, key: &str) -> Vec<Place> {
    let of_file = |file: &File| {
        let keys = file.keys();
        let found = keys.iter().filter(|found| found.name == key);
        let found = found.map(|found| Place::new(&file.path, unquoted(file, found.range)));
        found.collect::<Vec<_>>()
    };
    analysis.files().flat_map(of_file).collect()
}

/// All places of a name: in manifests, data and templates.
pub(crate) fn references(
    analysis: &Analysis,
    file: &File,
    offset: u32,
    with_definition: bool,
) -> Vec<Place> {
    let Some((symbol, _)) = symbol_at(analysis, file, offset) else { return Vec::new() };
    let mut out = places(analysis, file, &symbol, |name| with_definition || !name.is_definition);
    match &symbol {
        Symbol::Member { owner, name } => {
            out.extend(key_places(analysis, &format!("{owner}::{name}")));
            out.extend(templates::places(analysis, owner, name));
        }
        Symbol::Key(key) => out.extend(key_places(analysis, key)),
        _ => {}
    }
    out.sort();
    out.dedup();
    out
}

/// The places of a name in manifests and EPP templates.
pub(crate) fn places(
    analysis: &Analysis,
    file: &File,
    symbol: &Symbol,
    wanted: impl Fn(&Name) -> bool,
) -> Vec<Place> {
    let key = match symbol {
        Symbol::Member { owner, name } => Some(Symbol::Key(ecow::eco_format!("{owner}::{name}"))),
        _ => None,
    };
    let heirs = heirs(analysis, symbol);
    let is_it = |name: &&Name| {
        let same = name.symbol == *symbol || key.as_ref() == Some(&name.symbol);
        (same || heirs.contains(&name.symbol)) && wanted(name)
    };
    let of_file = |file: &File| {
        let found = file.names.names.iter().filter(is_it);
        found.map(|name| Place::new(&file.path, name.range)).collect::<Vec<_>>()
    };
    if matches!(symbol, Symbol::Local { .. }) {
        return of_file(file);
    }
    let mut out: Vec<Place> = Vec::new();
    for file in analysis.files() {
        if analysis.is_cancelled() {
            break;
        }
        out.extend(of_file(file));
    }
    out
}

/// The names by which classes that inherit a variable read it.
fn heirs(analysis: &Analysis, symbol: &Symbol) -> Vec<Symbol> {
    let Symbol::Member { owner, name } = symbol else { return Vec::new() };
    let mut by_parent: FxHashMap<EcoString, Vec<(EcoString, &File)>> = FxHashMap::default();
    for file in analysis.files() {
        let Some(program) = file.program() else { continue };
        for &id in &program.definitions {
            let Expr::Definition(definition) = &program[id] else { continue };
            if let Definition::Class { name: heir, parent: Some(parent), .. } =
                program.definition(*definition)
            {
                by_parent.entry(plain(parent)).or_default().push((plain(heir), file));
            }
        }
    }
    let (mut owners, mut at) = (vec![owner.clone()], 0);
    while let Some(owner) = owners.get(at) {
        // Each class is taken once, so cycles end.
        let heirs = by_parent.remove(owner).unwrap_or_default();
        at += 1;
        for (heir, file) in heirs {
            if !declares(file, &Symbol::Member { owner: heir.clone(), name: name.clone() }) {
                owners.push(heir);
            }
        }
    }
    let heirs = owners.into_iter().skip(1);
    heirs.map(|owner| Symbol::Member { owner, name: name.clone() }).collect()
}

/// The range of a key without its quotes.
pub(crate) fn unquoted(file: &File, range: TextRange) -> TextRange {
    let written = file.text.get(range.start as usize..range.end as usize).unwrap_or_default();
    match written.len() > 1 && written.starts_with(['\'', '"']) {
        true => TextRange::new(range.start + 1, range.end - 1),
        false => range,
    }
}
