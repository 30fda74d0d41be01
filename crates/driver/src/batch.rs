//! Compiles many nodes of one environment. Files are read once for all nodes, and several nodes
//! compile in parallel.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_graph::Graph;
use ordain_graph::exports::Exported;
use ordain_puppet::eval::{LogEntry, STACK_SIZE};
use ordain_puppet::session::compile_node_here;
use ordain_source::budget::{self, Watch};
use ordain_source::{Diagnostic, EntryKind, Severity, SourceMap, World, read_input_text};
use rayon::prelude::*;

use crate::error::Error;
use crate::options::Options;
use crate::puppet::{self, OpenEnvironment, node};
use crate::reporter::Reporter;
use crate::{codes, cycle};

/// The extensions of fact files.
const FACT_EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// Receives the graph of each node, on the thread that compiled it.
pub type ReceiveGraph<'a> = dyn Fn(&str, &Graph, &SourceMap) -> Result<(), Error> + Sync + 'a;

/// An environment and the nodes that are compiled in it.
pub struct Batch {
    site: OpenEnvironment,
    nodes: Vec<Options>,
}

/// The outcome of a node's compile.
#[derive(Default)]
pub struct NodeResult {
    /// Its name.
    pub name: EcoString,
    /// Messages that its code logged.
    pub logs: Vec<LogEntry>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the node has a graph, and the receiver accepted it.
    pub is_done: bool,
    exported: Vec<Exported>,
    /// Whether a budget was exceeded during the compile, by this node or by another one.
    has_exceeded_budget: bool,
}

impl Batch {
    /// Opens the environment at a path for several nodes. The nodes are those that the file `list`
    /// names, one per line (`-` is standard input); without it, those that have a file in the
    /// directory of facts; else the one node of the options.
    ///
    /// # Errors
    /// When the sources cannot be opened, or the list of nodes cannot be read.
    pub fn open(
        reporter: &mut dyn Reporter,
        path: &Path,
        list: Option<&Path>,
        options: &Options,
    ) -> Result<Self, Error> {
        let site = puppet::open_for_all(reporter, path, options)?;
        if site.env.site.is_empty() && options.node_data.is_none() {
            puppet::report_no_manifests(reporter, site.env.world.as_ref(), path)?;
        }
        let nodes = nodes(site.env.world.as_ref(), list, options)?;
        Ok(Self { site, nodes })
    }

    /// The source texts that the spans of diagnostics refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.site.sources
    }

    /// Compiles all nodes, `jobs` at a time, by default one per processor. The results have the
    /// order of the nodes.
    ///
    /// # Errors
    /// When the system cannot start threads.
    pub fn compile(
        &self,
        jobs: Option<NonZeroUsize>,
        receive: &ReceiveGraph<'_>,
    ) -> Result<Vec<NodeResult>, Error> {
        let one = |options: &Options| self.compile_node(options, receive);
        let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = jobs.map_or_else(processors, NonZeroUsize::get);
        let threads = threads.clamp(1, self.nodes.len().max(1));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_SIZE);
        let pool = pool.build().map_err(|e| codes::io("cannot start threads", &e))?;
        let mut results: Vec<NodeResult> =
            pool.install(|| self.nodes.par_iter().map(one).collect());
        // The memory budget counts the whole process, so a node may fail because of another one. A
        // second compile alone shows which.
        for (result, options) in results.iter_mut().zip(&self.nodes).filter(|_| threads > 1) {
            if result.has_exceeded_budget && !result.is_done {
                *result = pool.install(|| one(options));
            }
        }
        Ok(results)
    }

    /// Stores the exported resources of the nodes.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn store_exports(
        &self,
        reporter: &mut dyn Reporter,
        results: Vec<NodeResult>,
    ) -> Result<(), Diagnostic> {
        for result in results.into_iter().filter(|result| result.is_done) {
            self.site.exports(&result.name, result.exported).keep(reporter)?;
        }
        Ok(())
    }

    fn compile_node(&self, options: &Options, receive: &ReceiveGraph<'_>) -> NodeResult {
        let _watch = Watch::begin();
        let exceeded = budget::exceeded_count();
        let name = options.node.clone().unwrap_or_default();
        let mut result = NodeResult { name: name.into(), ..NodeResult::default() };
        match self.compile_into(options, receive, &mut result) {
            Ok(()) => result.is_done = true,
            Err(Error::Message(diagnostic)) => result.diagnostics.push(*diagnostic),
            Err(Error::Reported) => {}
        }
        result.has_exceeded_budget = budget::exceeded_count() != exceeded;
        result
    }

    fn compile_into(
        &self,
        options: &Options,
        receive: &ReceiveGraph<'_>,
        result: &mut NodeResult,
    ) -> Result<(), Error> {
        let env = &self.site.env;
        let data = node::read_data(env.world.as_ref(), options.node_data.as_deref())?;
        if let Some(other) = data.environment.as_ref().filter(|name| **name != env.name) {
            let text = format!(
                "{} is in environment {other}, not in {}, which is compiled here",
                result.name, env.name
            );
            return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
        }
        let (node, problems) = node::describe(env, options, data)?;
        result.name = node.name.clone();
        check_name(&node.name)?;
        result.diagnostics.extend(problems);
        let compiled = compile_node_here(env, self.site.settings(options, &node), &node);
        result.logs = compiled.report.logs;
        result.diagnostics.extend(compiled.report.diagnostics);
        result.exported = compiled.exports;
        let mut graph = compiled.graph.ok_or(Error::Reported)?;
        if let Some(files) = &options.static_catalog {
            let found = files.apply(env, &mut graph, &result.exported)?;
            let has_errors = found.iter().any(|d| d.severity == Severity::Error);
            result.diagnostics.extend(found);
            if has_errors {
                return Err(Error::Reported);
            }
        }
        if let Some(found) = ordain_graph::order::find_cycle(&graph) {
            result.diagnostics.push(cycle::diagnostic(&found, &graph, Severity::Warning));
        }
        receive(&result.name, &graph, &self.site.sources)
    }
}

