//! `sysctl` and `sysctl_runtime`: a setting of the kernel in a file, and its current value.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, modules};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::tools::POLL_INTERVAL;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::records::{Record, RecordFiles, Table};
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The file of settings.
const CONF: &str = "/etc/sysctl.conf";

/// A line of the file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Line {
    name: String,
    value: String,
}

impl Record for Line {
    fn parse(line: &str) -> Option<(String, Self)> {
        if line.trim_start().starts_with('#') {
            return None;
        }
        let (name, value) = line.split_once('=')?;
        // Blanks before the name are a part of it.
        let (name, value) = (name.trim_end().to_string(), value.trim_start().to_string());
        Some((name.clone(), Self { name, value }))
    }

    fn print(&self) -> String {
        format!("{}={}", self.name, self.value)
    }
}

/// Reads the name of a setting.
fn name_of(p: &mut Params<'_>) -> String {
    let name = p.name();
    let has_up = name.split(['.', '/']).any(str::is_empty);
    if has_up || name.contains('=') || name.contains(char::is_whitespace) {
        p.error("name", format!("'{name}' is no name of a setting, such as net.core.somaxconn"));
    }
    name
}

/// Reads the value of a setting.
fn value_of(p: &mut Params<'_>) -> Option<String> {
    let value = p.text("val");
    if value.as_ref().is_some_and(|value| value.contains('\n')) {
        p.error("val", "val must be one line");
    }
    value
}

/// The kind `sysctl`.
#[derive(Default)]
pub struct SysctlConf {
    files: Arc<RecordFiles<Line>>,
}

struct Setting {
    table: Table<Line>,
    name: String,
    present: bool,
    value: Option<String>,
    secrets: Vec<String>,
}

impl Kind for SysctlConf {
    fn schema(&self) -> &KindSchema {
        &modules::SYSCTL
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["parsed"], &[]);
        let setting = Setting {
            name: name_of(&mut p),
            present: p.choice("ensure") != Some("absent"),
            value: value_of(&mut p),
            table: Table::of(&mut p, &self.files, CONF),
            secrets: p.secrets(),
        };
        p.finish(Box::new(setting) as Box<dyn Instance>)
    }

    fn has_instances(&self) -> bool {
        true
    }

    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        self.files.unwanted(host, CONF, "Sysctl")
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(CONF.into())]
    }
}

impl Instance for Setting {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.table.watches()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let file = self.table.read(host)?;
        let mut to = Differences::new(&self.secrets);
        let now = file.get(&self.name);
        if now.is_none() && self.present && self.value.is_none() {
            return Err(KindError::new("Field 'val' is required"));
        }
        if let Some(now) = to.ensure(now, self.present)
            && let Some(wanted) = self.value.as_ref().filter(|wanted| **wanted != now.value)
        {
            to.property("val", Value::str(now.value.as_str()), Value::str(wanted.as_str()));
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        self.table.change(host, &self.name, |_| {
            let value = self.value.clone().unwrap_or_default();
            self.present.then(|| Line { name: self.name.clone(), value })
        })
    }
}

/// The kind `sysctl_runtime`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SysctlRuntime;

struct LiveSetting {
    name: String,
    value: Option<String>,
    secrets: Vec<String>,
}

impl Kind for SysctlRuntime {
    fn schema(&self) -> &KindSchema {
        &modules::SYSCTL_RUNTIME
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["sysctl_runtime"], &[]);
        let (name, value) = (name_of(&mut p), value_of(&mut p));
        if name.split(['.', '/']).any(|part| part == "..") {
            p.error("name", format!("'{name}' is no name of a setting"));
        }
        let secrets = p.secrets();
        p.finish(Box::new(LiveSetting { name, value, secrets }) as Box<dyn Instance>)
    }
}

impl LiveSetting {
    /// Where the kernel has it. With dots between the parts, a slash is a dot in a part, and the
    /// other way round.
    fn path(&self) -> PathBuf {
        let by_dots = self.name.find(['.', '/']).is_none_or(|at| self.name[at..].starts_with('.'));
        let swapped = self.name.chars().map(|c| match c {
            '.' if by_dots => '/',
            '/' if by_dots => '.',
            other => other,
        });
        Path::new("/proc/sys").join(swapped.collect::<String>())
    }

    fn now(&self, host: &Host) -> Result<String, KindError> {
        let path = self.path();
        let text = read_text(&host.path(&path))
            .map_err(|e| KindError::new(format!("Could not read {}: {e}", path.display())))?;
        let text = text.ok_or_else(|| {
            let text = format!("sysctl parameter {} wasn't found on this system", self.name);
            KindError::new(text)
        })?;
        Ok(text.strip_suffix('\n').unwrap_or(&text).to_string())
    }
}

impl Instance for LiveSetting {
    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let now = self.now(host)?;
        let mut to = Differences::new(&self.secrets);
        if let Some(wanted) = self.value.as_ref().filter(|wanted| **wanted != now) {
            to.property("val", Value::str(now), Value::str(wanted.as_str()));
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let (Some(value), path) = (&self.value, self.path()) else { return Ok(()) };
        // The kernel takes it in one write, in place.
        std::fs::write(host.path(&path), format!("{value}\n"))
            .map_err(|e| KindError::new(format!("Could not write {}: {e}", path.display())))
    }
}
