//! Machines under `watch`: changes by others are undone.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::observer::NoObserver;
use ordain_engine::reconcile::{ReconcileStatus, Reconciler, SchedulerOptions, SwapSummary};
use ordain_engine::report::Status;
use ordain_graph::{EdgeKind, Graph};

use crate::support::{Builder, Machine, text};

struct TestKeeper {
    machine: Machine,
    reconciler: Reconciler,
}

impl TestKeeper {
    fn new() -> Self {
        let machine = Machine::new();
        let runner = Box::new(machine.commands.clone());
        let host = Arc::new(Host::new(machine.host.root.clone(), runner));
        let tuning = SchedulerOptions { jobs: 2, ..SchedulerOptions::default() };
        let reconciler = Reconciler::new(host, Arc::new(NoObserver), tuning).unwrap();
        Self { machine, reconciler }
    }

    fn swap(&mut self, graph: &Graph) -> SwapSummary {
        self.reconciler.swap(self.machine.prepared(graph)).unwrap()
    }

    /// Runs until there is nothing to do. Returns `Kind[title]` of changed resources.
    fn settle(&mut self) -> Vec<String> {
        let start = Instant::now();
        let mut changed = Vec::new();
        loop {
            let turn = self.reconciler.turn(Some(Duration::from_millis(5))).unwrap();
            let is_idle = turn.reports.is_empty();
            let reports = turn.reports.into_iter().filter(|r| r.status == Status::Changed);
            changed.extend(reports.map(|r| r.resource.to_string()));
            if is_idle && self.reconciler.quiet_for().is_some() {
                return changed;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "no rest; changed: {changed:?}");
        }
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.machine.path(path)
    }
}

#[test]
fn files_are_repaired() {
    let mut kept = TestKeeper::new();
    let mut builder = Builder::default();
    builder.add("File", "/d", &[("ensure", text("directory"))]);
    builder.add("File", "/d/e", &[("ensure", text("directory"))]);
    builder.add("File", "/d/e/f", &[("content", text("right\n")), ("mode", text("0640"))]);
    kept.swap(&builder.graph);
    assert_eq!(kept.settle(), ["File[/d]", "File[/d/e]", "File[/d/e/f]"]);
    fs::remove_file(kept.path("/d/e/f")).unwrap();
    assert_eq!(kept.settle(), ["File[/d/e/f]"]);
    fs::write(kept.path("/d/e/f"), "wrong\n").unwrap();
    assert_eq!(kept.settle(), ["File[/d/e/f]"]);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(kept.path("/d/e/f"), mode).unwrap();
    assert_eq!(kept.settle(), ["File[/d/e/f]"]);
    fs::remove_dir_all(kept.path("/d")).unwrap();
    assert_eq!(kept.settle(), ["File[/d]", "File[/d/e]", "File[/d/e/f]"]);
    fs::rename(kept.path("/d"), kept.path("/other")).unwrap();
    assert_eq!(kept.settle(), ["File[/d]", "File[/d/e]", "File[/d/e/f]"]);
    assert_eq!(
        (kept.machine.read("/d/e/f"), kept.machine.mode("/d/e/f")),
        ("right\n".into(), 0o640)
    );
    fs::write(kept.path("/other/e/f"), "not ours any more\n").unwrap();
    assert!(kept.settle().is_empty());
    let standings = kept.reconciler.standings();
    assert!(standings.iter().all(|(_, how)| *how == ReconcileStatus::InPlace), "{standings:?}");
}

#[test]
fn a_repair_notifies() {
    let mut kept = TestKeeper::new();
    kept.machine.add_programs();
    let mut builder = Builder::default();
    let file = builder.add("File", "/f", &[("content", text("right\n"))]);
    let log = kept.path("/log");
    let command = format!("/bin/sh -c 'echo again >> {}'", log.display());
    let attributes = [("command", text(&command)), ("refreshonly", true.into())];
    let exec = builder.add("Exec", "reload", &attributes);
    builder.edge(file, exec, EdgeKind::Notify);
    kept.swap(&builder.graph);
    assert_eq!(kept.settle(), ["File[/f]", "Exec[reload]"]);
    fs::remove_file(kept.path("/f")).unwrap();
    assert_eq!(kept.settle(), ["File[/f]", "Exec[reload]"]);
    assert_eq!(fs::read_to_string(log).unwrap(), "again\nagain\n");
}

