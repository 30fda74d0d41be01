//! Opens the store of the values that hosts share: a directory, an etcd cluster, or Ordain's server.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ordain_engine::cluster::{Cluster, Etcd, ServerStore};
use ordain_engine::host::Host;
use ordain_engine::runner::HostRunner;
use ordain_engine::tls::TlsFiles;
use ordain_fleet_store::Sqlite;
use ordain_graph::shared::{SharedStore, SharedStoreError};
use ordain_source::Diagnostic;
use ordain_store::StateDir;

use crate::codes;
use crate::options::Options;
use crate::reporter::Reporter;
use crate::shared_directory::{FILES, SharedDirectory};

/// The number of its readers.
const READERS: usize = 2;

/// The open stores of this process, so that compiles and runs have the same values.
static OPEN: Mutex<Vec<(Settings, Weak<Cluster>)>> = Mutex::new(Vec::new());

#[derive(Clone, PartialEq, Eq)]
struct Settings {
    address: PathBuf,
    name: String,
    /// The machine with copies of the values.
    machine: Option<PathBuf>,
}

impl Options {
    /// The values that hosts share, if there is a store.
    ///
    /// # Errors
    /// When the address of the store is invalid, or it refuses.
    pub fn cluster(&self) -> Result<Option<Arc<Cluster>>, Diagnostic> {
        if let Some(shared) = &self.shared {
            return Ok(Some(Arc::clone(shared)));
        }
        let Some(address) = &self.store else { return Ok(None) };
        let own = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        let settings = Settings {
            address: address.clone(),
            name: self.node.clone().unwrap_or_else(own),
            // A plan and a plain compile write nothing.
            machine: self.machine.clone().filter(|_| !self.is_plan),
        };
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, cluster)| cluster.strong_count() > 0);
        let known = open.iter().find(|(known, _)| *known == settings);
        if let Some(cluster) = known.and_then(|(_, cluster)| cluster.upgrade()) {
            return Ok(Some(cluster));
        }
        let store = self.shared_store(address, &settings.name)?;
        let machine = settings.machine.clone();
        let machine = machine.map(|root| Host::new(root, Box::new(HostRunner)));
        let cluster = Cluster::open(store, &settings.name, machine);
        open.push((settings, Arc::downgrade(&cluster)));
        Ok(Some(cluster))
    }

    fn shared_store(&self, address: &Path, name: &str) -> Result<Arc<dyn SharedStore>, Diagnostic> {
        let text = address.to_str().unwrap_or_default();
        Ok(match text.split_once("://").map(|(scheme, _)| scheme) {
            None => directory(address)?,
            Some("etcd" | "etcds") => Arc::new(Etcd::new(text).map_err(codes::shared_store)?),
            Some("https") => {
                let files = self.agent_files(name);
                Arc::new(ServerStore::new(text, name, files).map_err(codes::shared_store)?)
            }
            Some(scheme) => {
                let text =
                    format!("--store has the address of an unknown kind of store: {scheme}:");
                return Err(Diagnostic::error(codes::ARGUMENTS, text).help(
                    "it is a directory, etcd://HOST:PORT, etcds://HOST:PORT or https://HOST",
                ));
            }
        })
    }

    /// The certificates of `ordain agent` on this machine, as far as they exist.
    fn agent_files(&self, name: &str) -> TlsFiles {
        let Some(dir) = self.state_dir.as_ref().map(|dir| dir.join("agent/ssl")) else {
            return TlsFiles::default();
        };
        let file = |name: &str| Some(dir.join(name)).filter(|path| path.exists());
        TlsFiles { ca: file("ca.pem"), cert: file(&format!("{name}.pem")), key: file("key.pem") }
    }
}

/// The store in a directory, which is created if it is missing.
fn directory(dir: &Path) -> Result<Arc<dyn SharedStore>, Diagnostic> {
    StateDir::open(dir).map_err(codes::state)?;
    let database = Sqlite::open(&dir.join(FILES[0]), READERS, Vec::new());
    let database = database.map_err(|e| codes::shared_store(SharedStoreError::from(e)))?;
    Ok(Arc::new(SharedDirectory::new(dir, Arc::new(database))))
}

/// Warns that the store of shared values does not answer.
pub(crate) fn report_outage(reporter: &mut dyn Reporter, cluster: Option<&Arc<Cluster>>) {
    if let Some(problem) = cluster.and_then(|cluster| cluster.problem()) {
        let warning = Diagnostic::warning(codes::STORE, problem);
        reporter.message(warning.help("the values of before are in effect until it answers"));
    }
}
