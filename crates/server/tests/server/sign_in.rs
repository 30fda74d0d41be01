//! Signing in to the explorer through a provider of OpenID Connect, which the tests run.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordain_ca::{CertificateAuthority, CreateOptions, GenerateOptions, Settings};
use ordain_fleet_store::{Database as _, Sqlite};
use ordain_functions::digest::{sha256_bytes, unhex};
use ordain_server::OidcConfig;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value as Json, json};

use crate::support::{Client, Reply, TestServer};

/// A key that signs tokens.
#[derive(Clone)]
enum Key {
    P256(Vec<u8>),
    /// A file for openssl, since `ring` makes no such keys.
    Rsa(PathBuf),
}

impl Key {
    fn p256() -> Self {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &SystemRandom::new()).unwrap();
        Self::P256(key.as_ref().to_vec())
    }

    fn rsa(dir: &Path) -> Self {
        let path = dir.join("rsa.pem");
        openssl(&["genrsa", "-out", path.to_str().unwrap(), "2048"], b"");
        Self::Rsa(path)
    }

    fn pair(pkcs8: &[u8]) -> EcdsaKeyPair {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        EcdsaKeyPair::from_pkcs8(algorithm, pkcs8, &SystemRandom::new()).unwrap()
    }

    fn algorithm(&self) -> &'static str {
        if matches!(self, Self::P256(_)) { "ES256" } else { "RS256" }
    }

    fn public(&self) -> Json {
        match self {
            Self::P256(pkcs8) => {
                let pair = Self::pair(pkcs8);
                let point = pair.public_key().as_ref();
                json!({ "kty": "EC", "crv": "P-256", "kid": "now", "use": "sig",
                        "x": encoded(&point[1..33]), "y": encoded(&point[33..]) })
            }
            Self::Rsa(path) => {
                let text =
                    openssl(&["rsa", "-noout", "-modulus", "-in", path.to_str().unwrap()], b"");
                let text = String::from_utf8(text).unwrap();
                let hex = text.trim().strip_prefix("Modulus=").unwrap().to_lowercase();
                let modulus = encoded(&unhex(&hex).unwrap());
                json!({ "kty": "RSA", "kid": "now", "n": modulus, "e": "AQAB" })
            }
        }
    }

    fn sign(&self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::P256(pkcs8) => {
                Self::pair(pkcs8).sign(&SystemRandom::new(), text).unwrap().as_ref().to_vec()
            }
            Self::Rsa(path) => openssl(&["dgst", "-sha256", "-sign", path.to_str().unwrap()], text),
        }
    }
}

fn openssl(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new("openssl");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "openssl {arguments:?}");
    output.stdout
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The state of the provider.
struct State {
    issuer: String,
    /// The keys that it publishes.
    keys: Vec<Json>,
    /// The key that signs.
    key: Key,
    header: Json,
    claims: Json,
    challenge: String,
}

/// A provider on a port of its own.
struct Provider {
    dir: tempfile::TempDir,
    issuer: String,
    state: Arc<Mutex<State>>,
}

