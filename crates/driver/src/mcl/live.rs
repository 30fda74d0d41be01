//! Evaluates a program again whenever one of its inputs changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ordain_engine::cluster::Cluster;
use ordain_engine::shared_kv::Key;
use ordain_mcl::functions::environment::{Environment, Watch};
use ordain_mcl::lower;
use ordain_mcl::session::{self, ProgramErrors};
use ordain_mcl::stream::{PollResult, Stream};
use ordain_source::{HostWorld, SourceMap, budget};

use super::shared::PendingExports;
use super::{Machine, Request};
use crate::compiled::Compiled;
use crate::error::Error;
use crate::options::Options;
use crate::reporter::Reporter;
use crate::shared_store::report_outage;

/// A running program and its view of the machine.
pub struct LiveProgram {
    stream: Stream,
    machine: Machine,
    sources: Arc<SourceMap>,
    /// The values that hosts share, if there is a store.
    cluster: Option<Arc<Cluster>>,
    /// Collects the errors of the program for its diagnostics.
    refused: ProgramErrors,
}

impl LiveProgram {
    /// Checks a program and starts it. Reports diagnostics to `reporter`.
    ///
    /// # Errors
    /// When it has errors.
    pub fn start(
        reporter: &mut dyn Reporter,
        path: &Path,
        options: &Options,
    ) -> Result<Self, Error> {
        let _watch = budget::Watch::within();
        let sources = options.sources();
        let request = Request::of(path, options)?;
        let checked = {
            let machine = request.machine();
            let input = request.input();
            session::check(machine.world(), &sources, &input, &request.options())
        };
        let checked = checked.map_err(|refused| {
            reporter.diagnostics(refused.diagnostics(), &sources);
            Error::Reported
        })?;
        reporter.diagnostics(checked.warnings, &sources);
        let cluster = request.cluster.clone();
        report_outage(reporter, cluster.as_ref());
        // Files that the program reads at run time are watched by the stream. They are no reason to
        // compile it again.
        let machine = Request { world: Arc::new(HostWorld::new()), ..request }.machine();
        let mut refused =
            ProgramErrors { failures: Vec::new(), input: None, modules: checked.modules };
        match Stream::new(checked.program, &machine) {
            Ok(stream) => Ok(Self { stream, machine, sources, cluster, refused }),
            Err(failure) => {
                refused.failures.push(failure);
                reporter.diagnostics(refused.diagnostics(), &sources);
                Err(Error::Reported)
            }
        }
    }

    /// The next graph, if it has changed. Reports diagnostics to `reporter`.
    ///
    /// # Errors
    /// When the program ends with an error, or the engine does not support a resource of it.
    pub fn poll(&mut self, reporter: &mut dyn Reporter) -> Result<Option<Compiled>, Error> {
        let _watch = budget::Watch::within();
        let resources = match self.stream.poll(&self.machine) {
            Ok(PollResult::Graph(resources)) => resources,
            Ok(PollResult::Nothing | PollResult::Incomplete) => return Ok(None),
            Err(failures) => {
                self.refused.failures = failures;
                reporter.diagnostics(self.refused.diagnostics(), &self.sources);
                return Err(Error::Reported);
            }
        };
        let host = self.machine.hostname();
        let deploy = || self.refused.modules.deploy(self.machine.world());
        let lowered = lower::lower(&resources, &host, &deploy);
        if !lowered.refused.is_empty() {
            reporter.diagnostics(lowered.refused, &self.sources);
            return Err(Error::Reported);
        }
        let exports = PendingExports::of(self.cluster.as_ref(), &resources, &host).map(Into::into);
        let mut loaded = Compiled::of_graph(lowered.graph, Arc::clone(&self.sources));
        loaded.exports = exports;
        Ok(Some(loaded))
    }

    /// The files that the program depends on.
    pub fn files(&self) -> Vec<PathBuf> {
        let shared = &self.machine.shared;
        let file = |watch: &Watch| match watch {
            Watch::File(path) => Some(path.clone()),
            Watch::Key(key) => Some(shared.file(&Key::new(key))),
            Watch::Schedule(namespace) => Some(shared.file(&Key::of_schedule(namespace))),
            Watch::Exports(kind) => Some(shared.file(&Key::of_exports(kind))),
            _ => None,
        };
        self.stream.watches().iter().filter_map(file).collect()
    }

    /// Marks all of these files as possibly changed.
    pub fn files_changed(&mut self) {
        let is_file = |watch: &&Watch| {
            matches!(watch, Watch::File(_) | Watch::Key(_) | Watch::Schedule(_) | Watch::Exports(_))
        };
        let watches: Vec<Watch> = self.stream.watches().iter().filter(is_file).cloned().collect();
        for watch in watches {
            self.stream.happened(&watch);
        }
    }

    /// Whether the program has to be evaluated again: a timer has expired, or a command has written
    /// a line.
    pub fn is_due(&mut self) -> bool {
        let mut is_due = self.stream.due().is_some_and(|due| due <= SystemTime::now());
        for command in self.machine.commands.with_new_lines() {
            is_due |= self.stream.happened(&Watch::Command(command));
        }
        is_due
    }

    /// The time until the program has to be polled again; `None` if only a file change wakes it.
    pub fn timeout(&self) -> Option<Duration> {
        let due = self.stream.due();
        let due = due.map(|due| due.duration_since(SystemTime::now()).unwrap_or_default());
        let poll = self.machine.commands.are_running().then_some(POLL_INTERVAL);
        [due, poll].into_iter().flatten().min()
    }
}

/// The interval at which commands are polled for new lines.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
