//! Names of classes, defines, functions and data types in tests: files of `ordain test`, and specs of
//! rspec-puppet.

use std::path::{Path, PathBuf};

use ordain_source::{EntryKind, TextRange};

use super::definitions;
use super::names::Symbol;
use crate::snapshot::Analysis;
use crate::types::{Edit, Place};

/// The maximum depth of directories with tests.
const DEPTH: usize = 32;
/// Directories with the tests of others.
const LEFT_OUT: [&str; 3] = ["fixtures", "node_modules", "vendor"];
/// The words behind which a name without a namespace is that of a class.
const BEFORE_CLASS: [&str; 8] = [
    "Class[",
    "include ",
    "contain ",
    "require ",
    "describe ",
    "contain_class(",
    "create_class(",
    "contain_class ",
];
/// The beginnings of matchers for resources of a define: `contain_web__vhost`.
const MATCHERS: [&str; 3] = ["contain_", "create_", "have_"];
/// The end of a matcher for a number of resources.
const COUNT: &str = "_resource_count";

/// The edits that give a name in tests another text; with `is_class` also in front of its parameters in
/// data. `replacement` gives the new name in the form of a written one.
pub(super) fn edits(
    analysis: &Analysis,
    is_class: bool,
    old: &str,
    replacement: &dyn Fn(&str) -> String,
) -> Vec<Edit> {
    let mut out = Vec::new();
    for path in files(analysis) {
        let Some(text) = analysis.read(&path) else { continue };
        for (start, word) in words(&text) {
            let found = part(analysis, is_class, old, (&text[..start], word));
            let Some((skipped, written)) = found else { continue };
            let text = match skipped {
                0 => replacement(written),
                _ => replacement(old).replace("::", "__"),
            };
            out.push(Edit { place: place(&path, start + skipped, written.len()), text });
        }
    }
    out
}

/// The edits that give a parameter in the data of tests another name.
pub(super) fn member_edits(analysis: &Analysis, owner: &str, old: &str, new: &str) -> Vec<Edit> {
    let full = format!("{owner}::{old}");
    let mut out = Vec::new();
    for path in files(analysis) {
        let Some(text) = analysis.read(&path) else { continue };
        for (start, _) in words(&text).into_iter().filter(|(_, word)| *word == full) {
            let at = start + full.len() - old.len();
            out.push(Edit { place: place(&path, at, old.len()), text: new.to_owned() });
        }
    }
    out
}

fn place(path: &Path, start: usize, length: usize) -> Place {
    Place::new(path, TextRange::new(start as u32, (start + length) as u32))
}

/// The part of a word that is the name, with its offset in the word: not 0 in a matcher.
fn part<'t>(
    analysis: &Analysis,
    is_class: bool,
    old: &str,
    (before, word): (&str, &'t str),
) -> Option<(usize, &'t str)> {
    let mangled = old.replace("::", "__");
    for matcher in MATCHERS {
        let rest = word.strip_prefix(matcher).unwrap_or_default();
        if rest == mangled || rest.strip_suffix(COUNT) == Some(mangled.as_str()) {
            return Some((matcher.len(), &word[matcher.len()..matcher.len() + mangled.len()]));
        }
    }
    if word.eq_ignore_ascii_case(old) {
        let is_whole = old.contains("::") || {
            let before = before.trim_end_matches(['\'', '"']);
            BEFORE_CLASS.iter().any(|text| before.ends_with(text))
        };
        return is_whole.then_some((0, word));
    }
    let member = word.strip_prefix(old).and_then(|rest| rest.strip_prefix("::"));
    let is_member = is_class
        && member.is_some_and(|member| !member.is_empty() && !member.contains("::"))
        && [Symbol::Class(word.into()), Symbol::Function(word.into())]
            .iter()
            .all(|other| definitions::definition(analysis, other).is_none());
    is_member.then(|| (0, &word[..old.len()]))
}

/// The names in a text, with their offsets: runs of letters, digits, underscores and double colons.
fn words(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let mut out = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_part) {
        let start = rest + start;
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        rest = start + length;
        let run = &text[start..rest];
        let word = run.trim_start_matches(':');
        out.push((rest - word.len(), word.trim_end_matches(':')));
    }
    out
}

/// The files with tests below the open directories.
fn files(analysis: &Analysis) -> Vec<PathBuf> {
    let world = analysis.world.as_ref();
    let mut out = Vec::new();
    let mut left: Vec<_> = analysis.roots.iter().map(|root| (root.clone(), 0)).collect();
    while let Some((dir, depth)) = left.pop() {
        if analysis.is_cancelled() {
            break;
        }
        for (name, kind) in world.list(&dir).unwrap_or_default() {
            let is_left_out = name.starts_with('.') || LEFT_OUT.contains(&name.as_str());
            match kind {
                EntryKind::Directory if !is_left_out && depth < DEPTH => {
                    left.push((dir.join(name), depth + 1));
                }
                EntryKind::File if name.ends_with(".test.yaml") || name.ends_with("_spec.rb") => {
                    out.push(dir.join(name));
                }
                _ => {}
            }
        }
    }
    out
}