impl Provider {
    fn start(rsa: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let create = CreateOptions::default();
        let ca = CertificateAuthority::create(&dir.path().join("ca"), &create, Settings::default());
        let ca = ca.unwrap();
        let alt_names = vec!["DNS:localhost".to_string()];
        let options = GenerateOptions { alt_names, ..GenerateOptions::default() };
        let own = ca.generate("localhost", &options).unwrap();
        let roots: String = ca.chain().iter().map(|one| one.pem()).collect();
        std::fs::write(dir.path().join("roots.pem"), roots).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut chain = vec![CertificateDer::from(own.certificate.der().to_vec())];
        chain.extend(ca.chain().iter().map(|one| CertificateDer::from(one.der().to_vec())));
        let key = PrivateKeyDer::from_pem_slice(own.key_pem.as_bytes()).unwrap();
        let tls = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let key = if rsa { Key::rsa(dir.path()) } else { Key::p256() };
        let state = State {
            issuer: issuer.clone(),
            keys: vec![key.public()],
            header: json!({ "alg": key.algorithm(), "kid": "now" }),
            key,
            claims: Json::Null,
            challenge: String::new(),
        };
        let state = Arc::new(Mutex::new(state));
        let (shared, tls) = (Arc::clone(&state), Arc::new(tls));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(Arc::clone(&tls)).unwrap();
                // A client that goes away ends its connection only.
                let _ = answer(StreamOwned::new(connection, stream.unwrap()), &shared);
            }
        });
        Self { dir, issuer, state }
    }

    /// The settings of a server that trusts this provider.
    fn config(&self) -> OidcConfig {
        let secret = self.dir.path().join("secret");
        std::fs::write(&secret, "a secret:\n").unwrap();
        OidcConfig {
            issuer: self.issuer.clone(),
            client: "ordain".to_string(),
            secret_file: Some(secret),
            address: "https://localhost:8140".to_string(),
            claim: "groups".to_string(),
            roles: ["ops=plan", "dev=read@staging"].map(|text| text.parse().unwrap()).to_vec(),
            authorities: self.dir.path().join("roots.pem"),
        }
    }

    fn server(&self) -> TestServer {
        let code = [("environments/production/manifests/site.pp", "notify { 'a': }\n")];
        TestServer::start(&code, |config| config.oidc = Some(self.config()))
    }
}

/// Answers the request of a connection.
fn answer(
    mut stream: StreamOwned<ServerConnection, std::net::TcpStream>,
    state: &Mutex<State>,
) -> std::io::Result<()> {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        text.push(byte[0]);
    }
    let head = String::from_utf8(text).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body)?;
    let path = head.split(' ').nth(1).unwrap();
    let state = state.lock().unwrap();
    let (status, document) = match path {
        "/.well-known/openid-configuration" => {
            let base = &state.issuer;
            (
                200,
                json!({ "issuer": base, "authorization_endpoint": format!("{base}/authorize"),
                          "token_endpoint": format!("{base}/token"), "jwks_uri": format!("{base}/keys") }),
            )
        }
        "/keys" => (200, json!({ "keys": state.keys })),
        "/token" => token(&state, &head, &String::from_utf8(body).unwrap()),
        _ => (404, json!({})),
    };
    let text = document.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}

fn token(state: &State, head: &str, body: &str) -> (u16, Json) {
    let field = |name: &str| {
        let fields = body.split('&').filter_map(|pair| pair.split_once('='));
        fields.into_iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    };
    // The client and its secret, each in the form of a form (RFC 6749, 2.3.1).
    let secret = base64::engine::general_purpose::STANDARD.encode("ordain:a%20secret%3A");
    let has_secret = head.contains(&format!("authorization: basic {}", secret.to_lowercase()));
    let challenge = encoded(&sha256_bytes(field("code_verifier").as_bytes()));
    if field("code") != "good" || challenge != state.challenge || !has_secret {
        return (400, json!({ "error": "invalid_grant" }));
    }
    let part = |document: &Json| encoded(document.to_string().as_bytes());
    let signed = format!("{}.{}", part(&state.header), part(&state.claims));
    let signature = encoded(&state.key.sign(signed.as_bytes()));
    (200, json!({ "token_type": "Bearer", "id_token": format!("{signed}.{signature}") }))
}

/// A browser between its sign-in and the answer of the provider.
struct Begun {
    client: Client,
    state: String,
    cookie: String,
}

