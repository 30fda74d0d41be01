//! The inputs of one compile: what its result depends on.
//!
//! A [`Recording`] on the thread of the compile collects notes until it ends. Caches that compiles
//! share note what an entry depends on at each use, so a compile that finds everything in caches has
//! the same inputs as the first one. Without a recording a note costs one test of a flag.

use std::cell::{Cell, RefCell};
use std::ffi::{OsStr, OsString};
use std::path::Path;

use ecow::EcoString;
use rustc_hash::FxHashSet;

thread_local! {
    static IS_RECORDING: Cell<bool> = const { Cell::new(false) };
    static CURRENT: RefCell<Option<Box<Notes>>> = const { RefCell::new(None) };
}

/// The aspect of a path that a compile depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aspect {
    /// The bytes of the file, or that there is none.
    Content,
    /// Whether there is a file, a directory or nothing.
    Kind,
    /// The names and kinds of the entries of the directory.
    Entries,
}

/// The kind of a name that code looks up among the definitions of an environment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Definition {
    /// A class or define.
    Class,
    /// A function in the language itself.
    Function,
    /// An alias of a data type.
    Alias,
    /// A type with features.
    Model,
    /// A resource type in Ruby.
    ResourceType,
    /// A function in Ruby.
    RubyFunction,
}

impl Definition {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Class,
        Self::Function,
        Self::Alias,
        Self::Model,
        Self::ResourceType,
        Self::RubyFunction,
    ];
}

/// Separates the parts of the path of a value.
pub const PART: char = '\u{1f}';

/// The inputs of a compile.
#[derive(Clone, Default, Debug)]
pub struct Inputs {
    /// The paths whose content matters.
    pub contents: FxHashSet<OsString>,
    /// The paths whose kind matters.
    pub kinds: FxHashSet<OsString>,
    /// The directories whose entries matter.
    pub entries: FxHashSet<OsString>,
    /// By [`Definition`].
    definitions: [FxHashSet<EcoString>; Definition::ALL.len()],
    /// The values of the node that were read: the name of a variable of the top scope, and keys
    /// inside of its value, separated by [`PART`].
    pub values: FxHashSet<EcoString>,
    /// Whether all variables of the top scope were read.
    pub has_all_values: bool,
    /// The variables of the process's environment.
    pub environment: FxHashSet<EcoString>,
    /// The reasons why another compile of the same inputs may have another result.
    pub unrepeatable: FxHashSet<EcoString>,
    /// Whether programs ran. They read files by themselves.
    pub runs_programs: bool,
}

impl Inputs {
    /// The paths of an aspect.
    pub fn paths(&self, aspect: Aspect) -> &FxHashSet<OsString> {
        match aspect {
            Aspect::Content => &self.contents,
            Aspect::Kind => &self.kinds,
            Aspect::Entries => &self.entries,
        }
    }

    /// The names that were looked up among definitions.
    pub fn definitions(&self) -> impl Iterator<Item = (Definition, &EcoString)> {
        let of = |kind: Definition| self.definitions[kind as usize].iter().map(move |n| (kind, n));
        Definition::ALL.into_iter().flat_map(of)
    }

    /// Adds other inputs.
    pub fn extend(&mut self, other: Option<&Self>) {
        let Some(other) = other else { return };
        self.contents.extend(other.contents.iter().cloned());
        self.kinds.extend(other.kinds.iter().cloned());
        self.entries.extend(other.entries.iter().cloned());
        for (names, others) in self.definitions.iter_mut().zip(&other.definitions) {
            names.extend(others.iter().cloned());
        }
        self.values.extend(other.values.iter().cloned());
        self.has_all_values |= other.has_all_values;
        self.environment.extend(other.environment.iter().cloned());
        self.unrepeatable.extend(other.unrepeatable.iter().cloned());
        self.runs_programs |= other.runs_programs;
    }

    /// Adds a path.
    pub fn add_path(&mut self, aspect: Aspect, path: &Path) {
        let paths = match aspect {
            Aspect::Content => &mut self.contents,
            Aspect::Kind => &mut self.kinds,
            Aspect::Entries => &mut self.entries,
        };
        if !paths.contains::<OsStr>(path.as_os_str()) {
            paths.insert(path.into());
        }
    }
}

