//! An environment that stays open and compiles catalogs for nodes that send their facts.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::Graph;
use ordain_graph::exports::{Exported, Exports};
use ordain_graph::fleet::FleetQueries;
use ordain_puppet::eval::LogEntry;
use ordain_puppet::session::{Node, compile_node_here};
use ordain_puppet::value::Value;
use ordain_puppet::value::rich::from_data;
use ordain_source::budget::{self, Watch};
use ordain_source::{Diagnostic, Severity, SourceMap};

use crate::cycle;
use crate::error::Error;
use crate::options::Options;
use crate::puppet::{OpenEnvironment, open_for_all};
use crate::reporter::Reporter;
use crate::static_catalog::StaticCatalog;

/// The code of errors of a finished catalog.
const CATALOG: &str = "puppet::catalog";

/// A node that asks for its catalog.
#[derive(Clone, Debug, Default)]
pub struct NodeRequest {
    /// Its name.
    pub name: String,
    /// Its facts, a map.
    pub facts: Data,
    /// `$trusted`, a map.
    pub trusted: Data,
    /// `$server_facts`, a map.
    pub server_facts: Data,
    /// Parameters of a node classifier: variables at the top.
    pub parameters: Vec<(EcoString, Data)>,
    /// Classes of a node classifier with their parameters, a map or null.
    pub classes: Vec<(EcoString, Data)>,
    /// The metadata of file sources for the catalog.
    pub static_catalog: Option<StaticCatalog>,
    /// The exported resources of all nodes. Without them nothing is exported or collected.
    pub exports: Option<Arc<dyn Exports>>,
    /// The database that `puppetdb_query` asks.
    pub queries: Option<Arc<dyn FleetQueries>>,
}

/// The outcome of a node's compile.
#[derive(Default)]
pub struct NodeCatalog {
    /// The graph, if there was no error.
    pub graph: Option<Graph>,
    /// The resources that the node exports.
    pub exported: Vec<Exported>,
    /// Messages that code logged.
    pub logs: Vec<LogEntry>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a budget of memory or time was exceeded, by this compile or by a concurrent one.
    pub has_exceeded_budget: bool,
}

/// An open environment. Any number of threads compile in it; each file is parsed once.
///
/// It does not notice changes of files. [`SharedEnvironment::open`] with the same texts in its
/// options opens the changed environment, and parses only files whose text has changed.
pub struct SharedEnvironment {
    site: OpenEnvironment,
    options: Options,
}

impl SharedEnvironment {
    /// Opens the environment in a directory. Reports warnings and errors to `reporter`.
    ///
    /// # Errors
    /// When the site program has errors, or a file cannot be read.
    pub fn open(reporter: &mut dyn Reporter, dir: &Path, options: &Options) -> Result<Self, Error> {
        let site = open_for_all(reporter, dir, options)?;
        Ok(Self { site, options: options.clone() })
    }

    /// The source texts that spans of diagnostics refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.site.sources
    }

    /// The environment.
    pub fn environment(&self) -> &ordain_puppet::load::Environment {
        &self.site.env
    }

    /// Compiles the catalog of a node, on a thread with a stack of
    /// [`STACK_SIZE`](ordain_puppet::eval::STACK_SIZE).
    pub fn compile(&self, request: NodeRequest) -> NodeCatalog {
        let _watch = Watch::begin();
        let exceeded = budget::exceeded_count();
        let mut result = self.compile_watched(request);
        result.has_exceeded_budget = budget::exceeded_count() != exceeded;
        result
    }

    fn compile_watched(&self, request: NodeRequest) -> NodeCatalog {
        let NodeRequest { static_catalog, exports, queries, .. } = request;
        let values = |entries: Vec<(EcoString, Data)>| -> Vec<(EcoString, Value)> {
            entries.iter().map(|(name, value)| (name.clone(), from_data(value))).collect()
        };
        let node = Node {
            name: request.name.as_str().into(),
            facts: from_data(&request.facts),
            trusted: from_data(&request.trusted),
            server_facts: from_data(&request.server_facts),
            parameters: values(request.parameters),
            classes: values(request.classes),
        };
        let mut settings = self.site.settings(&self.options, &node);
        settings.exports = exports;
        settings.queries = queries;
        let compiled = compile_node_here(&self.site.env, settings, &node);
        let mut result = NodeCatalog {
            graph: compiled.graph,
            exported: compiled.exports,
            logs: compiled.report.logs,
            diagnostics: compiled.report.diagnostics,
            has_exceeded_budget: false,
        };
        self.finish(static_catalog.as_ref(), &mut result);
        result
    }

    /// Adds the metadata of files, and refuses cycles as agents do.
    fn finish(&self, files: Option<&StaticCatalog>, result: &mut NodeCatalog) {
        let Some(graph) = &mut result.graph else { return };
        if let Some(files) = files {
            match files.apply(&self.site.env, graph, &result.exported) {
                Ok(found) => result.diagnostics.extend(found),
                Err(Error::Message(diagnostic)) => result.diagnostics.push(*diagnostic),
                Err(Error::Reported) => result.graph = None,
            }
        }
        if let Some(graph) = &result.graph
            && let Some(found) = ordain_graph::order::find_cycle(graph)
        {
            result.diagnostics.push(cycle::diagnostic(&found, graph, Severity::Warning));
        }
        if result.diagnostics.iter().any(|d| d.severity == Severity::Error) {
            result.graph = None;
        }
    }
}

/// The message of an error of a compile as Puppet's server words it, with its place.
pub fn evaluation_message(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let message = puppet_message(diagnostic, sources);
    // Only errors of the evaluator have the prefix, not those of the finished catalog.
    let is_evaluated = diagnostic.primary.is_some() && diagnostic.code != CATALOG;
    if is_evaluated { format!("Evaluation Error: {message}") } else { message }
}

/// The message of a diagnostic as Puppet's server words it, with its place.
pub fn puppet_message(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let Some(label) = &diagnostic.primary else { return diagnostic.message.clone() };
    let file = sources.file(label.span.file);
    let at = sources.start(label.span);
    let place = match file.has_path() {
        true => format!("file: {}, line: {}, column: {}", file.path.display(), at.line, at.column),
        false => format!("line: {}, column: {}", at.line, at.column),
    };
    format!("{} ({place})", diagnostic.message)
}
