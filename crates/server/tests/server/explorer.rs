//! The web explorer: who may see which nodes, what the pages may load, and that data stays text.

use std::io::{Read, Write};

use serde_json::{Value as Json, json};

use crate::databases::with_postgres;
use crate::support::{Client, Reply, TestServer};

const SITE: &str = "\
class base {
  file { '/tmp/a':
    ensure => file,
    mode   => '0644',
  }
}
class hard inherits base {
  File['/tmp/a'] { mode => '0600' }
}
include hard
";
/// A value that a page must not run.
const EVIL: &str = "<script>alert(1)</script>";

/// The users: their name is that of their certificate.
const USERS: [&str; 9] = [
    "reader=read",
    "planner=plan",
    "staging=read@staging",
    "runner=run",
    "runner-staging=read",
    "runner-staging=run@staging",
    "signer=sign",
    "boss=admin",
    "boss-staging=admin@staging",
];

/// A server with a node in each of two environments.
fn server() -> TestServer {
    server_of(None)
}

/// Such a server with a database in SQLite, or with that of an address.
pub(crate) fn server_of(database: Option<&str>) -> TestServer {
    let code = [
        ("environments/production/manifests/site.pp", SITE),
        ("environments/staging/manifests/site.pp", SITE),
    ];
    let server = TestServer::start(&code, |config| {
        config.explorer_users = USERS.iter().map(|text| text.parse().unwrap()).collect();
        config.explorer_proxies = vec!["proxy.example.org".to_string()];
        config.database = database.map(str::to_string);
    });
    let mut admin = client(&server, "admin.example.org", true);
    for (node, environment) in [("a.example.org", "production"), ("b.example.org", "staging")] {
        for (name, version, payload) in commands(node, environment) {
            let target = format!("/pdb/cmd/v1?command={name}&version={version}&certname={node}");
            let headers = [("content-type", "application/json")];
            let body = payload.to_string();
            let reply = admin.request("POST", &target, &headers, body.as_bytes()).unwrap();
            assert_eq!(reply.status, 200, "{name}: {}", reply.text());
        }
    }
    server
}

