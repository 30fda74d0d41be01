//! The lines of code and data that cause changes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ordain_data::Redactor;
use ordain_driver::inputs::{CompileRecord, InputKind};
use ordain_graph::explain::{Cause as Explained, Explainer};
use ordain_graph::{Graph, OriginId, locate};
use ordain_puppet::provenance::Provenance;
use ordain_source::layer::absolute;
use ordain_source::{SourceMap, World};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use similar::{DiffOp, TextDiff};

use crate::compare::{Found, Place};

/// The most causes of a change.
pub(crate) const MAX_CAUSES: usize = 5;

/// Files above this size are not compared line by line.
const MAX_SIZE: usize = 4 << 20;

/// A line that differs between the sides and led to a change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Cause {
    /// The file, relative to the compiled directory if it is inside.
    pub file: String,
    /// The line; 0 if only the file is known.
    pub line: u32,
    /// Whether the line is one of the side before, which the side after lacks.
    pub is_before: bool,
}

/// The lines of a file that one side has and the other lacks.
#[derive(Debug, Default)]
struct ChangedLines {
    before: BTreeSet<u32>,
    after: BTreeSet<u32>,
    /// The texts before and after, if they differ and are data.
    texts: Option<[String; 2]>,
}

/// Compares the files of both sides, each once.
pub(crate) struct Lines<'w> {
    root: std::path::PathBuf,
    before: &'w dyn World,
    after: &'w dyn World,
    known: Mutex<FxHashMap<String, Arc<ChangedLines>>>,
    /// The texts of manifests by their paths, and whether they are of the side before.
    manifests: Mutex<FxHashMap<(String, bool), Arc<str>>>,
}

impl<'w> Lines<'w> {
    pub(crate) fn new(root: &Path, before: &'w dyn World, after: &'w dyn World) -> Self {
        Self {
            root: absolute(root),
            before,
            after,
            known: Mutex::default(),
            manifests: Mutex::default(),
        }
    }

    /// The path of a file for people.
    pub(crate) fn shown(&self, file: &str) -> String {
        let full = absolute(Path::new(file));
        let inside = full.strip_prefix(&self.root).ok().filter(|inside| *inside != Path::new(""));
        let shown = match inside {
            Some(inside) => inside,
            // The path is a single file.
            None if full == self.root => Path::new(full.file_name().unwrap_or_default()),
            None => &full,
        };
        shown.to_string_lossy().into_owned()
    }

