//! Secrets of a resource appear in no output of any kind: not in changes, errors or the log, and
//! passwords not in command lines of tools.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ordain_data::Value;
use ordain_engine::apply::apply;
use ordain_engine::host::Host;
use ordain_engine::kind::Registry;
use ordain_engine::kind::{Change, Kind};
use ordain_engine::observer::Observer;
use ordain_engine::plan::plan;
use ordain_engine::prepare::{Options, Prepared};
use ordain_engine::runner::{Invocation, Outcome, Runner};
use ordain_engine::saved::{SaveContext, save};
use ordain_graph::json::Secrets;
use ordain_graph::{Graph, ResourceRef, dot, json};
use ordain_source::SourceMap;

use crate::support::{Builder, Machine, file, lines, secret, text, texts};

/// Occurs in no message by accident, and kinds accept it only as text.
const CANARY: &str = "c4n4ry-Zx81q-w0rd";

/// Runs nothing. Records each command and returns it as output, like a failing tool that quotes its
/// command line and input.
#[derive(Clone)]
struct EchoRunner {
    status: i32,
    commands: Arc<Mutex<Vec<Invocation>>>,
}

impl EchoRunner {
    fn new(status: i32) -> Self {
        Self { status, commands: Arc::default() }
    }
}

impl Runner for EchoRunner {
    fn run(&self, invocation: &Invocation) -> io::Result<Outcome> {
        self.commands.lock().unwrap().push(invocation.clone());
        let words: Vec<_> =
            invocation.launch.argv.iter().map(|word| word.to_string_lossy()).collect();
        let output = format!("{words:?} {}", String::from_utf8_lossy(&invocation.stdin));
        let output = output.into_bytes();
        Ok(Outcome { status: self.status, stdout: output.clone(), stderr: output })
    }
}

/// Records the entries of the journal.
#[derive(Default)]
struct Journal(Mutex<String>);

impl Observer for Journal {
    fn acting(&self, resource: &ResourceRef, changes: &[Change]) -> Result<(), String> {
        let mut output = self.0.lock().unwrap();
        for change in changes {
            let _ = writeln!(output, "{resource} {} {}", change.property, change.message);
        }
        Ok(())
    }
}

/// The forms in which an attribute may have the canary.
fn forms() -> Vec<Value> {
    let hidden = |value: Value| Value::Secret(Arc::new(value));
    let plain = [
        text(CANARY),
        text(&format!("/{CANARY}")),
        text(&format!("/bin/sh -c {CANARY}")),
        text(&format!("NAME={CANARY}")),
        text(&format!("{CANARY}:{CANARY}@x")),
        text(&format!("file:///{CANARY}")),
        text(&format!("line one\n{CANARY}\n")),
        texts(&[CANARY]),
        Value::list([Value::list([text(CANARY)])]),
        Value::map([("NAME", text(CANARY))]),
        Value::map([(CANARY, text("value"))]),
        Value::list([Value::map([("name", text(CANARY))])]),
    ];
    let inside = [
        Value::list([secret(CANARY), text("other")]),
        Value::map([("NAME", secret(CANARY))]),
        Value::list([Value::map([("name", secret(CANARY))])]),
    ];
    plain.into_iter().map(hidden).chain(inside).collect()
}

