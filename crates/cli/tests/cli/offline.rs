//! Verbs run in a network namespace without interfaces: none needs the network unless it is there
//! for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value as Json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ordain");

/// Verbs that are not run, and the reason.
const EXCLUDED: &[(&str, &str)] = &[
    ("serve", "answers agents over the network"),
    ("agent", "gets its graph from a server"),
    ("worker", "takes its work from a queue that other machines share"),
    ("worker", "waits for work in a database"),
    ("explore", "serves pages on a loopback address until it is stopped"),
];

/// The arguments of each verb, and its exit code.
const RUNS: &[(&str, &str, i32)] = &[
    ("init", "init module made", 0),
    ("new", "new class made::extra --path made", 0),
    ("check", "check site.pp", 0),
    ("compile", "compile site.pp", 0),
    ("plan", "plan site.pp --root root", 2),
    ("apply", "apply site.pp --root root", 2),
    ("watch", "watch site.pp --root root --lines --converged-timeout 0", 0),
    ("history", "history", 0),
    ("show", "show 1", 0),
    ("rollback", "rollback --noop", 0),
    ("doctor", "doctor", 0),
    ("deploy", "deploy list --to .", 0),
    ("ca", "ca setup --ca-dir ca", 0),
    ("fleet", "fleet diff site.pp site.pp --facts facts", 0),
    ("explain", "explain File[/motd] site.pp", 0),
    ("lookup", "lookup k --path . --default 1", 0),
    ("merge", "merge a.yml", 0),
    ("process", "process a.yml a.yml", 0),
    ("diff", "diff a.yml a.yml", 0),
    ("convert", "convert a.yml", 0),
    ("encrypt", "encrypt a.yml key", 0),
    ("graph", "graph site.pp", 0),
    ("eval", "eval -e 1", 0),
    ("test", "test tested", 0),
    ("fmt", "fmt --check site.pp", 0),
    ("lsp", "lsp", 1),
    ("facts", "facts", 0),
    ("kinds", "kinds", 0),
    ("types", "types export types.pp", 0),
    ("schema", "schema graph", 0),
    ("parse", "parse site.pp", 0),
    ("explain-code", "explain-code", 0),
    ("completions", "completions bash", 0),
    ("man", "man pages", 0),
    ("help", "help plan", 0),
];

fn run(dir: &Path, arguments: &str) -> Output {
    let mut command = Command::new("unshare");
    command.args(["--net", "--map-root-user", PROGRAM]).args(arguments.split(' '));
    command.current_dir(dir).env("ORDAIN_STATE_DIR", dir.join("state"));
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

#[test]
fn verbs_need_no_network() {
    let namespaces = Command::new("unshare").args(["--net", "--map-root-user", "true"]).status();
    if !namespaces.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("CI").is_none(), "unshare makes no network namespace");
        eprintln!("SKIPPED: unshare makes no network namespace");
        return;
    }
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let files = [
        ("site.pp", "file { '/motd': content => 'hi' }\n"),
        ("a.yml", "a: 1\n"),
        ("types.pp", "type Role { attr gid, String { min => 1 } }\n"),
        ("facts/web1.json", "{\"os\": {\"family\": \"Debian\"}}"),
        ("hiera.yaml", "version: 5\n"),
        ("tested/site.pp", "notify { 'a': }\n"),
        (
            "tested/tests/a.test.yaml",
            "code: \"notify { 'a': }\"\ntests:\n  - name: a\n    expect: {resources: {'Notify[a]': {}}}\n",
        ),
    ];
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir(dir.join("root")).unwrap();
    let mut wrong = Vec::new();
    for (_, arguments, code) in RUNS {
        let output = run(dir, arguments);
        if output.status.code() != Some(*code) {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("{arguments}: {:?}, not {code}\n{text}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let verbs: Json =
        serde_json::from_slice(&run(dir, "completions --format json").stdout).unwrap();
    let known: BTreeSet<&str> = verbs["verbs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|verb| verb["name"].as_str().unwrap())
        .collect();
    let mut listed: BTreeSet<&str> = RUNS.iter().map(|(verb, ..)| *verb).collect();
    listed.extend(EXCLUDED.iter().map(|(verb, _)| *verb));
    // It lists verbs without itself.
    listed.remove("help");
    assert_eq!(listed, known);
}
