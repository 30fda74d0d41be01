//! The state of lookups in a compile: hierarchies, resolved levels, options, contexts.

use crate::catalog::DataPlace;
use crate::hiera::config::{Config, FunctionKind, Owner};
use crate::hiera::explain::{Explainer, Node};
use crate::hiera::files::{Data, File};
use crate::hiera::key::Segment;
use crate::types::Type;
use crate::value::closure::ScopeId;
use crate::value::{HashValue, Value};
use ecow::EcoString;
use indexmap::IndexMap;
use ordain_functions::regex::Regex;
use ordain_source::{Span, budget};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The hierarchies and the data that a compile has read, and the lookups under way.
#[derive(Default, Debug)]
pub struct Cache {
    /// The record of lookups, if it was requested.
    pub explainer: Option<Explainer>,
    /// Keys and variables that are being resolved, to detect recursion.
    pub(super) stack: Vec<EcoString>,
    pub(super) expressions: u64,
    pub(super) bytes: u64,
    pub(super) providers: FxHashMap<Owner, Option<Arc<Provider>>>,
    pub(super) resolved: FxHashMap<usize, Vec<Arc<CachedLevels>>>,
    pub(super) options: FxHashMap<EcoString, Option<Arc<Options>>>,
    pub(super) default_options: FxHashMap<EcoString, Option<Arc<Options>>>,
    pub(super) global_options: Option<Option<Value>>,
    pub(super) shared_options: Option<Option<Value>>,
    pub(super) contexts: Vec<ContextState>,
    /// The content of files that levels have read, by path.
    pub(super) file_data: FxHashMap<PathBuf, FileData>,
    /// Fingerprints of the files that functions in Ruby have read, to detect changes.
    pub(super) file_stamps: FxHashMap<PathBuf, String>,
    /// The place of the first configuration, by the module that asks.
    pub(super) config_spans: FxHashMap<Option<EcoString>, Option<Span>>,
    pub(super) warned: FxHashSet<String>,
}

/// A value found for a parameter.
#[derive(Clone, Debug)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// The place of the value; several places if it was merged.
    pub places: Vec<DataPlace>,
}

/// The arguments of a lookup.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The keys; the first one with a value wins.
    pub names: Vec<EcoString>,
    /// Whether one name was given, not a list of them.
    pub single: bool,
    /// The type that the value must have.
    pub value_type: Option<Arc<Type>>,
    /// The merge strategy; `undef` to leave it to the data.
    pub merge: Value,
    /// The value if nothing is found.
    pub default: Option<Value>,
    /// Values that come before all data.
    pub overrides: Arc<HashValue>,
    /// Values for keys that are not found.
    pub defaults: Arc<HashValue>,
}

/// A variable that paths depend on, and the value it had.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TrackedVariable {
    pub root: EcoString,
    pub segments: Vec<Segment>,
    pub value: Option<Value>,
}

/// The state of a level function between calls, one per location.
#[derive(Default, Debug)]
pub(super) struct ContextState {
    pub(super) scope: Option<ScopeId>,
    pub(super) cache: IndexMap<Value, Value, FxBuildHasher>,
    pub(super) hash: Option<Arc<HashValue>>,
    pub(super) values: FxHashMap<EcoString, Value>,
    pub(super) not_found: bool,
    /// The result of the check that the function exists and returns data.
    pub(super) check: Option<FunctionCheck>,
}

/// The result of a check of a function's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FunctionCheck {
    /// Its return type is data, so values need no check.
    Typed,
    /// Each value must be checked.
    Untyped,
}

/// The content of a file, which all levels of a compile share. The first reader decides the form.
#[derive(Clone, Debug)]
pub(super) enum FileData {
    /// The text, or the result of the block of a function.
    Value(Value),
    /// Data that a built-in function has read.
    Data(Arc<Data>),
}

impl FileData {
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Data(data) => data.value(),
        }
    }
}

impl ContextState {
    /// Whether the function has given a value for a key already.
    pub(super) fn has_value(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }
}

impl Cache {
    /// Whether a function of a level just reported that it finds nothing.
    pub(crate) fn reported_not_found(&self) -> bool {
        self.contexts.iter().any(|context| context.not_found)
    }
}

