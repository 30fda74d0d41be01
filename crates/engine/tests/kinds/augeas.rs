//! `augeas`. `crates/cli/tests/apply/augeas_*.pp` compares it with Puppet's type; these tests are of
//! the rest.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use crate::support::{Machine, errors, fails, lines, list, parse, resource, s, says, secret};
use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::kind::{Instance, Kind, ParseContext, TextChange};
use ordain_engine::kinds::augeas::Augeas;
use ordain_engine::runner::HostRunner;
use ordain_graph::ServedFiles;
use tempfile::TempDir;

/// A directory in place of the root of files, if this machine has augtool.
fn directory() -> Option<(TempDir, Host)> {
    let has = Path::new("/usr/bin/augtool").exists();
    ordain_testkit::peer(has, "augeas-tools");
    has.then(|| (tempfile::tempdir().unwrap(), Host::new("/".into(), Box::new(HostRunner))))
}

fn attributes(
    directory: &TempDir,
    file: &str,
    more: &[(&'static str, Value)],
) -> Vec<(&'static str, Value)> {
    let root = directory.path().to_str().unwrap();
    let mut all = vec![("root", s(root)), ("incl", s(file)), ("lens", s("Hosts.lns"))];
    all.extend_from_slice(more);
    all
}

fn hosts(directory: &TempDir, more: &[(&'static str, Value)]) -> Box<dyn Instance> {
    parse(&Augeas::default(), "a", &attributes(directory, "/hosts", more))
}

fn names(directory: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_second_run_changes_nothing() {
    let Some((directory, host)) = directory() else { return };
    let file = directory.path().join("real");
    std::fs::write(&file, "10.0.0.1 \t a\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real", directory.path().join("hosts")).unwrap();
    let edited = hosts(&directory, &[("changes", list(&["set 1/canonical b", "set 1/alias c"]))]);
    let changes = edited.compare(&host).unwrap();
    assert_eq!(lines(&changes), ["returns: executed successfully"]);
    let text = TextChange { before: "10.0.0.1 \t a\n".into(), after: "10.0.0.1 \t b c\n".into() };
    assert_eq!(changes[0].text.as_ref(), Some(&text));
    // Nothing has changed yet, and nothing is left behind.
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "10.0.0.1 \t a\n");
    assert_eq!(names(&directory), ["hosts", "real"]);
    edited.apply(&host, &changes).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "10.0.0.1 \t b c\n");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&directory), ["hosts", "real"]);
    assert!(edited.compare(&host).unwrap().is_empty());
}

#[test]
fn a_file_is_removed_by_apply_alone() {
    let Some((directory, host)) = directory() else { return };
    std::fs::write(directory.path().join("hosts"), "10.0.0.1 a\n").unwrap();
    let root = directory.path().to_str().unwrap();
    let gone = hosts(&directory, &[("context", s("/files")), ("changes", s("rm hosts"))]);
    let changes = gone.compare(&host).unwrap();
    assert_eq!(names(&directory), ["hosts"], "{root}");
    gone.apply(&host, &changes).unwrap();
    assert!(names(&directory).is_empty());
    assert!(gone.compare(&host).unwrap().is_empty());
}

#[test]
fn force_runs_it_each_time() {
    let Some((directory, host)) = directory() else { return };
    std::fs::write(directory.path().join("hosts"), "10.0.0.1 a\n").unwrap();
    let more = [("changes", s("set 1/canonical a")), ("force", Value::Bool(true))];
    let forced = hosts(&directory, &more);
    let changes = forced.compare(&host).unwrap();
    assert_eq!(changes.len(), 1);
    forced.apply(&host, &changes).unwrap();
    let mut more = more.to_vec();
    more.push(("onlyif", s("match 1 size == 0")));
    assert!(hosts(&directory, &more).compare(&host).unwrap().is_empty());
}

#[test]
fn secrets_are_not_shown() {
    let Some((directory, host)) = directory() else { return };
    std::fs::write(directory.path().join("hosts"), "10.0.0.1 a\n").unwrap();
    let edited = hosts(&directory, &[("changes", secret("set 1/canonical password"))]);
    let changes = edited.compare(&host).unwrap();
    assert_eq!((changes.len(), changes[0].text.as_ref()), (1, None));
    for wrong in ["mv 9/password 8", "set 1/password x"] {
        let broken = hosts(&directory, &[("changes", secret(wrong))]);
        let error = broken.compare(&host).unwrap_err().0;
        assert!(!error.contains("password"), "{error}");
    }
    let wrong = errors(&Augeas::default(), "a", &[("changes", secret("password x"))]);
    assert_eq!(wrong, ["changes: the secret value is wrong"]);
    let hidden = [("changes", s("set 1/canonical b")), ("show_diff", Value::Bool(false))];
    assert_eq!(hosts(&directory, &hidden).compare(&host).unwrap()[0].text, None);
}

#[test]
fn errors_say_what_augeas_says() {
    let Some((directory, host)) = directory() else { return };
    std::fs::write(directory.path().join("hosts"), "bad\n").unwrap();
    let error =
        |changes: &str| hosts(&directory, &[("changes", s(changes))]).compare(&host).unwrap_err().0;
    let text = error("mv 9 8");
    assert!(
        text.starts_with("Error sending command 'mv' with params [\"/files/hosts/9\""),
        "{text}"
    );
    assert!(text.contains("No match") && text.contains("/hosts line 1: parse_failed"), "{text}");
    std::fs::write(directory.path().join("hosts"), "10.0.0.1 a\n").unwrap();
    let text = error("set 1/what ever");
    assert!(text.starts_with("Save failed: /hosts: put_failed: Failed to match tree"), "{text}");
    let mut unknown = attributes(&directory, "/hosts", &[("changes", s("set 1/canonical b"))]);
    unknown[2] = ("lens", s("Nothing.lns"));
    let unknown = parse(&Augeas::default(), "a", &unknown);
    let text = unknown.compare(&host).unwrap_err().0;
    assert_eq!(text, "Save failed: /augeas/load/Xfm: Can not find lens Nothing.lns");
    assert_eq!(names(&directory), ["hosts"]);
}

#[test]
fn values_arrive_as_they_are() {
    let Some((directory, host)) = directory() else { return };
    let root = directory.path().to_str().unwrap();
    let file = directory.path().join("json");
    for value in
        ["a", "a b", "x'y", "[", "]", "a]b[c", r"\\[", r"\\n", "é ü", "$x", "#", "{}", "a\tb"]
    {
        std::fs::write(&file, "{\"k\": \"old\"}\n").unwrap();
        let command = format!("set dict/entry/string \"{value}\"");
        let attributes = [
            ("root", s(root)),
            ("incl", s("/json")),
            ("lens", s("Json.lns")),
            ("changes", s(&command)),
        ];
        let edited = parse(&Augeas::default(), "a", &attributes);
        let changes = edited.compare(&host).unwrap();
        edited.apply(&host, &changes).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, format!("{{\"k\": \"{value}\"}}\n"));
        assert!(edited.compare(&host).unwrap().is_empty(), "{value}");
    }
}

