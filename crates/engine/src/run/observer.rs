//! Callbacks during a run.

use jiff::Timestamp;
use ordain_graph::ResourceRef;

use crate::kind::Change;
use crate::kind::report::ResourceReport;

/// Observes a run. The threads that do the work call all methods but [`Observer::finished`].
pub trait Observer: Sync {
    /// Work on a resource begins.
    fn started(&self, _resource: &ResourceRef) {}

    /// The machine is about to be changed for a resource.
    ///
    /// # Errors
    /// When the change could not be recorded; the resource then fails unchanged.
    fn acting(&self, _resource: &ResourceRef, _changes: &[Change]) -> Result<(), String> {
        Ok(())
    }

    /// The announced change was made, or failed.
    fn acted(&self, _resource: &ResourceRef, _ok: bool) {}

    /// The time when a resource with a schedule was last applied.
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

    /// A text that is equal for equal secrets, without revealing them.
    fn secret_digest(&self, _secret: &str) -> String {
        "secret".into()
    }

    /// A resource is done. Called in the order of the plan, even if resources ran concurrently.
    fn finished(&self, _report: &ResourceReport) {}

    /// Whether the run should stop before the next resource.
    fn stop(&self) -> bool {
        false
    }
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
