//! Attacks that other servers fell to. docs/security.md names the test of each.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use ordain_ca::{Autosign, CertificateState};
use ordain_server::routes;
use ordain_testkit::peer::peer;
use serde_json::json;

use crate::support::{Reply, TestServer, certificate_request};

const SITE: &str = "environments/production/manifests/site.pp";
const CODE: [(&str, &str); 1] = [(SITE, "notify { $trusted['certname']: }\n")];
const NODE: &str = "/puppet/v3/node/a.example.org?environment=production";

#[test]
fn identities_in_headers_are_ignored() {
    let server = TestServer::start(&CODE, |_| {});
    let own = server.generate("a.example.org", |_| {});
    let other = server.generate("b.example.org", |_| {});
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let pem = |made: &ordain_ca::Generated| made.certificate.pem().replace('\n', "%0A");
    let (own_pem, admin_pem) = (pem(&own), pem(&admin));
    let claims: [&[(&str, &str)]; 6] = [
        &[("x-client-verify", "SUCCESS"), ("x-client-dn", "CN=a.example.org")],
        &[("x-client-verify", "SUCCESS"), ("x-client-cert", &own_pem)],
        &[("X_Client_Verify", "SUCCESS"), ("X_Client_DN", "/CN=a.example.org")],
        &[
            ("x-client-verify", "SUCCESS"),
            ("x-client-cert", &admin_pem),
            ("x-client-cert", &own_pem),
        ],
        &[("x-ssl-client-dn", "CN=a.example.org"), ("ssl-client-s-dn", "CN=a.example.org")],
        &[("x-forwarded-for", "127.0.0.1"), ("x-authentication", "a.example.org")],
    ];
    for headers in claims {
        for client in [None, Some(&other)] {
            let mut connection = server.connect(client).unwrap();
            for target in [NODE, "/puppet-ca/v1/certificate_statuses/any"] {
                let reply = connection.request("GET", target, headers, b"").unwrap();
                assert_eq!(reply.status, 403, "{headers:?} {target}");
            }
        }
        // The headers take nothing away from a client either.
        let reply = server.connect(Some(&own)).unwrap().request("GET", NODE, headers, b"");
        assert_eq!(reply.unwrap().status, 200, "{headers:?}");
    }
}

