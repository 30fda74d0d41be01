//! The values that this node shares with others through its server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ordain_agent::Home;
use ordain_engine::cluster::{Cluster, ServerStore};
use ordain_engine::host::{Host, SharedValues};
use ordain_engine::runner::HostRunner;
use ordain_engine::tls::TlsFiles;
use ordain_graph::shared::{SharedKey, Space};

use super::args::{AgentArgs, Settings};

/// The values of the server. It is asked when a resource needs them, which most graphs never do.
pub(super) struct AgentValues {
    address: String,
    certname: String,
    files: TlsFiles,
    root: PathBuf,
    /// Whether this process stays and follows the values.
    stays: bool,
    cluster: Mutex<Option<Arc<Cluster>>>,
}

impl AgentValues {
    /// The values of the server in the settings.
    pub(super) fn new(
        args: &AgentArgs,
        settings: &Settings,
        home: &Home,
        stays: bool,
    ) -> Arc<Self> {
        let file = |name: String| Some(home.path(&format!("ssl/{name}")));
        Arc::new(Self {
            address: format!("https://{}", settings.server),
            certname: settings.certname.clone(),
            files: TlsFiles {
                ca: file("ca.pem".to_owned()),
                cert: file(format!("{}.pem", settings.certname)),
                key: file("key.pem".to_owned()),
            },
            root: args.selection.root.clone(),
            stays,
            cluster: Mutex::default(),
        })
    }

    fn opened(&self) -> Option<Arc<Cluster>> {
        self.cluster.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// # Errors
    /// When the certificate of this node cannot be used.
    fn open(&self) -> Result<Arc<Cluster>, String> {
        let mut cluster = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = &*cluster {
            return Ok(Arc::clone(cluster));
        }
        let store = ServerStore::new(&self.address, &self.certname, self.files.clone());
        let store = Arc::new(store.map_err(|error| error.to_string())?);
        let machine = Host::new(self.root.clone(), Box::new(HostRunner));
        let opened = Cluster::open(store, &self.certname, Some(machine));
        if self.stays {
            opened.follow().map_err(|error| error.to_string())?;
        }
        Ok(Arc::clone(cluster.insert(opened)))
    }

    /// Withdraws the candidacies that end with this process.
    ///
    /// # Errors
    /// When the server does not answer; it then removes them after their time.
    pub(super) fn leave(&self) -> Result<(), String> {
        let left = self.opened().map_or(Ok(()), |cluster| cluster.leave());
        left.map_err(|error| error.to_string())
    }
}

impl SharedValues for AgentValues {
    fn is_known(&self) -> bool {
        self.open().is_ok_and(|cluster| cluster.is_known())
    }

    fn values(&self, space: Space, name: &str) -> BTreeMap<String, String> {
        self.open().map(|cluster| cluster.values(space, name)).unwrap_or_default()
    }

    fn exports(&self, kind: &str) -> Vec<(SharedKey, String)> {
        self.open().map(|cluster| cluster.exports(kind)).unwrap_or_default()
    }

    fn set(&self, key: &SharedKey, value: Option<&str>, ttl: Option<u64>) -> Result<(), String> {
        self.open()?.set(key, value, ttl)
    }
}
