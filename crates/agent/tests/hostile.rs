//! An agent against a server that lies: whatever it answers, no graph is accepted but that of the
//! node, for this request, signed by the server.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use ordain_agent::protocol::{self, GraphRequest, Head, SourceList};
use ordain_agent::{AgentError, Answer, Enrolment, Home, Server, Trust};
use ordain_ca::{
    Autosign, CertificateAuthority, CreateOptions, GenerateOptions, Generated, NodeKey, Settings,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const NAME: &str = "web.example.org";

/// Makes the whole reply to a request for the graph.
type Reply = Box<dyn FnMut(&Lab, &GraphRequest) -> Vec<u8> + Send>;

/// The server.
struct Lab {
    ca: CertificateAuthority,
    own: Generated,
    reply: Mutex<Reply>,
}

impl Lab {
    fn document(&self, head: &Head, key: &Generated) -> Vec<u8> {
        let signing = NodeKey::from_pem(key.key_pem.as_bytes()).unwrap();
        protocol::sign(head, &body(), &signing, &key.certificate.pem()).unwrap()
    }

    fn respond(&self, method: &str, path: &str, sent: &[u8]) -> Vec<u8> {
        if path.ends_with("/certificate/ca") {
            return ok(self.ca.bundle_pem().as_bytes());
        }
        if method == "PUT" && path.contains("/certificate_request/") {
            self.ca.submit(NAME, sent).unwrap();
            return ok(b"");
        }
        if path.starts_with("/puppet-ca/") {
            let found = self.ca.certificate_pem(NAME).unwrap();
            return found.map_or_else(
                || b"HTTP/1.1 404 No\r\nconnection: close\r\n\r\n".to_vec(),
                |pem| ok(&pem),
            );
        }
        assert_eq!(method, "POST");
        let request: GraphRequest = serde_json::from_slice(sent).unwrap();
        (self.reply.lock().unwrap())(self, &request)
    }
}

fn body() -> Vec<u8> {
    protocol::body(b"{}", &SourceList::new()).unwrap()
}

fn head(nonce: &str) -> Head {
    Head {
        certname: NAME.into(),
        environment: "production".into(),
        nonce: nonce.into(),
        issued: Timestamp::now().to_string(),
        code_id: "1".into(),
        state: "1".into(),
        digest: protocol::body_digest(&body()),
        has_body: true,
    }
}

fn ok(body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Serves the connections of the test, one request each.
fn serve(lab: &Lab, listener: &TcpListener) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from(lab.own.certificate.der().to_vec())];
    let key = PrivateKeyDer::from_pem_slice(lab.own.key_pem.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    for stream in listener.incoming() {
        let tls = ServerConnection::new(Arc::clone(&config)).unwrap();
        // An agent that refuses the server ends the connection.
        let _ = exchange(lab, StreamOwned::new(tls, stream.unwrap()));
    }
}

fn exchange(
    lab: &Lab,
    mut stream: StreamOwned<ServerConnection, TcpStream>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut sent = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut sent)?;
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    stream.write_all(&lab.respond(method, path, &sent))?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// Enrols an agent with such a server.
fn enrolled(reply: Reply) -> (tempfile::TempDir, Server) {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { autosign: Autosign::All, ..Settings::default() };
    let ca =
        CertificateAuthority::create(&dir.path().join("ca"), &CreateOptions::default(), settings);
    let ca = ca.unwrap();
    let own = ca.generate("localhost", &GenerateOptions::default()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let lab = Lab { ca, own, reply: Mutex::new(reply) };
    // The thread ends with the process.
    std::thread::spawn(move || serve(&lab, &listener));
    let home = Arc::new(Home::open(&dir.path().join("a"), &dir.path().join("key")).unwrap());
    let server = format!("localhost:{}", address.port());
    let enrolment = Enrolment::begin(&home, &server, NAME, &Trust::FirstUse).unwrap();
    let server = enrolment.server().unwrap();
    (dir, server)
}

fn ask(server: &Server) -> Result<Answer, AgentError> {
    server.graph("production", &serde_json::json!({}), None)
}

fn refusal(reply: impl FnMut(&Lab, &GraphRequest) -> Vec<u8> + Send + 'static) -> String {
    let (_dir, server) = enrolled(Box::new(reply));
    ask(&server).unwrap_err().to_string()
}

#[test]
fn the_graph_of_the_server_is_accepted() {
    let reply =
        |lab: &Lab, request: &GraphRequest| ok(&lab.document(&head(&request.nonce), &lab.own));
    let (_dir, server) = enrolled(Box::new(reply));
    let Ok(Answer::New(graph)) = ask(&server) else { panic!("no graph") };
    assert_eq!(graph.body, body());
}

#[test]
fn a_graph_with_a_wrong_signature_is_refused() {
    let text = refusal(|lab, request| {
        // The key of another node, with the certificate of the server.
        let other = lab.ca.generate("db.example.org", &GenerateOptions::default()).unwrap();
        let forged = Generated { certificate: lab.own.certificate.clone(), ..other };
        ok(&lab.document(&head(&request.nonce), &forged))
    });
    assert_eq!(text, "the graph is refused: its signature is not valid: the signature is wrong");
    let text = refusal(|lab, request| {
        let other = lab.ca.generate("db.example.org", &GenerateOptions::default()).unwrap();
        ok(&lab.document(&head(&request.nonce), &other))
    });
    assert_eq!(text, "the graph is refused: db.example.org has signed it, not localhost");
}

#[test]
fn the_graph_of_another_node_is_refused() {
    let text = refusal(|lab, request| {
        let head = Head { certname: "db.example.org".into(), ..head(&request.nonce) };
        ok(&lab.document(&head, &lab.own))
    });
    assert_eq!(
        text,
        "the graph is refused: it is the graph of db.example.org, not of web.example.org"
    );
}

#[test]
fn an_earlier_answer_is_refused() {
    let mut first = None;
    let reply = move |lab: &Lab, request: &GraphRequest| {
        first.get_or_insert_with(|| ok(&lab.document(&head(&request.nonce), &lab.own))).clone()
    };
    let (_dir, server) = enrolled(Box::new(reply));
    assert!(ask(&server).is_ok());
    let text = ask(&server).unwrap_err().to_string();
    assert!(text.starts_with("the graph is refused: it is the answer to an earlier request"));
}

#[test]
fn cut_endless_and_foreign_replies_are_refused() {
    let whole = |lab: &Lab, request: &GraphRequest| lab.document(&head(&request.nonce), &lab.own);
    // A body that ends before its announced length, and one that is shorter than the signed one.
    let text = refusal(move |lab, request| {
        let reply = ok(&whole(lab, request));
        reply[..reply.len() - 1].to_vec()
    });
    assert!(text.contains("cannot be reached"), "{text}");
    let text = refusal(move |lab, request| {
        let document = whole(lab, request);
        ok(&document[..document.len() - 1])
    });
    assert_eq!(text, "the graph is refused: its content is not the signed one");
    let text = refusal(|_, _| {
        b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\nconnection: close\r\n\r\nx".to_vec()
    });
    assert!(text.contains("cannot be reached"), "{text}");
    let text = refusal(|_, _| {
        b"HTTP/1.1 302 Found\r\nlocation: https://localhost/\r\ncontent-length: 0\r\n\r\n".to_vec()
    });
    assert!(text.contains("status 302"), "{text}");
    for junk in ["", "{}", "[]\n", "\n\n", "{\"format\":\"ordain-signed-graph\"}\n"] {
        let text = refusal(move |_, _| ok(junk.as_bytes()));
        assert!(text.starts_with("the graph is refused: "), "{text}");
    }
    let deep = format!("{}\n", "[".repeat(100_000));
    let text = refusal(move |_, _| ok(deep.as_bytes()));
    assert!(text.starts_with("the graph is refused: "), "{text}");
}
