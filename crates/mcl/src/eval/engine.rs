//! Running a graph, and reading the values of its nodes.

use std::any::Any;

use super::node::{Engine, Failure, Graph, Node, NodeId, State};
use super::wave;
use crate::functions::{Surroundings, Watch};
use crate::value::Value;

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

    /// The events that the functions of the graph wait for.
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
