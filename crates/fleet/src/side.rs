//! A side of a comparison, opened.

use std::path::Path;
use std::sync::Arc;

use ordain_driver::inputs::FileStates;
use ordain_driver::puppet::shared::{NodeCatalog, NodeRequest, SharedEnvironment};
use ordain_driver::{Error, Options, Reporter};
use ordain_graph::exports::{Exported, Exports};
use ordain_puppet::eval::LogEntry;
use ordain_source::budget::Watch;
use ordain_source::{Diagnostic, Severity, SourceMap};

use crate::cause::Lines;
use crate::exports::ExportPool;
use crate::revision::SideSources;

/// An error with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) place: Option<String>,
}

impl Failure {
    /// The first error.
    pub(crate) fn of(diagnostics: &[Diagnostic], sources: &SourceMap) -> Option<Self> {
        let error = diagnostics.iter().find(|d| d.severity == Severity::Error)?;
        let place = error.primary.as_ref().map(|label| {
            let file = sources.file(label.span.file);
            let line = file.line_col(label.span.range.start).line;
            format!("{}:{line}", file.path.display())
        });
        Some(Self { message: error.message.clone(), place })
    }

    /// The same with a path for people.
    pub(crate) fn shown(self, lines: &Lines<'_>) -> Self {
        let place = self.place.map(|place| match place.rsplit_once(':') {
            Some((file, line)) => format!("{}:{line}", lines.shown(file)),
            None => place,
        });
        Self { place, ..self }
    }
}

/// Keeps the first error, and the texts of messages.
#[derive(Default)]
pub(crate) struct FirstError {
    pub(crate) failure: Option<Failure>,
}

impl FirstError {
    /// The failure that an error means.
    pub(crate) fn failure(self, error: Error) -> Failure {
        let unknown = || Failure { message: error.to_string(), place: None };
        match &error {
            Error::Message(diagnostic) => {
                let message = diagnostic.message.clone();
                self.failure.unwrap_or(Failure { message, place: None })
            }
            Error::Reported => self.failure.unwrap_or_else(unknown),
        }
    }
}

impl Reporter for FirstError {
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        if self.failure.is_none() {
            self.failure = Failure::of(&diagnostics, sources);
        }
    }

    fn logs(&mut self, _: &[LogEntry], _: &SourceMap) {}

    fn output(&mut self, _: &str) {}
}

/// An open environment, or the reason why it cannot be opened; nodes fail with it.
pub(crate) struct Side {
    pub(crate) environment: Result<SharedEnvironment, Failure>,
    /// The exported resources of its nodes.
    pub(crate) exports: Arc<ExportPool>,
}

impl Side {
    pub(crate) fn open(path: &Path, sources: &SideSources, options: &Options) -> Self {
        let options = Options {
            layer: sources.layer.clone(),
            states: Some(FileStates::default()),
            texts: Some(Arc::new(SourceMap::with_parse_cache())),
            ..options.clone()
        };
        let _watch = Watch::begin();
        let mut reporter = FirstError::default();
        let opened = SharedEnvironment::open(&mut reporter, path, &options);
        let environment = opened.map_err(|error| reporter.failure(error));
        Self { environment, exports: Arc::default() }
    }

    /// Compiles a node.
    pub(crate) fn compile(&self, request: NodeRequest) -> Result<NodeCatalog, Failed> {
        let environment = match &self.environment {
            Ok(environment) => environment,
            Err(failure) => return Err(Failed { failure: failure.clone(), is_of_budget: false }),
        };
        let _watch = Watch::begin();
        let exports = Some(Arc::clone(&self.exports) as Arc<dyn Exports>);
        let compiled = environment.compile(NodeRequest { exports, ..request });
        if compiled.graph.is_some() {
            return Ok(compiled);
        }
        let failure = Failure::of(&compiled.diagnostics, environment.sources());
        let unknown = || Failure { message: "the compile failed".to_owned(), place: None };
        let failure = failure.unwrap_or_else(unknown);
        Err(Failed { failure, is_of_budget: compiled.has_exceeded_budget })
    }

    pub(crate) fn export(&self, exported: &[Exported]) {
        self.exports.add(exported);
    }
}

/// A failed compile.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) failure: Failure,
    /// Whether a budget was exceeded, perhaps by another compile.
    pub(crate) is_of_budget: bool,
}