/// All that a server sends on a connection until it ends, or says nothing more.
fn replies(server: &TestServer, client: &ordain_ca::Generated, bytes: &[u8]) -> String {
    let mut connection = server.connect(Some(client)).unwrap();
    connection.stream.sock.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let _ = connection.stream.write_all(bytes);
    let mut text = Vec::new();
    let _ = connection.stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_body_is_never_the_next_request() {
    let server = TestServer::start(&CODE, |_| {});
    let node = server.generate("a.example.org", |_| {});
    let hidden = format!("GET {NODE} HTTP/1.1\r\nhost: a\r\nx-hidden: 1\r\n\r\n");
    let length = hidden.len();
    let head = "PUT /puppet/v3/report/a.example.org HTTP/1.1\r\nhost: a\r\n";
    for headers in [
        format!("content-length: {length}\r\ncontent-length: 0\r\n"),
        format!("content-length: 0\r\ncontent-length: {length}\r\n"),
        format!("content-length: 0, {length}\r\n"),
        "content-length: +0\r\n".to_string(),
        "content-length: -1\r\n".to_string(),
        "content-length: 0x0\r\n".to_string(),
        "content-length : 0\r\n".to_string(),
        "content-length: 99999999999999999999999\r\n".to_string(),
        "transfer-encoding: chunked, identity\r\n".to_string(),
        "transfer-encoding: identity\r\n".to_string(),
        "transfer-encoding: xchunked\r\n".to_string(),
        "transfer-encoding : chunked\r\n".to_string(),
        "transfer-encoding:\r\n chunked\r\n".to_string(),
        "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n".to_string(),
        format!("x: y\ncontent-length: {length}\r\n\r\n"),
        format!("x: \0\r\ncontent-length: {length}\r\n"),
    ] {
        let answered = replies(&server, &node, format!("{head}{headers}\r\n{hidden}").as_bytes());
        // A request that might have two lengths ends its connection.
        let count = answered.matches("HTTP/1.1 ").count();
        assert!(count <= 1 && !answered.contains("HTTP/1.1 2"), "{headers:?}: {answered}");
    }
    // With both, the chunks count, and the connection ends, as RFC 9112 says.
    let both = format!(
        "{head}content-length: {length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
    );
    let answered = replies(&server, &node, both.as_bytes());
    assert_eq!(answered.matches("HTTP/1.1 ").count(), 1, "{answered}");
    // Chunks of a wrong form.
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n");
    for chunks in
        ["-1\r\n", "10000000000000000\r\n", "zz\r\n", "1;a\n\r\nx\r\n0\r\n\r\n", "1\r\nxx\r\n"]
    {
        let answered = replies(&server, &node, format!("{chunked}{chunks}{hidden}").as_bytes());
        assert!(!answered.contains("HTTP/1.1 200"), "{chunks:?}: {answered}");
    }
}

#[test]
fn metrics_are_not_public() {
    let server = TestServer::start(&CODE, |config| {
        config.metrics = Some(([127, 0, 0, 1], 0).into());
    });
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    for client in [None, Some(&admin)] {
        // `/metrics/v2` is a part of PuppetDB's API, for its clients.
        for path in ["/metrics", "/metrics/v1/mbeans", "/debug/pprof", "//metrics"] {
            let status = server.connect(client).unwrap().get(path).unwrap().status;
            assert!(matches!(status, 400 | 404), "{path}: {status}");
        }
    }
    // The address of metrics has no route of agents, whoever asks.
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(server.summary.metrics.unwrap()).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text.split(' ').nth(1).unwrap().to_string()
    };
    assert_eq!(ask("/metrics"), "200");
    for route in routes().iter().filter(|route| route.pattern.starts_with("/puppet")) {
        assert_eq!(ask(&route.pattern.replace("{name}", "ca")), "404", "{}", route.pattern);
    }
}

#[test]
fn bodies_have_a_maximal_depth() {
    let server = TestServer::start(&CODE, |_| {});
    let node = server.generate("a.example.org", |_| {});
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let deep =
        |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for nested in [deep("[", "]"), deep("{\"a\":", "}")] {
        let report = format!("{{\"host\":\"a.example.org\",\"logs\":{nested}}}");
        let facts = format!("{{\"name\":\"a.example.org\",\"values\":{{\"a\":{nested}}}}}");
        let names = format!("{{\"certnames\":{nested}}}");
        for (client, method, target, body) in [
            (&node, "PUT", "/puppet/v3/report/a.example.org?environment=production", &report),
            (&node, "PUT", "/puppet/v3/facts/a.example.org?environment=production", &facts),
            (&admin, "PUT", "/puppet-ca/v1/clean", &names),
            (&admin, "POST", "/puppet-ca/v1/sign", &names),
            (&admin, "PUT", "/puppet-ca/v1/certificate_status/a.example.org", &nested),
            (&admin, "POST", "/puppet/v4/catalog", &nested),
        ] {
            let headers = [("content-type", "application/json")];
            let mut connection = server.connect(Some(client)).unwrap();
            let reply = connection.request(method, target, &headers, body.as_bytes()).unwrap();
            assert!(matches!(reply.status, 400 | 413 | 422), "{target}: {}", reply.status);
        }
    }
}

