//! Variables and the units that wait for them.

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;

use super::ids::{ListenerId, Place, UnitId};
use crate::value::{InstanceId, Value};

/// The kinds of variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::eval) enum Kind {
    /// Set once.
    Plain,
    /// An element of a list, with its value from the beginning.
    Element,
    /// A relation to one instance.
    One,
    /// A relation to one instance or none.
    Opt,
    /// A relation to several instances.
    Many,
    /// A list that several statements add to.
    Collected,
    /// A proxy of another variable.
    Proxy,
}

/// The state of a variable.
#[derive(Debug)]
pub(in crate::eval) enum State {
    /// No value yet: the first and the last waiter.
    Open { head: u32, tail: u32 },
    /// The value. A relation with a value is frozen.
    Ready(Value),
}

/// A variable.
#[derive(Debug)]
pub(in crate::eval) struct Var {
    pub(in crate::eval) state: State,
    /// The place of the assignment.
    pub(in crate::eval) place: Place,
    /// The type of a plain variable, the attribute of a relation, or the listener of a proxy.
    pub(in crate::eval) meta: u32,
    /// The instance of a relation to one, the index of the delayed data, or the variable behind a
    /// proxy.
    pub(in crate::eval) link: u32,
    pub(in crate::eval) kind: Kind,
    /// Whether the listener of a proxy gets the value when it is read.
    pub(in crate::eval) notifies: bool,
}

// Each instance has several of both, so their size decides the memory of a run.
const _: () = assert!(size_of::<Var>() == 40 && size_of::<Delayed>() == 40);

/// The value of a variable without a value.
pub(in crate::eval) const NOTHING: &Value = &Value::Null;

impl Var {
    /// Whether the variable has a value, or is frozen.
    pub(in crate::eval) fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    /// The value, `null` if it has none.
    pub(in crate::eval) fn value(&self) -> &Value {
        match &self.state {
            State::Ready(value) => value,
            State::Open { .. } => NOTHING,
        }
    }
}

/// The data of variables that are frozen later.
#[derive(Debug, Default)]
pub(in crate::eval) struct Delayed {
    /// The instance.
    pub(in crate::eval) instance: u32,
    /// The number of open promises.
    pub(in crate::eval) promises: u32,
    pub(in crate::eval) waiters: u32,
    pub(in crate::eval) gradual: u32,
    /// The position among the variables without waiters, or [`NONE`].
    pub(in crate::eval) zero: u32,
    pub(in crate::eval) is_queued: bool,
    /// Whether it is in the list of variables that have got waiters.
    pub(in crate::eval) is_woken: bool,
    /// The reason of the freeze, for explanations.
    pub(in crate::eval) reason: Reason,
    /// The items, if there are any.
    pub(in crate::eval) items: Option<Rc<Vec<Value>>>,
    /// Data that few variables have.
    pub(in crate::eval) rare: Option<Box<RareFields>>,
}

impl Delayed {
    pub(in crate::eval) fn items(&self) -> &[Value] {
        self.items.as_ref().map_or(&[], |items| items)
    }

    /// The items for a change. They are not shared before the freeze.
    pub(in crate::eval) fn items_mut(&mut self) -> &mut Vec<Value> {
        Rc::make_mut(self.items.get_or_insert_default())
    }
}

/// Data that few of the delayed variables have.
#[derive(Debug, Default)]
pub(in crate::eval) struct RareFields {
    /// The items as a set, once there are many.
    pub(in crate::eval) members: FxHashSet<Member>,
    pub(in crate::eval) listeners: IndexSet<ListenerId, FxBuildHasher>,
    /// Some of the waiters at the time of the freeze, for explanations.
    pub(in crate::eval) waited: SmallVec<[Place; 3]>,
}

/// The reason of a freeze.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::eval) enum Reason {
    /// All promises were fulfilled.
    #[default]
    Complete,
    /// Units wait for each other in a cycle.
    Cycle,
    /// Nothing was left to run.
    End,
    /// The relation was full, or set to `null`.
    Full,
}

/// An item of a relation.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(in crate::eval) enum Member {
    Instance(InstanceId),
    Unknown(usize),
}

/// A unit that waits for a variable.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) struct Waiter {
    pub(in crate::eval) unit: UnitId,
    pub(in crate::eval) next: u32,
}
