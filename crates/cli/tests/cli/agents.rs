//! Puppet's agent applies catalogs of Ordain, and Ordain applies catalogs of Puppet.
//!
//! Both programs compile `agents/site.pp`. Each applies the catalog of the other to a directory of
//! its own; the directories must then be equal, and neither program may find changes left to make
//! in the other's.
//!
//! Without `ruby` and Puppet the test is skipped, except when the variable `CI` is set.
//! `PUPPET_LIB` names the `lib` directory of another release.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

const SITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/site.pp");
const REFERENCE_SCRIPT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../puppet/tests/differential/oracle.rb");

#[test]
fn catalogs_are_exchanged() {
    if !ordain_testkit::peer(puppet_is_here(), "puppet-agent") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let (theirs, ours) = (home.path().join("theirs"), home.path().join("ours"));
    let by_ordain = compiled_by_ordain(home.path(), &theirs);
    let by_puppet = compiled_by_puppet(home.path(), &ours);

    let noop = puppet(home.path(), &by_ordain, true);
    assert!(noop.status.success(), "{}", text(&noop));
    assert!(!theirs.exists(), "a run with --noop wrote files");

    let first = puppet(home.path(), &by_ordain, false);
    assert!(first.status.success() && changes(&first) > 5, "{}", text(&first));
    assert!(!text(&first).contains("secret"), "{}", text(&first));
    let first = ordain(home.path(), &by_puppet);
    assert_eq!(first.status.code(), Some(2), "{}", text(&first));
    assert!(!text(&first).contains("secret"), "{}", text(&first));

    let tree = tree(&theirs);
    assert_eq!(tree, self::tree(&ours));
    assert_eq!(tree["told"].1, "told\n", "one refresh for three notifications");
    assert_eq!(tree["tree/one"].1, "3 0-01:00:00.0 /^a.c$/ Array[Integer[1, 2]] 1.2.3\n");

    let again = ordain(home.path(), &by_ordain);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
    let again = puppet(home.path(), &by_puppet, false);
    assert!(again.status.success() && changes(&again) == 0, "{}", text(&again));
    assert_eq!(tree, self::tree(&theirs));
    assert_eq!(tree, self::tree(&ours));
}

/// Runs the reference Puppet.
fn ruby() -> Command {
    let mut command = Command::new("ruby");
    if let Some(lib) = std::env::var_os("PUPPET_LIB") {
        command.arg("-I").arg(lib);
    }
    command
}

fn puppet_is_here() -> bool {
    let output = ruby().args(["-e", "require 'set'; require 'puppet'"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// The number of changes that a run of Puppet reports. With a catalog, its exit code does not show
/// them.
fn changes(output: &Output) -> usize {
    text(output).lines().filter(|line| line.starts_with("Notice: /Stage[")).count()
}

/// Applies a catalog with Puppet.
fn puppet(home: &Path, catalog: &Path, noop: bool) -> Output {
    let start = "require 'set'; require 'puppet/util/command_line'; \
                 Puppet::Util::CommandLine.new('puppet', ARGV).execute";
    let mut command = ruby();
    command.args(["-e", start, "--", "apply", "--color=false"]);
    command.args(["--facts_terminus=memory", "--node_terminus=plain"]);
    for (setting, dir) in [
        ("--confdir", "conf"),
        ("--vardir", "var"),
        ("--codedir", "code"),
        ("--logdir", "log"),
        ("--rundir", "run"),
    ] {
        command.arg(setting).arg(home.join("puppet").join(dir));
    }
    if noop {
        command.arg("--noop");
    }
    command.arg("--catalog").arg(catalog).output().unwrap()
}

fn ordain(home: &Path, catalog: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.arg("apply").arg(catalog).env("ORDAIN_STATE_DIR", home.join("state"));
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

fn facts(target: &Path) -> Json {
    json!({ "target": target, "os": { "family": "Debian" } })
}

fn compiled_by_ordain(home: &Path, target: &Path) -> PathBuf {
    let facts_file = home.join("facts.json");
    fs::write(&facts_file, facts(target).to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["compile", "--format=puppet-catalog", "--node=agent.example.org", SITE, "--facts"])
        .arg(facts_file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let catalog = home.join("by-ordain.json");
    fs::write(&catalog, output.stdout).unwrap();
    catalog
}

fn compiled_by_puppet(home: &Path, target: &Path) -> PathBuf {
    let environment = home.join("production");
    fs::create_dir(&environment).unwrap();
    let request = json!({
        "dir": environment,
        "code": fs::read_to_string(SITE).unwrap(),
        "node": "agent.example.org",
        "facts": facts(target),
    });
    let mut child = Command::new("ruby")
        .arg(OsStr::new(REFERENCE_SCRIPT))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{request}").unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    let catalog = answer.get("catalog").unwrap_or_else(|| panic!("no catalog: {answer}"));
    let path = home.join("by-puppet.json");
    fs::write(&path, catalog.to_string()).unwrap();
    path
}

/// All files below a directory with mode and content; for links, the target relative to the
/// directory.
fn tree(dir: &Path) -> BTreeMap<String, (u32, String)> {
    let mut out = BTreeMap::new();
    let mut rest = vec![dir.to_path_buf()];
    while let Some(path) = rest.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            target.strip_prefix(dir).unwrap().display().to_string()
        } else if metadata.is_dir() {
            rest.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            String::new()
        } else {
            fs::read(&path).unwrap().escape_ascii().to_string().replace("\\n", "\n")
        };
        let name = path.strip_prefix(dir).unwrap().display().to_string();
        out.insert(name, (metadata.permissions().mode() & 0o7777, content));
    }
    out
}
