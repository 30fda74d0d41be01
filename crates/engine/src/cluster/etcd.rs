//! A cluster of etcd as a store, by the JSON gateway of its third interface.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use ordain_graph::shared::{
    SharedChanges, SharedEntry, SharedGuard, SharedKey, SharedStore, SharedStoreError, SharedWrite,
    Space,
};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use ureq::http::Method;

use super::address::Address;
use super::http::{ANSWER, Answer, Client, shown};

/// etcd's port for clients.
const PORT: &str = "2379";
/// The prefix of all keys, unless the address has another one.
const PREFIX: &str = "ordain";
/// The number of operations in one transaction; etcd allows 128.
const MAX_OPERATIONS: usize = 100;
/// The maximum length of one notice of changes in bytes.
const MAX_NOTICE: u64 = 64 << 20;
/// The time for which members are asked before a call fails. A new leader is elected in a second or
/// two.
const PATIENCE: Duration = Duration::from_secs(8);
/// The pause after all members were asked.
const PAUSE: Duration = Duration::from_millis(300);
/// etcd's code for a lease that does not exist.
const NOT_FOUND: i64 = 5;
/// etcd's code for a lease that exists already.
const FAILED_PRECONDITION: i64 = 9;
/// etcd's codes for a member that cannot answer now: a deadline, no leader, an internal timeout.
const UNAVAILABLE: [i64; 4] = [2, 4, 13, 14];

/// A cluster of etcd.
#[derive(Debug)]
pub struct Etcd {
    client: Client,
    /// The addresses of its members.
    members: Vec<String>,
    /// The member that answered last.
    current: AtomicUsize,
    prefix: String,
    /// Whether this host has a certificate; none without TLS.
    has_certificate: Option<bool>,
}

/// The reason why a call fails.
enum CallError {
    /// No member answers.
    Unreachable(String),
    /// A member refuses, with etcd's code.
    Refused(i64, String),
}

impl From<CallError> for SharedStoreError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Unreachable(text) => Self::Unreachable(text),
            CallError::Refused(_, text) => Self::Refused(text),
        }
    }
}

impl Etcd {
    /// A client of the cluster at an address: `etcd://HOST:PORT,HOST:PORT/PREFIX`, or `etcds:` with
    /// TLS and the parameters `ca`, `cert` and `key`. Connects with the first call.
    ///
    /// # Errors
    /// When the address is invalid, or a certificate cannot be read.
    pub fn new(address: &str) -> Result<Self, SharedStoreError> {
        let address = Address::parse(address, PORT)?;
        let is_secure = address.scheme == "etcds";
        let scheme = if is_secure { "https" } else { "http" };
        let members = address.servers.iter().map(|server| format!("{scheme}://{server}"));
        let prefix = if address.path.is_empty() { PREFIX } else { &address.path };
        Ok(Self {
            client: Client::new(is_secure.then_some(&address.tls))?,
            members: members.collect(),
            current: AtomicUsize::new(0),
            prefix: format!("/{prefix}/"),
            has_certificate: is_secure.then_some(address.tls.cert.is_some()),
        })
    }

