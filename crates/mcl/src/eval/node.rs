//! The data of a function graph: its nodes and its dynamic parts.

use std::any::Any;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::functions::{self, Builtin, Fault, Iteration, Operator, Watch};
use crate::types::FuncType;
use crate::value::{Func, Value};

/// The maximal number of nodes of a graph.
pub(super) const MAX_NODES: usize = 2 << 20;
/// The heaviest value.
pub(super) const MAX_WEIGHT: usize = 1 << 26;
/// The most memory for values.
pub(super) const MAX_BYTES: usize = 1 << 30;

/// The id of a node. Ids of removed nodes are not reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId {
    pub(super) index: u32,
    generation: u32,
}

/// The operation of a node.
pub(super) enum Op {
    /// It has a constant value.
    Constant(Value),
    /// It calls a built-in function.
    Call(Box<Call>),
    /// It applies an operator to its inputs.
    Operator(Operator),
    /// It makes a list of its inputs.
    List,
    /// It makes a map of its inputs: key, value, key, value.
    Map,
    /// It makes a struct of its inputs.
    Struct(Arc<[EcoString]>),
    /// It reads an element of a list.
    Element(usize),
    /// It reads the value of a key of a map.
    Entry(Value),
    /// It decides which slots there are.
    Control(Box<Control>),
    /// It collects the results of the slots of its first input, a control node.
    Output,
}

/// A call of a built-in function.
pub(super) struct Call {
    pub builtin: &'static Builtin,
    pub signature: Arc<FuncType>,
    pub base: Arc<str>,
    pub state: functions::State,
    pub watches: Vec<Watch>,
}

/// A node.
pub(super) struct Node {
    pub op: Op,
    pub inputs: SmallVec<[NodeId; 3]>,
    /// The nodes that depend on it. Some may be removed already.
    followers: SmallVec<[NodeId; 1]>,
    /// The number of removed followers.
    gone: u32,
    /// All inputs are on lower levels.
    pub level: u32,
    pub tag: u32,
    pub state: State,
}

impl Node {
    /// Whether nothing depends on it.
    pub(super) fn is_end(&self) -> bool {
        self.followers.len() == self.gone as usize
    }

    pub(super) fn slots(&self) -> Option<&[Slot]> {
        if let Op::Control(control) = &self.op { Some(&control.slots) } else { None }
    }

    pub(super) fn watches(&self) -> &[Watch] {
        if let Op::Call(call) = &self.op { &call.watches } else { &[] }
    }

    pub(super) fn label(&self) -> String {
        match &self.op {
            Op::Constant(value) => format!("const: {}({value})", value.kind()),
            Op::Call(call) => call.builtin.parts().1.into(),
            Op::Operator(_) => "_operator".into(),
            Op::List => "composite: list".into(),
            Op::Map => "composite: map".into(),
            Op::Struct(_) => "composite: struct".into(),
            Op::Element(_) | Op::Entry(_) => "element".into(),
            Op::Control(control) => control.label().into(),
            Op::Output => "output".into(),
        }
    }
}

/// One place of the store.
struct StoreEntry {
    generation: u32,
    node: Option<Node>,
}

/// All nodes. Places are reused, and a generation distinguishes their nodes.
#[derive(Default)]
pub(super) struct Store {
    places: Vec<StoreEntry>,
    free: Vec<u32>,
    /// The number of nodes without a value.
    pub pending: usize,
    /// The nodes with an error in place of a value.
    pub failed: BTreeSet<u32>,
    /// Whether a node depends on itself, which is impossible in a checked program.
    pub is_cyclic: bool,
    /// The memory of the values in bytes.
    pub bytes: usize,
}

impl Store {
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// The number of places, used or free, and the maximal number of stored followers.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        let followers = self.iter().map(|(_, node)| node.followers.len());
        self.places.len().max(followers.max().unwrap_or(0))
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&Node> {
        let place = self.places.get(id.index as usize)?;
        place.node.as_ref().filter(|_| place.generation == id.generation)
    }

