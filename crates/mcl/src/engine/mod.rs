//! The function engine: a graph of functions whose values are kept true while the world changes.
//!
//! A program becomes a graph of *nodes*; each has a value, an error, or nothing yet. [`Engine::run`]
//! is one *wave*: it takes all that happened since the last one, and calls every function whose
//! arguments changed, once, in the order of the graph. So no half-updated combination is ever seen,
//! a burst of events costs one wave, and a function whose result did not change stops the wave there.
//!
//! Parts of the graph come and go: the branch of an `if`, the body of a function value, of a loop for
//! each element. A *dynamic* node ([`Graph::branch`], [`Graph::call_value`], [`Graph::each`], …) holds
//! *slots*, one for each part that is there now, built by a [`Body`]. When what it looks at changes,
//! slots are removed and built within the same wave, before anything that depends on them runs.
//!
//! ```
//! use ordain_mcl::engine::Engine;
//! use ordain_mcl::functions::{find, surroundings::Memory};
//! use ordain_mcl::value::Value;
//!
//! let mut engine = Engine::new();
//! let mut graph = engine.build();
//! let (a, b) = (graph.constant("x".into()), graph.constant("y".into()));
//! let joined = graph.call(find("concat").unwrap(), None, vec![a, b]);
//! engine.run(&Memory::default()).unwrap();
//! assert_eq!(engine.value(joined), Some(&Value::from("xy")));
//! ```
//!
//! *Errors.* A catchable error takes the place of a value and flows on to where an
//! [`Graph::except`] stands; if it reaches a node that nothing depends on, the run fails with it. Any
//! other error fails the run at once. After a failed run the engine is of no more use.
//!
//! *Events.* A function that streams says with each call what it waits for. Whoever drives the engine
//! asks for [`Engine::watches`] after a run in which [`Engine::watches_changed`], waits, and reports
//! with [`Engine::notify`] or [`Engine::wake`].

mod dynamic;
mod graph;
mod node;
mod wave;

#[cfg(test)]
mod tests;

use std::any::Any;

pub use dynamic::{Body, Built};
pub use graph::Graph;
pub use node::NodeId;

use crate::functions::{Fault, Surroundings, Watch};
use crate::value::Value;
use node::{Node, Store};

/// The most nodes that a graph may have.
const MOST_NODES: usize = 2 << 20;
/// The heaviest value.
const MOST_WEIGHT: usize = 1 << 26;
/// The most memory for values.
const MOST_BYTES: usize = 1 << 30;

/// Why a run failed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Failure {
    /// What went wrong.
    pub fault: Fault,
    /// The node where it went wrong, or that the error reached. Its tag leads to the source.
    pub node: NodeId,
    /// The tag of the node where the error began: whatever the builder put there.
    pub tag: u32,
}

/// The state of a node.
#[derive(Clone, Default, Debug)]
pub enum State {
    /// It has no value yet, or no longer exists.
    #[default]
    Pending,
    /// It has a value.
    Value(Value),
    /// It has a catchable error in place of a value; the tag of the node where it began.
    Error(std::sync::Arc<Fault>, u32),
}

impl State {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&Value> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    /// Whether it has a value that takes no room of its own.
    #[inline]
    fn is_plain(&self) -> bool {
        matches!(self, Self::Value(value) if value.is_plain())
    }

    /// How many bytes its value takes by itself.
    fn own_bytes(&self) -> usize {
        self.value().map_or(0, Value::own_bytes)
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pending, Self::Pending) => true,
            (Self::Value(a), Self::Value(b)) => a.is_same(b),
            (Self::Error(a, tag), Self::Error(b, other)) => a == b && tag == other,
            _ => false,
        }
    }
}

/// A graph of functions and the values of its nodes.
#[derive(Default)]
pub struct Engine {
    store: Store,
    queue: wave::Queue,
    watches_changed: bool,
    /// Nodes that hold watches.
    watching: std::collections::BTreeSet<NodeId>,
    failure: Option<Failure>,
    changes: u64,
}

impl Engine {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds nodes at the top: those that are always there.
    pub fn build(&mut self) -> Graph<'_> {
        Graph::new(self, 0)
    }

    /// Runs until nothing is left to do; all that was reported since the last run is one wave. Whether
    /// any value changed.
    ///
    /// # Errors
    /// The first error that ends the program. It comes again with every later run.
    pub fn run(&mut self, surroundings: &dyn Surroundings) -> Result<bool, Failure> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let before = self.changes;
        let result = wave::run(self, surroundings).and_then(|()| self.check_ends());
        if let Err(failure) = result {
            self.failure = Some(failure.clone());
            return Err(failure);
        }
        Ok(self.changes != before)
    }

    /// An error that reached a node on which nothing depends is an error of the program.
    fn check_ends(&self) -> Result<(), Failure> {
        let failed = self.store.failed.iter().copied();
        for node in failed.filter_map(|index| self.store.id(index)) {
            let Some(found) = self.store.get(node) else { continue };
            if let State::Error(fault, tag) = &found.state
                && found.is_end()
            {
                return Err(Failure { fault: (**fault).clone(), node, tag: *tag });
            }
        }
        Ok(())
    }

    /// Whether every node has a value, so that a table may be taken.
    pub fn is_complete(&self) -> bool {
        self.store.pending == 0
    }

    /// The state of a node. A node that is gone is pending.
    pub fn state(&self, node: NodeId) -> &State {
        self.store.get(node).map_or(&State::Pending, |found| &found.state)
    }

    /// The value of a node.
    pub fn value(&self, node: NodeId) -> Option<&Value> {
        self.state(node).value()
    }

    /// What the bodies of a dynamic node left behind for the slots that are there now, in order: the
    /// statements of a taken branch, of each iteration of a loop.
    pub fn payloads(&self, node: NodeId) -> impl Iterator<Item = &dyn Any> {
        let slots = self.store.get(node).and_then(|found| found.slots()).unwrap_or_default();
        slots.iter().filter_map(|slot| slot.payload.as_deref().map(|payload| payload as &dyn Any))
    }

    /// The number that the builder gave a node.
    pub fn tag(&self, node: NodeId) -> u32 {
        self.store.get(node).map_or(0, |found| found.tag)
    }

    /// Whether a run failed: the program is over.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the watches are others than at the last call of this method.
    pub fn watches_changed(&mut self) -> bool {
        std::mem::take(&mut self.watches_changed)
    }

    /// What the functions of the graph wait for.
    pub fn watches(&self) -> impl Iterator<Item = (NodeId, &Watch)> {
        self.watching.iter().flat_map(|id| {
            let watches = self.store.get(*id).map(|node| node.watches()).unwrap_or_default();
            watches.iter().map(|watch| (*id, watch))
        })
    }

    /// Says that something happened that a node waits for: it is called in the next run. A node that is
    /// gone is none.
    pub fn notify(&mut self, node: NodeId) {
        if let Some(found) = self.store.get(node) {
            self.queue.push(found.level, node.index);
        }
    }

    /// Says that something happened that nodes may wait for. How many do.
    pub fn wake(&mut self, is_it: impl Fn(&Watch) -> bool) -> usize {
        let waiting = self.watches().filter(|(_, watch)| is_it(watch)).map(|(node, _)| node);
        let waiting: std::collections::BTreeSet<NodeId> = waiting.collect();
        waiting.iter().for_each(|node| self.notify(*node));
        waiting.len()
    }

    /// The nodes that there are with the label of each and the nodes that its arguments come from.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, String, &[NodeId])> {
        self.store
            .iter()
            .map(|(id, node): (NodeId, &Node)| (id, node.label(), node.inputs.as_slice()))
    }
}
