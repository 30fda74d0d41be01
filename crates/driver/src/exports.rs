//! Exported resources of a compile, held back until its graph is used.

use std::sync::Arc;

use ecow::EcoString;
use ordain_graph::exports::Exported;
use ordain_source::Diagnostic;
use ordain_store::ExportStore;

use crate::codes;
use crate::damage::report_damage;
use crate::mcl;
use crate::reporter::Reporter;

/// Exported resources of a node, not stored yet.
#[derive(Clone, Default)]
pub struct PendingExports {
    store: Option<Arc<ExportStore>>,
    node: EcoString,
    exported: Vec<Exported>,
    /// Exported resources of its mcl programs.
    program: Option<mcl::PendingExports>,
}

impl From<mcl::PendingExports> for PendingExports {
    fn from(program: mcl::PendingExports) -> Self {
        Self { program: Some(program), ..Self::default() }
    }
}

impl PendingExports {
    /// The exported resources of a node.
    pub(crate) fn of_node(
        store: Option<Arc<ExportStore>>,
        node: EcoString,
        exported: Vec<Exported>,
    ) -> Self {
        Self { store, node, exported, program: None }
    }

    /// Adds the exported resources of another source of the same node.
    pub fn with(mut self, other: Self) -> Self {
        self.exported.extend(other.exported);
        self.program = match (self.program.take(), other.program) {
            (Some(one), Some(two)) => Some(one.with(two)),
            (one, two) => one.or(two),
        };
        if self.store.is_none() {
            (self.store, self.node) = (other.store, other.node);
        }
        self
    }

    /// Stores the exported resources, if there is a store.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn keep(&self, reporter: &mut dyn Reporter) -> Result<(), Diagnostic> {
        self.program.as_ref().map_or(Ok(()), mcl::PendingExports::keep)?;
        let Some(store) = &self.store else { return Ok(()) };
        let done = store.save(&self.node, &self.exported).map_err(codes::state);
        report_damage(reporter, Some(store));
        done
    }
}
