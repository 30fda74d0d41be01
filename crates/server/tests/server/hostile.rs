//! Clients that are slow, huge, many, or silent.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::TestServer;

const CODE: [(&str, &str); 1] = [("environments/production/manifests/site.pp", "")];

/// Whether the server answers others.
fn answers(server: &TestServer) {
    let mut client = server.connect(None).unwrap();
    assert_eq!(client.get("/status/v1/simple").unwrap().text(), "running");
}

#[test]
fn slow_clients_are_left() {
    let server = TestServer::start(&CODE, |config| {
        config.limits.handshake = Duration::from_millis(300);
        config.limits.head = Duration::from_millis(300);
        config.limits.body = Duration::from_millis(300);
    });
    let begin = Instant::now();
    // Says nothing at all.
    let silent = TcpStream::connect(server.summary.address).unwrap();
    // Ends in the middle of the head.
    let mut half_head = server.connect(None).unwrap();
    half_head.stream.write_all(b"GET /status/v1/simple HTTP/1.1\r\nhost: a\r\nx: ").unwrap();
    // Ends in the middle of the body.
    let mut half_body = server.connect(None).unwrap();
    let head = "PUT /puppet-ca/v1/certificate_request/a HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n-";
    half_body.stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(half_body.read(false).unwrap().status, 408);
    assert!(half_head.read(false).is_err() || begin.elapsed() > Duration::from_millis(250));
    silent.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let ended = std::io::Read::read(&mut &silent, &mut [0; 16]);
    assert!(matches!(ended, Ok(0) | Err(_)));
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    answers(&server);
}

#[test]
fn huge_requests_are_refused() {
    let server = TestServer::start(&CODE, |config| config.limits.body_length = 1 << 20);
    let node = server.generate("web.example.org", |_| {});
    let long = "x".repeat(200_000);
    let status = |reply: std::io::Result<crate::support::Reply>| reply.map_or(0, |r| r.status);
    let mut client = server.connect(Some(&node)).unwrap();
    let header = client.request("GET", "/status/v1/simple", &[("x-long", &long)], b"");
    assert!(matches!(status(header), 0 | 431), "a long header");
    let mut client = server.connect(Some(&node)).unwrap();
    let many: Vec<String> = (0..200).map(|i| format!("x-{i}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "1")).collect();
    let many = client.request("GET", "/status/v1/simple", &many, b"");
    assert!(matches!(status(many), 0 | 431), "many headers");
    let mut client = server.connect(Some(&node)).unwrap();
    let target = format!("/status/v1/simple?{long}");
    assert!(matches!(status(client.get(&target)), 0 | 400 | 414 | 431), "a long target");
    // The length is announced, so the body is not read.
    let mut client = server.connect(Some(&node)).unwrap();
    let head = "PUT /puppet/v3/report/web.example.org HTTP/1.1\r\nhost: a\r\n\
                content-length: 99999999999\r\n\r\n";
    client.stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(client.read(false).unwrap().status, 413);
    // The length is not announced.
    let mut client = server.connect(Some(&node)).unwrap();
    let head = "PUT /puppet/v3/report/web.example.org HTTP/1.1\r\nhost: a\r\n\
                transfer-encoding: chunked\r\n\r\n";
    client.stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..40 {
        if client.stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    assert!(matches!(status(client.read(false)), 0 | 413));
    // A node without the right to the route cannot make the server read anything.
    let mut client = server.connect(None).unwrap();
    let head = "PUT /puppet/v3/report/web.example.org HTTP/1.1\r\nhost: a\r\n\
                content-length: 1000000\r\n\r\n";
    client.stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(client.read(false).unwrap().status, 403);
    answers(&server);
}

#[test]
fn bodies_have_a_common_limit() {
    let server = TestServer::start(&CODE, |config| config.limits.all_bodies = 100 << 10);
    let node = server.generate("web.example.org", |_| {});
    let mut first = server.connect(Some(&node)).unwrap();
    let head = "PUT /puppet/v3/report/web.example.org HTTP/1.1\r\nhost: a\r\n\
                content-length: 80000\r\n\r\n";
    first.stream.write_all(head.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let mut second = server.connect(Some(&node)).unwrap();
    let target = "/puppet/v3/report/web.example.org";
    // The length of the first body is only announced. The second one is no report.
    assert_eq!(second.request("PUT", target, &[], &[b'x'; 40_000]).unwrap().status, 415);
    first.stream.write_all(&[b'x'; 79_000]).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let mut second = server.connect(Some(&node)).unwrap();
    let refused = second.request("PUT", target, &[], &[b'x'; 40_000]).unwrap();
    assert_eq!(refused.status, 503);
    let seconds: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=300).contains(&seconds));
    answers(&server);
}

#[test]
fn silent_connections_take_no_turn_of_others() {
    let server = TestServer::start(&CODE, |config| config.limits.handshakes = 4);
    let connect = |_| TcpStream::connect(server.summary.address).unwrap();
    // Half of them begin to say something.
    let silent: Vec<_> = (0..20).map(connect).collect();
    silent.iter().step_by(2).for_each(|mut one| one.write_all(&[22, 3, 1, 2, 0]).unwrap());
    std::thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    answers(&server);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn an_address_has_a_share_of_connections() {
    let server = TestServer::start(&CODE, |config| config.limits.connections_per_address = 5);
    let clients: Vec<_> = (0..5).map(|_| server.connect(None).unwrap()).collect();
    assert!(server.connect(None).is_err());
    drop(clients);
    let begin = Instant::now();
    while server.connect(None).is_err() {
        assert!(begin.elapsed() < Duration::from_secs(5), "the places do not become free");
    }
}

/// The resident memory of this process in bytes.
fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn idle_connections_cost_little() {
    const COUNT: usize = 300;
    let server = TestServer::start(&CODE, |_| {});
    answers(&server);
    let measure = || {
        let before = memory();
        // The clients are plain TCP, so that only the server's part is measured.
        let idle: Vec<TcpStream> =
            (0..COUNT).map(|_| TcpStream::connect(server.summary.address).unwrap()).collect();
        answers(&server);
        let each = memory().saturating_sub(before) / COUNT as u64;
        println!("{each} bytes for each of {} silent connections", idle.len());
        each
    };
    // Other tests take memory at the same time.
    let least = (0..10).map(|_| measure()).find(|each| *each < 100 << 10);
    assert!(least.is_some());
}
