//! The interface of everything that shows a watch: lines, JSON, a screen.

use std::time::Duration;

use ordain_engine::reconcile::{Standing, Swapped};
use ordain_engine::report::ResourceReport;
use ordain_graph::ResourceRef;

use crate::show::log::Context;

/// Shows what happens during a watch.
pub(super) trait WatchOutput {
    /// Another graph is kept true.
    fn graph(&mut self, graph: &NewGraph);

    /// The sources do not compile, or their graph cannot be kept true; what was kept true still is,
    /// if there is anything.
    fn refused(&mut self, text: &str, is_kept: bool);

    /// Warnings and logs of a compile.
    fn remarks(&mut self, text: &str);

    /// A resource was looked at.
    fn report(&mut self, report: &ResourceReport);

    /// Something about the run itself.
    fn note(&mut self, text: &str);

    /// Everything was looked at, and nothing is to be done now.
    fn settled(&mut self, standings: &[(&ResourceRef, Standing)]);

    /// Whether [`WatchOutput::draw`] is of use.
    fn draws(&self) -> bool {
        false
    }

    /// Shows how everything stands.
    fn draw(&mut self, _standings: &[(&ResourceRef, Standing)]) {}
}

/// A graph that is kept true from now on.
pub(super) struct NewGraph {
    /// How it differs from the one before.
    pub swapped: Swapped,
    /// How many files and directories it was made from.
    pub sources: usize,
    /// How long it took to make it.
    pub took: Duration,
    /// Where its resources were declared.
    pub context: Option<Context>,
}
