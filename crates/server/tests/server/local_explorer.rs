//! The explorer of one repository: who may use it, what the pages get, and that secrets are not shown.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use ordain_driver::Options;
use ordain_fleet::{Repository, nodes_of_directory};
use ordain_server::LocalExplorer;
use serde_json::{Value as Json, json};

use crate::support::{Reply, read_reply, write};

const BEFORE: &str = "\
class base {
  file { '/tmp/a': mode => '0644', content => \"one\\ntwo\\n\" }
  file { '/tmp/key': content => Sensitive('hunter2-secret') }
  notify { $facts['evil']: require => File['/tmp/a'] }
}
class hard inherits base {
  File['/tmp/a'] { mode => '0600' }
}
include hard
";
/// A value that a page must not run.
const EVIL: &str = "<script>alert(1)</script>";

/// Runs git in a directory without the settings of a user.
fn git(dir: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(dir).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
    command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    assert!(command.output().unwrap().status.success(), "git {arguments:?}");
}

/// The explorer of a repository with two commits and a change that is not committed.
struct Explorer {
    dir: tempfile::TempDir,
    port: u16,
    /// The path with the token.
    first: String,
    cookie: String,
}

impl Explorer {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let site = dir.path().join("control/manifests/site.pp");
        let control = dir.path().join("control");
        write(&site, BEFORE);
        git(&control, &["init", "-q", "-b", "main"]);
        git(&control, &["add", "."]);
        git(&control, &["commit", "-q", "-m", "Begin"]);
        let after = BEFORE.replace("two", "three").replace("hunter2-secret", "changed-secret");
        write(&site, &after);
        git(&control, &["commit", "-q", "-a", "-m", "Change a text"]);
        write(&site, &after.replace("0644", "0640"));
        for (node, role) in [("db.example.org", "db"), ("web.example.org", "web")] {
            let facts = json!({ "name": node, "values": { "evil": EVIL, "role": role } });
            write(&dir.path().join(format!("facts/{node}.json")), &facts.to_string());
        }
        let nodes = nodes_of_directory(&dir.path().join("facts")).unwrap();
        Self::serve(dir, nodes, "control")
    }

    fn serve(dir: tempfile::TempDir, nodes: Vec<ordain_fleet::FleetNode>, path: &str) -> Self {
        let path = dir.path().join(path);
        let repository = Repository::new(&path, nodes, &Options::default(), None);
        let explorer = LocalExplorer::listen(repository, 0).unwrap();
        let url = explorer.url();
        let rest = url.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, first) = rest.split_once('/').unwrap();
        std::thread::spawn(move || explorer.run());
        let (port, first) = (port.parse().unwrap(), format!("/{first}"));
        let mut this = Self { dir, port, first, cookie: String::new() };
        let begin = this.get(&this.first.clone(), &[]);
        assert_eq!((begin.status, begin.header("location")), (303, Some("/explore/")));
        let cookie = begin.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
        this.cookie = cookie.split(';').next().unwrap().to_string();
        this
    }

    fn get(&self, target: &str, headers: &[(&str, &str)]) -> Reply {
        let host = format!("127.0.0.1:{}", self.port);
        let mut stream = TcpStream::connect(&host).unwrap();
        let mut head = format!("GET {target} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head.push_str(&format!("host: {host}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let reply = read_reply(&mut stream, false).unwrap();
        assert!(reply.header("content-security-policy").unwrap().contains("default-src 'none'"));
        reply
    }

    fn api(&self, target: &str) -> Reply {
        self.get(&format!("/explore/api/{target}"), &[("cookie", &self.cookie)])
    }

    fn json(&self, target: &str) -> Json {
        let reply = self.api(target);
        assert_eq!(reply.status, 200, "{target}: {}", reply.text());
        assert!(!reply.text().contains("-secret"), "{target}: {}", reply.text());
        reply.json()
    }
}

#[test]
fn an_address_works_once_and_for_this_machine_only() {
    let explorer = Explorer::start();
    assert_eq!(explorer.get(&explorer.first, &[]).status, 403);
    let (cookie, page) = (("cookie", explorer.cookie.as_str()), "/explore/api/session");
    assert_eq!(explorer.get(page, &[cookie]).status, 200);
    assert_eq!(explorer.get("/explore/", &[cookie]).status, 200);
    for headers in [
        vec![],
        vec![("cookie", "ordain=1")],
        vec![cookie, ("host", "evil.example.org")],
        vec![cookie, ("host", "127.0.0.1")],
        vec![cookie, ("sec-fetch-site", "cross-site")],
    ] {
        assert_eq!(explorer.get(page, &headers).status, 403, "{headers:?}");
    }
    assert_eq!(explorer.get("/explore/", &[]).status, 403);
}

