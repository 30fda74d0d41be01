//! Services of systemd through `systemctl`, where the bus cannot be reached.

use super::init;
use super::model::{Enable, Manager, ServiceInstance, enabled_by_state};
use crate::kind::KindError;
use crate::kind::tools::{ask, command, path_of, run};
use crate::system::host::Host;
use crate::system::runner::Outcome;

/// The number of lines of a service's journal that are reported when it fails.
const JOURNAL_LINES: &str = "20";

pub(super) struct Systemctl<'a> {
    service: &'a ServiceInstance,
    host: &'a Host,
}

impl<'a> Systemctl<'a> {
    pub(super) fn new(service: &'a ServiceInstance, host: &'a Host) -> Self {
        Self { service, host }
    }

    fn argv(&self, words: &[&str]) -> Vec<String> {
        let mut argv = vec![path_of("systemctl")];
        argv.extend(words.iter().map(|w| (*w).to_string()));
        argv.extend(["--".to_string(), self.service.name.clone()]);
        argv
    }

    fn ask(&self, words: &[&str]) -> Result<Outcome, KindError> {
        ask(self.host, &command(self.argv(words)))
    }

    fn run(&self, action: &str) -> Result<(), KindError> {
        run(self.host, &command(self.argv(&[action]))).map(drop)
    }

    /// As [`Self::run`], but errors have the last output of the service.
    fn run_job(&self, action: &str) -> Result<(), KindError> {
        self.run(action).map_err(|e| with_journal(self.host, &self.service.name, &e))
    }

    /// Makes systemd reload its files if the unit's changed.
    fn reload_if_needed(&self) -> Result<(), KindError> {
        let shown = self.ask(&["show", "--property=NeedDaemonReload"])?.stdout_text();
        if shown.trim() != "NeedDaemonReload=yes" {
            return Ok(());
        }
        run(self.host, &command([path_of("systemctl"), "daemon-reload".to_string()])).map(drop)
    }
}

/// An error with the last lines of the service's journal.
pub(super) fn with_journal(host: &Host, name: &str, error: &KindError) -> KindError {
    let argv = ["-n", JOURNAL_LINES, "--since", "5 minutes ago", "-u", name, "--no-pager"];
    let journalctl =
        command(std::iter::once(path_of("journalctl")).chain(argv.map(str::to_string)));
    let journal = host.run(&journalctl).map(|o| o.stdout_text()).unwrap_or_default();
    if journal.trim().is_empty() {
        return error.clone();
    }
    KindError::new(format!("{error}\njournalctl log for {name}:\n{}", journal.trim_end()))
}

impl Manager for Systemctl<'_> {
    fn is_running(&self) -> Result<bool, KindError> {
        if self.service.status.is_some() {
            return init::Init::new(self.service, self.host).is_running();
        }
        Ok(self.ask(&["is-active"])?.success())
    }

    fn enabled(&self, wanted: Enable) -> Result<Option<Enable>, KindError> {
        Ok(enabled_by_state(self.ask(&["is-enabled"])?.stdout_text().trim(), wanted))
    }

    fn start(&self) -> Result<(), KindError> {
        self.reload_if_needed()?;
        if self.service.start.is_some() {
            return init::Init::new(self.service, self.host).start();
        }
        if self.ask(&["is-enabled"])?.stdout_text().trim() == "masked" {
            self.run("unmask")?;
        }
        self.run_job("start")
    }

    fn stop(&self) -> Result<(), KindError> {
        if self.service.stop.is_some() {
            return init::Init::new(self.service, self.host).stop();
        }
        self.run_job("stop")
    }

    fn restart(&self) -> Result<(), KindError> {
        self.reload_if_needed()?;
        if self.service.restart.is_some() {
            return init::Init::new(self.service, self.host).restart();
        }
        self.run_job("restart")
    }

    fn set_enabled(&self, wanted: Enable) -> Result<(), KindError> {
        match wanted {
            Enable::Yes => {
                self.run("unmask")?;
                self.run("enable")
            }
            Enable::No => self.run("disable"),
            Enable::Mask => {
                if self.ask(&["cat"])?.success() {
                    self.run("disable")?;
                }
                self.run("mask")
            }
        }
    }
}
