//! Names of programs of mgmt: their definitions, built-in functions and kinds.

use ecow::EcoString;
use ordain_kinds::{KindSchema, MclKind};
use ordain_mcl::functions as table;

use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::{CompletionItem, ItemKind};
use crate::words::Word;
use crate::words::mcl::KEYWORDS;

/// The definitions that a name means: of this file, or classes and functions of others.
pub(crate) fn meaning<'a>(
    analysis: &'a Analysis,
    file: &'a File,
    word: &'a Word,
) -> Vec<(&'a File, &'a Word)> {
    let name = word.name.rsplit('.').next().unwrap_or(&word.name);
    let is_variable = file
        .text
        .get(..word.range.start as usize)
        .is_some_and(|before| before.ends_with('$') || before.ends_with("${"));
    let own = |found: &&Word| {
        let variable = matches!(found.defines, Some(ItemKind::Variable | ItemKind::Attribute));
        found.name == name && variable == is_variable && found.defines != Some(ItemKind::Resource)
    };
    // The last definition above a use is the one in its scope, if names repeat.
    let mut found: Vec<&Word> = file.words.definitions().filter(own).collect();
    let above = found.iter().rposition(|found| found.range.start <= word.range.start);
    if !found.is_empty() {
        let at = above.unwrap_or(0);
        return vec![(file, found.swap_remove(at))];
    }
    if is_variable {
        return Vec::new();
    }
    let shared = |word: &&Word| {
        word.name == name && matches!(word.defines, Some(ItemKind::Class | ItemKind::Function))
    };
    let others = analysis.files().filter(|other| other.language == file.language);
    others
        .flat_map(|other| other.words.definitions().filter(shared).map(move |w| (other, w)))
        .collect()
}

/// The kind in mcl of this name.
fn kind(name: &str) -> Option<(&'static KindSchema, &'static MclKind)> {
    ordain_kinds::known().find_map(|kind| Some((kind, kind.mcl.iter().find(|m| m.name == name)?)))
}

/// The import path of a module by the name that a file uses.
fn module_path(file: &File, name: &str) -> Option<EcoString> {
    file.words.imports.iter().find(|(_, used)| used == name).map(|(path, _)| path.clone())
}

/// The built-in function that a name means in a file.
pub(super) fn builtin(file: &File, name: &str) -> Option<&'static table::Builtin> {
    match name.split_once('.') {
        Some((module, name)) => table::find(&format!("{}.{name}", module_path(file, module)?)),
        None => table::find(name),
    }
}

/// The description of a built-in function or a kind.
pub(crate) fn builtin_hover(
    file: &File,
    word: &Word,
    code: impl Fn(&str) -> String,
) -> Option<String> {
    if let Some(function) = builtin(file, &word.name) {
        let head = code(&format!("{} {}", function.name, function.text));
        return Some(format!("{head}\n\n{}", function.doc));
    }
    let name = if word.defines.is_some() { &word.owner } else { &word.name };
    let (schema, _) = kind(name)?;
    Some(format!("{}\n\n{}", code(name), schema.doc))
}

/// The proposals at a cursor, by the text before it.
pub(crate) fn complete(
    analysis: &Analysis,
    file: &File,
    head: &str,
    offset: u32,
) -> Vec<CompletionItem> {
    let mut out = Vec::new();
    if head.ends_with('$') || head.ends_with("${") {
        for word in file.words.definitions() {
            if matches!(word.defines, Some(ItemKind::Variable | ItemKind::Attribute)) {
                out.push(CompletionItem::plain(&word.name, ItemKind::Variable, &word.detail, ""));
            }
        }
        return out;
    }
    if let Some(module) = head.strip_suffix('.') {
        let name = module.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        let path = name.and_then(|name| module_path(file, name));
        for function in path.iter().flat_map(|path| table::in_module(path)) {
            let label = function.parts().1;
            out.push(CompletionItem::plain(label, ItemKind::Function, function.text, function.doc));
        }
        return out;
    }
    if let Some(fields) = fields(file, head, offset) {
        return fields;
    }
    KEYWORDS
        .iter()
        .for_each(|word| out.push(CompletionItem::plain(word, ItemKind::Keyword, "", "")));
    for kind in ordain_kinds::known() {
        let kinds = kind
            .mcl
            .iter()
            .map(|mcl| CompletionItem::plain(mcl.name, ItemKind::Type, "", kind.doc));
        out.extend(kinds);
    }
    let globals = table::all().iter().filter(|function| function.parts().0.is_empty());
    let globals = globals.filter(|function| !function.is_internal());
    out.extend(
        globals.map(|f| CompletionItem::plain(f.parts().1, ItemKind::Function, f.text, f.doc)),
    );
    for other in analysis.files().filter(|other| other.language == file.language) {
        for word in other.words.definitions() {
            if let Some(kind @ (ItemKind::Class | ItemKind::Function)) = word.defines {
                out.push(CompletionItem::plain(&word.name, kind, &word.detail, ""));
            }
        }
    }
    out.extend(
        file.words
            .imports
            .iter()
            .map(|(path, name)| CompletionItem::plain(name, ItemKind::Module, path, "")),
    );
    out
}

/// The fields of the resource around a cursor, at the start of a line.
fn fields(file: &File, head: &str, offset: u32) -> Option<Vec<CompletionItem>> {
    let line = head.rsplit('\n').next().unwrap_or_default();
    if !line.trim().is_empty() {
        return None;
    }
    let is_around = |word: &&Word| {
        word.defines == Some(ItemKind::Resource)
            && word.extent.start < offset
            && offset <= word.extent.end
    };
    let around = file.words.definitions().filter(is_around).last()?;
    let (schema, mcl) = kind(&around.owner)?;
    let fields = mcl.fields_of(schema);
    let field = |field: &ordain_kinds::MclField| CompletionItem {
        insert: format!("{} => ", field.name),
        ..CompletionItem::plain(field.name, ItemKind::Attribute, field.ty, "")
    };
    Some(fields.iter().map(field).collect())
}
