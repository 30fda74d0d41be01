//! Compares Ordain with the installed Puppet.
//!
//! Both compile every `differential/NAME.pp` as the manifest of an environment. A directory
//! `differential/NAME`, if there is one, is that environment: modules, `hiera.yaml`, data. A first
//! line `# Site: OTHER` uses that of other cases. Its `node.json` may set `node`, `facts`,
//! `trusted`, `classes` and `parameters`. `differential/KNOWN.md` has the intended differences with
//! their reasons. A line `# Chance: WHY` means that Puppet's own answer varies: Puppet is asked up
//! to three times, and one answer has to agree.
//!
//! Without `ruby` and Puppet, the tests say so and pass, except when the variable `CI` is set.
//! `PUPPET_LIB` names the `lib` directory of another release.

#[path = "../differential/compare.rs"]
mod compare;
#[path = "../differential/ours.rs"]
mod ours;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

/// The packages of Debian with the real program and the libraries that its functions load.
const PACKAGES: &str = "puppet-agent, ruby-scanf, ruby-deep-merge and ruby-concurrent";

/// The real program, a process that answers requests.
struct Oracle {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Nothing if there is no Puppet on this machine.
    fn start() -> Option<Self> {
        let script = root().join("oracle.rb");
        let child = Command::new("ruby")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let oracle = child.ok().and_then(|mut child| {
            let answers = BufReader::new(child.stdout.take()?);
            let mut oracle = Self { child, answers };
            let empty = json!({ "dir": root(), "code": "", "node": "probe" });
            oracle.try_ask(&empty).map(|_| oracle)
        });
        ordain_testkit::peer(oracle.is_some(), PACKAGES);
        oracle
    }

    fn try_ask(&mut self, request: &Json) -> Option<Json> {
        let stdin = self.child.stdin.as_mut()?;
        writeln!(stdin, "{request}").ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    fn ask(&mut self, request: &Json) -> Json {
        let gone = || panic!("Puppet ended without an answer (it needs {PACKAGES}) to {request}");
        self.try_ask(request).unwrap_or_else(gone)
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/differential")
}

/// The cases that are meant to differ: `- name: reason` in `KNOWN.md`.
fn known() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("KNOWN.md")).unwrap();
    let entries = text.lines().filter_map(|line| line.strip_prefix("- "));
    entries.map(|entry| entry.split_once(": ").unwrap().0.to_string()).collect()
}

fn cases() -> Vec<PathBuf> {
    let files = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|f| f.extension().is_some_and(|e| e == "pp")).collect();
    files.sort();
    files
}

fn request(manifest: &Path, empty: &Path) -> Json {
    let code = fs::read_to_string(manifest).unwrap();
    // Cases may share a site.
    let dir = match code.lines().next().and_then(|line| line.strip_prefix("# Site: ")) {
        Some(name) => root().join(name),
        None => manifest.with_extension(""),
    };
    let node = fs::read_to_string(dir.join("node.json")).unwrap_or_else(|_| "{}".into());
    let mut request: Json = serde_json::from_str(&node).unwrap();
    let defaults = [
        ("dir", json!(if dir.is_dir() { &dir } else { empty })),
        ("code", json!(code)),
        ("node", json!("node.example.org")),
        ("facts", json!({ "os": { "family": "Debian", "release": { "major": "12" } } })),
    ];
    for (key, value) in defaults {
        if request.get(key).is_none() {
            request[key] = value;
        }
    }
    request
}

#[test]
fn manifests() {
    let Some(mut oracle) = Oracle::start() else { return };
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().join("production");
    fs::create_dir(&empty).unwrap();
    let known = known();
    let mut failures = Vec::new();
    for manifest in cases() {
        let name = manifest.file_stem().unwrap().to_str().unwrap();
        let request = request(&manifest, &empty);
        let ours = ours::answer(&request);
        let chances = if request["code"].to_string().contains("# Chance: ") { 3 } else { 1 };
        let mut asked = (0..chances).map(|_| compare::differences(&oracle.ask(&request), &ours));
        let first = asked.next().unwrap_or_default();
        let found = if asked.any(|again| again.is_empty()) { Vec::new() } else { first };
        match (found.is_empty(), known.contains(name)) {
            (false, false) => failures.push(format!("{name}:\n{}", found.join("\n"))),
            (true, true) => failures.push(format!("{name}: in KNOWN.md, but does not differ")),
            _ => {}
        }
    }
    assert!(failures.is_empty(), "{} cases\n{}", failures.len(), failures.join("\n"));
}

/// The example site as a whole, one compile a role.
#[test]
fn example_site() {
    let Some(mut oracle) = Oracle::start() else { return };
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site");
    let site = site.canonicalize().unwrap();
    let mut failures = Vec::new();
    for (node, name, family) in [
        ("web.example.org", "Debian", "Debian"),
        ("db.example.org", "Ubuntu", "Debian"),
        ("ops1.example.org", "Debian", "Debian"),
        ("ops.example.org", "Rocky", "RedHat"),
        ("unknown.example.org", "Debian", "Debian"),
    ] {
        let request = json!({
            "dir": site,
            "node": node,
            "facts": { "os": { "name": name, "family": family, "architecture": "amd64" } },
            "trusted": { "certname": node },
        });
        let (theirs, ours) = (oracle.ask(&request), ours::answer(&request));
        let fails = node == "unknown.example.org";
        assert_eq!(theirs.get("catalog").is_none(), fails, "{node}: {}", theirs["error"]);
        let found = compare::differences(&theirs, &ours);
        if !found.is_empty() {
            failures.push(format!("{node} on {name}:\n{}", found.join("\n")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn there_are_enough_cases() {
    let cases = cases();
    let errors = cases.iter().filter(|case| {
        case.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("error_"))
    });
    let errors = errors.count();
    assert!(cases.len() >= 150 && errors >= 50, "{} cases, {errors} errors", cases.len());
}
