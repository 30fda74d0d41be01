//! Parses a package for a provider, with the shared state of all packages of a machine.

use std::sync::Arc;

use super::machine::Machines;
use super::{debian, managed, managers};
use crate::kind::ParseResult;
use crate::kind::params::Params;

/// Attributes that no manager here uses, with the features that they need elsewhere.
const UNSUPPORTED_ATTRIBUTES: &[(&str, Option<&str>)] = &[
    ("flavor", Some("supports_flavors")),
    ("package_settings", Some("package_settings")),
    ("adminfile", None),
    ("enable_only", None),
    ("instance", None),
    ("status", None),
    ("category", None),
    ("platform", None),
    ("root", None),
    ("vendor", None),
    ("description", None),
];

/// State that all packages of a machine share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) debian: Arc<debian::Shared>,
    pub(super) lists: Arc<managed::Lists>,
    pub(super) machines: Machines,
}

/// Parses a resource for a manager.
pub(super) fn parse(shared: &Shared, mut p: Params<'_>, provider: &'static str) -> ParseResult {
    p.leave_out(provider, UNSUPPORTED_ATTRIBUTES);
    match managers::find(provider) {
        Some(manager) => managed::parse(&shared.lists, p, manager),
        None => debian::parse(&shared.debian, p, provider),
    }
}
