//! A parsed `service` resource, and the contract of service managers.

use std::path::PathBuf;
use std::sync::Arc;

use ordain_data::Value;
use regex::Regex;

use super::bus::Bus;
use crate::kind::KindError;

/// The value of `enable`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Enable {
    Yes,
    No,
    Mask,
}

impl Enable {
    pub(super) fn value(self) -> Value {
        Value::str(match self {
            Self::Yes => "true",
            Self::No => "false",
            Self::Mask => "mask",
        })
    }
}

/// A parsed service. Its manager depends on the machine.
pub(super) struct ServiceInstance {
    pub(super) bus: Arc<Bus>,
    /// As messages name it.
    pub(super) reference: String,
    pub(super) provider: Option<&'static str>,
    pub(super) name: String,
    pub(super) running: Option<bool>,
    pub(super) enable: Option<Enable>,
    pub(super) start: Option<String>,
    pub(super) stop: Option<String>,
    pub(super) restart: Option<String>,
    pub(super) status: Option<String>,
    pub(super) has_status: bool,
    pub(super) has_restart: bool,
    pub(super) pattern: Option<Regex>,
    pub(super) binary: Option<String>,
    pub(super) path: Vec<PathBuf>,
    pub(super) secrets: Vec<String>,
    pub(super) remarks: Vec<String>,
}

/// A manager of services.
pub(super) trait Manager {
    /// Whether it runs.
    fn is_running(&self) -> Result<bool, KindError>;
    /// Whether it starts at boot; `None` if it cannot be changed.
    fn enabled(&self, wanted: Enable) -> Result<Option<Enable>, KindError>;
    fn start(&self) -> Result<(), KindError>;
    fn stop(&self) -> Result<(), KindError>;
    fn restart(&self) -> Result<(), KindError>;
    fn set_enabled(&self, wanted: Enable) -> Result<(), KindError>;
}

/// The value of `enable` for the state of a unit file; `None` if it cannot be enabled or disabled.
pub(super) fn enabled_by_state(state: &str, wanted: Enable) -> Option<Enable> {
    match (state, wanted) {
        ("masked", Enable::Mask) => Some(Enable::Mask),
        ("static", Enable::Yes | Enable::No) | ("indirect", _) => None,
        ("enabled" | "enabled-runtime" | "static" | "alias" | "generated" | "transient", _) => {
            Some(Enable::Yes)
        }
        _ => Some(Enable::No),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_unit_files() {
        assert_eq!(enabled_by_state("enabled", Enable::No), Some(Enable::Yes));
        assert_eq!(enabled_by_state("disabled", Enable::Yes), Some(Enable::No));
        assert_eq!(enabled_by_state("static", Enable::Yes), None);
        assert_eq!(enabled_by_state("static", Enable::Mask), Some(Enable::Yes));
        assert_eq!(enabled_by_state("indirect", Enable::No), None);
        assert_eq!(enabled_by_state("masked", Enable::Mask), Some(Enable::Mask));
        assert_eq!(enabled_by_state("masked", Enable::No), Some(Enable::No));
        assert_eq!(enabled_by_state("", Enable::Yes), Some(Enable::No));
    }
}
