//! A server in front of an old one, which a program of this file stands in for.

mod files;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use ordain_ca::{CertificateAuthority, CreateOptions, GenerateOptions, Settings};
use ordain_server::Config;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::catalogs::{catalog_of, client, facts};
use crate::support::{Client, Code, Reply, TestServer, write};

const SITE: &str = "environments/production/manifests/site.pp";
const LISTS: &str = "/puppet-ca/v1/certificate_revocation_list/ca";
const DOCUMENT: &str = "/ordain/v1/shadow";

/// A request as the old server sees it.
#[derive(Clone)]
struct Seen {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Seen {
    fn all(&self, name: &str) -> Vec<&str> {
        let found = self.headers.iter().filter(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).collect()
    }
}

/// The bytes of a reply to a request.
type Answer = Arc<dyn Fn(&Seen) -> Vec<u8> + Send + Sync>;

/// The old server.
struct Old {
    ca: CertificateAuthority,
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<Mutex<Answer>>,
    dir: TempDir,
}

fn reply(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

impl Old {
    /// Starts an old server with an authority of its own.
    fn start(answer: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ca = dir.path().join("ca");
        let ca = CertificateAuthority::create(&ca, &CreateOptions::default(), Settings::default());
        let ca = ca.unwrap();
        let names = vec!["DNS:localhost".to_string()];
        let own = ca.generate("old", &GenerateOptions { alt_names: names, ..Default::default() });
        let own = own.unwrap();
        let chain = vec![CertificateDer::from(own.certificate.der().to_vec())];
        let key = PrivateKeyDer::from_pem_slice(own.key_pem.as_bytes()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key);
        let config = Arc::new(config.unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::default();
        let answer: Answer = Arc::new(answer);
        let answer = Arc::new(Mutex::new(answer));
        let (all, answers) = (Arc::clone(&seen), Arc::clone(&answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (config, all, answers) =
                    (Arc::clone(&config), Arc::clone(&all), Arc::clone(&answers));
                std::thread::spawn(move || serve(stream.unwrap(), config, &all, &answers));
            }
        });
        Self { ca, address, seen, answer, dir }
    }

    fn answer_with(&self, answer: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static) {
        *self.answer.lock().unwrap() = Arc::new(answer);
    }

    /// A server with this code in front of it, with a copy of the authority.
    fn shadow(&self, code: Code<'_>, change: impl FnOnce(&mut Config)) -> TestServer {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in code {
            write(&dir.path().join("code").join(path), text);
        }
        self.shadow_in(dir, change)
    }

    /// The same in a directory that has its code already.
    fn shadow_in(&self, dir: TempDir, change: impl FnOnce(&mut Config)) -> TestServer {
        let from = self.dir.path().join("ca");
        std::fs::create_dir(dir.path().join("state")).unwrap();
        CertificateAuthority::restore(&dir.path().join("state/ca"), &from, Settings::default())
            .unwrap();
        let url = format!("https://localhost:{}", self.address.port());
        TestServer::start_in(dir, |config| {
            config.shadow = Some(url);
            change(config);
        })
    }

    /// The requests of agents that arrived so far.
    fn take_seen(&self) -> Vec<Seen> {
        let mut seen = std::mem::take(&mut *self.seen.lock().unwrap());
        seen.retain(|one| !one.line.contains(LISTS) || !one.all("user-agent").is_empty());
        seen
    }
}

/// Serves the requests of a connection.
fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    seen: &Mutex<Vec<Seen>>,
    answer: &Mutex<Answer>,
) {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            match stream.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                _ => return,
            }
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.lines();
        let line = lines.next().unwrap().to_string();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers: Vec<_> = headers.map(|(k, v)| (k.to_lowercase(), v.to_string())).collect();
        let mut request = Seen { line, headers, body: Vec::new() };
        let length = request.all("content-length").first().map_or(0, |n| n.parse().unwrap());
        request.body = vec![0; length];
        stream.read_exact(&mut request.body).unwrap();
        let answer = Arc::clone(&answer.lock().unwrap());
        seen.lock().unwrap().push(request.clone());
        if stream.write_all(&answer(&request)).is_err() {
            return;
        }
    }
}

