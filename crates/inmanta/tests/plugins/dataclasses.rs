//! Entities with counterparts in Python.

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

/// What comes of a model with a module `m`; nothing where there is no Python.
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
fn what_does_not_agree_is_told() {
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