    pub(super) fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        let place = self.places.get_mut(id.index as usize)?;
        place.node.as_mut().filter(|_| place.generation == id.generation)
    }

    /// The present node of a place, and its level.
    pub(super) fn at(&self, index: u32) -> Option<(NodeId, u32)> {
        let place = self.places.get(index as usize)?;
        let node = place.node.as_ref()?;
        Some((NodeId { index, generation: place.generation }, node.level))
    }

    /// The present node of a place.
    pub(super) fn id(&self, index: u32) -> Option<NodeId> {
        let place = self.places.get(index as usize)?;
        place.node.as_ref().map(|_| NodeId { index, generation: place.generation })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.places.iter().enumerate().filter_map(|(index, place)| {
            let index = u32::try_from(index).ok()?;
            place.node.as_ref().map(|node| (NodeId { index, generation: place.generation }, node))
        })
    }

    /// Adds a node above its inputs, and at least on this level.
    pub(super) fn add(
        &mut self,
        op: Op,
        inputs: SmallVec<[NodeId; 3]>,
        level: u32,
        tag: u32,
    ) -> NodeId {
        let above = inputs.iter().filter_map(|id| self.get(*id)).map(|node| node.level + 1);
        let level = above.max().unwrap_or(0).max(level);
        let state = State::Pending;
        let taken = inputs.clone();
        let node = Node { op, inputs, followers: SmallVec::new(), gone: 0, level, tag, state };
        self.pending += 1;
        let id = match self.free.pop() {
            Some(index) => {
                let place = &mut self.places[index as usize];
                place.node = Some(node);
                NodeId { index, generation: place.generation }
            }
            None => {
                let index = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
                self.places.push(StoreEntry { generation: 0, node: Some(node) });
                NodeId { index, generation: 0 }
            }
        };
        for input in taken {
            if let Some(input) = self.get_mut(input) {
                input.followers.push(id);
            }
        }
        id
    }

    /// Removes a node. Its followers have no value for it any more.
    pub(super) fn remove(&mut self, id: NodeId) -> Option<Node> {
        self.get(id)?;
        let place = self.places.get_mut(id.index as usize)?;
        let node = place.node.take()?;
        place.generation = place.generation.wrapping_add(1);
        self.free.push(id.index);
        if matches!(node.state, State::Pending) {
            self.pending -= 1;
        }
        self.bytes = self.bytes.saturating_sub(node.state.own_bytes());
        if matches!(node.state, State::Error(..)) {
            self.failed.remove(&id.index);
        }
        for input in &node.inputs {
            self.lose_follower(*input);
        }
        Some(node)
    }

    fn lose_follower(&mut self, id: NodeId) {
        let Some(node) = self.get_mut(id) else { return };
        node.gone += 1;
        // Each sweep removes at least half of the list, so that the amortized cost is constant.
        if node.gone as usize * 2 > node.followers.len() {
            let mut followers = std::mem::take(&mut node.followers);
            node.gone = 0;
            // A node is listed once for each argument that is this one.
            followers
                .retain(|follower| self.get(*follower).is_some_and(|f| f.inputs.contains(&id)));
            if let Some(node) = self.get_mut(id) {
                node.followers = followers;
            }
        }
    }

    pub(super) fn followers(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.get(id).map(|node| node.followers.as_slice()).unwrap_or_default().iter().copied()
    }

    /// The fast path for operators on two numbers or bools whose previous value was such a value,
    /// which are most nodes of a wave. It copies no state and skips the accounting of memory and
    /// errors, which such values do not change. Returns whether the value changed; `None` if the
    /// node does not qualify.
    #[inline]
    pub(super) fn calculate(&mut self, id: NodeId) -> Option<bool> {
        let node = self.get(id)?;
        let Op::Operator(operator) = node.op else { return None };
        let [a, b] = node.inputs[..] else { return None };
        let value = operator.of_plain(self.get(a)?.state.value()?, self.get(b)?.state.value()?)?;
        match &mut self.get_mut(id)?.state {
            State::Value(before) if before.is_plain() => {
                let is_other = !before.is_same(&value);
                *before = value;
                Some(is_other)
            }
            _ => None,
        }
    }

    /// Sets the state of a node. Returns whether it changed.
    pub(super) fn set_state(&mut self, id: NodeId, state: State) -> bool {
        let Some(node) = self.get_mut(id) else { return false };
        if node.state.is_same(&state) {
            return false;
        }
        if state.is_plain() && node.state.is_plain() {
            node.state = state;
            return true;
        }
        let (bytes, freed) = (state.own_bytes(), node.state.own_bytes());
        let old = std::mem::replace(&mut node.state, state);
        let are_values = matches!((&old, &node.state), (State::Value(_), State::Value(_)));
        let is_pending = matches!(node.state, State::Pending);
        let is_failed = matches!(node.state, State::Error(..));
        self.bytes = (self.bytes + bytes).saturating_sub(freed);
        if are_values {
            return true;
        }
        match (matches!(old, State::Pending), is_pending) {
            (true, false) => self.pending -= 1,
            (false, true) => self.pending += 1,
            _ => {}
        }
        match (matches!(old, State::Error(..)), is_failed) {
            (false, true) => {
                self.failed.insert(id.index);
            }
            (true, false) => {
                self.failed.remove(&id.index);
            }
            _ => {}
        }
        true
    }

    /// Replaces the inputs of a node, and lifts it and its followers above them.
    pub(super) fn set_inputs(&mut self, id: NodeId, inputs: SmallVec<[NodeId; 3]>) {
        let Some(node) = self.get_mut(id) else { return };
        let old = std::mem::replace(&mut node.inputs, inputs.clone());
        let before: FxHashSet<NodeId> = old.iter().copied().collect();
        let after: FxHashSet<NodeId> = inputs.iter().copied().collect();
        for input in old.iter().filter(|input| !after.contains(input)) {
            self.lose_follower(*input);
        }
        let mut level = 0;
        for input in inputs {
            let Some(node) = self.get_mut(input) else { continue };
            level = level.max(node.level + 1);
            if !before.contains(&input) {
                node.followers.push(id);
            }
        }
        self.lift(id, level);
    }

    /// Lifts a node to at least this level, and its followers above it.
    ///
    /// Nodes are visited in the order of their old levels, which is a topological order, so that
    /// each is visited once.
    fn lift(&mut self, id: NodeId, level: u32) {
        let mut wanted = FxHashMap::from_iter([(id, level)]);
        let mut queue = BinaryHeap::from([Reverse((0, id))]);
        while let Some(Reverse((_, next))) = queue.pop() {
            let level = wanted.get(&next).copied().unwrap_or(0);
            let Some(node) = self.get_mut(next) else { continue };
            if node.level >= level {
                continue;
            }
            node.level = level;
            for follower in node.followers.clone() {
                self.is_cyclic |= follower == id;
                let Some(node) = self.get(follower).filter(|node| node.level <= level) else {
                    continue;
                };
                let entry = wanted.entry(follower).or_insert_with(|| {
                    queue.push(Reverse((node.level, follower)));
                    0
                });
                *entry = (*entry).max(level + 1);
            }
            if self.is_cyclic {
                return;
            }
        }
    }
}

