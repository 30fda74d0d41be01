//! Requests and checks by the `openssl` program.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use ordain_ca::{CertificateAuthority, CreateOptions, Settings};
use tempfile::TempDir;

/// 2026-11-26T10:00:00Z, the time of tests in which `openssl` does not check the current time.
pub const NOON: i64 = 1_795_687_200;

/// An authority in its own directory.
pub struct Fixture {
    pub temp: TempDir,
    pub ca: CertificateAuthority,
}

impl Fixture {
    pub fn new(settings: Settings) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let options = CreateOptions { name: Some("Test CA".into()), ..CreateOptions::default() };
        let ca = CertificateAuthority::create(&temp.path().join("ca"), &options, settings).unwrap();
        Self { temp, ca }
    }

    pub fn dir(&self) -> PathBuf {
        self.temp.path().join("ca")
    }

    pub fn reopen(&self, settings: Settings) -> CertificateAuthority {
        CertificateAuthority::open(&self.dir(), settings).unwrap()
    }

    /// Submits and signs a plain request.
    pub fn enrol(&self, name: &str) -> ordain_ca::Certificate {
        self.ca.submit(name, csr(name, "").as_bytes()).unwrap();
        self.ca.sign(name, &Default::default()).unwrap()
    }
}

/// A clock that tests can set.
#[derive(Clone)]
pub struct TestClock(Arc<AtomicI64>);

impl TestClock {
    pub fn new(seconds: i64) -> Self {
        Self(Arc::new(AtomicI64::new(seconds)))
    }

    pub fn forward(&self, days: i64) {
        self.0.fetch_add(days * 86_400, Ordering::Relaxed);
    }

    pub fn settings(&self) -> Settings {
        let clock = self.clone();
        Settings {
            clock: Arc::new(move || {
                Timestamp::from_second(clock.0.load(Ordering::Relaxed)).unwrap()
            }),
            ..Settings::default()
        }
    }
}

pub fn openssl(args: &[&str]) -> Output {
    Command::new("openssl").args(args).output().unwrap()
}

/// The standard output of `openssl`, which must succeed.
pub fn openssl_ok(args: &[&str]) -> String {
    let output = openssl(args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// A P-256 request for a name; `extensions` are lines of the section `req_extensions`.
pub fn csr(name: &str, extensions: &str) -> String {
    csr_with("ec", name, extensions, "")
}

/// A request with a kind of key (`ec`, `p384`, `p521`, `ed25519`, or bits of RSA), extensions and
/// attributes.
pub fn csr_with(key: &str, name: &str, extensions: &str, attributes: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("req.cnf");
    let wanted = if extensions.is_empty() { "" } else { "req_extensions=ext\n" };
    let text = format!(
        "[req]\nprompt=no\nutf8=yes\nstring_mask=utf8only\ndistinguished_name=dn\nattributes=attr\n{wanted}\
         [dn]\nCN={name}\n[attr]\n{attributes}\n[ext]\n{extensions}\n"
    );
    fs::write(&config, text).unwrap();
    let key_file = dir.path().join("key.pem");
    let (config, key_path) = (config.to_str().unwrap(), key_file.to_str().unwrap());
    let curve;
    let mut args = vec!["genpkey", "-out", key_path, "-algorithm"];
    match key {
        "ec" | "p384" | "p521" => {
            let name = match key {
                "ec" => "P-256",
                "p384" => "P-384",
                _ => "P-521",
            };
            curve = format!("ec_paramgen_curve:{name}");
            args.extend(["EC", "-pkeyopt", &curve]);
        }
        "ed25519" => args.push("ed25519"),
        bits => {
            curve = format!("rsa_keygen_bits:{bits}");
            args.extend(["RSA", "-pkeyopt", &curve]);
        }
    }
    openssl_ok(&args);
    openssl_ok(&["req", "-new", "-config", config, "-key", key_path])
}

/// Writes the chain and the lists, and checks a certificate with `openssl verify`.
pub fn verify(ca: &CertificateAuthority, pem: &str) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let bundle = write("bundle.pem", &ca.bundle_pem());
    let crls = write("crls.pem", &ca.crl().unwrap().pem);
    let leaf = write("leaf.pem", pem);
    let args =
        ["verify", "-x509_strict", "-crl_check_all", "-CAfile", &bundle, "-CRLfile", &crls, &leaf];
    let output = openssl(&args);
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The certificate as `openssl` prints it, without keys, signatures and times.
pub fn describe(pem: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cert.pem");
    fs::write(&path, pem).unwrap();
    let options = "no_pubkey,no_sigdump,no_validity";
    openssl_ok(&["x509", "-noout", "-text", "-certopt", options, "-in", path.to_str().unwrap()])
}

pub fn has_openssl() -> bool {
    let is_installed = Command::new("openssl").arg("version").output().is_ok();
    ordain_testkit::peer(is_installed, "openssl")
}

/// The mode of a file.
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}
