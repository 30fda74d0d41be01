//! Tests of the engine.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::node::*;
use crate::functions::environment::Memory;
use crate::functions::{Fault, Watch, find};
use crate::value::Func;
use crate::value::Value;

/// A body by a closure.
struct ClosureBody<F>(F);

impl<F> Body for ClosureBody<F>
where
    F: Fn(&mut Graph<'_>, &[NodeId]) -> NodeId + Send + Sync,
{
    fn build(&self, graph: &mut Graph<'_>, args: &[NodeId]) -> Result<BodyNodes, Fault> {
        Ok(BodyNodes::value((self.0)(graph, args)))
    }
}

fn body<F>(make: F) -> Arc<dyn Body>
where
    F: Fn(&mut Graph<'_>, &[NodeId]) -> NodeId + Send + Sync + 'static,
{
    Arc::new(ClosureBody(make))
}

fn lambda<F>(make: F) -> Value
where
    F: Fn(&mut Graph<'_>, &[NodeId]) -> NodeId + Send + Sync + 'static,
{
    Value::Func(Func::new(body(make)))
}

fn operator(graph: &mut Graph<'_>, name: &str, a: NodeId, b: NodeId) -> NodeId {
    let name = graph.constant(name.into());
    graph.call(find("_operator").unwrap(), None, vec![name, a, b])
}

/// A node that has the value that a resource of this name received.
fn input(graph: &mut Graph<'_>, name: &str) -> NodeId {
    let name = graph.constant(name.into());
    let given = graph.call(find("value.get_int").unwrap(), None, vec![name]);
    let field = graph.constant("value".into());
    graph.call(find("_struct_lookup").unwrap(), None, vec![given, field])
}

fn set(engine: &mut Engine, memory: &mut Memory, name: &str, value: i64) {
    memory.received.insert(name.into(), value.into());
    let count = engine.wake(|watch| *watch == Watch::Received(name.into()));
    assert!(count > 0, "nobody waits for {name}");
}

fn shown(engine: &Engine, node: NodeId) -> String {
    match engine.state(node) {
        State::Pending => "pending".into(),
        State::Value(value) => value.to_string(),
        State::Error(fault, _) => format!("error: {fault}"),
    }
}

#[test]
fn a_change_flows_to_what_depends_on_it_and_stops_where_nothing_changes() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let a = input(&mut graph, "a");
    let zero = graph.constant(0.into());
    let product = operator(&mut graph, "*", a, zero);
    let sum = operator(&mut graph, "+", a, product);
    engine.run(&memory).unwrap();
    assert!(engine.is_complete());
    assert_eq!(shown(&engine, sum), "0");
    set(&mut engine, &mut memory, "a", 5);
    assert!(engine.run(&memory).unwrap());
    assert_eq!(shown(&engine, sum), "5");
    set(&mut engine, &mut memory, "a", 5);
    assert!(!engine.run(&memory).unwrap());
}

#[test]
fn half_updated_combinations_are_never_seen() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let a = input(&mut graph, "a");
    // `a - a` along a short and a long path.
    let one = graph.constant(1.into());
    let mut long = a;
    for _ in 0..50 {
        long = operator(&mut graph, "*", long, one);
    }
    let difference = operator(&mut graph, "-", a, long);
    let zero = graph.constant(0.into());
    let differs = operator(&mut graph, "!=", difference, zero);
    let checked = graph.call(find("panic").unwrap(), None, vec![differs]);
    engine.run(&memory).unwrap();
    for value in 1..100 {
        set(&mut engine, &mut memory, "a", value);
        engine.run(&memory).unwrap();
        assert_eq!(shown(&engine, checked), "false");
    }
}

#[test]
fn only_the_taken_branch_exists() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let a = input(&mut graph, "a");
    let zero = graph.constant(0.into());
    let is_zero = operator(&mut graph, "==", a, zero);
    let safe = body(|graph, _| graph.constant((-1).into()));
    let divide = body(move |graph, _| {
        let hundred = graph.constant(100.0.into());
        let float = graph.call(find("convert.to_float").unwrap(), None, vec![a]);
        operator(graph, "/", hundred, float)
    });
    let result = graph.branch(is_zero, safe, divide);
    let seen = graph.list(vec![result]);
    engine.run(&memory).unwrap();
    let small = engine.len();
    assert_eq!(shown(&engine, seen), "[-1]");
    for _ in 0..100 {
        set(&mut engine, &mut memory, "a", 4);
        engine.run(&memory).unwrap();
        assert_eq!(shown(&engine, seen), "[25]");
        set(&mut engine, &mut memory, "a", 0);
        engine.run(&memory).unwrap();
        assert_eq!(shown(&engine, seen), "[-1]");
    }
    assert_eq!(engine.len(), small);
}

