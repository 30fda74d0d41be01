//! Comparisons that workers compile, beside the same ones without workers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ordain_data::{Value as Data, json};
use ordain_driver::Options;
use ordain_fleet::render;
use ordain_fleet::{
    FleetDiff, FleetError, FleetNode, NodeStore, Queue, Range, Request, WorkerEvent, WorkerOptions,
    diff, diff_queued, work,
};
use ordain_fleet_store::{
    Command as StoreCommand, Sqlite, apply, create_fleet_job, now, open_fleet_jobs, read, write,
};
use tempfile::TempDir;

/// Nodes in three batches.
const NODES: usize = 300;

const SITE: &str = r#"
case $facts['role'] {
  'web': {
    @@host { $trusted['certname']: ip => 'IP' }
    @@file { "/secret/${trusted['certname']}": content => Sensitive("SECRET ${facts['number']}") }
    file { '/w': content => template('m/w.erb') }
  }
  'monitor': {
    Host <<| |>>
    File <<| title == '/secret/node7' |>>
  }
  'broken': { FAIL }
  default: { file { '/d': content => "WORD ${$facts['number'] % 3}", mode => '0644' } }
}
"#;

struct Site {
    dir: TempDir,
}

impl Site {
    /// A repository with two commits, and a clone in another place.
    fn new() -> Self {
        let site = Self { dir: tempfile::tempdir().unwrap() };
        site.git("", &["init", "-q", "-b", "main", "control"]);
        let sides = [
            ("before", "10.0.0.1", "one", "notice('fine')", "old"),
            ("after", "10.0.0.2", "two", "fail('broken')", "new"),
        ];
        for (tag, ip, word, fail, secret) in sides {
            let text = SITE.replace("IP", ip).replace("WORD", word).replace("FAIL", fail);
            site.write("control/site/manifests/site.pp", &text.replace("SECRET", secret));
            site.write("control/site/environment.conf", "modulepath = modules\n");
            site.write("control/site/modules/m/templates/w.erb", &format!("{word}\n"));
            site.git("control", &["add", "-A"]);
            let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
            site.git("control", &[&user[..], &["commit", "-qm", tag]].concat());
            site.git("control", &["tag", tag]);
        }
        site.git("", &["clone", "-q", "control", "clone"]);
        Sqlite::open(&site.path("queue.db"), 1, Vec::new()).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, dir: &str, arguments: &[&str]) {
        let mut git = Command::new("git");
        let status = git.arg("-C").arg(self.path(dir)).args(arguments).status();
        assert!(status.unwrap().success(), "{arguments:?}");
    }

    fn store(&self) -> NodeStore {
        NodeStore::open(self.path("queue.db").to_str().unwrap()).unwrap()
    }

    /// Compares with two workers, one of which has the repository in another place.
    fn compared(&self, change: impl Fn(&mut Request<'_>), nodes: &[FleetNode]) -> FleetDiff {
        let (range, options) = (Range::parse("before..after").unwrap(), Options::default());
        let path = self.path("control/site");
        let mut request = Request::new(&path, &range, nodes, &options);
        change(&mut request);
        let store = self.store();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for repository in ["control", "clone"] {
                let (is_over, path) = (&is_over, self.path(repository));
                scope.spawn(move || {
                    let pause = |time: Duration| {
                        std::thread::sleep(time);
                        !is_over.load(Ordering::Relaxed)
                    };
                    let mut log = |event: WorkerEvent| {
                        let is_good = matches!(
                            event,
                            WorkerEvent::BatchDone { .. } | WorkerEvent::JobStarted { .. }
                        );
                        assert!(is_good, "{event:?}");
                    };
                    work(&self.store(), &options_at(&path), &pause, &mut log).unwrap();
                });
            }
            let queue = Queue { store: &store, actor: "root", progress: &|_| {} };
            let found = diff_queued(&request, &queue);
            is_over.store(true, Ordering::Relaxed);
            found.unwrap()
        })
    }

    /// Compares without workers.
    fn alone(&self, change: impl Fn(&mut Request<'_>), nodes: &[FleetNode]) -> FleetDiff {
        let (range, options) = (Range::parse("before..after").unwrap(), Options::default());
        let path = self.path("control/site");
        let mut request = Request::new(&path, &range, nodes, &options);
        change(&mut request);
        diff(&request).unwrap()
    }
}

fn options_at(repository: &Path) -> WorkerOptions {
    WorkerOptions {
        repository: repository.to_owned(),
        name: repository.display().to_string(),
        jobs: None,
        lease: Duration::from_secs(30),
        idle: None,
    }
}

