//! Packages that are due at the same time are changed in one call of their manager.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::observer::NoObserver;
use ordain_engine::reconcile::{Reconciler, SchedulerOptions};
use ordain_engine::report::Status;
use ordain_engine::runner::{Invocation, Outcome, Runner};
use ordain_graph::{EdgeKind, Graph};

use crate::support::{Builder, Machine, text};

/// An apt that does all or nothing, without packages whose name begins with `no`.
#[derive(Clone)]
struct Apt {
    root: PathBuf,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Runner for Apt {
    fn run(&self, invocation: &Invocation) -> std::io::Result<Outcome> {
        let words: Vec<String> = invocation
            .launch
            .argv
            .iter()
            .skip(2)
            .map(|w| w.to_string_lossy().into_owned())
            .collect();
        let verb = words.iter().position(|w| w == "install" || w == "remove").unwrap();
        self.calls.lock().unwrap().push(words[verb..].join(" "));
        let names = &words[verb + 1..];
        if let Some(missing) = names.iter().find(|name| name.starts_with("no")) {
            let stderr = format!("E: Unable to locate package {missing}\n").into_bytes();
            return Ok(Outcome { status: 100, stderr, ..Outcome::default() });
        }
        let status = if words[verb] == "install" {
            "install ok installed"
        } else {
            "deinstall ok config-files"
        };
        let mut file =
            std::fs::OpenOptions::new().append(true).open(self.root.join("var/lib/dpkg/status"))?;
        for name in names {
            write!(file, "Package: {name}\nStatus: {status}\nArchitecture: all\nVersion: 1\n\n")?;
        }
        Ok(Outcome::default())
    }
}

fn machine() -> (Machine, Arc<Mutex<Vec<String>>>) {
    let mut machine = Machine::new();
    machine.write("/var/lib/dpkg/status", "");
    let calls = Arc::new(Mutex::new(Vec::new()));
    let root = machine.host.root.clone();
    let apt = Apt { root: root.clone(), calls: Arc::clone(&calls) };
    machine.host = Host::new(root, Box::new(apt));
    (machine, calls)
}

fn taken(calls: &Mutex<Vec<String>>) -> Vec<String> {
    std::mem::take(&mut *calls.lock().unwrap())
}

fn packages(builder: &mut Builder, names: &[&str]) -> Vec<ordain_graph::ResourceId> {
    names.iter().map(|name| builder.add("Package", name, &[("provider", text("apt"))])).collect()
}

#[test]
fn due_packages_are_installed_together_and_reported_singly() {
    let (machine, calls) = machine();
    let mut builder = Builder::default();
    packages(&mut builder, &["a", "b"]);
    builder.add("File", "/f", &[("content", text("x"))]);
    packages(&mut builder, &["c"]);
    let lines = machine.lines(&builder.graph);
    assert_eq!(taken(&calls), ["install a b c"]);
    assert_eq!(
        lines.iter().filter(|line| line.ends_with("/ensure: created")).count(),
        3,
        "{lines:?}"
    );
    assert!(machine.lines(&builder.graph).is_empty());
    assert!(taken(&calls).is_empty());
}

#[test]
fn manifests_go_in_their_order() {
    let (mut machine, calls) = machine();
    let mut builder = Builder::default();
    let mut first = packages(&mut builder, &["a", "b"]);
    first.push(builder.add("File", "/f", &[("content", text("x"))]));
    first.extend(packages(&mut builder, &["c"]));
    let second = packages(&mut builder, &["d"]);
    builder.class("one", &first);
    builder.class("two", &second);
    machine.lines(&builder.graph);
    // The end of a class and the beginning of the next cause no action.
    assert_eq!(taken(&calls), ["install a b", "install c d"]);
    machine.options.autogroup = false;
    machine.write("/var/lib/dpkg/status", "");
    machine.lines(&builder.graph);
    assert_eq!(taken(&calls), ["install a", "install b", "install c", "install d"]);
}

#[test]
fn none_is_lost_where_one_call_ends() {
    let (machine, calls) = machine();
    let names: Vec<String> = (0..1_500).map(|n| format!("p{n:04}")).collect();
    let mut builder = Builder::default();
    let all = packages(&mut builder, &names.iter().map(String::as_str).collect::<Vec<_>>());
    builder.class("one", &all);
    assert_eq!(machine.apply(&builder.graph).counts().created, 1_500);
    let sizes: Vec<usize> = taken(&calls).iter().map(|c| c.split(' ').count() - 1).collect();
    assert_eq!(sizes, [1_000, 500]);
}

#[test]
fn dependents_and_other_groups_run_later() {
    let (machine, calls) = machine();
    let mut builder = Builder::default();
    let p = packages(&mut builder, &["a", "b", "c"]);
    builder.edge(p[0], p[2], EdgeKind::Before);
    builder.add("Package", "old", &[("provider", text("apt")), ("ensure", text("absent"))]);
    builder.add("Package", "v", &[("provider", text("apt")), ("ensure", text("1"))]);
    let alone = [("provider", text("apt")), ("meta:autogroup", Value::Bool(false))];
    builder.add("Package", "z", &alone);
    machine.lines(&builder.graph);
    let calls = taken(&calls);
    assert!(
        calls.contains(&"install a b".into()) && calls.contains(&"install c".into()),
        "{calls:?}"
    );
    assert!(
        calls.contains(&"install v=1".into()) && calls.contains(&"install z".into()),
        "{calls:?}"
    );
}

#[test]
fn of_several_only_the_bad_one_fails() {
    let (machine, calls) = machine();
    let mut builder = Builder::default();
    let p = packages(&mut builder, &["a", "nope", "b"]);
    let after: Vec<_> = ["x", "y"].iter().map(|t| builder.add("Notify", t, &[])).collect();
    builder.edge(p[0], after[0], EdgeKind::Before);
    builder.edge(p[1], after[1], EdgeKind::Before);
    let report = machine.apply(&builder.graph);
    let of = |title: &str| report.resources.iter().find(|r| r.resource.title == title).unwrap();
    let status: Vec<_> = ["a", "nope", "b", "x", "y"].map(|t| of(t).status).into();
    use Status::{Changed, Failed, SkippedForFailure};
    assert_eq!(status, [Changed, Failed, Changed, Changed, SkippedForFailure]);
    let output = of("nope").lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(output.contains("Unable to locate package nope"), "{output}");
    assert_eq!(taken(&calls), ["install a nope b", "install a", "install nope", "install b"]);
}

#[test]
fn a_kept_machine_installs_at_once_too() {
    let (machine, calls) = machine();
    let apt = Apt { root: machine.host.root.clone(), calls: Arc::clone(&calls) };
    let host = Arc::new(Host::new(machine.host.root.clone(), Box::new(apt)));
    let tuning = SchedulerOptions { jobs: 2, ..SchedulerOptions::default() };
    let mut reconciler = Reconciler::new(host, Arc::new(NoObserver), tuning).unwrap();
    let names: Vec<String> = (0..50).map(|n| format!("p{n:02}")).collect();
    let mut builder = Builder::default();
    packages(&mut builder, &names.iter().map(String::as_str).collect::<Vec<_>>());
    settle(&mut reconciler, &machine, &builder.graph);
    assert_eq!(taken(&calls), [format!("install {}", names.join(" "))]);
    machine.write("/var/lib/dpkg/status", "");
    settle(&mut reconciler, &machine, &builder.graph);
    let installed: usize = taken(&calls).iter().map(|call| call.split(' ').count() - 1).sum();
    assert_eq!(installed, 50);
}

fn settle(reconciler: &mut Reconciler, machine: &Machine, graph: &Graph) {
    reconciler.swap(machine.prepared(graph)).unwrap();
    let start = Instant::now();
    let mut rest = 0;
    while rest < 3 {
        let turn = reconciler.turn(Some(Duration::from_millis(20))).unwrap();
        rest =
            if turn.reports.is_empty() && reconciler.quiet_for().is_some() { rest + 1 } else { 0 };
        assert!(start.elapsed() < Duration::from_secs(60), "no rest");
    }
}
