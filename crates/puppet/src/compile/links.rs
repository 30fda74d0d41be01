//! Links between resources of types with features. A title or a reference as the value of a feature
//! with `containment => false` refers to the object of that resource.

use std::sync::Arc;

use ecow::EcoString;

use crate::catalog::{ResourceId, ResourceKind};
use crate::error::{EvalResult, PlainError, Step, Unwind};
use crate::state::Compiler;
use crate::syntax::names::capitalize_segments;
use crate::types::ObjectType;
use crate::types::models::Slot;
use crate::value::Value;
use crate::value::resource_key::{ResourceKey, reference_key};

/// The maximal number of links between an object and the next; objects at the end have no links.
const DEPTH: usize = 64;

/// The purpose of making the object of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// To see whether the resource is right.
    Itself,
    /// For a reader through a link. Its parts may already be contained in the other object of the
    /// resource.
    Target,
}

impl Compiler<'_> {
    /// The objects that the links of a feature refer to. The error of an item of a list says which
    /// item it is.
    pub(super) fn link_targets(&mut self, slot: &Slot, value: &Value) -> EvalResult {
        let Value::Array(items) = value else { return self.link_target(slot, value) };
        let mut out = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            out.push(self.link_target(slot, item).map_err(|mut unwind| {
                if let Unwind::Plain(error) = &mut *unwind {
                    error.path.push(Step::Item(i));
                }
                unwind
            })?);
        }
        Ok(Value::array(out))
    }

    fn link_target(&mut self, slot: &Slot, value: &Value) -> EvalResult {
        let (found, shown) = match value {
            Value::Type(kind) | Value::Reference(kind) => match reference_key(kind) {
                Some(key) => (self.catalog.find(&key), kind.to_string()),
                None => return Ok(value.clone()),
            },
            Value::Str(title) => {
                let shown = format!("{}['{title}']", capitalize_segments(&slot.target));
                (self.titled(slot, title), shown)
            }
            _ => return Ok(value.clone()),
        };
        let target = match found {
            Some(id) => self.model_of_resource(id)?.map(|kind| (id, kind)),
            None => None,
        };
        let Some((id, kind)) = target else {
            let name = &slot.feature.name;
            let text = match found {
                Some(_) => format!("{name}: {shown} is no resource of a type with features"),
                None => format!("{name}: there is no resource {shown} for the link"),
            };
            return Err(PlainError::issue("TYPE_UNRESOLVED_LINK", text).into());
        };
        self.target_object(id, &kind)
    }

    /// The resource of a title that a link may refer to: of its type or a subtype.
    fn titled(&mut self, slot: &Slot, title: &str) -> Option<ResourceId> {
        let find = |this: &Self, name: &str| this.catalog.find(&ResourceKey::new(name, title));
        if let Some(found) = find(self, &slot.target) {
            return Some(found);
        }
        for def in self.env.known_models() {
            let lower = def.name.to_lowercase();
            let is_subtype = |kind: &Arc<ObjectType>| {
                kind.line().any(|one| one.name.to_lowercase() == slot.target.as_str())
            };
            if let Ok(Some(kind)) = self.known_model(&lower)
                && is_subtype(&kind)
                && let Some(found) = find(self, &lower)
            {
                return Some(found);
            }
        }
        None
    }

    fn model_of_resource(&mut self, id: ResourceId) -> EvalResult<Option<Arc<ObjectType>>> {
        match &self.catalog.get(id).what {
            ResourceKind::Native(schema) => Ok(schema.model.clone()),
            ResourceKind::Define(def) => {
                let name = def.name.clone();
                self.model_of_define(&name)
            }
            _ => Ok(None),
        }
    }

    /// The object of a resource that a link refers to. An object in a cycle of links, or at the end
    /// of a long chain, has no links itself.
    fn target_object(&mut self, id: ResourceId, kind: &Arc<ObjectType>) -> EvalResult {
        if let Some(known) = self.models.links.object(id) {
            return Ok(known.clone());
        }
        let is_far = self.models.links.is_open(id) || self.models.links.depth() >= DEPTH;
        if is_far || self.catalog.get(id).is_virtual {
            return self.object_without_links(id, kind);
        }
        self.models.links.begin(id);
        let made = self.object_of(id, kind, Purpose::Target);
        self.models.links.end();
        let made = made?;
        self.models.links.add_object(id, made.clone());
        Ok(made)
    }

    /// The object of a resource without its links, which may be invalid.
    fn object_without_links(&mut self, id: ResourceId, kind: &Arc<ObjectType>) -> EvalResult {
        let mut entries = self.entries_of(id, kind, Purpose::Target)?;
        let layout = kind.model.as_ref().and_then(|model| model.layout.get());
        let is_link = |name: &EcoString| {
            let slot = layout.and_then(|layout| Some(&layout.slots[layout.find(name)?]));
            slot.is_some_and(|slot| is_link(slot))
        };
        entries.retain(|entry| !is_link(&entry.name));
        self.instantiate_unchecked(kind, entries)
    }
}

/// Whether a feature has links, so that its values may be titles and references.
pub(super) fn is_link(slot: &Slot) -> bool {
    slot.feature.is_reference() && !slot.feature.is_containment() && slot.set.is_none()
}