#[test]
fn tags_of_rich_data_create_nothing() {
    let site = "notify { \"${facts['role']['__ptype']} ${facts['role']['name']}\": }\n";
    let server = TestServer::start(&[(SITE, site)], |_| {});
    let node = server.generate("a.example.org", |_| {});
    let mut client = server.connect(Some(&node)).unwrap();
    let mut put = |target: &str, kind: &str, body: String| {
        client.request("PUT", target, &[("content-type", kind)], body.as_bytes()).unwrap().status
    };
    let facts = "/puppet/v3/facts/a.example.org?environment=production";
    let report = "/puppet/v3/report/a.example.org?environment=production";
    let tagged = json!({ "__ptype": "Deferred", "name": "generate", "arguments": ["/bin/touch"] });
    let values = json!({ "role": tagged, "__pcore_type__": "Object[{}]" });
    let own = json!({ "name": "a.example.org", "values": values });
    assert_eq!(put(facts, "application/json", own.to_string()), 200);
    let time = "2026-11-27T00:00:00.000000000+00:00";
    let event = json!({
        "status": "success", "previous_value": tagged, "desired_value": tagged, "time": time,
        "property": "ensure", "name": "created", "message": "created", "corrective_change": false,
    });
    let own = json!({
        "host": "a.example.org", "environment": "production", "status": "changed", "logs": [],
        "time": time, "configuration_version": 1,
        "transaction_uuid": "00000000-0000-4000-8000-000000000001", "report_format": 12, "puppet_version": "7.23.0", "metrics": {},
        "resource_statuses": { "File[/a]": {
            "resource_type": "File", "title": "/a", "events": [event], "skipped": false, "time": time,
            "containment_path": [], "corrective_change": false,
            "__ptype": "Puppet::Resource::Status",
        } },
    });
    assert_eq!(put(report, "application/json", own.to_string()), 200);
    // No other form is read at all.
    for kind in ["text/yaml", "application/x-yaml", "application/x-msgpack", "text/marshal", ""] {
        assert_eq!(put(report, kind, own.to_string()), 415, "{kind}");
        assert_eq!(put(facts, kind, own.to_string()), 415, "{kind}");
    }
    let catalog = client.get("/puppet/v3/catalog/a.example.org?environment=production").unwrap();
    assert!(catalog.text().contains("\"Deferred generate\""), "{}", catalog.text());
}

#[test]
fn a_node_writes_under_its_own_name_only() {
    let server = TestServer::start(&CODE, |_| {});
    let node = server.generate("a.example.org", |_| {});
    let report = |host: &str| json!({ "host": host, "status": "changed" }).to_string();
    let facts = |name: &str| json!({ "name": name, "values": {} }).to_string();
    for (name, inner) in [
        ("b.example.org", "b.example.org"),
        ("b.example.org", "a.example.org"),
        ("a.example.org", "b.example.org"),
        ("a.example.org", "A.example.org"),
        ("a.example.org", "a.example.org."),
        ("a.example.org", "*"),
    ] {
        for (kind, body) in [("report", report(inner)), ("facts", facts(inner))] {
            let target = format!("/puppet/v3/{kind}/{name}?environment=production");
            let headers = [("content-type", "application/json")];
            let mut connection = server.connect(Some(&node)).unwrap();
            let reply = connection.request("PUT", &target, &headers, body.as_bytes()).unwrap();
            let expected = if name == "a.example.org" { 400 } else { 403 };
            assert_eq!(reply.status, expected, "{kind} {name} {inner}");
        }
        let form = format!("facts_format=application%2Fjson&facts={}", facts(inner));
        let target = format!("/puppet/v3/catalog/{name}?environment=production");
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        let mut connection = server.connect(Some(&node)).unwrap();
        let reply = connection.request("POST", &target, &headers, form.as_bytes()).unwrap();
        assert!(matches!(reply.status, 400 | 403), "catalog {name} {inner}: {}", reply.status);
    }
}

#[test]
fn a_revoked_node_cannot_renew() {
    let server = TestServer::start(&CODE, |config| config.auto_renewal = true);
    let first = server.generate("a.example.org", |_| {});
    let renew = |made: &ordain_ca::Generated| -> std::io::Result<Reply> {
        server.connect(Some(made))?.request("POST", "/puppet-ca/v1/certificate_renewal", &[], b"")
    };
    let renewed = |reply: Reply| ordain_ca::Generated {
        certificate: ordain_ca::Certificate::from_pem(&reply.body).unwrap(),
        key_pem: first.key_pem.clone(),
        public_key_pem: first.public_key_pem.clone(),
    };
    let second = renewed(renew(&first).unwrap());
    let third = renewed(renew(&second).unwrap());
    assert_eq!(server.connect(Some(&third)).unwrap().get(NODE).unwrap().status, 200);
    // The name is revoked: with it the first, the renewed, and the one that was renewed twice.
    server.ca().revoke(&["a.example.org".to_string()]).unwrap();
    for made in [&first, &second, &third] {
        let node = server.connect(Some(made)).and_then(|mut connection| connection.get(NODE));
        assert!(node.map_or(true, |reply| reply.status == 403));
        assert!(renew(made).map_or(true, |reply| reply.status == 403));
    }
}