/// Further attributes that resources of some kinds need to be observed and changed.
fn others(kind: &str) -> Vec<(&'static str, Value)> {
    match kind {
        "alternatives" => vec![("path", text("/usr/bin/less"))],
        "alternative_entry" => vec![("altname", text("pager")), ("altlink", text("/pager"))],
        "archive" => vec![("source", text("/etc/motd")), ("extract_path", text("/"))],
        "concat_fragment" => vec![("target", text("/t")), ("content", text("x"))],
        "cron" => vec![("command", text("/bin/true")), ("user", text("root"))],
        "exec" => vec![("command", text("/bin/true")), ("provider", text("posix"))],
        "file" => vec![("ensure", text("file")), ("content", text("x"))],
        "file_line" => vec![("path", text("/etc/motd")), ("line", text("x"))],
        "host" => vec![("ip", text("10.0.0.1"))],
        "ini_setting" => {
            vec![("path", text("/etc/motd")), ("setting", text("k")), ("value", text("x"))]
        }
        "ini_subsetting" => {
            let items = [("setting", text("k")), ("subsetting", text("s")), ("value", text("x"))];
            std::iter::once(("path", text("/etc/motd"))).chain(items).collect()
        }
        "mailalias" => vec![("recipient", text("root"))],
        "mgmt::kv" => vec![("value", text("x"))],
        "mgmt::line" => vec![("file", text("/etc/motd")), ("content", text("x"))],
        "mgmt::msg" | "notify" => vec![],
        "mount" => vec![("device", text("/dev/sdz1")), ("fstype", text("ext4"))],
        "package" => vec![("provider", text("apt")), ("ensure", text("present"))],
        "service" => vec![("provider", text("init")), ("ensure", text("running"))],
        "ssh_authorized_key" => {
            let key = text("AAAAB3NzaC1yc2EAAAADAQABAAAAgQDB");
            vec![("user", text("root")), ("type", text("ssh-rsa")), ("key", key)]
        }
        "sshkey" => vec![("type", text("ssh-rsa")), ("key", text("AAAAB3NzaC1yc2E"))],
        "user" | "group" => vec![("ensure", text("present"))],
        "vcsrepo" => vec![("ensure", text("present")), ("source", text("/etc"))],
        "yumrepo" => vec![("baseurl", text("http://127.0.0.1:9/")), ("descr", text("x"))],
        _ => vec![],
    }
}

/// Whether an attribute holds a password by its name.
fn is_password(name: &str) -> bool {
    ["password", "passphrase", "token", "secret"].iter().any(|word| name.contains(word))
}

/// Every attribute of every kind with the canary in each form, alone and with the attributes that
/// it needs.
fn graph(kind: &dyn Kind) -> Graph {
    let mut builder = Builder::default();
    let mut name = kind.name().to_string();
    name[..1].make_ascii_uppercase();
    let mut count = 0;
    for attribute in kind.attributes() {
        for form in forms() {
            for with in [Vec::new(), others(kind.name())] {
                count += 1;
                let mut all: Vec<(&str, Value)> =
                    with.into_iter().filter(|(name, _)| *name != attribute.name).collect();
                all.push((attribute.name, form.clone()));
                let title = match kind.name() {
                    "archive" | "concat_file" | "file" | "mount" | "tidy" | "vcsrepo" => {
                        format!("/t{count}")
                    }
                    _ => format!("t{count}"),
                };
                builder.add(&name, &title, &all);
            }
        }
    }
    let titles: Vec<_> = builder.graph.resources().map(|(id, r)| (id, r.clone())).collect();
    for (id, resource) in titles {
        for attribute in &resource.attributes {
            if let Value::Secret(inner) = &attribute.value
                && let Some(value) = inner.as_str()
            {
                let kind = resource.id.kind.clone();
                builder.graph.add_alias(ResourceRef { kind, title: value.into() }, id);
            }
        }
    }
    builder.graph
}

/// All output of a graph of this kind.
fn all_output(kind: &dyn Kind, runner: &EchoRunner) -> String {
    let machine = Machine::new();
    for path in ["/etc/motd", "/etc/fstab", "/etc/hosts", "/etc/shadow", "/etc/aliases"] {
        machine.write(path, "");
    }
    let host = Host::new(machine.dir.path().to_path_buf(), Box::new(runner.clone()));
    let (graph, sources) = (Arc::new(graph(kind)), SourceMap::new());
    let resolve = Arc::new(|_: &str| None);
    let registry = Arc::new(Registry::default());
    let prepared =
        Prepared::new(Arc::clone(&graph), registry, resolve, Options::default()).unwrap();
    let journal = Journal::default();
    let plan = plan(&prepared, &host, &journal, 1);
    let mut out = Vec::new();
    let modules = Default::default();
    let saving = SaveContext {
        graph: &graph,
        sources: &sources,
        options: &Options::default(),
        root: Path::new("/"),
        modules: &modules,
        providers: &Value::Null,
        secrets: Secrets::Omit,
        key: None,
    };
    save(&plan, &saving, &mut out).unwrap();
    json::write(&graph, &sources, Secrets::Omit, &mut out).unwrap();
    let mut output = String::from_utf8(out).unwrap();
    dot::write(&graph, &mut output).unwrap();
    let report = apply(&prepared, &host, &journal, 1);
    let again = apply(&prepared, &host, &journal, 1);
    let _ = writeln!(output, "{plan:#?} {report:#?} {again:#?} {}", journal.0.lock().unwrap());
    output
}

