//! Real output of every verb that prints a document is valid by its schema, and its schema names
//! all of its members.
#![allow(clippy::unwrap_used)]

#[path = "../fleet_store/mod.rs"]
mod fleet_store;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use ordain_testkit::golden::files;
use serde_json::{Value as Json, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ordain");

/// Files that the commands use.
const FILES: &[(&str, &str)] = &[
    (
        "site.pp",
        "class motd(String $text = 'hi') {
  notice(\"says ${text}\")
  file { '/etc/motd': content => \"${text}\\n\", mode => '0644' }
  ~> exec { '/bin/true': refreshonly => true }
}
include motd
File { backup => false }
file { '/etc/motd.d': ensure => directory, before => Class['motd'], * => { noop => false } }
File <| title == '/etc/motd' |> { tag => 'greeting', mode => '0600' }
@file { '/etc/virtual': ensure => present }
file { '/etc/secret': content => Sensitive('42') }
file { '/nowhere/x': ensure => file }
file { '/nowhere/y': ensure => file, require => File['/nowhere/x'] }
",
    ),
    ("other.pp", "file { '/etc/motd': content => \"ho\\n\", mode => '0644' }\n"),
    ("wrong.pp", "notice($nope)\nfile { '/x': require => File['/y'] }\n"),
    ("a.yml", "a: 1\nb: [x]\n"),
    ("b.yml", "a: 2\nb: [x, y]\n"),
    (
        "types.pp",
        "type Role { attr gid, String { min => 1, check => { if $gid =~ /x/ { 'no' } } } }\n",
    ),
    ("env/hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
    ("env/data/common.yaml", "motd::text: from data\nk: {a: 1}\n"),
    ("env/environment.conf", "modulepath = modules\n"),
    ("facts/web1.json", "{\"os\": {\"family\": \"Debian\"}}"),
    ("env/manifests/site.pp", "include motd\n"),
    (
        "env/modules/motd/manifests/init.pp",
        "class motd($text) { file { '/etc/motd': content => $text } }\n",
    ),
    ("job.yml", "jobs:\n  - name: (( team ))\nteam: web\n"),
    (
        "env/tests/motd.test.yaml",
        "code: include motd
tests:
  - name: has the text
    expect:
      resources:
        File[/etc/motd]: {content: from data}
  - name: has another text
    expect:
      resources:
        File[/etc/motd]: {content: other}
",
    ),
];

/// Commands whose standard output is a document, or lines that are documents, by format.
const COMMANDS: &[(&str, &str)] = &[
    ("graph", "ordain compile site.pp --format graph"),
    ("graph", "ordain graph env --format json"),
    ("graph", "ordain compile site.pp --format graph --include-secrets"),
    ("plan", "ordain plan site.pp --root root --format json"),
    ("plan", "ordain plan other.pp --root root --out saved.plan >/dev/null; cat saved.plan"),
    ("report", "ordain apply site.pp --root root --format json"),
    ("report", "ordain apply other.pp --root root --noop --format json"),
    ("event", "ordain watch other.pp --root root --format json --converged-timeout 0"),
    ("event", "ordain watch wrong.pp --root root --format json --converged-timeout 0"),
    ("check", "ordain check site.pp wrong.pp env --format json"),
    ("diagnostic", "ordain compile wrong.pp --diagnostics json 2>&1 >/dev/null"),
    ("diagnostic", "ordain compile site.pp --diagnostics json 2>&1 >/dev/null"),
    ("explanation", "ordain explain 'File[/etc/motd]' site.pp --format json"),
    ("explanation", "ordain explain 'File[/etc/motd].content' env --format json"),
    ("explanation", "ordain explain job.yml --at jobs.[0].name --format json"),
    ("diff", "ordain diff a.yml b.yml --format json"),
    ("diff", "ordain diff site.pp other.pp --format json"),
    ("value", "ordain eval -e '[1, \"a\"]' --format json"),
    ("value", "ordain eval -e 'notice(1) nope()' --format json"),
    ("lookup", "ordain lookup k --path env --explain --format json"),
    ("lookup", "ordain lookup none --path env --format json"),
    ("lookup-nodes", "ordain lookup k --path env --all-nodes --facts facts --format json"),
    ("syntax", "ordain parse site.pp --format json"),
    ("syntax", "echo '$x = [' | ordain parse - --format json"),
    ("kinds", "ordain kinds --format json"),
    ("codes", "ordain explain-code --format json"),
    ("facts", "ordain facts --format document"),
    ("history", "ordain history --format json"),
    ("run", "ordain show 1 --format json"),
    ("doctor", "ordain doctor --format json"),
    ("verbs", "ordain completions --format json"),
    ("type-logic", "ordain types export types.pp --logic logic.json >/dev/null; cat logic.json"),
    ("test-report", "ordain test env --format json --coverage"),
    ("deploy", "ordain deploy --remote control --to envs --cachedir cache --format json"),
    ("deployed", "ordain deploy list --to envs --format json"),
    (
        "puppetfile",
        "echo \"mod 'a', :git => '$PWD/control', :ref => 'main'\" >Puppetfile
        ordain deploy puppetfile --cachedir cache --format json",
    ),
    ("puppetfile", "echo >Puppetfile; ordain deploy puppetfile --cachedir cache --format json"),
    ("ca", "ordain ca setup --ca-dir ca --name 'A CA' --format json"),
    ("ca", "ordain ca show --ca-dir ca --format json"),
    ("ca-generated", "ordain ca generate web1 --ca-dir ca --ssl-dir ssl --format json"),
    ("ca-list", "ordain ca list --all --ca-dir ca --format json"),
    ("ca-change", "ordain ca revoke web1 none --ca-dir ca --format json"),
    ("ca-prune", "ordain ca prune --ca-dir ca --format json"),
    ("ca-export", "ordain ca export exported --ca-dir ca --format json"),
    ("fleet-diff", "ordain fleet diff env changed --facts facts --format json"),
    ("fleet-nodes", "ordain fleet nodes --state-dir store --format json"),
    ("fleet-facts", "ordain fleet facts 'web00*' os --state-dir store --format json"),
    ("fleet-fact-counts", "ordain fleet facts '*' role --count --state-dir store --format json"),
    ("fleet-reports", "ordain fleet reports --limit 9 --state-dir store --format json"),
    ("fleet-report", "ordain fleet reports db003.example.org last --state-dir store --format json"),
    ("fleet-drift", "ordain fleet drift --state-dir store --format json"),
    (
        "fleet-change",
        "ordain fleet pin web001.example.org one --force --state-dir store --format json",
    ),
    ("fleet-pins", "ordain fleet pin --state-dir store --format json"),
    ("fleet-change", "ordain fleet unpin web001.example.org --state-dir store --format json"),
    ("fleet-run", "ordain fleet run web001.example.org --reach 1 --state-dir store --format json"),
];

/// A schema of which every object refuses members that it does not name.
fn closed(schema: Json) -> Json {
    match schema {
        Json::Object(members) => {
            let mut members: serde_json::Map<String, Json> =
                members.into_iter().map(|(name, member)| (name, closed(member))).collect();
            if members.get("properties").is_some_and(Json::is_object)
                && members.get("oneOf").is_none()
                && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".into(), json!(false));
            }
            members.into()
        }
        Json::Array(items) => items.into_iter().map(closed).collect(),
        other => other,
    }
}

fn run(dir: &Path, command: &str) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let program_dir = Path::new(PROGRAM).parent().unwrap();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(dir)
        .env("PATH", format!("{}:{path}", program_dir.display()))
        .env("ORDAIN_STATE_DIR", dir.join("state"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The documents in an output: the whole text, or else its lines.
fn documents(text: &str) -> Vec<Json> {
    if let Ok(document) = serde_json::from_str(text) {
        return vec![document];
    }
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

/// The names that `ordain schema --list` prints.
fn names(dir: &Path) -> BTreeSet<String> {
    let list = run(dir, "ordain schema --list");
    list.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

fn validators(dir: &Path) -> BTreeMap<String, jsonschema::Validator> {
    let validator = |name: String| {
        let schema: Json =
            serde_json::from_str(&run(dir, &format!("ordain schema {name}"))).unwrap();
        jsonschema::meta::validate(&schema).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, jsonschema::validator_for(&closed(schema)).unwrap())
    };
    names(dir).into_iter().map(validator).collect()
}

fn prepare(dir: &Path) {
    for (name, text) in FILES {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir_all(dir.join("root/etc")).unwrap();
    fleet_store::fill(&dir.join("store"));
    run(
        dir,
        "cp -r env changed && echo 'motd::text: other' > changed/data/common.yaml &&
        cp -r env control && cd control && git init -q -b main && git add -A &&
        git -c user.name=a -c user.email=a@example.org commit -q -m one && echo done",
    );
}

fn complaints(validator: &jsonschema::Validator, document: &Json) -> Vec<String> {
    validator.iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

#[test]
fn real_output_is_valid_by_its_schema() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    prepare(dir);
    let validators = validators(dir);
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    for (format, command) in COMMANDS {
        for document in documents(&run(dir, command)) {
            let found = complaints(&validators[*format], &document);
            if !found.is_empty() {
                wrong.push(format!("{command}\n{document}\n{found:#?}"));
            }
        }
        seen.insert((*format).to_owned());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(seen, validators.keys().cloned().collect());
}

/// The documents that the manual and the golden pages show are those of the schemas.
#[test]
fn documents_in_the_manual_are_valid_by_their_schemas() {
    let temporary = tempfile::tempdir().unwrap();
    let validators = validators(temporary.path());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = files(&root.join("tests/cases"), &["md"]);
    pages.extend(files(&root.join("../../docs"), &["md"]));
    let mut found = 0;
    for page in pages {
        for line in fs::read_to_string(&page).unwrap().lines() {
            let Ok(document) = serde_json::from_str::<Json>(line) else { continue };
            let Some(format) = document["format"].as_str() else { continue };
            let Some(validator) = format.strip_prefix("ordain-").and_then(|n| validators.get(n))
            else {
                continue;
            };
            let complaints = complaints(validator, &document);
            assert!(complaints.is_empty(), "{}\n{line}\n{complaints:#?}", page.display());
            found += 1;
        }
    }
    assert!(found > 10, "only {found} documents were found");
}

/// A schema is no description of everything.
#[test]
fn schemas_refuse_documents_of_other_forms() {
    let temporary = tempfile::tempdir().unwrap();
    for (name, validator) in validators(temporary.path()) {
        for wrong in [
            json!({}),
            json!([]),
            json!({ "format": "ordain-other", "version": 1 }),
            json!({ "format": format!("ordain-{name}"), "version": 99 }),
        ] {
            assert!(!validator.is_valid(&wrong), "{name} accepts {wrong}");
        }
    }
}
