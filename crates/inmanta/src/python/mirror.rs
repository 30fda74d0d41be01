//! The part of the model that the child has.

use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::message::{Message, list, plain};
use crate::value::{InstanceId, Names, Unknown, Value};

/// The part of the model that the child has.
#[derive(Default)]
pub(super) struct Mirror {
    /// The values that are not known, by number: each is equal only to itself.
    unknowns: Vec<Value>,
    numbers: FxHashMap<*const Unknown, usize>,
    /// The instances of which it has the name and the text, in the order in which it was told.
    told: IndexSet<u32, FxBuildHasher>,
    /// Those of which the next message has to tell.
    untold: Vec<InstanceId>,
    /// Whether the run is over, so that all attributes have their values for good.
    is_finished: bool,
    /// Up to which of those that it was told of all instances of an entity were sent after the run.
    complete: FxHashMap<EcoString, usize>,
    /// The instances that were sent after the run.
    rows: FxHashSet<u32>,
    /// The instances of which all attributes were sent that had a value then.
    sent: FxHashSet<u32>,
    /// The objects that instances were made from, by the numbers that the child has for them.
    objects: FxHashMap<u32, u64>,
}

impl Mirror {
    /// The number of a value that is not known.
    pub(super) fn number(&mut self, value: &Value, unknown: &Rc<Unknown>) -> usize {
        let next = self.unknowns.len();
        let number = *self.numbers.entry(Rc::as_ptr(unknown)).or_insert(next);
        if number == next {
            // It is kept, so its address stays its own.
            self.unknowns.push(value.clone());
        }
        number
    }

    /// Makes sure that the child knows an instance when it gets the next message.
    pub(super) fn tell(&mut self, instance: InstanceId) {
        if self.told.insert(instance.0) {
            self.untold.push(instance);
        }
    }

    /// Adds to a message the instances that the child does not know yet: their numbers, entities
    /// and texts, and the numbers of the objects that they were made from.
    pub(super) fn add_untold(&mut self, message: &mut Message, names: &dyn Names) {
        if self.untold.is_empty() {
            return;
        }
        let untold = std::mem::take(&mut self.untold);
        list(message.entry("told"), untold, |out, instance| {
            let text = Value::Instance(instance).repr(names);
            let object = self.objects.get(&instance.0);
            plain(out, (instance.0, names.entity_name(instance), text, object));
        });
    }

    /// The value that is not known with a number.
    pub(super) fn unknown(&self, number: u64) -> Option<&Value> {
        self.unknowns.get(number as usize)
    }

    /// Notes the object that an instance was made from.
    pub(super) fn made_from(&mut self, instance: InstanceId, object: u64) {
        self.objects.insert(instance.0, object);
        if self.told.contains(&instance.0) && !self.untold.contains(&instance) {
            self.untold.push(instance);
        }
    }

    /// The run is over: from now on many attributes are sent at once.
    pub(super) fn finish(&mut self) {
        self.is_finished = true;
    }

    /// Whether the run is over.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Whether the attributes of an instance were not sent since the end of the run; from now on
    /// they were.
    pub(super) fn completes(&mut self, instance: InstanceId) -> bool {
        self.rows.insert(instance.0)
    }

    /// The next instance of an entity that the child was told of and has not got the attributes of.
    pub(super) fn next_incomplete(
        &mut self,
        entity: &str,
        names: &dyn Names,
    ) -> Option<InstanceId> {
        let mut at = self.complete.get(entity).copied().unwrap_or_default();
        let mut found = None;
        while let Some(&number) = self.told.get_index(at)
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

    /// Whether the attributes of an instance are still to be sent; from now on they are not.
    pub(super) fn wants(&mut self, instance: InstanceId) -> bool {
        self.sent.insert(instance.0)
    }

    /// The attributes of an instance are to be sent again: some had no value yet.
    pub(super) fn lacks(&mut self, instance: InstanceId) {
        self.sent.remove(&instance.0);
    }
}