#[test]
fn no_attribute_of_any_kind_is_told() {
    let registry = Registry::default();
    for kind in registry.iter() {
        for status in [0, 1] {
            let runner = EchoRunner::new(status);
            let output = all_output(kind, &runner).to_lowercase();
            let leaks = output.lines().filter(|line| line.contains(&CANARY.to_lowercase()));
            let leaks: Vec<&str> = leaks.take(5).collect();
            assert!(leaks.is_empty(), "{} leaks: {leaks:#?}", kind.name());
        }
    }
}

#[test]
fn no_password_is_an_argument_or_in_the_environment_of_a_tool() {
    let registry = Registry::default();
    for kind in registry.iter() {
        let passwords = kind.attributes().iter().filter(|a| is_password(a.name));
        for attribute in passwords {
            let mut with = others(kind.name());
            with.push((attribute.name, secret(CANARY)));
            let mut builder = Builder::default();
            let mut name = kind.name().to_string();
            name[..1].make_ascii_uppercase();
            builder.add(&name, "thing", &with);
            let (machine, runner) = (Machine::new(), EchoRunner::new(0));
            let host = Host::new(machine.dir.path().to_path_buf(), Box::new(runner.clone()));
            apply(&machine.prepared(&builder.graph), &host, &Journal::default(), 1);
            for invocation in runner.commands.lock().unwrap().iter() {
                let seen = format!("{:?} {:?}", invocation.launch.argv, invocation.launch.set_env);
                assert!(!seen.contains(CANARY), "{} {}: {seen}", kind.name(), attribute.name);
            }
        }
    }
}

#[test]
fn the_old_target_of_a_link_is_as_secret_as_the_new_one() {
    let machine = Machine::new();
    std::os::unix::fs::symlink("/old-c4n4ry", machine.path("/link")).unwrap();
    let graph = file("/link", &[("ensure", secret("/new-c4n4ry"))]);
    let plan = machine.plan(&graph);
    assert!(!format!("{plan:?}").contains("c4n4ry"), "{plan:?}");
    let report = machine.apply(&graph);
    assert!(!format!("{report:?}").contains("c4n4ry"), "{report:?}");
    assert_eq!(lines(&report), ["/File[/link]/target: changed [redacted] to [redacted]"]);
    let target = std::fs::read_link(machine.path("/link")).unwrap();
    assert_eq!(target.to_str(), Some("/new-c4n4ry"));
}

#[test]
fn files_in_a_secret_directory_are_named_by_its_title() {
    let machine = Machine::new();
    machine.write("/c4n4ry-dir/below/file", "x");
    let with =
        [("path", secret("/c4n4ry-dir")), ("recurse", Value::Bool(true)), ("mode", text("0600"))];
    let graph = file("tree", &with);
    let report = machine.apply(&graph);
    assert!(!format!("{report:?}").contains("c4n4ry"), "{report:?}");
    let names: Vec<String> = report.resources.iter().map(|r| r.resource.to_string()).collect();
    assert_eq!(names, ["File[tree]", "File[tree/below]", "File[tree/below/file]"]);
    assert_eq!(machine.mode("/c4n4ry-dir/below/file"), 0o600);
}

#[test]
fn a_short_or_common_secret_does_not_hide_what_happens() {
    let machine = Machine::new();
    let graph = file("/a", &[("content", secret("a")), ("mode", text("0640"))]);
    assert_eq!(
        lines(&machine.apply(&graph)),
        ["/File[/a]/ensure: changed [redacted] to [redacted]"]
    );
    std::fs::set_permissions(
        machine.path("/a"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    assert_eq!(lines(&machine.apply(&graph)), ["/File[/a]/mode: mode changed '0600' to '0640'"]);
}