#[test]
fn a_swap_does_what_differs() {
    let mut kept = TestKeeper::new();
    let graph = |files: &[(&str, &str)]| {
        let mut builder = Builder::default();
        for (path, content) in files {
            builder.add("File", path, &[("content", text(content))]);
        }
        builder.graph
    };
    kept.swap(&graph(&[("/a", "1"), ("/b", "1"), ("/c", "1")]));
    kept.settle();
    let swapped = kept.swap(&graph(&[("/a", "1"), ("/b", "2"), ("/d", "1")]));
    assert_eq!(swapped, SwapSummary { kept: 1, changed: 1, added: 1, removed: 1 });
    let mut changed = kept.settle();
    changed.sort();
    assert_eq!(changed, ["File[/b]", "File[/d]"]);
    fs::write(kept.path("/c"), "nobody's").unwrap();
    fs::write(kept.path("/a"), "wrong").unwrap();
    fs::write(kept.path("/b"), "wrong").unwrap();
    let mut changed = kept.settle();
    changed.sort();
    assert_eq!(changed, ["File[/a]", "File[/b]"]);
    let found = ["/a", "/b", "/c", "/d"].map(|path| kept.machine.read(path));
    assert_eq!(found, ["1", "2", "nobody's", "1"]);
}

#[test]
fn a_purged_directory_stays_clean_and_knows_what_is_declared() {
    let mut kept = TestKeeper::new();
    let purged = [("ensure", text("directory")), ("recurse", true.into()), ("purge", true.into())];
    let mut builder = Builder::default();
    builder.add("File", "/conf.d", &purged);
    builder.add("File", "/conf.d/a", &[("content", text("a"))]);
    kept.swap(&builder.graph);
    kept.settle();
    fs::write(kept.path("/conf.d/b"), "stranger").unwrap();
    kept.settle();
    assert!(!kept.machine.exists("/conf.d/b"));
    fs::create_dir_all(kept.path("/conf.d/x")).unwrap();
    kept.settle();
    builder.add("File", "/conf.d/b", &[("content", text("b"))]);
    let swapped = kept.swap(&builder.graph);
    assert_eq!(swapped, SwapSummary { kept: 1, changed: 1, added: 1, removed: 0 });
    kept.settle();
    assert_eq!(kept.machine.read("/conf.d/b"), "b");
}

#[test]
fn failures_are_retried_and_block_dependents() {
    let mut kept = TestKeeper::new();
    let mut builder = Builder::default();
    let file = builder.add("File", "/missing/f", &[("content", text("x"))]);
    let after = builder.add("File", "/after", &[("content", text("x"))]);
    builder.add("File", "/beside", &[("content", text("x"))]);
    builder.edge(file, after, EdgeKind::Before);
    kept.swap(&builder.graph);
    let mut failed = false;
    while !failed || !kept.machine.exists("/beside") {
        let turn = kept.reconciler.turn(None).unwrap();
        failed |= turn.reports.iter().any(|report| report.status == Status::Failed);
    }
    assert!(!kept.machine.exists("/after"));
    let how = kept.reconciler.standings()[0].1;
    assert_eq!(how, ReconcileStatus::Failed);
    fs::create_dir(kept.path("/missing")).unwrap();
    let changed = kept.settle();
    let repaired: Vec<&String> = changed.iter().filter(|name| *name != "File[/beside]").collect();
    assert_eq!(repaired, ["File[/missing/f]", "File[/after]"]);
}

#[test]
fn sources_are_followed() {
    let mut kept = TestKeeper::new();
    kept.swap(&Builder::default().graph);
    kept.machine.write("/src/site.pp", "1");
    let paths = ["/src/site.pp", "/src/hiera.yaml"].map(|path| kept.path(path));
    kept.reconciler.follow_sources(&paths).unwrap();
    assert!(!kept.reconciler.turn(Some(Duration::ZERO)).unwrap().sources_changed);
    kept.machine.write("/src/other", "2");
    assert!(!kept.reconciler.turn(Some(Duration::ZERO)).unwrap().sources_changed);
    kept.machine.write("/src/hiera.yaml", "2");
    assert!(kept.reconciler.turn(None).unwrap().sources_changed);
    kept.reconciler.follow_sources(&paths[..1]).unwrap();
    kept.machine.write("/src/hiera.yaml", "3");
    assert!(!kept.reconciler.turn(Some(Duration::ZERO)).unwrap().sources_changed);
    kept.machine.write("/src/site.pp", "3");
    assert!(kept.reconciler.turn(None).unwrap().sources_changed);
}

