//! A deploy that is killed at any moment leaves the old revision or the new one.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn git(args: &[&str], at: &Path) {
    let mut command = Command::new("git");
    for name in ["AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"] {
        command.env(format!("GIT_{name}"), "test@example.org");
    }
    assert!(command.args(args).current_dir(at).status().unwrap().success(), "{args:?}");
}

fn commit(at: &Path) {
    git(&["add", "-A"], at);
    git(&["commit", "-q", "-m", "change"], at);
}

/// Writes files with a number to a repository, and commits them.
fn fill(at: &Path, number: usize) {
    for file in 0..40 {
        fs::write(at.join(format!("file{file}")), format!("{number}\n")).unwrap();
    }
    commit(at);
}

/// The number that all files of the environment have.
fn number_of(environment: &Path) -> String {
    let mut found = Vec::new();
    for directory in ["", "modules/a", "modules/b", "modules/c"] {
        for file in 0..40 {
            let path = environment.join(directory).join(format!("file{file}"));
            found.push(fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}")));
        }
    }
    found.dedup();
    assert_eq!(found.len(), 1, "the environment has files of several revisions");
    found.remove(0)
}

#[test]
fn a_killed_deploy_leaves_whole_environments() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let names = ["a", "b", "c", "control"];
    let mut puppetfile = String::new();
    for name in names {
        fs::create_dir(root.join(name)).unwrap();
        git(&["init", "-q", "-b", "main"], &root.join(name));
        if name != "control" {
            let url = root.join(name);
            puppetfile += &format!("mod '{name}', git: '{}', ref: 'main'\n", url.display());
        }
    }
    fs::write(root.join("control/Puppetfile"), puppetfile).unwrap();
    let deploy = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.args(["deploy", "--remote", "control", "--to", "envs", "--cachedir", "cache"]);
        command.current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let environment = root.join("envs/main");
    for name in names {
        fill(&root.join(name), 0);
    }
    let start = std::time::Instant::now();
    assert!(deploy().status().unwrap().success());
    let longest = start.elapsed();
    let mut killed = 0;
    for round in 1..=24_u32 {
        let before = number_of(&environment);
        for name in names {
            fill(&root.join(name), round as usize);
        }
        let mut child = deploy().spawn().unwrap();
        std::thread::sleep(longest * round / 24 + Duration::from_millis(1));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let after = number_of(&environment);
        let new = format!("{round}\n");
        assert!(after == before || after == new, "{after} is neither {before} nor {new}");
        if round % 4 == 0 {
            assert!(deploy().status().unwrap().success(), "round {round}");
            assert_eq!(number_of(&environment), new);
            let revisions = fs::read_dir(root.join("envs/.revisions")).unwrap();
            let names = revisions.map(|entry| entry.unwrap().file_name());
            let left: Vec<_> = names.filter(|n| n != ".lock" && n != "main").collect();
            assert!(left.is_empty(), "{left:?}");
        }
    }
    assert!(killed > 4, "only {killed} deploys were killed");
}
