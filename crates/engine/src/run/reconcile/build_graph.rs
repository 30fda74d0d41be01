//! Builds the graph of the scheduler from a prepared graph.

use std::hash::{Hash, Hasher};
use std::time::Duration;

use ordain_graph::EdgeKind;
use ordain_graph::relations::{NodeId, Role};
use rustc_hash::FxHasher;

use super::scheduler_graph::{Edge, Poll, SchedulerGraph, Settings, Vertex};
use super::settings;
use crate::run::prepare::{Item, Prepared};
use crate::run::schedule;
use crate::system::host::Host;

/// The vertices and edges of a graph, in its order.
pub(super) fn build_graph(prepared: &Prepared, host: &Host) -> SchedulerGraph {
    let mut place = vec![0; prepared.relations.len()];
    for (i, node) in prepared.order.iter().enumerate() {
        place[node.index()] = i as u32;
    }
    let vertices = prepared.order.iter().map(|&node| vertex(prepared, node, host)).collect();
    let arcs = prepared.order.iter().flat_map(|&node| {
        let from = place[node.index()];
        prepared.relations.edges(node).iter().map(move |edge| (from, edge))
    });
    let edges = arcs.map(|(from, edge)| Edge {
        from,
        to: place[edge.to.index()],
        notify: edge.kind == EdgeKind::Notify,
    });
    SchedulerGraph { vertices, edges: edges.collect() }
}

/// The vertex of a node.
pub(super) fn vertex(prepared: &Prepared, node: NodeId, host: &Host) -> Vertex {
    let node = prepared.relations.node(node);
    let resource = prepared.graph.resource(node.resource);
    let name = resource.id.clone();
    if node.role != Role::Leaf {
        return Vertex { name, role: node.role, digest: 0, settings: Settings::default() };
    }
    let mut settings = settings::of(resource);
    let item = &prepared.items[node.resource.0 as usize];
    match item {
        Item::Ready(ready) => {
            settings.noop = ready.noop;
            let due = ready.schedule.is_some().then_some(schedule::POLL_INTERVAL);
            let pause = ready.instance.poll_interval(host).into_iter().chain(due).min();
            settings.poll = poll(settings.poll, pause);
            let longest = ready.instance.max_poll_interval(host).filter(|_| due.is_none());
            settings.max_poll_interval = longest.map_or(0, |longest| longest.as_millis() as u64);
            if settings.semaphores.is_empty() {
                settings.group = prepared.group(node.resource, host);
            }
        }
        // It fails at once, and again only when another graph declares it differently.
        Item::Bad(_) => (settings.retry, settings.poll) = (Some(0), Poll::Once),
        Item::Container | Item::Virtual | Item::Filtered => settings.hidden = true,
    }
    Vertex { name, role: Role::Leaf, digest: digest(item), settings }
}

/// The polling of a resource: as declared, or else by the watches of the kind.
fn poll(written: Poll, pause: Option<Duration>) -> Poll {
    match (written, pause) {
        (Poll::Watch, Some(pause)) => Poll::WatchAndEvery(pause.as_millis() as u64),
        (written, _) => written,
    }
}

/// A digest that is equal for resources that the scheduler treats alike.
fn digest(item: &Item) -> u64 {
    let mut hasher = FxHasher::default();
    match item {
        Item::Ready(ready) => {
            (ready.digest, ready.instance.context_fingerprint()).hash(&mut hasher)
        }
        Item::Bad(errors) => errors.iter().for_each(|e| e.message.hash(&mut hasher)),
        Item::Container => 1.hash(&mut hasher),
        Item::Virtual => 2.hash(&mut hasher),
        Item::Filtered => 3.hash(&mut hasher),
    }
    hasher.finish()
}