/// The inputs so far.
#[derive(Default)]
struct Notes {
    inputs: Inputs,
    /// The last path whose content was noted. Instances of a define use the same templates.
    last_content: OsString,
}

/// Collects the inputs of everything that this thread does until it is finished or dropped.
#[derive(Debug)]
pub struct Recording(());

impl Recording {
    /// Begins a recording. An earlier one of this thread ends without a result.
    pub fn begin() -> Self {
        CURRENT.with_borrow_mut(|notes| *notes = Some(Box::default()));
        IS_RECORDING.set(true);
        Self(())
    }

    /// Ends the recording.
    pub fn finish(self) -> Inputs {
        CURRENT.with_borrow_mut(Option::take).map(|notes| notes.inputs).unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        IS_RECORDING.set(false);
    }
}

/// Whether this thread records inputs.
#[inline]
pub fn is_recording() -> bool {
    IS_RECORDING.get()
}

fn note(add: impl FnOnce(&mut Inputs)) {
    note_in(|notes| add(&mut notes.inputs));
}

fn note_in(add: impl FnOnce(&mut Notes)) {
    CURRENT.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            add(notes);
        }
    });
}

/// Notes that the compile depends on a path.
#[inline]
pub fn note_path(aspect: Aspect, path: &Path) {
    if is_recording() {
        note_in(|notes| {
            if aspect == Aspect::Content {
                if notes.last_content == path.as_os_str() {
                    return;
                }
                notes.last_content.clear();
                notes.last_content.push(path);
            }
            notes.inputs.add_path(aspect, path);
        });
    }
}

/// Notes that the compile depends on the definition of a name.
#[inline]
pub fn note_definition(kind: Definition, name: &str) {
    if is_recording() {
        note(|inputs| {
            let names = &mut inputs.definitions[kind as usize];
            if !names.contains(name) {
                names.insert(name.into());
            }
        });
    }
}

/// Notes that the compile depends on a value of the node, or on its absence. `path` is the name of a
/// variable of the top scope and keys inside of its value, separated by [`PART`].
#[inline]
pub fn note_value(path: &str) {
    if is_recording() {
        note(|inputs| {
            if !inputs.values.contains(path) {
                inputs.values.insert(path.into());
            }
        });
    }
}

/// Notes that the compile depends on all values of the node.
#[inline]
pub fn note_all_values() {
    if is_recording() {
        note(|inputs| inputs.has_all_values = true);
    }
}

/// Notes that the compile depends on a variable of the process's environment.
#[inline]
pub fn note_environment(name: &str) {
    if is_recording() {
        note(|inputs| _ = inputs.environment.insert(name.into()));
    }
}

/// Notes a reason why another compile of the same inputs may have another result.
#[inline]
pub fn note_unrepeatable(reason: impl FnOnce() -> EcoString) {
    if is_recording() {
        note(|inputs| _ = inputs.unrepeatable.insert(reason()));
    }
}

/// Notes that the compile runs a program, which makes it unrepeatable.
pub fn note_program(program: &str) {
    if is_recording() {
        note(|inputs| {
            inputs.runs_programs = true;
            inputs.unrepeatable.insert(ecow::eco_format!("the program {program} runs"));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_of_the_recording_of_their_thread() {
        note_value("before");
        let recording = Recording::begin();
        note_value("os");
        note_path(Aspect::Content, Path::new("/a"));
        note_path(Aspect::Kind, Path::new("/b"));
        std::thread::scope(|scope| {
            scope.spawn(|| note_value("elsewhere"));
        });
        let inputs = recording.finish();
        note_value("after");
        assert_eq!(inputs.values, FxHashSet::from_iter(["os".into()]));
        assert_eq!(inputs.contents, FxHashSet::from_iter(["/a".into()]));
        assert_eq!(inputs.kinds, FxHashSet::from_iter(["/b".into()]));
        drop(Recording::begin());
        assert!(!is_recording());
    }
}
