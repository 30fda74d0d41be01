//! Origins of values: chains of steps, interned.

use std::hash::BuildHasher;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;
use rustc_hash::FxBuildHasher;

use crate::place::Place;

/// Where in data a value was found.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataStep {
    /// The key that was looked up.
    pub key: EcoString,
    /// The path of the data file.
    pub file: EcoString,
    /// Line in the data file, from 1; 0 if not known.
    pub line: u32,
}

/// One link of the chain that led to a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Written in a resource declaration.
    Declaration,
    /// A default for the resource type, such as `File { mode => … }`.
    TypeDefault,
    /// An override of an existing resource.
    Override,
    /// An override by a collector, such as `File<| |> { … }`.
    CollectorOverride,
    /// The default expression of a parameter.
    ParameterDefault,
    /// Found in data: the key, and the layer or hierarchy entry that had it.
    Data(Arc<DataStep>),
    /// A relationship arrow or metaparameter.
    Relation,
    /// An external value, such as from the node classifier or a command line.
    External(EcoString),
    /// Evaluated inside this class.
    Class(EcoString),
    /// Evaluated inside this instance of a define: `Type[title]`.
    Define(EcoString),
    /// Evaluated inside this node block.
    Node(EcoString),
    /// Evaluated inside this function.
    Function(EcoString),
    /// Exported by this node, and collected here.
    Exported(EcoString),
    /// By the resource type itself: a converted or default value, or a relationship.
    Kind(EcoString),
    /// Inherited from a container of the resource, such as `noop` or `schedule` of a class.
    Inherited(EcoString),
}

impl Step {
    /// In words; a place may follow.
    pub fn words(&self) -> String {
        match self {
            Self::Declaration => "written at".into(),
            Self::TypeDefault => "a default of the resource type".into(),
            Self::Override => "set by an override".into(),
            Self::CollectorOverride => "set by a collector".into(),
            Self::ParameterDefault => "the default of the parameter".into(),
            Self::Data(data) => format!("found in data under {}", data.key),
            Self::Relation => "asked for by a relation".into(),
            Self::External(text) if Place::parse(text).is_some() => "written at".into(),
            Self::External(text) => format!("given by {text}"),
            Self::Class(name) => format!("in class {name}, declared at"),
            Self::Define(name) => format!("in {name}, declared at"),
            Self::Node(name) => format!("in node {name}"),
            Self::Function(name) => format!("in function {name}, called at"),
            Self::Kind(name) => format!("by the resource type {name}"),
            Self::Inherited(name) => format!("inherited from {name}"),
            Self::Exported(name) => format!("exported by {name}, collected at"),
        }
    }

    /// As a word for programs, with the name of its context.
    pub fn key(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Declaration => ("declaration", None),
            Self::TypeDefault => ("type-default", None),
            Self::Override => ("override", None),
            Self::CollectorOverride => ("collector-override", None),
            Self::ParameterDefault => ("parameter-default", None),
            Self::Data(_) => ("data", None),
            Self::Relation => ("relation", None),
            Self::External(name) => ("external", Some(name)),
            Self::Class(name) => ("class", Some(name)),
            Self::Define(name) => ("define", Some(name)),
            Self::Node(name) => ("node", Some(name)),
            Self::Function(name) => ("function", Some(name)),
            Self::Kind(name) => ("kind", Some(name)),
            Self::Inherited(name) => ("inherited", Some(name)),
            Self::Exported(name) => ("exported", Some(name)),
        }
    }
}

/// One step with its place, and the step that led to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// The step.
    pub step: Step,
    /// Its place; external data may have none.
    pub span: Option<Span>,
    /// The enclosing step.
    pub parent: Option<OriginId>,
}

/// An interned [`Origin`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OriginId(pub u32);

/// The maximum number of recent origins that are deduplicated; a power of two.
const MAX_RECENT: usize = 1 << 12;
/// The same for graphs with fewer origins than this; a power of two.
const MIN_RECENT: usize = 1 << 6;

/// All origins of a graph. Equal ones in quick succession are stored once: those of a large graph
/// are nearly all different, and an index of them all would cost more than it saves.
#[derive(Clone, Default, Debug)]
pub struct OriginTable {
    origins: Vec<Origin>,
    /// The last origin for each low part of a hash, as its id plus one; 0 if there is none.
    recent: Vec<u32>,
}

impl OriginTable {
    /// Rebuilds the index of recent origins with this many slots.
    fn index(&mut self, slots: usize) {
        self.recent = vec![0; slots];
        for (id, origin) in self.origins.iter().enumerate() {
            self.recent[FxBuildHasher.hash_one(origin) as usize % slots] = id as u32 + 1;
        }
    }

    /// The id of an origin. It is stored if it is not among the recent ones.
    pub fn intern(&mut self, origin: Origin) -> OriginId {
        match self.recent.len() {
            0 => self.index(MIN_RECENT),
            MIN_RECENT if self.origins.len() == MIN_RECENT => self.index(MAX_RECENT),
            _ => {}
        }
        let hash = FxBuildHasher.hash_one(&origin);
        let slots = self.recent.len();
        let slot = &mut self.recent[hash as usize % slots];
        if let Some(known) = slot.checked_sub(1)
            && self.origins[known as usize] == origin
        {
            return OriginId(known);
        }
        self.origins.push(origin);
        *slot = self.origins.len() as u32;
        OriginId(*slot - 1)
    }

    /// Reserves room for this many more origins.
    pub fn reserve(&mut self, more: usize) {
        self.origins.reserve(more);
    }

    /// All origins in order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Origin> {
        self.origins.iter()
    }

    /// The origin of an id that this table gave.
    pub fn get(&self, id: OriginId) -> &Origin {
        &self.origins[id.0 as usize]
    }

    /// The origin and its parents, innermost first.
    pub fn chain(&self, id: OriginId) -> impl Iterator<Item = &Origin> {
        std::iter::successors(Some(self.get(id)), |o| o.parent.map(|p| self.get(p)))
    }
}