/// A layer with its configuration.
#[derive(Debug)]
pub(super) struct Provider {
    pub id: usize,
    pub owner: Owner,
    pub config: Arc<Config>,
}

impl Provider {
    /// Its name in explanations.
    pub(super) fn name(&self) -> String {
        let config = self.config.name();
        match &self.owner {
            Owner::Global => format!("Global Data Provider ({config})"),
            Owner::Environment => format!("Environment Data Provider ({config})"),
            Owner::Module(name) => format!("Module \"{name}\" Data Provider ({config})"),
        }
    }

    pub(super) fn node(&self) -> Node {
        let config = self.config.path.as_ref().map(|p| p.display().to_string());
        let module = match &self.owner {
            Owner::Module(name) => Some(name.clone()),
            _ => None,
        };
        Node::Provider { name: self.name(), config, module }
    }

    pub(super) fn module(&self) -> Option<&EcoString> {
        match &self.owner {
            Owner::Module(name) => Some(name),
            _ => None,
        }
    }
}

/// The levels of a hierarchy; variants share equal ones.
pub(super) type Levels = Vec<Arc<ResolvedLevel>>;

/// The levels of a layer for certain values of the variables in its paths.
#[derive(Debug)]
pub(super) struct CachedLevels {
    pub(super) tracked: Vec<TrackedVariable>,
    pub main: Levels,
    pub defaults: Levels,
}

impl CachedLevels {
    pub(super) fn halves(self: &Arc<Self>) -> [&[Arc<ResolvedLevel>]; 2] {
        [&self.main, &self.defaults]
    }
}

/// A level with its places.
#[derive(Debug)]
pub(super) struct ResolvedLevel {
    /// Its number in the hierarchy.
    pub(super) number: usize,
    /// Whether it is the same for all values of variables.
    pub(super) is_fixed: bool,
    pub name: EcoString,
    pub kind: FunctionKind,
    pub function: EcoString,
    pub options: Value,
    pub(super) datadir: EcoString,
    /// `None` if the level has no locations, so that its function is called once.
    pub locations: Option<Vec<Location>>,
    /// Whether there is anything at its locations.
    pub(super) exists: bool,
    /// The state of its function without location.
    pub context: OnceLock<usize>,
}

impl ResolvedLevel {
    /// Whether there is anything to ask.
    pub(super) fn exists(&self) -> bool {
        self.exists
    }
}

/// A file or URI of a level.
#[derive(Debug)]
pub(super) struct Location {
    pub(super) original: EcoString,
    pub(super) shown: EcoString,
    pub(super) uri: bool,
    /// The file; `None` for a URI.
    pub(super) file: Option<Arc<File>>,
    pub(super) data: OnceLock<Arc<Data>>,
    /// The state of the level's function for this location.
    pub context: OnceLock<usize>,
}

impl Location {
    pub(super) fn node(&self) -> Node {
        Node::Location {
            original: self.original.clone(),
            location: self.shown.clone(),
            uri: self.uri,
        }
    }

    pub(super) fn exists(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.exists)
    }

    /// The option that contains the location for a function.
    pub(super) fn option(&self) -> (Value, Value) {
        let key = if self.uri { "uri" } else { "path" };
        (Value::from(key), Value::Str(self.shown.clone()))
    }

    pub(super) fn shown(&self) -> &str {
        &self.shown
    }
}

/// The options of a module's keys.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) exact: HashValue,
    pub(super) patterns: Vec<Pattern>,
}

/// Options of the keys that match a regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The first characters of a matching single-line key. They are compared first, because
    /// matching is slower.
    pub(super) prefix: EcoString,
    pub(super) regex: Arc<Regex>,
    pub(super) options: Value,
}

/// The limits of the interpolations of one lookup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// The number of expressions.
    pub expressions: u64,
    /// The number of bytes of text.
    pub bytes: u64,
    /// The maximal depth of nested lookups.
    pub depth: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { expressions: budget::scaled(400_000), bytes: budget::scaled(96 << 20), depth: 100 }
    }
}

/// Answers for a key from levels that the lookup has not reached yet, by the contexts of their
/// functions.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) key: EcoString,
    pub(super) values: VecDeque<(usize, Option<Value>)>,
}
