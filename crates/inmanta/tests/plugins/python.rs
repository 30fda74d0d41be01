//! Python code of modules.
//!
//! Without `python3` the tests print a note and pass, unless the variable `CI` is set.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use ordain_inmanta::model::plugin::{Plugin, Stop};
use ordain_inmanta::python::{Module, Python, Setup};
use ordain_inmanta::value::{InstanceId, Value};
use ordain_plugins::Limits;
use ordain_source::HostWorld;

use crate::model::{Model, Slot, arguments};

struct Project {
    model: Model,
    python: Rc<Python>,
    plugins: Vec<Rc<dyn Plugin>>,
    _directory: tempfile::TempDir,
}

pub(crate) fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    ordain_testkit::peer(found, "python3")
}

fn modules(directory: &Path) -> Vec<Module> {
    let root = directory.join("libs/m");
    vec![Module { name: "m".into(), python: Some(root.join("plugins")), directory: root }]
}

fn open(directory: &Path, seconds: u32) -> Rc<Python> {
    let setup = Setup { project: directory.into(), name: "p".into(), ..Setup::default() };
    Python::new(setup, Limits { seconds, memory: 2 << 30 })
}

fn written(code: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let plugins = directory.path().join("libs/m/plugins");
    fs::create_dir_all(&plugins).unwrap();
    fs::write(plugins.join("__init__.py"), code).unwrap();
    directory
}

fn project(code: &str) -> Option<Project> {
    if !has_python() {
        return None;
    }
    let directory = written(code);
    let python = open(directory.path(), 5);
    let model = Model::new(Box::new(HostWorld::new()), directory.path());
    let plugins = python.load(&HostWorld::new(), &modules(directory.path())).unwrap();
    Some(Project { model, python, plugins, _directory: directory })
}

impl Project {
    fn call(&mut self, name: &str, positional: &[Value]) -> Result<Value, Stop> {
        let full = format!("m::{name}");
        let plugin = self.plugins.iter().find(|plugin| plugin.signature().name == full).unwrap();
        let arguments = arguments(&**plugin, positional, &[]);
        plugin.clone().call(&mut self.model, &arguments)
    }

    fn shown(&mut self, name: &str, positional: &[Value]) -> String {
        match self.call(name, positional) {
            Ok(value) => value.repr(&self.model),
            Err(Stop::Raised { class, text }) => format!("{class}: {text}"),
            Err(Stop::Explicit { message, .. }) => format!("explicit: {message}"),
            Err(Stop::Error(error)) => format!("{}: {}", error.class.name(), error.message),
            Err(stop) => format!("{stop:?}"),
        }
    }
}

#[test]
fn values_cross() {
    let code = r#"
from inmanta.plugins import plugin

@plugin
def echo(value: "any") -> "any":
    return value

@plugin("sum")
def total(values: "int[]", start: "int" = 1) -> "int":
    return sum(values) + start

@plugin
def describe(value: "any") -> "string":
    return "%s %r" % (type(value).__name__, value)
"#;
    let Some(mut project) = project(code) else { return };
    let nested = Value::dict([
        ("b".into(), Value::list([Value::Int(1), Value::Null, Value::Float(2.0)])),
        ("a".into(), Value::str("h\u{e9}\n")),
        ("big".into(), Value::int("123456789012345678901234567890".parse().unwrap())),
    ]);
    assert_eq!(project.call("echo", std::slice::from_ref(&nested)).unwrap(), nested);
    assert_eq!(project.shown("echo", &[Value::Float(f64::INFINITY)]), "inf");
    let numbers = Value::list([Value::Int(1), Value::Int(2)]);
    assert_eq!(project.shown("sum", std::slice::from_ref(&numbers)), "4");
    assert_eq!(project.shown("describe", &[numbers]), "'SequenceProxy @[1, 2]'");
    assert_eq!(project.shown("describe", &[Value::Null]), "'NoneType None'");
    let signature = project.plugins[1].signature();
    assert_eq!((signature.name.as_str(), signature.params.len()), ("m::sum", 2));
    assert!(signature.params[1].has_default);
}

