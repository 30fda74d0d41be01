//! Runs a graph and reads the values of its nodes.

use std::any::Any;

use super::node::{Engine, Failure, Graph, Node, NodeId, State};
use super::wave;
use crate::functions::{Environment, Watch};
use crate::value::Value;

impl Engine {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds permanent nodes.
    pub fn build(&mut self) -> Graph<'_> {
        Graph::new(self, 0)
    }

    /// Runs until no node is pending. All events since the last run make one wave. Returns whether
    /// any value changed.
    ///
    /// # Errors
    /// The first error that ends the program. Every later run returns it again.
    pub fn run(&mut self, environment: &dyn Environment) -> Result<bool, Failure> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let before = self.changes;
        let result = wave::run(self, environment).and_then(|()| self.check_ends());
        if let Err(failure) = result {
            self.failure = Some(failure.clone());
            return Err(failure);
        }
        Ok(self.changes != before)
    }

    /// An error of a node without dependents is an error of the program.
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

    /// Whether every node has a value, so that the values can be read.
    pub fn is_complete(&self) -> bool {
        self.store.pending == 0
    }

    /// The state of a node. A removed node is pending.
    pub fn state(&self, node: NodeId) -> &State {
        self.store.get(node).map_or(&State::Pending, |found| &found.state)
    }

    /// The value of a node.
    pub fn value(&self, node: NodeId) -> Option<&Value> {
        self.state(node).value()
    }

    /// The payloads of the bodies in the present slots of a dynamic node, in order: the statements
    /// of the taken branch, or of each iteration of a loop.
    pub fn payloads(&self, node: NodeId) -> impl Iterator<Item = &dyn Any> {
        let slots = self.store.get(node).and_then(|found| found.slots()).unwrap_or_default();
        slots.iter().filter_map(|slot| slot.payload.as_deref().map(|payload| payload as &dyn Any))
    }

    /// The number that the builder gave a node.
    pub fn tag(&self, node: NodeId) -> u32 {
        self.store.get(node).map_or(0, |found| found.tag)
    }

    /// Whether a run failed, which ends the program.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the watches changed since the last call of this method.
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

    /// Reports an event for a node, which is called in the next run. Removed nodes are ignored.
    pub fn notify(&mut self, node: NodeId) {
        if let Some(found) = self.store.get(node) {
            self.queue.push(found.level, node.index);
        }
    }

    /// Reports an event and returns the number of nodes that wait for it.
    pub fn wake(&mut self, is_it: impl Fn(&Watch) -> bool) -> usize {
        let waiting = self.watches().filter(|(_, watch)| is_it(watch)).map(|(node, _)| node);
        let waiting: std::collections::BTreeSet<NodeId> = waiting.collect();
        waiting.iter().for_each(|node| self.notify(*node));
        waiting.len()
    }

    /// All nodes with their labels and the nodes of their arguments.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, String, &[NodeId])> {
        self.store
            .iter()
            .map(|(id, node): (NodeId, &Node)| (id, node.label(), node.inputs.as_slice()))
    }
}
