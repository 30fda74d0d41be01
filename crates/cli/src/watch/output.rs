//! The interface of all outputs of a watch: lines, JSON, a screen.

use std::time::Duration;

use ordain_engine::reconcile::{ReconcileStatus, SwapSummary};
use ordain_engine::report::ResourceReport;
use ordain_graph::ResourceRef;

use crate::show::log::Context;

/// Shows the events of a watch.
pub(super) trait WatchOutput {
    /// A new graph is reconciled.
    fn graph(&mut self, graph: &NewGraph);

    /// The sources do not compile, or their graph cannot be reconciled. The previous graph stays in
    /// effect, if there is one.
    fn refused(&mut self, text: &str, is_kept: bool);

    /// Shows the warnings and logs of a compile.
    fn remarks(&mut self, text: &str);

    /// Shows the report of a resource.
    fn report(&mut self, report: &ResourceReport);

    /// Shows a message about the run itself.
    fn note(&mut self, text: &str);

    /// All resources were checked, and there is nothing to do now.
    fn settled(&mut self, standings: &[(&ResourceRef, ReconcileStatus)]);

    /// Whether the output implements [`WatchOutput::draw`].
    fn draws(&self) -> bool {
        false
    }

    /// Draws the states of all resources.
    fn draw(&mut self, _standings: &[(&ResourceRef, ReconcileStatus)]) {}
}

/// A new graph that is reconciled.
pub(super) struct NewGraph {
    /// The differences to the graph before.
    pub swapped: SwapSummary,
    /// The number of files and directories that it was compiled from.
    pub sources: usize,
    /// The duration of the compile.
    pub took: Duration,
    /// The places of its resources.
    pub context: Option<Context>,
}
