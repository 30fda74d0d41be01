//! Values that programs share, and resources that hosts export.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_engine::cluster::Cluster;
use ordain_engine::host::{Host, SharedValues};
use ordain_engine::runner::HostRunner;
use ordain_engine::shared_kv::{Key, SharedExport};
use ordain_mcl::exports;
use ordain_mcl::functions::environment::{Export, Shared};
use ordain_mcl::graph::resource::Resources;
use ordain_source::Diagnostic;

use crate::codes;

/// The shared values of this machine, or those of a store.
pub(super) struct SharedState {
    host: Host,
    /// Whether functions may set values: not in a plan, nor in a plain compile.
    may_write: bool,
}

impl SharedState {
    /// The shared values of the machine with this root directory, by default `/`.
    pub(super) fn of(root: Option<&Path>, cluster: Option<Arc<Cluster>>, may_write: bool) -> Self {
        let root = root.unwrap_or(Path::new("/")).to_path_buf();
        let mut host = Host::new(root, Box::new(HostRunner));
        host.shared = cluster.map(|cluster| cluster as Arc<dyn SharedValues>);
        Self { host, may_write }
    }

    /// The machine.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// The real path of the file that changes with a key.
    pub(super) fn file(&self, key: &Key) -> PathBuf {
        self.host.path(key.path())
    }
}

impl Shared for SharedState {
    fn get(&self, key: &str) -> Option<EcoString> {
        // An unreadable value counts as missing, as does that of an unreachable host.
        Key::new(key).get(&self.host, None).ok().flatten().map(EcoString::from)
    }

    fn get_by_host(&self, key: &str) -> BTreeMap<EcoString, EcoString> {
        let values = Key::new(key).of_hosts(&self.host).unwrap_or_default();
        values.into_iter().map(|(host, value)| (host.into(), value.into())).collect()
    }

    fn set_of_host(&self, key: &str, host: &str, value: &str) -> bool {
        let key = Key::new(key);
        let is_set = || key.get(&self.host, Some(host)).ok().flatten().as_deref() == Some(value);
        !self.may_write || is_set() || key.set(&self.host, Some(host), Some(value), None).is_ok()
    }

    fn schedule(&self, namespace: &str) -> Vec<EcoString> {
        let hosts = Key::of_schedule(namespace).elected(&self.host).unwrap_or_default();
        hosts.into_iter().map(EcoString::from).collect()
    }

    fn exports(&self, kind: &str, host: &str) -> Vec<Export> {
        if self.host.shared.is_none() {
            return Vec::new();
        }
        let found = Key::of_exports(kind).exports(&self.host).unwrap_or_default().into_iter();
        let is_for_it = |export: &SharedExport| export.hosts.iter().any(|h| h == "*" || h == host);
        found
            .filter(|(.., export)| is_for_it(export))
            .map(|(name, from, SharedExport { data, .. })| Export {
                kind: kind.into(),
                name: name.into(),
                host: from.into(),
                data: data.into(),
            })
            .collect()
    }
}

/// Exported resources of a program, held back until it is applied.
#[derive(Clone)]
pub struct PendingExports {
    cluster: Arc<Cluster>,
    /// The resources as `KIND/NAME`, encoded with their target hosts.
    exports: BTreeMap<String, String>,
}

impl PendingExports {
    /// The resources that this host exports, if there is a store.
    pub(super) fn of(
        cluster: Option<&Arc<Cluster>>,
        resources: &Resources,
        host: &str,
    ) -> Option<Self> {
        let cluster = Arc::clone(cluster?);
        let exported = resources.list.iter().filter(|resource| !resource.meta.export.is_empty());
        let exports = exported.filter_map(|resource| {
            let Export { kind, name, data, .. } = exports::encode(resource, host);
            let hosts = resource.meta.export.iter().map(|host| host.as_str().into()).collect();
            let export = SharedExport { hosts, data: data.into() };
            Some((format!("{kind}/{name}"), serde_json::to_string(&export).ok()?))
        });
        Some(Self { exports: exports.collect(), cluster })
    }

    /// Adds the exported resources of another program of the same host.
    pub fn with(mut self, other: Self) -> Self {
        self.exports.extend(other.exports);
        self
    }

    /// Stores the exported resources. They replace those that the host exported before.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn keep(&self) -> Result<(), Diagnostic> {
        let reported = self.cluster.problem();
        self.cluster.export(&self.exports).map_err(|error| {
            let mut reason = error.to_string();
            if reported.as_ref() == Some(&reason) {
                // The compile has warned of it with all that is known.
                reason = "the store of shared values does not answer".to_owned();
            }
            Diagnostic::error(
                codes::STORE,
                format!("cannot store the exported resources: {reason}"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use ordain_graph::shared::{
        SharedChanges, SharedGuard, SharedStore, SharedStoreError, SharedWrite,
    };

    use super::*;

    /// An empty store that answers only if it is reachable.
    #[derive(Debug)]
    struct Unsteady(AtomicBool);

    impl Unsteady {
        fn answer<T>(&self, answer: T) -> Result<T, SharedStoreError> {
            match self.0.load(Ordering::Relaxed) {
                true => Ok(answer),
                false => Err(SharedStoreError::Unreachable("connection refused".to_owned())),
            }
        }
    }

    impl SharedStore for Unsteady {
        fn changes(&self, _: Option<i64>, _: Duration) -> Result<SharedChanges, SharedStoreError> {
            self.answer(SharedChanges { revision: 1, is_complete: true, entries: Vec::new() })
        }

        fn write(
            &self,
            _: &str,
            _: &[SharedWrite],
            _: Option<&SharedGuard>,
        ) -> Result<bool, SharedStoreError> {
            self.answer(true)
        }

        fn renew(&self, _: &str, _: u64) -> Result<(), SharedStoreError> {
            self.answer(())
        }
    }

    /// The error of a store that is reachable at the compile or not, and not afterwards.
    fn error_of_keep(is_reachable_first: bool) -> String {
        let store = Arc::new(Unsteady(AtomicBool::new(is_reachable_first)));
        let cluster = Cluster::open(store.clone(), "web1", None);
        store.0.store(false, Ordering::Relaxed);
        let exports = BTreeMap::from([("file/x".to_owned(), "{}".to_owned())]);
        PendingExports { cluster, exports }.keep().expect_err("the store is away").message
    }

    #[test]
    fn the_reason_of_an_outage_is_in_one_message() {
        let known = error_of_keep(false);
        assert!(!known.contains("connection refused"), "{known}");
        let new = error_of_keep(true);
        assert!(new.contains("connection refused"), "{new}");
    }
}