/// The nodes, each with its own options.
fn nodes(world: &dyn World, list: Option<&Path>, options: &Options) -> Result<Vec<Options>, Error> {
    let is_directory = |path: &PathBuf| world.kind(path) == Some(EntryKind::Directory);
    let facts = options.facts.as_ref().filter(|path| is_directory(path));
    let data = options.node_data.as_ref().filter(|path| is_directory(path));
    let names = match (list, facts, &options.node) {
        (Some(path), ..) => read_node_list(path)?,
        (None, Some(dir), None) => nodes_with_facts(world, dir)?,
        _ => return Ok(vec![options.clone()]),
    };
    let mut out = Vec::with_capacity(names.len());
    for name in names {
        check_name(&name)?;
        let mut own = options.clone();
        if let Some(dir) = facts {
            own.facts = Some(file_of(world, dir, &name, &FACT_EXTENSIONS));
        }
        if let Some(dir) = data {
            own.node_data = Some(file_of(world, dir, &name, &["json"]));
        }
        own.node = Some(name);
        out.push(own);
    }
    Ok(out)
}

/// Reads a list of node names, one per line. Empty lines and comments after `#` are skipped.
fn read_node_list(path: &Path) -> Result<Vec<String>, Error> {
    let text = match path == Path::new("-") {
        true => puppet::read_stdin()?,
        false => read_input_text(path).map_err(|e| codes::unreadable(path, &e))?,
    };
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(unique(lines.filter(|line| !line.is_empty()).map(str::to_lowercase).collect()))
}

/// The names of the nodes that have a file of facts in a directory.
fn nodes_with_facts(world: &dyn World, dir: &Path) -> Result<Vec<String>, Error> {
    let entries = world.list(dir).map_err(|e| codes::unreadable(dir, &e))?;
    let names = entries.iter().filter_map(|(name, _)| {
        let (name, ending) = name.rsplit_once('.')?;
        FACT_EXTENSIONS.contains(&ending).then(|| name.to_owned())
    });
    let names = unique(names.collect());
    if names.is_empty() {
        let text = format!("there are no facts in {}", dir.display());
        let help = "the facts of a node are in NAME.json or NAME.yaml";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).help(help).into());
    }
    Ok(names)
}

fn unique(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

/// Refuses a node name that cannot be a file name.
fn check_name(name: &str) -> Result<(), Error> {
    if name.contains(['/', '\\', '\0']) || name.starts_with('.') {
        let text = format!("`{name}` is not a valid node name");
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    Ok(())
}

/// The node's file in a directory; the path with the first extension if there is none.
fn file_of(world: &dyn World, dir: &Path, name: &str, endings: &[&str]) -> PathBuf {
    let path = |ending: &&str| dir.join(format!("{name}.{ending}"));
    let found = endings.iter().map(path).find(|path| world.kind(path).is_some());
    found.unwrap_or_else(|| path(&endings[0]))
}