#[test]
fn instances_are_read_and_calls_restart() {
    let code = r#"
from inmanta.plugins import plugin, Context

@plugin
def join(context: Context, host: "m::Host") -> "string":
    names = ",".join(str(disk.gb) for disk in host.disks)
    where = context.owner.namespace.get_full_name()
    return "%s %s %s %s" % (host.name, names, where, context.resolver.lookup("x").get_value())

@plugin
def late(host: "m::Host") -> "string":
    return host.late

@plugin
def backup(host: "m::Host") -> "any":
    return host.backup

@plugin
def change(host: "m::Host"):
    host.name = "x"

@plugin
def unknown(host: "m::Host") -> "any":
    return host.size
"#;
    let Some(mut project) = project(code) else { return };
    let disk = project.model.add("m::Disk", vec![("gb", Slot::Value(Value::Int(7)))]);
    let attributes = vec![
        ("name", Slot::Value(Value::str("web"))),
        ("disks", Slot::Value(Value::list([disk]))),
        ("late", Slot::Unset(5)),
        ("backup", Slot::Empty),
        ("size", Slot::Value(Value::unknown("env"))),
    ];
    let host = [project.model.add("m::Host", attributes)];
    project.model.variables.insert("x".into(), Value::Int(3));
    assert_eq!(project.shown("join", &host), "'web 7 m::sub 3'");
    assert_eq!(project.shown("late", &host), "Unset([VarId(5)])");
    let shown = project.shown("backup", &host);
    assert!(shown.starts_with("OptionalValueException: Optional variable accessed"), "{shown}");
    assert_eq!(project.shown("change", &host), "Exception: Readonly object");
    assert!(matches!(project.call("unknown", &host), Err(Stop::Unknown(_))));
    let Slot::Unset(_) = &project.model.instances[1].attributes["late"] else { panic!() };
    project.model.instances[1].attributes.insert("late".into(), Slot::Value(Value::str("there")));
    assert_eq!(project.shown("late", &host), "'there'");
}

#[test]
fn exceptions_keep_their_classes() {
    let code = r#"
import sys
from inmanta.plugins import plugin, PluginException
from inmanta.ast import RuntimeException

class Own(Exception):
    pass

@plugin
def fail(kind: "string"):
    print("about to fail")
    if kind == "value":
        raise ValueError("bad", 1)
    if kind == "own":
        raise Own("mine")
    if kind == "explicit":
        raise PluginException("said so")
    if kind == "compiler":
        raise RuntimeException(None, "as the compiler")
    if kind == "exit":
        sys.exit(3)
    return {1: 2}
"#;
    let Some(mut project) = project(code) else { return };
    for (kind, wanted) in [
        ("value", "ValueError: ('bad', 1)"),
        ("own", "inmanta_plugins.m.Own: mine"),
        ("explicit", "explicit: said so"),
        ("compiler", "RuntimeException: as the compiler"),
        ("exit", "SystemExit: 3"),
        (
            "keys",
            "RuntimeException: dict keys should be strings, got 1 of type <class 'int'> with dict \
             value 2",
        ),
    ] {
        assert_eq!(project.shown("fail", &[Value::str(kind)]), wanted, "{kind}");
    }
    assert_eq!(project.model.output, ["about to fail"; 6]);
}

