//! New names for classes, defines, functions, data types, variables and parameters, in manifests,
//! data, templates and tests.

use ecow::EcoString;
use ordain_puppet::syntax::names::capitalize_segments;
use ordain_puppet::syntax::{Definition, is_keyword};
use ordain_source::TextRange;

use super::definitions;
use super::find;
use super::names::Symbol;
use super::templates;
use super::test_files;
use crate::error::Error;
use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::{Edit, Place};

/// The range of the name at an offset, if it can be renamed.
pub(crate) fn prepare(analysis: &Analysis, file: &File, offset: u32) -> Result<TextRange, Error> {
    let (symbol, range) = find::symbol_at(analysis, file, offset).ok_or(Error::NotRenamable)?;
    defined_here(analysis, file, &symbol)?;
    Ok(range)
}

/// Whether the definition of a name is in the workspace.
fn defined_here(analysis: &Analysis, file: &File, symbol: &Symbol) -> Result<(), Error> {
    let name = match symbol {
        Symbol::Class(name) | Symbol::Type(name) | Symbol::Function(name) => name.to_string(),
        Symbol::Member { owner, name } => format!("${owner}::{name}"),
        Symbol::Local { .. } => return Ok(()),
        Symbol::Key(_) | Symbol::Fact(_) | Symbol::Template(_) | Symbol::File(_) => {
            return Err(Error::NotRenamable);
        }
    };
    let found = find::places(analysis, file, symbol, |name| name.is_definition);
    if found.is_empty() { Err(Error::NotDefinedHere(name)) } else { Ok(()) }
}

/// The edits that give the name at an offset another text.
pub(crate) fn rename(
    analysis: &Analysis,
    file: &File,
    offset: u32,
    new: &str,
) -> Result<Vec<Edit>, Error> {
    let (symbol, _) = find::symbol_at(analysis, file, offset).ok_or(Error::NotRenamable)?;
    defined_here(analysis, file, &symbol)?;
    let new = new.trim_start_matches('$');
    match &symbol {
        Symbol::Class(old) | Symbol::Type(old) | Symbol::Function(old) => {
            let is_type = old_is_capitalized(analysis, &symbol);
            if !is_valid(new, true, is_type) {
                return Err(Error::InvalidName(new.into()));
            }
            let same_kind = match &symbol {
                Symbol::Class(_) => Symbol::Class(new.into()),
                Symbol::Type(_) => Symbol::Type(new.to_lowercase().into()),
                _ => Symbol::Function(new.into()),
            };
            if definitions::definition(analysis, &same_kind).is_some() {
                return Err(Error::NameTaken(new.into()));
            }
            Ok(qualified(analysis, file, &symbol, old, new))
        }
        Symbol::Member { owner, name } => {
            if !is_valid(new, false, false) {
                return Err(Error::InvalidName(new.into()));
            }
            let taken = Symbol::Member { owner: owner.clone(), name: new.into() };
            if !find::places(analysis, file, &taken, |name| name.is_definition).is_empty() {
                return Err(Error::NameTaken(format!("${new}")));
            }
            member(analysis, file, offset, owner, name, new)
        }
        Symbol::Local { scope, .. } => {
            if !is_valid(new, false, false) {
                return Err(Error::InvalidName(new.into()));
            }
            let visible = file.names.visible(*scope);
            if visible.into_iter().any(|(_, scope)| scope.declared.contains(new)) {
                return Err(Error::NameTaken(format!("${new}")));
            }
            let places = find::references(analysis, file, offset, true);
            Ok(places.into_iter().map(|place| Edit { place, text: new.into() }).collect())
        }
        _ => Err(Error::NotRenamable),
    }
}

/// Whether a data type is defined by a name with capitals.
fn old_is_capitalized(analysis: &Analysis, symbol: &Symbol) -> bool {
    definitions::definition(analysis, symbol).is_some_and(|found| {
        matches!(found.definition, Definition::TypeAlias { .. } | Definition::TypeDefinition { .. })
    })
}

