use std::os::unix::fs::PermissionsExt;
use std::sync::Mutex;

use ordain_data::Value;
use ordain_engine::kind::Level;
use ordain_engine::observer::Observer;
use ordain_engine::report::{ResourceReport, Status};
use ordain_graph::{EdgeKind, ResourceRef};

use crate::support::{Builder, Machine, lines, text};

fn failing(builder: &mut Builder, title: &str) -> ordain_graph::ResourceId {
    builder.add("Exec", title, &[("command", text("/nope/x"))])
}

#[test]
fn a_failure_skips_what_depends_on_it_and_nothing_else() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    let bad = failing(&mut builder, "bad");
    let inside = builder.add("Notify", "inside", &[]);
    let class = builder.class("A", &[inside]);
    let after = builder.add("Notify", "after", &[]);
    builder.add("Notify", "free", &[]);
    builder.edge(bad, class, EdgeKind::Before);
    builder.edge(class, after, EdgeKind::Before);
    let report = machine.apply(&builder.graph);
    let status: Vec<_> =
        report.resources.iter().map(|r| (r.resource.title.as_str(), r.status)).collect();
    assert_eq!(
        status,
        [
            ("bad", Status::Failed),
            ("inside", Status::SkippedForFailure),
            ("after", Status::SkippedForFailure),
            ("free", Status::Changed),
        ]
    );
    let lines = lines(&report);
    assert!(lines.contains(&"/A/Notify[inside]: Dependency Exec[bad] has failures: true".into()));
    assert!(!lines.iter().any(|l| l.starts_with("/Notify[after]: Dependency")));
    assert!(lines.contains(&"/A/Notify[inside]: Skipping because of failed dependencies".into()));
    assert_eq!((report.counts().failed, report.counts().skipped, report.counts().run), (1, 2, 1));
}

#[test]
fn a_container_passes_changes_on_as_one_event() {
    let machine = Machine::with_programs();
    let mut builder = Builder::default();
    let notes: Vec<_> = ["1", "2", "3"].iter().map(|t| builder.add("Notify", t, &[])).collect();
    let class = builder.class("a", &notes);
    let with = [
        ("command", text("/bin/true")),
        ("refreshonly", Value::Bool(true)),
        ("provider", text("shell")),
    ];
    let first = builder.add("Exec", "first", &with);
    let second = builder.add("Exec", "second", &with);
    let other = builder.class("b", &[first]);
    builder.edge(class, other, EdgeKind::Notify);
    builder.edge(other, second, EdgeKind::Notify);
    builder.edge(notes[0], second, EdgeKind::Notify);
    let lines = machine.lines(&builder.graph);
    assert!(
        lines.contains(&"/B/Exec[first]: Triggered 'refresh' from 1 event".into()),
        "{lines:?}"
    );
    assert!(
        lines.contains(&"/Exec[second]: Triggered 'refresh' from 2 events".into()),
        "{lines:?}"
    );
}

#[test]
fn an_empty_container_passes_nothing_on() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    let first = builder.add("Notify", "first", &[]);
    let empty = builder.class("empty", &[]);
    let last = builder.add("Anchor", "last", &[]);
    builder.edge(first, empty, EdgeKind::Notify);
    builder.edge(empty, last, EdgeKind::Notify);
    let lines = machine.lines(&builder.graph);
    assert!(!lines.iter().any(|line| line.contains("Triggered")), "{lines:?}");
}

#[test]
fn a_resource_that_stands_for_others_passes_on_one_event() {
    let machine = Machine::new();
    for path in ["/tree/a", "/tree/b", "/tree/c"] {
        machine.write(path, "x");
        std::fs::set_permissions(machine.path(path), PermissionsExt::from_mode(0o600)).unwrap();
    }
    let mut builder = Builder::default();
    let with = [("recurse", Value::Bool(true)), ("mode", text("0644"))];
    let tree = builder.add("File", "/tree", &with);
    let told = builder.add("Anchor", "told", &[]);
    let after = builder.add("Whit", "after", &[]);
    builder.edge(tree, told, EdgeKind::Notify);
    builder.edge(told, after, EdgeKind::Notify);
    let lines = machine.lines(&builder.graph);
    assert_eq!(lines.iter().filter(|line| line.contains("/mode: ")).count(), 3, "{lines:?}");
    for line in ["/Anchor[told]", "/Whit[after]"] {
        let line = format!("{line}: Triggered 'refresh' from 1 event");
        assert!(lines.contains(&line), "{lines:?}");
    }
}

