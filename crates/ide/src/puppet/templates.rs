//! Variables of classes in ERB templates: `@name` and `scope['class::name']`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_puppet::validation::names::{plain, split_name};
use ordain_source::TextRange;
use rustc_hash::FxHashMap;

use super::definitions::member;
use super::names::{ScopeKind, Symbol};
use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::Place;

/// A variable in a template.
pub(crate) struct Variable {
    /// The class of a qualified name, and its range.
    pub(crate) class: Option<(EcoString, TextRange)>,
    pub(crate) name: EcoString,
    pub(crate) range: TextRange,
}

/// The variables in the code of a template.
pub(crate) fn variables(text: &str) -> Vec<Variable> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices("<%") {
        let code = &text[at + 2..];
        if code.starts_with(['%', '#']) {
            continue;
        }
        let code = &code[..code.find("%>").unwrap_or(code.len())];
        let start = at + 2;
        for (at, _) in code.match_indices('@') {
            let name = word(&code[at + 1..]);
            let is_instance =
                code[..at].chars().next_back().is_none_or(|c| c != '@' && !c.is_alphanumeric());
            if !name.is_empty() && is_instance {
                let range = range(start + at + 1, name.len());
                out.push(Variable { class: None, name: name.into(), range });
            }
        }
        for (at, call) in code.match_indices("scope[") {
            let inside = at + call.len();
            out.extend(qualified(&code[inside..], start + inside));
        }
        for (at, call) in code.match_indices("lookupvar(") {
            let inside = at + call.len();
            out.extend(qualified(&code[inside..], start + inside));
        }
    }
    out
}

fn range(start: usize, length: usize) -> TextRange {
    TextRange::new(start as u32, (start + length) as u32)
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The variable in a text with quotes.
fn qualified(code: &str, start: usize) -> Option<Variable> {
    let quote = code.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &code[1..];
    let full = &inside[..inside.find(quote)?];
    let (class, name) = split_name(full)?;
    let at = start + 1 + full.len() - name.len();
    let written = class.trim_start_matches("::");
    let class = (plain(class), range(at - 2 - written.len(), written.len()));
    Some(Variable { class: Some(class), name: name.into(), range: range(at, name.len()) })
}

/// A file that renders a template, with the classes or defines in which it does.
struct Use<'a> {
    template: &'a EcoString,
    file: &'a File,
    owner: EcoString,
}

/// All uses of templates.
fn uses(analysis: &Analysis) -> Vec<Use<'_>> {
    let mut out = Vec::new();
    for file in analysis.files() {
        for name in &file.names.names {
            let Symbol::Template(template) = &name.symbol else { continue };
            let scope = file.names.scope_at(name.range.start);
            let owner = file.names.visible(scope).find(|(_, scope)| scope.kind != ScopeKind::Inner);
            let owner = owner.map(|(_, scope)| scope.owner.clone()).unwrap_or_default();
            out.push(Use { template, file, owner });
        }
    }
    out
}

/// The variable at a place of a template: of the only class that renders it, or of the class in its
/// name.
pub(crate) fn symbol_at(
    analysis: &Analysis,
    file: &File,
    offset: u32,
) -> Option<(Symbol, TextRange)> {
    let found = variables(&file.text);
    let found = found.into_iter().find(|v| v.range.start <= offset && offset <= v.range.end)?;
    let owner = match found.class {
        Some((class, _)) => class,
        None => {
            let mut owners = renderers(analysis, &file.path).into_iter();
            owners.next().filter(|first| owners.all(|other| other == *first))?
        }
    };
    Some((member(analysis, &owner, &found.name), found.range))
}

/// The classes and defines that render a template.
pub(crate) fn renderers(analysis: &Analysis, path: &Path) -> Vec<EcoString> {
    let is_it = |used: &Use<'_>| {
        analysis.module_file(&used.file.path, "templates", used.template).as_deref() == Some(path)
    };
    let mut out: Vec<EcoString> =
        uses(analysis).into_iter().filter(is_it).map(|u| u.owner).collect();
    out.sort();
    out.dedup();
    out
}

/// A template in ERB that a manifest renders.
pub(crate) struct Template {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
    /// The classes and defines that render it.
    pub(crate) owners: Vec<EcoString>,
}

/// All templates in ERB that manifests render.
pub(crate) fn all(analysis: &Analysis) -> Vec<Template> {
    let mut by_path: BTreeMap<PathBuf, Vec<EcoString>> = BTreeMap::new();
    for used in uses(analysis) {
        let path = analysis.module_file(&used.file.path, "templates", used.template);
        let Some(path) = path.filter(|path| path.extension().is_some_and(|end| end == "erb"))
        else {
            continue;
        };
        let owners = by_path.entry(path).or_default();
        if !owners.contains(&used.owner) {
            owners.push(used.owner);
        }
    }
    let template = |(path, owners): (PathBuf, Vec<EcoString>)| {
        let text = analysis.read(&path)?;
        Some(Template { path, text, owners })
    };
    by_path.into_iter().filter_map(template).collect()
}

/// The places of a variable in templates, by its full name or in those that its class renders.
pub(crate) fn places(analysis: &Analysis, owner: &EcoString, name: &EcoString) -> Vec<Place> {
    let wanted = Symbol::Member { owner: owner.clone(), name: name.clone() };
    // Many templates have the same classes.
    let mut known: FxHashMap<EcoString, bool> = FxHashMap::default();
    let mut is_it = |class: &EcoString| match known.get(class) {
        Some(known) => *known,
        None => {
            let is_it = member(analysis, class, name) == wanted;
            known.insert(class.clone(), is_it);
            is_it
        }
    };
    let mut out = Vec::new();
    for template in all(analysis) {
        if !template.text.contains(name.as_str()) {
            continue;
        }
        for variable in variables(&template.text).into_iter().filter(|v| v.name == *name) {
            let fits = match &variable.class {
                Some((class, _)) => is_it(class),
                None => template.owners.iter().any(&mut is_it),
            };
            if fits {
                out.push(Place::new(&template.path, variable.range));
            }
        }
    }
    out
}

/// The places of a class in front of its variables in templates.
pub(crate) fn class_places(analysis: &Analysis, class: &str) -> Vec<Place> {
    let mut out = Vec::new();
    for template in all(analysis) {
        let classes = variables(&template.text).into_iter().filter_map(|found| found.class);
        let found = classes.filter(|(name, _)| name == class);
        out.extend(found.map(|(_, range)| Place::new(&template.path, range)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_a_template() {
        let text = "@no <%# @no %><%= @port %> a@b <% @@x; scope['web::params::y'] + scope.lookupvar('a::b') -%><%= @";
        let found = variables(text);
        let shown: Vec<String> = found
            .iter()
            .map(|v| {
                let range = v.range.start as usize..v.range.end as usize;
                assert_eq!(&text[range], v.name);
                let class = v.class.as_ref().map_or("@", |(class, at)| {
                    assert_eq!(&text[at.start as usize..at.end as usize], class);
                    class
                });
                format!("{class}{}", v.name)
            })
            .collect();
        assert_eq!(shown, ["@port", "web::paramsy", "ab"]);
    }
}
