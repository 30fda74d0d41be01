//! Compares the files that agents would copy from the old server with those of this one, by their
//! metadata. Contents are not transferred.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::StatusCode;
use hyper::header::{self, HeaderValue};
use ordain_fleet::Change;
use ordain_graph::served::FileMetadata;
use tokio::time::{Instant, timeout};

use super::copied_files::{CopyingResource, CopyingResources, Entries, Source};
use super::headers::set_identity;
use super::old_files::Files;
use super::requests::MetadataRequest;
use super::state::Shadow;
use crate::body::Outgoing;
use crate::compile::OpenedEnvironment;
use crate::files::listing::{self, list};
use crate::files::{metadata, mounts};
use crate::identity::Identity;
use crate::server::Server;

/// The maximum number of requests to the old server for one catalog.
const MAX_REQUESTS: usize = 2_000;
/// The maximum time for the files of one catalog.
const MAX_TIME: Duration = Duration::from_secs(120);
/// The maximum length of a reply in bytes.
const MAX_REPLY: usize = 32 << 20;

/// The reason why files are not compared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotCompared {
    /// The old server does not answer, or refuses.
    #[error("the old server: {0}")]
    Old(String),
    /// This server cannot read the files.
    #[error("this server: {0}")]
    Own(String),
    /// A limit is reached.
    #[error("the catalog copies too many files")]
    Limit,
}

/// The code that a catalog was compiled from, and the node that asks for its files.
pub(crate) struct NodeCode {
    pub(crate) identity: Identity,
    pub(crate) env: Arc<OpenedEnvironment>,
    /// The resources that copy files.
    pub(crate) resources: CopyingResources,
}

/// The result of a comparison of files.
#[derive(Default, Debug)]
pub(crate) struct ComparedFiles {
    pub(crate) changes: Vec<Change>,
    /// The number of resources whose files were not compared.
    pub(crate) not_compared: usize,
}

/// The requests of one catalog.
struct FileRequests<'s> {
    shadow: &'s Shadow,
    code: &'s NodeCode,
    left: usize,
    /// Whether a reply came from the cache.
    used_cache: bool,
}

impl Shadow {
    /// Compares the files that a node would copy. Resources whose files cannot be compared are counted.
    pub(crate) async fn compare_files(
        &self,
        server: &Arc<Server>,
        code: NodeCode,
    ) -> ComparedFiles {
        let resources = &code.resources;
        let mut found = ComparedFiles { not_compared: resources.secret, ..Default::default() };
        let code = Arc::new(code);
        let mut requests =
            FileRequests { shadow: self, code: &code, left: MAX_REQUESTS, used_cache: false };
        let end = Instant::now() + MAX_TIME;
        for (at, resource) in code.resources.resources.iter().enumerate() {
            let compared = tokio::time::timeout_at(end, requests.compare(server, &code, resource));
            match compared.await.unwrap_or(Err(NotCompared::Limit)) {
                Ok(changes) => found.changes.extend(changes),
                Err(NotCompared::Limit) => {
                    found.not_compared += code.resources.resources.len() - at;
                    break;
                }
                Err(error) => {
                    let (node, resource) = (code.identity.name.as_str(), resource.name.as_str());
                    tracing::debug!(node, resource, %error, "files are not compared");
                    found.not_compared += 1;
                }
            }
        }
        if found.not_compared > 0 {
            let node = code.identity.name.as_str();
            tracing::warn!(node, resources = found.not_compared, "not all files are compared");
        }
        found
    }
}

