//! PuppetDB's API: who may use it, commands of other servers, queries about what agents sent.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use serde_json::{Value as Json, json};

use crate::support::{Client, Reply, TestServer, read_reply};

const SITE: &str = "environments/production/manifests/site.pp";

/// A server with a client, a sender, and an address for queries without encryption.
fn server(site: &str) -> TestServer {
    TestServer::start(&[(SITE, site)], |config| {
        config.puppetdb = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.puppetdb_clients = vec!["board.example.org".to_string()];
        config.puppetdb_senders = vec!["server.example.org".to_string()];
    })
}

fn client(server: &TestServer, name: &str) -> Client {
    server.connect(Some(&server.generate(name, |_| {}))).unwrap()
}

/// A query without encryption.
fn ask(server: &TestServer, target: &str, headers: &[(&str, &str)]) -> Reply {
    send(server, "GET", target, headers, b"")
}

fn send(
    server: &TestServer,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    let mut stream = TcpStream::connect(server.summary.puppetdb.unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut head = format!("{method} {target} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    if headers.iter().all(|(name, _)| *name != "host") {
        head.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    read_reply(&mut stream, false).unwrap()
}

/// The rows of a query in PQL.
pub(crate) fn rows(server: &TestServer, query: &str) -> Json {
    let body = json!({ "query": query }).to_string();
    let reply = send(server, "POST", "/pdb/query/v4", &[], body.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn facts_of(node: &str, values: &Json) -> Json {
    json!({
        "certname": node, "environment": "production", "producer": "server.example.org",
        "producer_timestamp": "2026-11-26T12:00:00.000Z", "values": values,
    })
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(text, Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

/// Sends a command as Puppet's terminus does.
fn command(client: &mut Client, name: &str, version: u8, certname: &str, payload: &Json) -> Reply {
    let text = payload.to_string();
    let target =
        format!("/pdb/cmd/v1?checksum=0&version={version}&certname={certname}&command={name}");
    let length = text.len().to_string();
    let headers = [
        ("content-type", "application/json"),
        ("content-encoding", "gzip"),
        ("x-uncompressed-length", length.as_str()),
    ];
    client.request("POST", &target, &headers, &gzip(text.as_bytes())).unwrap()
}

#[test]
fn clients_ask_and_senders_send() {
    let server = server("");
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let mut admin = server.connect(Some(&admin)).unwrap();
    let mut sender = client(&server, "server.example.org");
    let mut board = client(&server, "board.example.org");
    let mut node = client(&server, "web.example.org");
    let facts = facts_of("web.example.org", &json!({ "a/b": "c", "n": 1 }));
    for (client, may_query, may_send) in [
        (&mut admin, 200, 200),
        (&mut sender, 200, 200),
        (&mut board, 200, 403),
        (&mut node, 403, 403),
    ] {
        let sent = command(client, "replace_facts", 5, "web.example.org", &facts);
        assert_eq!(sent.status, may_send, "{}", sent.text());
        for target in [
            "/pdb/query/v4/nodes",
            "/pdb/meta/v1/version",
            "/pdb/meta/v1/server-time",
            "/metrics/v2/list",
            "/metrics/v2/read/puppetlabs.puppetdb.population%3Aname%3Dnum-nodes",
        ] {
            assert_eq!(client.get(target).unwrap().status, may_query, "{target}");
        }
    }
    let metric = "/metrics/v2/read/puppetlabs.puppetdb.population:name=num-nodes";
    let value = board.get(metric).unwrap().json();
    assert_eq!((&value["value"]["Value"], &value["status"]), (&json!(1), &json!(200)));
    let unknown = board.get("/metrics/v2/read/java.lang:type=Memory").unwrap().json();
    assert_eq!(unknown["status"], 404);
    let status = node.get("/status/v1/services/puppetdb-status").unwrap().json();
    assert_eq!(
        (&status["state"], &status["status"]["read_db_up?"]),
        (&json!("running"), &json!(true))
    );
    let fact = board.get("/pdb/query/v4/facts/a%2Fb/c").unwrap();
    assert_eq!(fact.json()[0]["certname"], "web.example.org", "{}", fact.text());
    assert_eq!(board.get("/pdb/query/v4/nodes/other.example.org").unwrap().status, 404);
    assert_eq!(board.get("/pdb/query/v4/nodes?query=%5B%22x%22%5D").unwrap().status, 400);
}

#[test]
fn wrong_commands_are_refused() {
    let server = server("");
    let mut sender = client(&server, "server.example.org");
    let facts = facts_of("web.example.org", &json!({ "a": 1 }));
    let mut refused = |name: &str, version, certname: &str, payload: &Json| {
        let reply = command(&mut sender, name, version, certname, payload);
        assert_eq!(reply.status, 400, "{}", reply.text());
        reply.json()["error"].as_str().unwrap().to_string()
    };
    let other = refused("replace_facts", 5, "other.example.org", &facts);
    assert!(other.contains("other.example.org"), "{other}");
    let unknown = refused("replace_factz", 5, "web.example.org", &facts);
    assert!(unknown.contains("Unsupported command"), "{unknown}");
    refused("replace_facts", 99, "web.example.org", &facts);
    refused("store_report", 8, "web.example.org", &json!({ "certname": "web.example.org" }));
    refused("replace_facts", 5, "web.example.org", &json!([]));
    let target = "/pdb/cmd/v1?version=5&certname=web.example.org&command=replace_facts";
    let mut post = |headers: &[(&str, &str)], body: &[u8]| {
        sender.request("POST", target, headers, body).unwrap().status
    };
    assert_eq!(post(&[("content-encoding", "gzip")], b"no gzip"), 400);
    assert_eq!(post(&[("content-encoding", "br")], b"x"), 415);
    // A body of one MiB of spaces is not read, as its sender says that it is short.
    let long = gzip(&vec![b' '; 1 << 20]);
    assert_eq!(post(&[("content-encoding", "gzip"), ("x-uncompressed-length", "100")], &long), 413);
    assert_eq!(post(&[], facts.to_string().as_bytes()), 200);
    // The form of older clients.
    let whole = json!({ "command": "replace facts", "version": 5, "payload": facts }).to_string();
    let reply = sender.request("POST", "/pdb/cmd/v1", &[], whole.as_bytes()).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(rows(&server, "facts[value] { name = 'a' }"), json!([{ "value": 1 }]));
}

#[test]
fn what_agents_send_is_found() {
    let site = "file { '/etc/motd': content => 'x' }\n";
    let server = server(site);
    let mut node = client(&server, "web.example.org");
    let put = |client: &mut Client, kind: &str, body: &Json| {
        let target = format!("/puppet/v3/{kind}/web.example.org?environment=production");
        let headers = [("content-type", "application/json")];
        client.request("PUT", &target, &headers, body.to_string().as_bytes()).unwrap()
    };
    let facts = json!({ "name": "web.example.org", "values": { "os": { "family": "Debian" } } });
    assert_eq!(put(&mut node, "facts", &facts).status, 200);
    let target = "/puppet/v3/catalog/web.example.org?environment=production";
    assert_eq!(node.get(target).unwrap().status, 200);
    assert_eq!(put(&mut node, "report", &report()).status, 200);
    let found = rows(&server, "inventory[certname] { facts.os.family = 'Debian' }");
    assert_eq!(found, json!([{ "certname": "web.example.org" }]));
    let path = "/pdb/query/v4/resources/File/%2Fetc%2Fmotd";
    assert_eq!(ask(&server, path, &[]).json()[0]["parameters"], json!({ "content": "x" }));
    let found = rows(&server, "nodes[latest_report_status, latest_report_noop] { }");
    assert_eq!(found, json!([{ "latest_report_status": "changed", "latest_report_noop": false }]));
    let found = rows(&server, "events[resource_title, new_value] { status = 'success' }");
    assert_eq!(found, json!([{ "resource_title": "/etc/motd", "new_value": "{md5}9" }]));
    let metric = "/metrics/v2/read/puppetlabs.puppetdb.population:name=num-resources";
    let counted = ask(&server, metric, &[]).json();
    let all = rows(&server, "resources[count()] { }");
    assert_eq!(counted["value"]["Value"], all[0]["count"]);
}

/// The time of a report.
const TIME: &str = "2026-11-27T01:02:03.000000000+00:00";

/// A report of a changed file.
fn report() -> Json {
    let event = json!({
        "audited": false, "property": "ensure", "previous_value": "absent",
        "desired_value": "{md5}9", "historical_value": null, "message": "defined content",
        "name": "file_created", "status": "success", "time": TIME, "corrective_change": false,
    });
    let file = json!({
        "title": "/etc/motd", "file": null, "line": null, "resource": "File[/etc/motd]",
        "resource_type": "File", "containment_path": ["Stage[main]", "File[/etc/motd]"],
        "evaluation_time": 0.1, "tags": [], "time": TIME, "failed": false, "changed": true,
        "out_of_sync": true, "skipped": false, "change_count": 1, "out_of_sync_count": 1,
        "events": [event], "corrective_change": false,
    });
    json!({
        "host": "web.example.org", "time": TIME, "configuration_version": 1_795_694_400,
        "transaction_uuid": "8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5", "report_format": 12,
        "puppet_version": "8.10.0", "status": "changed", "environment": "production",
        "noop": false, "noop_pending": false, "corrective_change": false, "logs": [],
        "metrics": {}, "resource_statuses": { "File[/etc/motd]": file },
    })
}

#[test]
fn malformed_reports_and_facts_are_the_senders_fault() {
    let server = server("");
    let mut node = client(&server, "web.example.org");
    let mut put = |body: &Json| {
        let target = "/puppet/v3/report/web.example.org?environment=production";
        let headers = [("content-type", "application/json")];
        node.request("PUT", target, &headers, body.to_string().as_bytes()).unwrap()
    };
    let mut keys: Vec<String> = report().as_object().unwrap().keys().cloned().collect();
    keys.retain(|key| key != "host");
    for key in keys {
        let mut wrong = report();
        wrong[&key] = json!([{ "x": [] }, 7]);
        let reply = put(&wrong);
        assert!(matches!(reply.status, 200 | 400), "{key}: {} {}", reply.status, reply.text());
    }
    let mut wrong = report();
    wrong["time"] = "yesterday".into();
    let reply = put(&wrong);
    assert_eq!(reply.status, 400, "{}", reply.text());
    assert_eq!(put(&json!({ "host": "web.example.org" })).status, 400);
    assert_eq!(put(&report()).status, 200);
}

#[test]
fn long_answers_come_in_parts() {
    let server = server("");
    let mut sender = client(&server, "server.example.org");
    let values: serde_json::Map<String, Json> =
        (0..5_000).map(|i| (format!("fact{i}"), json!(format!("value {i}").repeat(5)))).collect();
    let facts = facts_of("web.example.org", &Json::Object(values));
    let sent = command(&mut sender, "replace_facts", 5, "web.example.org", &facts);
    assert_eq!(sent.status, 200, "{}", sent.text());
    let target = "/pdb/query/v4/facts?include_total=true&limit=4000";
    let plain = ask(&server, target, &[]);
    assert_eq!(plain.header("transfer-encoding"), Some("chunked"));
    assert_eq!(plain.header("x-records"), Some("5000"));
    assert_eq!(plain.json().as_array().unwrap().len(), 4_000);
    let packed = ask(&server, target, &[("accept-encoding", "gzip, deflate")]);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let mut text = Vec::new();
    GzDecoder::new(&packed.body[..]).read_to_end(&mut text).unwrap();
    assert!(text == plain.body && packed.body.len() * 4 < text.len());
    // A client that goes away early leaves its place to others.
    for _ in 0..20 {
        let mut stream = TcpStream::connect(server.summary.puppetdb.unwrap()).unwrap();
        stream.write_all(b"GET /pdb/query/v4/facts HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut some = [0; 100];
        stream.read_exact(&mut some).unwrap();
    }
    assert_eq!(ask(&server, "/pdb/query/v4/nodes", &[]).json().as_array().unwrap().len(), 1);
}

#[test]
fn the_local_address_is_for_queries_of_this_machine() {
    let server = server("");
    let target = "/pdb/query/v4/nodes";
    let of = |host: &str| ask(&server, target, &[("host", host)]).status;
    for host in ["localhost:8080", "localhost", "127.0.0.1:1", "127.0.0.1", "[::1]:80"] {
        assert_eq!(of(host), 200, "{host}");
    }
    for host in ["evil.example.org", "localhost.evil.example.org:8080", "", "a:b:c"] {
        assert_eq!(of(host), 403, "{host}");
    }
    let facts = facts_of("web.example.org", &json!({ "a": 1 })).to_string();
    let target = "/pdb/cmd/v1?version=5&certname=web.example.org&command=replace_facts";
    assert_eq!(send(&server, "POST", target, &[], facts.as_bytes()).status, 403);
    assert_eq!(ask(&server, "/puppet/v3/environments", &[]).status, 404);
    assert_eq!(ask(&server, "/healthz", &[]).status, 200);
}