/// The commands about a node: name, version, payload.
pub(crate) fn commands(node: &str, environment: &str) -> [(&'static str, u8, Json); 3] {
    let time = "2026-11-27T10:00:00.000Z";
    let resource = |title: &str| {
        json!({ "type": "File", "title": title, "exported": false, "aliases": [], "tags": ["file"],
                "file": "site.pp", "line": 2, "parameters": { "mode": "0600", "content": EVIL } })
    };
    let end = |title: &str| json!({ "type": "File", "title": title });
    let event = |property: &str, corrective: bool| {
        json!({ "status": "success", "timestamp": time, "property": property, "name": "changed",
                "new_value": "0600", "old_value": "0644", "message": EVIL,
                "corrective_change": corrective })
    };
    [
        (
            "replace_facts",
            5,
            json!({ "certname": node, "environment": environment, "producer": "server",
                    "producer_timestamp": time,
                    "values": { "evil": EVIL, "os": { "family": "Debian" }, "count": 4,
                                "load": 0.5, "virtual": true, "long": "x".repeat(70) } }),
        ),
        (
            "replace_catalog",
            9,
            json!({ "certname": node, "version": "1", "environment": environment,
                    "transaction_uuid": null, "catalog_uuid": null, "code_id": null, "job_id": null,
                    "producer_timestamp": time, "producer": "server",
                    "edges": [{ "source": end("/tmp/a"), "target": end("/tmp/b"),
                                "relationship": "before" }],
                    "resources": [resource("/tmp/a"), resource("/tmp/b")] }),
        ),
        (
            "store_report",
            8,
            json!({ "certname": node, "environment": environment, "puppet_version": "8.10.0",
                    "report_format": 12, "configuration_version": "1", "start_time": time,
                    "end_time": "2026-11-27T10:00:09.500Z", "producer_timestamp": time,
                    "producer": "server", "transaction_uuid": null, "catalog_uuid": null,
                    "code_id": null, "job_id": null, "cached_catalog_status": "not_used",
                    "noop": false, "noop_pending": false, "status": "changed",
                    "corrective_change": true,
                    "metrics": [{ "category": "time", "name": "total", "value": 9.5 }],
                    "logs": [{ "file": null, "line": null, "level": "notice", "message": EVIL,
                               "source": "Puppet", "tags": [], "time": time }],
                    "resources": [{ "skipped": false, "timestamp": time, "resource_type": "File",
                        "resource_title": "/tmp/a", "file": "site.pp", "line": 2,
                        "corrective_change": true, "containment_path": ["Stage[main]"],
                        "events": [event("mode", true), event("owner", false)] }] }),
        ),
    ]
}

pub(crate) fn client(server: &TestServer, name: &str, is_admin: bool) -> Client {
    let certificate = server.generate(name, |options| options.admin = is_admin);
    server.connect(Some(&certificate)).unwrap()
}

pub(crate) fn api(client: &mut Client, target: &str) -> Reply {
    client.get(&format!("/explore/api/{target}")).unwrap()
}

pub(crate) fn rows(reply: &Reply, column: &str) -> Vec<String> {
    let document = reply.json();
    let rows = document["rows"].as_array().unwrap_or_else(|| panic!("{document}"));
    rows.iter().map(|row| row[column].as_str().unwrap().to_string()).collect()
}

#[test]
fn pages_load_nothing_from_elsewhere() {
    let server = server();
    let mut reader = client(&server, "reader", false);
    let page = reader.get("/explore/").unwrap();
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-cache")));
    let text = page.text();
    let script = text.split('"').find(|part| part.ends_with("app.js")).unwrap();
    let script = reader.get(script).unwrap();
    assert_eq!(script.header("cache-control"), Some("private, max-age=31536000, immutable"));
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(reader.get("/explore/assets/0/app.js").unwrap().status, 404);
}

fn filters_choose_nodes(server: &TestServer) {
    let mut reader = client(server, "reader", false);
    for (filter, number) in [
        ("q=A.EX", 1),
        ("q=%25", 0),
        ("status=corrective", 2),
        ("status=failed", 0),
        ("environment=staging", 1),
        ("fact=os.family%3DDebian", 2),
        ("fact=count%3D4", 2),
        ("fact=count%3D5", 0),
        ("fact=count%3Dfour", 0),
        ("fact=load%3D0.5", 2),
        ("fact=virtual%3Dtrue", 2),
        ("fact=virtual%3Dfalse", 0),
        ("fact=unknown%3D4", 0),
        // The index has the first 64 characters.
        (&format!("fact=long%3D{}", "x".repeat(70)), 2),
        (&format!("fact=long%3D{}", "x".repeat(69)), 0),
        ("resource=File%5B/tmp/b%5D", 2),
        ("resource=File%5B/tmp/c%5D", 0),
    ] {
        let found = api(&mut reader, &format!("nodes?{filter}"));
        assert_eq!(found.json()["total"], number, "{filter}: {}", found.text());
    }
}

#[test]
fn nodes_are_chosen_by_filters() {
    filters_choose_nodes(&server());
    with_postgres(|address| filters_choose_nodes(&server_of(Some(address))));
}

#[test]
fn the_overview_says_since_when_its_lists_are() {
    let server = server();
    let mut reader = client(&server, "reader", false);
    let few = api(&mut reader, "overview").json();
    assert_eq!((&few["reports_since"], &few["events_since"]), (&Json::Null, &Json::Null));
    let database = rusqlite::Connection::open(server.path("state/nodes/nodes.sqlite")).unwrap();
    // One report in each second of the last 51,000.
    let copy = "WITH RECURSIVE ages (age) AS (SELECT 1 UNION ALL SELECT age + 1 FROM ages WHERE age < 51000)
        INSERT INTO reports (hash, certname_id, environment_id, report_type, status, puppet_version,
            report_format, configuration_version, start_time, end_time, producer_timestamp,
            receive_time, metrics_zstd, logs_zstd, resources_zstd)
        SELECT randomblob(20), certname_id, environment_id, report_type, status, puppet_version,
            report_format, configuration_version, ?1, ?1 - 1000000 * age, ?1, ?1, metrics_zstd, logs_zstd,
            resources_zstd
        FROM ages, (SELECT * FROM reports LIMIT 1)";
    let now = ordain_fleet_store::now();
    database.execute(copy, [now]).unwrap();
    let many = api(&mut reader, "overview").json();
    let oldest = ordain_fleet_store::format_time(now - 50_000 * 1_000_000);
    assert_eq!(many["reports_since"], oldest.as_str());
    assert_eq!((&many["newest"], &many["events_since"]), (&json!(50_000), &Json::Null));
}

#[test]
fn documents_are_data_and_have_pages() {
    let server = server();
    let mut reader = client(&server, "reader", false);
    let nodes = api(&mut reader, "nodes");
    assert_eq!(rows(&nodes, "name"), ["a.example.org", "b.example.org"]);
    assert_eq!(nodes.json()["rows"][0]["status"], "corrective");
    assert_eq!(nodes.header("content-type"), Some("application/json"));
    assert_eq!(nodes.header("x-content-type-options"), Some("nosniff"));
    let second = api(&mut reader, "nodes?limit=1&offset=1");
    assert_eq!(
        (rows(&second, "name"), &second.json()["total"]),
        (vec!["b.example.org".into()], &json!(2))
    );
    for wrong in
        ["nodes?limit=-1", "nodes?status=x", "nodes?sort=x", "nodes?fact=x", "nodes?format=x"]
    {
        assert_eq!(api(&mut reader, wrong).status, 400, "{wrong}");
    }
    let csv = api(&mut reader, "nodes/a.example.org/facts?format=csv");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    let long = "x".repeat(70);
    let expected = format!(
        "fact,value\r\ncount,4\r\nevil,{EVIL}\r\nload,0.5\r\nlong,{long}\r\nos.family,Debian\r\n\
         virtual,true\r\n"
    );
    assert_eq!(csv.text(), expected);
    let facets = api(&mut reader, "facets").json();
    assert_eq!(facets.as_array().unwrap().len(), 2, "{facets}");
    let overview = api(&mut reader, "overview").json();
    assert_eq!(overview["statuses"], json!([{ "status": "corrective", "nodes": 2 }]));
    let node = api(&mut reader, "nodes/a.example.org").json();
    assert_eq!((&node["resources"], &node["reports"]), (&json!(2), &json!(1)));
    let resource =
        api(&mut reader, "nodes/a.example.org/resource?resource=File%5B/tmp/a%5D").json();
    assert_eq!(resource["parameters"]["content"], EVIL);
    assert_eq!(resource["relations"][0]["kind"], "before");
    let graph = api(&mut reader, "nodes/a.example.org/graph?center=File%5B/tmp/a%5D").json();
    assert_eq!(graph["items"].as_array().unwrap().len(), 2, "{graph}");
    let reports = api(&mut reader, "nodes/a.example.org/reports");
    assert_eq!(reports.json()["rows"][0]["seconds"], 9.5);
    let id = rows(&reports, "report").remove(0);
    let report = api(&mut reader, &format!("reports/{id}")).json();
    assert_eq!(
        (&report["node"], &report["logs"][0]["message"]),
        (&json!("a.example.org"), &json!(EVIL))
    );
    for (kind, property) in [("corrective", "mode"), ("intentional", "owner")] {
        let events = api(&mut reader, &format!("reports/{id}/events?kind={kind}"));
        assert_eq!(rows(&events, "property"), [property]);
    }
    for (text, kinds) in [
        ("example", vec!["node", "node"]),
        ("tmp/", vec!["resource", "resource"]),
        ("File[/tmp/a", vec!["resource"]),
        ("Debian", vec!["fact", "fact"]),
        (id.as_str(), vec!["report"]),
        ("nothing", vec![]),
    ] {
        let text = text.replace('[', "%5B");
        let found = api(&mut reader, &format!("search?q={text}")).json();
        let found: Vec<&str> = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["kind"].as_str().unwrap())
            .collect();
        assert_eq!(found, kinds, "{text}");
    }
}

