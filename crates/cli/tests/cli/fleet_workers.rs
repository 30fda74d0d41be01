//! Workers that share a comparison over SQLite. One of them is killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use ordain_fleet_store::{Database, Sqlite, read};

use crate::processes::{TIMEOUT, ordain};

/// A repository with two commits, facts of nodes in two batches, and an empty database.
struct Fleet(tempfile::TempDir);

/// `hold` makes compiles wait, while it exists.
const SITE: &str = "
$word = generate('/bin/sh', '-c', 'while test -e DIR/hold; do sleep 0.1; done; echo WORD')
file { '/etc/motd': content => \"$word ${facts['role']}\" }
";

impl Fleet {
    fn new() -> Self {
        let fleet = Self(tempfile::tempdir().unwrap());
        let facts = fleet.path("facts");
        fs::create_dir_all(&facts).unwrap();
        for number in 0..130 {
            let text = format!("{{\"role\": \"role{}\"}}", number % 2);
            fs::write(facts.join(format!("node{number:03}.json")), text).unwrap();
        }
        fs::create_dir_all(fleet.path("control/manifests")).unwrap();
        fleet.git(&["init", "-q"]);
        for word in ["before", "after"] {
            let dir = fleet.0.path().to_str().unwrap();
            let site = SITE.replace("DIR", dir).replace("WORD", word);
            fs::write(fleet.path("control/manifests/site.pp"), site).unwrap();
            fleet.git(&["add", "-A"]);
            fleet.git(&[
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.org",
                "commit",
                "-qm",
                word,
            ]);
            fleet.git(&["tag", word]);
        }
        fleet
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        assert!(
            git.arg("-C").arg(self.path("control")).args(arguments).status().unwrap().success()
        );
    }

    fn diff(&self) -> Command {
        let mut command = ordain();
        command.args(["fleet", "diff", "before..after", "--format", "json", "--path"]);
        command.arg(self.path("control")).arg("--facts").arg(self.path("facts"));
        command.args(["--no-cache"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn worker(&self, name: &str) -> Child {
        let mut command = ordain();
        command.args(["worker", "--lease", "2", "--path"]).arg(self.path("control"));
        command.arg("--database").arg(self.path("queue.db"));
        let log = File::create(self.path(name)).unwrap();
        command.stderr(log).spawn().unwrap()
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

fn wait_for(text: &str, mut is_true: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_true() {
        assert!(Instant::now() < end, "{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn leases(database: &dyn Database) -> i64 {
    let sql = "SELECT count(*) FROM fleet_job_batches WHERE epoch = 1";
    read(database, None, |c| c.value(sql, &[])).unwrap().unwrap().integer().unwrap()
}

fn document(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn file(path: &Path) -> Sqlite {
    Sqlite::open(path, 1, Vec::new()).unwrap()
}

#[test]
fn the_share_of_a_killed_worker_is_compiled_by_others_once() {
    let fleet = Fleet::new();
    let database = file(&fleet.path("queue.db"));
    let alone = document(&fleet.diff().output().unwrap());
    fs::write(fleet.path("hold"), "").unwrap();
    let waiting = fleet.diff().arg("--queue").arg(fleet.path("queue.db")).spawn().unwrap();
    let mut killed = fleet.worker("killed.log");
    wait_for("no lease", || leases(&database) == 1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    fs::remove_file(fleet.path("hold")).unwrap();
    let mut others = [fleet.worker("one.log"), fleet.worker("two.log")];
    let output = waiting.wait_with_output().unwrap();
    for other in &mut others {
        let id = nix::unistd::Pid::from_raw(i32::try_from(other.id()).unwrap());
        nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGTERM).unwrap();
        assert!(other.wait().unwrap().success(), "a worker ends when it is asked to");
    }
    assert_eq!(document(&output), alone);
    assert!(!fleet.log("killed.log").contains("compiled a batch"));
    let logs = fleet.log("one.log") + &fleet.log("two.log");
    for batch in ["batch=0", "batch=1"] {
        let done = logs.lines().filter(|l| l.contains("compiled a batch") && l.contains(batch));
        assert_eq!(done.count(), 1, "{logs}");
    }
    let left =
        "SELECT (SELECT count(*) FROM fleet_jobs) + (SELECT count(*) FROM fleet_job_batches)";
    let left = read(&database, None, |c| c.value(left, &[])).unwrap().unwrap();
    assert_eq!(left.integer().unwrap(), 0, "the job is removed");
}

#[test]
fn only_commits_are_compared_by_workers() {
    let fleet = Fleet::new();
    drop(file(&fleet.path("queue.db")));
    let mut command = ordain();
    command.args(["fleet", "diff", "before..", "--path"]).arg(fleet.path("control"));
    command.arg("--facts").arg(fleet.path("facts")).arg("--queue").arg(fleet.path("queue.db"));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("workers compare commits, and the work tree is none"), "{text}");
}
