//! The references of dynaml to keys of a document, and the keys of its stubs.

use crate::file::File;
use crate::language::Language;
use crate::puppet::hover::is_secret;
use crate::snapshot::Analysis;
use crate::types::{CompletionItem, ItemKind};
use crate::words::{self, Word};

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

/// Keys and functions in an expression; elsewhere the keys of other documents at the same path: those
/// of its stubs in a template, those of templates in a stub.
pub(crate) fn complete(analysis: &Analysis, file: &File, head: &str) -> Vec<CompletionItem> {
    let line = head.rsplit('\n').next().unwrap_or_default();
    let open = line.rfind("((").map(|at| &line[at + 2..]).filter(|code| !code.contains("))"));
    let Some(code) = open else {
        return keys_of_others(analysis, file, head, line);
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let (before, path) = code.split_at(code.trim_end_matches(is_part).len());
    let owner = path.strip_suffix('.');
    if is_of_stubs(before) {
        let keys = keys_at(analysis, file, owner.unwrap_or_default(), &|_| true);
        let words =
            if owner.is_none() && before.trim_end().ends_with("merge") { MERGE_WORDS } else { &[] };
        let words = words.iter().map(|word| CompletionItem::plain(word, ItemKind::Keyword, "", ""));
        return keys.into_iter().chain(words).collect();
    }
    if let Some(path) = owner {
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

/// The words that may follow `merge` in place of a path.
const MERGE_WORDS: &[&str] = &["replace", "required", "on", "none"];

/// Whether the path after a code is one of stubs: that of `merge`, or the argument of `stub()`.
fn is_of_stubs(before: &str) -> bool {
    let code = before.trim_end();
    let word = match code.strip_suffix('"').unwrap_or(code).strip_suffix('(') {
        Some(function) => return last_word(function.trim_end()) == "stub",
        None => last_word(code),
    };
    let has_space = before.len() > code.len();
    has_space && (word == "merge" || MERGE_WORDS[..2].contains(&word) && code.contains("merge"))
}

fn last_word(code: &str) -> &str {
    &code[code.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..]
}

/// The keys of other documents at the path of a new key: in a template those of all documents, which
/// may be its stubs, elsewhere those of templates.
fn keys_of_others(analysis: &Analysis, file: &File, head: &str, line: &str) -> Vec<CompletionItem> {
    if !line.chars().all(|c| matches!(c, ' ' | '-')) {
        return Vec::new();
    }
    // The key is not there yet, so its path is that of one in its place.
    let found = words::yaml::words(&format!("{head}x:"));
    let Some(key) = found.definitions().last() else { return Vec::new() };
    let is_template = is_template(file);
    let mut keys =
        keys_at(analysis, file, &key.owner, &|other| is_template || self::is_template(other));
    let own = |name: &str| {
        file.words.definitions().any(|word| word.owner == key.owner && word.name == name)
    };
    keys.retain(|item| !own(&item.label));
    keys
}

/// Whether a document has expressions. Only open ones are checked, so only these have the language.
fn is_template(file: &File) -> bool {
    file.language == Some(Language::Dynaml) || ordain_dynaml::check::has_expressions(&file.text)
}

/// The keys below a path in other YAML documents.
fn keys_at(
    analysis: &Analysis,
    file: &File,
    path: &str,
    is_wanted: &dyn Fn(&File) -> bool,
) -> Vec<CompletionItem> {
    let path = path.trim_start_matches('.');
    let is_yaml = |other: &&File| {
        matches!(other.language, Some(Language::Dynaml | Language::Data))
            && other.path != file.path
            && is_wanted(other)
    };
    let mut out = Vec::new();
    for other in analysis.files().filter(is_yaml) {
        let name = other.path.file_name().unwrap_or_default().to_string_lossy();
        for key in other.words.definitions().filter(|key| key.owner == path) {
            let text = format!("In {name}.");
            let is_secret = is_secret(&key.name, &key.detail);
            let detail = if is_secret { "" } else { &*key.detail };
            out.push(CompletionItem::plain(&key.name, ItemKind::Key, detail, &text));
        }
    }
    out
}
