//! Sources whose graph may change while they run: mcl programs, alone or as one of several sources.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::compile::{Purpose, compile};
use crate::compiled::Compiled;
use crate::error::Error;
use crate::kind::SourceKind;
use crate::mcl::LiveProgram;
use crate::options::Options;
use crate::project::SourceList;
use crate::reporter::Reporter;

/// Running sources, and the latest graph of each.
pub struct LiveSources {
    parts: Vec<Part>,
    /// The list that joins the graphs of several sources.
    list: Option<SourceList>,
    /// Whether a part has changed since the last joined graph.
    is_new: bool,
}

enum Part {
    /// A source that is compiled once.
    Fixed(Box<Compiled>),
    Program {
        program: Box<LiveProgram>,
        last: Option<Box<Compiled>>,
    },
}

impl Part {
    fn start(reporter: &mut dyn Reporter, path: &Path, options: &Options) -> Result<Self, Error> {
        if SourceKind::of(path, options) == SourceKind::Mcl {
            let program = Box::new(LiveProgram::start(reporter, path, options)?);
            return Ok(Self::Program { program, last: None });
        }
        let compiled = compile(reporter, path, options, Purpose::Application)?;
        Ok(Self::Fixed(Box::new(compiled)))
    }

    fn compiled(&self) -> Option<&Compiled> {
        match self {
            Self::Fixed(compiled) => Some(compiled),
            Self::Program { last, .. } => last.as_deref(),
        }
    }

    fn into_compiled(self) -> Option<Compiled> {
        match self {
            Self::Fixed(compiled) => Some(*compiled),
            Self::Program { last, .. } => last.map(|compiled| *compiled),
        }
    }

    fn program(&self) -> Option<&LiveProgram> {
        if let Self::Program { program, .. } = self { Some(program) } else { None }
    }
}

impl LiveSources {
    /// Compiles sources and starts the programs among them. Reports diagnostics to `reporter`.
    ///
    /// # Errors
    /// When one has errors.
    pub fn start(
        reporter: &mut dyn Reporter,
        path: &Path,
        options: &Options,
    ) -> Result<Self, Error> {
        let SourceKind::Project(file) = SourceKind::of(path, options) else {
            let parts = vec![Part::start(reporter, path, options)?];
            return Ok(Self { parts, list: None, is_new: true });
        };
        let list = SourceList::read(reporter, &file, options)?;
        let parts = list.parts(reporter)?;
        let start = |(path, options): (PathBuf, Options)| Part::start(reporter, &path, &options);
        let parts = parts.into_iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self { parts, list: Some(list), is_new: true })
    }

    /// The next graph, if it has changed. Reports diagnostics to `reporter`.
    ///
    /// # Errors
    /// When a program ends with an error, or the graphs cannot be joined.
    pub fn poll(&mut self, reporter: &mut dyn Reporter) -> Result<Option<Compiled>, Error> {
        for part in &mut self.parts {
            let Part::Program { program, last } = part else { continue };
            if let Some(compiled) = program.poll(reporter)? {
                *last = Some(Box::new(compiled));
                self.is_new = true;
            }
        }
        if !self.is_new || self.parts.iter().any(|part| part.compiled().is_none()) {
            return Ok(None);
        }
        self.is_new = false;
        // Without a program there is no next graph, so no copy of the parts is needed.
        let parts: Vec<Compiled> = match self.may_change() {
            true => self.parts.iter().filter_map(Part::compiled).cloned().collect(),
            false => self.parts.drain(..).filter_map(Part::into_compiled).collect(),
        };
        match &self.list {
            Some(list) => list.join(reporter, parts).map(Some),
            None => Ok(parts.into_iter().next()),
        }
    }

    /// Whether there may be another graph after the first.
    pub fn may_change(&self) -> bool {
        self.parts.iter().any(|part| part.program().is_some())
    }

    /// The files that programs depend on.
    pub fn files(&self) -> Vec<PathBuf> {
        self.parts.iter().filter_map(Part::program).flat_map(LiveProgram::files).collect()
    }

    /// Marks all of these files as possibly changed.
    pub fn files_changed(&mut self) {
        self.programs().for_each(LiveProgram::files_changed);
    }

    /// Whether a program has to be evaluated again: a timer has expired, or a command has written a
    /// line.
    pub fn is_due(&mut self) -> bool {
        // No short circuit: `is_due` also records the events of each program.
        self.programs().fold(false, |is_due, program| program.is_due() | is_due)
    }

    /// The time until a program has to be polled again; `None` if only a file change wakes it.
    pub fn timeout(&self) -> Option<Duration> {
        self.parts.iter().filter_map(Part::program).filter_map(LiveProgram::timeout).min()
    }

    fn programs(&mut self) -> impl Iterator<Item = &mut LiveProgram> {
        self.parts.iter_mut().filter_map(|part| match part {
            Part::Program { program, .. } => Some(&mut **program),
            Part::Fixed(_) => None,
        })
    }
}
