//! The types with features that a compile knows, and the objects that it is making.

use crate::catalog::{Resource, ResourceId, ResourceKind};
use crate::types::ObjectType;
use crate::types::models::{Instance, Slot};
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
    /// The types whose parents are being resolved, outermost first.
    pub(crate) opening: Vec<EcoString>,
    /// The types whose layouts are being computed.
    pub(crate) laying: Vec<EcoString>,
    /// The values of the objects that are being made, innermost last.
    pub(crate) drafts: Vec<Vec<Option<Value>>>,
    /// The code of types that is running, innermost last.
    pub(crate) logics: Vec<Logic>,
    /// The objects that links between resources refer to.
    pub(crate) links: Links,
}

/// Code of a type that is running.
pub(crate) struct Logic {
    /// Its scope, in which its variables are.
    pub(crate) scope: ScopeId,
    pub(crate) kind: Arc<ObjectType>,
    pub(crate) role: Role,
    /// The feature whose code it is.
    pub(crate) slot: Option<(usize, Arc<Slot>)>,
    /// The object; `None` for checks.
    pub(crate) object: Option<Arc<Instance>>,
    /// The value that is checked.
    pub(crate) it: Value,
    /// Whether the code can read `$it`.
    pub(crate) has_it: bool,
    /// Whether a setter assigned its feature.
    pub(crate) assigned: bool,
}

impl ModelState {
    /// Whether there are types with features at all.
    pub(crate) fn has_types(&self) -> bool {
        !self.types.is_empty()
    }

    /// The default of an attribute that nothing sets, for a resource of a type with features. It is
    /// part of the type, so every reader of the resource sees it.
    pub(crate) fn default_of<'a>(
        &'a self,
        resource: &'a Resource,
        name: &str,
    ) -> Option<&'a Value> {
        let kind = match &resource.what {
            ResourceKind::Native(schema) => schema.model.as_ref()?,
            ResourceKind::Define(def) => self.of_defines.get(&def.name)?.as_ref()?,
            _ => return None,
        };
        let layout = kind.model.as_ref()?.layout.get()?;
        layout.defaults[layout.find(name)?].as_ref()
    }

    /// Whether code of a type is running.
    pub(crate) fn in_logic(&self) -> bool {
        !self.logics.is_empty()
    }
}

/// The objects of resources that links between resources refer to.
#[derive(Default)]
pub(crate) struct Links {
    /// The finished objects.
    objects: FxHashMap<ResourceId, Value>,
    /// The resources whose objects are being made, outermost first.
    open: Vec<ResourceId>,
}

impl Links {
    /// The finished object of a resource.
    pub(crate) fn object(&self, id: ResourceId) -> Option<&Value> {
        self.objects.get(&id)
    }

    /// Keeps the finished object of a resource.
    pub(crate) fn add_object(&mut self, id: ResourceId, object: Value) {
        self.objects.insert(id, object);
    }

    /// Drops the finished objects, because the attributes of resources may change after this.
    pub(crate) fn forget_objects(&mut self) {
        self.objects.clear();
    }

    /// Begins making the object of a resource.
    pub(crate) fn begin(&mut self, id: ResourceId) {
        self.open.push(id);
    }

    /// Ends making the object that was begun last.
    pub(crate) fn end(&mut self) {
        self.open.pop();
    }

    /// Whether the object of a resource is being made: links may form a cycle.
    pub(crate) fn is_open(&self, id: ResourceId) -> bool {
        self.open.contains(&id)
    }

    /// The number of objects that are being made.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }
}
