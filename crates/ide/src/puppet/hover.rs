//! The descriptions of names.

use ordain_kinds::AttributeSchema;
use ordain_puppet::syntax::Definition;
use ordain_puppet::validation::names::split_name;

use super::definitions::{self, Found};
use super::find;
use super::names::Symbol;
use super::{docs, functions, outline};
use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::Hover;

/// The maximal number of values of data that are shown.
const MAX_VALUES: usize = 10;

/// The description of the name at an offset.
pub(crate) fn hover(analysis: &Analysis, file: &File, offset: u32) -> Option<Hover> {
    let (symbol, range) = find::symbol_at(analysis, file, offset)?;
    let markdown = describe(analysis, file, &symbol)?;
    Some(Hover { markdown, range })
}

fn describe(analysis: &Analysis, file: &File, symbol: &Symbol) -> Option<String> {
    match symbol {
        Symbol::Class(_) => {
            definitions::definition(analysis, symbol).map(|found| of_definition(&found))
        }
        Symbol::Type(name) => match definitions::definition(analysis, symbol) {
            Some(found) => Some(of_definition(&found)),
            None => of_kind(name),
        },
        Symbol::Function(name) => {
            let signatures = functions::signatures(analysis, name);
            let first = signatures.first()?;
            let labels: Vec<&str> = signatures.iter().map(|s| s.label.as_str()).collect();
            Some(join([code(&labels.join("\n")), first.documentation.clone()]))
        }
        Symbol::Member { owner, name } => of_member(analysis, file, owner, name),
        Symbol::Local { name, .. } => Some(code(&format!("${name}"))),
        Symbol::Key(key) => Some(join([code(key), values(analysis, file, key)])),
        Symbol::Fact(path) => Some(join([code(&format!("$facts: {path}")), String::new()])),
        Symbol::Template(name) => located(analysis, file, "templates", name),
        Symbol::File(name) => located(analysis, file, "files", name),
    }
}

fn located(analysis: &Analysis, file: &File, folder: &str, name: &str) -> Option<String> {
    let path = analysis.module_file(&file.path, folder, name)?;
    Some(code(&path.display().to_string()))
}

fn code(text: &str) -> String {
    format!("```puppet\n{text}\n```")
}

fn join<const N: usize>(parts: [String; N]) -> String {
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|p| !p.is_empty()).collect();
    parts.join("\n\n")
}

/// A definition with its parameters, one a line.
fn of_definition(found: &Found<'_>) -> String {
    let signature = functions::written(found);
    let text = match found.definition {
        Definition::Class { .. } | Definition::Define { .. } if !signature.params.is_empty() => {
            let head = signature.label.split('(').next().unwrap_or_default();
            let params: Vec<String> =
                signature.params.iter().map(|param| format!("  {param},\n")).collect();
            format!("{head} (\n{})", params.concat())
        }
        Definition::TypeAlias { name, kind } => {
            let target = found.program.text(outline::extent(found.program, *kind));
            format!("type {name} = {target}")
        }
        _ => signature.label.trim_end_matches("()").to_owned(),
    };
    join([code(&text), signature.documentation])
}

/// A resource type that Ordain knows.
fn of_kind(name: &str) -> Option<String> {
    let (kind, ty) = ordain_kinds::of_puppet(name)?;
    let attributes = kind.puppet_attributes().map(|attribute| attribute.name);
    let attributes = attributes.collect::<Vec<_>>().join(", ");
    let of_page = if kind.doc.is_empty() { String::new() } else { format!("{}.", kind.doc) };
    Some(join([code(ty.name), of_page, format!("Attributes: {attributes}")]))
}

/// The type, unit and default of an attribute in words.
pub(crate) fn attribute_type(attribute: &AttributeSchema) -> String {
    let mut text = attribute.ty.text();
    if let Some(unit) = attribute.unit {
        text.push_str(&format!(" ({})", unit.text()));
    }
    if let Some(default) = attribute.default {
        text.push_str(&format!(", default `{default}`"));
    }
    text
}

fn of_member(
    analysis: &Analysis,
    file: &File,
    owner: &ecow::EcoString,
    name: &str,
) -> Option<String> {
    if owner.is_empty() {
        let is_fact = ordain_puppet_tools::check::known_facts().any(|fact| fact == name);
        let text = if is_fact { "A fact" } else { "A variable of the top scope" };
        return Some(join([code(&format!("${name}")), text.to_owned()]));
    }
    if let Some(found) = definitions::owner(analysis, owner) {
        let param = found.params().iter().find(|param| param.name == name);
        let Some(param) = param else { return Some(code(&format!("${owner}::{name}"))) };
        let documentation = docs::parameter(&found.comment(), name);
        let data = match found.definition {
            Definition::Class { .. } => values(analysis, file, &format!("{owner}::{name}")),
            _ => String::new(),
        };
        return Some(join([code(&functions::parameter_text(&found, param)), documentation, data]));
    }
    let (kind, ty) = ordain_kinds::of_puppet(owner)?;
    let attribute = kind.puppet_attributes().find(|attribute| attribute.name == name)?;
    let head = code(&format!("{}: {name}", ty.name));
    Some(join([head, attribute_type(attribute), attribute.doc.to_owned()]))
}

/// The values of a key: for the chosen node, and in data.
fn values(analysis: &Analysis, file: &File, key: &str) -> String {
    let of_node = for_node(analysis, file, key);
    let in_data = in_data(analysis, key);
    [of_node, (!in_data.is_empty()).then_some(in_data)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The value of a key for the chosen node, with the places that it comes from.
fn for_node(analysis: &Analysis, file: &File, key: &str) -> Option<String> {
    let node = analysis.node.name.as_ref()?;
    let Some(found) = analysis.node_value(&file.path, key) else {
        return Some(format!("No value for {node}"));
    };
    let text = found.text.filter(|_| !is_secret(key, ""));
    let text = text.map_or_else(|| "(not shown)".to_owned(), |text| format!("`{text}`"));
    Some(format!("For {node}: {text} from {}", found.sources.join("; ")))
}

/// The values of a key in data, except encrypted ones.
fn in_data(analysis: &Analysis, key: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for file in analysis.files() {
        for found in file.keys().into_iter().filter(|found| found.name == key) {
            let value = (found.value.start as usize)..(found.value.end as usize);
            let value = file.text.get(value).unwrap_or_default();
            let line = value.lines().next().unwrap_or_default().trim();
            let more = if value.trim().lines().count() > 1 { " …" } else { "" };
            let shown = match is_secret(key, value) {
                true => "(not shown)".to_owned(),
                false => format!("`{}{more}`", ordain_source::shortened(line)),
            };
            out.push(format!("- {}: {shown}", analysis.relative(&file.path).display()));
        }
    }
    let left = out.len().saturating_sub(MAX_VALUES);
    out.truncate(MAX_VALUES);
    if left > 0 {
        out.push(format!("- and {left} more"));
    }
    out.join("\n")
}

/// Whether a value must not be shown: it is encrypted, or its key says that it is a secret.
pub(crate) fn is_secret(key: &str, value: &str) -> bool {
    let name = split_name(key).map_or(key, |(_, name)| name).to_lowercase();
    let words = ["password", "passwd", "secret", "token", "private_key", "passphrase"];
    value.contains("ENC[") || words.iter().any(|word| name.contains(word))
}
