//! Kinds of a provider outside the engine: requests, order, failures. They have a process of their
//! own, since any change in a process makes observations useless.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::apply::apply;
use ordain_engine::host::Host;
use ordain_engine::kind::{
    Action, AttributeError, Change, ChangeOutcome, KindError, Registry, Relationship,
};
use ordain_engine::kinds::external::{
    Applied, Call, ExternalKind, ExternalProvider, KindDescription, Observation, PrepareRequest,
    PreparedResource, ResourceNumber, SharedProvider,
};
use ordain_engine::observer::NoObserver;
use ordain_engine::plan::plan;
use ordain_engine::prepare::{Options, Prepared};
use ordain_engine::reconcile::{Reconciler, SchedulerOptions};
use ordain_engine::report::Status;
use ordain_engine::runner::HostRunner;
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, Resource, ResourceRef, Step,
};

/// Lets one test after the other run.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A provider with a machine in memory.
#[derive(Default)]
struct Provider {
    state: Mutex<ProviderState>,
}

#[derive(Default)]
struct ProviderState {
    names: BTreeMap<ResourceNumber, String>,
    /// Names with another state than the desired one.
    wrong: BTreeSet<String>,
    /// Names that cannot be observed.
    hidden: BTreeSet<String>,
    /// The names of each request: `prepare`, `observe`, `apply`, `refresh`.
    requests: Vec<(&'static str, Vec<String>)>,
    forgotten: Vec<ResourceNumber>,
}

impl Provider {
    fn lock(&self) -> MutexGuard<'_, ProviderState> {
        self.state.lock().unwrap()
    }

    /// The numbers of resources in the requests of a verb, which are then forgotten.
    fn sizes(&self, verb: &str) -> Vec<usize> {
        let requests = &mut self.lock().requests;
        let found = requests.iter().filter(|(v, _)| *v == verb).map(|(_, names)| names.len());
        let found = found.collect();
        requests.retain(|(v, _)| *v != verb);
        found
    }
}

impl ExternalProvider for Provider {
    fn prepares_graphs(&self) -> bool {
        true
    }

    fn observes_together(&self) -> bool {
        true
    }

    fn verifies(&self) -> bool {
        false
    }

    fn prepare(&self, request: &PrepareRequest<'_>) -> Vec<PreparedResource> {
        let mut state = self.lock();
        let titles = request.resources.iter().map(|(_, r)| r.id.title.to_string());
        let titles: Vec<String> = titles.collect();
        state.requests.push(("prepare", titles));
        let mut prepared = Vec::new();
        for (number, resource) in &request.resources {
            let title = resource.id.title.to_string();
            let mut errors = Vec::new();
            if title == "refused" {
                let help = Some("another word helps".to_string());
                errors.push(AttributeError { help, ..AttributeError::new("state", "refused") });
            }
            let other = |(_, r): &&(ResourceNumber, &Resource)| r.id.kind == "Notify";
            let file = request.others.iter().find(other);
            state.names.insert(*number, title);
            prepared.push(PreparedResource {
                errors,
                relationships: file.iter().map(|(n, _)| (Relationship::Require, *n)).collect(),
                is_refreshable: true,
                poll_interval: Some(Duration::from_millis(500)),
                ..PreparedResource::default()
            });
        }
        prepared
    }

    fn forget(&self, resources: &[ResourceNumber], _graphs: &[u64]) {
        self.lock().forgotten.extend(resources);
    }

    fn observe(&self, of: &[ResourceNumber], _call: &Call<'_>) -> Vec<Observation> {
        let mut state = self.lock();
        let names: Vec<String> = of.iter().map(|number| state.names[number].clone()).collect();
        let observe = |name: &String| {
            let change = Change {
                action: Action::Modify,
                property: "state".into(),
                before: Value::str("wrong"),
                after: Value::str("right"),
                text: None,
                message: "state changed".into(),
            };
            let changes = match (state.hidden.contains(name), state.wrong.contains(name)) {
                (true, _) => Err(KindError::new("it is hidden")),
                (_, true) => Ok(vec![change]),
                _ => Ok(Vec::new()),
            };
            Observation { changes, log: Vec::new() }
        };
        let seen = names.iter().map(observe).collect();
        state.requests.push(("observe", names));
        seen
    }

