//! Candidates of completions: names of this program, and of the code in the current directory.
//!
//! Files are parsed for them and nothing is run, so that the key for completions is safe in a
//! directory of others.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap_complete::CompletionCandidate;
use ordain_puppet::syntax::{self, dump};
use ordain_source::SourceMap;
use serde_json::Value as Json;

use crate::codes;

/// The variable by which the scripts of shells ask for candidates.
pub(crate) const VARIABLE: &str = "ORDAIN_COMPLETE";

/// The number of manifests that are read for one completion.
const MAX_FILES: usize = 400;
/// The depth of directories below the current one.
const MAX_DEPTH: usize = 6;

/// The candidates whose names start with the typed text, with a line about each.
pub(crate) fn starting<'a>(
    current: &OsStr,
    names: impl Iterator<Item = (String, Option<&'a str>)>,
) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let names = names.filter(|(name, _)| name.starts_with(&*current));
    names
        .map(|(name, about)| {
            CompletionCandidate::new(name).help(about.map(|about| about.to_owned().into()))
        })
        .collect()
}

/// Diagnostic codes.
pub(crate) fn codes(current: &OsStr) -> Vec<CompletionCandidate> {
    starting(current, codes::all().into_iter().map(|doc| (doc.code.to_owned(), Some(doc.summary))))
}

/// Kinds of resources.
pub(crate) fn kinds(current: &OsStr) -> Vec<CompletionCandidate> {
    let kinds = ordain_kinds::all().into_iter();
    starting(current, kinds.map(|kind| (kind.name.to_owned(), Some(kind.doc))))
}

/// Resources that the manifests below the current directory declare by a literal title.
pub(crate) fn resources(current: &OsStr) -> Vec<CompletionCandidate> {
    starting(current, declared().resources.into_iter().map(|name| (name, None)))
}

/// Nodes: those with facts in `facts`, and those that manifests name.
pub(crate) fn nodes(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut nodes = declared().nodes;
    for entry in entries(Path::new("facts")) {
        let is_data = entry.extension().is_some_and(|e| e == "json" || e == "yaml" || e == "yml");
        if let Some(name) = entry.file_stem().filter(|_| is_data) {
            nodes.push(name.to_string_lossy().into_owned());
        }
    }
    nodes.sort();
    nodes.dedup();
    starting(current, nodes.into_iter().map(|name| (name, None)))
}

/// Environments here and in the directory of servers.
pub(crate) fn environments(current: &OsStr) -> Vec<CompletionCandidate> {
    let places = ["environments", "/etc/puppetlabs/code/environments"];
    let found = places.iter().flat_map(|place| entries(Path::new(place)));
    let directories = found.filter(|path| path.is_dir());
    let names =
        directories.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names.dedup();
    starting(current, names.into_iter().map(|name| (name, None)))
}

/// The entries of a directory in the order of their names; none if it cannot be read.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Names in manifests.
#[derive(Default)]
struct Declared {
    resources: Vec<String>,
    nodes: Vec<String>,
}

fn declared() -> Declared {
    let mut manifests = Vec::new();
    find_manifests(Path::new("."), MAX_DEPTH, &mut manifests);
    let mut declared = Declared::default();
    for path in manifests {
        let Ok(text) = ordain_source::read_input_text(&path) else { continue };
        let file = SourceMap::new().add(&path, text.as_str());
        collect(&dump::json(&syntax::parse(file, text).program), &mut declared);
    }
    declared.resources.sort();
    declared.resources.dedup();
    declared
}

fn find_manifests(dir: &Path, depth: usize, out: &mut Vec<PathBuf>) {
    for path in entries(dir) {
        let is_hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if out.len() >= MAX_FILES || is_hidden || path.is_symlink() {
            continue;
        }
        if path.is_dir() && depth > 0 {
            find_manifests(&path, depth - 1, out);
        } else if path.extension().is_some_and(|e| e == "pp") && path.is_file() {
            out.push(path);
        }
    }
}

/// Adds the names in a syntax tree, in the form of [`dump::json`].
fn collect(tree: &Json, out: &mut Declared) {
    match tree {
        Json::Object(node) => {
            match node.get("node").and_then(Json::as_str) {
                Some("resource") => add_resources(tree, out),
                Some("class") => {
                    if let Some(name) = tree["name"].as_str() {
                        out.resources.push(format!("Class[{name}]"));
                    }
                }
                Some("node") => {
                    out.nodes.extend(texts(&tree["matches"]));
                }
                _ => {}
            }
            node.values().for_each(|part| collect(part, out));
        }
        Json::Array(parts) => parts.iter().for_each(|part| collect(part, out)),
        _ => {}
    }
}

fn add_resources(resource: &Json, out: &mut Declared) {
    let Some(kind) = resource["type"]["name"].as_str().filter(|kind| *kind != "class") else {
        return;
    };
    let capital = |segment: &str| {
        let (first, rest) =
            segment.split_at(usize::from(segment.is_char_boundary(1) && !segment.is_empty()));
        first.to_uppercase() + rest
    };
    let kind: Vec<String> = kind.trim_start_matches("::").split("::").map(capital).collect();
    let kind = kind.join("::");
    let bodies = resource["bodies"].as_array().into_iter().flatten();
    let titles = bodies.flat_map(|body| texts(&body["title"]));
    out.resources.extend(titles.map(|title| format!("{kind}[{title}]")));
}

/// The literal texts of a node, a list of nodes or an array.
fn texts(node: &Json) -> Vec<String> {
    match (node, node["node"].as_str()) {
        (Json::Array(nodes), _) => nodes.iter().flat_map(texts).collect(),
        (_, Some("string")) => node["value"].as_str().map(str::to_owned).into_iter().collect(),
        (_, Some("name")) => node["name"].as_str().map(str::to_owned).into_iter().collect(),
        (_, Some("array")) => texts(&node["values"]),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_literal_titles() {
        let text = "node 'web.example.org', db { include ntp }
            class ntp { apache::vhost { ['a', \"b\"]: } file { \"/x/${y}\": } }";
        let file = SourceMap::new().add("site.pp", text);
        let mut out = Declared::default();
        collect(&dump::json(&syntax::parse(file, text).program), &mut out);
        out.resources.sort();
        assert_eq!(out.resources, ["Apache::Vhost[a]", "Apache::Vhost[b]", "Class[ntp]"]);
        assert_eq!(out.nodes, ["web.example.org", "db"]);
    }
}
