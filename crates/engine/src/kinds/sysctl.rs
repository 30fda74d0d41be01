//! `mgmt::sysctl`: kernel settings, now and after a boot.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, machine};

use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::tools::POLL_INTERVAL;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Owner, rewrite};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sysctl;

impl Kind for Sysctl {
    fn schema(&self) -> &KindSchema {
        &machine::MGMT_SYSCTL
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let name = p.name();
        let parts = || name.split('.').all(|part| !part.is_empty());
        if name.contains(['/', '=']) || name.contains(char::is_whitespace) || !parts() {
            p.error("name", format!("'{name}' is not a setting, such as net.core.somaxconn"));
        }
        let value = p.text("value").unwrap_or_default();
        if value.is_empty() || value.trim() != value || value.contains('\n') {
            p.error("value", "value must be one line without blanks around it");
        }
        let path = p.text("path").map(PathBuf::from);
        let path = path.unwrap_or_else(|| format!("/etc/sysctl.d/10-{name}.conf").into());
        if !path.is_absolute() || path.extension().is_none_or(|extension| extension != "conf") {
            p.error("path", "path must be absolute and end in .conf");
        }
        let flag = |p: &mut Params<'_>, name: &str| !p.has(name) || p.boolean(name);
        let sysctl = Setting {
            runtime: flag(&mut p, "runtime"),
            persist: flag(&mut p, "persist"),
            name,
            value,
            path,
        };
        if !sysctl.runtime && !sysctl.persist {
            p.error_of_all("one of runtime and persist must be true");
        }
        p.finish(Box::new(sysctl) as Box<dyn Instance>)
    }
}

struct Setting {
    name: String,
    value: String,
    runtime: bool,
    persist: bool,
    path: PathBuf,
}

impl Setting {
    /// The path of the setting in the kernel.
    fn live(&self) -> PathBuf {
        Path::new("/proc/sys").join(self.name.replace('.', "/"))
    }

    fn line(&self) -> String {
        format!("{} = {}\n", self.name, self.value)
    }
}

fn read(host: &Host, path: &Path) -> Result<Option<String>, KindError> {
    read_text(&host.path(path))
        .map_err(|e| KindError::new(format!("Could not read {}: {e}", path.display())))
}

impl Instance for Setting {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.persist.then(|| Watch::Path(self.path.clone())).into_iter().collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        self.runtime.then_some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&[]);
        if self.runtime {
            let Some(now) = read(host, &self.live())? else {
                let text = format!("the kernel has no setting {}", self.name);
                return Err(KindError::new(text));
            };
            let now = now.strip_suffix('\n').unwrap_or(&now);
            if now != self.value {
                differences.property("runtime", Value::str(now), Value::str(self.value.as_str()));
            }
        }
        if self.persist {
            let kept = read(host, &self.path)?;
            if kept.as_deref() != Some(&self.line()) {
                let kept = kept.map_or(Value::Null, Value::str);
                differences.property("persist", kept, Value::str(self.line()));
            }
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, todo: &[Change]) -> Result<(), KindError> {
        let failed = |path: &Path, e: std::io::Error| {
            KindError::new(format!("Could not write {}: {e}", path.display()))
        };
        if changes(todo, "runtime") {
            // The kernel requires a single write in place.
            let live = self.live();
            std::fs::write(host.path(&live), format!("{}\n", self.value))
                .map_err(|e| failed(&live, e))?;
        }
        if changes(todo, "persist") {
            rewrite(host, &self.path, self.line().as_bytes(), Owner { mode: 0o644, ids: None })
                .map_err(|e| failed(&self.path, e))?;
        }
        Ok(())
    }
}