#[test]
fn errors_are_caught_and_the_default_goes_when_they_do() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let a = input(&mut graph, "a");
    let ten = graph.constant(10.into());
    let quotient = operator(&mut graph, "/", ten, a);
    let list = graph.list(vec![quotient, quotient]);
    let caught = graph.except(list, body(|graph, _| graph.constant("none".into())));
    engine.run(&memory).unwrap();
    let nodes = engine.len();
    assert_eq!(shown(&engine, caught), "\"none\"");
    set(&mut engine, &mut memory, "a", 4);
    engine.run(&memory).unwrap();
    assert_eq!(shown(&engine, caught), "[2.5, 2.5]");
    assert_eq!(engine.len(), nodes - 1);
    set(&mut engine, &mut memory, "a", 5);
    engine.run(&memory).unwrap();
    assert_eq!(shown(&engine, caught), "[2, 2]");
}

#[test]
fn an_error_that_nobody_catches_ends_the_program() {
    let (mut engine, memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    graph.set_tag(7);
    let (one, zero) = (graph.constant(1.into()), graph.constant(0.into()));
    let quotient = operator(&mut graph, "/", one, zero);
    graph.set_tag(8);
    graph.list(vec![quotient]);
    let failure = engine.run(&memory).unwrap_err();
    assert_eq!((failure.fault.message.as_str(), failure.tag), ("can't divide by zero", 7));
    assert_eq!(engine.run(&memory).unwrap_err(), failure);
}

#[test]
fn loops_keep_what_stays() {
    static BUILT: AtomicUsize = AtomicUsize::new(0);
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let count = input(&mut graph, "n");
    let list = graph.call(find("iter.range").unwrap(), None, vec![count]);
    let doubled = graph.each(
        list,
        body(|graph, args| {
            BUILT.fetch_add(1, Ordering::Relaxed);
            operator(graph, "+", args[0], args[1])
        }),
    );
    let length = graph.call(find("len").unwrap(), None, vec![doubled]);
    engine.run(&memory).unwrap();
    assert_eq!(shown(&engine, doubled), "[]");
    for (n, want) in [(3, "[0, 2, 4]"), (5, "[0, 2, 4, 6, 8]"), (1, "[0]"), (2, "[0, 2]")] {
        set(&mut engine, &mut memory, "n", n);
        engine.run(&memory).unwrap();
        assert_eq!(shown(&engine, doubled), want);
        assert_eq!(shown(&engine, length), n.to_string());
    }
    assert_eq!(BUILT.load(Ordering::Relaxed), 3 + 2 + 1);
}

#[test]
fn function_values_are_called_for_each_item() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let count = input(&mut graph, "n");
    let list = graph.call(find("iter.range").unwrap(), None, vec![count]);
    let add = graph.constant(lambda(move |graph, args| operator(graph, "+", args[0], count)));
    let sum = graph.constant(lambda(|graph, args| operator(graph, "+", args[0], args[1])));
    let small = graph.constant(lambda(|graph, args| {
        let two = graph.constant(2.into());
        operator(graph, "<", args[0], two)
    }));
    let hundred = graph.constant(100.into());
    let call =
        |graph: &mut Graph<'_>, name: &str, args| graph.call(find(name).unwrap(), None, args);
    let mapped = call(&mut graph, "iter.map", vec![list, add]);
    let filtered = call(&mut graph, "iter.filter", vec![list, small]);
    let reduced = call(&mut graph, "iter.reduce", vec![hundred, list, sum]);
    let zipped = call(&mut graph, "iter.zip", vec![list, mapped, sum]);
    let called = graph.call_value(sum, vec![count, count]);
    engine.run(&memory).unwrap();
    let all = graph_list(&mut engine, vec![mapped, filtered, reduced, zipped, called]);
    engine.run(&memory).unwrap();
    assert_eq!(shown(&engine, all), "[[], [], 100, [], 0]");
    for (n, want) in [
        (4, "[[4, 5, 6, 7], [0, 1], 106, [4, 6, 8, 10], 8]"),
        (1, "[[1], [0], 100, [1], 2]"),
        (3, "[[3, 4, 5], [0, 1], 103, [3, 5, 7], 6]"),
    ] {
        set(&mut engine, &mut memory, "n", n);
        engine.run(&memory).unwrap();
        assert_eq!(shown(&engine, all), want);
    }
}

