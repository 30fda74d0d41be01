//! Facts of a machine: what manifests know about the machine that they are compiled for.
//!
//! [`Machine::facts`] reads them from `/proc`, `/sys`, `/etc` and a few system calls, without any
//! child process, in the structure that Facter gives them. [`external`] adds what the
//! administrator provides: files and programs in `facts.d` directories, `FACTER_…` variables, and
//! files given by hand. Nothing that cannot be read stops the rest: the fact is missing then.
//!
//! ```
//! use ordain_facts::Machine;
//! let facts = Machine::host().facts(false);
//! assert_eq!(facts.get("kernel").and_then(|k| k.as_str()), Some("Linux"));
//! ```

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
use std::time::Duration;

use ordain_data::{Map, Value};
use ordain_source::{Diagnostic, World};

pub use machine::Machine;
pub use networking::Address;

/// What to collect.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the flat facts of earlier times come too: `fqdn`, `osfamily`, `ipaddress_eth0`, …
    pub legacy: bool,
    /// Directories of external facts, later ones win.
    pub external_dirs: Vec<PathBuf>,
    /// How long a program in such a directory may take.
    pub timeout: Duration,
    /// The environment, of which `FACTER_…` counts.
    pub environment: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            legacy: false,
            external_dirs: Vec::new(),
            timeout: Duration::from_secs(30),
            environment: Vec::new(),
        }
    }
}

/// All facts, and what went wrong with external ones.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// A map of the facts by name.
    pub values: Value,
    /// A warning for each file or program that gave no facts.
    pub problems: Vec<Diagnostic>,
}

/// Collects the facts of a machine; external facts win over it, the environment over all.
pub fn collect(world: &dyn World, machine: &Machine, options: &Options) -> Facts {
    let mut map = match machine.facts(options.legacy) {
        Value::Map(map) => map.as_ref().clone(),
        _ => Map::default(),
    };
    let external = external::read_dirs(world, &options.external_dirs, options.timeout);
    let environment = external::environment(&options.environment);
    for (name, value) in external.facts.into_iter().chain(environment) {
        map.insert(name.into(), value);
    }
    map.sort_by(|a, _, b, _| a.as_str().cmp(&b.as_str()));
    Facts { values: Value::Map(map.into()), problems: external.problems }
}