impl Begun {
    /// Begins a sign-in. The provider then has a token that counts.
    fn new(server: &TestServer, provider: &Provider) -> Self {
        let mut client = server.connect(None).unwrap();
        let first = client.get("/explore/").unwrap();
        assert_eq!((first.status, first.header("location")), (303, Some("/explore/signin")));
        let begin = client.get("/explore/signin").unwrap();
        assert_eq!(begin.status, 303, "{}", begin.text());
        let location = begin.header("location").unwrap();
        let query = location.strip_prefix(&format!("{}/authorize?", provider.issuer)).unwrap();
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).unwrap().1.to_string()
        };
        assert_eq!((value("response_type"), value("client_id")), ("code".into(), "ordain".into()));
        assert_eq!(
            (value("scope"), value("code_challenge_method")),
            ("openid%20profile".into(), "S256".into())
        );
        let back = "https%3A%2F%2Flocalhost%3A8140%2Fexplore%2Fsignin%2Fcallback";
        assert_eq!(value("redirect_uri"), back);
        let cookie = own_cookie(&begin);
        let now = jiff::Timestamp::now().as_second();
        let mut state = provider.state.lock().unwrap();
        state.challenge = value("code_challenge");
        state.claims = json!({ "iss": provider.issuer, "aud": "ordain", "exp": now + 300, "iat": now,
                               "nonce": value("nonce"), "sub": "1", "preferred_username": "alice",
                               "groups": ["ops", "others"] });
        Self { client, state: value("state"), cookie }
    }

    fn finish(&mut self, code: &str) -> Reply {
        let target = format!("/explore/signin/callback?code={code}&state={}", self.state);
        self.client.request("GET", &target, &[("cookie", &self.cookie)], b"").unwrap()
    }
}

/// The cookie that a reply sets, as a browser sends it.
fn own_cookie(reply: &Reply) -> String {
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-ordain"), "{cookie}");
    assert!(cookie.ends_with("; Secure; HttpOnly; SameSite=Lax"), "{cookie}");
    cookie.split(';').next().unwrap().to_string()
}

#[test]
fn a_user_signs_in_and_out() {
    for rsa in [false, true] {
        let provider = Provider::start(rsa);
        let server = provider.server();
        let mut browser = Begun::new(&server, &provider);
        let reply = browser.finish("good");
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, Some("/explore/")),
            "{}",
            reply.text()
        );
        let cookie = own_cookie(&reply);
        let session = ("cookie", cookie.as_str());
        let page = "/explore/api/session";
        let found = browser.client.request("GET", page, &[session], b"").unwrap().json();
        assert_eq!(
            (&found["user"], &found["plan_environments"]),
            (&json!("oidc:alice"), &Json::Null)
        );
        assert_eq!(browser.finish("good").status, 403, "a state counts once");
        for cookie in ["__Host-ordain=0", "__Host-ordain="] {
            let reply = browser.client.request("GET", page, &[("cookie", cookie)], b"").unwrap();
            assert_eq!(reply.status, 403);
        }
        let end = "/explore/signout";
        let other = [session, ("sec-fetch-site", "cross-site")];
        assert_eq!(browser.client.request("POST", end, &other, b"").unwrap().status, 403);
        assert_eq!(browser.client.request("GET", page, &[session], b"").unwrap().status, 200);
        assert_eq!(browser.client.request("POST", end, &[session], b"").unwrap().status, 200);
        assert_eq!(browser.client.request("GET", page, &[session], b"").unwrap().status, 403);
        let dir = server.stop();
        let database =
            Sqlite::open(&dir.path().join("state/nodes/nodes.sqlite"), 1, Vec::new()).unwrap();
        let mut actions = Vec::new();
        database
            .read(None, &mut |connection| {
                let sql = "SELECT action || ' ' || actor FROM audit_log ORDER BY sequence";
                let rows = connection.rows(sql, &[])?;
                actions = rows.iter().map(|row| row[0].text().unwrap().to_string()).collect();
                Ok(())
            })
            .unwrap();
        assert_eq!(actions, ["explorer-sign-in oidc:alice", "explorer-sign-out oidc:alice"]);
    }
}

