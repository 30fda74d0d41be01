//! Whole models with Python code of a module.

use std::fs;

use ordain_inmanta::session::{Request, compile};
use ordain_source::{HostWorld, SourceMap};

const MODEL: &str = r#"
import m

h = m::Host(name="web")
m::File(host=h, path="/b", content=m::greet(h), requires=[a])
a = m::File(host=h, path="/a", content=std::template("m/t.j2", who=m::greet(h)))
implement m::Host using std::none
"#;

const MODULE: &str = r#"
entity Host:
    string name
end
entity File extends std::PurgeableResource:
    string path
    string content
end
File.host [1] -- Host
implement File using std::none
"#;

const PYTHON: &str = r#"
from inmanta.plugins import plugin
from inmanta.resources import resource, PurgeableResource

@plugin
def greet(host: "m::Host") -> "string":
    print("greeting", host.name)
    return "hello " + host.name

@resource("m::File", agent="host.name", id_attribute="path")
class File(PurgeableResource):
    fields = ("path", "content")
"#;

#[test]
fn a_module_with_python_is_compiled_and_exported() {
    if !crate::python::has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let module = directory.path().join("libs/m");
    for (path, text) in [
        ("module.yml", "name: m\nversion: 1.0\nlicense: none\n"),
        ("model/_init.cf", MODULE),
        ("plugins/__init__.py", PYTHON),
        ("templates/t.j2", "<{{ who }}>"),
    ] {
        let path = module.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let main = directory.path().join("main.cf");
    let mut request = Request::new(&world, &sources, directory.path(), main, MODEL);
    request.modulepath = vec![directory.path().join("libs")];
    let mut outcome = compile(request);
    let error = outcome.error.as_ref().map(|e| e.trace(&outcome.net.program.files));
    assert_eq!(error, None);
    assert_eq!(outcome.net.stdout(), "greeting web\ngreeting web\n");
    let exported = outcome.export().unwrap().json();
    let shown: Vec<String> = exported
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["id"], one["content"], one["requires"]))
        .collect();
    let wanted = [
        r#""m::File[web,path=/a],v=0" "<hello web>" []"#,
        r#""m::File[web,path=/b],v=0" "hello web" ["m::File[web,path=/a]"]"#,
    ];
    let mut sorted = shown.clone();
    sorted.sort();
    assert_eq!(sorted, wanted);
}

