//! Simulated agents that load a server: TLS with certificates of their own, connections that stay
//! open, and the facts of a file.
//!
//! `agents --address ADDR:PORT --ca-dir DIR --facts FILE [--nodes N] [--clients N] [--seconds N]
//! [--environment NAME] [--what catalog|run|status|idle|hold] [--gzip] [--pid PID]`
//!
//! `catalog` asks for catalogs only. `run` makes the requests of an agent when nothing changes: node,
//! plugins, catalog, report. `idle` opens N connections without certificates and says nothing on
//! them; on those of `hold`, Ordain's agents wait for changes. The result is one JSON object.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_ca::{CertificateAuthority, Existing, GenerateOptions, Generated, Settings};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value as Json, json};

/// The arguments by name.
struct Arguments(BTreeMap<String, String>);

impl Arguments {
    fn read() -> Self {
        let mut out = BTreeMap::new();
        let mut all = std::env::args().skip(1).peekable();
        while let Some(name) = all.next() {
            let name = name.trim_start_matches("--").to_string();
            let value = all.next_if(|value| !value.starts_with("--")).unwrap_or_default();
            out.insert(name, value);
        }
        Self(out)
    }

    fn get(&self, name: &str, default: &str) -> String {
        self.0.get(name).cloned().unwrap_or_else(|| default.to_string())
    }

    fn number(&self, name: &str, default: usize) -> usize {
        self.get(name, &default.to_string()).parse().expect("a number")
    }
}

/// A simulated agent.
struct Agent {
    name: String,
    stream: StreamOwned<ClientConnection, TcpStream>,
    catalog: Vec<u8>,
    report: Vec<u8>,
    requests: Arc<Requests>,
}

/// The requests of all agents.
struct Requests {
    environment: String,
    what: String,
    headers: String,
}

/// The numbers of an agent.
#[derive(Default)]
struct Numbers {
    times: Vec<Duration>,
    bytes: u64,
    failures: u64,
}