#[test]
fn users_see_their_environments_only() {
    let server = server();
    let mut user = client(&server, "staging", false);
    assert_eq!(rows(&api(&mut user, "nodes"), "name"), ["b.example.org"]);
    for page in [
        "",
        "/facts",
        "/resources",
        "/resource?resource=File%5B/tmp/a%5D",
        "/graph",
        "/reports",
        "/why",
        "/why?code=staging",
    ] {
        assert_eq!(api(&mut user, &format!("nodes/a.example.org{page}")).status, 404, "{page}");
    }
    let own = api(&mut user, "nodes/b.example.org/reports");
    let own = rows(&own, "report").remove(0);
    assert_eq!(api(&mut user, &format!("reports/{own}")).status, 200);
    let mut reader = client(&server, "reader", false);
    let other = rows(&api(&mut reader, "nodes/a.example.org/reports"), "report").remove(0);
    for page in ["", "/events"] {
        assert_eq!(api(&mut user, &format!("reports/{other}{page}")).status, 404);
    }
    let found = api(&mut user, "search?q=example").json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(api(&mut user, &format!("search?q={other}")).json()["results"], json!([]));
    assert_eq!(api(&mut user, "overview").json()["statuses"][0]["nodes"], 1);
}

#[test]
fn values_that_lost_are_explained_to_planners() {
    let server = server();
    let target = "nodes/a.example.org/why?resource=File%5B/tmp/a%5D&attribute=mode";
    let mut reader = client(&server, "reader", false);
    assert_eq!(api(&mut reader, target).status, 403);
    let mut planner = client(&server, "planner", false);
    let reply = api(&mut planner, target);
    let why = reply.json();
    assert_eq!((reply.status, &why["value"]), (200, &json!("0600")), "{why}");
    let lost = why["causes"].as_array().unwrap().iter().find(|cause| cause["step"] == "lost");
    assert_eq!(lost.unwrap()["value"], "0644", "{why}");
    let lines = why["sources"][0]["lines"].as_array().unwrap();
    assert!(
        lines.contains(&json!({ "line": 8, "text": "  File['/tmp/a'] { mode => '0600' }" })),
        "{why}"
    );
    assert_eq!(api(&mut planner, &target.replace("mode", "owner")).status, 404);
    server.edit("environments/production/manifests/site.pp", "fail('no catalog')\n");
    assert_eq!(api(&mut planner, target).status, 422);
}

