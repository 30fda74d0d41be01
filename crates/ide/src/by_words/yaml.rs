//! The references of dynaml to keys.

use crate::file::File;
use crate::types::{CompletionItem, ItemKind};
use crate::words::Word;

/// The key that a reference means: its first part is searched in the maps around, from the inside.
pub(crate) fn meaning<'a>(file: &'a File, word: &'a Word) -> Vec<(&'a File, &'a Word)> {
    let full = |owner: &str, name: &str| match owner.is_empty() {
        true => name.to_owned(),
        false => format!("{owner}.{name}"),
    };
    let is_absolute = word.name.starts_with('.');
    let name = word.name.trim_start_matches('.');
    let parts: Vec<&str> = name.split('.').collect();
    let find = |wanted: &str| file.words.definitions().find(|key| has_path(key, wanted));
    let mut around: Vec<&str> = word.owner.split('.').filter(|part| !part.is_empty()).collect();
    if is_absolute {
        around.clear();
    }
    loop {
        let prefix = around.join(".");
        if find(&full(&prefix, parts[0])).is_some() {
            return find(&full(&prefix, name)).map(|key| (file, key)).into_iter().collect();
        }
        if around.pop().is_none() {
            return Vec::new();
        }
    }
}

/// Whether a key has a path.
fn has_path(key: &Word, path: &str) -> bool {
    match path.strip_suffix(key.name.as_str()) {
        Some("") => key.owner.is_empty(),
        Some(rest) => rest.strip_suffix('.').is_some_and(|owner| owner == key.owner),
        None => false,
    }
}

/// Keys and functions in an expression.
pub(crate) fn complete(file: &File, head: &str) -> Vec<CompletionItem> {
    let line = head.rsplit('\n').next().unwrap_or_default();
    let is_open = line.rfind("((").is_some_and(|at| !line[at..].contains("))"));
    if !is_open {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let path = &line[line.trim_end_matches(is_part).len()..];
    if let Some(path) = path.strip_suffix('.') {
        let keys = file.words.definitions().filter(|key| key.owner == path.trim_start_matches('.'));
        return keys
            .map(|key| CompletionItem::plain(&key.name, ItemKind::Key, &key.detail, ""))
            .collect();
    }
    let keys = file
        .words
        .definitions()
        .map(|key| CompletionItem::plain(&key.name, ItemKind::Key, &key.owner, ""));
    let mut out: Vec<CompletionItem> = keys.collect();
    let functions = ordain_dynaml::functions::table();
    let mut functions: Vec<_> = functions.iter().collect();
    functions.sort_by_key(|(name, _)| **name);
    out.extend(functions.into_iter().map(|(name, function)| {
        CompletionItem::plain(name, ItemKind::Function, function.signature, function.doc)
    }));
    out
}
