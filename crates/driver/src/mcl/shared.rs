//! Values that the programs of a machine share, and resources that hosts export.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_engine::host::Host;
use ordain_engine::runner::HostRunner;
use ordain_engine::shared_kv::Key;
use ordain_mcl::exports;
use ordain_mcl::functions::environment::{Export, Shared};
use ordain_mcl::graph::resource::Resources;
use ordain_source::Diagnostic;
use ordain_store::{ExportStore, ProgramExport};

use crate::codes;
use crate::damage::report_damage;
use crate::reporter::Reporter;

/// Values that `kv` resources set on this machine, and exported resources in the store.
pub(super) struct SharedState {
    host: Host,
    store: Option<Arc<ExportStore>>,
}

impl Default for SharedState {
    fn default() -> Self {
        Self::of(None, None)
    }
}

impl SharedState {
    /// The shared values of the machine with this root directory, by default `/`.
    pub(super) fn of(root: Option<&Path>, store: Option<Arc<ExportStore>>) -> Self {
        let root = root.unwrap_or(Path::new("/")).to_path_buf();
        Self { host: Host::new(root, Box::new(HostRunner)), store }
    }

    /// The files that change when a host exports something else.
    pub(super) fn exports(&self) -> impl Iterator<Item = PathBuf> {
        self.store.iter().flat_map(|store| store.files())
    }

    /// The machine.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// The real path of the file that holds a key.
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

    fn schedule(&self, namespace: &str) -> Vec<EcoString> {
        let hosts = Key::of_schedule(namespace).of_hosts(&self.host).unwrap_or_default();
        hosts.into_keys().map(EcoString::from).collect()
    }

    fn exports(&self, kind: &str, host: &str) -> Vec<Export> {
        let Some(store) = &self.store else { return Vec::new() };
        // An unreadable store counts as empty, as does an unreachable host.
        let found = store.given_to(host, kind).unwrap_or_default().into_iter();
        found
            .map(|(host, ProgramExport { kind, name, data, .. })| Export { kind, name, host, data })
            .collect()
    }
}

/// Exported resources of a program, held back until it is applied.
#[derive(Clone)]
pub struct PendingExports {
    store: Arc<ExportStore>,
    host: EcoString,
    given: Vec<ProgramExport>,
}

impl PendingExports {
    /// The resources that this host exports, if there is a store.
    pub(super) fn of(
        store: Option<&Arc<ExportStore>>,
        resources: &Resources,
        host: &str,
    ) -> Option<Self> {
        let exported = resources.list.iter().filter(|resource| !resource.meta.export.is_empty());
        let given = exported.map(|resource| {
            let Export { kind, name, data, .. } = exports::encode(resource, host);
            let hosts = resource.meta.export.iter().map(|host| host.as_str().into()).collect();
            ProgramExport { kind, name, hosts, data }
        });
        Some(Self { store: Arc::clone(store?), host: host.into(), given: given.collect() })
    }

    /// Adds the exported resources of another program of the same host.
    pub fn with(mut self, other: Self) -> Self {
        self.given.extend(other.given);
        self
    }

    /// Stores the exported resources. They replace those that the host exported before.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn keep(&self, reporter: &mut dyn Reporter) -> Result<(), Diagnostic> {
        let done = self.store.give(&self.host, &self.given).map_err(codes::state);
        report_damage(reporter, Some(&self.store));
        done
    }
}
