use std::os::unix::fs::symlink;

use ordain_data::Value;
use ordain_engine::report::Status;

use crate::support::{Builder, Machine, file, text, texts};

fn source(machine: &Machine) {
    machine.write("/src/c", "c");
    machine.write("/src/k/d", "d");
    machine.write("/src/.git/x", "x");
    symlink("/etc", machine.path("/src/ln")).unwrap();
}

#[test]
fn a_tree_is_copied() {
    let machine = Machine::new();
    source(&machine);
    let graph = file(
        "/z",
        &[
            ("ensure", text("directory")),
            ("source", text("/src")),
            ("recurse", Value::Bool(true)),
            ("mode", text("0640")),
            ("ignore", text(".git")),
        ],
    );
    let lines = machine.lines(&graph);
    let starts = [
        "/File[/z]/ensure: created",
        "/File[/z/c]/ensure: defined",
        "/File[/z/k]/ensure: created",
        "/File[/z/k/d]/ensure: defined",
        "/File[/z/ln]/ensure: created",
    ];
    assert!(
        lines.iter().zip(starts).all(|(l, s)| l.starts_with(s)) && lines.len() == 5,
        "{lines:?}"
    );
    assert_eq!(
        (machine.read("/z/k/d").as_str(), machine.mode("/z/k/d"), machine.mode("/z/k")),
        ("d", 0o640, 0o750)
    );
    assert!(!machine.exists("/z/.git"));
    machine.assert_settled(&graph, 0);
}

#[test]
fn purging_spares_what_is_declared_and_directories_without_force() {
    let machine = Machine::new();
    for path in ["/z/keep", "/z/gone", "/z/k/d", "/z/skip.txt"] {
        machine.write(path, "x");
    }
    let mut builder = Builder::default();
    let with = [
        ("ensure", text("directory")),
        ("recurse", Value::Bool(true)),
        ("purge", Value::Bool(true)),
        ("ignore", texts(&["*.txt"])),
    ];
    builder.add("File", "/z", &with);
    builder.add("File", "/z/keep", &[("content", text("x"))]);
    let lines = machine.lines(&builder.graph);
    assert_eq!(lines, ["/File[/z/gone]/ensure: removed", "/File[/z/k/d]/ensure: removed"]);
    assert!(machine.exists("/z/keep") && machine.exists("/z/k") && machine.exists("/z/skip.txt"));
    machine.assert_settled(&builder.graph, 0);
    let mut with = with.to_vec();
    with.push(("force", Value::Bool(true)));
    machine.apply(&file("/z", &with));
    assert!(!machine.exists("/z/k") && !machine.exists("/z/keep"));
}

#[test]
fn content_of_a_declared_directory_is_skipped() {
    let machine = Machine::new();
    for path in ["/z/gone/x", "/z/own/kept", "/z/own/deep/kept"] {
        machine.write(path, "x");
    }
    let mut builder = Builder::default();
    let directory = ("ensure", text("directory"));
    let yes = || Value::Bool(true);
    let with = [directory.clone(), ("recurse", yes()), ("purge", yes()), ("force", yes())];
    builder.add("File", "/z", &with);
    builder.add("File", "own", &[directory, ("path", text("/z/own"))]);
    machine.apply(&builder.graph);
    assert!(!machine.exists("/z/gone"));
    assert!(machine.exists("/z/own/kept") && machine.exists("/z/own/deep/kept"));
    machine.assert_settled(&builder.graph, 0);
}

#[test]
fn limits_hold() {
    let machine = Machine::new();
    source(&machine);
    let graph = file(
        "/z",
        &[
            ("ensure", text("directory")),
            ("source", text("/src")),
            ("recurse", text("remote")),
            ("recurselimit", Value::Int(1)),
        ],
    );
    machine.apply(&graph);
    assert!(machine.exists("/z/k") && !machine.exists("/z/k/d"));
    let with = [
        ("ensure", text("directory")),
        ("source", text("/src")),
        ("recurse", text("remote")),
        ("max_files", Value::Int(2)),
    ];
    let report = machine.apply(&file("/y", &with));
    assert_eq!(report.resources[0].status, Status::Failed);
}

#[test]
fn several_sources_are_merged_on_request() {
    let machine = Machine::new();
    machine.write("/one/a", "1");
    machine.write("/two/a", "2");
    machine.write("/two/b", "2");
    let with = [
        ("ensure", text("directory")),
        ("source", texts(&["/one", "/two"])),
        ("recurse", text("remote")),
        ("sourceselect", text("all")),
    ];
    machine.apply(&file("/z", &with));
    assert_eq!((machine.read("/z/a"), machine.read("/z/b")), ("1".into(), "2".into()));
}

#[test]
fn purging_by_force_spares_directories_that_hold_what_is_declared() {
    let machine = Machine::new();
    for path in ["/z/k/deep/keep", "/z/k/gone", "/z/other/gone"] {
        machine.write(path, "x");
    }
    let mut builder = Builder::default();
    let yes = || Value::Bool(true);
    let with = [
        ("ensure", text("directory")),
        ("recurse", yes()),
        ("purge", yes()),
        ("force", yes()),
        ("backup", Value::Bool(false)),
    ];
    builder.add("File", "/z", &with);
    builder.add("File", "/z/k/deep/keep", &[("content", text("x"))]);
    machine.apply(&builder.graph);
    assert!(machine.exists("/z/k/deep/keep"));
    assert!(!machine.exists("/z/k/gone") && !machine.exists("/z/other"));
    machine.assert_settled(&builder.graph, 0);
}