/// The reason why a run failed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Failure {
    /// The error.
    pub fault: Fault,
    /// The node that failed, or that the error reached. Its tag leads to the source.
    pub node: NodeId,
    /// The tag of the node where the error began, as set by the builder.
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
    /// It has a catchable error in place of a value, with the tag of the node where it began.
    Error(Arc<Fault>, u32),
}

impl State {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&Value> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    /// Whether it has a value without an allocation.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Value(value) if value.is_plain())
    }

    /// The bytes of its value's own allocation.
    pub(super) fn own_bytes(&self) -> usize {
        self.value().map_or(0, Value::own_bytes)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
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
    pub(super) store: Store,
    pub(super) queue: Queue,
    pub(super) watches_changed: bool,
    /// Nodes that hold watches.
    pub(super) watching: BTreeSet<NodeId>,
    pub(super) failure: Option<Failure>,
    pub(super) changes: u64,
}

/// The nodes that a body adds to the graph.
#[derive(Default)]
pub struct BodyNodes {
    /// The node of its value; statements have none.
    pub output: Option<NodeId>,
    /// Data of the builder, which [`Engine::payloads`] returns.
    pub payload: Option<Box<dyn Any + Send>>,
}

impl BodyNodes {
    /// A body that is an expression.
    pub fn value(output: NodeId) -> Self {
        Self { output: Some(output), payload: None }
    }
}

