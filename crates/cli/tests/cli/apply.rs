//! Applies manifests with Ordain and with the installed Puppet, and compares the results.
//!
//! Each program applies every `apply/NAME.pp` twice, on a copy of this machine in an overlay in a
//! mount namespace. For both runs, the test compares the exit code, the status of each resource,
//! the log from notices up, and the files that differ from the machine with their content, mode and
//! owner.
//!
//! A case starts with comments: `# setup: …` is a shell line before the first run, `# between: …`
//! one before the second, `# options: …` goes to both programs. With `# modules: installed` Ordain
//! finds the modules that are installed with Puppet, as Puppet does. `# differs: PART: why`
//! declares that PART (`exit`, `resources`, `log`, `files` or `queries`) differs on purpose; it is an
//! error if it does not.
//!
//! `# query: …` is a command whose output is compared after each run, `# teardown: …` a shell line
//! after the last one, and with `# network: own` a case has a network of its own. A case whose
//! `# needs: PROGRAM PACKAGE` is not installed is skipped. `# public: NAME`
//! names a module that Puppet gets from the directory `ORDAIN_PUBLIC_MODULES`; Ordain applies the case
//! without it. If the variable is not set, Puppet's side comes from `apply/recorded/NAME.json`, which
//! `ORDAIN_BLESS` writes.
//!
//! The test needs root and Puppet; otherwise it is skipped, except when `CI` is set. `ORDAIN_CASE`
//! selects cases by a part of their names, `ORDAIN_SHARE` every N-th case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};

/// The parts of a run that are compared.
const PARTS: [&str; 5] = ["exit", "resources", "log", "files", "queries"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/apply")
}

/// A manifest with the settings in its comments.
struct Case {
    name: String,
    manifest: String,
    setup: Vec<String>,
    between: Vec<String>,
    options: Vec<String>,
    queries: Vec<String>,
    teardown: Vec<String>,
    installed: bool,
    has_network: bool,
    public: Option<String>,
    needs: Vec<String>,
    differs: BTreeSet<String>,
}

impl Case {
    fn load(path: &Path) -> Self {
        let manifest = std::fs::read_to_string(path).unwrap();
        let mut case = Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            setup: Vec::new(),
            between: Vec::new(),
            options: Vec::new(),
            queries: Vec::new(),
            teardown: Vec::new(),
            installed: false,
            has_network: false,
            public: None,
            needs: Vec::new(),
            differs: BTreeSet::new(),
            manifest: String::new(),
        };
        for line in manifest.lines().map_while(|l| l.strip_prefix('#')) {
            match line.trim_start().split_once(": ") {
                Some(("setup", script)) => case.setup.push(script.into()),
                Some(("between", script)) => case.between.push(script.into()),
                Some(("query", script)) => case.queries.push(script.into()),
                Some(("teardown", script)) => case.teardown.push(script.into()),
                Some(("needs", program)) => case.needs.push(program.into()),
                Some(("public", module)) => case.public = Some(module.into()),
                Some(("network", what)) => {
                    assert_eq!(what, "own", "{}", case.name);
                    case.has_network = true;
                }
                Some(("options", words)) => {
                    case.options.extend(words.split_whitespace().map(String::from));
                }
                Some(("modules", what)) => {
                    assert_eq!(what, "installed", "{}", case.name);
                    case.installed = true;
                }
                Some(("differs", what)) => {
                    let part = what.split(':').next().unwrap();
                    assert!(PARTS.contains(&part), "{}: {part}", case.name);
                    case.differs.insert(part.into());
                }
                _ => {}
            }
        }
        case.manifest = manifest;
        case
    }

    fn request(&self, side: &str) -> Json {
        json!({
            "side": side, "manifest": self.manifest, "setup": self.setup.join("\n"),
            "between": self.between.join("\n"), "options": self.options,
            "ordain": env!("CARGO_BIN_EXE_ordain"), "modules": root().join("modules"),
            "installed": self.installed, "queries": self.queries,
            "teardown": self.teardown.join("\n"), "network": self.has_network,
            "public": self.public.as_ref().filter(|_| side == "puppet").zip(public_modules())
                .map(|(module, dir)| dir.join(module)),
        })
    }

    /// The file with Puppet's side of a case with a public module.
    fn recorded(&self) -> PathBuf {
        root().join(format!("recorded/{}.json", self.name))
    }

    /// The answer of a side. That of Puppet may be recorded.
    fn answer(&self, machine: &mut Machine, side: &str) -> Json {
        let has_peer = self.public.is_none() || public_modules().is_some();
        if side == "puppet" && !has_peer {
            let text = std::fs::read_to_string(self.recorded()).unwrap();
            return serde_json::from_str(&text).unwrap();
        }
        let answer = machine
            .ask(&self.request(side))
            .unwrap_or_else(|| json!({ "error": "the process that runs cases ended" }));
        let is_blessed = std::env::var_os("ORDAIN_BLESS").is_some() && answer.is_array();
        if side == "puppet" && self.public.is_some() && is_blessed {
            let text = serde_json::to_string_pretty(&answer).unwrap();
            std::fs::create_dir_all(root().join("recorded")).unwrap();
            std::fs::write(self.recorded(), text + "\n").unwrap();
        }
        answer
    }
}

