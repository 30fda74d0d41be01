//! Who may use which route: every route with every kind of client.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use ordain_ca::{CertificateAuthority, CreateOptions, GenerateOptions, Generated, Settings};
use ordain_server::routes;
use ordain_testkit::golden::golden;

use crate::support::{Client, TestServer};

const CODE: [(&str, &str); 2] = [
    ("environments/production/manifests/site.pp", "notify { 'a': }\n"),
    ("environments/production/modules/m/files/a.txt", "text\n"),
];

/// The clients of the table.
fn clients(server: &TestServer) -> Vec<(&'static str, Option<Generated>)> {
    let plain = |name: &str| Some(server.generate(name, |_| {}));
    let alt_name = server.generate("c.example.org", |options| {
        options.alt_names = vec!["DNS:a.example.org".to_string()];
    });
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let revoked = server.generate("revoked.example.org", |_| {});
    server.ca().revoke(&["revoked.example.org".to_string()]).unwrap();
    let expired = server.generate("expired.example.org", |options| {
        options.ttl = Some(Duration::from_secs(1));
    });
    let foreign = tempfile::tempdir().unwrap();
    let foreign = foreign.path().join("ca");
    let foreign =
        CertificateAuthority::create(&foreign, &CreateOptions::default(), Settings::default());
    let foreign = foreign.unwrap().generate("a.example.org", &GenerateOptions::default());
    std::thread::sleep(Duration::from_millis(2500));
    vec![
        ("none", None),
        ("own", plain("a.example.org")),
        ("other", plain("b.example.org")),
        ("parent", plain("example.org")),
        ("top", plain("org")),
        ("below", plain("x.a.example.org")),
        ("alt name", Some(alt_name)),
        ("admin", Some(admin)),
        ("revoked", Some(revoked)),
        ("expired", Some(expired)),
        ("foreign", Some(foreign.unwrap())),
    ]
}

/// The status of a request on a connection of its own, or `-` if the connection is refused.
fn status(server: &TestServer, client: Option<&Generated>, method: &str, target: &str) -> String {
    let headers = [("content-type", "application/json")];
    let reply = server
        .connect(client)
        .and_then(|mut connection: Client| connection.request(method, target, &headers, b"{}"));
    match reply {
        Ok(reply) => {
            assert!(reply.header("content-type").is_some(), "{method} {target}");
            assert_eq!(reply.header("x-puppet-version"), Some(ordain_server::PUPPET_VERSION));
            reply.status.to_string()
        }
        Err(_) => "-".to_string(),
    }
}

#[test]
fn each_route_admits_its_principal_only() {
    let server = TestServer::start(&CODE, |_| {});
    let clients = clients(&server);
    // The server notices a revocation by another process within seconds; requests at once.
    let mut table = String::new();
    let columns: Vec<&str> = clients.iter().map(|(name, _)| *name).collect();
    writeln!(table, "{:8} {:52} {:19} {}", "method", "path", "may", columns.join("  ")).unwrap();
    let mut all = routes();
    // Routes that change the state of names come last.
    all.sort_by_key(|route| match route.pattern {
        pattern if pattern.contains("revoke") => 2,
        pattern if pattern.contains("clean") || route.method == "DELETE" => 1,
        _ => 0,
    });
    for route in all {
        let target = route.pattern.replace("{name}", "a.example.org");
        let target = match route.pattern {
            pattern if pattern.contains("file_bucket") => target.replace("{path}", "md5/0/a"),
            pattern if pattern.starts_with("/pdb/") => target.replace("{path}", "nodes"),
            _ => target.replace("{path}", "modules/m/a.txt"),
        };
        let target = match route.pattern.starts_with("/pdb/") {
            true => target,
            false => format!("{target}?environment=production"),
        };
        let statuses = clients.iter().map(|(name, client)| {
            let status = status(&server, client.as_ref(), &route.method, &target);
            format!("{status:width$}", width = name.len().max(3))
        });
        let statuses = statuses.collect::<Vec<_>>().join("  ");
        let line =
            format!("{:8} {:52} {:19} {statuses}", route.method, route.pattern, route.principal);
        table.push_str(line.trim_end());
        table.push('\n');
    }
    golden(1, |golden| golden.file(&path("table.txt"), &table));
}

fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/routes").join(name)
}

/// Ways to write the name of a node in a URL, and names that are none.
const NAMES: [&str; 17] = [
    "a.example.org",
    "A.example.org",
    "a%2eexample.org",
    "%61.example.org",
    "a%252eexample.org",
    "a.example.org.",
    ".a.example.org",
    "a.example.org%00",
    "a.example.org%20",
    "a.example.org/",
    "a.example.org//",
    "./a.example.org",
    "b.example.org/../a.example.org",
    "b.example.org/%2e%2e/a.example.org",
    "b.example.org%2f..%2fa.example.org",
    "*.example.org",
    "%2fa.example.org%2f",
];

#[test]
fn names_are_compared_as_they_are() {
    let server = TestServer::start(&CODE, |_| {});
    let own = server.generate("a.example.org", |_| {});
    let other = server.generate("b.example.org", |_| {});
    let mut table = format!("{:40} {:5} other\n", "name", "own");
    for name in NAMES {
        let target = format!("/puppet/v3/node/{name}?environment=production");
        let of = |client| status(&server, Some(client), "GET", &target);
        writeln!(table, "{name:40} {:5} {}", of(&own), of(&other)).unwrap();
    }
    golden(1, |golden| golden.file(&path("names.txt"), &table));
}

