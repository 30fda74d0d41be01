//! Refused declarations: removing protected paths, and changing files that another user may have
//! linked. Also the output of plans for trees and directories.

use std::os::unix::fs::symlink;

use ordain_data::Value;
use ordain_engine::host::AllowedActions;
use ordain_engine::plan::Plan;
use ordain_engine::report::Status;

use crate::support::{Builder, Machine, file, lines, one, text, texts};

const YES: Value = Value::Bool(true);

/// A machine with something in directories that it runs on.
fn machine() -> Machine {
    let machine = Machine::new();
    for path in ["/etc/ssh/key", "/home/ann/letter", "/usr/bin/ls", "/srv/data/x", "/var/log/old"] {
        machine.write(path, "precious");
    }
    machine
}

fn is_whole(machine: &Machine) -> bool {
    ["/etc/ssh/key", "/home/ann/letter", "/usr/bin/ls", "/var/log/old"]
        .iter()
        .all(|path| machine.exists(path))
}

fn absent() -> [(&'static str, Value); 2] {
    [("ensure", text("absent")), ("force", YES)]
}

#[test]
fn protected_directories_are_not_removed() {
    let machine = machine();
    for (written, path) in [
        ("/", "/"),
        ("//", "/"),
        ("/.", "/"),
        ("/..", "/"),
        ("/srv/..", "/"),
        ("/srv/../", "/"),
        ("/srv/data/../../home/.", "/home"),
        ("/etc", "/etc"),
        ("/etc//", "/etc"),
        ("/usr/bin", "/usr/bin"),
        ("/var/log", "/var/log"),
        ("/boot", "/boot"),
    ] {
        let graph = file(written, &absent());
        let planned = machine.plan(&graph);
        assert!(planned.has_failures(), "{written}");
        let lines = machine.lines(&graph);
        let why = format!(
            "{path} is not removed or replaced: a machine runs on it; --allow-remove {path} permits it"
        );
        assert!(lines[0].ends_with(&why), "{written}: {lines:?}");
        assert!(is_whole(&machine), "{written}");
    }
}

#[test]
fn other_directories_are_removed() {
    let machine = machine();
    let lines = machine.lines(&file("/srv/data/", &absent()));
    assert_eq!(lines, ["/File[/srv/data/]/ensure: removed"]);
    let lines = machine.lines(&file("/home/ann", &absent()));
    assert_eq!(lines, ["/File[/home/ann]/ensure: removed"]);
}

#[test]
fn allowed_paths_are_removed() {
    let mut machine = machine();
    machine.host.allowed = AllowedActions::new(["/home/"], false);
    assert_eq!(machine.lines(&file("/home", &absent())), ["/File[/home]/ensure: removed"]);
    assert!(!machine.exists("/home"));
    assert!(machine.plan(&file("/etc", &absent())).has_failures());
}

#[test]
fn links_do_not_lead_around_the_list() {
    let machine = machine();
    symlink("/", machine.path("/srv/all")).unwrap();
    symlink("/etc", machine.path("/srv/settings")).unwrap();
    let follow = ("links", text("follow"));
    let [gone, force] = absent();
    for (path, with) in [
        ("/srv/all/etc", vec![gone.clone(), force.clone()]),
        ("/srv/settings", vec![gone, force.clone(), follow.clone()]),
        (
            "/srv/settings",
            vec![("ensure", text("directory")), ("recurse", YES), ("purge", YES), force, follow],
        ),
    ] {
        let lines = machine.lines(&file(path, &with));
        assert!(lines[0].contains("/etc is not "), "{lines:?}");
        assert!(is_whole(&machine), "{path}");
    }
}

#[test]
fn nothing_takes_the_place_of_what_a_machine_runs_on() {
    let machine = machine();
    symlink("usr/bin", machine.path("/bin")).unwrap();
    let link = |target: &str| [("ensure", text("link")), ("target", text(target)), ("force", YES)];
    for graph in [
        file("/home", &link("/srv/data")),
        file("/etc", &[("ensure", text("file")), ("force", YES)]),
        file("/bin", &link("/nowhere")),
        file("/bin", &[("ensure", text("directory"))]),
    ] {
        assert!(machine.plan(&graph).has_failures());
        let lines = machine.lines(&graph);
        assert!(lines[0].contains("a machine runs on it"), "{lines:?}");
        assert!(is_whole(&machine));
    }
    machine.assert_settled(&file("/bin", &link("usr/bin")), 0);
    assert_eq!(machine.lines(&file("/lib", &link("usr/lib"))), ["/File[/lib]/ensure: created"]);
    let replaced = "/File[/srv/data]/ensure: ensure changed 'directory' to 'link'";
    assert_eq!(machine.lines(&file("/srv/data", &link("/tmp"))), [replaced]);
}

#[test]
fn protected_directories_are_not_emptied() {
    let machine = machine();
    let purge = [("ensure", text("directory")), ("recurse", YES), ("purge", YES), ("force", YES)];
    for path in ["/", "/etc", "/home", "/usr/", "/srv/.."] {
        let lines = machine.lines(&file(path, &purge));
        assert!(lines[0].contains("is not emptied: a machine runs on it"), "{path}: {lines:?}");
        for with in [
            vec![("recurse", YES)],
            vec![("recurse", Value::Int(9)), ("age", text("0s"))],
            vec![("recurse", text("inf")), ("size", text("0"))],
            vec![("recurse", YES), ("matches", texts(&["x", "*"]))],
            vec![("recurse", YES), ("matches", text("?*"))],
            vec![("recurse", YES), ("matches", text("[!x]*"))],
            vec![("recurse", YES), ("rmdirs", YES)],
        ] {
            let lines = machine.lines(&one("Tidy", path, &with));
            assert!(lines[0].contains("is not emptied: a machine runs on it"), "{path}: {lines:?}");
        }
        assert!(is_whole(&machine), "{path}");
    }
    let purged = "/File[/srv/data/x]/ensure: removed";
    assert_eq!(machine.lines(&file("/srv/data", &purge)), [purged]);
    let log = one("Tidy", "/var/log", &[("recurse", YES), ("age", text("0s"))]);
    assert!(machine.lines(&log).contains(&"/File[/var/log/old]/ensure: removed".into()));
    let some = one("Tidy", "/", &[("recurse", YES), ("matches", text("lett*"))]);
    assert!(machine.lines(&some).contains(&"/File[/home/ann/letter]/ensure: removed".into()));
}

#[test]
fn a_backup_does_not_remove_what_a_machine_runs_on() {
    let machine = machine();
    machine.write("/usr.d/x", "x");
    let [gone, force] = absent();
    let with = [gone, force, ("backup", text(".d"))];
    assert!(machine.plan(&file("/usr", &with)).has_failures());
    let with = [("ensure", text("absent")), ("force", YES), ("backup", text("."))];
    assert!(machine.plan(&file("/", &with)).has_failures());
    assert!(is_whole(&machine) && machine.exists("/usr.d/x"));
}

#[test]
fn refused_resources_block_dependents() {
    let machine = machine();
    let mut builder = Builder::default();
    let bad = builder.add("File", "/etc", &absent());
    let after = builder.add("File", "/srv/after", &[("ensure", text("file"))]);
    builder.add("File", "/srv/beside", &[("ensure", text("file"))]);
    builder.edge(bad, after, ordain_graph::EdgeKind::Before);
    lines(&machine.apply(&builder.graph));
    assert!(!machine.exists("/srv/after") && machine.exists("/srv/beside"));
}

/// The errors of a plan by resource.
fn errors(plan: &Plan) -> Vec<String> {
    let failed = plan.entries.iter().filter(|entry| entry.report.status == Status::Failed);
    failed.map(|entry| entry.report.lines.last().unwrap().to_string()).collect()
}

#[test]
fn a_plan_fails_for_a_file_without_a_directory() {
    let machine = Machine::with_programs();
    machine.write("/srv/file", "");
    for path in ["/nope/x", "/srv/nope/x", "/srv/file/x", "/srv/nope/../nope/x"] {
        let graph = file(path, &[("content", text("x"))]);
        let planned = errors(&machine.plan(&graph));
        let applied = machine.lines(&graph);
        assert!(planned[0].contains("does not exist"), "{path}: {planned:?}");
        let why = |line: &str| line.split(" Could not write").nth(1).map(str::to_owned);
        assert!(applied[0].contains(&why(&planned[0]).unwrap()), "{planned:?} {applied:?}");
    }
}

#[test]
fn a_plan_knows_what_makes_a_directory() {
    let machine = Machine::with_programs();
    machine.write("/data/deep/x", "");
    let directory = [("ensure", text("directory"))];
    let content = [("content", text("x"))];
    let planned = |build: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::default();
        build(&mut builder);
        errors(&machine.plan(&builder.graph))
    };
    assert!(
        planned(&|b| {
            b.add("File", "/new/deep/x", &content);
            b.add("File", "/new/deep/", &directory);
            b.add("File", "/new", &directory);
        })
        .is_empty()
    );
    // Between them one is missing.
    let found = planned(&|b| {
        b.add("File", "/new", &directory);
        b.add("File", "/new/deep/x", &content);
    });
    assert_eq!(found.len(), 1, "{found:?}");
    // A link leads where it is.
    assert!(
        planned(&|b| {
            b.add("File", "/short", &[("ensure", text("/data"))]);
            b.add("File", "/short/deep/y", &content);
        })
        .is_empty()
    );
    // A command that would run may create it, one that would not does not.
    let exec = |creates: &str| [("command", text("/bin/true")), ("creates", text(creates))];
    let after = |b: &mut Builder, creates: &str| {
        let first = b.add("Exec", "a", &exec(creates));
        let file = b.add("File", "/nope/x", &content);
        b.edge(first, file, ordain_graph::EdgeKind::Before);
    };
    assert!(planned(&|b| after(b, "/nothing")).is_empty());
    assert_eq!(planned(&|b| after(b, "/data")).len(), 1);
    // A later resource cannot provide the directory of an earlier one.
    assert_eq!(
        planned(&|b| {
            let file = b.add("File", "/nope/x", &content);
            let later = b.add("Exec", "a", &exec("/nothing"));
            b.edge(file, later, ordain_graph::EdgeKind::Before);
        })
        .len(),
        1
    );
    assert!(
        planned(&|b| {
            b.add("File", "/a/b/c", &[("ensure", text("directory")), ("parents", YES)]);
        })
        .is_empty()
    );
    assert!(
        planned(&|b| {
            b.add("File", "/nope/x", &[("ensure", text("absent"))]);
        })
        .is_empty()
    );
}

#[test]
fn a_plan_counts_what_goes_with_a_tree() {
    let machine = machine();
    for path in ["/srv/t/a", "/srv/t/b/c", "/srv/t/b/d/e", "/srv/one/x"] {
        machine.write(path, "");
    }
    symlink("/", machine.path("/srv/t/link")).unwrap();
    let mut builder = Builder::default();
    builder.add("File", "/srv/t", &absent());
    builder.add("File", "/srv/one", &[("ensure", text("/data")), ("force", YES)]);
    builder.add("File", "/srv/data/x", &[("ensure", text("absent"))]);
    let plan = machine.plan(&builder.graph);
    let counts: Vec<_> =
        plan.entries.iter().map(|entry| entry.removes.map(|tree| tree.to_string())).collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(counts, [some("4 files and 2 directories"), some("1 file"), None]);
    for number in 0..10_100 {
        std::fs::write(machine.path(&format!("/srv/t/{number}")), "").unwrap();
    }
    let plan = machine.plan(&builder.graph);
    let tree = plan.entries[0].removes.unwrap();
    assert_eq!(tree.to_string(), "more than 10000 files and directories");
}