/// The directory with public modules.
fn public_modules() -> Option<PathBuf> {
    std::env::var_os("ORDAIN_PUBLIC_MODULES").map(PathBuf::from)
}

/// A process that runs cases.
struct Machine {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Machine {
    fn start() -> Option<Self> {
        let script = root().join("machine.rb");
        let mut ruby = Command::new("ruby");
        ruby.arg("-W0").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = ruby.spawn().ok()?;
        let answers = BufReader::new(child.stdout.take()?);
        Some(Self { child, answers })
    }

    fn ask(&mut self, request: &Json) -> Option<Json> {
        let stdin = self.child.stdin.as_mut()?;
        writeln!(stdin, "{request}").ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn applies_as_puppet_does() {
    let probe = Machine::start().and_then(|mut machine| {
        let case = json!({
            "side": "puppet", "manifest": "", "setup": "", "between": "", "options": [],
            "ordain": env!("CARGO_BIN_EXE_ordain"), "modules": root().join("modules"),
        });
        machine.ask(&case).filter(Json::is_array).map(|_| machine)
    });
    ordain_testkit::peer(probe.is_some(), "puppet-agent (and the test has to be run by root)");
    let Some(first) = probe else { return };
    let cases = cases();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = |mut machine: Machine| {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let told = run(&mut machine, case);
            if !told.is_empty() {
                failures.lock().unwrap().insert(case.name.clone(), told);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| work(first));
        scope.spawn(|| work(Machine::start().unwrap()));
    });
    let failures = failures.into_inner().unwrap();
    let told: Vec<_> = failures.iter().map(|(name, told)| format!("{name}:\n{told}")).collect();
    let (failed, all) = (failures.len(), cases.len());
    assert!(told.is_empty(), "{failed} of {all} cases differ\n\n{}", told.join("\n"));
}

fn cases() -> Vec<Case> {
    let wanted = std::env::var("ORDAIN_CASE").unwrap_or_default();
    let entries = std::fs::read_dir(root()).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|p| p.extension().is_some_and(|e| e == "pp")).collect();
    assert!(paths.len() >= 300, "cases are gone");
    paths.sort();
    let cases = paths.iter().map(|p| Case::load(p.as_path()));
    let is_wanted = |case: &Case| wanted.split(',').any(|part| case.name.contains(part));
    let cases: Vec<Case> = cases
        .filter(|case| is_wanted(case) && case.needs.iter().all(|name| is_installed(name)))
        .collect();
    ordain_testkit::share(cases)
}

/// Whether the machine has a program, which comes before the package that it is of.
fn is_installed(needed: &str) -> bool {
    let (program, package) = needed.split_once(' ').unwrap();
    let places = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].map(Path::new);
    ordain_testkit::peer(places.iter().any(|place| place.join(program).exists()), package)
}

/// The unexpected differences, and the expected ones that are missing.
fn run(machine: &mut Machine, case: &Case) -> String {
    let mut answers = ["puppet", "ordain"].map(|side| case.answer(machine, side));
    let mut told = String::new();
    for answer in &answers {
        if let Some(error) = answer.get("error") {
            writeln!(told, "  {}", error.as_str().unwrap_or_default()).unwrap();
        }
    }
    if !told.is_empty() {
        return told;
    }
    let mut differing = BTreeSet::new();
    for turn in 0..2 {
        let [puppet, ordain] = answers.each_mut().map(|a| a[turn].take());
        for part in PARTS {
            let [theirs, ours] = [&puppet, &ordain].map(|run| view(part, run));
            if theirs != ours {
                differing.insert(part.to_string());
                if !case.differs.contains(part) {
                    let diff = similar::TextDiff::from_lines(&theirs, &ours);
                    let diff = diff.unified_diff().header("puppet", "ordain").to_string();
                    writeln!(told, "run {}, {part}:\n{diff}", turn + 1).unwrap();
                }
            }
        }
    }
    for part in case.differs.difference(&differing) {
        writeln!(told, "{part} no longer differs").unwrap();
    }
    told
}

/// A part of a run as text.
fn view(part: &str, run: &Json) -> String {
    match part {
        // Puppet's exit code combines failures with changes.
        "exit" => match run["exit"].as_i64() {
            Some(1 | 4 | 6) => "failed\n".into(),
            other => format!("{other:?}\n"),
        },
        "resources" => lines(run["resources"].as_object().unwrap().iter().map(|(name, r)| {
            let (status, properties) = (r["status"].as_str().unwrap(), &r["properties"]);
            let refreshed = if r["refreshed"] == true { ", refreshed" } else { "" };
            format!("{name}: {status} {properties}{refreshed}")
        })),
        "queries" => run["queries"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|q| format!("{}\n", q.as_str().unwrap_or_default()))
            .collect(),
        "log" => run["logs"].as_array().unwrap().iter().map(|l| log_line(l) + "\n").collect(),
        _ => lines(run["tree"].as_object().unwrap().iter().map(|(path, what)| {
            let what = what.as_str().unwrap().trim_end_matches('\n').replace('\n', "\n    ");
            format!("{path}: {what}")
        })),
    }
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.map(|l| l + "\n").collect();
    lines.sort();
    lines.concat()
}

fn log_line(line: &Json) -> String {
    let word = |i: usize| line[i].as_str().unwrap_or_default();
    format!("{}: {}: {}", word(0), word(1), word(2))
}
