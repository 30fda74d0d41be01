//! Batched calls and attributes have the same results as single ones.
//!
//! The expected output is the original's. Resources are in the order of creation and have the
//! fields of the newest release.

use std::fs;

use ordain_inmanta::output;
use ordain_inmanta::session::{Outcome, Request, compile};
use ordain_plugins::Limits;
use ordain_source::{HostWorld, SourceMap};
use serde_json::{Value as Json, json};

use crate::python::has_python;
use crate::session::write;

const METADATA: &str = "name: m\nversion: 1.0\nlicense: none\n";

/// Compiles a model with a module `m` and a password `db`, and calls a function with the outcome.
fn with_outcome<T>(
    model: &str,
    definitions: &str,
    python: &str,
    look: impl FnOnce(&mut Outcome<'_>) -> T,
) -> T {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(
        root,
        &[
            ("data/std/passwordfile.txt", "db=zq7x-password\n"),
            ("libs/m/module.yml", METADATA),
            ("libs/m/model/_init.cf", definitions),
            ("libs/m/plugins/__init__.py", python),
        ],
    );
    let (world, sources) = (HostWorld::new(), SourceMap::new());
    let mut request = Request::new(&world, &sources, root, root.join("main.cf"), model);
    request.modulepath = vec![root.join("libs")];
    request.shown = vec![(root.to_path_buf(), "{dir}".into())];
    request.limits = Limits { seconds: 2, memory: 2 << 30 };
    look(&mut compile(request))
}

/// The output of a model with a module `m` followed by the trace of its error, and its resources.
fn outcome(model: &str, definitions: &str, python: &str) -> (String, Vec<String>) {
    with_outcome(model, definitions, python, |outcome| {
        let has_failed = outcome.error.is_some();
        let exported = match has_failed {
            false => outcome.export().map(|exported| exported.json()),
            true => Ok(Json::Array(Vec::new())),
        };
        let mut text = outcome.net.stdout().to_owned();
        if let Some(error) = outcome.error.as_ref().or(exported.as_ref().err()) {
            text.push_str(&error.trace(&outcome.net.program.files));
        }
        let resources = exported.unwrap_or_default();
        let resources = resources.as_array().into_iter().flatten().map(ToString::to_string);
        (text, resources.collect())
    })
}

#[test]
fn calls_run_in_the_order_of_the_original() {
    if !has_python() {
        return;
    }
    let (model, definitions) =
        (include_str!("batches/calls.cf"), include_str!("batches/calls_module.cf"));
    let (text, _) = outcome(model, definitions, include_str!("batches/calls.py"));
    assert_eq!(text, include_str!("batches/calls.txt"));
}

#[test]
fn values_that_are_not_known_go_through_batches_as_in_the_original() {
    if !has_python() {
        return;
    }
    let (model, definitions) =
        (include_str!("batches/unknown.cf"), include_str!("batches/unknown_module.cf"));
    let (text, _) = outcome(model, definitions, include_str!("batches/unknown.py"));
    assert_eq!(text, include_str!("batches/unknown.txt"));
}

#[test]
fn attributes_are_read_when_the_run_is_over() {
    if !has_python() {
        return;
    }
    let (model, definitions) =
        (include_str!("batches/export.cf"), include_str!("batches/export_module.cf"));
    let (text, resources) = outcome(model, definitions, include_str!("batches/export.py"));
    assert_eq!(text, "first of one\nfirst of two\nfirst of three\nmanager 5 3\n");
    let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let found: Vec<_> = resources.iter().map(|text| parsed(text)).collect();
    let wanted: Vec<_> = include_str!("batches/export.jsonl").lines().map(parsed).collect();
    assert_eq!(found, wanted);
}

#[test]
fn resource_classes_read_instances_as_in_the_original() {
    if !has_python() {
        return;
    }
    let (model, definitions) =
        (include_str!("batches/proxies.cf"), include_str!("batches/proxies_module.cf"));
    let (text, resources) = outcome(model, definitions, include_str!("batches/proxies.py"));
    assert_eq!(text, "");
    let found: Vec<Json> =
        resources.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let wanted: Json = serde_json::from_str(include_str!("batches/proxies.json")).unwrap();
    assert_eq!(Json::from(found), wanted);
}

#[test]
fn a_dependency_manager_that_meets_an_unknown_value_is_passed_over() {
    if !has_python() {
        return;
    }
    let python = "
from inmanta.ast import UnknownException
from inmanta.export import dependency_manager
from inmanta.resources import Resource, resource

@resource(\"m::One\", agent=\"name\", id_attribute=\"name\")
class One(Resource):
    fields = ()

@dependency_manager
def not_known(model, resources):
    raise UnknownException(None)

@dependency_manager
def by_text(model, resources):
    resources[next(one for one in resources if one.attribute_value == \"b\")].requires.add(\"m::One[a,name=a]\")
";
    let definitions =
        "entity One extends std::Resource:\n    string name\nend\nimplement One using std::none\n";
    let model = "import m\nm::One(name=\"a\")\nm::One(name=\"b\")\n";
    let (text, resources) = outcome(model, definitions, python);
    assert_eq!(text, "");
    assert!(resources[1].contains(r#""requires":["m::One[a,name=a]"]"#), "{resources:?}");
}

#[test]
fn a_resource_that_fails_is_told_of_with_its_field() {
    if !has_python() {
        return;
    }
    let (model, definitions) =
        (include_str!("batches/export.cf"), include_str!("batches/export_module.cf"));
    let python = include_str!("batches/export.py");
    let model = format!("{model}m::Skipped(name=\"bad\")\n");
    let (text, _) = outcome(&model, definitions, python);
    let wanted = "first of three\nfirst of bad\n\
                  Failed to get attribute 'second' for export on 'm::Skipped'";
    assert!(text.contains(wanted), "{text}");
    let python = python.replace("raise KeyError(\"second of \" + one.name)", "while True: pass");
    let (text, _) = outcome(&model, definitions, &python);
    assert!(text.contains(wanted) && text.contains("it takes longer than 2 s"), "{text}");
}

/// A module whose plugins log their calls in a file.
const NOTES: &str = r#"
import os, time
from inmanta.plugins import plugin

def note(text):
    with open("NOTES", "a") as file:
        file.write(text + "\n")
    print(text)

@plugin
def good(number: "int") -> "int":
    note("good %d" % number)
    return number

@plugin
def bad(number: "int") -> "int":
    note("bad %d" % number)
    if number == 1:
        raise ValueError("no ones")
    if number == 2:
        os._exit(3)
    if number == 3:
        while True: pass
    if number == 4:
        def deeper(n): return deeper(n + 1) + 1
        return deeper(0)
    if number == 5:
        return len(bytearray(1 << 40))
    return number
"#;

/// Calls `good` and `bad` once, then three times in a batch; returns the output, the error and the
/// log.
fn after_a_call(number: u32) -> (String, String) {
    let directory = tempfile::tempdir().unwrap();
    let notes = directory.path().join("notes");
    let model = format!(
        "import m\nw = m::good(0)\nv = m::bad(0)\nfor i in [w]:\n    a = m::good(w + 7)\n    \
         b = m::bad(v + {number})\n    c = m::good(w + 9)\nend\n"
    );
    let python = NOTES.replace("NOTES", &notes.display().to_string());
    let (text, _) = outcome(&model, "", &python);
    (text, fs::read_to_string(notes).unwrap().replace('\n', " "))
}

#[test]
fn calls_after_a_failing_one_are_not_made() {
    if !has_python() {
        return;
    }
    // Statements of a loop run from the last one to the first.
    let before = |number: u32| format!("good 0 bad 0 good 9 bad {number} ");
    for (number, wanted) in [
        (1, "ValueError: no ones"),
        (2, "it ended with status 3, while it ran m::bad (reported"),
        (3, "TimeoutError: it takes longer than 2 s"),
        (4, "RecursionError: maximum recursion depth exceeded"),
        (5, "MemoryError"),
    ] {
        let (text, notes) = after_a_call(number);
        assert_eq!(notes, before(number), "{text}");
        assert!(text.contains(wanted), "{number}: {text}");
        assert!(text.starts_with("good 0\nbad 0\ngood 9\n"), "{number}: {text}");
    }
    assert_eq!(after_a_call(6).1, "good 0 bad 0 good 9 bad 6 good 7 ");
}

#[test]
fn a_file_is_read_between_the_calls_that_write_it() {
    if !has_python() {
        return;
    }
    let python = "
import os
from inmanta.module import Project
from inmanta.plugins import plugin

@plugin
def store(text: 'string') -> 'string':
    directory = os.path.join(Project.get()._path, 'files')
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, 'x'), 'w') as file:
        file.write(text)
    return 'x'
";
    let model = "import m\nw = m::store(\"first\")\nfor i in [w]:\n    a = m::store(\"one {{w}}\")\n    \
                 f = std::source(\"/{{w}}\")\n    b = m::store(\"two {{w}}\")\n    std::print(f)\nend\n";
    // Statements of a loop run from the last one to the first.
    assert_eq!(outcome(model, "", python).0, "two x\n");
}

#[test]
fn numbers_beyond_64_bits_are_exported_as_numbers() {
    if !has_python() {
        return;
    }
    let (model, definitions) =
        (include_str!("batches/numbers.cf"), include_str!("batches/numbers_module.cf"));
    let python = include_str!("batches/numbers.py");
    let (text, json) = with_outcome(model, definitions, python, |outcome| {
        let exported = outcome.export().unwrap();
        (exported.text(), exported.json())
    });
    for wanted in [
        r#""number": 9223372036854775807,"#,
        r#""twice": [18446744073709551614, -9223372036854775807],"#,
        r#""number": 1180591620717411303424,"#,
        r#""value": {"n": 18446744073709551616, "list": [9223372036854775808, 1], "$i": "3"},"#,
        r#""twice": [2361183241434822606848, -1180591620717411303424],"#,
        r#""number": 1267650600228229401496703205376,"#,
        r#""value": {"$d": 1},"#,
        r#""shown": {"$i": "5", "$d": [["a", 1]], "n": "1267650600228229401496703205376"},"#,
    ] {
        assert!(text.contains(wanted), "{wanted} is not in {text}");
    }
    let large = json.as_array().unwrap().iter().find(|one| one["ratio"] == 2.5).unwrap();
    assert_eq!(large["number"], json!({"$int": "1180591620717411303424"}));
}

/// A module whose plugins format texts and refuse one of them.
const TEXTS: &str = r#"
from inmanta.plugins import plugin
from inmanta.resources import Resource, resource

@plugin
def address(password: "string", number: "int") -> "string":
    print("address %d with %s" % (number, password))
    return "db://%s@host%d" % (password, number)

@plugin
def refuse(password: "string", number: "int") -> "string":
    if number == 3:
        raise ValueError("%s is too short" % password)
    return password

@resource("m::Client", agent="name", id_attribute="name")
class Client(Resource):
    fields = ("address",)
"#;

#[test]
fn passwords_that_go_through_batches_are_shown_nowhere() {
    if !has_python() {
        return;
    }
    let definitions = "entity Client extends std::Resource:\n    string name\n    string address\n\
                       end\nimplement Client using std::none\n";
    let model = "import m\nsecret = std::password(\"db\")\nfirst = [m::address(\"none\", 0), \
                 m::refuse(\"none\", 0)]\nfor n in [i for i in [1, 2, LAST] if std::count(first) == 2]:\n    \
                 text = m::address(secret, n)\n    more = m::refuse(secret, n)\n    \
                 m::Client(name=\"c{{n}}\", address=\"{{text}} {{more}}\")\nend\n";
    let value = "db://zq7x-password@host2 zq7x-password";
    with_outcome(&model.replace("LAST", "4"), definitions, TEXTS, |outcome| {
        assert!(outcome.error.is_none());
        assert!(outcome.net.stdout().contains("address 2 with zq7x-password\n"));
        assert!(!outcome.printed().contains("zq7x"), "{}", outcome.printed());
        let further = serde_json::Map::from_iter([(
            "resources".to_owned(),
            outcome.export().unwrap().json(),
        )]);
        assert!(output::text(outcome, &further, true).unwrap().contains(value));
        let hidden = output::text(outcome, &further, false).unwrap();
        assert!(!hidden.contains("zq7x"), "{hidden}");
    });
    with_outcome(&model.replace("LAST", "3"), definitions, TEXTS, |outcome| {
        let trace = outcome.error.as_ref().unwrap().trace(&outcome.net.program.files);
        assert!(trace.contains("ValueError: zq7x-password is too short"), "{trace}");
        let hidden = outcome.without_passwords(trace);
        assert!(hidden.contains("is too short") && !hidden.contains("zq7x"), "{hidden}");
    });
}
