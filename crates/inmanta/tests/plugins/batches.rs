//! Calls that run together and attributes that come together look like those that go one by one.
//!
//! What is expected is what the original gives; resources stand in the order of creation, and have
//! the fields that the newest release adds.

use std::fs;

use ordain_inmanta::session::{Request, compile};
use ordain_plugins::Limits;
use ordain_source::{HostWorld, SourceMap};

use crate::python::has_python;
use crate::session::write;

const METADATA: &str = "name: m\nversion: 1.0\nlicense: none\n";

/// What a model with a module `m` prints, or the trace of its error behind that; and its resources.
fn outcome(model: &str, definitions: &str, python: &str) -> (String, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(
        root,
        &[
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
    let mut outcome = compile(request);
    let has_failed = outcome.error.is_some();
    let exported = match has_failed {
        false => outcome.export().map(|exported| exported.resources),
        true => Ok(Vec::new()),
    };
    let mut text = outcome.net.stdout().to_owned();
    if let Some(error) = outcome.error.as_ref().or(exported.as_ref().err()) {
        text.push_str(&error.trace(&outcome.net.program.files));
    }
    (text, exported.unwrap_or_default().iter().map(ToString::to_string).collect())
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

/// A module whose plugins note their calls in a file.
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

/// Calls `good` and `bad` once, then three times at once; what was printed, the error, the notes.
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
fn what_stands_behind_a_call_that_fails_is_not_called() {
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
