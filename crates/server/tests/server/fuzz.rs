//! Random requests to a running server, made of parts of real ones: URLs, headers, requests for
//! certificates, bodies. No request may end the server, run into a bug (500), or get a file from
//! outside.
//!
//! A test runs for two seconds. `ORDAIN_FUZZ_SECONDS` is another time; a failure names its seed,
//! which `ORDAIN_FUZZ_SEED` repeats.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use ordain_ca::{Autosign, Generated};
use ordain_server::routes;

use crate::support::{Client, TestServer, certificate_request};

const CODE: [(&str, &str); 4] = [
    ("environments/production/manifests/site.pp", "notify { $trusted['certname']: }\n"),
    ("environments/production/modules/m/files/a.txt", "text\n"),
    ("environments/production/modules/m/tasks/init.sh", "echo\n"),
    ("secret.txt", "the-secret\n"),
];

/// Words of URLs.
const SEGMENTS: [&str; 34] = [
    "puppet",
    "puppet-ca",
    "status",
    "v1",
    "v3",
    "v4",
    "catalog",
    "node",
    "report",
    "facts",
    "file_metadata",
    "file_metadatas",
    "file_content",
    "static_file_content",
    "file_bucket_file",
    "tasks",
    "modules",
    "plugins",
    "m",
    "a.txt",
    "a.example.org",
    "certificate",
    "ca",
    "..",
    ".",
    "",
    "%2e%2e",
    "%252f",
    "%00",
    "%2f",
    "%",
    "%c0%ae%c0%ae",
    "\u{e9}",
    "md5",
];

/// Parts of queries.
const PARAMETERS: [&str; 16] = [
    "environment=production",
    "environment=..",
    "environment=a%2fb",
    "environment",
    "recurse=true",
    "recurse=remote",
    "links=follow",
    "links=manage",
    "checksum_type=sha256",
    "checksum_type=none",
    "ignore=*",
    "max_files=-1",
    "source_permissions=use",
    "code_id=1",
    "state=signed",
    "level=debug",
];

const HEADERS: [&str; 16] = [
    "content-type: application/json",
    "content-type: text/pson",
    "content-type: text/plain",
    "content-type: application/x-www-form-urlencoded",
    "accept: */*",
    "accept: text/pson",
    "accept-encoding: gzip;q=x",
    "if-modified-since: yesterday",
    "if-none-match: \"a\"",
    "x-puppet-version: 99999999999999999999.1",
    "x-client-cert: -----BEGIN",
    "expect: 100-continue",
    "transfer-encoding: chunked",
    "content-length: 3",
    "connection: close",
    "range: bytes=0-18446744073709551615",
];

const BODIES: [&str; 12] = [
    "",
    "{}",
    "[]",
    "null",
    "{\"host\":\"a.example.org\",\"time\":\"2026-11-27T00:00:00Z\",\"environment\":\"production\"}",
    "{\"name\":\"a.example.org\",\"values\":{\"a\":1e999}}",
    "{\"certnames\":[\"a\",\"../b\"]}",
    "{\"desired_state\":\"signed\",\"cert_ttl\":18446744073709551615}",
    "facts_format=pson&facts=%257B%257D",
    "facts_format=application%2Fjson&facts={\"name\":\"a.example.org\",\"values\":{}}",
    "{\"certname\":\"a\",\"environment\":\"production\",\"persistence\":{\"facts\":true,\"catalog\":true}}",
    "\u{0}\u{1}",
];

/// A generator of random numbers (xorshift), the same for a seed everywhere.
struct Random(u64);

impl Random {
    fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Changes, removes, or repeats some bytes.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(4) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes[at] = self.number() as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.remove(at)),
                _ => {
                    let end = (at + 1 + self.below(40)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
    }
}

/// Runs rounds until the time is up. The seed of a failed round is printed.
fn rounds(mut round: impl FnMut(&mut Random)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("ORDAIN_FUZZ_SEED") {
        return round(&mut Random(seed));
    }
    let time = Duration::from_secs(number("ORDAIN_FUZZ_SECONDS").unwrap_or(2));
    let begin = Instant::now();
    let mut seeds = Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(std::process::id()));
    let mut count = 0_u64;
    while begin.elapsed() < time {
        let seed = seeds.number();
        let caught =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| round(&mut Random(seed))));
        assert!(caught.is_ok(), "ORDAIN_FUZZ_SEED={seed} repeats this failure");
        count += 1;
    }
    println!("{count} rounds in {time:?}");
    assert!(count > 0);
}

