//! Clusters of etcd, if it is installed.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_engine::cluster::Etcd;
use ordain_graph::shared::SharedStore;
use ordain_testkit::peer::peer;
use serde_json::Value as Json;

use super::TIMEOUT;

/// A cluster. Its members end with it.
pub(super) struct EtcdCluster {
    members: Vec<(u16, Child)>,
    /// The parameters of addresses for TLS; none if the members speak without it.
    tls: Option<String>,
    _dir: tempfile::TempDir,
}

impl EtcdCluster {
    /// Starts a cluster with this number of members, and waits for its leader.
    pub(super) fn start(count: usize) -> Option<Self> {
        Self::start_with(count, &[], None)
    }

    /// The same with TLS: the options of the members, and the parameters of a client's address.
    pub(super) fn start_with_tls(options: &[String], client: String) -> Option<Self> {
        Self::start_with(1, options, Some(client))
    }

    fn start_with(count: usize, options: &[String], tls: Option<String>) -> Option<Self> {
        let is_installed = Command::new("etcd").arg("--version").output().is_ok();
        if !peer(is_installed, "etcd-server") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        // Their listeners are open together, so that the ports differ.
        let listeners: Vec<TcpListener> =
            (0..2 * count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> =
            listeners.iter().map(|one| one.local_addr().unwrap().port()).collect();
        drop(listeners);
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let peers: Vec<String> =
            (0..count).map(|at| format!("m{at}={}", url(ports[count + at]))).collect();
        let members = (0..count).map(|at| {
            let client = format!("{scheme}://127.0.0.1:{}", ports[at]);
            let server = url(ports[count + at]);
            let child = Command::new("etcd")
                .args(["--name", &format!("m{at}"), "--initial-cluster", &peers.join(",")])
                .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
                .args(["--listen-peer-urls", &server, "--initial-advertise-peer-urls", &server])
                .args(["--heartbeat-interval", "50", "--election-timeout", "500"])
                .args(options)
                .arg("--data-dir")
                .arg(dir.path().join(format!("m{at}")))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            (ports[at], child)
        });
        let cluster = Self { members: members.collect(), tls, _dir: dir };
        let store = cluster.store();
        let end = Instant::now() + TIMEOUT;
        while let Err(error) = store.changes(None, Duration::ZERO) {
            assert!(Instant::now() < end, "etcd did not start: {error}");
        }
        Some(cluster)
    }

    /// A client of all members.
    pub(super) fn store(&self) -> Arc<dyn SharedStore> {
        let tls = self.tls.as_deref();
        Arc::new(Etcd::new(&self.address(tls)).unwrap())
    }

    /// The address of all members, with parameters for TLS or without it.
    pub(super) fn address(&self, tls: Option<&str>) -> String {
        let servers = self.members.iter().map(|(port, _)| format!("127.0.0.1:{port}"));
        let servers: Vec<String> = servers.collect();
        match tls {
            Some(parameters) => format!("etcds://{}?{parameters}", servers.join(",")),
            None => format!("etcd://{}", servers.join(",")),
        }
    }

    /// Kills the leader.
    pub(super) fn kill_leader(&mut self) {
        let end = Instant::now() + TIMEOUT;
        loop {
            for (port, child) in &mut self.members {
                if is_leader(*port) {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    return;
                }
            }
            assert!(Instant::now() < end, "there is no leader");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Whether the member at a port runs and is the leader.
fn is_leader(port: u16) -> bool {
    let url = format!("http://127.0.0.1:{port}/v3/maintenance/status");
    let answer = Command::new("curl").args(["-sS", "-m", "2", "-d", "{}", &url]).output().unwrap();
    let status: Json = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    status["leader"].is_string() && status["leader"] == status["header"]["member_id"]
}

impl Drop for EtcdCluster {
    fn drop(&mut self) {
        for (_, child) in &mut self.members {
            // It may have been killed already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
