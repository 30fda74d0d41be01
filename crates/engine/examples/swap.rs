//! Measures the time to go from one graph to the next: `swap [RESOURCES]`, 10,000 by default.
//!
//! Prints the best of several runs: parsing and ordering a whole graph in which one resource
//! differs, the comparison with the current graph, and all orders that follow.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::kind::Registry;
use ordain_engine::observer::NoObserver;
use ordain_engine::prepare::{Options, Prepared};
use ordain_engine::reconcile::{Reconciler, SchedulerOptions};
use ordain_engine::runner::HostRunner;
use ordain_graph::{Attribute, Containment, Graph, Origin, Resource, ResourceRef, Step};

/// A graph of files in directories of a hundred; the last file has the content `last`.
fn graph(files: usize, last: &str) -> Arc<Graph> {
    let mut graph = Graph::default();
    let origin = graph.origins.intern(Origin { step: Step::Declaration, span: None, parent: None });
    let mut add = |title: String, name: &str, value: &str| {
        let value = Value::str(value);
        graph.add(Resource {
            id: ResourceRef { kind: "File".into(), title: title.into() },
            containment: Containment::Leaf,
            attributes: vec![Attribute { name: name.into(), value, origin, losers: Vec::new() }],
            tags: Vec::new(),
            exported: false,
            is_virtual: false,
            origin,
        });
    };
    for i in 0..files {
        if i % 100 == 0 {
            add(format!("/d{}", i / 100), "ensure", "directory");
        }
        let text = if i + 1 == files { last } else { "text" };
        add(format!("/d{}/f{i}", i / 100), "content", text);
    }
    Arc::new(graph)
}

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let dir = tempfile::tempdir().unwrap();
    let host = Host::new(dir.path().to_path_buf(), Box::new(HostRunner));
    let tuning = SchedulerOptions { jobs: 2, ..SchedulerOptions::default() };
    let mut reconciler = Reconciler::new(Arc::new(host), Arc::new(NoObserver), tuning).unwrap();
    let registry = Arc::new(Registry::default());
    let (mut made, mut swapped) = (Duration::MAX, Duration::MAX);
    for round in 0..10 {
        let graph = graph(count, &round.to_string());
        let start = Instant::now();
        let options = Options::default();
        let registry = Arc::clone(&registry);
        let resolve = Arc::new(|_: &str| None);
        let prepared = Prepared::after(
            reconciler.prepared().map(Arc::as_ref),
            graph,
            registry,
            resolve,
            options,
        )
        .unwrap();
        let prepared_after = start.elapsed();
        let what = reconciler.swap(prepared).unwrap();
        let after = start.elapsed();
        while reconciler.quiet_for().is_none() {
            reconciler.turn(Some(Duration::from_millis(10))).unwrap();
        }
        if round > 0 {
            assert_eq!((what.changed, what.added, what.removed), (1, 0, 0));
            made = made.min(prepared_after);
            swapped = swapped.min(after - prepared_after);
        }
    }
    println!(
        "{count} resources, one of them changed: graph made ready in {made:?}, swapped in {swapped:?}"
    );
}
