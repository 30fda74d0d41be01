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
use ordain_source::inputs::{Inputs, Recording};
use ordain_source::{Diagnostic, Severity, SourceMap};

use crate::cycle;
use crate::error::Error;
use crate::inputs::{
    ChangedInputs, CompileRecord, Difference, NodeValues, RecordTable, RecordedExports, TableRecord,
};
use crate::options::Options;
use crate::puppet::{OpenEnvironment, open_code_for_all, open_for_all};
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
    /// The inputs, if they are recorded and there was no error.
    pub record: Option<CompileRecord>,
}

impl NodeRequest {
    fn values(&self) -> NodeValues<'_> {
        NodeValues {
            facts: &self.facts,
            trusted: &self.trusted,
            server_facts: &self.server_facts,
            parameters: &self.parameters,
            classes: &self.classes,
        }
    }

    /// The first recorded value of a compile that is another one in this request.
    pub fn value_difference(&self, record: &CompileRecord) -> Option<Difference> {
        record.value_difference(self.values())
    }

    /// Whether a compile with these inputs has the same result for this request, in the environment
    /// that the table was compared with.
    pub fn is_current(
        &self,
        table: &RecordTable,
        record: &TableRecord,
        changed: &ChangedInputs,
    ) -> bool {
        table.is_current(record, changed, self.values())
    }
}

/// An open environment. Any number of threads compile in it; each file is parsed once.
///
/// It does not notice changes of files. [`SharedEnvironment::open`] with the same texts in its
/// options opens the changed environment, and parses only files whose text has changed.
pub struct SharedEnvironment {
    site: OpenEnvironment,
    options: Options,
    /// The inputs of the environment itself, which are those of all compiles, if they are recorded.
    inputs: Option<Inputs>,
}

impl SharedEnvironment {
    /// Opens the environment in a directory. Reports warnings and errors to `reporter`.
    ///
    /// # Errors
    /// When the site program has errors, or a file cannot be read.
    pub fn open(reporter: &mut dyn Reporter, dir: &Path, options: &Options) -> Result<Self, Error> {
        let recording = options.states.is_some().then(Recording::begin);
        let site = open_for_all(reporter, dir, options)?;
        let inputs = recording.map(Recording::finish);
        Ok(Self { site, options: options.clone(), inputs })
    }

    /// Opens a text as the site program, with the modules of the options. Records no inputs.
    ///
    /// # Errors
    /// When the text has errors, or a file that was named cannot be read.
    pub fn open_code(
        reporter: &mut dyn Reporter,
        code: String,
        options: &Options,
    ) -> Result<Self, Error> {
        let options = Options { states: None, ..options.clone() };
        let site = open_code_for_all(reporter, code, &options)?;
        Ok(Self { site, options, inputs: None })
    }

    /// The source texts that spans of diagnostics refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.site.sources
    }

    /// The environment.
    pub fn environment(&self) -> &ordain_puppet::load::Environment {
        &self.site.env
    }

    /// The title of the node block that a node matches. `None` if there is none.
    pub fn node_block(&self, node: &str) -> Option<EcoString> {
        ordain_puppet::compile::node_block(&self.site.env, node)
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
        let values = |entries: &[(EcoString, Data)]| -> Vec<(EcoString, Value)> {
            entries.iter().map(|(name, value)| (name.clone(), from_data(value))).collect()
        };
        let node = Node {
            name: request.name.as_str().into(),
            facts: from_data(&request.facts),
            trusted: from_data(&request.trusted),
            server_facts: from_data(&request.server_facts),
            parameters: values(&request.parameters),
            classes: values(&request.classes),
        };
        let mut settings = self.site.settings(&self.options, &node);
        let (recording, exports) = self.record_from_here(&request);
        settings.exports = match &exports {
            Some(exports) => Some(Arc::clone(exports) as Arc<dyn Exports>),
            None => request.exports.clone(),
        };
        settings.queries = request.queries.clone();
        let compiled = compile_node_here(&self.site.env, settings, &node);
        let mut result = NodeCatalog {
            graph: compiled.graph,
            exported: compiled.exports,
            logs: compiled.report.logs,
            diagnostics: compiled.report.diagnostics,
            has_exceeded_budget: false,
            record: None,
        };
        self.finish(request.static_catalog.as_ref(), &mut result);
        if let (Some(recording), Some(states)) = (recording, &self.options.states) {
            let mut inputs = recording.finish();
            inputs.extend(self.inputs.as_ref());
            let (values, exports) = (request.values(), exports.as_deref());
            if result.graph.is_some() {
                let record = CompileRecord::new(inputs, &self.site.env, states, values, exports);
                result.record = Some(record);
            }
        }
        result
    }

    /// Begins to record, if inputs are recorded.
    fn record_from_here(
        &self,
        request: &NodeRequest,
    ) -> (Option<Recording>, Option<Arc<RecordedExports>>) {
        if self.options.states.is_none() {
            return (None, None);
        }
        // The version is in the head of a catalog, which is made for each answer.
        let _ = self.config_version();
        let exports = request.exports.clone();
        (Some(Recording::begin()), exports.map(RecordedExports::new).map(Arc::new))
    }

    /// The version of catalogs that the command of the environment prints, if it has one.
    ///
    /// # Errors
    /// When the command fails.
    pub fn config_version(&self) -> Result<Option<EcoString>, String> {
        let env = &self.site.env;
        env.config_version.get(env.world.as_ref())
    }

    /// The first recorded input of a compile that is another one in this environment: a file, or a
    /// variable of the process's environment.
    pub fn code_difference(&self, record: &CompileRecord) -> Option<Difference> {
        record.code_difference(&self.site.env, self.options.states.as_ref()?)
    }

    /// Compares a table of records with this environment. `None` if inputs are not recorded.
    pub fn changed_inputs(&self, table: &RecordTable) -> Option<ChangedInputs> {
        Some(table.changed(&self.site.env, self.options.states.as_ref()?))
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
    // Messages about a finished catalog have their place already, without a column.
    if diagnostic.code == CATALOG && diagnostic.message.contains("(file: ") {
        return diagnostic.message.clone();
    }
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