fn is_valid(name: &str, is_qualified: bool, is_type: bool) -> bool {
    let segment = |text: &str| {
        let starts = |c: char| match is_type {
            true => c.is_ascii_uppercase(),
            false => c.is_ascii_lowercase() || c == '_' && !is_qualified,
        };
        text.starts_with(starts) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let segments = name.split("::").count();
    name.split("::").all(segment) && (is_qualified || segments == 1) && !is_keyword(name)
}

/// Edits of the name of a class, define, function or data type, also in front of its variables and
/// in keys of data.
fn qualified(analysis: &Analysis, file: &File, symbol: &Symbol, old: &str, new: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    for place in find::places(analysis, file, symbol, |_| true) {
        let Some(written) = analysis.text(&place) else { continue };
        let text = replacement(&written, old, new);
        edits.push(Edit { place, text });
    }
    if matches!(symbol, Symbol::Class(_)) {
        let in_templates = templates::class_places(analysis, old).into_iter();
        edits.extend(in_templates.map(|place| Edit { place, text: new.into() }));
        let prefix = format!("{old}::");
        for file in analysis.files() {
            let keys = file.keys().into_iter().filter(|key| {
                let name = key.name.strip_prefix(&prefix);
                name.is_some_and(|name| !name.is_empty() && !name.contains("::"))
            });
            for key in keys {
                let start = find::unquoted(file, key.range).start;
                let range = TextRange::new(start, start + old.len() as u32);
                edits.push(Edit { place: Place::new(&file.path, range), text: new.into() });
            }
        }
    }
    let is_class = matches!(symbol, Symbol::Class(_));
    edits.extend(test_files::edits(analysis, is_class, old, &|text| replacement(text, old, new)));
    edits.sort();
    edits.dedup();
    edits
}

/// The new name in the form of the written one: capitalized, short, or full.
fn replacement(written: &str, old: &str, new: &str) -> String {
    let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
    let is_capitalized = written.starts_with(|c: char| c.is_uppercase());
    let is_short = !written.contains("::") && old.contains("::");
    let new = if is_short { last(new) } else { new.to_owned() };
    if is_capitalized { capitalize_segments(&new).to_string() } else { new }
}

fn member(
    analysis: &Analysis,
    file: &File,
    offset: u32,
    owner: &EcoString,
    name: &EcoString,
    new: &str,
) -> Result<Vec<Edit>, Error> {
    let wanted = Symbol::Member { owner: owner.clone(), name: name.clone() };
    for template in templates::all(analysis) {
        let mut variables = templates::variables(&template.text).into_iter();
        let has_it = variables.any(|variable| variable.class.is_none() && variable.name == *name);
        if !has_it {
            continue;
        }
        let is_of_owner = |class: &&EcoString| definitions::member(analysis, class, name) == wanted;
        let (own, others): (Vec<_>, Vec<_>) = template.owners.iter().partition(is_of_owner);
        if let Some(other) = others.first().filter(|_| !own.is_empty()) {
            return Err(Error::SharedTemplate {
                template: analysis.relative(&template.path).display().to_string(),
                other: other.to_string(),
                name: name.to_string(),
            });
        }
    }
    let mut edits = Vec::new();
    for place in find::references(analysis, file, offset, true) {
        let Some(written) = analysis.text(&place) else { continue };
        // Keys of data have the class in front.
        let start = place.end.saturating_sub(name.len() as u32);
        if !written.ends_with(name.as_str()) {
            continue;
        }
        let place = Place::new(place.path, TextRange::new(start.max(place.start), place.end));
        edits.push(Edit { place, text: new.into() });
    }
    edits.extend(test_files::member_edits(analysis, owner, name, new));
    edits.sort();
    edits.dedup();
    Ok(edits)
}