    fn apply(&self, of: ResourceNumber, changes: &[Change], _call: &Call<'_>) -> Applied {
        let mut state = self.lock();
        let name = state.names[&of].clone();
        state.requests.push(("apply", vec![name.clone()]));
        let outcome = |change: &Change| ChangeOutcome {
            property: change.property.clone(),
            result: match name.starts_with("stuck") {
                true => Err(KindError::new("it is stuck")),
                false => Ok("state set right".to_string()),
            },
        };
        let outcomes = changes.iter().map(outcome).collect();
        state.wrong.remove(&name);
        Applied { outcomes, log: Vec::new(), result: Ok(()) }
    }
}

/// A graph of things with these titles, after a resource of the engine.
fn graph(titles: &[String]) -> Graph {
    let mut graph = Graph::default();
    let step = Step::External("test".into());
    let origin = graph.origins.intern(Origin { step, span: None, parent: None });
    let state =
        Attribute { name: "state".into(), value: Value::str("right"), origin, losers: Vec::new() };
    let mut add = |kind: &str, title: &str, attributes: Vec<Attribute>| {
        graph.add(Resource {
            id: ResourceRef { kind: kind.into(), title: title.into() },
            containment: Containment::Leaf,
            attributes,
            tags: Vec::new(),
            exported: false,
            is_virtual: false,
            origin,
        })
    };
    for title in titles {
        add("Thing", title, vec![state.clone()]);
    }
    add("Notify", "last", Vec::new());
    graph
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("thing {i:03}")).collect()
}

struct Setup {
    provider: Arc<Provider>,
    registry: Arc<Registry>,
    host: Host,
}

impl Setup {
    fn new() -> Self {
        let provider = Arc::new(Provider::default());
        let shared: SharedProvider = Arc::clone(&provider) as SharedProvider;
        let thing = KindDescription {
            name: "thing".into(),
            name_attribute: "name".into(),
            is_open: true,
            ..KindDescription::default()
        };
        let mut registry = Registry::default();
        for kind in ExternalKind::all(&shared, [thing]) {
            registry.add(Box::new(kind));
        }
        let host = Host::new(PathBuf::from("/"), Box::new(HostRunner));
        Self { provider, registry: Arc::new(registry), host }
    }

    fn prepared(&self, graph: &Graph) -> Prepared {
        let (graph, registry) = (Arc::new(graph.clone()), Arc::clone(&self.registry));
        Prepared::new(graph, registry, Arc::new(|_| None), Options::default()).unwrap()
    }

    fn wrong(&self, titles: &[String]) {
        self.provider.lock().wrong.extend(titles.iter().cloned());
    }
}

#[test]
fn a_plan_asks_once_for_a_kind() {
    let _alone = alone();
    let setup = Setup::new();
    let titles = names(300);
    setup.wrong(&titles[..10]);
    let prepared = setup.prepared(&graph(&titles));
    assert_eq!(setup.provider.sizes("prepare"), [300]);
    let plan = plan(&prepared, &setup.host, &NoObserver, 1);
    assert_eq!(setup.provider.sizes("observe"), [300]);
    assert_eq!(plan.counts().modified, 10);
    // The order of the types holds: the resource of the engine is first.
    assert_eq!(plan.entries[0].report.resource.kind, "Notify");
    // A second plan asks anew.
    let again = ordain_engine::plan::plan(&prepared, &setup.host, &NoObserver, 4);
    assert_eq!(again.counts().modified, 10);
    assert!(!setup.provider.sizes("observe").is_empty());
}

#[test]
fn changes_invalidate_observations_and_batches_grow_again() {
    let _alone = alone();
    let setup = Setup::new();
    let titles = names(256);
    setup.wrong(&titles[100..101]);
    let report = apply(&setup.prepared(&graph(&titles)), &setup.host, &NoObserver, 1);
    assert_eq!(report.counts().modified, 1);
    let sizes = setup.provider.sizes("observe");
    assert_eq!(&sizes[..4], [256, 1, 2, 4]);
    assert!(sizes.len() < 12, "{sizes:?}");
    // If all change, each is observed about twice.
    setup.wrong(&titles);
    let report = apply(&setup.prepared(&graph(&titles)), &setup.host, &NoObserver, 1);
    assert_eq!((report.counts().modified, report.counts().failed), (256, 0));
    let observed: usize = setup.provider.sizes("observe").iter().sum();
    assert!(observed < 3 * 256, "{observed}");
    let line = &report.resources.last().unwrap().lines[0];
    assert_eq!(line.message, "state set right");
}