/// Writes files below a directory.
pub(crate) fn write(root: &std::path::Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn an_installed_package_is_found() {
    if !crate::python::has_python() {
        return;
    }
    let python = "\
from inmanta.plugins import plugin


class Marked(str):
    pass


@plugin
def mark(text: \"string\") -> \"string\":
    return Marked(text)


@plugin
def kind(text: \"string\") -> \"string\":
    return type(text).__name__
";
    let model = "import m\nx = m::mark(\"a\")\nstd::print([m::kind(x), m::kind(\"b\")])\n";
    let cfg = "[metadata]\nname = inmanta-module-m\nversion = 2.1\n";
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    // An installed package, and an editable one.
    write(
        root,
        &[
            ("site/inmanta_plugins/m/__init__.py", python),
            ("site/inmanta_plugins/m/model/_init.cf", "import n\n"),
            ("site/inmanta_plugins/m/setup.cfg", cfg),
            ("edited/inmanta_plugins/n/__init__.py", ""),
            ("edited/model/_init.cf", "entity N:\nend\n"),
            ("edited/setup.cfg", "[metadata]\nname = inmanta-module-n\nversion = 3\n"),
        ],
    );
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let mut request = Request::new(&world, &sources, root, root.join("main.cf"), model);
    request.environment.packages = vec![root.join("site"), root.join("edited")];
    let outcome = compile(request);
    let error = outcome.error.as_ref().map(|e| e.trace(&outcome.net.program.files));
    assert_eq!(error, None);
    assert_eq!(outcome.net.stdout(), "@['Marked', 'str']\n");
    let modules: Vec<String> = outcome
        .modules
        .iter()
        .map(|m| format!("{} {} {}", m.name, m.is_old, m.version.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(modules[..2], ["m false 2.1", "n false 3"]);
}

#[test]
fn a_package_on_the_module_path_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(root, &[("libs/m/model/_init.cf", ""), ("libs/m/setup.cfg", "")]);
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let mut request = Request::new(&world, &sources, root, root.join("main.cf"), "import m\n");
    request.modulepath = vec![root.join("libs")];
    let outcome = compile(request);
    let trace = outcome.error.map(|e| e.trace(&outcome.net.program.files)).unwrap_or_default();
    assert!(trace.starts_with("Failed to load module m"), "{trace}");
    assert!(trace.contains("looks like a v2 module"), "{trace}");
}

/// Compiles a model with a module `m` with this Python code; returns the output, or the trace of
/// its error.
fn printed(model: &str, python: &str, templates: &[(&str, &str)]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(
        root,
        &[
            ("libs/m/module.yml", "name: m\nversion: 1.0\nlicense: none\n"),
            ("libs/m/model/_init.cf", ""),
            ("libs/m/plugins/__init__.py", python),
        ],
    );
    write(&root.join("templates"), templates);
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let mut request = Request::new(&world, &sources, root, root.join("main.cf"), model);
    request.modulepath = vec![root.join("libs")];
    request.shown = vec![(root.to_path_buf(), String::new())];
    let outcome = compile(request);
    match &outcome.error {
        Some(error) => error.trace(&outcome.net.program.files),
        None => outcome.net.stdout().to_owned(),
    }
}

#[test]
fn a_template_of_python_code_calls_plugins_in_python() {
    if !crate::python::has_python() {
        return;
    }
    let python = r#"
from inmanta.plugins import Context, plugin
from inmanta_plugins.std import template

@plugin
def show(context: Context, path: "string", name: "string") -> "string":
    return template(context, path, name=name)

@plugin
def shout(text: "string") -> "string":
    return text.upper() + "!"

@plugin
def bad(text: "string") -> "string":
    raise ValueError("not " + text)
"#;
    let templates =
        [("t.j2", "{{ name | m.shout }}{{ name | m.shout }}"), ("b.j2", "{{ name | m.bad }}")];
    let model = "import m\nstd::print(m::show(\"/t.j2\", \"a\"))\nstd::print(m::shout(\"b\"))\n";
    let text = printed(model, python, &templates);
    assert!(text == "A!A!\nB!\n" || text == "B!\nA!A!\n", "{text}");
    let model = "import m\nx = m::show(\"/b.j2\", \"a\")\n";
    let text = printed(model, python, &templates);
    assert!(text.contains("not a"), "{text}");
}

#[test]
fn objects_of_python_are_handed_on() {
    if !crate::python::has_python() {
        return;
    }
    let python = r#"
import dataclasses
from inmanta.plugins import plugin

@dataclasses.dataclass(frozen=True)
class Pair:
    a: int

@plugin
def pair(): return Pair(1)

@plugin
def two() -> object: return (1, 2)

@plugin
def alone() -> object: return {1}

@plugin
def inside(value: object) -> "string":
    return str(value) + " " + type(value).__name__
"#;
    let shown =
        |expression: &str| printed(&format!("import m\nstd::print({expression})\n"), python, &[]);
    for (expression, wanted) in [
        ("m::pair()", "@Pair(a=1)\n"),
        ("[m::pair()]", "@[Pair(a=1)]\n"),
        ("m::inside(m::pair())", "@Pair(a=1) DynamicProxy\n"),
        ("m::inside(m::alone())", "@{1} SequenceProxy\n"),
        ("m::inside(m::two())", "(1, 2) tuple\n"),
        ("m::pair() == m::pair()", "True\n"),
        ("m::alone() == m::alone()", "True\n"),
        ("m::pair() == m::two()", "False\n"),
    ] {
        assert_eq!(shown(expression), wanted, "{expression}");
    }
    let found = shown("[i for i in m::two()]");
    assert!(found.contains("only be applied to lists and relations, got tuple"), "{found}");
    let found = printed("import m\nx = m::pair()\nstd::print(f\"{x}\")\n", python, &[]);
    assert_eq!(found, "Pair(a=1)\n");
}

#[test]
fn the_context_has_a_place_of_its_own() {
    if !crate::python::has_python() {
        return;
    }
    let python = r#"
from inmanta.plugins import Context, plugin

@plugin
def last(a: int, b: int, context: Context) -> "list":
    return [a, b]

@plugin
def first(context: Context, a: int, *rest: int, b: int = 3) -> "list":
    return [a, *rest, b]
"#;
    let shown =
        |expression: &str| printed(&format!("import m\nstd::print({expression})\n"), python, &[]);
    assert_eq!(shown("m::last(1, 2)"), "@[1, 2]\n");
    assert_eq!(shown("m::first(a=1, b=2)"), "@[1, 2]\n");
    assert_eq!(shown("m::first(1, 2, 4)"), "@[1, 2, 4, 3]\n");
    let found = shown("m::last(a=1, b=2)");
    assert!(found.contains("last() got multiple values for argument 'a'"), "{found}");
}

#[test]
fn objects_with_items_are_written_as_lists() {
    if !crate::python::has_python() {
        return;
    }
    let python = "
import uuid
from inmanta.plugins import plugin

@plugin
def made(of: 'string') -> 'any':
    return eval(of)
";
    for (of, wanted) in [
        ("{1}", "[1]\n"),
        ("[b'ab', frozenset([2])]", "[[97, 98], [2]]\n"),
        ("{'a': range(3), 'b': bytearray(b'a')}", "{\"a\": [0, 1, 2], \"b\": [97]}\n"),
        ("(1, None)", "[1, null]\n"),
        ("(1, {2})", "TypeError: {2} is not JSON serializable"),
        ("[1+2j]", "TypeError: @(1+2j) is not JSON serializable"),
    ] {
        let model = format!("import m\nstd::print(std::json_dumps(m::made(\"{of}\")))\n");
        let found = printed(&model, python, &[]);
        assert!(found.contains(wanted), "{of}: {found}");
    }
}

#[test]
fn mutators_stand_in_the_order_of_their_ids() {
    if !crate::python::has_python() {
        return;
    }
    let python = r#"
from inmanta.plugins import plugin
from inmanta.references import Reference, reference
from inmanta.resources import Resource, resource

@reference("p::Text")
class Text(Reference[str]):
    def __init__(self, value: str) -> None:
        super().__init__()
        self.value = value
    def resolve(self, logger):
        return self.value

@plugin
def text(value: str) -> Reference[str]:
    return Text(value)

@resource("m::Thing", id_attribute="name", agent="agent")
class Thing(Resource):
    fields = ("name", "agent", "value", "data", "items")
"#;
    let entity = "entity Thing extends std::Resource:\n    string name\n    string agent\n    \
                  string value\n    dict data\n    list items\nend\nimplement Thing using \
                  std::none\n";
    let model = "import m\nb = m::text(\"b c\")\nm::Thing(name=\"x y\", agent=\"here\", \
                 value=m::text(\"it\"), data={\"k\": [b]}, items=[1, b])\n";
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(
        root,
        &[
            ("libs/m/module.yml", "name: m\nversion: 1.0\nlicense: none\n"),
            ("libs/m/model/_init.cf", entity),
            ("libs/m/plugins/__init__.py", python),
        ],
    );
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let mut request = Request::new(&world, &sources, root, root.join("main.cf"), model);
    request.modulepath = vec![root.join("libs")];
    let mut outcome = compile(request);
    let exported = outcome.export().unwrap().json();
    let mutators = exported[0]["mutators"].as_array().unwrap();
    let places: Vec<_> = mutators.iter().map(|one| one["args"][2]["value"].as_str()).collect();
    let wanted = ["items[1]", "value", "data.'k'[0]"];
    assert_eq!(places, wanted.map(Some));
}

/// Compiles and exports a model with a module `m` with these files; returns the warnings and the
/// error.
fn of_module(model: &str, metadata: &str, definitions: &str, code: &str) -> (Vec<String>, String) {
    let directory = tempfile::tempdir().unwrap();
    let module = directory.path().join("libs/m");
    for (path, text) in
        [("module.yml", metadata), ("model/_init.cf", definitions), ("plugins/__init__.py", code)]
    {
        let path = module.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let main = directory.path().join("main.cf");
    let mut request = Request::new(&world, &sources, directory.path(), main, model.to_owned());
    request.modulepath = vec![directory.path().join("libs")];
    request.shown = vec![(directory.path().to_path_buf(), "{dir}".into())];
    let mut outcome = compile(request);
    let warnings = outcome.warnings().iter();
    let warnings = warnings.map(|found| format!("{}: {}", found.class, found.text)).collect();
    if let Some(error) = &outcome.error {
        return (warnings, error.trace(&outcome.net.program.files));
    }
    let error = outcome.export().err().map(|error| error.message.clone());
    (warnings, error.unwrap_or_default())
}

#[test]
fn a_deprecated_module_and_one_that_is_not_there() {
    let metadata = "name: m\nversion: 1.0\nlicense: none\ndeprecated: true\n";
    let (warnings, error) = of_module("import m\n", metadata, "import nope as n\n", "");
    assert_eq!(warnings[0], "ModuleDeprecationWarning: Module m has been deprecated");
    let expected = "Failed to load module nope (reported in import nope as n \
                    ({dir}/libs/m/model/_init.cf:1))";
    assert_eq!(error.lines().next(), Some(expected));
}

#[test]
fn a_dependency_manager_that_adds_something_else() {
    if !crate::python::has_python() {
        return;
    }
    let code = "
from inmanta.export import dependency_manager
from inmanta.resources import resource, Resource
class Other:
    def __repr__(self):
        return 'Other()'
@resource('m::R', agent='agent', id_attribute='name')
class R(Resource):
    fields = ()
@dependency_manager
def manage(model, resources):
    for one in resources.values():
        one.requires.add(Other())
";
    let definitions = "entity R extends std::Resource:\n string name\n string agent = \"a\"\nend\n\
                       implement R using std::none\n";
    let metadata = "name: m\nversion: 1.0\nlicense: none\n";
    let (_, error) = of_module("import m\nm::R(name=\"x\")\n", metadata, definitions, code);
    let expected = "A dependency manager inserted the object Other() of type <class \
                    'inmanta_plugins.m.Other'> into a requires relation. However, only string, \
                    Resource or Id are allowable types ";
    assert_eq!(error, expected);
}
