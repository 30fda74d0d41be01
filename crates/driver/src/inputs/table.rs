//! The records of many compiles in one table.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use ordain_puppet::load::Environment;
use ordain_source::inputs::Aspect;

use super::record::{CompileRecord, variable};
use super::states::{FileState, FileStates};
use super::values::{Digest, NodeValues, ValueInput};

/// A file that compiles have read, with the state that it had.
#[derive(Debug, Serialize, Deserialize)]
struct FileInput {
    /// The position in [`ASPECTS`].
    aspect: u8,
    path: String,
    state: FileState,
}

const ASPECTS: [Aspect; 3] = [Aspect::Content, Aspect::Kind, Aspect::Entries];

/// The inputs of many compiles, each with its state. Nodes share nearly all of their inputs, so a
/// record is a list of numbers, and the state of an input is looked at once for all of them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RecordTable {
    files: Vec<FileInput>,
    variables: Vec<(String, Option<Digest>)>,
    values: Vec<ValueInput>,
    /// The numbers of entries by name. It is built on demand, since a table that is only compared
    /// does not need it.
    #[serde(skip)]
    index: Option<Index>,
}

/// The numbers of entries by name.
#[derive(Debug, Default)]
struct Index {
    files: FxHashMap<String, Vec<u32>>,
    variables: FxHashMap<String, Vec<u32>>,
    values: FxHashMap<String, Vec<u32>>,
}

/// The inputs of one compile, as numbers of the entries of a [`RecordTable`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableRecord {
    files: Vec<u32>,
    variables: Vec<u32>,
    values: Vec<u32>,
    all_values: Option<Digest>,
    classes: Digest,
}

/// The entries of a table that have another state in an environment.
#[derive(Debug)]
pub struct ChangedInputs {
    files: Vec<bool>,
    variables: Vec<bool>,
}

impl RecordTable {
    /// Adds a record. Returns `None` if another compile of the same inputs may have another result,
    /// or if exported resources of other nodes are among them.
    pub fn add(&mut self, record: &CompileRecord) -> Option<TableRecord> {
        if !record.is_repeatable() || !record.exports.is_empty() {
            return None;
        }
        let mut index = self.index.take().unwrap_or_else(|| self.indexed());
        let mut added = TableRecord {
            files: Vec::new(),
            variables: Vec::new(),
            values: Vec::new(),
            all_values: record.all_values,
            classes: record.classes,
        };
        for (aspect, path, state) in record.files() {
            let aspect = aspect as u8;
            let is_same = |known: &FileInput| known.aspect == aspect && known.state == *state;
            added.files.push(intern(&mut self.files, &mut index.files, path, is_same, || {
                FileInput { aspect, path: path.to_owned(), state: state.clone() }
            }));
        }
        for (name, state) in &record.environment {
            let is_same = |known: &(String, Option<Digest>)| known.1 == *state;
            let entry = || (name.clone(), *state);
            let number = intern(&mut self.variables, &mut index.variables, name, is_same, entry);
            added.variables.push(number);
        }
        for value in &record.values {
            let is_same = |known: &ValueInput| known.state == value.state;
            let entry = || value.clone();
            let number = intern(&mut self.values, &mut index.values, &value.path, is_same, entry);
            added.values.push(number);
        }
        self.index = Some(index);
        Some(added)
    }

    fn indexed(&self) -> Index {
        let mut index = Index::default();
        for (number, file) in (0..).zip(&self.files) {
            index.files.entry(file.path.clone()).or_default().push(number);
        }
        for (number, (name, _)) in (0..).zip(&self.variables) {
            index.variables.entry(name.clone()).or_default().push(number);
        }
        for (number, value) in (0..).zip(&self.values) {
            index.values.entry(value.path.clone()).or_default().push(number);
        }
        index
    }

    /// Compares the entries with an environment as it is now.
    pub(crate) fn changed(&self, env: &Environment, states: &FileStates) -> ChangedInputs {
        let world = env.world.as_ref();
        let file = |file: &FileInput| {
            let path = file.path.as_ref();
            let aspect = ASPECTS.get(usize::from(file.aspect));
            aspect.is_none_or(|aspect| states.get(world, *aspect, path) != file.state)
        };
        let name = |(name, state): &(String, Option<Digest>)| variable(world, name) != *state;
        ChangedInputs {
            files: self.files.iter().map(file).collect(),
            variables: self.variables.iter().map(name).collect(),
        }
    }

    /// Whether the inputs of a record are the same in the environment and the node of a comparison.
    pub(crate) fn is_current(
        &self,
        record: &TableRecord,
        changed: &ChangedInputs,
        values: NodeValues<'_>,
    ) -> bool {
        self.has_current_code(record, changed)
            && record.classes == values.classes()
            && record.all_values.is_none_or(|all| all == values.all())
            && record.values.iter().all(|number| {
                let known = self.values.get(*number as usize);
                known.is_some_and(|known| values.state(&known.path) == known.state)
            })
    }

    /// Whether the files and variables of a record are the same in the environment of a comparison.
    pub fn has_current_code(&self, record: &TableRecord, changed: &ChangedInputs) -> bool {
        let is_same = |numbers: &[u32], changed: &[bool]| {
            numbers.iter().all(|number| changed.get(*number as usize) == Some(&false))
        };
        is_same(&record.files, &changed.files) && is_same(&record.variables, &changed.variables)
    }

    /// The files of a record that have another state in the environment of a comparison.
    pub fn changed_files<'t>(
        &'t self,
        record: &'t TableRecord,
        changed: &'t ChangedInputs,
    ) -> impl Iterator<Item = &'t str> {
        let numbers = record.files.iter().map(|number| *number as usize);
        let numbers = numbers.filter(|number| changed.files.get(*number) == Some(&true));
        numbers.filter_map(|number| Some(self.files.get(number)?.path.as_str()))
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.files.len() + self.variables.len() + self.values.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The number of an entry, which is added if it is new.
fn intern<T>(
    entries: &mut Vec<T>,
    index: &mut FxHashMap<String, Vec<u32>>,
    name: &str,
    is_same: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> u32 {
    let known = index.get(name).into_iter().flatten().copied();
    if let Some(number) = known.into_iter().find(|number| is_same(&entries[*number as usize])) {
        return number;
    }
    let number = entries.len() as u32;
    entries.push(new());
    index.entry(name.to_owned()).or_default().push(number);
    number
}
