//! Facts: the properties of a machine that manifests can use.
//!
//! [`Machine::facts`] reads them from `/proc`, `/sys`, `/etc` and a few system calls, without child
//! processes, in Facter's structure. [`external`] adds the administrator's facts: files and
//! programs in `facts.d` directories, `FACTER_…` variables, and files from options. If a source
//! cannot be read, only its facts are missing.
//!
//! ```
//! use ordain_facts::Machine;
//! let facts = Machine::host().facts(false);
//! assert_eq!(facts.get("kernel").and_then(|k| k.as_str()), Some("Linux"));
//! ```

#![warn(clippy::indexing_slicing)]

mod collect;
mod disks;
mod dmi;
pub mod external;
mod identity;
mod kernel;
mod legacy;
mod machine;
mod memory;
mod mountpoints;
mod networking;
mod os;
mod processors;
mod selinux;
mod ssh;
mod system;
pub mod units;
mod uptime;
mod virtualization;

use std::path::PathBuf;

use ordain_data::{Map, Value};
use ordain_source::{Diagnostic, World};

pub use machine::{Address, Machine};

/// Options of a collection.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether to include the legacy flat facts: `fqdn`, `osfamily`, `ipaddress_eth0`, …
    pub legacy: bool,
    /// Directories of external facts. Later ones override earlier ones.
    pub external_dirs: Vec<PathBuf>,
    /// The environment variables; those named `FACTER_…` are facts.
    pub environment: Vec<(String, String)>,
}

/// All facts, with warnings about external facts.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// A map of the facts by name.
    pub values: Value,
    /// A warning for each file or program without valid facts.
    pub problems: Vec<Diagnostic>,
}

/// The facts of a machine by source.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// Facts of the system.
    pub native: Map,
    /// Facts from the administrator's files and programs.
    pub external: Vec<(String, Value)>,
    /// Facts from the environment.
    pub environment: Vec<(String, Value)>,
    /// A warning for each file or program without valid facts.
    pub problems: Vec<Diagnostic>,
}

impl Layers {
    /// The weight of an external fact compared with custom facts.
    pub const EXTERNAL_WEIGHT: i64 = 10_000;
    /// The weight of a fact from the environment compared with custom facts.
    pub const ENVIRONMENT_WEIGHT: i64 = 1_000_000;

    /// All facts merged: external ones override those of the system, the environment overrides
    /// both, and custom facts, which can read all these, override everything.
    pub fn merged(self, custom: Map) -> Facts {
        let mut map = self.native;
        for (name, value) in self.external.into_iter().chain(self.environment) {
            map.insert(name.into(), value);
        }
        for (name, value) in custom {
            map.insert(name, value);
        }
        map.sort_by(|a, _, b, _| a.as_str().cmp(&b.as_str()));
        Facts { values: Value::Map(map.into()), problems: self.problems }
    }
}

/// Collects the facts of a machine by source.
pub fn layers(world: &dyn World, machine: &Machine, options: &Options) -> Layers {
    let native = match machine.facts(options.legacy) {
        Value::Map(map) => map.as_ref().clone(),
        _ => Map::default(),
    };
    let external = external::read_dirs(world, &options.external_dirs);
    Layers {
        native,
        external: external.facts,
        environment: external::environment(&options.environment),
        problems: external.problems,
    }
}

/// Collects the facts of a machine; external facts override them, and the environment overrides
/// all.
pub fn collect(world: &dyn World, machine: &Machine, options: &Options) -> Facts {
    layers(world, machine, options).merged(Map::default())
}