fn target(random: &mut Random) -> String {
    let all = routes();
    let mut target = if random.below(3) > 0 {
        let pattern = all[random.below(all.len())].pattern;
        let name = random.pick(&["a.example.org", "b.example.org", "ca", "..%2fa", "A", "%2e"]);
        let path = random.pick(&[
            "modules/m/a.txt",
            "m/init",
            "plugins",
            "md5/0/a",
            "modules/../x",
            "",
            "tasks/m/init.sh",
        ]);
        pattern.replace("{name}", name).replace("{path}", path)
    } else {
        let count = random.below(8);
        (0..count).map(|_| format!("/{}", random.pick(&SEGMENTS))).collect()
    };
    for at in 0..random.below(4) {
        target.push(if at == 0 { '?' } else { '&' });
        target.push_str(random.pick(&PARAMETERS));
    }
    target
}

/// Sends bytes and reads what comes back, until the server waits or ends the connection.
fn send(client: &mut Client, bytes: &[u8]) -> String {
    client.stream.sock.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    if client.stream.write_all(bytes).is_err() {
        return String::new();
    }
    let mut found = Vec::new();
    let mut part = [0; 16 << 10];
    while let Ok(count @ 1..) = client.stream.read(&mut part) {
        found.extend_from_slice(&part[..count]);
        // Whole replies are not waited for.
        if found.windows(4).any(|end| end == b"\r\n\r\n") {
            break;
        }
    }
    String::from_utf8_lossy(&found).into_owned()
}

fn check(server: &TestServer, sent: &[u8], answer: &str) {
    let shown = String::from_utf8_lossy(sent);
    let is_compile = shown.contains("/catalog/") || shown.contains("/v4/catalog");
    // A compile may fail for wrong facts, which is a 500 in Puppet's API.
    assert!(is_compile || !answer.contains("HTTP/1.1 500"), "{shown}\n{answer}");
    assert!(!answer.contains("a bug") && !answer.contains("the-secret"), "{shown}\n{answer}");
    if sent.len().is_multiple_of(16) {
        let alive = server.connect(None).unwrap().get("/status/v1/simple").unwrap();
        assert_eq!(alive.text(), "running");
    }
}

/// The clients of a round: nobody, a node, an administrator.
fn clients(server: &TestServer) -> [Option<Generated>; 3] {
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    [None, Some(server.generate("a.example.org", |_| {})), Some(admin)]
}

#[test]
fn random_requests_do_no_harm() {
    let server = TestServer::start(&CODE, |_| {});
    let clients = clients(&server);
    rounds(|random| {
        let client = clients[random.below(3)].as_ref();
        let mut connection = server.connect(client).unwrap();
        for _ in 0..1 + random.below(4) {
            let method =
                random.pick(&["GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH", "get"]);
            let body = random.pick(&BODIES);
            let mut head = format!("{method} {} HTTP/1.1\r\nhost: a\r\n", target(random));
            for _ in 0..random.below(4) {
                head.push_str(random.pick(&HEADERS));
                head.push_str("\r\n");
            }
            head.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
            let mut bytes = head.into_bytes();
            if random.below(3) == 0 {
                random.damage(&mut bytes);
            }
            let answer = send(&mut connection, &bytes);
            check(&server, &bytes, &answer);
            if answer.is_empty() {
                break;
            }
        }
    });
}

#[test]
fn random_requests_for_certificates_do_no_harm() {
    if std::process::Command::new("openssl").arg("version").output().is_err() {
        return;
    }
    let server = TestServer::start(&CODE, |config| config.autosign = Autosign::All);
    let made =
        certificate_request("a.example.org", "1.3.6.1.4.1.34380.1.1.13 = ASN1:UTF8String:web");
    let requests = [
        certificate_request("b.example.org", "subjectAltName = DNS:puppet"),
        certificate_request("c.example.org", "1.3.6.1.4.1.34380.1.3.39 = ASN1:UTF8String:true"),
        made,
    ];
    let all = ["a.example.org", "b.example.org", "c.example.org"];
    rounds(|random| {
        let mut request = requests[random.below(3)].clone();
        // The armour and the base64 stay readable most of the time.
        match random.below(4) {
            0 => {}
            _ => random.damage(&mut request),
        }
        let name = random.pick(&["a.example.org", "b.example.org", "c.example.org", "d", "ca"]);
        let mut client = server.connect(None).unwrap();
        let target = format!("/puppet-ca/v1/certificate_request/{name}");
        let status = client.request("PUT", &target, &[], &request).unwrap().status;
        assert!(
            matches!(status, 200 | 400 | 403 | 409 | 413),
            "{status}: {}",
            String::from_utf8_lossy(&request)
        );
        // Only the plain request can be signed, and only for its own name and role.
        let signed = server.ca().statuses(Some(ordain_ca::CertificateState::Signed)).unwrap();
        for row in signed.iter().filter(|row| row.name != "localhost") {
            assert_eq!(row.name, all[0], "{row:?}");
            assert_eq!(row.subject_alt_names, ["DNS:a.example.org"]);
            assert!(row.authorization_extensions.is_empty());
        }
        server.ca().clean(&all.map(str::to_string)).unwrap();
    });
}
