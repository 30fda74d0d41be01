//! Records of a watch in the journal.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use ordain_engine::kind::Change;
use ordain_engine::observer::Observer;
use ordain_engine::report::ResourceReport;
use ordain_graph::{Graph, ResourceRef};
use ordain_source::SourceMap;
use ordain_store::{Run, Store};

use crate::runs;

/// Records changes in the journal.
pub(crate) struct RunRecorder {
    pub(crate) store: Arc<Store>,
    pub(crate) run: Run,
}

impl Observer for RunRecorder {
    fn acting(&self, resource: &ResourceRef, changes: &[Change]) -> Result<(), String> {
        runs::record_step_start(&self.store, self.run, resource, changes)
    }

    fn acted(&self, resource: &ResourceRef, ok: bool) {
        runs::record_step_end(&self.store, self.run, resource, ok);
    }

    fn last_applied(&self, resource: &ResourceRef) -> Option<Timestamp> {
        runs::last_applied(&self.store, resource)
    }

    fn applied(&self, resource: &ResourceRef, now: Timestamp) {
        runs::record_applied(&self.store, resource, now);
    }

    fn audited(&self, resource: &ResourceRef) -> Vec<(String, String)> {
        runs::audited(&self.store, resource)
    }

    fn note_audited(&self, resource: &ResourceRef, values: &[(String, String)]) {
        runs::record_audited(&self.store, resource, values);
    }

    fn secret_digest(&self, secret: &str) -> String {
        runs::secret_digest(&self.store, secret)
    }
}

/// Records failures and recoveries in the journal.
pub(crate) struct FailureJournal {
    store: Arc<Store>,
    run: Run,
    /// The resources that currently fail.
    failing: BTreeSet<String>,
    /// The source texts of the graph.
    pub(crate) texts: Arc<SourceMap>,
}

impl FailureJournal {
    pub(crate) fn new(store: Arc<Store>, run: Run) -> Self {
        Self { store, run, failing: BTreeSet::new(), texts: Arc::default() }
    }

    pub(crate) fn note(&mut self, report: &ResourceReport, graph: &Graph) {
        if runs::record_outcome(&self.store, self.run, report, graph, &self.texts) {
            self.failing.insert(report.resource.to_string());
        } else if !self.failing.is_empty() && self.failing.remove(&report.resource.to_string()) {
            // If this record is lost, the journal shows a failure that did happen.
            let _ = self.store.note_recovered(self.run, &report.resource.to_string());
        }
    }
}
