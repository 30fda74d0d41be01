//! Instances, and indexes over them.

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::ids::Place;
use crate::syntax::ast::ExprId;
use crate::value::{InstanceId, VarId};

/// An instance.
#[derive(Debug)]
pub(in crate::eval) struct Instance {
    pub(in crate::eval) entity: u32,
    /// The variable of `self`. The variables of the slots follow.
    pub(in crate::eval) first: u32,
    pub(in crate::eval) places: SmallVec<[Place; 1]>,
    pub(in crate::eval) implementations: SmallVec<[u32; 2]>,
}

/// The key of an index: the list of attributes and their values.
pub(in crate::eval) type IndexKey = (u32, SmallVec<[Part; 2]>);

/// The variables that lookups wait for, by key.
pub(in crate::eval) type PendingLookups = IndexMap<IndexKey, Vec<(VarId, ExprId)>, FxBuildHasher>;

/// A value in the key of an index. Values are equal if type and value are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::eval) enum Part {
    Null,
    Bool(bool),
    Int(i64),
    Float(u64),
    Str(EcoString),
    Instance(InstanceId),
    Other(EcoString),
    /// An unknown value, by its address: each one is equal only to itself.
    Unknown(usize),
}

/// The instances of an entity by the keys of its indexes. Keys are not stored, since the instances
/// have their values.
#[derive(Debug, Default)]
pub(in crate::eval) struct Index {
    /// The instance and the list of attributes, by the hash of the key.
    pub(in crate::eval) first: FxHashMap<u64, (InstanceId, u32)>,
    /// The instances whose hash belongs to another key.
    pub(in crate::eval) others: FxHashMap<IndexKey, InstanceId>,
}
