//! Measures the cost of an event in a chain of functions and its memory use: run with `cargo run
//! --release -p ordain-mcl --example wave`.

use std::time::Instant;

use ordain_mcl::eval::Engine;
use ordain_mcl::functions::environment::Memory;
use ordain_mcl::functions::{Watch, find};

/// Functions in the chain.
const LENGTH: usize = 500;

fn main() {
    let mut events: i64 = 100_000;
    if let Some(given) = std::env::args().nth(1).and_then(|text| text.parse().ok()) {
        events = given;
    }
    let (mut engine, mut memory) = (Engine::new(), Memory::default());
    let mut graph = engine.build();
    let (Some(get), Some(field), Some(operator)) =
        (find("value.get_int"), find("_struct_lookup"), find("_operator"))
    else {
        return;
    };
    let (name, value) = (graph.constant("a".into()), graph.constant("value".into()));
    let (plus, one) = (graph.constant("+".into()), graph.constant(1.into()));
    let given = graph.call(get, None, vec![name]);
    let mut last = graph.call(field, None, vec![given, value]);
    for _ in 0..LENGTH {
        last = graph.call(operator, None, vec![plus, last, one]);
    }
    let nodes = engine.len();
    let start = Instant::now();
    for event in 0..events {
        memory.received.insert("a".into(), event.into());
        engine.wake(|watch| matches!(watch, Watch::Received(_)));
        if let Err(failure) = engine.run(&memory) {
            println!("{failure}");
            return;
        }
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / events as f64;
    println!("{events} events through {LENGTH} functions: {each:.2} us each");
    println!(
        "nodes before and after: {nodes} {}; last value {:?}",
        engine.len(),
        engine.value(last)
    );
}
