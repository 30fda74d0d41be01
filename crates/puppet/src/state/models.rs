//! The types with features that a compile knows, and the objects that it is making.

use crate::catalog::ResourceId;
use crate::types::ObjectType;
use crate::types::modelled::{Instance, Slot};
use crate::validation::Role;
use crate::value::Value;
use crate::value::closure::ScopeId;
use ecow::EcoString;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The types with features that a compile knows, and the objects that it is making.
#[derive(Default)]
pub(crate) struct ModelState {
    /// By names in lower case.
    pub(crate) types: FxHashMap<EcoString, Arc<ObjectType>>,
    /// The types that share their names with defines, by names in lower case.
    pub(crate) of_defines: FxHashMap<EcoString, Option<Arc<ObjectType>>>,
    /// The types whose parents are being looked for, outermost first.
    pub(crate) opening: Vec<EcoString>,
    /// The types whose features are being worked out.
    pub(crate) laying: Vec<EcoString>,
    /// The values of the objects that are being made, innermost last.
    pub(crate) drafts: Vec<Vec<Option<Value>>>,
    /// The code of types that is running, innermost last.
    pub(crate) logics: Vec<Logic>,
}

/// Code of a type that is running.
pub(crate) struct Logic {
    /// Its scope, in which its variables are.
    pub(crate) scope: ScopeId,
    pub(crate) kind: Arc<ObjectType>,
    pub(crate) role: Role,
    /// The feature whose code it is.
    pub(crate) slot: Option<(usize, Arc<Slot>)>,
    /// The object; a check sees none.
    pub(crate) object: Option<Arc<Instance>>,
    /// The value that is checked.
    pub(crate) it: Value,
    /// Whether `$it` means that.
    pub(crate) has_it: bool,
    /// Whether a setter assigned the feature that it is of.
    pub(crate) assigned: bool,
}

impl ModelState {
    /// Whether there are types with features at all.
    pub(crate) fn has_types(&self) -> bool {
        !self.types.is_empty()
    }

    /// Whether code of a type is running.
    pub(crate) fn in_logic(&self) -> bool {
        !self.logics.is_empty()
    }
}

/// The objects of resources that links mean.
#[derive(Default)]
pub(crate) struct Linked {
    /// Those that were made.
    pub(crate) made: FxHashMap<ResourceId, Value>,
    /// The resources whose objects are being made, outermost first.
    pub(crate) open: Vec<ResourceId>,
}
