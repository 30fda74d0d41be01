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
