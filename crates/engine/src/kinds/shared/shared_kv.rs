//! Values that programs on this machine share, by key, and by key and host.
//!
//! Each value has its own file, so that readers can watch it. Hosts do not see each other's values
//! yet.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::kind::KindError;
use crate::kinds::shared::state_file::StateFile;
use crate::system::host::Host;

/// A key of the shared world.
pub struct Key {
    file: StateFile,
}

#[derive(Default, Serialize, Deserialize)]
struct Values {
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    hosts: BTreeMap<String, String>,
}

impl Key {
    /// The key of this name.
    pub fn new(name: &str) -> Self {
        Self { file: StateFile::new("world", name) }
    }

    /// A key for resources of this machine only.
    pub fn of_machine(name: &str) -> Self {
        Self { file: StateFile::new("local", name) }
    }

    /// The candidates of an election in a namespace, each with a value.
    pub fn of_schedule(namespace: &str) -> Self {
        Self { file: StateFile::new("schedule", namespace) }
    }

    /// The file that changes with one of its values.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn read(&self, host: &Host) -> Result<Values, KindError> {
        let Some(bytes) = self.file.read(host)? else { return Ok(Values::default()) };
        serde_json::from_slice(&bytes)
            .map_err(|e| KindError::new(format!("{} has no values: {e}", self.path().display())))
    }

    /// The common value, or the value of a host.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn get(&self, host: &Host, of: Option<&str>) -> Result<Option<String>, KindError> {
        let values = self.read(host)?;
        Ok(match of {
            None => values.value,
            Some(of) => values.hosts.get(of).cloned(),
        })
    }

    /// The values of the hosts.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn of_hosts(&self, host: &Host) -> Result<BTreeMap<String, String>, KindError> {
        Ok(self.read(host)?.hosts)
    }

    /// Sets or removes the common value, or the value of a host.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set(&self, host: &Host, of: Option<&str>, value: Option<&str>) -> Result<(), KindError> {
        /// Makes reading, changing and writing one step for other threads.
        static UPDATE_LOCK: Mutex<()> = Mutex::new(());
        let _step = UPDATE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values = self.read(host)?;
        match (of, value) {
            (None, value) => values.value = value.map(str::to_owned),
            (Some(of), Some(value)) => drop(values.hosts.insert(of.to_owned(), value.to_owned())),
            (Some(of), None) => drop(values.hosts.remove(of)),
        }
        let text = serde_json::to_vec(&values)
            .map_err(|e| KindError::new(format!("the values cannot be written: {e}")))?;
        self.file.write(host, &text)
    }
}
