//! Adding nodes.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::budget;
use smallvec::SmallVec;

use super::node::{Body, Call, Control, Engine, Graph, MAX_NODES, NodeId, Op, Shape};
use crate::functions::{self, Builtin, Fault, Operator, Run};
use crate::types::FuncType;
use crate::value::Value;

/// The number of levels that are reserved between a dynamic node and its output.
const RESERVED_LEVELS: u32 = 5;

impl<'e> Graph<'e> {
    pub(super) fn new(engine: &'e mut Engine, level: u32) -> Self {
        Self { engine, level, tag: 0, base: "".into(), added: Vec::new() }
    }

    /// Sets the tag of new nodes. Errors lead back to the source by it.
    pub fn set_tag(&mut self, tag: u32) {
        self.tag = tag;
    }

    /// Changes the tag of a node, if it calls a function that may be called early.
    pub fn retag_call(&mut self, node: NodeId, tag: u32) {
        let Some(node) = self.engine.store.get_mut(node) else { return };
        let is_early = match &node.op {
            Op::Call(call) => call.builtin.is_speculated,
            op => matches!(op, Op::Operator(_)),
        };
        if is_early {
            node.tag = tag;
        }
    }

    /// Sets the module of new nodes: its directory below the root of the deploy (`/modules/x`),
    /// empty for the root.
    pub fn set_base(&mut self, base: Arc<str>) {
        self.base = base;
    }

    /// The present value of a node, if it has one.
    pub fn value(&self, node: NodeId) -> Option<&Value> {
        self.engine.value(node)
    }

