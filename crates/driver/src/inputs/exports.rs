//! Exported resources as inputs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use ordain_data::json;
use ordain_graph::exports::{Exported, Exports};

use super::values::{Digest, digest};

/// Notes the kinds of exported resources that a compile asks for, and the digests of the results.
#[derive(Debug)]
pub(crate) struct RecordedExports {
    inner: Arc<dyn Exports>,
    seen: Mutex<BTreeMap<String, Digest>>,
}

impl RecordedExports {
    pub(crate) fn new(inner: Arc<dyn Exports>) -> Self {
        Self { inner, seen: Mutex::default() }
    }

    /// The digests by kind.
    pub(super) fn seen(&self) -> BTreeMap<String, Digest> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Exports for RecordedExports {
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String> {
        let found = self.inner.of_kind(kind, except)?;
        let digest = digest_of(&found);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.to_string(), digest);
        Ok(found)
    }
}

/// The digest of exported resources.
pub(super) fn digest_of(found: &[Exported]) -> Digest {
    let mut text = String::new();
    for one in found {
        // A text in memory takes everything.
        let _ = writeln!(text, "{}\n{}\n{:?}\n{:?}", one.node, one.id, one.tags, one.place);
        for (name, value) in &one.attributes {
            let _ = writeln!(text, "{name}={}", json::compact(value));
        }
    }
    digest(text.as_bytes())
}
