//! Types with features of their own: their definition, their instances, and the code in them.
//!
//! A type is an object type with a model ([`crate::types::modelled`]). What a type is named by and
//! inherits from is known before what its features are, so that types may refer to each other.

mod assign;
mod define;
mod feature;
mod load;
mod logic;
mod look;
mod make;
mod object;

use std::sync::Arc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

pub use look::{InstanceSyntax, ValueSyntax};
pub(crate) use make::Entry;

use crate::types::ObjectType;
use crate::types::modelled::{Instance, Slot};
use crate::validation::Role;
use crate::value::Value;
use crate::value::closure::ScopeId;

/// What a compile knows of types with features, and the objects that it is making.
#[derive(Default)]
pub(crate) struct ModelState {
    /// By names in lower case.
    types: FxHashMap<EcoString, Arc<ObjectType>>,
    /// The types that share their names with defines, by names in lower case.
    pub(crate) of_defines: FxHashMap<EcoString, Option<Arc<ObjectType>>>,
    /// The types whose parents are being looked for, outermost first.
    opening: Vec<EcoString>,
    /// The types whose features are being worked out.
    laying: Vec<EcoString>,
    /// The values of the objects that are being made, innermost last.
    drafts: Vec<Vec<Option<Value>>>,
    /// The code of types that is running, innermost last.
    logics: Vec<Logic>,
}

/// Code of a type that is running.
struct Logic {
    /// Its scope, in which its variables are.
    scope: ScopeId,
    kind: Arc<ObjectType>,
    role: Role,
    /// The feature whose code it is.
    slot: Option<(usize, Arc<Slot>)>,
    /// The object; a check sees none.
    object: Option<Arc<Instance>>,
    /// What is checked.
    it: Value,
    /// Whether `$it` means that.
    has_it: bool,
    /// Whether a setter assigned the feature that it is of.
    assigned: bool,
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
