//! `mgmt::json::edit`: parts of a JSON document.

mod document;
mod edit;

use std::path::PathBuf;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, files};

use self::document::Document;
use self::edit::Edit;
use crate::kind::params::Params;
use crate::kind::{
    Action, Change, Instance, Kind, KindError, ParseContext, ParseResult, TextChange,
};
use crate::kinds::shared::shared_kv::Key;
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Owner, editing, rewrite};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonEdit;

/// The maximum size of a text that is shown as a diff.
const MAX_SHOWN: usize = 1 << 20;

impl Kind for JsonEdit {
    fn schema(&self) -> &KindSchema {
        &files::MGMT_JSON_EDIT
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let store = p.text("store").filter(|store| !store.is_empty());
        let (field, store) = match store {
            Some(store) => ("store", store),
            None => ("name", p.name()),
        };
        let store = Store::parse(&store).unwrap_or_else(|why| {
            p.error(field, why);
            Store::File(PathBuf::new())
        });
        let texts = p.list("edits").unwrap_or_default();
        if texts.is_empty() {
            p.error("edits", "edits is empty");
        }
        let mut edits = Vec::with_capacity(texts.len());
        for (at, text) in texts.iter().enumerate() {
            match Edit::parse(text) {
                Ok(edit) => edits.push(edit),
                Err(why) => p.error("edits", format!("invalid edit at index {at}: {why}")),
            }
        }
        let is_secret = !p.secrets().is_empty();
        p.finish(Box::new(Edits { store, edits, is_secret }) as Box<dyn Instance>)
    }
}

/// The location of a document.
enum Store {
    File(PathBuf),
    Shared(Key),
}

impl Store {
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text.starts_with('/') {
            return Ok(Self::File(text.into()));
        }
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err("the store is neither a path nor an address");
        };
        let path = rest.strip_prefix("//").unwrap_or(rest);
        if rest.contains(['?', '#']) {
            return Err("query and fragment of a store are not supported");
        }
        match scheme {
            "file" | "etcd" if !path.starts_with('/') => {
                Err("the path of the store is not absolute")
            }
            "file" => Ok(Self::File(path.into())),
            "etcd" if path == "/" => Err("the key of the store is empty"),
            "etcd" => Ok(Self::Shared(Key::new(&path[1..]))),
            _ => Err("unknown scheme of the store"),
        }
    }
}

struct Edits {
    store: Store,
    edits: Vec<Edit>,
    is_secret: bool,
}

impl Edits {
    fn path(&self) -> &std::path::Path {
        match &self.store {
            Store::File(path) => path,
            Store::Shared(key) => key.path(),
        }
    }

    fn read(&self, host: &Host) -> Result<Document, KindError> {
        let failed = |why: String| {
            KindError::new(format!("Could not read {}: {why}", self.path().display()))
        };
        let bytes = match &self.store {
            Store::File(path) => {
                let bytes = read_bytes(&host.path(path)).map_err(|e| failed(e.to_string()))?;
                bytes.ok_or_else(|| failed("there is no such file".to_string()))?
            }
            Store::Shared(key) => {
                key.get(host, None)?.map_or_else(|| b"{}".to_vec(), String::into_bytes)
            }
        };
        Document::parse(&bytes).map_err(failed)
    }

    /// The desired document.
    fn wanted(&self, now: &Document) -> Result<Document, KindError> {
        let mut wanted = now.clone();
        for (at, edit) in self.edits.iter().enumerate() {
            edit.make(&mut wanted).map_err(|why| {
                KindError::new(format!("could not apply edit at index {at}: {why}"))
            })?;
        }
        Ok(wanted)
    }
}

impl Instance for Edits {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.path().to_path_buf())]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let now = self.read(host)?;
        let wanted = self.wanted(&now)?;
        if now == wanted {
            return Ok(Vec::new());
        }
        let (before, after) = (now.print(), wanted.print());
        let shown = !self.is_secret && before.len().max(after.len()) <= MAX_SHOWN;
        Ok(vec![Change {
            action: Action::Modify,
            property: "content".to_string(),
            before: Value::str("old"),
            after: Value::str("new"),
            text: shown.then_some(TextChange { before, after }),
            message: "content changed by the edits".to_string(),
        }])
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let _editing = editing(self.path());
        let wanted = self.wanted(&self.read(host)?)?.print();
        match &self.store {
            Store::File(path) => {
                rewrite(host, path, wanted.as_bytes(), Owner { mode: 0o644, ids: None })
                    .map_err(|e| KindError::new(format!("Could not write {}: {e}", path.display())))
            }
            Store::Shared(key) => key.set(host, None, Some(&wanted), None),
        }
    }
}
