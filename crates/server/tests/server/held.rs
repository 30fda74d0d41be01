//! Requests that agents hold until there are changes.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::catalogs::client;
use crate::support::{Client, Code, TestServer};

const SITE: &str = "environments/production/manifests/site.pp";
const CODE: Code<'_> = &[(SITE, "notify { 'first': }\n")];
const NODE: &str = "/puppet/v3/node/web.example.org?environment=production";

/// The path that waits until the code has another state.
fn changes(state: &str) -> String {
    format!("/ordain/v1/changes/web.example.org?environment=production&state={state}")
}

/// The state of the code, which a client that knows none gets at once.
fn state(client: &mut Client) -> String {
    let reply = client.get(&changes("")).unwrap();
    reply.json()["state"].as_str().unwrap().to_string()
}

fn send(client: &mut Client, target: &str, more: &str) {
    let request = format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n{more}\r\n");
    client.stream.write_all(request.as_bytes()).unwrap();
}

/// Lets the server take a request out of its connection.
fn pause() {
    std::thread::sleep(Duration::from_millis(200));
}

#[test]
fn a_held_connection_goes_on_after_its_reply() {
    let server = TestServer::start(CODE, |_| {});
    let mut web = client(&server);
    let mut known = state(&mut web);
    for round in 0..3 {
        let more = ["", "connection: keep-alive\r\n"][round % 2];
        send(&mut web, &changes(&known), more);
        pause();
        let begin = Instant::now();
        server.edit(SITE, &format!("notify {{ 'round {round}': }}\n"));
        let reply = web.read(false).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
        let new = reply.json()["state"].as_str().unwrap().to_string();
        assert_ne!(new, known);
        known = new;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.header("x-puppet-version"), Some(ordain_server::PUPPET_VERSION));
        assert!(reply.header("date").is_some_and(|date| date.ends_with(" GMT")));
        assert!(reply.header("connection").is_none());
        // The next request is one of any kind.
        assert_eq!(web.get(NODE).unwrap().status, 200);
    }
}

#[test]
fn requests_that_follow_a_held_one_wait_for_it() {
    let server = TestServer::start(CODE, |_| {});
    let mut web = client(&server);
    let known = state(&mut web);
    // One is read together with the held request, one arrives while it is held.
    let held = changes(&known);
    let both = format!(
        "GET {held} HTTP/1.1\r\nhost: localhost\r\n\r\nGET {NODE} HTTP/1.1\r\nhost: localhost\r\n\r\n"
    );
    web.stream.write_all(both.as_bytes()).unwrap();
    pause();
    send(&mut web, "/status/v1/simple", "");
    pause();
    server.edit(SITE, "notify { 'second': }\n");
    assert!(web.read(false).unwrap().json()["state"].is_string());
    assert!(web.read(false).unwrap().text().contains("web.example.org"));
    assert_eq!(web.read(false).unwrap().text(), "running");
}

#[test]
fn a_request_that_ends_its_connection_is_held_inside_of_it() {
    let server = TestServer::start(CODE, |_| {});
    let mut web = client(&server);
    let known = state(&mut web);
    send(&mut web, &changes(&known), "connection: close\r\n");
    pause();
    server.edit(SITE, "notify { 'second': }\n");
    let reply = web.read(false).unwrap();
    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
    assert!(web.get(NODE).is_err());
}

#[test]
fn a_client_that_goes_frees_its_connection() {
    let server = TestServer::start(CODE, |config| config.limits.connections_per_address = 1);
    let own = server.generate("web.example.org", |_| {});
    let mut web = server.connect(Some(&own)).unwrap();
    let known = state(&mut web);
    send(&mut web, &changes(&known), "");
    pause();
    assert!(server.connect(Some(&own)).is_err());
    drop(web);
    let begin = Instant::now();
    let mut next = loop {
        match server.connect(Some(&own)) {
            Ok(next) => break next,
            Err(error) => assert!(begin.elapsed() < Duration::from_secs(5), "{error}"),
        }
    };
    assert_eq!(next.get(NODE).unwrap().status, 200);
}

#[test]
fn the_end_of_the_server_ends_held_requests() {
    let server = TestServer::start(CODE, |_| {});
    let mut web = client(&server);
    let known = state(&mut web);
    send(&mut web, &changes(&known), "");
    pause();
    let begin = Instant::now();
    let _dir = server.stop();
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    let reply = web.read(false).unwrap();
    assert_eq!((reply.status, reply.header("connection")), (204, Some("close")));
    assert!(web.get(NODE).is_err());
}

#[test]
fn a_revoked_certificate_is_refused_after_a_held_request() {
    let server = TestServer::start(CODE, |_| {});
    let mut web = client(&server);
    let known = state(&mut web);
    send(&mut web, &changes(&known), "");
    pause();
    server.ca().revoke(&["web.example.org".to_string()]).unwrap();
    server.edit(SITE, "notify { 'second': }\n");
    web.read(false).unwrap();
    let refused = web.get(NODE).unwrap();
    assert_eq!(refused.status, 403, "{}", refused.text());
}