#[test]
fn bad_behaviour_ends_in_an_error() {
    let code = r#"
import os, signal, time
from inmanta.plugins import plugin

@plugin
def behave(how: "string"):
    if how == "fork":
        child = os.fork()
        if child == 0:
            os.write(1, b"garbage")
            os._exit(0)
        os.waitpid(child, 0)
        return "survived"
    if how == "print":
        os.write(1, b"garbage\n")
        os.system("echo noise")
        return "survived"
    if how == "hang":
        while True:
            time.sleep(1)
    os.kill(os.getpid(), signal.SIGSEGV)
"#;
    if !has_python() {
        return;
    }
    let directory = written(code);
    let world = HostWorld::new();
    let python = open(directory.path(), 1);
    let plugins = python.load(&world, &modules(directory.path())).unwrap();
    let model = Model::new(Box::new(world), directory.path());
    let mut project = Project { model, python, plugins, _directory: directory };
    assert_eq!(project.shown("behave", &[Value::str("fork")]), "'survived'");
    assert_eq!(project.shown("behave", &[Value::str("print")]), "'survived'");
    let wanted = "TimeoutError: it takes longer than 1 s";
    assert_eq!(project.shown("behave", &[Value::str("hang")]), wanted);
    let shown = project.shown("behave", &[Value::str("crash")]);
    assert!(shown.contains("the `python3` process stopped"), "{shown}");
    assert!(shown.contains("m::behave"), "{shown}");
    let shown = project.shown("behave", &[Value::str("fork")]);
    assert!(shown.contains("was lost before"), "{shown}");
}

#[test]
fn resources_are_exported() {
    let code = r#"
from inmanta.resources import resource, Resource, PurgeableResource, IgnoreResourceException
from inmanta.export import dependency_manager
from inmanta.references import Reference, reference
from inmanta.plugins import plugin

@reference("m::Secret")
class Secret(Reference[str]):
    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key

@plugin
def secret(key: str) -> Reference[str]:
    return Secret(key)

@resource("m::File", agent="host.name", id_attribute="path")
class File(PurgeableResource):
    fields = ("path", "size", "content")

    @staticmethod
    def get_size(exporter, obj):
        if obj.size < 0:
            raise IgnoreResourceException()
        return obj.size * 2

@dependency_manager
def order(model, resources):
    files = sorted(resources.values(), key=lambda one: one.path)
    for before, after in zip(files, files[1:]):
        after.requires.add(before)
"#;
    let Some(mut project) = project(code) else { return };
    project.model.parents.insert("m::File".into(), vec!["std::Resource".into()]);
    let name = Slot::Value(Value::str("web"));
    let host = project.model.add("m::Host", vec![("name", name)]);
    let content = project.call("secret", &[Value::str("k")]).unwrap();
    for (path, size) in [("/b", 2), ("/a", 1), ("/c", -1)] {
        let attributes = vec![
            ("send_event", Slot::Value(Value::Bool(true))),
            ("receive_events", Slot::Value(Value::Bool(true))),
            ("report_only", Slot::Value(Value::Bool(false))),
            ("purged", Slot::Value(Value::Bool(false))),
            ("purge_on_delete", Slot::Value(Value::Bool(false))),
            ("path", Slot::Value(Value::str(path))),
            ("size", Slot::Value(Value::Int(size))),
            ("content", Slot::Value(content.clone())),
            ("host", Slot::Value(host.clone())),
            ("requires", Slot::Value(Value::list([]))),
        ];
        project.model.add("m::File", attributes);
    }
    let instances: Vec<InstanceId> = (0..4).map(InstanceId).collect();
    let exported = project.python.export(&mut project.model, &instances).unwrap().json();
    let resources = exported.as_array().unwrap();
    let ids: Vec<&str> = resources.iter().map(|r| r["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["m::File[web,path=/b],v=0", "m::File[web,path=/a],v=0"]);
    let first = &resources[0];
    assert_eq!(first["size"], 4);
    assert_eq!(first["content"], serde_json::Value::Null);
    assert_eq!(first["requires"][0], "m::File[web,path=/a]");
    assert_eq!(first["references"][0]["type"], "m::Secret");
    assert_eq!(first["mutators"][0]["args"][2]["value"], "content");
}

#[test]
fn invalid_modules_are_reported() {
    if !has_python() {
        return;
    }
    let directory = written("import nonsense_that_is_not_there\n");
    let python = open(directory.path(), 5);
    let error = python.load(&HostWorld::new(), &modules(directory.path())).err().unwrap();
    let wanted = "Unable to load all plug-ins for module m:\n\tModuleNotFoundError while loading \
                  plugin module inmanta_plugins.m: No module named 'nonsense_that_is_not_there'";
    assert_eq!(error.error.message, wanted);
}