#[test]
fn failures_belong_to_their_resources() {
    let _alone = alone();
    let setup = Setup::new();
    let titles = ["a", "hidden", "stuck", "b"].map(str::to_string);
    setup.provider.lock().hidden.insert("hidden".into());
    setup.wrong(&["stuck".to_string(), "b".to_string()]);
    let report = apply(&setup.prepared(&graph(&titles)), &setup.host, &NoObserver, 1);
    let status: Vec<Status> = report.resources.iter().map(|r| r.status).collect();
    let wanted =
        [Status::Changed, Status::InPlace, Status::Failed, Status::Failed, Status::Changed];
    assert_eq!(status, wanted);
    let lines = report.resources.iter().flat_map(|r| &r.lines);
    let errors: Vec<&str> = lines
        .filter(|line| line.level == ordain_engine::kind::Level::Error)
        .map(|line| line.message.as_str())
        .collect();
    let stuck = "change from 'wrong' to 'right' failed: it is stuck";
    assert_eq!(errors, ["Could not evaluate: it is hidden", stuck]);
}

#[test]
fn a_refused_resource_has_its_error_before_the_run() {
    let _alone = alone();
    let setup = Setup::new();
    let prepared = setup.prepared(&graph(&["fine".into(), "refused".into()]));
    let faults: Vec<_> = prepared.faults().flat_map(|(_, errors)| errors.to_vec()).collect();
    assert_eq!((faults.len(), faults[0].message.as_str()), (1, "refused"));
    assert_eq!(faults[0].help.as_deref(), Some("another word helps"));
}

#[test]
fn a_process_that_stays_asks_together_for_those_that_are_due() {
    let _alone = alone();
    let setup = Setup::new();
    let titles = names(40);
    let mut host = Host::new(PathBuf::from("/"), Box::new(HostRunner));
    host.stays = true;
    let tuning = SchedulerOptions { jobs: 1, ..SchedulerOptions::default() };
    let mut reconciler = Reconciler::new(Arc::new(host), Arc::new(NoObserver), tuning).unwrap();
    reconciler.swap(setup.prepared(&graph(&titles))).unwrap();
    let settle = |reconciler: &mut Reconciler, wanted: usize| {
        let start = Instant::now();
        let mut changed = 0;
        while changed < wanted || reconciler.quiet_for().is_none() {
            let turn = reconciler.turn(Some(Duration::from_millis(5))).unwrap();
            changed += turn.reports.iter().filter(|r| r.status == Status::Changed).count();
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        changed
    };
    // The notification of the engine's own resource is a change, too.
    settle(&mut reconciler, 1);
    let sizes = setup.provider.sizes("observe");
    assert!(sizes.iter().sum::<usize>() >= 40 && sizes.len() <= 10, "{sizes:?}");
    // Polling finds the difference, though nothing tells of it.
    setup.wrong(&titles[7..9]);
    settle(&mut reconciler, 2);
    assert!(setup.provider.lock().wrong.is_empty());
}

#[test]
fn what_nobody_needs_is_forgotten() {
    let _alone = alone();
    let setup = Setup::new();
    let first = setup.prepared(&graph(&names(3)));
    let second = setup.prepared(&graph(&names(4)));
    assert!(setup.provider.lock().forgotten.is_empty());
    drop(first);
    let third = setup.prepared(&graph(&names(5)));
    assert_eq!(setup.provider.lock().forgotten.len(), 3);
    drop((second, third));
}

#[test]
fn edges_that_are_written_win() {
    let _alone = alone();
    let setup = Setup::new();
    let mut graph = graph(&["first".into()]);
    let find = |kind: &str, title: &str| {
        graph.find(&ResourceRef { kind: kind.into(), title: title.into() }).unwrap()
    };
    let (from, to) = (find("Thing", "first"), find("Notify", "last"));
    let origin = graph.resource(from).origin;
    graph.edges.push(Edge { from, to, kind: EdgeKind::Before, origin });
    let plan = plan(&setup.prepared(&graph), &setup.host, &NoObserver, 1);
    assert_eq!(plan.entries[0].report.resource.kind, "Thing");
}
