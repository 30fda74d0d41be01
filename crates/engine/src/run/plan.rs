//! Plans: compares everything with the machine and changes nothing.

use std::rc::Rc;

use ordain_graph::relations::Role;
use ordain_graph::{EdgeKind, ResourceId, ResourceRef};

use crate::kind::report::{Counts, ResourceReport, Status};
use crate::run::forecast;
use crate::run::forecast::Tree;
use crate::run::observer::Observer;
use crate::run::prepare::Prepared;
use crate::run::step::Mode;
use crate::run::unfinished::UnfinishedRuns;
use crate::system::host::Host;

/// A resource in a plan.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The report; its lines say `(noop)`, as in a noop run.
    pub report: ResourceReport,
    /// The resources that would act on its changes.
    pub triggers: Vec<ResourceRef>,
    /// The tree that it removes or replaces.
    pub removes: Option<Tree>,
}

/// The changes that an apply would make, in its order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// All resources, also those where nothing differs.
    pub entries: Vec<Entry>,
}

impl Plan {
    /// The numbers of resources by planned action.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for Entry { report, .. } in &self.entries {
            counts.add(report.status, &report.changes, report.refreshed);
        }
        counts
    }

    /// Whether an apply would do anything.
    pub fn has_changes(&self) -> bool {
        self.entries.iter().any(|e| e.report.status == Status::WouldChange)
    }

    /// Whether any resource has an error.
    pub fn has_failures(&self) -> bool {
        self.entries.iter().any(|e| e.report.status == Status::Failed)
    }
}

/// Compares a graph with the machine.
///
/// A resource that cannot be observed yet does not block its dependents, because an earlier
/// resource may provide its needs. An invalid declaration blocks them.
pub fn plan(prepared: &Prepared, host: &Host, observer: &dyn Observer, jobs: usize) -> Plan {
    let mut report = crate::run::apply::run(
        prepared,
        host,
        observer,
        jobs,
        Mode::Plan,
        &UnfinishedRuns::default(),
    );
    forecast::fail_without_directory(prepared, host, &mut report.resources);
    let triggers = Triggers::new(prepared, &report.resources);
    let entries = report.resources.into_iter().map(|report| {
        let changes = report.status == Status::WouldChange && !report.changes.is_empty();
        let name = report.generated_by.as_ref().unwrap_or(&report.resource);
        let id = prepared.graph.find(name).filter(|_| changes);
        let triggers = id.map(|id| triggers.of(id)).unwrap_or_default();
        let removes = forecast::tree(prepared, host, &report);
        Entry { triggers, report, removes }
    });
    Plan { entries: entries.collect() }
}

/// Edges along which changes trigger other resources.
struct Triggers<'a> {
    prepared: &'a Prepared,
    refreshed: Vec<bool>,
    /// The resources that each marker reaches, shared by all members of a container.
    reach: Vec<Option<Rc<Vec<ResourceId>>>>,
}

impl<'a> Triggers<'a> {
    fn new(prepared: &'a Prepared, reports: &[ResourceReport]) -> Self {
        let mut refreshed = vec![false; prepared.graph.len()];
        for report in reports.iter().filter(|r| r.refreshed) {
            if let Some(id) = prepared.graph.find(&report.resource) {
                refreshed[id.0 as usize] = true;
            }
        }
        let reach = vec![None; prepared.relations.len()];
        let mut triggers = Self { prepared, refreshed, reach };
        if triggers.refreshed.contains(&true) {
            for &node in prepared.order.iter().rev() {
                if prepared.relations.node(node).role != Role::Leaf {
                    let found = triggers.from(node);
                    triggers.reach[node.index()] = Some(Rc::new(found));
                }
            }
        }
        triggers
    }

    fn from(&self, node: ordain_graph::relations::NodeId) -> Vec<ResourceId> {
        let mut found = Vec::new();
        for edge in self.prepared.relations.edges(node) {
            if edge.kind != EdgeKind::Notify {
                continue;
            }
            let target = self.prepared.relations.node(edge.to).resource;
            match &self.reach[edge.to.index()] {
                Some(reach) => found.extend(reach.iter().copied()),
                None if self.refreshed[target.0 as usize] => found.push(target),
                None => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn of(&self, id: ResourceId) -> Vec<ResourceRef> {
        let found = self.from(self.prepared.relations.enter(id));
        found.into_iter().map(|id| self.prepared.graph.resource(id).id.clone()).collect()
    }
}
