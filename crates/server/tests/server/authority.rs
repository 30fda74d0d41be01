//! The authority while the server runs: changes by other processes, lists that expire, sockets.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use ordain_ca::{CertificateAuthority, CreateOptions, Settings};
use ordain_server::{Config, Sockets, listen_on};

use crate::support::{TestServer, write};

const CODE: [(&str, &str); 1] = [("environments/production/manifests/site.pp", "")];

/// Waits until something is true.
fn wait(what: &str, mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_list_is_made_anew_before_it_expires() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca");
    // The authority was made so long ago that its list, of five years, has twenty days left.
    let made = Timestamp::now() - SignedDuration::from_hours((5 * 365 - 20) * 24);
    let settings = Settings { clock: Arc::new(move || made), ..Settings::default() };
    let old = CertificateAuthority::create(&ca, &CreateOptions::default(), settings).unwrap();
    let before = old.crl().unwrap().pem;
    let server = TestServer::start(&CODE, |config| config.ca = Some(ca.clone()));
    let now = || CertificateAuthority::open(&ca, Settings::default()).unwrap();
    wait("a new list", || now().crl().unwrap().pem != before);
    let expires = now().expirations().unwrap();
    let year = expires.lists.values().next().unwrap()[..4].parse::<i16>().unwrap();
    assert!(year > Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).year() + 3, "{expires:?}");
    let client = crate::support::Client::connect(server.summary.address, &now(), None);
    let target = "/puppet-ca/v1/certificate_revocation_list/ca";
    assert_eq!(client.unwrap().get(target).unwrap().text(), now().crl().unwrap().pem.to_string());
}

#[test]
fn a_signal_makes_the_server_read_the_authority_again() {
    let server = TestServer::start(&CODE, |_| {});
    let target = "/puppet-ca/v1/certificate/ca";
    let bundle = || server.connect(None).unwrap().get(target).unwrap().text();
    let before = bundle();
    // Another process signs the authority's certificate again.
    server.ca().renew_authority(None).unwrap();
    assert_eq!(bundle(), before);
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::HUP).unwrap();
    wait("the new certificate", || bundle() != before);
    assert_eq!(bundle(), server.ca().bundle_pem().to_string());
}

#[test]
fn changes_by_other_processes_are_seen_with_the_next_request() {
    let server = TestServer::start(&CODE, |_| {});
    let mut connection = server.connect(None).unwrap();
    let target = "/puppet-ca/v1/certificate/web.example.org";
    assert_eq!(connection.get(target).unwrap().status, 404);
    let made = server.generate("web.example.org", |_| {});
    assert_eq!(connection.get(target).unwrap().text(), made.certificate.pem());
    let list = |connection: &mut crate::support::Client| {
        connection.get("/puppet-ca/v1/certificate_revocation_list/ca").unwrap().text()
    };
    let before = list(&mut connection);
    server.ca().clean(&["web.example.org".to_string()]).unwrap();
    assert_eq!(connection.get(target).unwrap().status, 404);
    assert!(list(&mut connection).len() > before.len());
}

#[test]
fn sockets_of_a_service_manager_are_used() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("code").join(CODE[0].0), CODE[0].1);
    let mut config = Config::new(dir.path().join("code"), dir.path().join("state"));
    // Nobody can listen there.
    config.listen = ([192, 0, 2, 1], 1).into();
    config.names = vec!["localhost".to_string()];
    config.limits.drain = Duration::from_secs(1);
    let (agents, metrics) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = (agents.local_addr().unwrap(), metrics.local_addr().unwrap());
    // This client comes before the server.
    let mut early = TcpStream::connect(addresses.1).unwrap();
    std::io::Write::write_all(
        &mut early,
        b"GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
    )
    .unwrap();
    let sockets = Sockets { agents: Some(agents), metrics: Some(metrics) };
    let (server, summary) = listen_on(config, sockets).unwrap();
    assert_eq!((summary.address, summary.metrics), (addresses.0, Some(addresses.1)));
    let stopper = server.stopper();
    let thread = std::thread::spawn(move || server.run().unwrap());
    let mut text = String::new();
    early.read_to_string(&mut text).unwrap();
    assert!(text.ends_with("ok\n"), "{text}");
    let ca = CertificateAuthority::open(&dir.path().join("state/ca"), Settings::default()).unwrap();
    let mut client = crate::support::Client::connect(summary.address, &ca, None).unwrap();
    assert_eq!(client.get("/status/v1/simple").unwrap().text(), "running");
    stopper.stop();
    thread.join().unwrap();
}