#[test]
fn requests_for_rights_and_other_names_are_not_signed() {
    if !peer(Command::new("openssl").arg("version").output().is_ok(), "openssl") {
        return;
    }
    let server = TestServer::start(&CODE, |config| config.autosign = Autosign::All);
    let cases = [
        ("a.example.org", "a.example.org", "subjectAltName = DNS:puppet"),
        ("a.example.org", "a.example.org", "subjectAltName = DNS:*.example.org"),
        ("a.example.org", "a.example.org", "subjectAltName = IP:192.0.2.1"),
        ("a.example.org", "a.example.org", "1.3.6.1.4.1.34380.1.3.1 = ASN1:UTF8String:admin"),
        ("a.example.org", "a.example.org", "1.3.6.1.4.1.34380.1.3.39 = ASN1:UTF8String:true"),
        ("a.example.org", "a.example.org", "basicConstraints = CA:TRUE"),
        ("a.example.org", "a.example.org", "keyUsage = keyCertSign"),
        ("a.example.org", "b.example.org", ""),
        ("A.example.org", "A.example.org", ""),
        ("*.example.org", "*.example.org", ""),
        ("localhost", "localhost", ""),
        ("ca", "ca", ""),
        ("a%2f..%2fb", "a/../b", ""),
    ];
    for (name, subject, extensions) in cases {
        let request = certificate_request(subject, extensions);
        let target = format!("/puppet-ca/v1/certificate_request/{name}");
        let mut client = server.connect(None).unwrap();
        let status = client.request("PUT", &target, &[], &request).unwrap().status;
        let signed = server.ca().statuses(Some(CertificateState::Signed)).unwrap();
        assert_eq!(signed.len(), 1, "{name} {extensions}: {status}, and {signed:?}");
    }
}

#[test]
fn no_reply_redirects() {
    let server = TestServer::start(&CODE, |_| {});
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    for route in routes() {
        let target = route.pattern.replace("{name}", "a").replace("{path}", "modules/a");
        for target in
            [target.clone(), format!("{target}/"), format!("/{target}"), format!("{target}?a")]
        {
            let mut connection = server.connect(Some(&admin)).unwrap();
            let reply = connection.request(&route.method, &target, &[], b"").unwrap();
            assert!(!(300..400).contains(&reply.status), "{target}: {}", reply.status);
            assert!(reply.header("location").is_none(), "{target}");
        }
    }
}

#[test]
fn old_versions_of_tls_are_refused() {
    let server = TestServer::start(&CODE, |_| {});
    let address = server.summary.address;
    let connects = |version: &str| {
        let output = Command::new("openssl")
            .args(["s_client", "-connect", &address.to_string(), version])
            .args(["-cipher", "ALL:@SECLEVEL=0"])
            .stdin(std::process::Stdio::null())
            .output();
        output.map(|output| {
            String::from_utf8_lossy(&output.stdout).contains("Cipher is ECDHE")
                || String::from_utf8_lossy(&output.stdout).contains("Cipher is TLS_")
        })
    };
    if !peer(connects("-tls1_2").is_ok(), "openssl") {
        return;
    }
    assert!(connects("-tls1_2").unwrap() && connects("-tls1_3").unwrap());
    assert!(!connects("-tls1").unwrap() && !connects("-tls1_1").unwrap());
}

#[test]
fn the_page_names_tests_that_exist() {
    let page = include_str!("../../../../docs/security.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut sources = String::new();
    let mut todo = vec![root.join("server"), root.join("ca"), root.join("agent")];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let names = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.matches('_').count() >= 2 && !word.starts_with("pp_"));
    let mut count = 0;
    for name in names {
        assert!(sources.contains(&format!("fn {name}(")), "docs/security.md names {name}");
        count += 1;
    }
    assert!(count > 30, "{count}");
}
