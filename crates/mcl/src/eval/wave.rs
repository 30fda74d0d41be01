//! One wave: updates all nodes that may have changed, level by level.

use std::sync::Arc;

use ordain_source::budget;
use smallvec::SmallVec;

use super::dynamic;
use super::node::{Engine, Failure, MAX_BYTES, MAX_WEIGHT, Node, NodeId, Op, State};
use crate::functions::{self, Call, Environment, Fault, Outcome, Run, Watch};
use crate::value::{Map, Struct, Value};

/// Runs until no node waits.
pub(super) fn run(engine: &mut Engine, environment: &dyn Environment) -> Result<(), Failure> {
    while let Some((level, index)) = engine.queue.pop() {
        // The node may be removed, with another one in its place, or handled already.
        if !engine.queue.is_waiting(index) {
            continue;
        }
        let Some((id, now)) = engine.store.at(index) else { continue };
        // It may have been lifted since it was queued.
        if now as usize > level {
            engine.queue.put(now, index);
            continue;
        }
        engine.queue.forget(index);
        match engine.store.calculate(id) {
            Some(false) => continue,
            Some(true) => {
                engine.changes += 1;
                spread(engine, id);
                continue;
            }
            None => {}
        }
        let state = evaluate(engine, id, environment).map_err(|fault| {
            let tag = engine.tag(id);
            Failure { fault, node: id, tag }
        })?;
        let is_plain = state.is_plain();
        let is_heavy = !is_plain && state.value().is_some_and(|value| value.weight() > MAX_WEIGHT);
        settle(engine, id, state);
        if is_plain && !engine.store.is_cyclic {
            continue;
        }
        let fault = if engine.store.is_cyclic {
            "the function graph has a cycle"
        } else if is_heavy {
            "the value is too large"
        } else if engine.store.bytes > budget::scaled_size(MAX_BYTES) || budget::check().is_err() {
            "the values take too much memory"
        } else {
            continue;
        };
        return Err(Failure { fault: Fault::fatal(fault), node: id, tag: engine.tag(id) });
    }
    Ok(())
}

/// Stores the state of a node. If it changed, its followers are queued.
fn settle(engine: &mut Engine, id: NodeId, state: State) {
    if engine.store.set_state(id, state) {
        engine.changes += 1;
    } else if engine.store.get(id).is_none_or(|node| !matches!(node.op, Op::Control(_))) {
        // Arguments that a control node only passes on are not part of its state.
        return;
    }
    spread(engine, id);
}

/// Queues the followers of a node.
#[inline]
fn spread(engine: &mut Engine, id: NodeId) {
    let Engine { store, queue, .. } = engine;
    for follower in store.followers(id) {
        if let Some(node) = store.get(follower) {
            queue.push(node.level, follower.index);
        }
    }
}

fn evaluate(
    engine: &mut Engine,
    id: NodeId,
    environment: &dyn Environment,
) -> Result<State, Fault> {
    let Some(node) = engine.store.get(id) else { return Ok(State::Pending) };
    match &node.op {
        Op::Control(_) => return dynamic::control(engine, id),
        Op::Output => return Ok(dynamic::output(engine, id)),
        Op::Constant(value) => return Ok(State::Value(value.clone())),
        Op::Operator(operator) => {
            let mut inputs = node.inputs.iter().map(|id| engine.state(*id));
            match (inputs.next(), inputs.next()) {
                (Some(State::Value(a)), Some(State::Value(b))) => {
                    return settled(operator.apply(a, Some(b)), node.tag);
                }
                (Some(State::Value(a)), None) => return settled(operator.apply(a, None), node.tag),
                _ => {}
            }
        }
        _ => {}
    }
    let mut first_error = None;
    for input in &node.inputs {
        match engine.state(*input) {
            State::Value(_) => {}
            State::Pending => return Ok(State::Pending),
            error @ State::Error(..) => first_error = first_error.or(Some(error)),
        }
    }
    if let Some(error) = first_error {
        return Ok(error.clone());
    }
    if matches!(node.op, Op::Call(_)) {
        return call(engine, id, environment);
    }
    Ok(compose(engine, node).map_or(State::Pending, State::Value))
}

/// The value of a node that combines its inputs, which all have values. `None` for an element that
/// a list no longer has.
fn compose(engine: &Engine, node: &Node) -> Option<Value> {
    let values = || node.inputs.iter().filter_map(|id| engine.value(*id)).cloned();
    let input = node.inputs.first().and_then(|id| engine.value(*id));
    Some(match &node.op {
        Op::Struct(names) => Struct::new(Arc::clone(names), values().collect()).into(),
        Op::Map => {
            let mut values = values();
            let pairs = std::iter::from_fn(|| Some((values.next()?, values.next()?)));
            Map::new(pairs.collect::<Vec<_>>()).into()
        }
        Op::Element(index) => return input?.as_list()?.get(*index).cloned(),
        Op::Entry(key) => return input?.as_map()?.get(key).cloned(),
        _ => Value::list(values()),
    })
}

fn call(engine: &mut Engine, id: NodeId, environment: &dyn Environment) -> Result<State, Fault> {
    let gone = || Fault::fatal("a part of the function graph is gone");
    let node = engine.store.get_mut(id).ok_or_else(gone)?;
    let tag = node.tag;
    // The call is taken out of its node while its arguments are borrowed from other nodes.
    let Op::Call(mut call) = std::mem::replace(&mut node.op, Op::List) else { return Err(gone()) };
    let old = std::mem::take(&mut call.watches);
    let Some(node) = engine.store.get(id) else { return Err(gone()) };
    let args: SmallVec<[&Value; 4]> =
        node.inputs.iter().filter_map(|id| engine.value(*id)).collect();
    let outcome = match call.builtin.run {
        Run::Values(run) => run(&mut Call {
            args: &args,
            signature: &call.signature,
            environment,
            functions: functions::all,
            base: &call.base,
            state: &mut call.state,
            watches: &mut call.watches,
        }),
        Run::Iterate(_) => Err(gone()),
    };
    drop(args);
    keep_watches(engine, id, &old, &call.watches);
    if let Some(node) = engine.store.get_mut(id) {
        node.op = Op::Call(call);
    }
    settled(outcome, tag)
}

/// The state for the outcome of a call.
fn settled(outcome: Outcome, tag: u32) -> Result<State, Fault> {
    match outcome {
        Ok(value) => Ok(State::Value(value)),
        Err(fault) if fault.is_waiting => Ok(State::Pending),
        Err(fault) if fault.is_catchable => Ok(State::Error(Arc::new(fault), tag)),
        Err(fault) => Err(fault),
    }
}

fn keep_watches(engine: &mut Engine, id: NodeId, old: &[Watch], new: &[Watch]) {
    if old == new {
        return;
    }
    engine.watches_changed = true;
    if new.is_empty() {
        engine.watching.remove(&id);
    } else {
        engine.watching.insert(id);
    }
}
