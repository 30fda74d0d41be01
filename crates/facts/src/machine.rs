//! The machine that facts are read from.

use std::fs::{self, File};
use std::io::Read as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use ordain_data::{Map, Value};

/// An address of an interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The name of the interface.
    pub interface: String,
    /// The address.
    pub ip: IpAddr,
    /// The mask of its network.
    pub netmask: IpAddr,
}

/// A machine whose facts can be read: this one, or a directory tree that stands for one.
#[derive(Clone, Debug)]
pub struct Machine {
    root: PathBuf,
    /// The addresses of the interfaces; `None` asks the system.
    addresses: Option<Vec<Address>>,
}

impl Machine {
    /// The machine that this process runs on.
    pub fn host() -> Self {
        Self { root: "/".into(), addresses: None }
    }

    /// The machine with the files below a directory. Only the addresses of its interfaces come from
    /// the running system.
    pub fn at(root: impl Into<PathBuf>, addresses: Vec<Address>) -> Self {
        Self { root: root.into(), addresses: Some(addresses) }
    }

    pub(crate) fn is_host(&self) -> bool {
        self.root == Path::new("/")
    }

    pub(crate) fn addresses(&self) -> Option<&[Address]> {
        self.addresses.as_deref()
    }

    /// The path of a file below the root of the machine.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// The text of a file; `None` if it cannot be read. Invalid UTF-8 is replaced.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        // Files below `/proc` and `/sys` do not report their length.
        let mut bytes = Vec::with_capacity(4096);
        File::open(self.path(path)).ok()?.read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The trimmed text of a file; `None` if it is empty.
    pub(crate) fn line(&self, path: &str) -> Option<String> {
        let text = self.read(path)?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    pub(crate) fn number(&self, path: &str) -> Option<i64> {
        self.line(path)?.parse().ok()
    }

    /// The names in a directory, sorted; none if it cannot be read.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(path)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn is_dir(&self, path: &str) -> bool {
        self.path(path).is_dir()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }
}

/// A map of the entries that have a value; `None` if there are none.
pub(crate) fn some_map<const N: usize>(entries: [(&str, Option<Value>); N]) -> Option<Value> {
    let map: Map = entries.into_iter().filter_map(|(k, v)| Some((k.into(), v?))).collect();
    (!map.is_empty()).then(|| Value::Map(map.into()))
}
