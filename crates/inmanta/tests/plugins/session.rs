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
    let exported = outcome.export().unwrap();
    let shown: Vec<String> = exported
        .resources
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
fn write(root: &std::path::Path, files: &[(&str, &str)]) {
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
    // One as it is installed, one that is edited in place.
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