impl FileRequests<'_> {
    /// The differences of a resource. Cached replies may be older than the catalog, so differences
    /// from them are confirmed by a new request.
    async fn compare(
        &mut self,
        server: &Arc<Server>,
        code: &Arc<NodeCode>,
        resource: &CopyingResource,
    ) -> Result<Vec<Change>, NotCompared> {
        let ours = own_entries(server, code, resource).await?;
        self.used_cache = false;
        let theirs = self.entries(resource, false).await?;
        let changes = code.resources.changes(resource, &theirs, &ours);
        if changes.is_empty() || !self.used_cache {
            return Ok(changes);
        }
        let theirs = self.entries(resource, true).await?;
        Ok(code.resources.changes(resource, &theirs, &ours))
    }

    async fn entries(
        &mut self,
        resource: &CopyingResource,
        is_new: bool,
    ) -> Result<Entries, NotCompared> {
        let mut entries = Entries::new();
        for source in &resource.sources {
            let files = self.files(source, is_new).await?;
            if resource.add(source, &files, &mut entries) {
                break;
            }
        }
        Ok(entries)
    }

    async fn files(&mut self, source: &Source, is_new: bool) -> Result<Files, NotCompared> {
        if let Some(files) = &source.inlined {
            return Ok(Arc::new(files.clone()));
        }
        let target = source.request.target(&self.code.env.name);
        let key = match source.request.is_same_for_all() {
            true => target.clone(),
            false => format!("{} {target}", self.code.identity.name),
        };
        let cache = || self.shadow.old_files.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_new && let Some(files) = cache().get(&key, Instant::now()) {
            self.used_cache = true;
            return Ok(files);
        }
        self.left = self.left.checked_sub(1).ok_or(NotCompared::Limit)?;
        let files = Arc::new(self.shadow.old_files(&self.code.identity, &target).await?);
        cache().put(key, &files, Instant::now());
        Ok(files)
    }
}

impl Shadow {
    /// Asks the old server, in the name of a node.
    async fn old_files(
        &self,
        identity: &Identity,
        target: &str,
    ) -> Result<Vec<FileMetadata>, NotCompared> {
        let failed = |error: &dyn std::fmt::Display| NotCompared::Old(error.to_string());
        let _permit = self.old_files.requests.acquire().await.map_err(|error| failed(&error))?;
        let mut request = hyper::Request::new(Outgoing::Bytes(None));
        *request.uri_mut() = target.parse::<hyper::Uri>().map_err(|error| failed(&error))?;
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        set_identity(request.headers_mut(), Some(identity));
        let (response, lease) =
            self.upstream.send(request, true).await.map_err(|error| failed(&error))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_REPLY).collect();
        let body = timeout(MAX_TIME, body).await.map_err(|error| failed(&error))?;
        let body = body.map_err(|error| failed(&error))?.to_bytes();
        lease.give_back();
        match status {
            StatusCode::OK if target.starts_with("/puppet/v3/file_metadatas/") => {
                serde_json::from_slice(&body).map_err(|error| failed(&error))
            }
            StatusCode::OK => {
                serde_json::from_slice(&body).map(|one| vec![one]).map_err(|error| failed(&error))
            }
            StatusCode::NOT_FOUND => Ok(Vec::new()),
            status => Err(failed(&format_args!("the status of {target} is {status}"))),
        }
    }
}

/// The files of a resource on this server, read on a thread for compiles.
async fn own_entries(
    server: &Arc<Server>,
    code: &Arc<NodeCode>,
    resource: &CopyingResource,
) -> Result<Entries, NotCompared> {
    let (reading, code, resource) = (Arc::clone(server), Arc::clone(code), resource.clone());
    let read = move || -> Result<Entries, String> {
        let mut entries = Entries::new();
        for source in &resource.sources {
            let files = own_files(&reading, &code, &source.request)?;
            if resource.add(source, &files, &mut entries) {
                break;
            }
        }
        Ok(entries)
    };
    let busy = |_| NotCompared::Own("too many compiles wait".to_string());
    server.pool.run(read).await.map_err(busy)?.map_err(NotCompared::Own)
}

fn own_files(
    server: &Server,
    code: &NodeCode,
    request: &MetadataRequest,
) -> Result<Vec<FileMetadata>, String> {
    let own = server.mounts.load();
    let (client, mount, path) = (&code.identity.name, request.mount.as_str(), &request.path);
    let found = if request.is_listing {
        let wanted = listing::Request::of(&request.query)?;
        let places = mounts::listed_places(&code.env, &own, client, mount, path);
        list(&server.checksums, &places, &wanted)?.unwrap_or_default()
    } else {
        let wanted = listing::wanted(&request.query)?;
        match mounts::find(&code.env, &own, client, (mount, path), wanted.follows) {
            Some((root, below)) => {
                let found = metadata::of(&server.checksums, &root, &below, None, wanted);
                vec![found.map_err(|error| error.to_string())?]
            }
            None => Vec::new(),
        }
    };
    // The old server's metadata is read from the same form.
    let json = serde_json::to_value(found).map_err(|error| error.to_string())?;
    serde_json::from_value(json).map_err(|error| error.to_string())
}
