//! Services of systemd over D-Bus.

use std::thread;
use std::time::{Duration, Instant};

use zbus::wire::{DynamicType, Type};
use zbus::{Connection, OwnedObjectPath, OwnedVariant};

use super::bus::wait_for;
use super::init;
use super::model::{Enable, Manager, ServiceInstance, enabled_by_state};
use super::systemctl::{Systemctl, with_journal};
use crate::kind::KindError;
use crate::system::host::Host;

const SYSTEMD: &str = "org.freedesktop.systemd1";
const ROOT: &str = "/org/freedesktop/systemd1";
const MANAGER: &str = "org.freedesktop.systemd1.Manager";
const UNIT: &str = "org.freedesktop.systemd1.Unit";

/// Suffixes of complete unit names.
const UNIT_TYPES: &[&str] = &[
    ".service",
    ".socket",
    ".target",
    ".device",
    ".mount",
    ".automount",
    ".swap",
    ".timer",
    ".path",
    ".slice",
    ".scope",
];

/// The interval of checks for the end of a job.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A job that takes longer than this has failed; units have shorter limits of their own.
const JOB_TIMEOUT: Duration = Duration::from_secs(600);

pub(super) struct Systemd<'a> {
    service: &'a ServiceInstance,
    host: &'a Host,
    connection: Connection,
    unit: String,
}

/// The unit that a service of this name is.
pub(super) fn unit_of(name: &str) -> String {
    let is_unit = UNIT_TYPES.iter().any(|t| name.ends_with(t));
    if is_unit { name.to_string() } else { format!("{name}.service") }
}

impl<'a> Systemd<'a> {
    pub(super) fn new(
        service: &'a ServiceInstance,
        host: &'a Host,
        connection: Connection,
    ) -> Self {
        let unit = unit_of(&service.name);
        Self { service, host, connection, unit }
    }

    fn call<B, R>(
        &self,
        path: &str,
        interface: &str,
        method: &str,
        body: &B,
    ) -> Result<R, KindError>
    where
        B: serde::Serialize + DynamicType + Sync,
        R: serde::de::DeserializeOwned + Type,
    {
        let failed = |e: String| KindError::new(format!("systemd: {method} {}: {e}", self.unit));
        let call = self.connection.call_method(Some(SYSTEMD), path, Some(interface), method, body);
        let reply = wait_for(call).ok_or_else(|| failed("no answer".to_string()))?;
        let reply = reply.map_err(|e| failed(e.to_string()))?;
        reply.body().deserialize().map_err(|e| failed(e.to_string()))
    }

    fn manager<B, R>(&self, method: &str, body: &B) -> Result<R, KindError>
    where
        B: serde::Serialize + DynamicType + Sync,
        R: serde::de::DeserializeOwned + Type,
    {
        self.call(ROOT, MANAGER, method, body)
    }

    fn path(&self) -> Result<OwnedObjectPath, KindError> {
        self.manager("LoadUnit", &self.unit)
    }

    fn property<T>(&self, path: &OwnedObjectPath, name: &str) -> Result<T, KindError>
    where
        T: TryFrom<OwnedVariant>,
    {
        let interface = "org.freedesktop.DBus.Properties";
        let value: OwnedVariant = self.call(path.as_str(), interface, "Get", &(UNIT, name))?;
        let failed = || KindError::new(format!("systemd: {name} of {} is unusual", self.unit));
        T::try_from(value).map_err(|_| failed())
    }

    fn text(&self, path: &OwnedObjectPath, name: &str) -> Result<String, KindError> {
        self.property(path, name)
    }

    fn is_sysv(&self) -> bool {
        self.host.path(&std::path::Path::new("/etc/init.d").join(&self.service.name)).is_file()
    }

    fn reload_if_needed(&self) -> Result<(), KindError> {
        if self.property(&self.path()?, "NeedDaemonReload")? {
            self.manager::<_, ()>("Reload", &())?;
        }
        Ok(())
    }

