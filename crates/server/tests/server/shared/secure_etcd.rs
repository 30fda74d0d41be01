//! A cluster of etcd that accepts only clients with a certificate of its authority.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_ca::{CertificateAuthority, CreateOptions, GenerateOptions, Settings};
use ordain_engine::cluster::Etcd;
use ordain_graph::shared::{SharedStore, SharedStoreError};

use super::etcd::EtcdCluster;
use super::{TestHost, until};

/// An authority with files of certificates.
struct Authority {
    dir: PathBuf,
    ca: CertificateAuthority,
}

impl Authority {
    fn new(dir: &Path) -> Self {
        let options = CreateOptions::default();
        let ca = CertificateAuthority::create(&dir.join("ca"), &options, Settings::default());
        let authority = Self { dir: dir.to_path_buf(), ca: ca.unwrap() };
        let chain: String = authority.ca.chain().iter().map(|one| one.pem()).collect();
        std::fs::write(authority.file("ca.pem"), chain).unwrap();
        authority
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes a certificate and its key. Returns the parameters of an address that name them.
    fn generate(&self, name: &str, names: &[&str]) -> String {
        let alt_names = names.iter().map(ToString::to_string).collect();
        let options = GenerateOptions { alt_names, ..GenerateOptions::default() };
        let own = self.ca.generate(name, &options).unwrap();
        let (cert, key) = (self.file(&format!("{name}.pem")), self.file(&format!("{name}.key")));
        std::fs::write(&cert, own.certificate.pem()).unwrap();
        std::fs::write(&key, &own.key_pem).unwrap();
        format!("cert={}&key={}", cert.display(), key.display())
    }

    fn trust(&self) -> String {
        format!("ca={}", self.file("ca.pem").display())
    }
}

/// The error of a client with these parameters.
fn refusal(cluster: &EtcdCluster, parameters: &str) -> String {
    let store = Etcd::new(&cluster.address(Some(parameters)));
    match store.and_then(|store| store.changes(None, Duration::ZERO)) {
        Ok(_) => "no error".to_string(),
        Err(SharedStoreError::Unreachable(text)) => format!("unreachable: {text}"),
        Err(error) => format!("refused: {error}"),
    }
}

#[test]
fn etcd_with_client_certificates() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [own, other] = [&dirs[0], &dirs[1]].map(|dir| Authority::new(dir.path()));
    own.generate("etcd", &["DNS:localhost", "IP:127.0.0.1"]);
    let good = format!("{}&{}", own.trust(), own.generate("host", &[]));
    let option = |name: &str, file: &str| format!("--{name}={}", own.file(file).display());
    let options = [
        option("cert-file", "etcd.pem"),
        option("key-file", "etcd.key"),
        option("trusted-ca-file", "ca.pem"),
        "--client-cert-auth".to_string(),
    ];
    let Some(cluster) = EtcdCluster::start_with_tls(&options, good.clone()) else { return };
    let store = cluster.store();
    let [a, b] = ["a", "b"].map(|name| TestHost::start(name, &|_| Arc::clone(&store)));
    a.set("k", "1");
    until(&[&a, &b], |host| host.values("k"), "a=1");

    let of_other = other.generate("host", &[]);
    let own_host = good.rsplit_once("ca.pem&").map(|(_, rest)| rest).unwrap_or_default();
    let half = format!("{}&cert={}", own.trust(), own.file("host.pem").display());
    let missing = format!("{}&cert=/missing.pem&key=/missing.key", own.trust());
    // Each unreachable cluster is asked for some seconds.
    std::thread::scope(|scope| {
        for (parameters, expected) in [
            (format!("{}&{own_host}", other.trust()), "invalid peer certificate: UnknownIssuer"),
            (own.trust(), "; it may require a certificate of this host: `?cert=FILE&key=FILE`"),
            (
                format!("{}&{of_other}", own.trust()),
                "; it may refuse the certificate of this host, which `cert` names",
            ),
            (half, ": `cert` and `key` belong together"),
            (missing, ": /missing.key cannot be used: "),
        ] {
            let cluster = &cluster;
            scope.spawn(move || {
                let text = refusal(cluster, &parameters);
                assert!(text.contains(expected), "{parameters}: {text}");
            });
        }
    });
}
