//! The answers about mcl, Inmanta and YAML, from the names in their files.

mod inmanta;
mod mcl;
mod signatures;
mod yaml;

pub(crate) use signatures::signatures;

use ordain_source::TextRange;

use crate::file::File;
use crate::language::Language;
use crate::snapshot::Analysis;
use crate::types::{Completions, Fold, Hover, ItemKind, OutlineItem, Place};
use crate::words::{self, Word};

/// The maximal nesting of the outline.
const MAX_DEPTH: usize = 64;

/// The outline: definitions, and below each those inside of it.
pub(crate) fn outline(file: &File) -> Vec<OutlineItem> {
    let mut roots: Vec<OutlineItem> = Vec::new();
    let mut open: Vec<OutlineItem> = Vec::new();
    let close = |open: &mut Vec<OutlineItem>, roots: &mut Vec<OutlineItem>, at: u32| {
        while open.last().is_some_and(|item| item.range.end <= at) {
            let Some(done) = open.pop() else { break };
            match open.last_mut() {
                Some(around) => around.children.push(done),
                None => roots.push(done),
            }
        }
    };
    for word in file.words.definitions() {
        let Some(kind) = word.defines else { continue };
        close(&mut open, &mut roots, word.range.start);
        if open.len() >= MAX_DEPTH {
            // The innermost entry ends here, so that this one is beside it.
            let innermost = open.last().map_or(0, |item| item.range.end);
            close(&mut open, &mut roots, innermost);
        }
        let range = word.extent.cover(word.range);
        let detail =
            if kind == ItemKind::Attribute { word.detail.to_string() } else { String::new() };
        let name = word.name.to_string();
        let children = Vec::new();
        open.push(OutlineItem { name, detail, kind, range, name_range: word.range, children });
    }
    close(&mut open, &mut roots, u32::MAX);
    roots
}

/// The lines of definitions and brackets.
pub(crate) fn folds(file: &File) -> Vec<Fold> {
    let mut out: Vec<Fold> = Vec::new();
    let mut add = |start: u32, end: u32| {
        if end > start {
            out.push(Fold { start, end, is_comment: false });
        }
    };
    let text = &*file.text;
    for word in file.words.definitions() {
        let end = word.extent.end as usize;
        let shown = text.get(..end).unwrap_or_default().trim_end().len() as u32;
        add(file.lines.line(word.range.start), file.lines.line(shown.saturating_sub(1)));
    }
    if file.language == Some(Language::Mcl) {
        let mut open = Vec::new();
        for token in words::scan::tokens(text, words::mcl::STYLE) {
            match token.text {
                "{" | "[" | "(" => open.push(file.lines.line(token.range.start)),
                "}" | "]" | ")" => {
                    if let Some(start) = open.pop() {
                        add(start, file.lines.line(token.range.start).saturating_sub(1));
                    }
                }
                _ => {}
            }
        }
    }
    out.sort_unstable();
    out.dedup_by_key(|fold| fold.start);
    out
}

/// The definitions of the name at an offset.
pub(crate) fn definitions(analysis: &Analysis, file: &File, offset: u32) -> Vec<Place> {
    let found = resolve(analysis, file, offset);
    found.into_iter().map(|(file, word)| Place::new(&file.path, word.range)).collect()
}

/// The definitions that the name at an offset means.
fn resolve<'a>(analysis: &'a Analysis, file: &'a File, offset: u32) -> Vec<(&'a File, &'a Word)> {
    let Some(word) = file.words.at(offset) else { return Vec::new() };
    meaning(analysis, file, word)
}

/// The definitions that a name means.
fn meaning<'a>(
    analysis: &'a Analysis,
    file: &'a File,
    word: &'a Word,
) -> Vec<(&'a File, &'a Word)> {
    if word.defines.is_some() {
        return vec![(file, word)];
    }
    match file.language {
        Some(Language::Mcl) => mcl::meaning(analysis, file, word),
        Some(Language::Inmanta) => inmanta::meaning(analysis, file, word),
        Some(Language::Dynaml | Language::Data) => yaml::meaning(file, word),
        Some(Language::Puppet | Language::Erb) | None => Vec::new(),
    }
}

/// All places of the name at an offset.
pub(crate) fn references(
    analysis: &Analysis,
    file: &File,
    offset: u32,
    with_definition: bool,
) -> Vec<Place> {
    let wanted = resolve(analysis, file, offset);
    let wanted: Vec<Place> =
        wanted.iter().map(|(file, w)| Place::new(&file.path, w.range)).collect();
    let Some(last) = file.words.at(offset).map(|word| last_part(word).to_owned()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for other in analysis.files().filter(|other| other.language == file.language) {
        if analysis.is_cancelled() {
            break;
        }
        for word in other.words.words.iter().filter(|word| last_part(word) == last) {
            let found = meaning(analysis, other, word);
            let is_it = found.iter().any(|(f, w)| wanted.contains(&Place::new(&f.path, w.range)));
            if is_it && (with_definition || word.defines.is_none()) {
                out.push(Place::new(&other.path, word.range));
            }
        }
    }
    out
}

/// The last part of a name, which a use shares with its definition.
fn last_part(word: &Word) -> &str {
    word.last().rsplit('.').next().unwrap_or(&word.name)
}

/// The description of the name at an offset.
pub(crate) fn hover(analysis: &Analysis, file: &File, offset: u32) -> Option<Hover> {
    let word = file.words.at(offset)?;
    let language = match file.language? {
        Language::Mcl => "mcl",
        Language::Inmanta => "inmanta",
        _ => "yaml",
    };
    let code = |text: &str| format!("```{language}\n{text}\n```");
    // The kind of a resource says more than the resource itself.
    let is_named = |(_, word): &(&File, &Word)| word.defines != Some(ItemKind::Resource);
    let shown: Vec<String> = resolve(analysis, file, offset)
        .into_iter()
        .filter(is_named)
        .take(4)
        .map(|(file, word)| {
            let comment = crate::puppet::docs::above(&file.text, word.extent.start);
            let text = if word.detail.is_empty() { &word.name } else { &word.detail };
            format!("{}\n\n{comment}", code(text)).trim_end().to_owned()
        })
        .collect();
    let markdown = match (shown.is_empty(), file.language?) {
        (false, _) => shown.join("\n\n"),
        (true, Language::Mcl) => mcl::builtin_hover(file, word, code)?,
        (true, Language::Inmanta) => inmanta::builtin_hover(analysis, file, word, code)?,
        (true, _) => return None,
    };
    Some(Hover { markdown, range: word.range })
}

/// The proposals at an offset.
pub(crate) fn complete(analysis: &Analysis, file: &File, offset: u32) -> Completions {
    let before = file.text.get(..offset as usize).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let start = before.trim_end_matches(is_part).len();
    let range = TextRange::new(start as u32, offset);
    let head = &before[..start];
    let mut items = match file.language {
        Some(Language::Mcl) => mcl::complete(analysis, file, head, offset),
        Some(Language::Inmanta) => inmanta::complete(analysis, file, head, offset),
        Some(Language::Dynaml | Language::Data) => yaml::complete(analysis, file, head),
        _ => Vec::new(),
    };
    let typed = before[start..].to_lowercase();
    items.retain(|item| item.fits(&typed));
    items.sort();
    items.dedup_by(|a, b| a.label == b.label);
    Completions { range, items }
}