    /// Starts, stops or restarts, and waits for the result.
    fn job(&self, method: &str) -> Result<(), KindError> {
        let job: OwnedObjectPath = self.manager(method, &(self.unit.as_str(), "replace"))?;
        let told = |e: &KindError| with_journal(self.host, &self.service.name, e);
        let end = Instant::now() + JOB_TIMEOUT;
        while self.is_queued(&job)? {
            if Instant::now() >= end {
                let message = format!("{method} of {} does not end", self.unit);
                return Err(told(&KindError::new(message)));
            }
            thread::sleep(POLL_INTERVAL);
        }
        let path = self.path()?;
        let state = self.text(&path, "ActiveState")?;
        let sub = self.text(&path, "SubState")?;
        let wrong = match method {
            "StopUnit" => matches!(state.as_str(), "active" | "reloading"),
            // A service that ran to its end is inactive, which is fine.
            _ => state == "failed" || sub == "auto-restart",
        };
        if !wrong {
            return Ok(());
        }
        Err(told(&KindError::new(format!("{} is {state} ({sub}) afterwards", self.unit))))
    }

    fn is_queued(&self, job: &OwnedObjectPath) -> Result<bool, KindError> {
        let path = self.path()?;
        let (_, current): (u32, OwnedObjectPath) = self.property(&path, "Job")?;
        Ok(current == *job)
    }

    fn unit_file_state(&self) -> Result<String, KindError> {
        self.text(&self.path()?, "UnitFileState")
    }

    fn change_files(&self, method: &str) -> Result<(), KindError> {
        let units = [self.unit.as_str()];
        match method {
            "EnableUnitFiles" => {
                self.manager::<_, (bool, LinkChanges)>(method, &(&units[..], false, false))?;
            }
            "MaskUnitFiles" => {
                self.manager::<_, LinkChanges>(method, &(&units[..], false, false))?;
            }
            _ => {
                self.manager::<_, LinkChanges>(method, &(&units[..], false))?;
            }
        }
        self.manager("Reload", &())
    }
}

/// Created or removed links: action, path and target.
type LinkChanges = Vec<(String, String, String)>;

impl Manager for Systemd<'_> {
    fn is_running(&self) -> Result<bool, KindError> {
        if self.service.status.is_some() {
            return init::Init::new(self.service, self.host).is_running();
        }
        let state = self.text(&self.path()?, "ActiveState")?;
        Ok(matches!(state.as_str(), "active" | "reloading" | "refreshing"))
    }

    fn enabled(&self, wanted: Enable) -> Result<Option<Enable>, KindError> {
        let state = self.unit_file_state()?;
        // For services of an init script, its start links count.
        if state == "generated" && self.is_sysv() {
            return Systemctl::new(self.service, self.host).enabled(wanted);
        }
        Ok(enabled_by_state(&state, wanted))
    }

    fn start(&self) -> Result<(), KindError> {
        self.reload_if_needed()?;
        if self.service.start.is_some() {
            return init::Init::new(self.service, self.host).start();
        }
        if self.unit_file_state()? == "masked" {
            self.change_files("UnmaskUnitFiles")?;
        }
        self.job("StartUnit")
    }

    fn stop(&self) -> Result<(), KindError> {
        if self.service.stop.is_some() {
            return init::Init::new(self.service, self.host).stop();
        }
        self.job("StopUnit")
    }

    fn restart(&self) -> Result<(), KindError> {
        self.reload_if_needed()?;
        if self.service.restart.is_some() {
            return init::Init::new(self.service, self.host).restart();
        }
        self.job("RestartUnit")
    }

    fn set_enabled(&self, wanted: Enable) -> Result<(), KindError> {
        let state = self.unit_file_state()?;
        if state == "generated" && wanted != Enable::Mask {
            return Systemctl::new(self.service, self.host).set_enabled(wanted);
        }
        match wanted {
            Enable::Yes => {
                if state == "masked" {
                    self.change_files("UnmaskUnitFiles")?;
                }
                self.change_files("EnableUnitFiles")
            }
            Enable::No => self.change_files("DisableUnitFiles"),
            Enable::Mask => {
                if !state.is_empty() {
                    self.change_files("DisableUnitFiles")?;
                }
                self.change_files("MaskUnitFiles")
            }
        }
    }
}
