//! Parts of the graph that come and go.

use std::sync::Arc;

use smallvec::SmallVec;

use super::node::{Body, Control, Engine, Graph, NodeId, Op, Shape, Slot, State};
use crate::functions::{Fault, Iteration};
use crate::value::{Func, Value};

/// The required slots: the function whose body fills them, and the key of each.
struct SlotPlan {
    function: Option<Func>,
    keys: Vec<Value>,
}

impl SlotPlan {
    fn indexes(function: Option<Func>, count: usize) -> Self {
        let keys = (0..count).map(|index| Value::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        Self { function, keys: keys.collect() }
    }
}

/// The inputs of a control node, and its required slots.
enum ControlDecision {
    /// They want these slots.
    Slots(SlotPlan),
    /// The node has no slots but the given state.
    Instead(State),
}

fn look(shape: Shape, inputs: &[&State]) -> Result<ControlDecision, Fault> {
    if shape == Shape::Except {
        return Ok(match inputs.first() {
            Some(State::Error(..)) => {
                ControlDecision::Slots(SlotPlan { function: None, keys: vec![true.into()] })
            }
            Some(State::Value(_)) => {
                ControlDecision::Slots(SlotPlan { function: None, keys: Vec::new() })
            }
            _ => ControlDecision::Instead(State::Pending),
        });
    }
    // Arguments of a function value do not affect the slots.
    let deciding = if shape == Shape::Call { inputs.get(..1).unwrap_or_default() } else { inputs };
    for state in deciding {
        if !matches!(state, State::Value(_)) {
            return Ok(ControlDecision::Instead((*state).clone()));
        }
    }
    let value = |index: usize| deciding.get(index).and_then(|state| state.value());
    let wrong = || Fault::fatal("a part of the function graph has a value of the wrong kind");
    let function = |index: usize| value(index).and_then(Value::as_func).cloned().ok_or_else(wrong);
    let list = |index: usize| value(index).and_then(Value::as_list).ok_or_else(wrong);
    Ok(ControlDecision::Slots(match shape {
        Shape::Branch => {
            let condition = value(0).and_then(Value::as_bool).ok_or_else(wrong)?;
            SlotPlan { function: None, keys: vec![condition.into()] }
        }
        Shape::Call => SlotPlan::indexes(Some(function(0)?), 1),
        Shape::Each => match value(0) {
            Some(Value::Map(map)) => {
                let keys = map.pairs().iter().map(|(key, _)| key.clone()).collect();
                SlotPlan { function: None, keys }
            }
            _ => SlotPlan::indexes(None, list(0)?.len()),
        },
        Shape::Iterate(Iteration::Zip) => {
            let count = list(0)?.len().min(list(1)?.len());
            SlotPlan::indexes(Some(function(2)?), count)
        }
        Shape::Iterate(Iteration::Reduce) if inputs.len() == 3 => {
            SlotPlan::indexes(Some(function(2)?), list(1)?.len())
        }
        Shape::Iterate(Iteration::Reduce) => match list(0)?.len() {
            0 => {
                let text = "cannot reduce an empty list without an initial value";
                return Err(Fault::fatal(text));
            }
            count => SlotPlan::indexes(Some(function(1)?), count - 1),
        },
        Shape::Iterate(_) => SlotPlan::indexes(Some(function(1)?), list(0)?.len()),
        Shape::Except => SlotPlan { function: None, keys: Vec::new() },
    }))
}

/// Evaluates the inputs of a control node and updates its slots.
///
/// # Errors
/// An error that ends the program.
pub(super) fn control(engine: &mut Engine, id: NodeId) -> Result<State, Fault> {
    let Some(node) = engine.store.get(id) else { return Ok(State::Pending) };
    let Op::Control(found) = &node.op else { return Ok(State::Pending) };
    let shape = found.shape;
    let inputs: SmallVec<[&State; 3]> = node.inputs.iter().map(|id| engine.state(*id)).collect();
    let look = look(shape, &inputs)?;
    drop(inputs);
    match look {
        ControlDecision::Instead(state) => {
            replace(engine, id, SlotPlan { function: None, keys: Vec::new() })?;
            Ok(state)
        }
        ControlDecision::Slots(wanted) => {
            replace(engine, id, wanted)?;
            // Its value only records the evaluation; the slots change.
            Ok(State::Value(true.into()))
        }
    }
}

/// Builds and removes slots as planned, and keeps the others.
fn replace(engine: &mut Engine, id: NodeId, wanted: SlotPlan) -> Result<(), Fault> {
    let Some(control) = control_of(engine, id) else { return Ok(()) };
    let is_same_function = match (&control.function, &wanted.function) {
        (Some(a), Some(b)) => a.is_same(b),
        (None, None) => true,
        _ => false,
    };
    let is_kept = |slot: &Slot, key: &Value| slot.key.is_same(key);
    let fits = is_same_function
        && control.slots.len() == wanted.keys.len()
        && control.slots.iter().zip(&wanted.keys).all(|(slot, key)| is_kept(slot, key));
    if fits {
        return Ok(());
    }
    let old = std::mem::take(&mut control.slots);
    control.function = wanted.function;
    let (kept, removed): (Vec<Slot>, Vec<Slot>) = if is_same_function {
        let keys = &wanted.keys;
        old.into_iter()
            .partition(|slot| keys.binary_search_by(|key| key.compare(&slot.key)).is_ok())
    } else {
        (Vec::new(), old)
    };
    for slot in removed {
        remove_all(engine, slot.nodes);
    }
    let mut kept = kept.into_iter().peekable();
    let mut slots = Vec::with_capacity(wanted.keys.len());
    let mut before = None;
    for key in wanted.keys {
        let slot = match kept.next_if(|slot| slot.key.is_same(&key)) {
            Some(slot) => slot,
            None => build(engine, id, key, before)?,
        };
        before = slot.output;
        slots.push(slot);
    }
    let outputs: SmallVec<[NodeId; 3]> = slots.iter().filter_map(|slot| slot.output).collect();
    let Some(control) = control_of(engine, id) else { return Ok(()) };
    control.slots = slots;
    if let Some(output) = control.output {
        let inputs = std::iter::once(id).chain(outputs).collect();
        engine.store.set_inputs(output, inputs);
        engine.notify(output);
    }
    Ok(())
}

fn control_of(engine: &mut Engine, id: NodeId) -> Option<&mut Control> {
    match &mut engine.store.get_mut(id)?.op {
        Op::Control(control) => Some(control),
        _ => None,
    }
}

/// Removes nodes, including the slots of dynamic ones.
fn remove_all(engine: &mut Engine, nodes: Vec<NodeId>) {
    let mut left = nodes;
    while let Some(id) = left.pop() {
        let Some(node) = engine.store.remove(id) else { continue };
        engine.queue.forget(id.index);
        if !node.watches().is_empty() {
            engine.watching.remove(&id);
            engine.watches_changed = true;
        }
        if let Op::Control(control) = node.op {
            left.extend(control.slots.into_iter().flat_map(|slot| slot.nodes));
        }
    }
}

/// Builds one slot. In a reduction it gets the output of the previous slot.
fn build(
    engine: &mut Engine,
    id: NodeId,
    key: Value,
    before: Option<NodeId>,
) -> Result<Slot, Fault> {
    let gone = || Fault::fatal("a part of the function graph is gone");
    let node = engine.store.get(id).ok_or_else(gone)?;
    let (level, tag, inputs) = (node.level + 1, node.tag, node.inputs.clone());
    let Op::Control(control) = &node.op else { return Err(gone()) };
    let (shape, function) = (control.shape, control.function.clone());
    let bodies = control.bodies.clone();
    let mut graph = Graph::new(engine, level);
    graph.set_tag(tag);
    let body = match &function {
        Some(function) => function.body::<Arc<dyn Body>>().cloned(),
        None if shape == Shape::Branch && key.as_bool() == Some(false) => bodies.get(1).cloned(),
        None => bodies.first().cloned(),
    };
    let body = body.ok_or_else(|| Fault::fatal("a function value has no body"))?;
    let args = arguments(&mut graph, shape, &inputs, &key, before);
    let built = body.build(&mut graph, &args)?;
    graph.check_size()?;
    Ok(Slot { key, nodes: graph.added, output: built.output, payload: built.payload })
}

fn arguments(
    graph: &mut Graph<'_>,
    shape: Shape,
    inputs: &[NodeId],
    key: &Value,
    before: Option<NodeId>,
) -> SmallVec<[NodeId; 3]> {
    let index = key.as_int().and_then(|index| usize::try_from(index).ok()).unwrap_or(0);
    let input = |at: usize| inputs.get(at).copied();
    let mut args = SmallVec::new();
    match shape {
        Shape::Branch | Shape::Except => {}
        Shape::Call => args.extend(inputs.iter().skip(1).copied()),
        Shape::Each => {
            let Some(collection) = input(0) else { return args };
            args.push(graph.constant(key.clone()));
            let is_map = matches!(graph.value(collection), Some(Value::Map(_)));
            args.push(match is_map {
                true => graph.entry(collection, key.clone()),
                false => graph.element(collection, index),
            });
        }
        Shape::Iterate(Iteration::Reduce) => {
            let has_start = inputs.len() == 3;
            let Some(list) = input(usize::from(has_start)) else { return args };
            let start = if has_start { input(0) } else { None };
            let left = before.or(start).unwrap_or_else(|| graph.element(list, 0));
            args.push(left);
            args.push(graph.element(list, index + usize::from(!has_start)));
        }
        Shape::Iterate(iteration) => {
            let lists = if iteration == Iteration::Zip { 2 } else { 1 };
            for list in inputs.iter().take(lists) {
                args.push(graph.element(*list, index));
            }
        }
    }
    args
}

/// The state of a dynamic node, from the states of its slots.
pub(super) fn output(engine: &Engine, id: NodeId) -> State {
    let Some(node) = engine.store.get(id) else { return State::Pending };
    let Some((control, outputs)) = node.inputs.split_first() else { return State::Pending };
    let Some(controlling) = engine.store.get(*control) else { return State::Pending };
    if !matches!(controlling.state, State::Value(_)) {
        return controlling.state.clone();
    }
    let Op::Control(found) = &controlling.op else { return State::Pending };
    let input = |at: usize| {
        controlling.inputs.get(at).map_or(State::Pending, |id| engine.state(*id).clone())
    };
    let single = outputs.last().map(|id| engine.state(*id).clone());
    match found.shape {
        Shape::Except => single.unwrap_or_else(|| input(0)),
        Shape::Iterate(Iteration::Reduce) => single.unwrap_or_else(|| {
            let has_start = controlling.inputs.len() == 3;
            match (has_start, input(0)) {
                (true, start) => start,
                (false, State::Value(Value::List(list))) => {
                    list.first().map_or(State::Pending, |first| State::Value(first.clone()))
                }
                (false, other) => other,
            }
        }),
        // Statements have no value.
        Shape::Branch | Shape::Call => single.unwrap_or_else(|| State::Value(true.into())),
        Shape::Each | Shape::Iterate(_) => {
            let mut values = Vec::with_capacity(outputs.len());
            for id in outputs {
                match engine.state(*id) {
                    State::Value(value) => values.push(value.clone()),
                    other => return other.clone(),
                }
            }
            if found.shape == Shape::Iterate(Iteration::Filter)
                && let State::Value(Value::List(items)) = input(0)
            {
                let kept =
                    items.iter().zip(&values).filter(|(_, keep)| keep.as_bool() == Some(true));
                return State::Value(Value::list(kept.map(|(item, _)| item.clone())));
            }
            State::Value(Value::list(values))
        }
    }
}
