//! The record of the inputs of a compile.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use ecow::EcoString;
use ordain_graph::exports::Exports;
use ordain_puppet::load::Environment;
use ordain_source::World;
use ordain_source::inputs::{Aspect, Inputs, PART};
use serde::{Deserialize, Serialize};

use super::exports::{RecordedExports, digest_of};
use super::states::{FileState, FileStates};
use super::values::{Digest, NodeValues, ValueInput, digest};

/// The inputs of a compile with the states that they had.
///
/// Values of facts and contents of files are in it as digests only.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CompileRecord {
    /// Every path whose content matters, also of files that do not exist.
    contents: BTreeMap<String, FileState>,
    /// Every path of which the compile asked whether it exists.
    kinds: BTreeMap<String, FileState>,
    /// Every directory that was listed.
    entries: BTreeMap<String, FileState>,
    pub(super) values: Vec<ValueInput>,
    /// All values of the node, if all were read.
    pub(super) all_values: Option<Digest>,
    pub(super) classes: Digest,
    /// Variables of the process's environment.
    pub(super) environment: BTreeMap<String, Option<Digest>>,
    /// Exported resources of other nodes by kind.
    pub(super) exports: BTreeMap<String, Digest>,
    /// Why another compile may have another result.
    unrepeatable: Vec<String>,
    /// Whether programs ran. Such a compile is unrepeatable, so its record is not stored.
    #[serde(skip)]
    runs_programs: bool,
}

/// The variables of the top scope that every compile sets itself.
const OF_COMPILE: [&str; 4] = ["environment", "title", "name", "module_name"];

/// The kind of an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InputKind {
    /// A file or directory.
    File,
    /// A fact, a trusted value or a parameter of the classifier.
    Value,
    /// The classes of the classifier.
    Classes,
    /// Exported resources of other nodes.
    Exports,
    /// A variable of the process's environment.
    Environment,
}

impl InputKind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::File, Self::Value, Self::Classes, Self::Exports, Self::Environment];

    /// Its name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Value => "fact",
            Self::Classes => "classes",
            Self::Exports => "exports",
            Self::Environment => "environment",
        }
    }
}

/// An input that differs from its record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Its kind.
    pub kind: InputKind,
    /// Its path or name.
    pub name: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            InputKind::Classes => f.write_str("the classes of the classifier"),
            InputKind::Exports => write!(f, "the exported resources of {}", self.name),
            InputKind::Environment => write!(f, "the environment variable {}", self.name),
            InputKind::File | InputKind::Value => write!(f, "{} {}", self.kind.name(), self.name),
        }
    }
}

impl CompileRecord {
    /// The record of a compile that has ended.
    pub(crate) fn new(
        mut inputs: Inputs,
        env: &Environment,
        states: &FileStates,
        values: NodeValues<'_>,
        exports: Option<&RecordedExports>,
    ) -> Self {
        env.add_definition_paths(&mut inputs);
        let mut record = Self {
            classes: values.classes(),
            all_values: inputs.has_all_values.then(|| values.all()),
            exports: exports.map(RecordedExports::seen).unwrap_or_default(),
            unrepeatable: inputs.unrepeatable.iter().map(ToString::to_string).collect(),
            runs_programs: inputs.runs_programs,
            ..Self::default()
        };
        for aspect in [Aspect::Content, Aspect::Kind, Aspect::Entries] {
            let paths: BTreeSet<&OsString> = inputs.paths(aspect).iter().collect();
            for path in paths {
                let state = states.get(env.world.as_ref(), aspect, Path::new(path));
                let text = path.to_str().filter(|_| state != FileState::Changing);
                match text {
                    Some(text) => _ = record.files_mut(aspect).insert(text.to_string(), state),
                    None => record.unrepeatable.push(format!("{path:?} cannot be recorded")),
                }
            }
        }
        let state = |path: &str| ValueInput { path: path.to_string(), state: values.state(path) };
        let is_of_node = |path: &&EcoString| !OF_COMPILE.contains(&path.as_str());
        record.values = inputs.values.iter().filter(is_of_node).map(|path| state(path)).collect();
        record.values.sort_by(|a, b| a.path.cmp(&b.path));
        let variables = inputs.environment.iter();
        let variables = variables.map(|name| (name.to_string(), variable(&*env.world, name)));
        record.environment = variables.collect();
        record.unrepeatable.sort();
        record
    }

