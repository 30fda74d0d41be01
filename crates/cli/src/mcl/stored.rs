//! What programs on this machine share, as the engine keeps it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_engine::host::Host;
use ordain_engine::runner::HostRunner;
use ordain_engine::world::Key;
use ordain_mcl::functions::surroundings::{Export, Shared};

/// The values that resources `kv` set on this machine.
pub(super) struct Stored {
    host: Host,
}

impl Default for Stored {
    fn default() -> Self {
        Self::of(None)
    }
}

impl Stored {
    /// The values of the machine whose file system begins here; of this one if it says nothing.
    pub(super) fn of(root: Option<&Path>) -> Self {
        let root = root.unwrap_or(Path::new("/")).to_path_buf();
        Self { host: Host::new(root, Box::new(HostRunner)) }
    }

    /// The machine.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// The real path of what is kept of a key.
    pub(super) fn file(&self, key: &Key) -> PathBuf {
        self.host.path(key.path())
    }
}

impl Shared for Stored {
    fn get(&self, key: &str) -> Option<EcoString> {
        // What cannot be read is not there, as when another host's is out of reach.
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

    fn exports(&self, _: &str, _: &str) -> Vec<Export> {
        Vec::new()
    }
}
