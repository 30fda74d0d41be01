//! Proposals for the text at the cursor.

use ordain_kinds::{AttributeSchema, AttributeType};
use ordain_puppet::eval::type_names::TYPE_NAMES;
use ordain_puppet::schema;
use ordain_puppet::syntax::names::capitalize_segments;
use ordain_puppet::syntax::{Definition, Expr};
use ordain_puppet::validation::names::plain;
use ordain_puppet_tools::check::known_facts;
use ordain_source::TextRange;
use rustc_hash::FxHashSet;

use super::context::{self, Context};
use super::definitions::{self, Found, MAX_ANCESTORS};
use super::functions::parameter_text;
use super::hover::attribute_type;
use super::names::Symbol;
use super::{docs, functions};
use crate::file::File;
use crate::language::Language;
use crate::snapshot::Analysis;
use crate::types::{CompletionItem, Completions, ItemKind, has_letters};

/// The maximal number of proposals. Editors ask again when more is typed.
const MAX_ITEMS: usize = 1000;

/// Words that begin statements.
const KEYWORDS: [&str; 8] = ["class", "define", "node", "function", "if", "unless", "case", "type"];

/// The variables of every class and define.
const BUILT_IN: [&str; 5] = ["facts", "trusted", "title", "name", "module_name"];

/// The proposals at an offset.
pub(crate) fn complete(analysis: &Analysis, file: &File, offset: u32) -> Completions {
    let (context, range) = match file.language {
        Some(Language::Data) => data_context(&file.text, offset),
        _ => context::at(&file.text, offset),
    };
    let typed = file.text.get(range.start as usize..range.end as usize).unwrap_or_default();
    let mut list = List { typed: typed.to_lowercase(), items: Vec::new() };
    match &context {
        Context::Variable => variables(analysis, file, offset, &mut list),
        Context::ClassVariable(class) => class_variables(analysis, class, &mut list),
        Context::Fact(path) => facts(path, &mut list),
        Context::Class => classes(analysis, &mut list),
        Context::Type => types(analysis, &mut list),
        Context::Attribute(kind) => attributes(analysis, kind, &mut list),
        Context::ClassParameter(class) => {
            if let Some(found) =
                definitions::definition(analysis, &Symbol::Class(class.as_str().into()))
            {
                params(&found, &mut list);
            }
            metaparameters(&mut list);
        }
        Context::Value(kind, name) => values(kind, name, &mut list),
        Context::Key => keys(analysis, file, &mut list),
        Context::Code => code(analysis, &mut list),
        Context::Nothing => {}
    }
    let mut items = list.items;
    items.sort();
    items.dedup_by(|a, b| a.label == b.label && a.kind == b.kind);
    items.truncate(MAX_ITEMS);
    Completions { range, items }
}

/// The key of a data file at the start of a line.
fn data_context(text: &str, offset: u32) -> (Context, TextRange) {
    let before = text.get(..offset as usize).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let typed = &before[start..];
    let quote = usize::from(typed.starts_with(['\'', '"']));
    let is_key = typed[quote..].chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
    // A colon and a blank end a key, and only the keys of the first level are parameters.
    let context = if is_key { Context::Key } else { Context::Nothing };
    (context, TextRange::new((start + quote) as u32, offset))
}

struct List {
    /// The typed start of the name, in lower case.
    typed: String,
    items: Vec<CompletionItem>,
}

impl List {
    fn fits(&self, label: &str) -> bool {
        has_letters(label, &self.typed)
    }

    fn add(&mut self, label: &str, kind: ItemKind, detail: impl Into<String>) {
        self.add_documented(label, kind, detail, String::new());
    }

    fn add_documented(
        &mut self,
        label: &str,
        kind: ItemKind,
        detail: impl Into<String>,
        documentation: impl Into<String>,
    ) {
        if !self.fits(label) {
            return;
        }
        let (detail, documentation) = (detail.into(), documentation.into());
        let insert = label.to_owned();
        self.items.push(CompletionItem {
            label: label.into(),
            kind,
            detail,
            documentation,
            insert,
        });
    }

