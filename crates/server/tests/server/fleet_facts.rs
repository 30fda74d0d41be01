//! `ordain fleet diff --puppetdb`: facts from PuppetDB's API over TLS.

use std::path::PathBuf;

use ordain_ca::{CertificateAuthority, CreateOptions, Settings};
use ordain_engine::tls::TlsFiles;
use ordain_fleet::nodes_of_puppetdb;
use serde_json::json;

use crate::catalogs::catalog_of;
use crate::support::TestServer;

const SITE: (&str, &str) = ("environments/production/manifests/site.pp", "");

#[test]
fn facts_over_tls_with_a_client_certificate() {
    let server = TestServer::start(&[SITE], |config| {
        config.puppetdb_clients = vec!["fleet.example.org".to_string()];
    });
    let facts = json!({ "name": "web.example.org", "values": { "role": "of-tls" } });
    let web = server.generate("web.example.org", |_| {});
    assert_eq!(
        catalog_of(&mut server.connect(Some(&web)).unwrap(), &facts, "production").status,
        200
    );

    let file = |name: &str, text: &str| -> Option<PathBuf> {
        let path = server.path(name);
        std::fs::write(&path, text).unwrap();
        Some(path)
    };
    let chain =
        |ca: &CertificateAuthority| ca.chain().iter().map(|one| one.pem()).collect::<String>();
    let own = server.generate("fleet.example.org", |_| {});
    let good = TlsFiles {
        ca: file("ca.pem", &chain(&server.ca())),
        cert: file("fleet.pem", &own.certificate.pem()),
        key: file("fleet.key", &own.key_pem),
    };
    let url = format!("https://localhost:{}/", server.summary.address.port());
    let nodes = nodes_of_puppetdb(&url, &good).unwrap();
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["web.example.org"]);

    let error = |tls: &TlsFiles| match nodes_of_puppetdb(&url, tls) {
        Ok(_) => "no error".to_string(),
        Err(error) => error.to_string(),
    };
    let other = server.path("other");
    let options = CreateOptions::default();
    let other = CertificateAuthority::create(&other, &options, Settings::default()).unwrap();
    let wrong = TlsFiles { ca: file("other.pem", &chain(&other)), ..good.clone() };
    let without = TlsFiles { cert: None, key: None, ..good.clone() };
    let half = TlsFiles { key: None, ..good.clone() };
    let missing = TlsFiles { ca: Some(server.path("missing.pem")), ..good.clone() };
    for (tls, expected) in [
        (&wrong, "UnknownIssuer"),
        (&without, "403"),
        (&half, "`cert` and `key` belong together"),
        (&missing, "missing.pem cannot be used: "),
        // The machine does not trust the authority.
        (&TlsFiles::default(), "UnknownIssuer"),
    ] {
        let text = error(tls);
        assert!(text.contains(expected), "{tls:?}: {text}");
    }
}
