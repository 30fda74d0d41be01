//! A file that is served.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::KindSchema;

use super::hub::{Claim, Content, Hub, Source, Spec};
use super::protocol::Protocol;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::system::file_cache::stamp;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind of a protocol.
pub struct ServedFile {
    hub: Arc<Hub>,
    protocol: &'static Protocol,
}

impl ServedFile {
    /// The kind, with the servers that serve it.
    pub(in crate::kinds) fn new(protocol: &'static Protocol, hub: &Arc<Hub>) -> Self {
        Self { hub: Arc::clone(hub), protocol }
    }
}

impl Kind for ServedFile {
    fn schema(&self) -> &KindSchema {
        self.protocol.file
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let mut text = |name: &str| p.text(name).filter(|text| !text.is_empty());
        let (server, filename, path) = (text("server"), text("filename"), text("path"));
        let filename = filename.unwrap_or_else(|| p.name());
        if filename.is_empty() || filename.contains(char::is_control) {
            p.error("filename", "the name on the server must be a line that is not empty");
        }
        if path.as_ref().is_some_and(|path| !path.starts_with('/')) {
            p.error("path", "path must be absolute");
        }
        let data = match p.raw("data") {
            Some(Value::Bytes(bytes)) => bytes.to_vec(),
            _ => p.text("data").unwrap_or_default().into_bytes(),
        };
        if path.is_some() && !data.is_empty() {
            p.error("data", "must not specify path and data");
        }
        let follows = p.boolean("longpoll");
        let is_tree = path.as_ref().is_some_and(|path| path.ends_with('/'));
        if follows && is_tree {
            p.error("longpoll", "can't use longpoll when path is a directory");
        }
        let file = ServedFileInstance {
            claim: Claim::new(&self.hub, self.protocol.file.name, &resource.id.title),
            server: server.unwrap_or_default(),
            filename,
            path: path.map(PathBuf::from),
            is_tree,
            data: data.into(),
            follows,
        };
        p.finish(Box::new(file) as Box<dyn Instance>)
    }
}

struct ServedFileInstance {
    claim: Claim,
    server: String,
    filename: String,
    path: Option<PathBuf>,
    is_tree: bool,
    data: Arc<[u8]>,
    follows: bool,
}

impl ServedFileInstance {
    fn spec(&self, host: &Host) -> Spec {
        let data = || Arc::clone(&self.data);
        let what = match &self.path {
            Some(path) if self.is_tree => Content::Tree(host.path(path)),
            Some(path) if self.follows => {
                Content::Followed(Source::File(path.clone()), stamp(&host.path(path)))
            }
            Some(path) => Content::File(path.clone()),
            None if self.follows => Content::Followed(Source::Data(data()), None),
            None => Content::Data(data()),
        };
        Spec { server: self.server.clone(), path: self.filename.clone(), what }
    }
}

impl Instance for ServedFileInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let file = |path: &Path| ResourceRef {
            kind: "File".into(),
            title: path.to_string_lossy().as_ref().into(),
        };
        self.path.iter().map(|path| file(path)).collect()
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        let path = self.path.clone().filter(|_| self.follows);
        path.map(Watch::Path).into_iter().collect()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if !self.claim.stays(host, &format!("{} is served", self.filename)) {
            return Ok(Vec::new());
        }
        Ok(self.claim.compare(&self.spec(host), "content"))
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        self.claim.serve(self.spec(host));
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}
