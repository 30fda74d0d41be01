//! `mgmt::http::client`: a file that is downloaded from a server.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, network};
use sha2::{Digest, Sha256};
use ureq::Body;
use ureq::http::{Method, Request, Response, Uri};

use super::content::{date_text, time_of};
use super::fetch::{agent, failed};
use super::waiting::{ChangeWaiter, WatchedDocument};
use crate::kind::params::Params;
use crate::kind::{Action, Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::state_file::StateFile;
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Data, Owner, rewrite_with};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client;

/// The interval of requests for a newer version.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

const METHODS: &[&str] =
    &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"];

impl Kind for Client {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_HTTP_CLIENT
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let mut text = |name: &str| p.text(name).filter(|text| !text.is_empty());
        let (file, method, sha256) = (text("file"), text("method"), text("sha256"));
        let url = text("url").unwrap_or_default();
        let name = p.name();
        let file =
            file.or_else(|| (name.starts_with('/') && !name.ends_with('/')).then(|| name.clone()));
        if file.as_ref().is_some_and(|file| !file.starts_with('/') || file.ends_with('/')) {
            p.error("file", "file must be absolute and not end with a slash");
        }
        let method = method.unwrap_or_else(|| "GET".to_string());
        if !METHODS.contains(&method.as_str()) {
            p.error("method", format!("{method} is not an HTTP method"));
        }
        let uri = url.parse().ok().filter(|uri: &Uri| {
            uri.host().is_some() && matches!(uri.scheme_str(), Some("http" | "https"))
        });
        if uri.is_none() {
            p.error("url", "url must be an address that begins with http:// or https://");
        }
        let is_sum = |text: &String| {
            text.len() == 64 && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
        };
        if sha256.as_ref().is_some_and(|text| !is_sum(text)) {
            p.error("sha256", "sha256 must be 64 digits and small letters");
        }
        let kept = StateFile::new("http", &name);
        let client = FetchedContent {
            is_kept: file.is_none(),
            path: file.map_or_else(|| kept.path().to_path_buf(), PathBuf::from),
            method: method.parse().unwrap_or(Method::GET),
            uri: uri.unwrap_or_default(),
            body: p.text("body"),
            newer_only: !p.has("mtime_check") || p.boolean("mtime_check"),
            sha256,
            waits: p.boolean("longpoll"),
            waiting: OnceLock::new(),
        };
        p.finish(Box::new(client) as Box<dyn Instance>)
    }
}

struct FetchedContent {
    path: PathBuf,
    /// Whether it has no file and only sends its content to receivers.
    is_kept: bool,
    method: Method,
    uri: Uri,
    body: Option<String>,
    newer_only: bool,
    sha256: Option<String>,
    /// Whether the server is asked to wait.
    waits: bool,
    waiting: OnceLock<ChangeWaiter>,
}

impl FetchedContent {
    fn failed(&self, what: &str, error: &io::Error) -> KindError {
        KindError::new(format!("Could not {what}: {error}"))
    }

