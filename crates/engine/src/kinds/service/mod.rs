//! `service`: whether a service runs, and whether it starts at boot.
//!
//! Where systemd runs, it is controlled over the system bus, or by `systemctl` without a bus.
//! Elsewhere, as in containers and in directories that stand for a machine, init scripts are used.

mod bus;
mod init;
mod model;
mod processes;
mod systemctl;
mod systemd;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, software};
use regex::Regex;

use crate::kind::differences::{Differences, changes};
use crate::kind::params::{Params, scalar};
use crate::kind::tools::{POLL_INTERVAL, is_live};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult, all_of};
use crate::system::host::Host;
use crate::system::watch::Watch;
use bus::Bus;
use model::{Enable, Manager, ServiceInstance};

/// Attributes of other systems, with the features that they need.
const FOREIGN_ATTRIBUTES: &[(&str, Option<&str>)] = &[
    ("timeout", Some("configurable_timeout")),
    ("flags", Some("flaggable")),
    ("logonaccount", Some("manages_logon_credentials")),
    ("logonpassword", Some("manages_logon_credentials")),
    ("control", None),
    ("manifest", None),
];

/// Providers that are for other systems.
const FOREIGN_PROVIDERS: &[&str] = &[
    "bsd",
    "daemontools",
    "freebsd",
    "gentoo",
    "launchd",
    "openbsd",
    "openrc",
    "openwrt",
    "rcng",
    "redhat",
    "runit",
    "smf",
    "src",
    "upstart",
    "windows",
];

/// The kind `service`.
#[derive(Default)]
pub struct Service {
    bus: Arc<Bus>,
}

impl Service {
    /// Services of a systemd on another bus, by its address.
    pub fn on_bus(address: &str) -> Self {
        Self { bus: Arc::new(Bus::at(address)) }
    }
}

impl Kind for Service {
    fn schema(&self) -> &KindSchema {
        &software::SERVICE
    }

    fn parse(&self, resource: &Resource, _context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let chosen =
            p.provider(&["systemd", "debian", "init", "base", "service"], FOREIGN_PROVIDERS);
        let provider = p.has("provider").then_some(chosen);
        let name = p.name();
        let bad = |c: char| c == '/' || c.is_whitespace() || c.is_control();
        if name.is_empty() || name.starts_with(['-', '.']) || name.contains(bad) {
            p.error("name", format!("Invalid service name {name:?}"));
        }
        let running = parse_ensure(&mut p);
        p.leave_out(chosen, FOREIGN_ATTRIBUTES);
        if !matches!(chosen, "systemd" | "debian") {
            p.leave_out(chosen, &[("enable", Some("enableable"))]);
        }
        let binary = p.text("binary");
        let service = ServiceInstance {
            bus: self.bus.clone(),
            reference: p.reference(),
            provider,
            running,
            enable: parse_enable(&mut p, provider),
            start: p.text("start"),
            stop: p.text("stop"),
            restart: p.text("restart"),
            status: p.text("status"),
            has_status: p.choice("hasstatus") != Some("false"),
            has_restart: p.choice("hasrestart") == Some("true"),
            pattern: parse_pattern(&mut p, binary.as_deref().unwrap_or(&name)),
            binary,
            path: parse_path(&mut p),
            secrets: p.secrets(),
            remarks: p.remarks(),
            name,
        };
        p.finish(Box::new(service) as Box<dyn Instance>)
    }
}

fn parse_ensure(p: &mut Params<'_>) -> Option<bool> {
    let value = p.raw("ensure")?;
    match scalar(value).as_deref() {
        Some("running" | "true") => Some(true),
        Some("stopped" | "false") => Some(false),
        _ => {
            p.invalid("ensure", value, &["stopped", "running"]);
            None
        }
    }
}

fn parse_enable(p: &mut Params<'_>, provider: Option<&str>) -> Option<Enable> {
    let word = p.choice("enable")?;
    let who = provider.unwrap_or("systemd");
    let feature = match word {
        "true" => return Some(Enable::Yes),
        "false" => return Some(Enable::No),
        "mask" if who == "systemd" => return Some(Enable::Mask),
        "mask" => "maskable",
        "manual" => "manual_startable",
        _ => "delayed_startable",
    };
    let message =
        format!("Provider {who} must have features '{feature}' to set 'enable' to '{word}'");
    p.error("enable", message);
    None
}