    fn add_attribute(&mut self, label: &str, detail: String, documentation: String) {
        let count = self.items.len();
        self.add_documented(label, ItemKind::Attribute, detail, documentation);
        if let Some(item) = self.items.get_mut(count) {
            item.insert = format!("{label} => ");
        }
    }
}

/// Variables in scope, those of the top scope, and facts.
fn variables(analysis: &Analysis, file: &File, offset: u32, list: &mut List) {
    let mut owner = None;
    let last = file.last_good.as_ref().map(|last| {
        let same = last.text.bytes().zip(file.text.bytes()).take_while(|(a, b)| a == b).count();
        (&last.names, offset.min(same as u32))
    });
    for (names, offset) in last.into_iter().chain([(&file.names, offset)]) {
        for (_, scope) in names.visible(names.scope_at(offset)) {
            for name in sorted(&scope.declared) {
                list.add(name, ItemKind::Variable, "");
            }
            if !scope.owner.is_empty() {
                owner = Some(scope.owner.clone());
            }
        }
    }
    // Variables of the class that the class around inherits from.
    let mut at = owner;
    let mut seen = FxHashSet::default();
    while let Some(class) =
        at.filter(|class| seen.len() < MAX_ANCESTORS && seen.insert(class.clone()))
    {
        let found = definitions::definition(analysis, &Symbol::Class(class));
        at = match found.map(|found| found.definition) {
            Some(Definition::Class { parent: Some(parent), .. }) => Some(plain(parent)),
            _ => None,
        };
        if let Some(parent) = &at {
            class_variables(analysis, parent, list);
        }
    }
    for name in BUILT_IN {
        list.add(name, ItemKind::Variable, "");
    }
    if list.typed.contains("::") || !list.typed.is_empty() {
        classes_as_variables(analysis, list);
    }
}

/// Classes, whose variables follow.
fn classes_as_variables(analysis: &Analysis, list: &mut List) {
    for_each_definition(analysis, |_, definition| {
        if let Definition::Class { name, .. } = definition {
            let label = format!("{}::", plain(name));
            list.add(&label, ItemKind::Class, "");
        }
    });
}

fn sorted(names: &FxHashSet<ecow::EcoString>) -> Vec<&ecow::EcoString> {
    let mut names: Vec<_> = names.iter().collect();
    names.sort();
    names
}

fn class_variables(analysis: &Analysis, class: &str, list: &mut List) {
    let Some(found) = definitions::definition(analysis, &Symbol::Class(class.into())) else {
        return;
    };
    let scopes = found.file.names.scopes.iter().filter(|scope| scope.owner == class);
    for scope in scopes {
        for name in sorted(&scope.declared) {
            let param = found.params().iter().find(|param| param.name == *name);
            let detail = param.map(|param| parameter_text(&found, param)).unwrap_or_default();
            list.add(name, ItemKind::Variable, detail);
        }
    }
}

/// The names of facts below a path.
fn facts(path: &str, list: &mut List) {
    let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
    for fact in known_facts() {
        let Some(rest) = fact.strip_prefix(&prefix) else { continue };
        let name = rest.split('.').next().unwrap_or(rest);
        list.add(name, ItemKind::Fact, format!("{prefix}{name}"));
    }
}

pub(super) fn for_each_definition(analysis: &Analysis, mut visit: impl FnMut(&File, &Definition)) {
    for file in analysis.files() {
        let Some(program) = file.program() else { continue };
        for &id in &program.definitions {
            if let Expr::Definition(definition) = &program[id] {
                visit(file, program.definition(*definition));
            }
        }
    }
}

fn classes(analysis: &Analysis, list: &mut List) {
    for_each_definition(analysis, |file, definition| {
        if let Definition::Class { name, .. } = definition {
            list.add(&plain(name), ItemKind::Class, path_of(analysis, file));
        }
    });
}

fn path_of(analysis: &Analysis, file: &File) -> String {
    analysis.relative(&file.path).display().to_string()
}

