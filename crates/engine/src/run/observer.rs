//! Callbacks during a run.

use jiff::Timestamp;
use ordain_graph::ResourceRef;

use crate::kind::Change;
use crate::kind::report::ResourceReport;

/// Watches a run. All but [`Observer::finished`] are called by the threads that do the work.
pub trait Observer: Sync {
    /// Work on a resource begins.
    fn started(&self, _resource: &ResourceRef) {}

    /// The machine is about to be changed for a resource.
    ///
    /// # Errors
    /// When that could not be noted; the resource then fails unchanged.
    fn acting(&self, _resource: &ResourceRef, _changes: &[Change]) -> Result<(), String> {
        Ok(())
    }

    /// The change that was about to be made was made, or failed.
    fn acted(&self, _resource: &ResourceRef, _ok: bool) {}

    /// When a resource with a schedule was applied before.
    fn last_applied(&self, _resource: &ResourceRef) -> Option<Timestamp> {
        None
    }

    /// A resource with a schedule is applied now.
    fn applied(&self, _resource: &ResourceRef, _now: Timestamp) {}

    /// The last values of the audited properties of a resource.
    fn audited(&self, _resource: &ResourceRef) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Records the current values of the audited properties.
    fn note_audited(&self, _resource: &ResourceRef, _values: &[(String, String)]) {}

    /// A text that is the same for the same secret, and does not give it away.
    fn secret_digest(&self, _secret: &str) -> String {
        "secret".into()
    }

    /// A resource is done. Called in the order of the plan, whatever ran at the same time.
    fn finished(&self, _report: &ResourceReport) {}

    /// Whether the run shall stop before the next resource.
    fn stop(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
