//! Catalogs that are answered without a compile.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::catalogs::{catalog_of, client, facts, titles};
use crate::support::{Client, TestServer};

const SITE: &str = "environments/production/manifests/site.pp";
const INIT: &str = "environments/production/modules/a/manifests/init.pp";
const OTHER: &str = "environments/production/modules/b/manifests/init.pp";

/// A counter of the server.
fn counter(server: &TestServer, name: &str) -> u64 {
    let mut stream = TcpStream::connect(server.summary.metrics.unwrap()).unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

fn stored(server: &TestServer) -> u64 {
    counter(server, "ordain_answers_total{result=\"stored\"}")
}

fn compiled(server: &TestServer, reason: &str) -> u64 {
    let labels = format!("{{result=\"compiled\",reason=\"{reason}\"}}");
    counter(server, &format!("ordain_answers_total{labels}"))
}

fn start(code: &[(&str, &str)]) -> TestServer {
    TestServer::start(code, |config| {
        config.metrics = Some(([127, 0, 0, 1], 0).into());
        config.recompile_share = 1;
    })
}

const CODE: [(&str, &str); 3] = [
    (SITE, "include a\nnotify { $facts['role']: }\n"),
    (INIT, "class a { notify { 'one': } }\n"),
    (OTHER, "class b { }\n"),
];

fn with(changes: Json) -> Json {
    let mut facts = facts();
    for (name, value) in changes.as_object().unwrap() {
        facts["values"][name] = value.clone();
    }
    facts
}

#[test]
fn only_inputs_of_the_compile_lead_to_another_one() {
    let server = start(&CODE);
    let mut client = client(&server);
    let first = catalog_of(&mut client, &facts(), "production");
    assert_eq!(titles(&first), ["one", "web"]);
    assert_eq!((stored(&server), compiled(&server, "absent")), (0, 1));
    // A fact that no code has read.
    let second = catalog_of(&mut client, &with(json!({ "uptime": 7 })), "production");
    assert_eq!(stored(&server), 1);
    let (first, second) = (first.json(), second.json());
    assert_eq!(first["resources"], second["resources"]);
    assert_eq!(first["edges"], second["edges"]);
    assert_ne!(first["catalog_uuid"], second["catalog_uuid"]);
    assert!(second["version"].is_i64());
    // Its facts are stored all the same.
    let admin = server.generate("admin.example.org", |options| {
        options.extensions = vec![("pp_cli_auth".to_string(), "true".to_string())];
    });
    let mut admin = server.connect(Some(&admin)).unwrap();
    let body = json!({
        "certname": "web.example.org", "environment": "production",
        "persistence": { "facts": false, "catalog": false },
    });
    let body = body.to_string();
    let reply = admin.request("POST", "/puppet/v4/catalog", &[], body.as_bytes()).unwrap();
    assert_eq!(reply.json()["catalog"]["resources"], first["resources"]);
    // A fact that was read.
    let reply = catalog_of(&mut client, &with(json!({ "role": "db" })), "production");
    assert_eq!(titles(&reply), ["one", "db"]);
    assert_eq!(compiled(&server, "fact"), 1);
}

/// Asks until a counter has grown.
fn ask_until(client: &mut Client, grown: impl Fn() -> bool) {
    let begin = Instant::now();
    while !grown() {
        assert!(begin.elapsed() < Duration::from_secs(10), "the edit is not noticed");
        assert_eq!(catalog_of(client, &facts(), "production").status, 200);
    }
}

#[test]
fn only_files_that_the_compile_has_read_matter() {
    let server = start(&CODE);
    let mut client = client(&server);
    catalog_of(&mut client, &facts(), "production");
    server.edit(INIT, "class a { notify { 'two': } }\n");
    ask_until(&mut client, || compiled(&server, "file") > 0);
    let reply = catalog_of(&mut client, &facts(), "production");
    assert_eq!(titles(&reply), ["two", "web"]);
    // The module of another class changes; then a file appears that was looked for.
    server.edit(OTHER, "class b { notify { 'x': } }\n");
    std::thread::sleep(Duration::from_millis(300));
    let (before, files) = (stored(&server), compiled(&server, "file"));
    catalog_of(&mut client, &facts(), "production");
    assert_eq!((stored(&server), compiled(&server, "file")), (before + 1, files));
    server.edit("environments/production/hiera.yaml", "version: 5\n");
    ask_until(&mut client, || compiled(&server, "file") > files);
}

#[test]
fn answers_outlive_the_server() {
    let server = start(&CODE);
    catalog_of(&mut client(&server), &facts(), "production");
    catalog_of(&mut client(&server), &facts(), "production");
    let dir = server.stop();
    let again = TestServer::start_in(dir, |config| {
        config.metrics = Some(([127, 0, 0, 1], 0).into());
    });
    let reply = catalog_of(&mut client(&again), &facts(), "production");
    assert_eq!(titles(&reply), ["one", "web"]);
    assert_eq!(stored(&again), 1);
    let dir = again.stop();
    // Another setting may lead to another catalog.
    let other = TestServer::start_in(dir, |config| {
        config.metrics = Some(([127, 0, 0, 1], 0).into());
        config.strict_variables = false;
    });
    catalog_of(&mut client(&other), &facts(), "production");
    assert_eq!((stored(&other), compiled(&other, "settings")), (0, 1));
}

#[test]
fn exported_resources_are_inputs() {
    let site = "@@host { $trusted['certname']: ip => $facts['ip'] }\n\
                Host <<| |>>\n";
    let server = start(&[(SITE, site)]);
    let mut web = client(&server);
    let facts = with(json!({ "ip": "192.0.2.1" }));
    catalog_of(&mut web, &facts, "production");
    catalog_of(&mut web, &facts, "production");
    assert_eq!(stored(&server), 1);
    let other = server.generate("other.example.org", |_| {});
    let mut other = server.connect(Some(&other)).unwrap();
    let body = json!({ "name": "other.example.org", "values": { "ip": "192.0.2.2" } });
    let body =
        format!("facts_format=application%2Fjson&facts={}", body.to_string().replace('"', "%22"));
    let target = "/puppet/v3/catalog/other.example.org?environment=production";
    let form = [("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(other.request("POST", target, &form, body.as_bytes()).unwrap().status, 200);
    let reply = catalog_of(&mut web, &facts, "production");
    assert!(reply.text().contains("192.0.2.2"), "{}", reply.text());
    assert_eq!(compiled(&server, "exports"), 1);
}

#[test]
fn a_compile_that_reads_the_time_is_repeated() {
    let server = start(&[(SITE, "notify { strftime('%Y'): }\n")]);
    let mut client = client(&server);
    for _ in 0..3 {
        assert_eq!(catalog_of(&mut client, &facts(), "production").status, 200);
    }
    assert_eq!((stored(&server), compiled(&server, "unrepeatable")), (0, 2));
}

#[test]
fn answers_are_compiled_again_to_compare() {
    let server = start(&CODE);
    let mut client = client(&server);
    let begin = Instant::now();
    while counter(&server, "ordain_answer_checks_total{result=\"equal\"}") < 3 {
        assert!(begin.elapsed() < Duration::from_secs(20), "nothing is checked");
        catalog_of(&mut client, &facts(), "production");
    }
    assert_eq!(counter(&server, "ordain_answer_checks_total{result=\"different\"}"), 0);
}

#[test]
fn a_setting_turns_answers_off() {
    let server = TestServer::start(&CODE, |config| config.answers = false);
    let mut client = client(&server);
    for role in ["web", "db", "db"] {
        let reply = catalog_of(&mut client, &with(json!({ "role": role })), "production");
        assert_eq!(titles(&reply), ["one", role]);
    }
}

#[test]
fn compressed_answers_are_whole() {
    let site = "range(1, 200).each |$n| { notify { \"number ${n}\": } }\n";
    let server = start(&[(SITE, site)]);
    let mut client = client(&server);
    let plain = catalog_of(&mut client, &facts(), "production");
    let target = "/puppet/v3/catalog/web.example.org?environment=production";
    let headers = [("accept-encoding", "gzip"), ("accept", "application/json")];
    let packed = client.request("GET", target, &headers, b"").unwrap();
    assert_eq!((stored(&server), packed.header("content-encoding")), (1, Some("gzip")));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_string(&mut text).unwrap();
    let catalog: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(catalog["resources"], plain.json()["resources"]);
}
