//! From a verified graph to one that can be applied.

use std::sync::Arc;

use ordain_agent::{AgentError, Home, LocalSources, Server, StoredGraph, protocol};
use ordain_driver::{Compiled, Options as CompileOptions, received};
use ordain_engine::prepare::{Options as EngineOptions, Prepared};
use ordain_puppet::deferred::Deferral;
use ordain_source::Diagnostic;

use super::args::Settings;
use super::restart;
use crate::codes;
use crate::commands::plan::{SelectionArgs, prepare_after};
use crate::exit::Failure;
use crate::runs;
use crate::show::failures;
use crate::ui::Ui;

/// A graph with the files that it copies.
#[derive(Clone)]
pub(super) struct ReceivedGraph {
    pub(super) stored: Arc<StoredGraph>,
    pub(super) sources: LocalSources,
}

impl ReceivedGraph {
    /// Copies the files of a graph, from the server unless they are here already.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub(super) fn complete(
        home: &Home,
        server: Option<&Server>,
        stored: StoredGraph,
    ) -> Result<Self, AgentError> {
        let (_, list) = protocol::parts(&stored.body)?;
        let environment = &stored.head.environment;
        let sources = LocalSources::fetch(home, server, environment, &list)?;
        Ok(Self { stored: Arc::new(stored), sources })
    }

    /// The graph, ready to be applied. An earlier one lends its unchanged parts.
    ///
    /// # Errors
    /// When the graph has errors, or some of its resources cannot be applied.
    pub(super) fn prepare(
        &self,
        ui: &mut Ui,
        home: &Home,
        selection: &SelectionArgs,
        settings: &Settings,
        (noop, earlier): (bool, Option<&Prepared>),
    ) -> Result<(Compiled, Prepared), Failure> {
        let options = compile_options(selection, settings, noop);
        let (graph, _) = protocol::parts(&self.stored.body).map_err(|e| error(&e.into()))?;
        let places = self.sources.places.clone();
        let mut compiled = received(ui, graph, places, &options)?;
        // Modules stay on the server, so they implement no kind here.
        let registry = options.registry()?;
        let host = selection.host(std::path::Path::new("/"));
        compiled.undo_missing(&host, &registry)?;
        let crashes = restart::crashed_resources(ui, home);
        let options = EngineOptions { crashes, ..selection.options(noop) };
        let prepared = prepare_after(ui, earlier, &compiled, registry, options)?;
        if !settings.keep_going {
            failures::refuse(ui, &prepared, &compiled)?;
        }
        Ok((compiled, prepared))
    }
}

fn compile_options(selection: &SelectionArgs, settings: &Settings, noop: bool) -> CompileOptions {
    let by_hand = selection.no_preprocess_deferred;
    CompileOptions {
        node: Some(settings.certname.clone()),
        machine: Some(selection.root.clone()),
        deferral: if by_hand { Deferral::Hand } else { Deferral::Resolve },
        runs_providers: true,
        is_noop: noop,
        state_dir: runs::state_dir(settings.state_dir.as_deref()).ok(),
        ..CompileOptions::default()
    }
}

/// An error of the agent for people.
pub(super) fn error(error: &AgentError) -> Diagnostic {
    let found = Diagnostic::error(codes::AGENT, error.to_string());
    match error {
        AgentError::NotTrusted { found: fingerprint } => found
            .help(format!("the server names one with the fingerprint {fingerprint}"))
            .help("compare it with `ordain ca show` there, and pass it as `--ca-fingerprint`"),
        AgentError::NotSigned => found.help("sign it on the server with `ordain ca sign`"),
        _ => found,
    }
}