    fn files_mut(&mut self, aspect: Aspect) -> &mut BTreeMap<String, FileState> {
        match aspect {
            Aspect::Content => &mut self.contents,
            Aspect::Kind => &mut self.kinds,
            Aspect::Entries => &mut self.entries,
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (Aspect, &str, &FileState)> {
        let aspects = [
            (Aspect::Content, &self.contents),
            (Aspect::Kind, &self.kinds),
            (Aspect::Entries, &self.entries),
        ];
        aspects.into_iter().flat_map(|(aspect, files)| {
            files.iter().map(move |(path, state)| (aspect, path.as_str(), state))
        })
    }

    /// The reasons why another compile of the same inputs may have another result.
    pub fn unrepeatable(&self) -> &[String] {
        &self.unrepeatable
    }

    /// Whether the compile ran programs, which read files by themselves.
    pub fn runs_programs(&self) -> bool {
        self.runs_programs
    }

    /// Whether a compile with the same inputs has the same result.
    pub fn is_repeatable(&self) -> bool {
        self.unrepeatable.is_empty()
    }

    /// Whether the compile asked for exported resources of other nodes.
    pub fn reads_exports(&self) -> bool {
        !self.exports.is_empty()
    }

    /// The first file or variable of the process's environment that is another one in an environment
    /// as it is now.
    pub(crate) fn code_difference(
        &self,
        env: &Environment,
        states: &FileStates,
    ) -> Option<Difference> {
        let world = env.world.as_ref();
        let mut files = self.files();
        let changed = files
            .find(|(aspect, path, state)| states.get(world, *aspect, Path::new(path)) != **state);
        if let Some((_, path, _)) = changed {
            return Some(Difference { kind: InputKind::File, name: path.to_string() });
        }
        let mut variables = self.environment.iter();
        let changed = variables.find(|(name, state)| variable(world, name) != **state)?.0.clone();
        Some(Difference { kind: InputKind::Environment, name: changed })
    }

    /// The first value of a node that is another one.
    pub(crate) fn value_difference(&self, values: NodeValues<'_>) -> Option<Difference> {
        if self.all_values.is_some_and(|all| all != values.all()) {
            let name = "any of them, since all are read".to_string();
            return Some(Difference { kind: InputKind::Value, name });
        }
        let mut known = self.values.iter();
        if let Some(changed) = known.find(|input| values.state(&input.path) != input.state) {
            let name = changed.path.replace(PART, ".");
            return Some(Difference { kind: InputKind::Value, name });
        }
        let is_same = self.classes == values.classes();
        (!is_same).then(|| Difference { kind: InputKind::Classes, name: String::new() })
    }

    /// The first kind of exported resources that are others for a node.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn exports_difference(
        &self,
        exports: &dyn Exports,
        node: &str,
    ) -> Result<Option<Difference>, String> {
        for (kind, known) in &self.exports {
            if digest_of(&exports.of_kind(kind, node)?) != *known {
                let name = kind.clone();
                return Ok(Some(Difference { kind: InputKind::Exports, name }));
            }
        }
        Ok(None)
    }

    /// The inputs that two records of the same node do not share, or know in other states.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut add = |kind, name: &str| {
            let difference = Difference { kind, name: name.replace(PART, ".") };
            if !found.contains(&difference) {
                found.push(difference);
            }
        };
        let pairs = [
            (&self.contents, &other.contents),
            (&self.kinds, &other.kinds),
            (&self.entries, &other.entries),
        ];
        for (one, two) in pairs {
            unequal(one, two).for_each(|path| add(InputKind::File, path));
        }
        let of = |record: &'_ Self| -> BTreeMap<String, super::values::ValueState> {
            record.values.iter().map(|input| (input.path.clone(), input.state)).collect()
        };
        unequal(&of(self), &of(other)).for_each(|path| add(InputKind::Value, path));
        if self.classes != other.classes {
            add(InputKind::Classes, "");
        }
        unequal(&self.exports, &other.exports).for_each(|kind| add(InputKind::Exports, kind));
        unequal(&self.environment, &other.environment)
            .for_each(|name| add(InputKind::Environment, name));
        found
    }

    /// About the number of bytes in memory.
    pub fn size(&self) -> usize {
        /// The size of an entry of a map besides its name.
        const ENTRY: usize = 80;
        let names = self.files().map(|(_, path, _)| path.len());
        let names = names.chain(self.values.iter().map(|input| input.path.len()));
        names.map(|length| length + ENTRY).sum()
    }

    /// The record as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        // All keys are texts, so it always is JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads a record; `None` if it has another form, such as that of another release.
    pub fn from_json(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }

    /// The inputs as lines of text, sorted: for tests, and for people who look for one.
    pub fn describe(&self) -> Vec<String> {
        let file = |(aspect, path, state): (Aspect, &str, &FileState)| {
            let aspect = match aspect {
                Aspect::Content => "content",
                Aspect::Kind => "kind",
                Aspect::Entries => "entries",
            };
            let is_missing = if *state == FileState::Missing { " (missing)" } else { "" };
            format!("{aspect} {path}{is_missing}")
        };
        let mut lines: Vec<String> = self.files().map(file).collect();
        lines.extend(self.values.iter().map(|input| {
            let is_missing = if input.state.1.is_none() { " (missing)" } else { "" };
            format!("value {}{is_missing}", input.path.replace(PART, "."))
        }));
        if self.all_values.is_some() {
            lines.push("all values".to_string());
        }
        lines.extend(self.environment.keys().map(|name| format!("variable {name}")));
        lines.extend(self.exports.keys().map(|kind| format!("exported {kind}")));
        lines.extend(self.unrepeatable.iter().map(|reason| format!("unrepeatable: {reason}")));
        lines
    }
}

/// The keys whose values differ, or that one of two maps lacks.
fn unequal<'a, T: PartialEq>(
    one: &'a BTreeMap<String, T>,
    two: &'a BTreeMap<String, T>,
) -> impl Iterator<Item = &'a str> {
    let differs = move |key: &&String| one.get(*key) != two.get(*key);
    one.keys().chain(two.keys()).filter(differs).map(String::as_str)
}

pub(super) fn variable(world: &dyn World, name: &str) -> Option<Digest> {
    world.env(name).map(|value| digest(value.as_bytes()))
}