    /// Adds nodes that stay when the enclosing slot is removed.
    pub fn at_top<R>(&mut self, add: impl FnOnce(&mut Graph<'_>) -> R) -> R {
        let level = std::mem::take(&mut self.level);
        let added = std::mem::take(&mut self.added);
        let result = add(self);
        self.level = level;
        self.added = added;
        result
    }

    fn add(&mut self, op: Op, inputs: impl IntoIterator<Item = NodeId>) -> NodeId {
        let inputs: SmallVec<[NodeId; 3]> = inputs.into_iter().collect();
        let id = self.engine.store.add(op, inputs, self.level, self.tag);
        if let Some(node) = self.engine.store.get(id) {
            self.engine.queue.push(node.level, id.index);
        }
        self.added.push(id);
        id
    }

    /// Whether the graph has too many nodes.
    pub(super) fn check_size(&self) -> Result<(), Fault> {
        if self.engine.store.len() > budget::scaled_size(MAX_NODES) || budget::check().is_err() {
            return Err(Fault::fatal("the function graph has grown too large"));
        }
        Ok(())
    }

    /// A value that never changes.
    pub fn constant(&mut self, value: Value) -> NodeId {
        self.add(Op::Constant(value), [])
    }

    /// A call of a built-in function with its inferred signature, or that of the table if it is
    /// `None`. Functions that call function values for each item get a node for each item.
    pub fn call(
        &mut self,
        builtin: &'static Builtin,
        signature: Option<Arc<FuncType>>,
        args: Vec<NodeId>,
    ) -> NodeId {
        if builtin.name == "_operator"
            && let [first, a, ref rest @ ..] = *args
            && let Some(operator) = self.known_operator(first)
        {
            return self.operator(operator, a, rest.first().copied());
        }
        if let Run::Iterate(iteration) = builtin.run {
            return self.dynamic(Shape::Iterate(iteration), args, Vec::new());
        }
        let signature = signature.or_else(|| builtin.signature().as_func().cloned());
        let signature = signature
            .unwrap_or_else(|| Arc::new(FuncType::new(Vec::new(), crate::types::Type::Variant)));
        let base = Arc::clone(&self.base);
        let (state, watches) = (functions::State::default(), Vec::new());
        let call = Call { builtin, signature, base, state, watches };
        self.add(Op::Call(Box::new(call)), args)
    }

    fn known_operator(&self, node: NodeId) -> Option<Operator> {
        match &self.engine.store.get(node)?.op {
            Op::Constant(Value::Str(text)) => Operator::of(text.as_str()?),
            _ => None,
        }
    }

    /// An operator and its operands.
    pub fn operator(&mut self, operator: Operator, a: NodeId, b: Option<NodeId>) -> NodeId {
        self.add(Op::Operator(operator), std::iter::once(a).chain(b))
    }

    /// A list of the values of nodes.
    pub fn list(&mut self, items: Vec<NodeId>) -> NodeId {
        self.add(Op::List, items)
    }

    /// A map of the values of nodes. The last of equal keys wins.
    pub fn map(&mut self, pairs: Vec<(NodeId, NodeId)>) -> NodeId {
        self.add(Op::Map, pairs.into_iter().flat_map(|(key, value)| [key, value]))
    }

    /// A struct of the values of nodes.
    pub fn record(&mut self, names: Arc<[EcoString]>, values: Vec<NodeId>) -> NodeId {
        self.add(Op::Struct(names), values)
    }

    /// The element of a list, which has to exist.
    pub(super) fn element(&mut self, list: NodeId, index: usize) -> NodeId {
        self.add(Op::Element(index), [list])
    }

    /// The value of a key of a map, which has to exist.
    pub(super) fn entry(&mut self, map: NodeId, key: Value) -> NodeId {
        self.add(Op::Entry(key), [map])
    }

    fn dynamic(&mut self, shape: Shape, inputs: Vec<NodeId>, bodies: Vec<Arc<dyn Body>>) -> NodeId {
        let control = self.add(Op::Control(Box::new(Control::new(shape, bodies))), inputs);
        // Reserves levels for small bodies, because each body that is built would otherwise lift
        // all later nodes.
        let above = self.engine.store.get(control).map_or(0, |node| node.level + RESERVED_LEVELS);
        let level = self.level;
        self.level = level.max(above);
        let output = self.add(Op::Output, [control]);
        self.level = level;
        if let Some(node) = self.engine.store.get_mut(control)
            && let Op::Control(control) = &mut node.op
        {
            control.output = Some(output);
        }
        output
    }

    /// The value of one of two bodies, chosen by a condition. The other is not built. Both get no
    /// arguments.
    ///
    /// Returns the node of the value; [`Engine::payloads`] needs that of [`Graph::control`].
    pub fn branch(&mut self, condition: NodeId, yes: Arc<dyn Body>, no: Arc<dyn Body>) -> NodeId {
        self.dynamic(Shape::Branch, vec![condition], vec![yes, no])
    }

    /// A call of a function value: its body, with these arguments. The value of `function` must be a
    /// [`crate::value::Func`] around an `Arc<dyn Body>`.
    pub fn call_value(&mut self, function: NodeId, args: Vec<NodeId>) -> NodeId {
        let inputs = std::iter::once(function).chain(args).collect();
        self.dynamic(Shape::Call, inputs, Vec::new())
    }

    /// A body for each element of a list, or for each pair of a map in the order of the keys. It
    /// gets the index or key, and the element or value. The value of the node is the list of their
    /// values.
    pub fn each(&mut self, collection: NodeId, body: Arc<dyn Body>) -> NodeId {
        self.dynamic(Shape::Each, vec![collection], vec![body])
    }

    /// The value of a node, or of a body while the node has a catchable error.
    pub fn except(&mut self, node: NodeId, other: Arc<dyn Body>) -> NodeId {
        self.dynamic(Shape::Except, vec![node], vec![other])
    }

    /// The node that holds the slots of a dynamic node, by the node of its value.
    pub fn control(&self, output: NodeId) -> Option<NodeId> {
        let node = self.engine.store.get(output)?;
        matches!(node.op, Op::Output).then(|| node.inputs.first().copied()).flatten()
    }
}
