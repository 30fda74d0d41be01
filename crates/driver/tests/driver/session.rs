//! A session returns the same graphs and messages as separate compiles, edit after edit.

use std::fs;
use std::path::Path;

use ordain_driver::{Compiled, Error, Options, Purpose, Reporter, Session, compile};
use ordain_graph::json::{self, Secrets};
use ordain_puppet::eval::LogEntry;
use ordain_source::{Diagnostic, SourceMap, render};

/// The messages of a compile as people see them.
#[derive(Default)]
struct Messages(String);

impl Reporter for Messages {
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        self.0.extend(diagnostics.iter().map(|d| render::human(d, sources, false)));
    }

    fn logs(&mut self, _: &[LogEntry], _: &SourceMap) {}

    fn output(&mut self, _: &str) {}
}

/// The graph with its origins, and all messages.
fn shown(result: Result<Compiled, Error>, messages: Messages) -> String {
    let mut text = messages.0.into_bytes();
    match result {
        Ok(compiled) => {
            json::write(&compiled.graph, &compiled.sources, Secrets::Omit, &mut text).unwrap();
        }
        Err(Error::Message(error)) => text.extend(error.message.bytes()),
        Err(Error::Reported) => {}
    }
    String::from_utf8(text).unwrap()
}

/// Writes each text to its file in turn and compiles after each.
fn follow(path: &Path, edits: &[(&str, &str)], wanted: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(path);
    let mut session = Session::default();
    for (i, (file, text)) in edits.iter().enumerate() {
        let file = dir.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        let (mut again, mut alone) = (Messages::default(), Messages::default());
        let options = Options::default();
        let found = session.compile(&mut again, &path, &options, Purpose::Inspection);
        let found = shown(found, again);
        let fresh = compile(&mut alone, &path, &options, Purpose::Inspection);
        assert_eq!(found, shown(fresh, alone), "after edit {i}");
        assert!(found.contains(wanted[i]), "after edit {i}: {found}");
    }
}

#[test]
fn edits_of_a_repository() {
    let edits = [
        ("manifests/site.pp", "include m\n"),
        ("modules/m/manifests/init.pp", "class m { notify { 'one': } }\n"),
        (
            "modules/m/manifests/init.pp",
            "class m { notify { 'two': message => epp('m/t.epp') } }\n",
        ),
        ("modules/m/templates/t.epp", "Hello <%= 1 + 1 %>\n"),
        ("modules/m/templates/t.epp", "\nHello <%= 1 + %>\n"),
        ("modules/m/templates/t.epp", "\nHello <%= 1 + 2 %>\n"),
        ("modules/m/manifests/init.pp", "\n\nclass m {\n  notify { 'three' }\n}\n"),
        ("modules/m/manifests/init.pp", "\n\nclass m {\n  notify { 'four': }\n}\n"),
        ("manifests/site.pp", "\n# nothing\n\ninclude m\nnotify { 'four': }\n"),
    ];
    let wanted =
        ["m", "one", "t.epp", "Hello 2", "t.epp:2", "Hello 3", "init.pp:4", "four", "site.pp"];
    follow(Path::new(""), &edits, &wanted);
}

#[test]
fn edits_of_a_program() {
    let edits = [
        ("main.mcl", "print \"a\" { msg => \"one\", }\n"),
        ("main.mcl", "print \"a\" { msg => \"two\", }\n"),
        ("main.mcl", "\nprint \"a\" { msg => 3, }\n"),
        ("main.mcl", "\n\nprint \"a\" { msg => \"four\", }\n"),
    ];
    follow(Path::new("main.mcl"), &edits, &["one", "two", "main.mcl:2", "four"]);
}

#[test]
fn edits_of_a_document() {
    let file = |content: &str| format!("resources:\n  file:\n    /a: {{ content: {content} }}\n");
    let texts = [
        file("(( \"x\" 1 ))"),
        format!("\n\n{}", file("two")),
        file("(( nope ))"),
        "a: [\n".to_owned(),
        file("three"),
    ];
    let edits: Vec<_> = texts.iter().map(|text| ("site.yml", text.as_str())).collect();
    let wanted = ["x1", "two", "nope", "site.yml:1", "three"];
    follow(Path::new("site.yml"), &edits, &wanted);
}

#[test]
fn a_document_is_parsed_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("site.yml");
    fs::write(&path, "resources:\n  file:\n    /a: { content: one }\n").unwrap();
    let mut session = Session::default();
    let options = session.options(&Options::default());
    let sources = options.sources();
    let mut files = Vec::new();
    for _ in 0..3 {
        let mut messages = Messages::default();
        compile(&mut messages, &path, &options, Purpose::Inspection).unwrap();
        files.push(sources.add("probe", "").0);
    }
    // Only the probe is a new text of the second and the third compile.
    assert_eq!(files[2] - files[1], 1, "{files:?}");
    assert_eq!(files[1] - files[0], 1, "{files:?}");
}
