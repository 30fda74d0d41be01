//! Names of models of Inmanta: their definitions in modules.

use crate::file::File;
use crate::snapshot::Analysis;
use crate::types::{CompletionItem, ItemKind};
use crate::words::Word;
use crate::words::inmanta::{self, KEYWORDS, TYPES};

/// The namespace in front of a name, with the path of an import in place of its name.
fn qualifier(file: &File, name: &str) -> Option<String> {
    let (space, _) = name.rsplit_once("::")?;
    let first = file.words.imports.iter().find(|(_, used)| used == space);
    Some(first.map_or_else(|| space.to_owned(), |(path, _)| path.to_string()))
}

/// The definitions that a name means.
pub(crate) fn meaning<'a>(
    analysis: &'a Analysis,
    file: &'a File,
    word: &'a Word,
) -> Vec<(&'a File, &'a Word)> {
    let last = word.last();
    let models = || analysis.files().filter(|other| other.language == file.language);
    let defined = |file: &'a File, is_it: &dyn Fn(&Word) -> bool| -> Vec<(&'a File, &'a Word)> {
        let found = file.words.definitions().filter(|found| found.name == last && is_it(found));
        found.map(|found| (file, found)).collect()
    };
    if word.owner == "." || is_named_argument(file, word) {
        let is_attribute = |found: &Word| found.defines == Some(ItemKind::Attribute);
        return models().flat_map(|file| defined(file, &is_attribute)).collect();
    }
    let is_named = |found: &Word| found.defines != Some(ItemKind::Attribute);
    let Some(space) = qualifier(file, &word.name) else {
        let own = defined(file, &is_named);
        if !own.is_empty() {
            return own.into_iter().take(1).collect();
        }
        let space = &file.words.namespace;
        let beside = models().filter(|other| other.words.namespace == *space);
        return beside.flat_map(|file| defined(file, &is_named)).take(1).collect();
    };
    let there = models().filter(|other| other.words.namespace == space);
    there.flat_map(|file| defined(file, &is_named)).collect()
}

/// Whether a name is that of an argument: it stands in parentheses before `=`.
fn is_named_argument(file: &File, word: &Word) -> bool {
    let after = file.text.get(word.range.end as usize..).unwrap_or_default().trim_start();
    let before = file.text.get(..word.range.start as usize).unwrap_or_default().trim_end();
    after.starts_with('=') && !after.starts_with("==") && before.ends_with(['(', ','])
}

/// The description of something of the built-in module `std`.
pub(crate) fn builtin_hover(
    _: &Analysis,
    _: &File,
    word: &Word,
    code: impl Fn(&str) -> String,
) -> Option<String> {
    let found = std_definitions(word.last());
    let found = found.first()?;
    Some(code(found))
}

/// The lines of `std` that define a name.
fn std_definitions(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (_, _, text) in ordain_inmanta::std::FILES {
        let words = inmanta::words(text);
        let found = words.definitions().filter(|word| word.name == name);
        out.extend(found.map(|word| word.detail.to_string()));
    }
    out
}

/// The proposals at a cursor, by the text before it.
pub(crate) fn complete(
    analysis: &Analysis,
    file: &File,
    head: &str,
    offset: u32,
) -> Vec<CompletionItem> {
    let mut out = Vec::new();
    let models = || analysis.files().filter(|other| other.language == file.language);
    let add = |out: &mut Vec<CompletionItem>, word: &Word| {
        if let Some(kind) = word.defines {
            out.push(CompletionItem::plain(&word.name, kind, &word.detail, ""));
        }
    };
    if let Some(before) = head.strip_suffix("::") {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        let space = &before[before.trim_end_matches(is_part).len()..];
        let space = qualifier(file, &format!("{space}::x")).unwrap_or_default();
        for word in
            models().filter(|o| o.words.namespace == space).flat_map(|o| o.words.definitions())
        {
            if word.defines != Some(ItemKind::Attribute) {
                add(&mut out, word);
            }
        }
        if space == "std" {
            let std = ordain_inmanta::std::FILES.iter().filter(|(name, ..)| *name == "std");
            for (_, _, text) in std {
                inmanta::words(text).definitions().for_each(|word| add(&mut out, word));
            }
        }
        return out;
    }
    let entity = constructed(head);
    if head.ends_with('.') || entity.is_some() {
        let wanted = entity.and_then(|name| name.rsplit("::").next());
        for word in models().flat_map(|other| other.words.definitions()) {
            let owner = word.owner.rsplit("::").next().unwrap_or_default();
            let fits = wanted.is_none_or(|wanted| wanted == owner);
            if word.defines == Some(ItemKind::Attribute) && fits {
                add(&mut out, word);
            }
        }
        if !out.is_empty() || head.ends_with('.') {
            return out;
        }
    }
    KEYWORDS
        .iter()
        .for_each(|word| out.push(CompletionItem::plain(word, ItemKind::Keyword, "", "")));
    TYPES.iter().for_each(|word| out.push(CompletionItem::plain(word, ItemKind::DataType, "", "")));
    let near = |word: &&Word| word.defines != Some(ItemKind::Attribute) && word.range.end != offset;
    file.words.definitions().filter(near).for_each(|word| add(&mut out, word));
    let space = &file.words.namespace;
    for other in models().filter(|o| o.path != file.path && o.words.namespace == *space) {
        other.words.definitions().filter(near).for_each(|word| add(&mut out, word));
    }
    let imports = file.words.imports.iter();
    out.extend(imports.map(|(path, name)| CompletionItem::plain(name, ItemKind::Module, path, "")));
    out
}

/// The entity whose constructor is open at the end of a text.
fn constructed(head: &str) -> Option<&str> {
    let mut depth = 0_u32;
    for (at, c) in head.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth > 0 => depth -= 1,
            '(' => {
                let before = &head[..at];
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
                let name = &before[before.trim_end_matches(is_part).len()..];
                let last = name.rsplit("::").next().unwrap_or(name);
                return last.starts_with(|c: char| c.is_uppercase()).then_some(name);
            }
            _ => {}
        }
    }
    None
}
