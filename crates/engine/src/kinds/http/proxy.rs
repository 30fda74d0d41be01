//! `mgmt::http::server::proxy`: content of other servers, with a cache.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ordain_graph::Resource;
use ordain_kinds::{KindSchema, network};

use super::fetch;
use super::message::{Request, write_head, write_status};
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::kinds::serving::{Claim, Content, Hub, Spec, Upstream};
use crate::system::host::Host;

const KIND: &str = "mgmt::http::server::proxy";

/// The kind.
pub struct Proxy {
    hub: Arc<Hub>,
}

impl Proxy {
    /// The kind, with the servers that serve it.
    pub(in crate::kinds) fn new(hub: &Arc<Hub>) -> Self {
        Self { hub: Arc::clone(hub) }
    }
}

impl Kind for Proxy {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_HTTP_SERVER_PROXY
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let mut text = |name: &str| p.text(name).filter(|text| !text.is_empty());
        let (server, path) = (text("server").unwrap_or_default(), text("path"));
        let (sub, head) = (text("sub").unwrap_or_default(), text("head").unwrap_or_default());
        let cache = text("cache");
        let path = path.unwrap_or_else(|| p.name());
        if !path.starts_with('/') {
            p.error("path", "the path must be absolute");
        }
        let is_dir = |text: &str| text.starts_with('/') && text.ends_with('/');
        if !sub.is_empty() && !is_dir(&sub) {
            p.error("sub", "sub must be absolute and end with a slash");
        }
        if cache.as_ref().is_some_and(|cache| !is_dir(cache)) {
            p.error("cache", "cache must be absolute and end with a slash");
        }
        let is_address = ["http://", "https://"].iter().any(|start| head.starts_with(start));
        if !(head.is_empty() || is_address && head.ends_with('/')) {
            p.error("head", "head must be an address of HTTP and end with a slash");
        }
        let proxy = ProxyInstance {
            claim: Claim::new(&self.hub, KIND, &resource.id.title),
            server,
            path,
            upstream: Upstream { sub, head, cache: cache.map(PathBuf::from) },
        };
        p.finish(Box::new(proxy) as Box<dyn Instance>)
    }
}

struct ProxyInstance {
    claim: Claim,
    server: String,
    path: String,
    upstream: Upstream,
}

impl ProxyInstance {
    fn spec(&self, host: &Host) -> Spec {
        let cache = self.upstream.cache.as_ref().map(|cache| host.path(cache));
        let what = Content::Proxy(Upstream { cache, ..self.upstream.clone() });
        Spec { server: self.server.clone(), path: self.path.clone(), what }
    }
}

impl Instance for ProxyInstance {
    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if !self.claim.stays(host, &format!("{} is served", self.path)) {
            return Ok(Vec::new());
        }
        Ok(self.claim.compare(&self.spec(host), "upstream"))
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        self.claim.serve(self.spec(host));
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}

/// A path as it is written in an address.
pub(super) fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// An incomplete file of the cache; it is removed unless [`PartialFile::keep`] is called.
struct PartialFile {
    file: File,
    temporary: PathBuf,
    place: PathBuf,
}

impl PartialFile {
    fn begin(place: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let dir = place.parent().ok_or(io::ErrorKind::InvalidInput)?;
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = dir.join(format!(".part-{}-{number}", std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        Ok(Self { file, temporary, place: place.to_path_buf() })
    }

    fn keep(self, time: Option<std::time::SystemTime>) -> io::Result<()> {
        if let Some(time) = time {
            self.file.set_modified(time)?;
        }
        std::fs::rename(&self.temporary, &self.place)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // After `keep` it has another name.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Fetches a document and passes it on. A complete document is stored in the cache.
pub(super) fn relay(
    machine: &Path,
    out: &mut dyn Write,
    request: &Request,
    url: &str,
    place: Option<&Path>,
) -> io::Result<()> {
    let agent = fetch::agent(machine, url.starts_with("https:"));
    let is_head = request.method == "HEAD";
    let called = if is_head { agent.head(url).call() } else { agent.get(url).call() };
    let mut response = match called {
        Ok(response) if response.status() == 200 => response,
        Ok(_) => return write_status(out, 404, &[], Some(request)),
        Err(_) => return write_status(out, 500, &[], Some(request)),
    };
    let text = |name: &str| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let passed = [("Content-Type", "content-type"), ("Last-Modified", "last-modified")];
    let passed = passed.into_iter().filter_map(|(name, own)| Some((name, text(own)?)));
    let mut headers: Vec<(&str, String)> = passed.collect();
    let time = text("last-modified").and_then(|text| super::content::time_of(&text));
    let length = response.body().content_length();
    headers.extend(length.map(|length| ("Content-Length", length.to_string())));
    // Without a length the content ends with the connection.
    write_head(out, 200, &headers, request.keeps_open && length.is_some())?;
    if is_head {
        return Ok(());
    }
    let mut part = place.and_then(|place| PartialFile::begin(place).ok());
    let mut body = response.body_mut().with_config().limit(u64::MAX).reader();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = body.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        out.write_all(&buffer[..count])?;
        // Content that is too large for the cache is still passed on.
        if part.as_mut().is_some_and(|part| part.file.write_all(&buffer[..count]).is_err()) {
            part = None;
        }
    }
    if let Some(part) = part {
        let _ = part.keep(time);
    }
    if request.keeps_open && length.is_none() {
        out.flush()?;
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    Ok(())
}