#[test]
fn a_proxy_names_the_user() {
    let server = server();
    let status = |client: &mut Client, headers: &[(&str, &str)]| {
        client.request("GET", "/explore/api/session", headers, b"").unwrap().status
    };
    let reader = ("x-forwarded-user", "reader");
    let mut proxy = client(&server, "proxy.example.org", true);
    assert_eq!(status(&mut proxy, &[reader]), 200);
    assert_eq!(status(&mut proxy, &[]), 403);
    assert_eq!(status(&mut proxy, &[("x-forwarded-user", "nobody")]), 403);
    assert_eq!(status(&mut proxy, &[reader, ("x-forwarded-user", "planner")]), 403);
    let mut node = client(&server, "a.example.org", false);
    assert_eq!(status(&mut node, &[reader]), 403);
    let mut user = client(&server, "reader", false);
    assert_eq!(status(&mut user, &[("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(status(&mut user, &[("sec-fetch-site", "same-origin")]), 200);
}

#[test]
fn news_arrive_as_events() {
    let server = server();
    let mut reader = client(&server, "reader", false);
    let request = b"GET /explore/api/live HTTP/1.1\r\nhost: localhost\r\n\r\n";
    reader.stream.write_all(request).unwrap();
    let mut text = String::new();
    while !text.contains("event: reports\ndata: 2\n\n") {
        let mut buffer = [0; 4096];
        let length = reader.stream.read(&mut buffer).unwrap();
        assert!(length > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..length]));
    }
    assert!(text.contains("content-type: text/event-stream"), "{text}");
}

#[test]
fn environments_are_compared_for_planners() {
    let server = server();
    server.edit("environments/staging/manifests/site.pp", &SITE.replace("0600", "0640"));
    let target = "diff?before=production&after=staging";
    let mut planner = client(&server, "planner", false);
    let diff = api(&mut planner, target);
    assert_eq!(diff.status, 200, "{}", diff.text());
    let diff = diff.json();
    let group = &diff["rows"][0];
    assert_eq!((&diff["total"], &group["nodes"]), (&json!(1), &json!(["a.example.org"])), "{diff}");
    let change = &group["changes"][0];
    assert_eq!(change["lines"][0]["text"], "mode: '0600' -> '0640'", "{diff}");
    assert_eq!(change["causes"][0]["line"], 8, "{diff}");
    let csv = api(&mut planner, &format!("{target}&all=1&format=csv")).text();
    assert!(
        csv.ends_with(",attribute,File[/tmp/a],mode,0600,0640,manifests/site.pp:8\r\n"),
        "{csv}"
    );
    let nodes = api(&mut planner, "diff/nodes?before=production&after=staging&group=0");
    assert_eq!(rows(&nodes, "name"), ["a.example.org"]);
    let why = "nodes/a.example.org/why?resource=File%5B/tmp/a%5D&attribute=mode&code=staging";
    assert_eq!(api(&mut planner, why).json()["value"], "0640");
    let names = rows(&api(&mut planner, "revisions"), "name");
    assert_eq!(names, ["production", "staging"]);
    for (target, status) in [
        ("diff?before=production&after=nothing", 404),
        ("diff?before=..&after=staging", 404),
        ("diff?before=production%40..&after=staging", 404),
        ("diff?before=production", 400),
        ("diff/x?before=production&after=staging", 404),
    ] {
        assert_eq!(api(&mut planner, target).status, status, "{target}");
    }
    for name in ["reader", "staging"] {
        let mut user = client(&server, name, false);
        assert_eq!(api(&mut user, target).status, 403, "{name}");
        assert_eq!(api(&mut user, "revisions").json()["total"], 0, "{name}");
    }
}

#[test]
fn two_nodes_are_compared() {
    let server = server();
    server.edit("environments/staging/manifests/site.pp", &SITE.replace("0600", "0640"));
    let mut admin = client(&server, "root.example.org", true);
    let [mut facts, mut catalog, _] = commands("b.example.org", "staging");
    facts.2["values"]["count"] = json!(5);
    catalog.2["resources"][0]["parameters"]["mode"] = json!("0700");
    for (name, version, mut payload) in [facts, catalog] {
        payload["producer_timestamp"] = json!("2026-11-27T11:00:00.000Z");
        let target = format!("/pdb/cmd/v1?command={name}&version={version}&certname=b.example.org");
        let headers = [("content-type", "application/json")];
        let reply = admin.request("POST", &target, &headers, payload.to_string().as_bytes());
        assert_eq!(reply.unwrap().status, 200);
    }
    let mut reader = client(&server, "reader", false);
    let pair = "a=a.example.org&b=b.example.org";
    let compared = api(&mut reader, &format!("compare?{pair}")).json();
    let changes = compared["rows"][0]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{compared}");
    assert_eq!(changes[0]["lines"][0]["text"], "mode: '0600' -> '0700'", "{compared}");
    let facts = api(&mut reader, &format!("compare/facts?{pair}&format=csv")).text();
    assert_eq!(facts, "fact,before,after\r\ncount,4,5\r\n");
    let revisions = "a=a.example.org&b=a.example.org&a_revision=production&b_revision=staging";
    assert_eq!(api(&mut reader, &format!("compare?{revisions}")).status, 403);
    let mut planner = client(&server, "planner", false);
    let compared = api(&mut planner, &format!("compare?{revisions}")).json();
    let text = compared["rows"][0]["changes"][0]["lines"][0]["text"].clone();
    assert_eq!(text, "mode: '0600' -> '0640'", "{compared}");
    let mut user = client(&server, "staging", false);
    for page in ["compare", "compare/facts"] {
        assert_eq!(api(&mut user, &format!("{page}?{pair}")).status, 404);
    }
}

/// A report of an agent, with the seconds that its run took for each file.
fn timed_report(node: &str, time: &str, transaction: &str, files: &[(&str, f64)]) -> Json {
    let status = |(title, seconds): &(&str, f64)| {
        let status = json!({ "title": title, "file": null, "line": null,
            "resource": format!("File[{title}]"), "resource_type": "File",
            "containment_path": ["Stage[main]"], "tags": [], "evaluation_time": seconds,
            "time": time, "failed": false, "changed": false, "out_of_sync": false,
            "skipped": false, "change_count": 0, "out_of_sync_count": 0, "events": [],
            "corrective_change": false });
        (format!("File[{title}]"), status)
    };
    json!({
        "host": node, "time": time, "configuration_version": 2, "transaction_uuid": transaction,
        "report_format": 12, "puppet_version": "8.10.0", "status": "unchanged",
        "environment": "production", "noop": false, "noop_pending": false,
        "corrective_change": false, "logs": [], "metrics": {},
        "resource_statuses": files.iter().map(status).collect::<serde_json::Map<_, _>>(),
    })
}

/// Sends a report as an agent does.
fn send_report(client: &mut Client, report: &Json) {
    let node = report["host"].as_str().unwrap();
    let target = format!("/puppet/v3/report/{node}?environment=production");
    let headers = [("content-type", "application/json")];
    let reply = client.request("PUT", &target, &headers, report.to_string().as_bytes()).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[test]
fn a_run_has_a_critical_path() {
    let server = server();
    let mut node = client(&server, "a.example.org", false);
    let files = [("/tmp/a", 1.5), ("/tmp/b", 1.0), ("/tmp/c", 2.0), ("/tmp/d", 0.0)];
    let time = "2026-11-27T12:00:00.000000000+00:00";
    let transaction = "8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5";
    send_report(&mut node, &timed_report("a.example.org", time, transaction, &files));
    let mut reader = client(&server, "reader", false);
    let ids = rows(&api(&mut reader, "nodes/a.example.org/reports"), "report");
    let path = api(&mut reader, &format!("reports/{}/path", ids[0])).json();
    let expected = json!({
        "rows": [
            { "resource": "File[/tmp/a]", "seconds": 1.5 },
            { "resource": "File[/tmp/b]", "seconds": 1.0 },
        ],
        "seconds": 2.5, "all_seconds": 4.5, "resources": 3, "catalog": "at_time",
        "catalog_time": null,
    });
    assert_eq!(path, expected);
    let slowest = rows(&api(&mut reader, &format!("reports/{}/durations", ids[0])), "resource");
    assert_eq!(slowest, ["File[/tmp/c]", "File[/tmp/a]", "File[/tmp/b]"]);
    // A command of PuppetDB has no times of resources.
    let none = api(&mut reader, &format!("reports/{}/path", ids[1])).json();
    assert_eq!((&none["rows"], &none["resources"]), (&json!([]), &json!(0)));
    let mut user = client(&server, "staging", false);
    for page in ["path", "durations"] {
        assert_eq!(api(&mut user, &format!("reports/{}/{page}", ids[0])).status, 404);
    }
}

/// The critical paths of the runs of a node by their ends: how the catalog was found, the time that
/// chooses it, and the path.
fn paths(client: &mut Client, node: &str) -> Vec<String> {
    let reports = api(client, &format!("nodes/{node}/reports")).json();
    let word = |value: &Json| value.as_str().unwrap_or("-").to_owned();
    let mut lines: Vec<String> = reports["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|report| {
            let path = api(client, &format!("reports/{}/path", word(&report["report"]))).json();
            let rows = path["rows"].as_array().map(|rows| {
                rows.iter().map(|row| word(&row["resource"])).collect::<Vec<_>>().join(" ")
            });
            let rows = rows.unwrap_or_else(|| "unknown".to_owned());
            let found = [&report["end_time"], &path["catalog"], &path["catalog_time"]].map(word);
            format!("{}: {rows}", found.join(" "))
        })
        .collect();
    lines.sort();
    lines
}

fn runs_have_the_paths_of_their_catalogs(server: &TestServer) {
    let name = "a.example.org";
    let mut admin = client(server, "admin2.example.org", true);
    let end = |title: &str| json!({ "type": "File", "title": title });
    let transaction = "8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5";
    for (time, environment, from, to) in [
        ("2026-11-27T11:00:00.000Z", "production", "/tmp/b", "/tmp/c"),
        ("2026-11-27T12:00:00.000Z", "staging", "/tmp/c", "/tmp/a"),
    ] {
        let [_, (command, version, mut payload), _] = commands(name, environment);
        payload["producer_timestamp"] = json!(time);
        payload["transaction_uuid"] = json!(transaction);
        payload["resources"][0]["title"] = json!(from);
        payload["resources"][1]["title"] = json!(to);
        payload["edges"][0]["source"] = end(from);
        payload["edges"][0]["target"] = end(to);
        send(&mut admin, name, (command, version, payload));
    }
    let mut node = client(server, name, false);
    let files = [("/tmp/a", 1.0), ("/tmp/b", 1.5), ("/tmp/c", 2.0)];
    let other = "0c3c0a4e-9a43-4f4b-bd0b-6f41d7a1a1ac";
    for (time, id) in [
        ("2026-11-27T09:30:00Z", other),
        ("2026-11-27T10:30:00Z", other),
        ("2026-11-27T11:00:00Z", other),
        ("2026-11-27T12:30:00Z", other),
        // The clock of this run is behind, but the catalog has its id.
        ("2026-11-27T09:45:00Z", transaction),
    ] {
        send_report(&mut node, &timed_report(name, time, id, &files));
    }
    let mut reader = client(server, "reader", false);
    let expected = [
        "2026-11-27T09:30:00.000Z not_stored -: unknown",
        "2026-11-27T09:45:00.000Z of_run -: File[/tmp/c] File[/tmp/a]",
        "2026-11-27T10:00:09.500Z at_time 2026-11-27T10:00:00.000Z: ",
        "2026-11-27T10:30:00.000Z at_time 2026-11-27T10:00:00.000Z: File[/tmp/a] File[/tmp/b]",
        "2026-11-27T11:00:00.000Z at_time 2026-11-27T11:00:00.000Z: File[/tmp/b] File[/tmp/c]",
        "2026-11-27T12:30:00.000Z at_time -: File[/tmp/c] File[/tmp/a]",
    ];
    assert_eq!(paths(&mut reader, name), expected);
    // The node is one of staging now, but its earlier catalogs are not.
    let mut staging = client(server, "staging", false);
    let expected = [
        "2026-11-27T09:30:00.000Z not_stored -: unknown",
        "2026-11-27T09:45:00.000Z of_run -: File[/tmp/c] File[/tmp/a]",
        "2026-11-27T10:00:09.500Z not_visible -: unknown",
        "2026-11-27T10:30:00.000Z not_visible -: unknown",
        "2026-11-27T11:00:00.000Z not_visible -: unknown",
        "2026-11-27T12:30:00.000Z at_time -: File[/tmp/c] File[/tmp/a]",
    ];
    assert_eq!(paths(&mut staging, name), expected);
}

#[test]
fn old_runs_have_the_critical_paths_of_their_own_catalogs() {
    runs_have_the_paths_of_their_catalogs(&server());
    with_postgres(|address| runs_have_the_paths_of_their_catalogs(&server_of(Some(address))));
}

/// Sends a command about a node.
fn send(admin: &mut Client, node: &str, (name, version, payload): (&str, u8, Json)) {
    let target = format!("/pdb/cmd/v1?command={name}&version={version}&certname={node}");
    let headers = [("content-type", "application/json")];
    let reply = admin.request("POST", &target, &headers, payload.to_string().as_bytes()).unwrap();
    assert_eq!(reply.status, 200, "{name}: {}", reply.text());
}

#[test]
fn catalogs_of_earlier_times_are_compared() {
    let server = server();
    let mut admin = client(&server, "admin2.example.org", true);
    let node = "a.example.org";
    for (time, environment, mode) in [
        ("2026-11-27T11:00:00.000Z", "production", "0640"),
        ("2026-11-27T12:00:00.000Z", "staging", "0660"),
    ] {
        let [_, (name, version, mut payload), _] = commands(node, environment);
        payload["producer_timestamp"] = json!(time);
        payload["resources"][0]["parameters"]["mode"] = json!(mode);
        send(&mut admin, node, (name, version, payload));
    }
    let mut reader = client(&server, "reader", false);
    let catalogs = api(&mut reader, "nodes/a.example.org/catalogs").json();
    let column = |name: &str| -> Vec<Json> {
        catalogs["rows"].as_array().unwrap().iter().map(|row| row[name].clone()).collect()
    };
    let times = [json!(null), json!("2026-11-27T11:00:00.000Z"), json!("2026-11-27T10:00:00.000Z")];
    assert_eq!(column("time"), times);
    assert_eq!(column("next"), [json!(null), json!(null), times[1].clone()]);
    assert_eq!(column("replaced")[2], times[1]);
    assert_eq!(column("environment"), ["staging", "production", "production"]);
    let line = |reader: &mut Client, target: &str| {
        let found = api(reader, &format!("compare?{target}"));
        let document = found.json();
        let line = document["rows"][0]["changes"][0]["lines"][0]["text"].clone();
        (found.status, line)
    };
    let target = "a=a.example.org&b=a.example.org";
    for (times, text) in [
        ("&a_time=2026-11-27T10:30", json!("mode: '0600' -> '0660'")),
        (
            "&a_time=2026-11-27T10:00:00.000Z&b_time=2026-11-27T11:00:00.000Z",
            json!("mode: '0600' -> '0640'"),
        ),
        ("&a_time=2026-11-27T11:59:59%2B00:00", json!("mode: '0640' -> '0660'")),
        ("&a_time=2026-11-28", json!(null)),
    ] {
        assert_eq!(line(&mut reader, &format!("{target}{times}")), (200, text), "{times}");
    }
    let other = "a=a.example.org&b=b.example.org&a_time=2026-11-27T11:30";
    assert_eq!(line(&mut reader, other), (200, json!("mode: '0640' -> '0600'")));
    for (times, status) in [
        ("&a_time=2026-11-27T09:00", 404),
        ("&a_time=yesterday", 400),
        ("&a_time=2026-11-28&a_revision=production", 400),
    ] {
        assert_eq!(line(&mut reader, &format!("{target}{times}")).0, status, "{times}");
    }
    // The node is one of staging now, but its earlier catalogs are not.
    let mut staging = client(&server, "staging", false);
    let catalogs = api(&mut staging, "nodes/a.example.org/catalogs").json();
    assert_eq!(catalogs["total"], 1, "{catalogs}");
    assert_eq!(line(&mut staging, &format!("{target}&a_time=2026-11-27T11:30")).0, 404);
    // PuppetDB's API has the last one only.
    let last = admin.get("/pdb/query/v4/catalogs/a.example.org").unwrap().json();
    assert_eq!(last["environment"], "staging");
    let all = admin.get("/pdb/query/v4/catalogs").unwrap().json();
    assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
}

#[test]
fn the_events_of_two_runs_are_compared() {
    let server = server();
    let mut admin = client(&server, "admin2.example.org", true);
    let node = "a.example.org";
    let [_, _, (name, version, mut payload)] = commands(node, "production");
    let time = "2026-11-27T11:00:00.000Z";
    for key in ["start_time", "end_time", "producer_timestamp"] {
        payload[key] = json!(time);
    }
    let events = &mut payload["resources"][0]["events"];
    events[1]["new_value"] = json!("root");
    let group = json!({ "status": "failure", "timestamp": time, "property": "group", "name": "failed",
        "new_value": "wheel", "old_value": "root", "message": "no group", "corrective_change": false });
    events.as_array_mut().unwrap().push(group);
    send(&mut admin, node, (name, version, payload));
    let mut reader = client(&server, "reader", false);
    let ids = rows(&api(&mut reader, "nodes/a.example.org/reports"), "report");
    let target = format!("reports/{}/compare?other={}", ids[1], ids[0]);
    let found = api(&mut reader, &target);
    assert_eq!(rows(&found, "property"), ["group", "owner"]);
    let document = found.json();
    let [group, owner] = [0, 1].map(|at| &document["rows"][at]);
    assert_eq!(
        (&group["first_status"], &group["second_status"]),
        (&json!(null), &json!("failure"))
    );
    assert_eq!(
        (&group["second_time"], &group["second_message"]),
        (&json!(time), &json!("no group"))
    );
    assert_eq!(
        (&owner["first_new_value"], &owner["second_new_value"]),
        (&json!("0600"), &json!("root"))
    );
    assert_eq!(
        rows(&api(&mut reader, &format!("{target}&equal=yes")), "property"),
        ["group", "mode", "owner"]
    );
    let csv = api(&mut reader, &format!("{target}&format=csv")).text();
    assert!(csv.starts_with("resource,property,first_status,"), "{csv}");
    let same = api(&mut reader, &format!("reports/{0}/compare?other={0}", ids[0]));
    assert_eq!(same.json()["total"], 0);
    assert_eq!(api(&mut reader, &format!("reports/{}/compare", ids[0])).status, 400);
    // A run of a node that the user may not see is none.
    let own = rows(&api(&mut reader, "nodes/b.example.org/reports"), "report").remove(0);
    let mut staging = client(&server, "staging", false);
    for (one, other) in [(&own, &ids[0]), (&ids[0], &own)] {
        let target = format!("reports/{one}/compare?other={other}");
        assert_eq!(api(&mut staging, &target).status, 404);
        assert_eq!(api(&mut reader, &target).status, 200);
    }
}