fn main() {
    let arguments = Arguments::read();
    let dir = arguments.get("ca-dir", "state/ca");
    let ca = CertificateAuthority::open(dir.as_ref(), Settings::default()).expect("an authority");
    let nodes = arguments.number("nodes", 20);
    match arguments.get("what", "").as_str() {
        "idle" => return idle(&ca, &arguments, nodes),
        "hold" => return hold(&ca, &arguments, nodes),
        _ => {}
    }
    let clients = arguments.number("clients", 4);
    let duration = Duration::from_secs(arguments.number("seconds", 10) as u64);
    let facts = std::fs::read(arguments.get("facts", "facts.json")).expect("facts");
    let facts: Json = serde_json::from_slice(&facts).expect("facts as JSON");
    let gzip = if arguments.0.contains_key("gzip") { "accept-encoding: gzip\r\n" } else { "" };
    let requests = Arc::new(Requests {
        environment: arguments.get("environment", "production"),
        what: arguments.get("what", "catalog"),
        headers: format!("{gzip}x-puppet-version: 7.23.0\r\n"),
    });
    let address = arguments.get("address", "127.0.0.1:8140");
    let certificates: Vec<(String, Generated)> = (0..nodes.max(clients))
        .map(|number| {
            let name = format!("load{number}.example.org");
            let options =
                GenerateOptions { existing: Existing::Revoke, ..GenerateOptions::default() };
            let made = ca.generate(&name, &options).expect("a certificate");
            (name, made)
        })
        .collect();
    let connect = |(name, own): &(String, Generated)| {
        Agent::connect(&ca, &address, name, own, &facts, &requests)
    };
    let mut agents: Vec<Agent> = certificates.iter().map(connect).collect();
    // Each thread has an equal share of the nodes, and asks for one after the other.
    let mut shares: Vec<Vec<Agent>> = (0..clients).map(|_| Vec::new()).collect();
    for (at, agent) in agents.drain(..).enumerate() {
        shares[at % clients].push(agent);
    }
    let begin = Instant::now();
    let end = begin + duration;
    let threads: Vec<_> = shares
        .into_iter()
        .map(|mut share| {
            std::thread::spawn(move || {
                let mut numbers = Numbers::default();
                'all: loop {
                    for agent in &mut share {
                        if Instant::now() >= end {
                            break 'all;
                        }
                        agent.run(&mut numbers);
                    }
                }
                numbers
            })
        })
        .collect();
    let mut all = Numbers::default();
    for thread in threads {
        let numbers = thread.join().expect("a thread");
        all.times.extend(numbers.times);
        all.bytes += numbers.bytes;
        all.failures += numbers.failures;
    }
    let took = begin.elapsed().as_secs_f64();
    all.times.sort();
    let at = |share: f64| {
        let index = (all.times.len() as f64 * share) as usize;
        all.times.get(index.min(all.times.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    let millis = |time: Duration| (time.as_secs_f64() * 1e5).round() / 100.0;
    println!(
        "{}",
        json!({
            "what": requests.what,
            "per_second": (all.times.len() as f64 / took * 100.0).round() / 100.0,
            "count": all.times.len(),
            "failures": all.failures,
            "p50_ms": millis(at(0.5)),
            "p99_ms": millis(at(0.99)),
            "max_ms": millis(at(1.0)),
            "mb_per_second": (all.bytes as f64 / took / 1e4).round() / 100.0,
            "server": arguments.0.get("pid").map(|pid| usage(pid)),
        })
    );
}

/// Opens connections, lets them be, and prints the memory of the server before and after.
fn idle(ca: &CertificateAuthority, arguments: &Arguments, count: usize) {
    let address = arguments.get("address", "127.0.0.1:8140");
    let pid = arguments.get("pid", "self");
    let before = usage(&pid);
    let config = Arc::new(settings(ca).with_no_client_auth());
    let server = ServerName::try_from("localhost").expect("a name");
    let mut open = Vec::with_capacity(count);
    for _ in 0..count {
        let mut tls = ClientConnection::new(Arc::clone(&config), server.clone()).expect("TLS");
        let Ok(mut stream) = TcpStream::connect(&address) else { break };
        // The server may refuse a connection over its limits.
        if tls.complete_io(&mut stream).is_ok() {
            open.push((tls, stream));
        }
    }
    let after = usage(&pid);
    println!("{}", json!({ "idle": open.len(), "before": before, "after": after }));
}

/// Opens connections of agents that wait for changes, and tells the memory of the server.
fn hold(ca: &CertificateAuthority, arguments: &Arguments, count: usize) {
    let address = arguments.get("address", "127.0.0.1:8140");
    let environment = arguments.get("environment", "production");
    let pid = arguments.get("pid", "self");
    // One node, so that the authority does not sign for all of them.
    let name = "load0.example.org";
    let options = GenerateOptions { existing: Existing::Revoke, ..GenerateOptions::default() };
    let own = ca.generate(name, &options).expect("a certificate");
    let chain = vec![CertificateDer::from(own.certificate.der().to_vec())];
    let key = PrivateKeyDer::from_pem_slice(own.key_pem.as_bytes()).expect("a key");
    let config = Arc::new(settings(ca).with_client_auth_cert(chain, key).expect("a certificate"));
    let before = usage(&pid);
    let mut state = String::new();
    let mut open = Vec::with_capacity(count);
    for number in 0..=count {
        let server = ServerName::try_from("localhost").expect("a name");
        let tls = ClientConnection::new(Arc::clone(&config), server).expect("TLS");
        let mut stream = StreamOwned::new(tls, TcpStream::connect(&address).expect("a connection"));
        let request = format!(
            "GET /ordain/v1/changes/{name}?environment={environment}&state={state} HTTP/1.1\r\n\
             host: localhost\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).and_then(|()| stream.flush()).expect("a request");
        if number > 0 {
            open.push(stream);
            continue;
        }
        // The first reply names the state, the others come when it changes.
        let mut reply = vec![0; 4096];
        let length = stream.read(&mut reply).expect("a reply");
        let text = String::from_utf8_lossy(&reply[..length]).into_owned();
        let body: Json =
            serde_json::from_str(text.rsplit("\r\n").next().expect("a body")).expect("JSON");
        state = body["state"].as_str().expect("a state").to_string();
    }
    std::thread::sleep(Duration::from_secs(1));
    println!("{}", json!({ "held": open.len(), "before": before, "after": usage(&pid) }));
}

/// The settings of a client that trusts an authority.
fn settings(
    ca: &CertificateAuthority,
) -> rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert> {
    let mut roots = RootCertStore::empty();
    for certificate in ca.chain() {
        roots.add(CertificateDer::from(certificate.der().to_vec())).expect("a root");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
}

/// The memory in MB and the CPU seconds of a process.
fn usage(pid: &str) -> Json {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<f64>().ok()
    };
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum();
    let megabytes = |name: &str| line(name).map(|kib| (kib / 102.4).round() / 10.0);
    json!({ "rss_mb": megabytes("VmRSS:"), "peak_mb": megabytes("VmHWM:"), "cpu_seconds": ticks / 100.0 })
}

/// Encodes everything but letters and digits, as agents encode the parts of a form.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

impl Agent {
    fn connect(
        ca: &CertificateAuthority,
        address: &str,
        name: &str,
        own: &Generated,
        facts: &Json,
        requests: &Arc<Requests>,
    ) -> Self {
        let chain = vec![CertificateDer::from(own.certificate.der().to_vec())];
        let key = PrivateKeyDer::from_pem_slice(own.key_pem.as_bytes()).expect("a key");
        let config = settings(ca).with_client_auth_cert(chain, key).expect("a certificate");
        let server = ServerName::try_from("localhost").expect("a name");
        let tls = ClientConnection::new(Arc::new(config), server).expect("TLS");
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("a connection");
        let values = facts.get("values").unwrap_or(facts);
        let sent = json!({ "name": name, "values": values }).to_string();
        let environment = &requests.environment;
        let catalog = format!(
            "facts_format=application%2Fjson&facts={}&environment={environment}\
             &configured_environment={environment}&check_environment=true&transaction_uuid=1\
             &static_catalog=true&checksum_type=sha256.sha384.sha512.sha224.md5",
            encode(&encode(&sent))
        );
        let report = report(name, environment);
        Self {
            name: name.to_string(),
            stream: StreamOwned::new(tls, stream),
            catalog: catalog.into_bytes(),
            report: report.to_string().into_bytes(),
            requests: Arc::clone(requests),
        }
    }

    /// One request or run, timed.
    fn run(&mut self, numbers: &mut Numbers) {
        let begin = Instant::now();
        let environment = self.requests.environment.clone();
        let name = self.name.clone();
        let is_done = match self.requests.what.as_str() {
            "status" => self.get("/status/v1/simple", numbers),
            "run" => {
                let listing = |mount: &str| {
                    format!(
                        "/puppet/v3/file_metadatas/{mount}?environment={environment}&recurse=true\
                         &links=follow&ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg\
                         &checksum_type=sha256&source_permissions=ignore&max_files=-1"
                    )
                };
                let node = format!("/puppet/v3/node/{name}?environment={environment}");
                self.get(&node, numbers)
                    && self.get(&listing("pluginfacts"), numbers)
                    && self.get(&listing("plugins"), numbers)
                    && self.catalog(numbers)
                    && self.report(numbers)
            }
            _ => self.catalog(numbers),
        };
        numbers.times.push(begin.elapsed());
        numbers.failures += u64::from(!is_done);
    }

    fn get(&mut self, target: &str, numbers: &mut Numbers) -> bool {
        self.send("GET", target, "", &[], numbers)
    }

    fn catalog(&mut self, numbers: &mut Numbers) -> bool {
        let target =
            format!("/puppet/v3/catalog/{}?environment={}", self.name, self.requests.environment);
        let body = std::mem::take(&mut self.catalog);
        let kind = "content-type: application/x-www-form-urlencoded\r\n\
                    accept: application/vnd.puppet.rich+json, application/json\r\n";
        let is_done = self.send("POST", &target, kind, &body, numbers);
        self.catalog = body;
        is_done
    }

    fn report(&mut self, numbers: &mut Numbers) -> bool {
        let target =
            format!("/puppet/v3/report/{}?environment={}", self.name, self.requests.environment);
        let body = std::mem::take(&mut self.report);
        let kind = "content-type: application/json\r\naccept: application/json\r\n";
        let is_done = self.send("PUT", &target, kind, &body, numbers);
        self.report = body;
        is_done
    }

    /// Sends a request and reads its reply; whether it was done.
    fn send(
        &mut self,
        method: &str,
        target: &str,
        headers: &str,
        body: &[u8],
        numbers: &mut Numbers,
    ) -> bool {
        let common = &self.requests.headers;
        let length = match body.is_empty() {
            true => String::new(),
            false => format!("content-length: {}\r\n", body.len()),
        };
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: localhost\r\n{common}{headers}{length}\r\n"
        );
        self.stream.write_all(&[head.as_bytes(), body].concat()).expect("a request");
        let mut received = Vec::with_capacity(1 << 16);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = self.stream.read(&mut buffer).expect("a reply");
            assert!(read > 0, "the server ends the connection");
            received.extend_from_slice(&buffer[..read]);
            let Some(end) = received.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
            let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
            // Puppet's server sends catalogs in chunks.
            let is_chunked = head.contains("transfer-encoding: chunked");
            let is_whole = |received: &[u8]| match is_chunked {
                true => received.ends_with(b"\r\n0\r\n\r\n"),
                false => received.len() >= end + 4 + length,
            };
            while !is_whole(&received) {
                let read = self.stream.read(&mut buffer).expect("a reply");
                assert!(read > 0, "the server ends the connection");
                received.extend_from_slice(&buffer[..read]);
            }
            numbers.bytes += received.len() as u64;
            return head.starts_with("http/1.1 200");
        }
    }
}

/// A report of a run without changes, of the size that an agent sends.
fn report(name: &str, environment: &str) -> Json {
    let metric = |name: &str| json!({ "name": name, "label": name, "values": [[name, name, 1.0]] });
    let status = |number: usize| {
        let title = format!("/tmp/file{number}");
        let status = json!({
            "title": title, "file": "/etc/puppetlabs/code/site.pp", "line": number,
            "resource": format!("File[{title}]"), "resource_type": "File",
            "provider_used": "posix", "containment_path": ["Stage[main]", "Main", title],
            "evaluation_time": 0.001, "tags": ["file", "class"],
            "time": "2026-11-26T20:00:00.000000000+00:00", "failed": false,
            "failed_to_restart": false, "changed": false, "out_of_sync": false, "skipped": false,
            "change_count": 0, "out_of_sync_count": 0, "events": [], "corrective_change": false,
        });
        (format!("File[{title}]"), status)
    };
    let statuses: serde_json::Map<String, Json> = (0..11).map(status).collect();
    json!({
        "host": name, "time": "2026-11-26T20:00:00.000000000+00:00",
        "configuration_version": "1", "transaction_uuid": "00000000-0000-4000-8000-000000000000",
        "report_format": 12, "puppet_version": "7.23.0", "status": "unchanged",
        "transaction_completed": true, "noop": false, "noop_pending": false,
        "environment": environment, "logs": [],
        "metrics": { "time": metric("time"), "resources": metric("resources") },
        "resource_statuses": statuses, "corrective_change": false,
    })
}