fn graph_list(engine: &mut Engine, items: Vec<NodeId>) -> NodeId {
    engine.build().list(items)
}

#[test]
fn reducing_nothing_needs_a_start() {
    let (mut engine, memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let list = graph.list(Vec::new());
    let first = graph.constant(lambda(|_, args| args[0]));
    graph.call(find("iter.reduce").unwrap(), None, vec![list, first]);
    let failure = engine.run(&memory).unwrap_err();
    assert_eq!(failure.to_string(), "cannot reduce an empty list without an initial value");
}

#[test]
fn removed_resources_wait_for_nothing() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let a = input(&mut graph, "a");
    let zero = graph.constant(0.into());
    let is_zero = operator(&mut graph, "==", a, zero);
    let watching = body(|graph, _| graph.call(find("sys.hostname").unwrap(), None, Vec::new()));
    let result = graph.branch(is_zero, body(|graph, _| graph.constant("no".into())), watching);
    engine.run(&memory).unwrap();
    assert!(engine.watches_changed());
    assert_eq!(engine.watches().count(), 1);
    set(&mut engine, &mut memory, "a", 1);
    memory.hostname = "h1".into();
    engine.run(&memory).unwrap();
    assert_eq!(shown(&engine, result), "\"h1\"");
    assert!(engine.watches_changed());
    let (node, _) = engine.watches().find(|(_, watch)| **watch == Watch::Hostname).unwrap();
    set(&mut engine, &mut memory, "a", 0);
    engine.run(&memory).unwrap();
    assert_eq!(engine.watches().count(), 1);
    engine.notify(node);
    assert!(!engine.run(&memory).unwrap());
}

#[test]
fn nested_parts_lift_what_depends_on_them() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let a = input(&mut graph, "a");
    // A function that chains as many additions as its depth.
    let deep = |depth: usize| {
        lambda(move |graph, args| {
            (0..depth).fold(args[0], |sum, _| operator(graph, "+", sum, args[0]))
        })
    };
    let functions: Vec<NodeId> = [1, 60, 7].map(|depth| graph.constant(deep(depth))).to_vec();
    let functions = graph.list(functions);
    let function = graph.call(find("list_lookup").unwrap(), None, vec![functions, a]);
    let called = graph.call_value(function, vec![a]);
    let again = graph.call_value(function, vec![called]);
    let difference = operator(&mut graph, "-", again, a);
    for (value, want) in [(0, "0"), (1, "3720"), (2, "126"), (1, "3720"), (0, "0")] {
        memory.received.insert("a".into(), value.into());
        engine.wake(|_| true);
        engine.run(&memory).unwrap();
        assert_eq!(shown(&engine, difference), want);
    }
}

#[test]
fn many_events_leave_nothing_behind() {
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let a = input(&mut graph, "a");
    let list = graph.call(find("iter.range").unwrap(), None, vec![a]);
    let shared = a;
    let each = graph.each(list, body(move |graph, args| operator(graph, "+", args[1], shared)));
    engine.run(&memory).unwrap();
    let empty = engine.len();
    for round in 0..20_000 {
        set(&mut engine, &mut memory, "a", round % 5);
        engine.run(&memory).unwrap();
    }
    set(&mut engine, &mut memory, "a", 0);
    engine.run(&memory).unwrap();
    assert_eq!(shown(&engine, each), "[]");
    assert_eq!(engine.len(), empty);
    assert!(engine.store.capacity() < 64, "{}", engine.store.capacity());
}
