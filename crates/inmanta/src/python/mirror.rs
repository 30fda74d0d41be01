//! The parts of the model that the child knows.

use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::message::{Message, list, plain};
use crate::value::{InstanceId, Names, Unknown, Value};

/// The parts of the model that the child knows.
#[derive(Default)]
pub(super) struct Mirror {
    /// The unknown values, by number. Each one is equal only to itself.
    unknowns: Vec<Value>,
    numbers: FxHashMap<*const Unknown, usize>,
    /// The instances whose name and text the child knows, in the order of sending.
    known: IndexSet<u32, FxBuildHasher>,
    /// The instances that the next message must describe.
    unknown_instances: Vec<InstanceId>,
    /// Whether the run is over, so that all values are final.
    is_finished: bool,
    /// For each entity, the position in `known` up to which all instances were sent after the run.
    complete: FxHashMap<EcoString, usize>,
    /// The instances whose attributes were sent after the run.
    rows: FxHashSet<u32>,
    /// The instances whose attributes with a value were sent.
    sent: FxHashSet<u32>,
    /// The numbers in the child of the objects that instances were made from.
    objects: FxHashMap<u32, u64>,
}

impl Mirror {
    /// The number of an unknown value.
    pub(super) fn number(&mut self, value: &Value, unknown: &Rc<Unknown>) -> usize {
        let next = self.unknowns.len();
        let number = *self.numbers.entry(Rc::as_ptr(unknown)).or_insert(next);
        if number == next {
            // The value is kept, so no other one gets its address.
            self.unknowns.push(value.clone());
        }
        number
    }

    /// Ensures that the child knows an instance when it gets the next message.
    pub(super) fn register(&mut self, instance: InstanceId) {
        if self.known.insert(instance.0) {
            self.unknown_instances.push(instance);
        }
    }

    /// Adds the instances that the child does not know yet to a message: their numbers, entities
    /// and texts, and the numbers of the objects that they were made from.
    pub(super) fn add_unknown_instances(&mut self, message: &mut Message, names: &dyn Names) {
        if self.unknown_instances.is_empty() {
            return;
        }
        let unknown_instances = std::mem::take(&mut self.unknown_instances);
        list(message.entry("told"), unknown_instances, |out, instance| {
            let text = Value::Instance(instance).repr(names);
            let object = self.objects.get(&instance.0);
            plain(out, (instance.0, names.entity_name(instance), text, object));
        });
    }

    /// The unknown value with a number.
    pub(super) fn unknown(&self, number: u64) -> Option<&Value> {
        self.unknowns.get(number as usize)
    }

    /// Records the object that an instance was made from.
    pub(super) fn made_from(&mut self, instance: InstanceId, object: u64) {
        self.objects.insert(instance.0, object);
        if self.known.contains(&instance.0) && !self.unknown_instances.contains(&instance) {
            self.unknown_instances.push(instance);
        }
    }

    /// Marks the run as over. Attributes of many instances are sent at once from now on.
    pub(super) fn finish(&mut self) {
        self.is_finished = true;
    }

    /// Whether the run is over.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns whether the attributes of an instance were not sent since the end of the run, and
    /// marks them as sent.
    pub(super) fn completes(&mut self, instance: InstanceId) -> bool {
        self.rows.insert(instance.0)
    }

    /// The next instance of an entity that the child knows without its attributes.
    pub(super) fn next_incomplete(
        &mut self,
        entity: &str,
        names: &dyn Names,
    ) -> Option<InstanceId> {
        let mut at = self.complete.get(entity).copied().unwrap_or_default();
        let mut found = None;
        while let Some(&number) = self.known.get_index(at)
            && found.is_none()
        {
            at += 1;
            let is_wanted =
                names.entity_name(InstanceId(number)) == entity && self.rows.insert(number);
            found = is_wanted.then_some(InstanceId(number));
        }
        self.complete.insert(entity.into(), at);
        found
    }

    /// Returns whether the attributes of an instance were not sent yet, and marks them as sent.
    pub(super) fn mark_sent(&mut self, instance: InstanceId) -> bool {
        self.sent.insert(instance.0)
    }

    /// Marks the attributes of an instance as not sent, since some had no value yet.
    pub(super) fn lacks(&mut self, instance: InstanceId) {
        self.sent.remove(&instance.0);
    }
}