/// A part of a program that is added to the graph on demand, any number of times: the body of a
/// function, a branch, the body of a loop.
///
/// Captured values are ids of nodes.
pub trait Body: Send + Sync {
    /// Adds its nodes.
    ///
    /// # Errors
    /// An error that ends the program.
    fn build(&self, graph: &mut Graph<'_>, args: &[NodeId]) -> Result<BodyNodes, Fault>;
}

/// The kind of a dynamic node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Branch,
    Call,
    Each,
    Except,
    Iterate(Iteration),
}

/// The nodes for one key.
pub(super) struct Slot {
    pub key: Value,
    pub nodes: Vec<NodeId>,
    pub output: Option<NodeId>,
    pub payload: Option<Box<dyn Any + Send>>,
}

/// A node that decides which slots exist.
pub(super) struct Control {
    pub shape: Shape,
    pub bodies: Vec<Arc<dyn Body>>,
    pub output: Option<NodeId>,
    pub slots: Vec<Slot>,
    /// The function for which the slots were built.
    pub function: Option<Func>,
}

impl Control {
    pub(super) fn new(shape: Shape, bodies: Vec<Arc<dyn Body>>) -> Self {
        Self { shape, bodies, output: None, slots: Vec::new(), function: None }
    }

    pub(super) fn label(&self) -> &'static str {
        match self.shape {
            Shape::Branch => "if",
            Shape::Call => "call",
            Shape::Each => "for",
            Shape::Except => "exprexcept",
            Shape::Iterate(Iteration::Map) => "map",
            Shape::Iterate(Iteration::Filter) => "filter",
            Shape::Iterate(Iteration::Reduce) => "reduce",
            Shape::Iterate(Iteration::Zip) => "zip",
        }
    }
}

/// Adds nodes to a graph.
pub struct Graph<'e> {
    pub(super) engine: &'e mut Engine,
    /// The lowest level for new nodes.
    pub(super) level: u32,
    pub(super) tag: u32,
    pub(super) base: Arc<str>,
    pub(super) added: Vec<NodeId>,
}

/// Pending nodes by level.
#[derive(Default)]
pub(super) struct Queue {
    levels: Vec<SmallVec<[u32; 2]>>,
    lowest: usize,
    /// Whether a node is pending, by its index.
    waiting: Vec<bool>,
}

impl Queue {
    pub(super) fn push(&mut self, level: u32, index: u32) {
        let at = index as usize;
        if self.waiting.len() <= at {
            self.waiting.resize(at + 1, false);
        }
        if !std::mem::replace(&mut self.waiting[at], true) {
            self.put(level, index);
        }
    }

    pub(super) fn put(&mut self, level: u32, index: u32) {
        let level = level as usize;
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, SmallVec::new);
        }
        self.levels[level].push(index);
        self.lowest = self.lowest.min(level);
    }

    pub(super) fn is_waiting(&self, index: u32) -> bool {
        self.waiting.get(index as usize).copied().unwrap_or(false)
    }

    /// It was handled already, or is removed.
    pub(super) fn forget(&mut self, index: u32) {
        if let Some(waiting) = self.waiting.get_mut(index as usize) {
            *waiting = false;
        }
    }

    /// The next node, with the level at which it was queued.
    pub(super) fn pop(&mut self) -> Option<(usize, u32)> {
        while let Some(level) = self.levels.get_mut(self.lowest) {
            if let Some(index) = level.pop() {
                return Some((self.lowest, index));
            }
            self.lowest += 1;
        }
        None
    }
}
