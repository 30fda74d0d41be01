//! `file` with sources on web servers.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use ordain_engine::report::Status;

use crate::support::{Machine, file, text, texts};

const ONE_MD5: &str = "5bbf5a52328e7439ae6e719dfe712200";
const ONE_SHA256: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";
const OLD: &str = "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r\n";

/// A server, and the first lines of the requests that came, with the header for passwords.
struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(&stream, &log);
            }
        });
        Self { address, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

fn answer(mut stream: &TcpStream, log: &Mutex<Vec<String>>) {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let Some(first) = head.first() else { return };
    let (method, path) = first.split_once(' ').unwrap();
    let path = path.split(' ').next().unwrap();
    let password = head.iter().find(|line| line.to_lowercase().starts_with("authorization:"));
    let password = password.map(|line| line.split_once(": ").unwrap().1.to_owned());
    log.lock().unwrap().push([method, path, &password.unwrap_or_default()].join(" "));
    let md5 = "Content-MD5: W79aUjKOdDmubnGd/nEiAA==\r\n".to_owned();
    let (status, headers) = match (method, path) {
        (_, "/old") => ("200 OK", OLD.to_owned()),
        (_, "/md5") => ("200 OK", md5),
        (_, "/sha256") => ("200 OK", format!("X-Checksum-SHA256: {ONE_SHA256}\r\n{md5}")),
        (_, "/moved") => ("302 Found", "Location: /old\r\n".to_owned()),
        (_, "/around") => ("302 Found", "Location: /around\r\n".to_owned()),
        ("HEAD", "/signed") => ("403 Forbidden", String::new()),
        (_, "/signed") => ("200 OK", OLD.to_owned()),
        ("HEAD", "/broken") => ("200 OK", OLD.to_owned()),
        (_, "/broken") => ("500 Internal Server Error", String::new()),
        (_, "/plain") => ("200 OK", String::new()),
        _ => ("404 Not Found", String::new()),
    };
    let body = if method == "HEAD" { "" } else { "one\n" };
    let length = "Content-Length: 4\r\nConnection: close\r\n";
    let _ = write!(stream, "HTTP/1.1 {status}\r\n{headers}{length}\r\n{body}");
}

#[test]
fn a_file_is_fetched_once() {
    let (machine, server) = (Machine::new(), Server::start());
    let sources = texts(&["/nope", &server.url("/gone"), &server.url("/old")]);
    let graph = file("/a", &[("source", sources)]);
    let plan = machine.plan(&graph);
    assert_eq!(plan.entries[0].report.changes.len(), 1);
    assert_eq!(server.asked(), ["HEAD /gone ", "HEAD /old "]);
    let made = "/File[/a]/ensure: defined content as '{mtime}2020-01-01 00:00:00 UTC'";
    assert_eq!(machine.lines(&graph), [made]);
    assert_eq!(machine.read("/a"), "one\n");
    assert!(server.asked().contains(&"GET /old ".to_owned()));
    machine.assert_settled(&graph, 0);
    assert!(!server.asked().iter().any(|line| line.starts_with("GET")));
}

#[test]
fn digests_of_headers_count_before_times() {
    let (machine, server) = (Machine::new(), Server::start());
    machine.write("/a", "two\n");
    let graph = file("/a", &[("source", text(&server.url("/md5")))]);
    let two = "c193497a1a06b2c72230e6146ff47080";
    let changed =
        format!("/File[/a]/content: content changed '{{md5}}{two}' to '{{md5}}{ONE_MD5}'");
    assert_eq!(machine.lines(&graph), [changed]);
    machine.assert_settled(&graph, 0);
    let made = |path: &str, more: &[(&str, _)], shown: &str| {
        let mut attributes = vec![("source", text(&server.url("/sha256")))];
        attributes.extend_from_slice(more);
        let graph = file(path, &attributes);
        let line = format!("/File[{path}]/ensure: defined content as '{shown}'");
        assert_eq!(machine.lines(&graph), [line]);
        machine.assert_settled(&graph, 0);
    };
    made("/b", &[], &format!("{{sha256}}{ONE_SHA256}"));
    made("/c", &[("checksum", text("md5"))], &format!("{{md5}}{ONE_MD5}"));
    made("/d", &[("checksum_value", text(ONE_SHA256))], &format!("{{sha256}}{ONE_SHA256}"));
}

#[test]
fn a_content_with_another_digest_is_discarded() {
    let (machine, server) = (Machine::new(), Server::start());
    let value = ("checksum_value", text(&"0".repeat(64)));
    let graph = file("/a", &[("source", text(&server.url("/old"))), value]);
    let run = machine.apply(&graph);
    assert!(format!("{run:?}").contains("did not match checksum; discarding changes"), "{run:?}");
    assert!(!machine.path("/a").exists());
}

#[test]
fn documents_without_a_time_are_always_fetched() {
    let (machine, server) = (Machine::new(), Server::start());
    machine.write("/a", "one\n");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let there = std::fs::File::open(machine.path("/a")).unwrap();
    there.set_modified(past).unwrap();
    let graph = file("/a", &[("source", text(&server.url("/plain")))]);
    assert_eq!(machine.lines(&graph).len(), 1);
}

#[test]
fn servers_may_lead_elsewhere_or_know_only_get() {
    let (machine, server) = (Machine::new(), Server::start());
    for path in ["/moved", "/signed"] {
        machine.apply(&file(path, &[("source", text(&server.url(path)))]));
        assert_eq!(machine.read(path), "one\n");
    }
    let url = server.url("/old").replace("http://", "http://us%40er:p%3Aw@");
    server.asked();
    let run = machine.apply(&file("/p", &[("source", text(&url))]));
    assert!(server.asked().contains(&"GET /old Basic dXNAZXI6cDp3".to_owned()));
    assert!(!format!("{run:?}").contains("p%3Aw"));
}

#[test]
fn failures_name_the_source() {
    let (machine, server) = (Machine::new(), Server::start());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = format!("http://{closed}/a");
    let failure = |source: &str| {
        let run = machine.apply(&file("/a", &[("source", text(source))]));
        assert!(!machine.path("/a").exists(), "{source}");
        format!("{run:?}")
    };
    for (source, why) in [
        (server.url("/gone"), "Could not retrieve information from source(s) http://127.0.0.1"),
        (server.url("/around"), "Could not retrieve file metadata for http://127.0.0.1"),
        (closed, "Could not retrieve file metadata for http://127.0.0.1"),
        (server.url("/broken"), "Error 500 on SERVER: Internal Server Error"),
    ] {
        let found = failure(&source);
        assert!(found.contains(why) && found.contains(&format!("{:?}", Status::Failed)), "{found}");
    }
}
