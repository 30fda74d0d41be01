//! Entities with Python dataclasses.

use std::fs;

use ordain_inmanta::output;
use ordain_inmanta::session::{Request, compile};
use ordain_source::{HostWorld, SourceMap};
use serde_json::Value as Json;

const ENTITY: &str = "
entity Disk extends std::Dataclass:
    string name
    int gb
end
implement Disk using std::none
";

const PYTHON: &str = r#"
import dataclasses
from inmanta.plugins import plugin
from inmanta.references import Reference, reference

@dataclasses.dataclass(frozen=True)
class Disk:
    name: str
    gb: int | Reference[int]

@reference("m::Found")
class Found(Reference[Disk]):
    def __init__(self, serial: str) -> None:
        super().__init__()
        self.serial = serial

@plugin
def find(serial: str) -> Found:
    return Found(serial)

@plugin
def largest(disks: list[Disk]) -> Disk:
    return max(disks, key=lambda disk: disk.gb)

@plugin
def kind(disk: Disk | Reference[Disk]) -> str:
    return type(disk).__name__

@plugin
def only(disk: Disk) -> str:
    return disk.name
"#;

/// The outcome of a model with a module `m`; `None` without Python.
fn run(model: &str, entity: &str, python: &str) -> Option<Json> {
    if !crate::python::has_python() {
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let module = directory.path().join("libs/m");
    for (path, text) in [
        ("module.yml", "name: m\nversion: 1.0\nlicense: none\n"),
        ("model/_init.cf", entity),
        ("plugins/__init__.py", python),
    ] {
        let path = module.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let main = directory.path().join("main.cf");
    let mut request = Request::new(&world, &sources, directory.path(), main, model);
    request.modulepath = vec![directory.path().join("libs")];
    request.shown = vec![(directory.path().into(), ".".into())];
    let mut found = output::json(&compile(request));
    if let Some(text) = found["error"]["trace"].as_str() {
        let text = text.replace(&directory.path().display().to_string(), ".");
        found["error"]["trace"] = text.into();
    }
    Some(found)
}

fn trace(model: &str, entity: &str, python: &str) -> Option<String> {
    let found = run(model, entity, python)?;
    Some(found["error"]["trace"].as_str().unwrap_or("no error").to_owned())
}

#[test]
fn objects_become_instances_and_instances_objects() {
    let model = r#"
import m
late = m::Disk(name="late")
big = m::largest([m::Disk(name="a", gb=1), late])
std::print([big.name, big.gb, big == late, m::kind(late)])
late.gb = 7
"#;
    let Some(found) = run(model, ENTITY, PYTHON) else { return };
    assert_eq!(found["stdout"], "@['late', 7, False, 'Disk']\n", "{found}");
}

#[test]
fn a_reference_is_an_instance_of_references() {
    let model = r#"
import m
disk = m::find("x")
std::print([m::kind(disk), disk.gb])
"#;
    let Some(found) = run(model, ENTITY, PYTHON) else { return };
    let printed = "@['Found', <inmanta.references.AttributeReference object>]\n";
    assert_eq!(found["stdout"], printed, "{found}");
    assert_eq!(found["vars"]["disk"]["$ref"], "m::Disk#1");
    // The name cannot be a reference in Python.
    let model = "import m\nx = m::only(m::find(\"x\"))\n";
    let Some(trace) = trace(model, ENTITY, PYTHON) else { return };
    assert!(trace.contains("m::only contains a reference"), "{trace}");
}

#[test]
fn disagreements_are_reported() {
    let entity = ENTITY.replace("int gb", "string gb") + "Disk.others [0:] -- Disk\n";
    let Some(text) = trace("import m\n", &entity, PYTHON) else { return };
    let identical = "All attributes of a dataclasses must be identical in both the python and \
                     inmanta domain.";
    assert_eq!(
        text,
        format!(
            "The dataclass m::Disk defined at ./libs/m/model/_init.cf:2:8 does not match the \
             corresponding python dataclass at ./libs/m/plugins/__init__.py:6. 2 errors:\n    \
             -The attribute gb does not have the same type as the associated field in the python \
             domain. {identical}\n    -a relation called others is defined at \
             ./libs/m/model/_init.cf:7:6. Dataclasses are not allowed to have relations\n (reported \
             in m::Disk (./libs/m/model/_init.cf:2:8))"
        )
    );
    let Some(text) = trace("import m\n", ENTITY, "class Disk:\n    name: str\n") else { return };
    assert!(text.contains("inmanta_plugins.m.Disk associated to  m::Disk"), "{text}");
    assert!(text.contains("is not a dataclass"), "{text}");
}

#[test]
fn an_entity_of_the_main_file_has_no_counterpart() {
    let found = run(&format!("import m\n{ENTITY}"), "", "x = 1\n");
    let Some(found) = found else { return };
    assert_eq!(found["error"]["class"], "ModuleNotFoundError");
    assert_eq!(found["error"]["msg"], "No module named 'inmanta_plugins.__config__'");
}

/// The references in arguments, as plugins see them.
const REFERENCES: &str = r#"
from collections.abc import Mapping, Sequence
from inmanta.compiler import finalizer
from inmanta.plugins import allow_reference_values, plugin
from inmanta.references import Reference

@plugin
def number(v: int | Reference[int]) -> None: ...

@plugin
def entries(v: dict) -> None: ...

@plugin
def items(v: Sequence) -> int:
    return len([item for item in v])

@plugin
def anything(v: object) -> int:
    return len([v[key] for key in v])

@plugin
def inner(v: "m::Box") -> int:
    return len([item for item in allow_reference_values(v).items])

@plugin
def odd() -> None:
    class Odd(Exception):
        def __str__(self):
            raise ValueError("no words")
    raise Odd()
"#;

const BOX: &str = "entity Box:\n    list items\nend\nimplement Box using std::none\n";

#[test]
fn references_are_refused_where_nobody_asks_for_them() {
    let ask = |call: &str| {
        let model = format!("import m\nr = std::create_environment_reference(\"A\")\nx = {call}\n");
        trace(&model, BOX, REFERENCES)
    };
    let Some(text) = ask("m::number(r)") else { return };
    let object = "<inmanta_plugins.std.EnvironmentReference object>";
    assert!(text.contains("Expected type: Reference[int] | int"), "{text}");
    assert!(text.contains(&format!("Invalid value: {object} is not a subtype of Reference[int]")));
    let text = ask("m::entries({\"a\": r})").unwrap();
    assert!(
        text.starts_with(&format!(
            "Value {{'a': {object}}} for argument v of plugin m::entries contains a reference."
        )),
        "{text}"
    );
    assert_eq!(ask("m::items([1, r])").unwrap(), "no error");
    assert_eq!(ask("m::anything({\"a\": r})").unwrap(), "no error");
    let text = ask("m::inner(m::Box(items=[1, r]))").unwrap();
    assert!(text.contains("Encountered at v.items[1]"), "{text}");
}

#[test]
fn exceptions_without_words_are_told() {
    let Some(text) = trace("import m\nx = m::odd()\n", BOX, REFERENCES) else { return };
    assert!(text.contains("Odd: <exception str() failed>"), "{text}");
}

#[test]
fn all_finalizers_run() {
    let code = "
from inmanta.compiler import finalizer

@finalizer
def first():
    raise Exception('one')

@finalizer
def second():
    raise Exception('two')
";
    let Some(text) = trace("import m\n", "", code) else { return };
    assert!(text.starts_with("Reported 2 errors"), "{text}");
    assert!(
        text.contains("Finalizer failed: one") && text.contains("Finalizer failed: two"),
        "{text}"
    );
}

#[test]
fn attributes_that_come_late_are_sent_with_the_next_call() {
    let entity =
        "entity Host:\n    string name\n    int port\nend\nimplement Host using std::none\n";
    let code = "
from inmanta.plugins import plugin

@plugin
def shown(host: 'm::Host') -> str:
    print('called')
    return f'{host.name}:{host.port}'
";
    let model = "
import m
h = m::Host(name=\"a\")
std::print(m::shown(h))
h.port = n + 1
n = std::count([1, 2])
";
    let Some(found) = run(model, entity, code) else { return };
    assert_eq!(found["stdout"], "called\ncalled\na:3\n", "{found}");
}

const PAIR: &str = "
entity Pair extends std::Dataclass:
    string[] names
    dict note
    int port = 5
end
implement Pair using std::none
";

const PAIRS: &str = r#"
import dataclasses
from collections.abc import Mapping
from inmanta.plugins import plugin
from inmanta.references import Reference, reference

@dataclasses.dataclass(frozen=True)
class Pair:
    names: list[str]
    note: Mapping[str, object]
    port: int | Reference[int] = 5

@reference("m::Port")
class Port(Reference[int]):
    def resolve(self, logger):
        return 1

@plugin
def made(of: "string", given: "any" = None) -> Pair:
    return eval(of)

@plugin
def port() -> Reference[int]:
    return Port()

@plugin
def shown(pair: Pair, text: "string" = "") -> str:
    return repr(pair)
"#;

#[test]
fn fields_are_taken_as_they_are() {
    let ask = |call: &str| {
        let model = format!("import m\nstd::print(m::shown(m::made({call})))\n");
        let found = run(&model, PAIR, PAIRS)?;
        let text = found["error"]["trace"].as_str().or(found["stdout"].as_str());
        Some(text.unwrap_or_default().to_owned())
    };
    let stumbles = "caused by:\n  AssertionError\n";
    let misfit = |name: &str, what: &str| {
        let known = format!("Could not set attribute `{name}` on instance `m::Pair");
        (known, format!("Invalid value '{what}"))
    };
    for (call, (known, wanted)) in [
        (r#""Pair([], {'a': None})""#, (stumbles.to_owned(), String::new())),
        (r#""Pair([], {'a': [None, {1}]})""#, (stumbles.to_owned(), String::new())),
        (r#""Pair([], {'a': [{1}, None]})""#, misfit("note", "[{1}, None]', expected Literal")),
        (r#""Pair([], {'a': (1, 2)})""#, misfit("note", "(1, 2)', expected Literal")),
        (r#""Pair(['a', None], {})""#, misfit("names", "None', expected string")),
        (r#""Pair(None, {})""#, misfit("names", "null', expected string[]")),
        (r#""Pair(given, {})", ["a"]"#, misfit("names", "@['a']', expected string[]")),
        (r#""Pair([], given)", {"a": 1}"#, misfit("note", "@{'a': 1}', expected dict")),
        (r#""Pair([], {'a': given})", [1]"#, misfit("note", "@[1]', expected Literal")),
        (r#""Pair([], {'a': Pair([], {})})""#, misfit("note", "Pair(names=[], note={}, port=5)'")),
        (r#""Pair([], {}, Port())""#, (stumbles.to_owned(), String::new())),
        (
            r#""Pair(list(given), {'a': [1, {'b': 2.5}]})", ["x"]"#,
            ("Pair(names=['x'], note={'a': [1, {'b': 2.5}]}, port=5)\n".into(), String::new()),
        ),
        // A number that was a value of the model stays one.
        (
            r#""Pair([], {}, given.port)", m::Pair(names=[], note={}, port=5)"#,
            ("Pair(names=[], note={}, port=5)\n".into(), String::new()),
        ),
    ] {
        let Some(text) = ask(call) else { return };
        assert!(text.contains(&known) && text.contains(&wanted), "{call}: {text}");
    }
}

#[test]
fn the_fields_of_an_argument_come_before_the_next_argument() {
    let ask = |argument: &str, fields: &str| {
        let model = format!(
            "import m\nx = m::shown(m::Pair(names=[], {fields}), {argument})\na = std::count([1])\n"
        );
        run(&model, PAIR, PAIRS)
    };
    let unknown = "std::get_env(\"NOT_SET_ANYWHERE\")";
    let Some(found) = ask(unknown, "note={}, port=a") else { return };
    assert_eq!(found["vars"]["x"]["$unknown"], true, "{found}");
    assert_eq!(found["plugin_calls"]["m::shown"], 2, "{found}");
    let found = ask("3", "note={}, port=a").unwrap();
    assert_eq!(found["plugin_calls"]["m::shown"], 2, "{found}");
    assert!(found["error"]["msg"].as_str().unwrap().contains("argument text"), "{found}");
    let found = ask(unknown, &format!("note={{\"a\": {unknown}}}")).unwrap();
    let trace = found["error"]["trace"].as_str().unwrap();
    assert!(trace.contains("Encountered unknown in field 'note'."), "{trace}");
}

#[test]
fn a_placeholder_is_named_as_it_is_written() {
    for (text, named) in [
        ("\"{{  x }}{{x}}\"", "`{{  x }}`"),
        ("\"{{y}}{{ x}}\"", "`{{ x}}`"),
        ("f\"{ x  :>3}\"", "` x  `"),
    ] {
        let model = format!("import m\ny = 1\nx = m::port()\nz = {text}\n");
        let Some(found) = trace(&model, PAIR, PAIRS) else { return };
        assert!(found.contains(&format!("string format for variable {named}.")), "{found}");
    }
    // An instance of a reference is passed as that reference.
    let model = "import m\nx = m::find(\"a\")\nz = \"{{ x }}\"\n";
    let Some(found) = trace(model, ENTITY, PYTHON) else { return };
    assert!(found.contains("string format for variable `{{ x }}`."), "{found}");
}