#[test]
fn nodes_are_compiled_on_demand() {
    let explorer = Explorer::start();
    let session = explorer.json("session");
    assert_eq!((&session["language"], &session["nodes"]), (&json!("Puppet"), &json!(2)));
    let nodes = explorer.json("nodes?q=web");
    assert_eq!(nodes["rows"], json!([{ "name": "web.example.org" }]));
    let node = "nodes/web.example.org";
    let resource = explorer.json(&format!("{node}/resource?resource=File%5B/tmp/a%5D"));
    assert_eq!(resource["parameters"]["mode"], "0600");
    let kinds: Vec<&str> = resource["relations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"before") && kinds.contains(&"contains"), "{resource}");
    let key = explorer.json(&format!("{node}/resource?resource=File%5B/tmp/key%5D"));
    assert!(key["parameters"]["content"].is_object(), "{key}");
    let graph = explorer.json(&format!("{node}/graph?center=File%5B/tmp/a%5D"));
    assert!(graph["items"].as_array().unwrap().len() >= 3, "{graph}");
    let csv = explorer.api(&format!("{node}/resources?format=csv&q=tmp/a"));
    assert!(csv.text().starts_with("resource,file,line\r\nFile[/tmp/a],"), "{}", csv.text());
    let facts = explorer.api(&format!("{node}/facts?format=csv"));
    assert_eq!(facts.text(), format!("fact,value\r\nevil,{EVIL}\r\nrole,web\r\n"));
    let why = explorer.json(&format!("{node}/why?resource=File%5B/tmp/a%5D&attribute=mode"));
    let lost = why["causes"].as_array().unwrap().iter().find(|cause| cause["step"] == "lost");
    assert_eq!(lost.unwrap()["value"], "0640", "{why}");
    // The commit has another value, and its text is beside it.
    let target = format!("{node}/why?resource=File%5B/tmp/a%5D&attribute=mode&revision=HEAD");
    let why = explorer.json(&target).to_string();
    assert!(why.contains("0644") && !why.contains("0640"), "{why}");
    let found = explorer.json("search?q=tmp/a");
    assert_eq!(found["results"][0]["name"], "File[/tmp/a]", "{found}");
    for (target, status) in [
        ("nodes/x", 404),
        ("nodes/web.example.org/resource?resource=File%5B/x%5D", 404),
        ("nodes/web.example.org/resources?revision=nothing", 422),
        ("nodes/web.example.org/resources?revision=..%2F..%2Fetc", 422),
        ("nodes/web.example.org/resources?revision=--output", 422),
        ("compare?a=web.example.org", 400),
        ("nothing", 404),
    ] {
        assert_eq!(explorer.api(target).status, status, "{target}");
    }
    write(&explorer.dir.path().join("control/manifests/site.pp"), "fail('no catalog')\n");
    // Edits are shown after some seconds.
    let begin = Instant::now();
    while !explorer.json("nodes/db.example.org").to_string().contains("no catalog") {
        assert!(begin.elapsed() < Duration::from_secs(20), "the edit is not shown");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn revisions_and_nodes_are_compared() {
    let explorer = Explorer::start();
    let revisions = explorer.json("revisions");
    let subjects: Vec<&str> = revisions["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects, ["Change a text", "Begin"]);
    let diff = explorer.json("diff?before=HEAD~1&after=HEAD");
    assert_eq!((&diff["total"], &diff["rows"][0]["count"]), (&json!(1), &json!(2)), "{diff}");
    let changes = diff["rows"][0]["changes"].as_array().unwrap();
    let lines = changes[0]["lines"].to_string();
    assert!(lines.contains("+three") && lines.contains("-two"), "{lines}");
    assert!(changes[0]["causes"].to_string().contains("manifests/site.pp"), "{diff}");
    assert!(changes[1]["lines"].to_string().contains("another secret"), "{diff}");
    let work = explorer.json("diff?before=HEAD");
    assert_eq!(work["total"], 0, "only a value that loses differs: {work}");
    let csv = explorer.api("diff?before=HEAD~1&after=HEAD&format=csv&all=1");
    assert_eq!(csv.text().matches("\r\n").count(), 3, "{}", csv.text());
    assert!(!csv.text().contains("-secret"), "{}", csv.text());
    let nodes = explorer.json("diff/nodes?before=HEAD~1&after=HEAD&group=0");
    assert_eq!(nodes["total"], 2);
    assert_eq!(explorer.api("diff/nodes?before=HEAD~1&after=HEAD&group=9").status, 404);
    let pair = "a=db.example.org&b=web.example.org";
    let facts = explorer.json(&format!("compare/facts?{pair}"));
    assert_eq!(facts["rows"], json!([{ "fact": "role", "before": "db", "after": "web" }]));
    assert_eq!(explorer.json(&format!("compare?{pair}"))["total"], 0);
    let times = "compare?a=db.example.org&b=db.example.org&a_revision=HEAD~1";
    let times = explorer.json(times);
    assert_eq!(times["rows"][0]["changes"].as_array().unwrap().len(), 2, "{times}");
}

#[test]
fn other_languages_have_one_graph() {
    let programs = [
        (
            "main.mcl",
            "file \"/tmp/a\" {\n\tstate => \"exists\",\n\tcontent => \"hi\\n\",\n}\n",
            "file",
        ),
        ("site.yml", "resources:\n  file:\n    /tmp/a: { content: hi }\n", "file"),
    ];
    for (name, text, kind) in programs {
        let dir = tempfile::tempdir().unwrap();
        write(&dir.path().join(name), text);
        let explorer = Explorer::serve(dir, Vec::new(), name);
        assert_eq!(explorer.json("session")["first_node"], name);
        let resources = explorer.json(&format!("nodes/{name}/resources"));
        let resource = resources["rows"][0]["resource"].as_str().unwrap().to_string();
        assert!(resource.to_lowercase().starts_with(kind), "{resources}");
        let target = format!(
            "resource={}&attribute=content",
            resource.replace('[', "%5B").replace(']', "%5D")
        );
        let why = explorer.json(&format!("nodes/{name}/why?{target}"));
        assert!(why["sources"].to_string().contains("content"), "{why}");
        explorer.json(&format!("nodes/{name}/graph"));
    }
}

/// Nodes that export a host each, and collect those of the others.
const EXPORTING: &str = "\
node 'web.example.org' {
  @@host { 'web': ip => '192.0.2.1' }
  Host <<| |>>
}
node 'db.example.org' {
  @@host { 'db': ip => $facts['role'] ? { 'db' => '192.0.2.2', default => '192.0.2.9' } }
  Host <<| title != 'web' |>>
}
node 'broken.example.org' { fail('no catalog') }
";

#[test]
fn exported_resources_of_other_nodes_are_collected() {
    let dir = tempfile::tempdir().unwrap();
    let site = dir.path().join("control/manifests/site.pp");
    let control = dir.path().join("control");
    write(&site, EXPORTING);
    git(&control, &["init", "-q", "-b", "main"]);
    git(&control, &["add", "."]);
    git(&control, &["commit", "-q", "-m", "Begin"]);
    write(&site, &EXPORTING.replace("192.0.2.2", "192.0.2.3"));
    for role in ["db", "web", "broken"] {
        let node = format!("{role}.example.org");
        let facts = json!({ "name": node, "values": { "role": role } });
        write(&dir.path().join(format!("facts/{node}.json")), &facts.to_string());
    }
    let nodes = nodes_of_directory(&dir.path().join("facts")).unwrap();
    let explorer = Explorer::serve(dir, nodes, "control");
    let rows = explorer.json("nodes/web.example.org/resources?q=Host");
    let names: Vec<&str> = rows["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["resource"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Host[db]", "Host[web]"]);
    let node = explorer.json("nodes/web.example.org");
    assert_eq!(
        node["warnings"],
        json!(["exported resources of broken.example.org are missing: they do not compile"])
    );
    let graph = explorer.json("nodes/web.example.org/graph?center=Host%5Bdb%5D");
    assert_eq!(
        (&graph["center"], graph["links"][0]["to"].as_str()),
        (&json!("Host[db]"), Some("Host[db]"))
    );
    let compared = "compare?a=web.example.org&a_revision=HEAD&b=web.example.org";
    let compared = explorer.json(compared);
    let changes = compared["rows"][0]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{compared}");
    assert_eq!(changes[0]["lines"][0]["text"], "ip: '192.0.2.2' -> '192.0.2.3'", "{compared}");
    // The node itself does not collect what it exports twice.
    let rows = explorer.json("nodes/db.example.org/resources?q=Host");
    assert_eq!(rows["total"], 1, "{rows}");
}

#[test]
fn changes_are_filtered() {
    let explorer = Explorer::start();
    let total = |filters: &str| {
        let found = explorer.json(&format!("diff?before=HEAD~1{filters}"));
        let rows = found["rows"].as_array().unwrap();
        let nodes: usize = rows.iter().map(|row| row["nodes"].as_array().unwrap().len()).sum();
        let changes: usize = rows.iter().map(|row| row["changes"].as_array().unwrap().len()).sum();
        (nodes, changes)
    };
    let (nodes, changes) = total("");
    assert!(nodes == 2 && changes >= 2, "{nodes} {changes}");
    for (filters, expected) in [
        ("&node=db*", (1, changes)),
        ("&node=db*,%20web.example.org", (2, changes)),
        ("&fact=role%3Dweb", (1, changes)),
        ("&fact=role%3Dweb&node=db*", (0, 0)),
        ("&class=hard", (2, changes)),
        ("&class=other", (0, 0)),
        ("&kind=file&attribute=content", (2, 2)),
        ("&kind=File%5B/tmp/a%5D&attribute=content", (2, 1)),
        ("&kind=notify", (0, 0)),
    ] {
        assert_eq!(total(filters), expected, "{filters}");
    }
    assert_eq!(explorer.api("diff?before=HEAD~1&fact=role").status, 400);
    let nodes = explorer.json("diff/nodes?before=HEAD~1&group=0&node=db*");
    assert_eq!(nodes["rows"], json!([{ "name": "db.example.org" }]));
}
