//! A server in this process, and a client that can send anything.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_ca::{CertificateAuthority, GenerateOptions, Generated, Settings};
use ordain_server::{Config, Stopper, Summary, listen};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

/// A server with a directory of its own.
pub(crate) struct TestServer {
    pub(crate) dir: TempDir,
    pub(crate) summary: Summary,
    stopper: Stopper,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// The files of code: paths below the directory of code, and texts.
pub(crate) type Code<'a> = &'a [(&'a str, &'a str)];

impl TestServer {
    /// Starts a server. `change` changes its settings.
    pub(crate) fn start(code: Code<'_>, change: impl FnOnce(&mut Config)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in code {
            write(&dir.path().join("code").join(path), text);
        }
        Self::start_in(dir, change)
    }

    /// Starts a server in the directory of one that has ended.
    pub(crate) fn start_in(dir: TempDir, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::new(dir.path().join("code"), dir.path().join("state"));
        config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        config.names = vec!["localhost".to_string()];
        config.limits.drain = Duration::from_secs(2);
        change(&mut config);
        let (server, summary) = listen(config).unwrap();
        let stopper = server.stopper();
        let thread = std::thread::spawn(move || server.run().unwrap());
        Self { dir, summary, stopper, thread: Some(thread) }
    }

    /// Ends the server. Returns its directory.
    pub(crate) fn stop(mut self) -> TempDir {
        std::mem::replace(&mut self.dir, tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// Writes a file below the directory of code.
    pub(crate) fn edit(&self, path: &str, text: &str) {
        write(&self.path("code").join(path), text);
    }

    /// The authority, as another process sees it.
    pub(crate) fn ca(&self) -> CertificateAuthority {
        CertificateAuthority::open(&self.path("state/ca"), Settings::default()).unwrap()
    }

    /// A certificate of the authority.
    pub(crate) fn generate(
        &self,
        name: &str,
        change: impl FnOnce(&mut GenerateOptions),
    ) -> Generated {
        let mut options = GenerateOptions::default();
        change(&mut options);
        self.ca().generate(name, &options).unwrap()
    }

    /// A connection with a certificate, or without one.
    pub(crate) fn connect(&self, certificate: Option<&Generated>) -> std::io::Result<Client> {
        Client::connect(self.summary.address, &self.ca(), certificate)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server has failed");
        }
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A request for a certificate, as PEM. `extensions` are lines for `openssl`.
pub(crate) fn certificate_request(name: &str, extensions: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("request.cnf");
    let wanted = if extensions.is_empty() { "" } else { "req_extensions = ext\n" };
    let text = format!(
        "[req]\nprompt = no\ndistinguished_name = dn\n{wanted}[dn]\nCN = {name}\n[ext]\n{extensions}\n"
    );
    write(&config, &text);
    let output = std::process::Command::new("openssl")
        .args(["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"])
        .args(["-keyout", "/dev/null", "-config"])
        .arg(&config)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A connection to a server.
pub(crate) struct Client {
    pub(crate) stream: StreamOwned<ClientConnection, TcpStream>,
}

/// A reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Client {
    pub(crate) fn connect(
        address: SocketAddr,
        ca: &CertificateAuthority,
        certificate: Option<&Generated>,
    ) -> std::io::Result<Self> {
        let mut roots = RootCertStore::empty();
        for certificate in ca.chain() {
            roots.add(CertificateDer::from(certificate.der().to_vec())).unwrap();
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match certificate {
            Some(own) => {
                let chain = vec![CertificateDer::from(own.certificate.der().to_vec())];
                let key = PrivateKeyDer::from_pem_slice(own.key_pem.as_bytes()).unwrap();
                config.with_client_auth_cert(chain, key).unwrap()
            }
            None => config.with_no_client_auth(),
        };
        let name = ServerName::try_from("localhost").unwrap();
        let tls = ClientConnection::new(Arc::new(config), name).unwrap();
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        stream.set_nodelay(true)?;
        let mut stream = StreamOwned::new(tls, stream);
        // In TLS 1.3 a refused certificate shows when something is read.
        stream.conn.complete_io(&mut stream.sock)?;
        Ok(Self { stream })
    }

    /// Sends a request and reads its reply.
    pub(crate) fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Reply> {
        let mut head = format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || matches!(method, "PUT" | "POST") {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        // A refused request may be answered, and its connection ended, before it is complete.
        let sent = self.stream.write_all(&[head.as_bytes(), body].concat());
        let reply = self.read(method == "HEAD");
        if reply.is_err() { sent.and(reply) } else { reply }
    }

    pub(crate) fn get(&mut self, target: &str) -> std::io::Result<Reply> {
        self.request("GET", target, &[], b"")
    }

    /// Reads a reply.
    pub(crate) fn read(&mut self, is_head: bool) -> std::io::Result<Reply> {
        read_reply(&mut self.stream, is_head)
    }
}

/// Reads a reply of a server.
pub(crate) fn read_reply(stream: &mut impl Read, is_head: bool) -> std::io::Result<Reply> {
    let head = read_until(stream, b"\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_string()))
        .collect();
    let mut reply = Reply { status, headers, body: Vec::new() };
    if reply.header("transfer-encoding") == Some("chunked") {
        loop {
            let length = read_until(stream, b"\r\n")?;
            let length = usize::from_str_radix(length.trim(), 16).unwrap();
            let mut chunk = vec![0; length + 2];
            stream.read_exact(&mut chunk)?;
            reply.body.extend_from_slice(&chunk[..length]);
            if length == 0 {
                return Ok(reply);
            }
        }
    }
    let length = reply.header("content-length").map_or(0, |value| value.parse::<usize>().unwrap());
    reply.body = vec![0; if is_head { 0 } else { length }];
    stream.read_exact(&mut reply.body)?;
    Ok(reply)
}

fn read_until(stream: &mut impl Read, end: &[u8]) -> std::io::Result<String> {
    let mut text = Vec::new();
    while !text.ends_with(end) {
        let mut byte = [0];
        if stream.read(&mut byte)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        text.push(byte[0]);
    }
    Ok(String::from_utf8(text).unwrap())
}