#[test]
fn changes_are_told_at_the_level_that_a_resource_asks_for() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    let levels = [
        ("debug", Level::Debug),
        ("info", Level::Info),
        ("notice", Level::Notice),
        ("warning", Level::Warning),
        ("err", Level::Error),
        ("alert", Level::Alert),
        ("emerg", Level::Emergency),
        ("crit", Level::Critical),
        ("verbose", Level::Debug),
    ];
    for (word, _) in levels {
        let with = [("content", text("x")), ("loglevel", text(word))];
        builder.add("File", &format!("/{word}"), &with);
    }
    let report = machine.apply(&builder.graph);
    let told: Vec<_> = report.resources.iter().map(|r| r.lines[0].level).collect();
    assert_eq!(told, levels.map(|(_, level)| level));
}

#[test]
fn faults_are_known_before_anything_is_done() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    builder.add("File", "/a", &[("content", text("x"))]);
    builder.add("File", "/b", &[("mode", text("0999"))]);
    builder.add("Nosuch", "c", &[]);
    let prepared = machine.prepared(&builder.graph);
    let faults: Vec<_> = prepared.faults().map(|(id, errors)| (id.0, errors.len())).collect();
    assert_eq!(faults, [(1, 1), (2, 1)]);
    assert!(!machine.exists("/a"));
}

#[test]
fn noop_changes_nothing_and_says_what_it_would() {
    let mut machine = Machine::new();
    let mut builder = Builder::default();
    let a = builder.add("File", "/a", &[("ensure", text("file"))]);
    let b = builder.add("File", "/b", &[("ensure", text("file")), ("noop", Value::Bool(false))]);
    let with = [
        ("command", text("/bin/true")),
        ("refreshonly", Value::Bool(true)),
        ("provider", text("shell")),
    ];
    let r = builder.add("Exec", "r", &with);
    builder.edge(a, r, EdgeKind::Notify);
    builder.edge(b, r, EdgeKind::Before);
    machine.options.noop = true;
    assert_eq!(
        machine.lines(&builder.graph),
        [
            "/File[/a]/ensure: current_value 'absent', should be 'file' (noop)",
            "/File[/b]/ensure: created",
            "/Exec[r]: Would have triggered 'refresh' from 1 event",
        ]
    );
    assert!(!machine.exists("/a") && machine.exists("/b"));
}

#[test]
fn a_plan_changes_nothing_whatever_resources_say() {
    let machine = Machine::with_programs();
    let mut builder = Builder::default();
    let a = builder.add("File", "/a", &[("content", text("x\n")), ("noop", Value::Bool(false))]);
    let class = builder.class("A", &[a]);
    let with = [
        ("command", text("/bin/true")),
        ("refreshonly", Value::Bool(true)),
        ("provider", text("shell")),
    ];
    let r = builder.add("Exec", "r", &with);
    builder.edge(class, r, EdgeKind::Notify);
    let plan = machine.plan(&builder.graph);
    assert!(plan.has_changes() && !plan.has_failures() && !machine.exists("/a"));
    assert_eq!(
        plan.entries[0].triggers.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["Exec[r]"]
    );
    assert_eq!(plan.entries[0].report.changes[0].text.as_ref().unwrap().after, "x\n");
    assert_eq!((plan.counts().created, plan.counts().refreshed), (1, 1));
    // The apply makes the changes of the plan.
    let report = machine.apply(&builder.graph);
    assert_eq!(report.counts(), plan.counts());
    assert!(!machine.plan(&builder.graph).has_changes());
}

#[test]
fn tags_choose() {
    let mut machine = Machine::new();
    let mut builder = Builder::default();
    builder.add("Notify", "n", &[]);
    builder.add("File", "/a", &[("ensure", text("file"))]);
    machine.options.tags = vec!["file".into()];
    assert_eq!(machine.lines(&builder.graph), ["/File[/a]/ensure: created"]);
    machine.options.tags.clear();
    machine.options.skip_tags = vec!["notify".into()];
    machine.assert_settled(&builder.graph, 0);
}