    fn changed(&self, file: &str) -> Arc<ChangedLines> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(file) {
            return Arc::clone(found);
        }
        let read = |world: &dyn World| {
            let bytes = world.read(Path::new(file)).ok().filter(|bytes| bytes.len() <= MAX_SIZE);
            String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
        };
        let (before, after) = (read(self.before), read(self.after));
        let mut found = ChangedLines::default();
        if before != after {
            let lines = |at: usize, count: usize| (at as u32 + 1)..=((at + count) as u32);
            for op in TextDiff::from_lines(before.as_str(), after.as_str()).ops() {
                match *op {
                    DiffOp::Equal { .. } => {}
                    DiffOp::Delete { old_index, old_len, .. } => {
                        found.before.extend(lines(old_index, old_len));
                    }
                    DiffOp::Insert { new_index, new_len, .. } => {
                        found.after.extend(lines(new_index, new_len));
                    }
                    DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                        found.before.extend(lines(old_index, old_len));
                        found.after.extend(lines(new_index, new_len));
                    }
                }
            }
        }
        let is_data = file.ends_with(".yaml") || file.ends_with(".yml");
        found.texts = (is_data && before != after).then_some([before, after]);
        let found = Arc::new(found);
        known().insert(file.to_owned(), Arc::clone(&found));
        found
    }

    /// The cause at a line, if it differs.
    fn at(&self, file: &str, line: u32, is_before: bool) -> Option<Cause> {
        let changed = self.changed(file);
        let lines = if is_before { &changed.before } else { &changed.after };
        let text =
            changed.texts.as_ref().map(|[before, after]| if is_before { before } else { after });
        let last = text.map_or(line, |text| last_line(text, line));
        let line = *lines.range(line..=last.max(line)).next()?;
        Some(Cause { file: self.shown(file), line, is_before })
    }

    /// The cause of a change of a file: its first line that differs, or the file.
    pub(crate) fn of_file(&self, file: &Path) -> Vec<Cause> {
        let path = file.to_string_lossy();
        let whole = || Cause { file: self.shown(&path), line: 0, is_before: false };
        vec![self.first(&path).unwrap_or_else(whole)]
    }

    /// A line of a manifest; empty if there is none.
    fn manifest_line(&self, file: &str, line: u32, is_before: bool) -> String {
        let text = self.manifest(file, is_before);
        let at = (line as usize).checked_sub(1);
        at.and_then(|at| text.lines().nth(at)).unwrap_or_default().to_owned()
    }

    fn manifest(&self, file: &str, is_before: bool) -> Arc<str> {
        let known = || self.manifests.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (file.to_owned(), is_before);
        if let Some(text) = known().get(&key) {
            return Arc::clone(text);
        }
        let world = if is_before { self.before } else { self.after };
        let bytes = world.read(Path::new(file)).unwrap_or_default();
        let text: Arc<str> = String::from_utf8(bytes).unwrap_or_default().into();
        known().insert(key, Arc::clone(&text));
        text
    }

    /// The first line of a file that differs; the first one of the side before if lines are only
    /// gone. `None` if the file does not differ.
    pub(crate) fn first(&self, file: &str) -> Option<Cause> {
        let changed = self.changed(file);
        let (line, is_before) = match changed.after.first() {
            Some(line) => (*line, false),
            None => (*changed.before.first()?, true),
        };
        Some(Cause { file: self.shown(file), line, is_before })
    }
}

/// The last line of the value whose key is on a line of a YAML text.
fn last_line(text: &str, line: u32) -> u32 {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = (1..).zip(text.lines()).skip(line.saturating_sub(1) as usize);
    let Some((_, key)) = lines.next() else { return line };
    let is_inside = |next: &str| {
        next.trim().is_empty()
            || indent(next) > indent(key)
            || indent(next) == indent(key)
                && next.trim_start().starts_with("- ")
                && !key.trim_start().starts_with("- ")
    };
    lines.take_while(|(_, next)| is_inside(next)).last().map_or(line, |(last, _)| last)
}

/// One side of a node: its graph, and the texts that its origins refer to.
#[derive(Clone, Copy)]
pub(crate) struct Compiled<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) sources: &'g SourceMap,
    pub(crate) record: Option<&'g CompileRecord>,
}

/// Finds the causes of the changes of a node.
pub(crate) struct Causes<'a> {
    lines: &'a Lines<'a>,
    before: (Compiled<'a>, Provenance<'a>),
    after: (Compiled<'a>, Provenance<'a>),
    /// The first changed line of each changed file that the node's compile reads; found on demand.
    inputs: Option<Vec<Cause>>,
}

impl<'a> Causes<'a> {
    pub(crate) fn new(lines: &'a Lines<'a>, before: Compiled<'a>, after: Compiled<'a>) -> Self {
        Self {
            lines,
            before: (before, Provenance::new(before.graph, before.sources)),
            after: (after, Provenance::new(after.graph, after.sources)),
            inputs: None,
        }
    }