#[test]
fn an_open_connection_ends_with_its_certificate() {
    let server = TestServer::start(&CODE, |_| {});
    let node = server.generate("a.example.org", |_| {});
    let target = "/puppet/v3/node/a.example.org?environment=production";
    let mut connection = server.connect(Some(&node)).unwrap();
    assert_eq!(connection.get(target).unwrap().status, 200);
    server.ca().revoke(&["a.example.org".to_string()]).unwrap();
    let refused = connection.get(target).unwrap();
    assert_eq!(refused.status, 403);
    assert!(refused.text().contains("revoked"), "{}", refused.text());
}

#[test]
fn an_administrator_signs_and_cleans() {
    let server = TestServer::start(&CODE, |_| {});
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    server.generate("a.example.org", |_| {});
    let mut connection = server.connect(Some(&admin)).unwrap();
    let mut call = |method: &str, target: &str, body: &str| {
        let headers = [("content-type", "application/json")];
        let target = format!("/puppet-ca/v1/{target}");
        connection.request(method, &target, &headers, body.as_bytes()).unwrap()
    };
    let status = call("GET", "certificate_status/a.example.org", "");
    assert_eq!((status.status, status.json()["state"].as_str()), (200, Some("signed")));
    let all = call("GET", "certificate_statuses/any?state=signed", "");
    assert_eq!(all.json().as_array().unwrap().len(), 3, "{}", all.text());
    for (body, expected) in [
        ("", 400),
        ("{}", 400),
        (r#"{"desired_state":"other"}"#, 400),
        (r#"{"desired_state":"signed","cert_ttl":"x"}"#, 400),
        (r#"{"desired_state":"signed"}"#, 409),
        (r#"{"desired_state":"revoked"}"#, 204),
    ] {
        assert_eq!(
            call("PUT", "certificate_status/a.example.org", body).status,
            expected,
            "{body}"
        );
    }
    let status = call("GET", "certificate_status/a.example.org", "");
    assert_eq!(status.json()["state"], "revoked");
    assert_eq!(call("POST", "sign", "{}").status, 422);
    let signed = call("POST", "sign", r#"{"certnames":["x"]}"#);
    assert_eq!(signed.json()["no-csr"][0], "x");
    assert_eq!(call("POST", "sign/all", "").status, 200);
    assert_eq!(call("PUT", "clean", r#"{"certnames":["a.example.org"],"async":true}"#).status, 400);
    assert_eq!(call("PUT", "clean", r#"{"certnames":["a.example.org"]}"#).status, 200);
    assert_eq!(call("GET", "certificate_status/a.example.org", "").status, 404);
    assert_eq!(call("GET", "expirations", "").status, 200);
}

#[test]
fn the_revocation_list_is_sent_when_it_has_changed() {
    let server = TestServer::start(&CODE, |_| {});
    let mut connection = server.connect(None).unwrap();
    let target = "/puppet-ca/v1/certificate_revocation_list/ca";
    let list = connection.get(target).unwrap();
    assert!(list.text().starts_with("-----BEGIN X509 CRL-----"));
    let modified = list.header("last-modified").unwrap().to_string();
    let mut since = |date: &str| {
        connection.request("GET", target, &[("if-modified-since", date)], b"").unwrap().status
    };
    assert_eq!(since(&modified), 304);
    assert_eq!(since("Thu, 01 Jan 1998 00:00:00 GMT"), 200);
    assert_eq!(since("nonsense"), 200);
}

#[test]
fn the_documentation_lists_every_route() {
    let page = include_str!("../../../../docs/server.md");
    for route in routes() {
        let row = format!("| {} | `{}` | {} |", route.method, route.pattern, route.principal);
        assert!(page.contains(&row), "docs/server.md lacks {row}");
    }
}

#[test]
fn an_administrator_asks_for_modules_and_classes() {
    let init = "environments/production/modules/m/manifests/init.pp";
    let text = "class m(Integer $count = 3, Optional[String] $name_of = undef, $list = ['a', {'b' => -1}], \
                $other = $facts['x']) { }\nclass m::inner { }\n";
    let code = [
        CODE[0],
        (init, text),
        ("environments/production/modules/m/manifests/broken.pp", "class {\n"),
        ("environments/production/modules/m/metadata.json", "{\"version\":\"1.2.3\"}"),
    ];
    let server = TestServer::start(&code, |_| {});
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let mut admin = server.connect(Some(&admin)).unwrap();
    let modules = admin.get("/puppet/v3/environment_modules?environment=production").unwrap();
    assert_eq!(
        modules.text(),
        r#"{"name":"production","modules":[{"name":"m","version":"1.2.3"}]}"#
    );
    let target = "/puppet/v3/environment_classes?environment=production";
    let reply = admin.get(target).unwrap();
    let files = reply.json()["files"].clone();
    let files = files.as_array().unwrap();
    assert_eq!(files.len(), 3, "{}", reply.text());
    assert!(files[1]["error"].as_str().unwrap().starts_with("Syntax error"), "{}", reply.text());
    let expected = serde_json::json!([
        { "name": "m", "params": [
            { "default_literal": 3, "default_source": "3", "name": "count", "type": "Integer" },
            { "default_source": "undef", "name": "name_of", "type": "Optional[String]" },
            { "default_literal": ["a", { "b": -1 }], "default_source": "['a', {'b' => -1}]", "name": "list" },
            { "default_source": "$facts['x']", "name": "other" },
        ] },
        { "name": "m::inner", "params": [] },
    ]);
    assert_eq!(files[2]["classes"], expected);
    let tag = reply.header("etag").unwrap().to_string();
    let again = admin.request("GET", target, &[("if-none-match", &tag)], b"").unwrap();
    assert_eq!(again.status, 304);
    assert_eq!(admin.get("/puppet/v3/environment_classes").unwrap().status, 400);
}