#[test]
fn targets_bring_what_they_need() {
    let mut machine = Machine::new();
    let mut builder = Builder::default();
    let file = [("ensure", text("file"))];
    let directory = [("ensure", text("directory"))];
    // Asked for by the kind of `/d/target`.
    builder.add("File", "/d", &directory);
    let (before, other) = (builder.add("File", "/before", &file), builder.add("File", "/x", &file));
    let target = builder.add("File", "/d/target", &file);
    let class = builder.class("A", &[target, other]);
    let far = builder.add("File", "/far", &file);
    builder.edge(far, before, EdgeKind::Before);
    // All members of a container have its dependencies.
    builder.edge(before, class, EdgeKind::Before);
    let after = builder.add("File", "/after", &file);
    builder.edge(target, after, EdgeKind::Notify);
    // It is wrong, and nobody asked for it.
    builder.add("File", "/bad", &[("mode", text("rwx!"))]);
    let name = |kind: &str, title: &str| ResourceRef { kind: kind.into(), title: title.into() };
    machine.options.targets = vec![name("File", "/d/target")];
    let mut lines = machine.lines(&builder.graph);
    lines.sort();
    let made = ["/A/File[/d/target]", "/File[/before]", "/File[/d]", "/File[/far]"];
    assert_eq!(lines, made.map(|name| format!("{name}/ensure: created")));
    assert!(!machine.exists("/x") && !machine.exists("/after"));
    // Of a container, all that it holds.
    machine.options.targets = vec![name("Class", "A")];
    machine.apply(&builder.graph);
    assert!(machine.exists("/x") && !machine.exists("/after"));
}

#[test]
fn an_unknown_kind_fails_alone_and_virtual_resources_are_left() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    builder.add("Zone", "z", &[]);
    let ghost = builder.add("File", "/ghost", &[("ensure", text("file"))]);
    builder.graph.resource_mut(ghost).is_virtual = true;
    builder.add("File", "/a", &[("ensure", text("file"))]);
    let want = [
        "/Zone[z]: this machine's engine does not know kind zone yet",
        "/File[/a]/ensure: created",
    ];
    assert_eq!(machine.lines(&builder.graph), want);
    assert!(!machine.exists("/ghost"));
}

#[derive(Default)]
struct Watcher {
    finished: Mutex<Vec<String>>,
    acted: Mutex<Vec<String>>,
    refuse: bool,
}

impl Observer for Watcher {
    fn acting(
        &self,
        resource: &ResourceRef,
        _: &[ordain_engine::kind::Change],
    ) -> Result<(), String> {
        self.acted.lock().unwrap().push(resource.title.to_string());
        if self.refuse { Err("the journal is full".into()) } else { Ok(()) }
    }

    fn finished(&self, report: &ResourceReport) {
        self.finished.lock().unwrap().push(report.resource.title.to_string());
    }
}

#[test]
fn many_threads_report_in_the_order_of_one() {
    let mut machine = Machine::new();
    let mut builder = Builder::default();
    let mut last = None;
    for i in 0..200 {
        let pause = if i % 7 == 0 { "sleep 0.01" } else { "true" };
        let with = [("command", text(pause)), ("provider", text("shell"))];
        let id = if i % 10 == 0 {
            builder.add("Exec", &i.to_string(), &with)
        } else {
            builder.add("File", &format!("/{i}"), &[("ensure", text("file"))])
        };
        if let Some(last) = last.filter(|_| i % 3 == 0) {
            builder.edge(id, last, EdgeKind::Before);
        }
        last = Some(id);
    }
    let order = |machine: &Machine| {
        let watcher = Watcher::default();
        machine.observed(&builder.graph, &watcher);
        watcher.finished.into_inner().unwrap()
    };
    let one = order(&machine);
    machine.options.jobs = 8;
    assert_eq!(order(&Machine { options: machine.options.clone(), ..Machine::new() }), one);
    assert_eq!(one.len(), 200);
}

#[test]
fn a_change_that_cannot_be_noted_is_not_made() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    builder.add("File", "/a", &[("ensure", text("file"))]);
    let watcher = Watcher { refuse: true, ..Watcher::default() };
    let report = machine.observed(&builder.graph, &watcher);
    assert_eq!(report.resources[0].status, Status::Failed);
    assert!(!machine.exists("/a"));
}

#[test]
fn autorequires_come_first_and_yield_to_what_is_written() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    let inner = builder.add("File", "/d/a", &[("ensure", text("file"))]);
    let outer = builder.add("File", "/d", &[("ensure", text("directory"))]);
    assert_eq!(machine.lines(&builder.graph)[0], "/File[/d]/ensure: created");
    builder.edge(inner, outer, EdgeKind::Before);
    let report = machine.apply(&builder.graph);
    assert_eq!(report.resources[0].resource.title, "/d/a");
}

#[test]
fn users_come_after_groups_that_they_name_by_number() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    let user = builder.add("User", "ada", &[("gid", text("4001"))]);
    let group = builder.add("Group", "team", &[("gid", text("4001"))]);
    let prepared = machine.prepared(&builder.graph);
    let place = |id| {
        let node = prepared.relations.enter(id);
        prepared.order.iter().position(|n| *n == node).unwrap()
    };
    assert!(place(group) < place(user));
}