fn types(analysis: &Analysis, list: &mut List) {
    TYPE_NAMES.iter().for_each(|name| list.add(name, ItemKind::DataType, ""));
    for ty in schema::TYPES.iter() {
        list.add(&capitalize_segments(ty.name), ItemKind::Type, "");
    }
    list.add("Class", ItemKind::Class, "");
    for_each_definition(analysis, |file, definition| match definition {
        Definition::TypeAlias { name, .. } | Definition::TypeDefinition { name, .. } => {
            list.add(name, ItemKind::DataType, path_of(analysis, file));
        }
        Definition::Define { name, .. } => {
            list.add(&capitalize_segments(&plain(name)), ItemKind::Type, path_of(analysis, file));
        }
        _ => {}
    });
}

/// The parameters of a class or define.
fn params(found: &Found<'_>, list: &mut List) {
    let comment = found.comment();
    for param in found.params() {
        let documentation = docs::parameter(&comment, &param.name);
        list.add_attribute(&param.name, parameter_text(found, param), documentation);
    }
}

fn attributes(analysis: &Analysis, kind: &str, list: &mut List) {
    if let Some(found) = definitions::definition(analysis, &Symbol::Type(kind.into())) {
        params(&found, list);
    } else if let Some((schema, _)) = ordain_kinds::of_puppet(kind) {
        for attribute in schema.puppet_attributes() {
            list.add_attribute(attribute.name, attribute_type(attribute), attribute.doc.into());
        }
    } else {
        analysis.ruby_attributes(kind).iter().for_each(|name| {
            list.add_attribute(name, String::new(), String::new());
        });
    }
    metaparameters(list);
}

fn metaparameters(list: &mut List) {
    for name in ordain_graph::METAPARAMETERS {
        list.add_attribute(name, "metaparameter".into(), String::new());
    }
}

/// The words that an attribute accepts.
fn values(kind: &str, name: &str, list: &mut List) {
    let schema = ordain_kinds::of_puppet(kind).map(|(schema, _)| schema);
    let attribute = schema
        .and_then(|schema| schema.puppet_attributes().find(|attribute| attribute.name == name));
    for word in attribute.map(words).unwrap_or_default() {
        list.add(word, ItemKind::Value, "");
    }
}

fn words(attribute: &AttributeSchema) -> Vec<&'static str> {
    match (attribute.ty, attribute.form) {
        (AttributeType::Choice(words), _) => words.to_vec(),
        (_, Some(ordain_kinds::Form::Words(words))) => words.to_vec(),
        (AttributeType::Boolean, _) => vec!["true", "false"],
        _ => Vec::new(),
    }
}

/// Parameters of classes and keys of data.
fn keys(analysis: &Analysis, file: &File, list: &mut List) {
    for_each_definition(analysis, |file, definition| {
        let Definition::Class { name, params, .. } = definition else { return };
        let Some(program) = file.program() else { return };
        for param in program.params(*params) {
            let kind = param.kind.map_or("", |kind| program.text(program.range(kind)));
            list.add(&format!("{}::{}", plain(name), param.name), ItemKind::Key, kind);
        }
    });
    for other in analysis.files().filter(|other| other.path != file.path) {
        for key in other.keys() {
            list.add(key.name, ItemKind::Key, path_of(analysis, other));
        }
    }
}

/// Statements and expressions: resource types, functions, keywords.
fn code(analysis: &Analysis, list: &mut List) {
    KEYWORDS.iter().for_each(|word| list.add(word, ItemKind::Keyword, ""));
    for ty in schema::TYPES.iter() {
        let doc = ordain_kinds::of_puppet(ty.name).map_or("", |(kind, _)| kind.doc);
        list.add_documented(ty.name, ItemKind::Type, "", doc);
    }
    for function in functions::builtin() {
        if list.fits(function.name) {
            let signature = functions::of_table(function).into_iter().next();
            let detail = signature.map(|signature| signature.label).unwrap_or_default();
            list.add_documented(function.name, ItemKind::Function, detail, function.doc);
        }
    }
    for_each_definition(analysis, |file, definition| match definition {
        Definition::Define { name, .. } => {
            list.add(&plain(name), ItemKind::Type, path_of(analysis, file));
        }
        Definition::Function { name, .. } => {
            list.add(name, ItemKind::Function, path_of(analysis, file));
        }
        _ => {}
    });
}