#[test]
fn the_groups_of_a_user_decide_about_environments() {
    let provider = Provider::start(false);
    let server = provider.server();
    let mut browser = Begun::new(&server, &provider);
    provider.state.lock().unwrap().claims["groups"] = json!("dev");
    let cookie = own_cookie(&browser.finish("good"));
    let session = [("cookie", cookie.as_str())];
    let found =
        browser.client.request("GET", "/explore/api/session", &session, b"").unwrap().json();
    assert_eq!(
        (&found["environments"], &found["plan_environments"]),
        (&json!(["staging"]), &json!([]))
    );
    for groups in [json!(["others"]), json!("op"), json!({ "ops": true }), Json::Null] {
        let mut browser = Begun::new(&server, &provider);
        provider.state.lock().unwrap().claims["groups"] = groups;
        let reply = browser.finish("good");
        assert_eq!(
            (reply.status, reply.text()),
            (403, "oidc:alice has no role in the explorer".into())
        );
    }
}

#[test]
fn false_statements_about_users_are_refused() {
    let provider = Provider::start(false);
    let server = provider.server();
    let now = jiff::Timestamp::now().as_second();
    let attempt = |change: &dyn Fn(&mut State)| {
        let mut browser = Begun::new(&server, &provider);
        let (key, header, keys) = {
            let mut state = provider.state.lock().unwrap();
            let before = (state.key.clone(), state.header.clone(), state.keys.clone());
            change(&mut state);
            before
        };
        let reply = browser.finish("good");
        assert_eq!(reply.header("set-cookie"), None);
        let mut state = provider.state.lock().unwrap();
        (state.key, state.header, state.keys) = (key, header, keys);
        (reply.status, reply.text())
    };
    let text = |text: &str| (403, text.to_string());
    let wrong = |name: &'static str, value: Json| {
        move |state: &mut State| state.claims[name] = value.clone()
    };
    let other = "the ID token belongs to another sign-in";
    assert_eq!(attempt(&wrong("nonce", json!("0"))), text(other));
    assert_eq!(attempt(&wrong("aud", json!("you"))), text("the ID token is for another client"));
    assert_eq!(
        attempt(&wrong("iss", json!("https://evil"))),
        text("the ID token is of another issuer")
    );
    let time = "the ID token is not valid at this time";
    assert_eq!(attempt(&wrong("exp", json!(now - 3600))), text(time));
    let signature = "the signature of the ID token is wrong";
    assert_eq!(attempt(&|state| state.key = Key::p256()), text(signature));
    let unknown = "the key of the ID token is unknown";
    assert_eq!(attempt(&|state| state.header["kid"] = json!("new")), text(unknown));
    let algorithm = "the ID token has an algorithm other than RS256 and ES256";
    assert_eq!(attempt(&|state| state.header["alg"] = json!("none")), text(algorithm));
    assert_eq!(attempt(&|state| state.challenge = "other".to_string()).0, 502);
}

#[test]
fn a_sign_in_belongs_to_its_browser() {
    let provider = Provider::start(false);
    let server = provider.server();
    let state = "this sign-in was begun elsewhere, too long ago, or finished before";
    // The victim gets the link of an attacker's sign-in.
    let attacker = Begun::new(&server, &provider);
    let mut victim = Begun::new(&server, &provider);
    victim.state = attacker.state;
    assert_eq!(victim.finish("good").text(), state);
    let mut without = Begun::new(&server, &provider);
    without.cookie = "a=b".to_string();
    assert_eq!(without.finish("good").status, 403);
    let mut refused = Begun::new(&server, &provider);
    assert_eq!(refused.finish("bad").status, 502);
    assert_eq!(refused.finish("good").text(), state);
    // Another provider's document is not trusted.
    let provider = Provider::start(false);
    provider.state.lock().unwrap().issuer = "https://evil.example.org".to_string();
    let server = provider.server();
    let mut client = server.connect(None).unwrap();
    assert_eq!(client.get("/explore/signin").unwrap().status, 502);
    assert_eq!(client.get("/explore/api/session").unwrap().status, 403);
}