    /// Calls a method at the first member that answers, and returns the answer.
    fn call(&self, path: &str, body: &Json) -> Result<Json, CallError> {
        let mut last = String::new();
        let first = self.current.load(Ordering::Relaxed);
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            for offset in 0..self.members.len() {
                let at = (first + offset) % self.members.len();
                let member = &self.members[at];
                match self.ask(member, path, body, ANSWER).and_then(read) {
                    Ok(Ok(answer)) => {
                        self.current.store(at, Ordering::Relaxed);
                        return Ok(answer);
                    }
                    Ok(Err((code, text))) if !UNAVAILABLE.contains(&code) => {
                        return Err(CallError::Refused(code, text));
                    }
                    Ok(Err((_, text))) => last = format!("{member}: {text}"),
                    Err(error) => last = format!("{member}: {error}{}", self.advice(&error)),
                }
            }
            std::thread::sleep(PAUSE);
        }
        Err(CallError::Unreachable(last))
    }

    /// The likely cause of a connection that a member ends: it checks certificates after the
    /// handshake, so that its reason is often lost.
    fn advice(&self, error: &io::Error) -> &'static str {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        let kinds = [BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof];
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let is_refusal = matches!(inner, Some(rustls::Error::AlertReceived(_)));
        match self.has_certificate.filter(|_| is_refusal || kinds.contains(&error.kind())) {
            Some(true) => "; it may refuse the certificate of this host, which `cert` names",
            Some(false) => "; it may require a certificate of this host: `?cert=FILE&key=FILE`",
            None => "",
        }
    }

    fn ask(&self, member: &str, path: &str, body: &Json, time: Duration) -> io::Result<Answer> {
        self.client.send(Method::POST, &format!("{member}/v3/{path}"), Some(body), time)
    }

    /// The range of all keys.
    fn range(&self) -> (String, String) {
        // The end is the prefix with its last byte, a slash, replaced by the next one.
        let end = format!("{}0", self.prefix.trim_end_matches('/'));
        (BASE64.encode(&self.prefix), BASE64.encode(end))
    }

    fn everything(&self) -> Result<SharedChanges, SharedStoreError> {
        let (key, range_end) = self.range();
        let answer = self.call("kv/range", &json!({ "key": key, "range_end": range_end }))?;
        let entries = list(&answer["kvs"]).filter_map(|kv| self.entry(kv, false)).collect();
        Ok(SharedChanges { revision: revision(&answer), is_complete: true, entries })
    }

    /// The revision of the cluster, as a majority of its members has it.
    fn latest(&self) -> Result<i64, SharedStoreError> {
        let (key, range_end) = self.range();
        let body = json!({ "key": key, "range_end": range_end, "count_only": true });
        Ok(revision(&self.call("kv/range", &body)?))
    }

    /// Waits for changes after a revision. `None` if all values have to be read.
    fn watch(&self, after: i64, at_most: Duration) -> io::Result<Option<SharedChanges>> {
        let (key, range_end) = self.range();
        let create = json!({ "key": key, "range_end": range_end, "start_revision": after + 1 });
        let at = self.current.load(Ordering::Relaxed);
        let member = &self.members[at % self.members.len()];
        let body = json!({ "create_request": create });
        let none = SharedChanges { revision: after, is_complete: false, entries: Vec::new() };
        let answer = match self.ask(member, "watch", &body, at_most) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(Some(none)),
            answer => answer?,
        };
        let mut lines = BufReader::new(answer.body.into_with_config().limit(u64::MAX).reader());
        loop {
            let mut line = String::new();
            match (&mut lines).take(MAX_NOTICE).read_line(&mut line) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => return Ok(Some(none)),
                Err(error) => return Err(error),
            }
            let notice: Json = serde_json::from_str(&line).map_err(io::Error::other)?;
            let notice = &notice["result"];
            if notice["canceled"] == true || notice.is_null() {
                return Ok(None);
            }
            let events: Vec<&Json> = list(&notice["events"]).collect();
            if events.is_empty() {
                continue;
            }
            let mut changes = SharedChanges { revision: revision(notice), ..none };
            for event in events {
                let Some(entry) = self.entry(&event["kv"], event["type"] == "DELETE") else {
                    continue;
                };
                changes.entries.retain(|known: &SharedEntry| known.key != entry.key);
                changes.entries.push(entry);
            }
            return Ok(Some(changes));
        }
    }

    /// The key of a value in etcd, encoded.
    fn key(&self, key: &SharedKey) -> String {
        let host = match key.host.as_str() {
            "" => "-".to_owned(),
            "-" => "%2D".to_owned(),
            host => host.replace('%', "%25").replace('/', "%2F"),
        };
        BASE64.encode(format!("{}{}/{host}/{}", self.prefix, key.space.as_str(), key.name))
    }

    /// The value of a pair in an answer. `None` if something else wrote it.
    fn entry(&self, pair: &Json, is_gone: bool) -> Option<SharedEntry> {
        let text = |field: &str| {
            let bytes = BASE64.decode(pair[field].as_str().unwrap_or_default()).ok()?;
            String::from_utf8(bytes).ok()
        };
        let path = text("key")?;
        let (space, rest) = path.strip_prefix(&self.prefix)?.split_once('/')?;
        let (host, name) = rest.split_once('/')?;
        let host = match host {
            "-" => String::new(),
            host => host.replace("%2D", "-").replace("%2F", "/").replace("%25", "%"),
        };
        let key = SharedKey { space: Space::parse(space)?, name: name.to_owned(), host };
        let value = if is_gone { None } else { Some(text("value")?) };
        Some(SharedEntry { key, value, revision: number(&pair["mod_revision"]) })
    }

    /// The lease of a host for values of this number of seconds. It is the same after a restart of
    /// the host, so its values stay.
    fn lease(&self, host: &str, ttl: u64) -> i64 {
        let digest = Sha256::digest(format!("{}\n{host}\n{ttl}", self.prefix));
        let bytes: [u8; 8] = std::array::from_fn(|at| digest[at]);
        // etcd picks the id for 0.
        (i64::from_be_bytes(bytes) & i64::MAX).max(1)
    }

    fn grant(&self, host: &str, ttl: u64) -> Result<(), CallError> {
        let id = self.lease(host, ttl).to_string();
        match self.call("lease/grant", &json!({ "TTL": ttl.to_string(), "ID": id })) {
            Err(CallError::Refused(FAILED_PRECONDITION, _)) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn transaction(
        &self,
        host: &str,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, CallError> {
        let compare: Vec<Json> = guard
            .iter()
            .map(|guard| {
                json!({
                    "key": self.key(&guard.key), "target": "MOD", "result": "EQUAL",
                    "mod_revision": guard.revision.to_string(),
                })
            })
            .collect();
        let operation = |SharedWrite { key, value, ttl }: &SharedWrite| {
            let key = self.key(key);
            let Some(value) = value else {
                return json!({ "request_delete_range": { "key": key } });
            };
            let lease = ttl.map_or(0, |ttl| self.lease(host, ttl)).to_string();
            json!({ "request_put": { "key": key, "value": BASE64.encode(value), "lease": lease } })
        };
        let success: Vec<Json> = writes.iter().map(operation).collect();
        let answer = self.call("kv/txn", &json!({ "compare": compare, "success": success }))?;
        Ok(answer["succeeded"] == true)
    }
}

impl SharedStore for Etcd {
    fn changes(
        &self,
        after: Option<i64>,
        at_most: Duration,
    ) -> Result<SharedChanges, SharedStoreError> {
        let Some(after) = after else { return self.everything() };
        let begun = Instant::now();
        if at_most.is_zero() {
            return match self.latest()? == after {
                true => Ok(SharedChanges { revision: after, ..SharedChanges::default() }),
                false => self.everything(),
            };
        }
        match self.watch(after, at_most) {
            Ok(Some(changes)) => {
                // A member without the others stays silent.
                if changes.entries.is_empty() && begun.elapsed() >= at_most {
                    self.latest()?;
                }
                Ok(changes)
            }
            Ok(None) => self.everything(),
            Err(error) => {
                // The next call goes to another member.
                self.current.fetch_add(1, Ordering::Relaxed);
                Err(SharedStoreError::Unreachable(error.to_string()))
            }
        }
    }

    fn write(
        &self,
        host: &str,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, SharedStoreError> {
        for part in writes.chunks(MAX_OPERATIONS) {
            let mut done = self.transaction(host, part, guard);
            if let Err(CallError::Refused(NOT_FOUND, _)) = done {
                for ttl in part.iter().filter_map(|write| write.ttl) {
                    self.grant(host, ttl)?;
                }
                done = self.transaction(host, part, guard);
            }
            if !done? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn renew(&self, host: &str, ttl: u64) -> Result<(), SharedStoreError> {
        let id = self.lease(host, ttl).to_string();
        // A lease that has ended is granted again with the next write.
        Ok(self.call("lease/keepalive", &json!({ "ID": id })).map(drop)?)
    }
}

/// The JSON of an answer, or the code and the text of a refusal.
fn read(answer: Answer) -> io::Result<Result<Json, (i64, String)>> {
    let status = answer.status;
    if status == 200 {
        return answer.json().map(Ok);
    }
    let text = answer.text()?;
    let refusal: Json = serde_json::from_str(&text).unwrap_or_default();
    let message = refusal["message"].as_str().or(refusal["error"].as_str()).unwrap_or(&text);
    // An answer without a code comes from something between.
    let code = refusal["code"].as_i64().unwrap_or(UNAVAILABLE[0]);
    Ok(Err((code, format!("{} (status {status})", shown(message)))))
}

/// Numbers of 64 bits are texts in this form of JSON.
fn number(value: &Json) -> i64 {
    value.as_str().and_then(|text| text.parse().ok()).or(value.as_i64()).unwrap_or(0)
}

fn revision(answer: &Json) -> i64 {
    number(&answer["header"]["revision"])
}

fn list(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().into_iter().flatten()
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
        || error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<ureq::Error>())
            .is_some_and(|inner| matches!(inner, ureq::Error::Timeout(_)))
}
