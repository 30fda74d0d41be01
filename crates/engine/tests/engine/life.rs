//! Meta parameters of mgmt that control how a resource is enforced.

use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::kind::KindError;
use ordain_engine::kind::Registry;
use ordain_engine::report::Status;
use ordain_engine::reversal::ReversalNotes;
use ordain_graph::Graph;

use crate::support::{Builder, Machine, lines, text};

#[test]
fn one_look_ends_in_time() {
    let machine = Machine::with_programs();
    let mut builder = Builder::default();
    let with = [
        ("command", text("sleep 20")),
        ("provider", text("shell")),
        ("meta:timeout", Value::Int(300)),
    ];
    builder.add("Exec", "slow", &with);
    let with = [
        ("command", text("true")),
        ("provider", text("shell")),
        ("meta:timeout", Value::Int(60_000)),
    ];
    builder.add("Exec", "quick", &with);
    let start = Instant::now();
    let report = machine.apply(&builder.graph);
    assert!(start.elapsed() < Duration::from_secs(10));
    let status: Vec<_> = report.resources.iter().map(|r| r.status).collect();
    assert_eq!(status, [Status::Failed, Status::Changed]);
    let output = lines(&report).join("\n");
    assert!(output.contains("timeout after 0.300 seconds"), "{output}");
}

/// A file that is to be undone.
fn reversed(path: &str, with: &[(&str, Value)]) -> Graph {
    let mut builder = Builder::default();
    let mark = [("meta:reverse", Value::Bool(true))];
    builder.add("File", path, &[with, &mark].concat());
    builder.graph
}

/// A graph with the undos that the machine has recorded.
fn with_undone(machine: &Machine, mut graph: Graph) -> Result<Graph, KindError> {
    let (noted, registry) = (ReversalNotes::read(&machine.host)?, Registry::default());
    let adds = noted.adds_to(&graph, &registry);
    let before = graph.len();
    noted.add_to(&mut graph, &registry);
    assert_eq!(adds, graph.len() > before);
    noted.forget_obsolete(&graph, &machine.host)?;
    Ok(graph)
}

fn notes(machine: &Machine) -> usize {
    let dir = std::fs::read_dir(machine.path("/var/lib/ordain/reversals"));
    dir.map(Iterator::count).unwrap_or_default()
}

#[test]
fn a_file_comes_back_as_it_was() {
    let machine = Machine::new();
    machine.write("/etc/motd", "before\u{0}\n");
    std::fs::write(machine.path("/etc/motd"), b"be\xfffore\n").unwrap();
    machine.lines(&reversed("/etc/motd", &[("content", text("now\n")), ("mode", text("0600"))]));
    assert_eq!((machine.read("/etc/motd"), machine.mode("/etc/motd")), ("now\n".into(), 0o600));
    // A second change of the same file is still undone to the first state.
    machine.lines(&reversed("/etc/motd", &[("content", text("later\n"))]));
    let empty = with_undone(&machine, Graph::default()).unwrap();
    assert_eq!(machine.plan(&empty).entries.len(), 1);
    assert_eq!(notes(&machine), 1);
    machine.lines(&empty);
    assert_eq!(std::fs::read(machine.path("/etc/motd")).unwrap(), b"be\xfffore\n");
    assert_eq!(machine.mode("/etc/motd"), 0o644);
    assert_eq!(notes(&machine), 0);
    assert_eq!(with_undone(&machine, Graph::default()).unwrap().len(), 0);
}

#[test]
fn a_file_that_was_not_there_goes_and_one_that_was_removed_comes() {
    let machine = Machine::new();
    machine.write("/etc/old", "old\n");
    machine.lines(&reversed("/etc/new", &[("content", text("x"))]));
    machine.lines(&reversed("/etc/old", &[("ensure", text("absent"))]));
    assert!(machine.exists("/etc/new") && !machine.exists("/etc/old"));
    let undone = with_undone(&machine, Graph::default()).unwrap();
    machine.lines(&undone);
    assert!(!machine.exists("/etc/new"));
    assert_eq!(machine.read("/etc/old"), "old\n");
}

#[test]
fn redeclared_resources_are_not_undone() {
    let mut machine = Machine::new();
    machine.lines(&reversed("/etc/f", &[("content", text("x"))]));
    // Under another title, it is the same file.
    let mut builder = Builder::default();
    builder.add("File", "f", &[("path", text("/etc/f")), ("content", text("x"))]);
    assert_eq!(with_undone(&machine, builder.graph).unwrap().len(), 1);
    assert_eq!(notes(&machine), 1);
    // Without `meta:reverse` it stays for good.
    let plain = crate::support::file("/etc/f", &[("content", text("x"))]);
    with_undone(&machine, plain).unwrap();
    assert_eq!(notes(&machine), 0);
    // A noop run records nothing.
    machine.options.noop = true;
    machine.lines(&reversed("/etc/g", &[("content", text("x"))]));
    assert_eq!(notes(&machine), 0);
}

#[test]
fn an_irreversible_resource_fails_unchanged() {
    let machine = Machine::new();
    let output = machine.lines(&reversed("/etc/d", &[("ensure", text("directory"))])).join("\n");
    assert!(output.contains("/etc/d cannot be undone: it is a directory"), "{output}");
    assert!(!machine.exists("/etc/d"));
    machine.write("/etc/e/f", "");
    let output = machine.lines(&reversed("/etc/e", &[("content", text("x"))])).join("\n");
    assert!(output.contains("cannot be undone: the path is not a file"), "{output}");
    // An invalid record is reported, not misread.
    machine.lines(&reversed("/etc/h", &[("content", text("x"))]));
    let note = std::fs::read_dir(machine.path("/var/lib/ordain/reversals")).unwrap().next();
    std::fs::write(note.unwrap().unwrap().path(), "{").unwrap();
    assert!(with_undone(&machine, Graph::default()).unwrap_err().to_string().contains("spoiled"));
}
