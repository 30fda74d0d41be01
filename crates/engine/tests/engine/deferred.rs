//! Values that are computed just before their resource is looked at.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ordain_data::Value;
use ordain_engine::apply::apply;
use ordain_engine::deferred::{Deferred, DeferredValues};
use ordain_engine::kind::Level;
use ordain_engine::kind::Registry;
use ordain_engine::observer::NoObserver;
use ordain_engine::plan::plan;
use ordain_engine::prepare::Prepared;
use ordain_engine::report::Status;
use ordain_graph::{EdgeKind, Graph, ResourceRef};

use crate::support::{Builder, Machine, lines, text};

/// Returns the content of a file, and records the resource that asked.
struct Reader {
    path: PathBuf,
    asked: Mutex<Vec<String>>,
}

impl Deferred for Reader {
    fn evaluate(&self, resource: &ResourceRef) -> DeferredValues {
        self.asked.lock().unwrap().push(resource.to_string());
        let read = std::fs::read_to_string(&self.path).map_err(|e| e.kind().to_string());
        let secret = |read: String| Value::Secret(Arc::new(text(&read)));
        let log = vec![(Level::Notice, "reading".to_owned())];
        DeferredValues { values: vec![("content".into(), read.map(secret))], log }
    }
}

fn deferred() -> Value {
    Value::map([("__ptype", text("Deferred")), ("name", text("f"))])
}

/// A file, one with its content, and one after it.
fn graph() -> Graph {
    let mut builder = Builder::default();
    let first = builder.add("File", "/first", &[("content", text("top secret"))]);
    let second = builder.add("File", "/etc/second", &[("content", deferred())]);
    let third = builder.add("File", "/third", &[("content", text("x"))]);
    builder.edge(first, second, EdgeKind::Before);
    builder.edge(second, third, EdgeKind::Before);
    builder.graph
}

fn prepared(machine: &Machine, graph: &Graph) -> (Prepared, Arc<Reader>) {
    let reader = Arc::new(Reader { path: machine.path("/first"), asked: Mutex::default() });
    let deferred: Option<Arc<dyn Deferred>> = Some(Arc::clone(&reader) as Arc<dyn Deferred>);
    let outside = (Arc::new(|_: &str| None) as _, deferred);
    let (graph, registry) = (Arc::new(graph.clone()), Arc::new(Registry::default()));
    let prepared =
        Prepared::deferring(None, graph, registry, outside, machine.options.clone()).unwrap();
    (prepared, reader)
}

#[test]
fn values_are_computed_after_what_comes_before() {
    let machine = Machine::new();
    let (prepared, reader) = prepared(&machine, &graph());
    assert!(reader.asked.lock().unwrap().is_empty());
    let report = apply(&prepared, &machine.host, &NoObserver, 1);
    assert_eq!(machine.read("/etc/second"), "top secret");
    let output = lines(&report);
    assert!(output.contains(&"/File[/etc/second]: reading".to_owned()), "{output:?}");
    assert!(!output.iter().any(|line| line.contains("top")), "{output:?}");
    let again = apply(&prepared, &machine.host, &NoObserver, 1);
    assert!(again.resources.iter().all(|r| r.status == Status::InPlace));
    assert_eq!(*reader.asked.lock().unwrap(), ["File[/etc/second]", "File[/etc/second]"]);
}

#[test]
fn a_failed_deferred_value_fails_its_resource() {
    let machine = Machine::new();
    let (prepared, _) = prepared(&machine, &graph());
    let plan = plan(&prepared, &machine.host, &NoObserver, 1);
    let statuses: Vec<_> = plan.entries.iter().map(|e| e.report.status).collect();
    assert_eq!(statuses, [Status::WouldChange; 3]);
    // An apply may find the value that a plan cannot compute.
    let open = plan.entries[1].report.changes.last().unwrap();
    assert_eq!(open.after, text("(resolved at apply)"));
    machine.write("/first/x", "");
    let report = apply(&prepared, &machine.host, &NoObserver, 1);
    let statuses: Vec<_> = report.resources.iter().map(|r| r.status).collect();
    assert_eq!(statuses[1..], [Status::SkippedForFailure, Status::SkippedForFailure]);
}

#[test]
fn dependencies_are_known_without_deferred_values() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    builder.add("File", "/d/f", &[("content", deferred())]);
    builder.add("File", "/d", &[("ensure", text("directory"))]);
    builder.add("Exec", "run", &[("command", deferred())]);
    machine.write("/first", "x");
    let (prepared, _) = prepared(&machine, &builder.graph);
    let report = apply(&prepared, &machine.host, &NoObserver, 1);
    assert_eq!(report.resources[0].resource.to_string(), "File[/d]");
    assert_eq!(machine.read("/d/f"), "x");
    // A value that is not computed is an error of its attribute.
    assert_eq!(report.resources[2].status, Status::Failed);
}