fn facts(number: usize) -> String {
    let role = match number % 10 {
        0 => "monitor",
        1 => "broken",
        7 => "web",
        _ => "other",
    };
    format!(r#"{{"role": "{role}", "number": {number}}}"#)
}

fn nodes() -> Vec<FleetNode> {
    let facts = |number: usize| json::read(&facts(number)).unwrap();
    (0..NODES).map(|number| FleetNode::new(&format!("node{number}"), facts(number), None)).collect()
}

/// All formats, in one text.
fn shown(found: &FleetDiff) -> String {
    let text: String = render::text(found, true).into_iter().map(|line| line.text + "\n").collect();
    let found = FleetDiff { compiles: 0, ..found.clone() };
    let (json, html) = (render::json(&found), render::html(&found));
    format!("{text}{json}{}{html}", render::markdown(&found, 60_000))
}

#[test]
fn workers_find_the_same_as_one_process() {
    let site = Site::new();
    let nodes = nodes();
    let all = site.compared(|_| {}, &nodes);
    let text = shown(&all);
    assert_eq!(text, shown(&site.alone(|_| {}, &nodes)));
    // Nodes that fail, collect, copy a template, or have one of three values.
    assert!(text.contains("30 fail now") && text.contains("another secret"), "{text}");
    assert!(
        text.contains("Host[node297]") && text.contains("modules/m/templates/w.erb:1"),
        "{text}"
    );
    assert!(!text.contains("old 7") && !text.contains("new 7"), "{text}");

    static HAVING: LazyLock<[String; 1]> = LazyLock::new(|| ["File[/w]".to_owned()]);
    let some = |request: &mut Request<'_>| request.having = &*HAVING;
    assert_eq!(shown(&site.compared(some, &nodes)), shown(&site.alone(some, &nodes)));
    let one = |request: &mut Request<'_>| request.one_per_node_block = true;
    let found = site.compared(one, &nodes);
    assert_eq!(found.nodes.len(), 1);
    assert_eq!(shown(&found), shown(&site.alone(one, &nodes)));
    let jobs = read(&database(&site), None, |c| open_fleet_jobs(c, now())).unwrap();
    assert!(jobs.is_empty(), "{jobs:?}");
}

#[test]
fn workers_read_stored_facts() {
    let site = Site::new();
    let database = database(&site);
    for number in 0..20 {
        let payload = format!(
            r#"{{"certname": "node{number}", "environment": "production", "producer": "server",
                "producer_timestamp": "2026-11-26T12:00:00Z", "values": {}}}"#,
            facts(number)
        );
        let command = StoreCommand::parse("replace_facts", 5, payload.as_bytes(), now()).unwrap();
        apply(&database, &command, now()).unwrap();
    }
    let stored = site.store().nodes_with_facts(Some("node1*")).unwrap();
    let names: Vec<&str> = stored.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names.len(), 11, "{names:?}");
    let mut same = site.store().fleet_nodes().unwrap();
    same.retain(|node| names.contains(&node.name.as_str()));
    assert_eq!(shown(&site.compared(|_| {}, &stored)), shown(&site.alone(|_| {}, &same)));
}

#[test]
fn facts_of_all_forms_reach_the_workers() {
    let site = Site::new();
    let dir = site.path("facts");
    site.write("facts/a.yaml", "role: web\nnumber: 7\n");
    site.write("facts/b.json", r#"{"name": "b", "values": {"role": "monitor", "number": 1e400}}"#);
    site.write("facts/d.json", "{");
    fs::write(dir.join("c.yaml"), b"role: \xff\nnumber: 1\n").unwrap();
    site.write("data/a.json", r#"{"classes": {}, "parameters": {"x": 1}}"#);
    let mut nodes = ordain_fleet::nodes_of_directory(&dir).unwrap();
    ordain_fleet::add_node_data(&mut nodes, &site.path("data")).unwrap();
    let pairs = [("role", Data::str("other")), ("number", Data::Int(4)), ("f", Data::Float(0.1))];
    nodes.push(FleetNode::new(
        "e",
        Data::map(pairs),
        Some(Data::map([("certname", Data::str("e"))])),
    ));
    assert_eq!(shown(&site.compared(|_| {}, &nodes)), shown(&site.alone(|_| {}, &nodes)));
}

#[test]
fn a_worker_takes_no_job_that_it_cannot_do() {
    let site = Site::new();
    let database = database(&site);
    let version = env!("CARGO_PKG_VERSION");
    let specification = |version: &str, commit: &str| {
        format!(
            r#"{{"version": "{version}", "before": "{commit}", "after": "{commit}", "root": "/r",
                "path": "/r", "environment": null, "modulepath": null, "hiera": null,
                "strict": "error", "strict_variables": true, "legacy_facts": false, "having": [],
                "ignore_tags": []}}"#
        )
    };
    let missing = "0123456789012345678901234567890123456789";
    for text in [specification("0.0.0", "after"), specification(version, missing), "{}".to_owned()]
    {
        write(&database, |c| create_fleet_job(c, "root", &text, now())).unwrap();
    }
    let mut reasons = Vec::new();
    let options = WorkerOptions { idle: Some(Duration::ZERO), ..options_at(&site.path("clone")) };
    let mut log = |event: WorkerEvent| match event {
        WorkerEvent::JobRefused { reason, .. } => reasons.push(reason),
        other => panic!("{other:?}"),
    };
    work(&site.store(), &options, &|_| true, &mut log).unwrap();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    assert_eq!(reasons[0], "ordain 0.0.0 created it");
    assert!(reasons[1].contains(missing), "{reasons:?}");
    assert_eq!(reasons[2], "another version of ordain created it");
    let options = options_at(site.dir.path());
    let error = work(&site.store(), &options, &|_| false, &mut |_| {}).unwrap_err();
    assert!(matches!(error, FleetError::Revision(_)), "{error}");
}

fn database(site: &Site) -> Sqlite {
    Sqlite::open(&site.path("queue.db"), 2, Vec::new()).unwrap()
}