    /// The causes of a change: changed lines on the way to its values, and templates that lines on the
    /// way name. Without any, the changed files that the node's compile reads.
    pub(crate) fn of(&mut self, found: &Found) -> Vec<Cause> {
        let mut causes = BTreeSet::new();
        let lines = self.lines;
        let templates: Vec<(Cause, String)> = self.inputs().iter().filter_map(named).collect();
        let mut manifest_lines = Vec::new();
        let sides = [(found.after, &self.after, false), (found.before, &self.before, true)];
        for (place, side, is_before) in sides {
            for (file, line) in place.into_iter().flat_map(|place| places(side, place)) {
                causes.extend(lines.at(&file, line, is_before));
                if !templates.is_empty() && file.ends_with(".pp") {
                    manifest_lines.push(lines.manifest_line(&file, line, is_before));
                }
            }
        }
        let is_used = |name: &str| manifest_lines.iter().any(|line| line.contains(name));
        let used = templates.into_iter().filter(|(_, name)| is_used(name));
        causes.extend(used.map(|(cause, _)| cause));
        let inputs = self.inputs();
        if causes.is_empty() {
            // The lines of manifests are among the origins, unless a value has several lines.
            let is_manifest = |cause: &Cause| cause.file.ends_with(".pp");
            let has_others = inputs.iter().any(|cause| !is_manifest(cause));
            causes.extend(inputs.iter().filter(|c| !has_others || !is_manifest(c)).cloned());
        }
        let is_replaced =
            |cause: &Cause| causes.iter().any(|other| !other.is_before && other.file == cause.file);
        let causes = causes.iter().filter(|cause| !cause.is_before || !is_replaced(cause));
        causes.take(MAX_CAUSES).cloned().collect()
    }

    fn inputs(&mut self) -> &[Cause] {
        let (lines, before, after) = (self.lines, self.before.0.record, self.after.0.record);
        self.inputs.get_or_insert_with(|| {
            let differences = before.zip(after).map(|(before, after)| before.differences(after));
            let files = differences.into_iter().flatten().filter(|d| d.kind == InputKind::File);
            files.filter_map(|difference| lines.first(&difference.name)).collect()
        })
    }
}

/// The cause in a template, with the name by which code calls it: `MODULE/FILE`.
fn named(cause: &Cause) -> Option<(Cause, String)> {
    let (module, rest) = cause.file.split_once("/templates/")?;
    let name = format!("{}/{rest}", module.rsplit('/').next().unwrap_or(module));
    Some((cause.clone(), name))
}

/// The files and lines on the way to a part of a graph.
fn places((side, provenance): &(Compiled<'_>, Provenance<'_>), place: Place) -> Vec<(String, u32)> {
    match place {
        Place::Origin(origin) => chain(side, origin),
        Place::Attribute(resource, at) => {
            let Some(attribute) = side.graph.resource(resource).attributes.get(at) else {
                return Vec::new();
            };
            let explainer = Explainer {
                graph: side.graph,
                sources: side.sources,
                line: &|_, _| None,
                shown: &|_| String::new(),
                secrets: &Redactor::default(),
                variables: &|explainer, origin| provenance.variables(explainer, origin),
            };
            let mut found = chain(side, attribute.origin);
            for cause in explainer.attribute(resource, attribute).causes {
                collect(&cause, &mut found);
            }
            found
        }
    }
}

fn chain(side: &Compiled<'_>, origin: OriginId) -> Vec<(String, u32)> {
    let ids = std::iter::successors(Some(origin), |id| side.graph.origins.get(*id).parent);
    let places = ids.filter_map(|id| locate::place(side.graph, id, side.sources));
    places.map(|place| (place.file, place.line)).collect()
}

fn collect(cause: &Explained, found: &mut Vec<(String, u32)>) {
    found.extend(cause.place.iter().map(|place| (place.file.clone(), place.line)));
    cause.from.iter().for_each(|cause| collect(cause, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_before_the_next_key() {
        let text = "a: 1\nb:\n- x\n\n- y\nc:\n  d: 1\n  e:\n    - 2\nf: 2\n";
        for (line, last) in [(1, 1), (2, 5), (6, 9), (7, 7), (8, 9), (10, 10), (99, 99)] {
            assert_eq!(last_line(text, line), last, "{line}");
        }
    }
}