fn parse_pattern(p: &mut Params<'_>, default: &str) -> Option<Regex> {
    let pattern = p.text("pattern").unwrap_or_else(|| regex::escape(default));
    match Regex::new(&pattern) {
        Ok(regex) => Some(regex),
        Err(e) => {
            p.error("pattern", format!("not a regular expression: {e}"));
            None
        }
    }
}

fn parse_path(p: &mut Params<'_>) -> Vec<PathBuf> {
    let paths = p.list("path").unwrap_or_else(|| vec!["/etc/init.d".to_string()]);
    let parts = paths.iter().flat_map(|p| p.split(':')).filter(|p| !p.is_empty());
    parts.map(PathBuf::from).collect()
}

impl ServiceInstance {
    /// The manager of this service.
    fn manager<'a>(&'a self, host: &'a Host) -> Result<Box<dyn Manager + 'a>, KindError> {
        let booted = self.bus.is_private() || systemd_runs(host);
        match self.provider {
            Some("systemd") if !booted => {
                Err(KindError::new("Provider systemd is not functional on this host"))
            }
            None | Some("systemd") if booted => Ok(self.systemd(host)),
            _ => Ok(Box::new(init::Init::new(self, host))),
        }
    }

    fn systemd<'a>(&'a self, host: &'a Host) -> Box<dyn Manager + 'a> {
        match self.bus.connect() {
            Some(connection) => Box::new(systemd::Systemd::new(self, host, connection)),
            None => Box::new(systemctl::Systemctl::new(self, host)),
        }
    }

    /// Whether the system bus reports its changes.
    fn has_events(&self, host: &Host) -> bool {
        let by_scripts = self.provider.is_some_and(|provider| provider != "systemd");
        !by_scripts && !self.bus.is_private() && systemd_runs(host)
    }

    fn failed(&self, what: &str, error: &KindError) -> KindError {
        KindError::new(format!("Could not {what} {}: {error}", self.reference))
    }
}

fn systemd_runs(host: &Host) -> bool {
    is_live(host) && Path::new("/run/systemd/system").is_dir()
}

fn ensure_value(running: bool) -> Value {
    Value::str(if running { "running" } else { "stopped" })
}

impl Instance for ServiceInstance {
    fn watches(&self, host: &Host) -> Vec<Watch> {
        let unit = self.has_events(host).then(|| Watch::Unit(systemd::unit_of(&self.name)));
        unit.into_iter().collect()
    }

    fn poll_interval(&self, host: &Host) -> Option<Duration> {
        (!self.has_events(host)).then_some(POLL_INTERVAL)
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remarks.clone()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let manager = self.manager(host)?;
        let mut to = Differences::new(&self.secrets);
        if let Some(wanted) = self.running {
            let running = manager.is_running()?;
            if running != wanted {
                to.property("ensure", ensure_value(running), ensure_value(wanted));
            }
        }
        if let Some(wanted) = self.enable
            && let Some(now) = manager.enabled(wanted)?
            && now != wanted
        {
            to.property("enable", now.value(), wanted.value());
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let manager = self.manager(host)?;
        let ensure = match self.running.filter(|_| changes(made, "ensure")) {
            Some(true) => manager.start().map_err(|e| self.failed("start", &e)),
            Some(false) => manager.stop().map_err(|e| self.failed("stop", &e)),
            None => Ok(()),
        };
        let enable = match self.enable.filter(|_| changes(made, "enable")) {
            Some(wanted) => manager.set_enabled(wanted),
            None => Ok(()),
        };
        all_of([ensure, enable])
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        let manager = self.manager(host)?;
        if manager.is_running()? {
            manager.restart().map_err(|e| self.failed("restart", &e))?;
        }
        Ok(())
    }

    fn is_fresh_after(&self, made: &[Change]) -> bool {
        self.running == Some(true) && changes(made, "ensure")
    }
}
