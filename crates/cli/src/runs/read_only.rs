//! The observer of runs that change nothing.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::Timestamp;
use ordain_engine::observer::Observer;
use ordain_engine::report::ResourceReport;
use ordain_graph::ResourceRef;
use ordain_process::interruption;
use ordain_store::Store;

use super::record::{audited, last_applied, secret_digest};
use crate::ui::Progress;

/// The observer of a run that changes nothing. It reads from the journal when resources were
/// applied.
pub(crate) struct ReadOnlyObserver<'a> {
    progress: &'a Progress,
    dir: Option<PathBuf>,
    store: OnceLock<Option<Store>>,
}

impl<'a> ReadOnlyObserver<'a> {
    /// Uses the journal of a state directory, if there is one.
    pub(crate) fn new(progress: &'a Progress, state_dir: Option<&Path>) -> Self {
        // Without a state directory there is no journal.
        let dir = super::state::state_dir(state_dir).ok();
        Self { progress, dir, store: OnceLock::new() }
    }

    fn store(&self) -> Option<&Store> {
        // An unreadable journal says nothing about the machine.
        let open = || Store::existing(self.dir.as_ref()?).ok().flatten();
        self.store.get_or_init(open).as_ref()
    }
}

impl Observer for ReadOnlyObserver<'_> {
    fn started(&self, resource: &ResourceRef) {
        self.progress.started(resource);
    }

    fn last_applied(&self, resource: &ResourceRef) -> Option<Timestamp> {
        last_applied(self.store()?, resource)
    }

    fn audited(&self, resource: &ResourceRef) -> Vec<(String, String)> {
        self.store().map_or_else(Vec::new, |store| audited(store, resource))
    }

    fn secret_digest(&self, secret: &str) -> String {
        self.store().map_or_else(|| "secret".into(), |store| secret_digest(store, secret))
    }

    fn finished(&self, report: &ResourceReport) {
        self.progress.finished(report);
    }

    fn stop(&self) -> bool {
        self.progress.stop() || interruption::requested().is_some()
    }
}