/// Waits until the document of differences is as wanted.
fn wait(admin: &mut Client, mut is_wanted: impl FnMut(&Json) -> bool) -> Json {
    let begin = Instant::now();
    loop {
        let document = admin.get(DOCUMENT).unwrap().json();
        if is_wanted(&document) {
            return document;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{document:#}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn admin(server: &TestServer) -> Client {
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    server.connect(Some(&admin)).unwrap()
}

#[test]
fn requests_and_replies_pass_unchanged() {
    let content = "a line\n".repeat(100_000);
    let sent = content.clone();
    let old = Old::start(move |seen| {
        let chunk = format!("{:x}\r\n{sent}\r\n0\r\n\r\n", sent.len());
        match seen.line.split(' ').nth(1).unwrap() {
            path if path.starts_with("/puppet/v3/file_content/") => {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n\
                            x-puppet-version: 7.9.5\r\ntransfer-encoding: chunked\r\n\r\n";
                [head, &chunk].concat().into_bytes()
            }
            path if path.contains("/report/") => reply("200 OK", "x-one: 1\r\n", b"[]"),
            _ => reply("404 Not Found", "content-type: text/plain\r\n", b"not here"),
        }
    });
    let server = old.shadow(&[(SITE, "")], |_| {});
    let mut web = client(&server);
    let claims = [
        ("X-Client-DN", "CN=admin.example.org"),
        ("X_Client_DN", "CN=admin.example.org"),
        ("x-client-verify", "FAILED"),
        ("x-mine", "1"),
    ];
    let target = "/puppet/v3/file_content/modules/m/a%20b.txt?environment=production";
    let got = web.request("GET", target, &claims, b"").unwrap();
    assert_eq!((got.status, got.text() == content), (200, true));
    assert_eq!(got.header("x-puppet-version"), Some("7.9.5"));
    let seen = old.take_seen().pop().unwrap();
    assert_eq!(seen.line, format!("GET {target} HTTP/1.1"));
    assert_eq!(seen.all("x-client-dn"), ["CN=web.example.org"]);
    assert_eq!(seen.all("x-client-verify"), ["SUCCESS"]);
    assert_eq!((seen.all("x_client_dn").len(), seen.all("x-mine")), (0, vec!["1"]));
    let certificate = seen.all("x-client-cert")[0].replace("%0A", "\n").replace("%2D", "-");
    assert!(certificate.starts_with("-----BEGIN%20CERTIFICATE-----\n"), "{certificate}");
    // A report is passed, and not stored here.
    let report = vec![b' '; 300_000];
    let headers = [("content-type", "application/json")];
    let got = web.request("PUT", "/puppet/v3/report/web.example.org", &headers, &report).unwrap();
    assert_eq!((got.status, got.text().as_str(), got.header("x-one")), (200, "[]", Some("1")));
    assert!(old.take_seen().pop().unwrap().body == report);
    let database = rusqlite::Connection::open(server.path("state/nodes/nodes.sqlite")).unwrap();
    let count: i64 =
        database.query_row("SELECT count(*) FROM reports", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 0);
    // Enrolment has no certificate.
    let target = "/puppet-ca/v1/certificate/web.example.org";
    let got = server.connect(None).unwrap().request("GET", target, &claims, b"").unwrap();
    assert_eq!((got.status, got.text().as_str()), (404, "not here"));
    let seen = old.take_seen().pop().unwrap();
    assert_eq!(seen.all("x-client-verify"), ["NONE"]);
    assert_eq!((seen.all("x-client-dn").len(), seen.all("x-client-cert").len()), (0, 0));
    // Only administrators see the differences.
    assert_eq!(web.get(DOCUMENT).unwrap().status, 403);
    assert_eq!(server.connect(None).unwrap().get("/ordain/v1/shadow/page").unwrap().status, 403);
}

#[test]
fn a_node_that_the_old_server_revokes_is_refused() {
    let old = Old::start(|_| reply("404 Not Found", "", b""));
    let node = old.ca.generate("web.example.org", &GenerateOptions::default()).unwrap();
    let server = old.shadow(&[(SITE, "")], |_| {});
    let target = "/puppet/v3/node/web.example.org?environment=production";
    let mut web = server.connect(Some(&node)).unwrap();
    assert_eq!(web.get(target).unwrap().status, 404);
    let dir = server.stop();
    old.ca.revoke(&["web.example.org".to_string()]).unwrap();
    let lists = old.ca.crl().unwrap().pem;
    old.answer_with(move |_| reply("200 OK", "", lists.as_bytes()));
    let url = format!("https://localhost:{}", old.address.port());
    let server = TestServer::start_in(dir, |config| config.shadow = Some(url));
    old.take_seen();
    let begin = Instant::now();
    loop {
        let status = server.connect(Some(&node)).and_then(|mut web| web.get(target));
        if status.is_err() || status.is_ok_and(|reply| reply.status == 403) {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "the revocation is not noticed");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The catalog of other code, as an old server could send it.
fn catalog_of_code(site: &str) -> Reply {
    let server = TestServer::start(&[(SITE, site)], |_| {});
    catalog_of(&mut client(&server), &facts(), "production")
}

const OLD: &str = "
file { '/etc/motd': content => 'old', mode => '0644' }
file { '/etc/key': content => Sensitive('hunter2-of-old') }
file { '/etc/same': content => Sensitive('hunter2-of-both'), require => File['/etc/motd'] }
file { '/tmp/gone': ensure => file }
notify { \"on ${facts['role']}\": }
";
const NEW: &str = "
file { '/etc/motd': content => 'new hunter2-of-new', mode => '0644' }
file { '/etc/key': content => Sensitive('hunter2-of-new') }
file { '/etc/same': content => Sensitive('hunter2-of-both'), require => File['/etc/motd'] }
notify { \"on ${facts['role']}\": }
";

#[test]
fn differences_are_listed_without_secrets() {
    let catalog = catalog_of_code(OLD);
    assert_eq!(catalog.status, 200);
    let body = catalog.body.clone();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&body).unwrap();
    let packed = packed.finish().unwrap();
    let old = Old::start(move |seen| match seen.line.contains("/catalog/") {
        true => reply("200 OK", "content-encoding: gzip\r\n", &packed),
        false => reply("404 Not Found", "", b""),
    });
    let rule = vec!["File[/tmp/*]".to_string()];
    let server = old.shadow(&[(SITE, NEW)], |config| config.shadow_ignore = rule);
    let (mut web, mut admin) = (client(&server), admin(&server));
    let empty = admin.get(DOCUMENT).unwrap().json();
    assert_eq!((&empty["zero_since"], &empty["counts"]["nodes"]), (&Json::Null, &0.into()));
    let got = catalog_of(&mut web, &facts(), "production");
    assert_eq!((got.status, got.header("content-encoding")), (200, Some("gzip")));
    let document = wait(&mut admin, |document| document["counts"]["compared"] == 1);
    assert_eq!(document["zero_since"], Json::Null, "{document:#}");
    let resources: Vec<&str> = document["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["resource"].as_str().unwrap())
        .collect();
    assert_eq!(resources, ["File[/etc/key]", "File[/etc/motd]"], "{document:#}");
    assert_eq!(document["nodes"][0]["differences"], 2);
    let page = admin.get("/ordain/v1/shadow/page?node=web.example.org").unwrap();
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.text().contains("1 of 1 nodes differ"), "{}", page.text());
    assert!(page.text().contains("File[/etc/motd]") && !page.text().contains("/tmp/gone"));
    // The secret of one server is hidden in texts of the other one, too.
    for text in [document.to_string(), page.text()] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    let body = body.clone();
    old.answer_with(move |_| reply("200 OK", "content-type: application/json\r\n", &body));
    server.edit(SITE, OLD);
    let zero = wait(&mut admin, |document| {
        catalog_of(&mut web, &facts(), "production");
        !document["zero_since"].is_null()
    });
    assert_eq!(zero["counts"]["differing"], 0);
    let page = admin.get("/ordain/v1/shadow/page").unwrap().text();
    assert!(page.contains("Zero differences since 20"), "{page}");
    // The results outlive the server, readable by its user only.
    let stored = server.stop();
    let path = stored.path().join("state/shadow.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("zero_since") && !text.contains("hunter2"), "{text}");
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o077, 0);
}

#[test]
fn compiles_neither_delay_nor_change_replies() {
    let catalog = catalog_of_code("notify { 'a': }\n");
    let body = catalog.body.clone();
    let old = Old::start(move |_| reply("200 OK", "", &body));
    // The compile here takes longer than the test waits for a reply.
    let slow = "range(1, 150).each |$x| { range(1, 150).each |$y| { $x + $y } }\nfail('slow')\n";
    let server = old.shadow(&[(SITE, slow)], |config| config.compilers = 1);
    let (mut web, mut admin) = (client(&server), admin(&server));
    let begin = Instant::now();
    for _ in 0..2 {
        assert_eq!(catalog_of(&mut web, &facts(), "production").body, catalog.body);
    }
    let took = begin.elapsed();
    let document = admin.get(DOCUMENT).unwrap().json();
    assert_eq!(document["counts"]["nodes"], 0, "the replies took {took:?}: {document:#}");
    let document = wait(&mut admin, |document| document["counts"]["nodes"] == 1);
    let change = &document["differences"]["groups"][0]["changes"][0];
    assert_eq!(change["change"], "fails", "{document:#}");
    // No memory is left for comparisons.
    drop(server);
    let server = old.shadow(&[(SITE, slow)], |config| config.limits.comparisons = 1 << 10);
    assert_eq!(catalog_of(&mut client(&server), &facts(), "production").body, catalog.body);
    let document = wait(&mut self::admin(&server), |document| document["counts"]["skipped"] == 1);
    assert_eq!(document["counts"]["compared"], 0);
}

#[test]
fn errors_of_both_servers() {
    let error = |message: &str| {
        let body = serde_json::json!({ "message": message, "issue_kind": "RUNTIME_ERROR" });
        reply("500 Internal Server Error", "", body.to_string().as_bytes())
    };
    let old = Old::start(move |_| error("Server Error: no way"));
    let server = old.shadow(&[(SITE, "notify { 'a': }\n")], |_| {});
    let (mut web, mut admin) = (client(&server), admin(&server));
    assert_eq!(catalog_of(&mut web, &facts(), "production").status, 500);
    let document = wait(&mut admin, |document| document["counts"]["compared"] == 1);
    let change = &document["differences"]["groups"][0]["changes"][0];
    assert_eq!(
        (&change["change"], &change["message"]),
        (&"fails-no-more".into(), &"no way".into())
    );
    // A node that fails on both servers gets a catalog from neither.
    server.edit(SITE, "fail('no way')\n");
    wait(&mut admin, |document| {
        catalog_of(&mut web, &facts(), "production");
        !document["zero_since"].is_null()
    });
    // Other errors are no catalogs.
    let before = admin.get(DOCUMENT).unwrap().json()["counts"]["compared"].clone();
    old.answer_with(|_| reply("503 Service Unavailable", "retry-after: 7\r\n", b"busy"));
    let got = catalog_of(&mut web, &facts(), "production");
    assert_eq!((got.status, got.header("retry-after")), (503, Some("7")));
    let after = admin.get(DOCUMENT).unwrap().json()["counts"]["compared"].clone();
    assert!(after.as_u64() <= before.as_u64().map(|count| count + 1));
}

#[test]
fn settings_of_an_old_server_are_checked() {
    let message = |change: &dyn Fn(&mut Config)| {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("code")).unwrap();
        let mut config = Config::new(dir.path().join("code"), dir.path().join("state"));
        config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        change(&mut config);
        match ordain_server::listen(config) {
            Ok(_) => "none".to_string(),
            Err(error) => error.to_string(),
        }
    };
    let url = |url: &'static str| move |config: &mut Config| config.shadow = Some(url.to_string());
    assert!(message(&url("https://old")).contains("ordain ca import --from DIR"));
    for wrong in ["old", "http://old", "https://old/path", "https://"] {
        let with_ca = |config: &mut Config| {
            config.shadow = Some(wrong.to_string());
            let dir = config.ca_dir();
            std::fs::create_dir_all(&config.state).unwrap();
            CertificateAuthority::create(&dir, &CreateOptions::default(), Settings::default())
                .unwrap();
        };
        let message = message(&with_ca);
        assert!(message.contains("is no URL such as https://"), "{wrong}: {message}");
    }
}
