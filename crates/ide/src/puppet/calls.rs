//! Which definitions use a class, define or function, and which ones it uses.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ordain_source::TextRange;

use super::names::{Name, Symbol};
use super::{definitions, find, outline};
use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::{CallItem, ItemKind, OutlineItem};

/// Whether a thing is called, declared or included.
pub(super) fn is_callable(symbol: &Symbol) -> bool {
    matches!(symbol, Symbol::Class(_) | Symbol::Type(_) | Symbol::Function(_))
}

fn item(file: &File, found: &OutlineItem) -> CallItem {
    let is_name = |name: &&Name| {
        let is_inside = found.range.start <= name.range.start && name.range.end <= found.range.end;
        name.is_definition && is_callable(&name.symbol) && is_inside
    };
    let name = file.names.names.iter().find(is_name);
    CallItem {
        name: found.name.clone(),
        kind: found.kind,
        path: file.path.clone(),
        range: found.range,
        name_range: name.map_or(found.name_range, |name| name.range),
    }
}

/// The definitions of a file.
fn definitions_of(file: &File) -> Vec<OutlineItem> {
    file.program().map(|program| outline::definitions(program).collect()).unwrap_or_default()
}

/// The innermost of the definitions of a file around an offset.
fn around(all: &[OutlineItem], offset: u32) -> Option<&OutlineItem> {
    let has = |found: &&OutlineItem| found.range.start <= offset && offset <= found.range.end;
    all.iter().filter(has).max_by_key(|found| found.range.start)
}

/// A file as something that uses others.
fn whole(analysis: &Analysis, file: &File) -> CallItem {
    CallItem {
        name: analysis.relative(&file.path).display().to_string(),
        kind: ItemKind::Module,
        path: file.path.clone(),
        range: TextRange::new(0, file.text.len() as u32),
        name_range: TextRange::default(),
    }
}

/// The definition of the class, define or function at an offset.
pub(crate) fn definition(analysis: &Analysis, file: &File, offset: u32) -> Option<CallItem> {
    let (symbol, _) = find::symbol_at(analysis, file, offset)?;
    of_symbol(analysis, &symbol)
}

fn of_symbol(analysis: &Analysis, symbol: &Symbol) -> Option<CallItem> {
    let found = Some(symbol).filter(|symbol| is_callable(symbol));
    let found = definitions::definition(analysis, found?)?;
    let start = found.program.range(found.id).start;
    let mut items = outline::definitions(found.program);
    items.find(|item| item.range.start == start).map(|of_outline| item(found.file, &of_outline))
}

/// The definitions that use the one at an offset, with the places.
pub(crate) fn incoming(
    analysis: &Analysis,
    file: &File,
    offset: u32,
) -> Vec<(CallItem, Vec<TextRange>)> {
    let symbol = find::symbol_at(analysis, file, offset).map(|(symbol, _)| symbol);
    let Some(symbol) = symbol.filter(is_callable) else { return Vec::new() };
    let mut by_file: BTreeMap<PathBuf, Vec<TextRange>> = BTreeMap::new();
    for place in find::places(analysis, file, &symbol, |name| !name.is_definition) {
        by_file.entry(place.path.clone()).or_default().push(place.range());
    }
    let mut out: Vec<(CallItem, Vec<TextRange>)> = Vec::new();
    for (path, ranges) in by_file {
        let Some(file) = analysis.file(&path) else { continue };
        let all = definitions_of(file);
        for range in ranges {
            let user = around(&all, range.start);
            let user = user.map_or_else(|| whole(analysis, file), |found| item(file, found));
            match out.iter_mut().find(|(known, _)| *known == user) {
                Some((_, ranges)) => ranges.push(range),
                None => out.push((user, vec![range])),
            }
        }
    }
    out
}

/// The definitions that the one around an offset uses, with the places. Outside of all definitions it
/// is the code of the file.
pub(crate) fn outgoing(
    analysis: &Analysis,
    file: &File,
    offset: u32,
) -> Vec<(CallItem, Vec<TextRange>)> {
    let all = definitions_of(file);
    let start = |offset| around(&all, offset).map(|found| found.range.start);
    let own = start(offset);
    let is_own = |name: &&Name| {
        !name.is_definition && is_callable(&name.symbol) && start(name.range.start) == own
    };
    let mut by_symbol: BTreeMap<&Symbol, Vec<TextRange>> = BTreeMap::new();
    for name in file.names.names.iter().filter(is_own) {
        by_symbol.entry(&name.symbol).or_default().push(name.range);
    }
    let known = by_symbol.into_iter();
    known.filter_map(|(symbol, ranges)| Some((of_symbol(analysis, symbol)?, ranges))).collect()
}