#[test]
fn inputs_of_a_resource_are_watched() {
    let mut kept = TestKeeper::new();
    kept.machine.write("/parts/a", "a\n");
    kept.machine.write("/hosts.allow", "other\n");
    let mut builder = Builder::default();
    builder.add("File", "/whole", &[("fragments", text("/parts/"))]);
    let line = [("file", text("/hosts.allow")), ("content", text("sshd: ALL"))];
    builder.add("Mgmt::Line", "ssh", &line);
    kept.swap(&builder.graph);
    kept.settle();
    assert_eq!(kept.machine.read("/whole"), "a\n");
    kept.machine.write("/parts/b", "b\n");
    assert_eq!(kept.settle(), ["File[/whole]"]);
    assert_eq!(kept.machine.read("/whole"), "a\nb\n");
    kept.machine.write("/hosts.allow", "other\n");
    assert_eq!(kept.settle(), ["Mgmt::Line[ssh]"]);
    assert_eq!(kept.machine.read("/hosts.allow"), "other\nsshd: ALL\n");
}

#[test]
fn a_command_is_looked_at_when_its_program_or_its_files_say_so() {
    let mut kept = TestKeeper::new();
    kept.machine.add_programs();
    kept.machine.write("/conf", "one");
    kept.machine.write("/conf.d/deep/part", "one");
    kept.machine.write("/told", "");
    let path = |name: &str| kept.path(name).display().to_string();
    let [log, told, stop] = ["/log", "/told", "/stop"].map(path);
    let run = format!("/bin/sh -c 'echo run >> {log}'");
    // Writes a line for each line that is appended to a file.
    let script =
        format!("until [ -e {stop} ]; do read -r line && echo $line; done <{told}; exit 3");
    let watch = Value::list(["/bin/sh", "-c", &script].map(Value::str));
    let files = Value::list(["/conf", "/conf.d/"].map(Value::str));
    let mut builder = Builder::default();
    let attributes = [("command", text(&run)), ("watch", watch), ("watch_files", files)];
    builder.add("Exec", "again", &attributes);
    kept.swap(&builder.graph);
    let until = |kept: &mut TestKeeper, runs: usize| {
        while fs::read_to_string(&log).map_or(0, |log| log.lines().count()) < runs {
            kept.reconciler.turn(None).unwrap();
        }
        kept.settle()
    };
    until(&mut kept, 1);
    fs::write(&told, "line\n").unwrap();
    until(&mut kept, 2);
    kept.machine.write("/conf", "two");
    until(&mut kept, 3);
    kept.machine.write("/conf.d/deep/part", "two");
    until(&mut kept, 4);
    // A watch program that ends has failed, and is reported.
    fs::write(&stop, "").unwrap();
    let failed = loop {
        let turn = kept.reconciler.turn(None).unwrap();
        let failed = turn.reports.into_iter().find(|report| report.status == Status::Failed);
        if let Some(report) = failed {
            break report;
        }
    };
    let text = failed.lines[0].message.replace(kept.machine.dir.path().to_str().unwrap(), "");
    let script = script.replace(kept.machine.dir.path().to_str().unwrap(), "");
    let wanted = format!("The watch command '/bin/sh -c {script}' ended with status 3");
    assert_eq!(text, wanted);
    assert_eq!(kept.reconciler.standings()[0].1, ReconcileStatus::Failed);
}

#[test]
fn output_of_a_watch_command_is_redacted() {
    let mut kept = TestKeeper::new();
    kept.machine.add_programs();
    let mut builder = Builder::default();
    let script = "echo the password is hunter2 >&2; exit 1";
    let watch = Value::list(["/bin/sh", "-c", script].map(Value::str));
    let secret = Value::Secret(Arc::new(watch));
    builder.add("Exec", "/bin/true", &[("watch", secret)]);
    kept.swap(&builder.graph);
    loop {
        let turn = kept.reconciler.turn(None).unwrap();
        let failed = turn.reports.into_iter().find(|report| report.status == Status::Failed);
        if let Some(report) = failed {
            let wanted =
                "The watch command [command redacted] ended with status 1: [output redacted]";
            assert_eq!(report.lines[0].message, wanted);
            return;
        }
    }
}