    /// Whether the request changes nothing on the server.
    fn is_harmless(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Whether to wait for new versions. A document with a checksum cannot change, and a request
    /// that is sent for its effect is not repeated.
    fn is_waiting(&self) -> bool {
        self.waits && self.sha256.is_none() && self.is_harmless()
    }

    /// Sends the request. Returns `None` if the local file is as new as the document.
    fn ask(
        &self,
        host: &Host,
        newer_than: Option<SystemTime>,
    ) -> io::Result<Option<Response<Body>>> {
        let mut request = Request::builder().method(self.method.clone()).uri(self.uri.clone());
        if let Some(time) = newer_than {
            let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            request = request.header("If-Modified-Since", date_text(seconds));
        }
        let agent = agent(&host.root, self.uri.scheme_str() == Some("https"));
        let response = match &self.body {
            Some(body) => agent.run(request.body(body.as_str()).map_err(io::Error::other)?),
            None => agent.run(request.body(()).map_err(io::Error::other)?),
        };
        let response = response.map_err(failed)?;
        match response.status().as_u16() {
            304 if newer_than.is_some() => Ok(None),
            200 => Ok(Some(response)),
            _ => Err(io::Error::other(format!("unexpected status: {}", response.status()))),
        }
    }

    /// The time of the local file, if only newer versions are wanted. A server that waits for a
    /// newer version would delay this request, too.
    fn time(&self, host: &Host) -> Option<SystemTime> {
        let asks = self.newer_only && !self.waits;
        let meta = std::fs::metadata(host.path(&self.path)).ok().filter(|_| asks)?;
        meta.modified().ok()
    }

    fn read(&self, host: &Host) -> io::Result<Option<File>> {
        match File::open(host.path(&self.path)) {
            Ok(file) => Ok(Some(file)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Whether the local file needs another check.
    fn differs(&self, host: &Host) -> io::Result<Option<Difference>> {
        let Some(mut file) = self.read(host)? else {
            // A missing document is an error before anything is changed.
            if self.is_harmless() {
                self.ask(host, None)?;
            }
            return Ok(Some(Difference::Missing));
        };
        if let Some(wanted) = &self.sha256 {
            let mut sum = HashingWriter::new(io::sink());
            io::copy(&mut file, &mut sum)?;
            return Ok((sum.text() != *wanted).then_some(Difference::Content));
        }
        if !self.is_harmless() {
            return Ok(Some(Difference::Content));
        }
        let Some(mut response) = self.ask(host, self.time(host))? else { return Ok(None) };
        let same =
            is_same(&mut file, &mut response.body_mut().with_config().limit(u64::MAX).reader())?;
        Ok((!same).then_some(Difference::Content))
    }

    fn fetch(&self, host: &Host) -> io::Result<()> {
        // Wrong content is not replaced by content of the same age.
        let asked = self.ask(host, None)?;
        let Some(response) = asked else { return Ok(()) };
        let time = response.headers().get("last-modified").and_then(|value| value.to_str().ok());
        let time = time.and_then(time_of);
        let body = std::cell::RefCell::new(response.into_body());
        let produce = |out: &mut dyn Write| {
            let mut body = body.borrow_mut();
            let mut reader = body.with_config().limit(u64::MAX).reader();
            let mut sum = HashingWriter::new(out);
            io::copy(&mut reader, &mut sum)?;
            let text = sum.text();
            match &self.sha256 {
                Some(wanted) if text != *wanted => {
                    Err(io::Error::other(format!("sha256 mismatch: got {text}, expected {wanted}")))
                }
                _ => Ok(()),
            }
        };
        if let Some(dir) = self.path.parent().filter(|_| self.is_kept) {
            std::fs::create_dir_all(host.path(dir))?;
        }
        let mode = if self.is_kept { 0o600 } else { 0o644 };
        rewrite_with(host, &self.path, &Data::Made(&produce), Owner { mode, ids: None })?;
        if let Some(time) = time {
            File::open(host.path(&self.path))?.set_modified(time)?;
        }
        Ok(())
    }
}

enum Difference {
    Missing,
    Content,
}

/// A writer that computes the digest of its input.
struct HashingWriter<W> {
    inner: W,
    digest: Sha256,
}

impl<W: Write> HashingWriter<W> {
    fn new(inner: W) -> Self {
        Self { inner, digest: Sha256::new() }
    }

    fn text(self) -> String {
        self.digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Whether two give the same.
fn is_same(one: &mut dyn Read, other: &mut dyn Read) -> io::Result<bool> {
    let (mut one, mut other) = (io::BufReader::new(one), io::BufReader::new(other));
    loop {
        let (a, b) = (io::BufRead::fill_buf(&mut one)?, io::BufRead::fill_buf(&mut other)?);
        let count = a.len().min(b.len());
        if count == 0 {
            return Ok(a.len() == b.len());
        }
        if a[..count] != b[..count] {
            return Ok(false);
        }
        io::BufRead::consume(&mut one, count);
        io::BufRead::consume(&mut other, count);
    }
}

impl Instance for FetchedContent {
    fn watches(&self, host: &Host) -> Vec<Watch> {
        let mut watches = vec![Watch::Path(self.path.clone())];
        if host.stays && self.is_waiting() {
            let waiting = self.waiting.get_or_init(|| {
                ChangeWaiter::start(WatchedDocument {
                    method: self.method.clone(),
                    uri: self.uri.clone(),
                    machine: host.root.clone(),
                    path: host.path(&self.path),
                })
            });
            watches.push(Watch::Notifier(waiting.notifier()));
        }
        watches
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        // Content with the right checksum does not change.
        (self.sha256.is_none() && !self.is_waiting()).then_some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let what = format!("fetch {}", self.uri);
        let found = self.differs(host).map_err(|e| self.failed(&what, &e))?;
        if let Some(waiting) = self.waiting.get().filter(|_| found.is_none()) {
            waiting.looked(false);
        }
        // A request that is sent every time is never in place.
        let action = match (&found, self.is_harmless()) {
            (None, _) => return Ok(Vec::new()),
            (_, false) => Action::Run,
            (Some(Difference::Missing), _) => Action::Create,
            (Some(Difference::Content), _) => Action::Modify,
        };
        let (before, property) = match found {
            Some(Difference::Missing) => (Value::Null, "ensure"),
            _ => (Value::str("old"), "content"),
        };
        Ok(vec![Change {
            action,
            property: property.to_string(),
            before,
            after: Value::str("new"),
            text: None,
            message: format!("fetched {}", self.uri),
        }])
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let fetched = self.fetch(host).map_err(|e| self.failed(&format!("fetch {}", self.uri), &e));
        if let Some(waiting) = self.waiting.get() {
            waiting.looked(fetched.is_ok());
        }
        fetched
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.apply(host, &[])
    }

    fn sent(&self, host: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        let read = |path: &Path| std::fs::read(host.path(path));
        match read(&self.path) {
            Ok(bytes) => Ok(vec![(
                "content",
                match String::from_utf8(bytes) {
                    Ok(text) => Value::str(text),
                    Err(e) => Value::Bytes(e.as_bytes().into()),
                },
            )]),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(self.failed(&format!("read {}", self.path.display()), &e)),
        }
    }
}