#[test]
fn a_file_of_another_resource_may_be_missing_in_a_plan() {
    let Some((directory, host)) = directory() else { return };
    let file = directory.path().join("hosts");
    let declared: Arc<BTreeSet<_>> = Arc::new(std::iter::once(file.clone()).collect());
    let files = || Arc::clone(&declared);
    let context = ParseContext {
        resolve_source: &|_| None,
        find: &|_| None,
        files: &files,
        of_kind: &|_| Vec::new(),
        registry: &Arc::default(),
        served: &ServedFiles::default(),
        graph: &ordain_graph::Graph::default(),
        graph_number: 0,
        without_deferred: &|resource| std::borrow::Cow::Borrowed(resource),
    };
    let all = attributes(&directory, "/hosts", &[("changes", s("mv 1 2"))]);
    let edited = Augeas::default().parse(&resource("Augeas", "a", &all), &context);
    let edited = edited.map_err(|e| format!("{e:?}")).unwrap();
    let changes = edited.compare(&host).unwrap();
    assert_eq!(changes.len(), 1);
    assert!(edited.apply(&host, &changes).is_err());
    std::fs::write(&file, "10.0.0.1 a\n").unwrap();
    assert_eq!(edited.compare(&host).unwrap().len(), 1);
    assert!(hosts(&directory, &[("changes", s("mv 7 8"))]).compare(&host).is_err());
}

#[test]
fn a_missing_program_is_named_with_its_package() {
    let machine = Machine::silent();
    let edited = parse(&Augeas::default(), "a", &[("changes", s("set /files/x y"))]);
    let error = edited.compare(&machine.host).unwrap_err().0;
    assert!(error.contains("augeas-tools"), "{error}");
}

#[test]
fn a_program_that_breaks_off_is_an_error() {
    for answer in [says(""), says("/x = 1\n"), fails(1, "Failed to initialize Augeas\n")] {
        let machine = Machine::answering(move |_, _| answer.clone());
        machine.write("usr/bin/augtool", "");
        let program = machine.root().join("usr/bin/augtool");
        std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
        let edited = parse(&Augeas::default(), "a", &[("changes", s("set /files/x y"))]);
        let error = edited.compare(&machine.host).unwrap_err().0;
        assert!(error.starts_with("Could not run augtool: "), "{error}");
    }
}

#[test]
fn wrong_attributes() {
    let wrong =
        |name: &'static str, value: Value| errors(&Augeas::default(), "a", &[(name, value)]);
    let both = "-: You must specify both the lens and incl parameters, or neither.";
    assert_eq!(wrong("lens", s("Hosts.lns")), [both]);
    assert_eq!(wrong("changes", s("ser /a b")), ["changes: Unknown command ser"]);
    assert_eq!(wrong("changes", list(&["rm /a", "rm"])).len(), 1);
    assert_eq!(wrong("onlyif", s("get /a = b")), ["onlyif: invalid comparator for command get"]);
    assert_eq!(wrong("returns", s("1")), ["returns: returns must be 0"]);
    assert_eq!(wrong("root", s("relative")), ["root: root must be an absolute path"]);
    assert_eq!(wrong("context", s("/files/\u{7}")).len(), 1);
}
