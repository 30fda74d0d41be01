//! Sources that may go on: a program of mgmt gives one graph after another, alone or as one of several
//! sources.

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

/// Sources, and the graph that each gave last.
pub struct LiveSources {
    parts: Vec<Part>,
    /// What makes one graph of several.
    list: Option<SourceList>,
    /// Whether the parts have changed since they were last given as a graph.
    is_new: bool,
}

enum Part {
    /// It stays what it is.
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
    /// Compiles sources, and starts the programs among them; what is wrong is shown.
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

    /// The next graph, if there is another one now; what is wrong is shown.
    ///
    /// # Errors
    /// When a program ends with an error, or the graphs do not fit together.
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
        // Where nothing goes on, nothing is kept.
        let parts: Vec<Compiled> = match self.goes_on() {
            true => self.parts.iter().filter_map(Part::compiled).cloned().collect(),
            false => self.parts.drain(..).filter_map(Part::into_compiled).collect(),
        };
        match &self.list {
            Some(list) => list.join(reporter, parts).map(Some),
            None => Ok(parts.into_iter().next()),
        }
    }

    /// Whether there may be another graph after the first.
    pub fn goes_on(&self) -> bool {
        self.parts.iter().any(|part| part.program().is_some())
    }

    /// The files that programs wait for.
    pub fn files(&self) -> Vec<PathBuf> {
        self.parts.iter().filter_map(Part::program).flat_map(LiveProgram::files).collect()
    }

    /// One of them may have changed.
    pub fn files_changed(&mut self) {
        self.programs().for_each(LiveProgram::files_changed);
    }

    /// Whether the time has come for which a program waits, or a command that it reads from wrote
    /// something.
    pub fn is_due(&mut self) -> bool {
        // Each is asked: it takes note of what happened.
        self.programs().fold(false, |is_due, program| program.is_due() | is_due)
    }

    /// How long programs wait when nothing happens.
    pub fn patience(&self) -> Option<Duration> {
        self.parts.iter().filter_map(Part::program).filter_map(LiveProgram::patience).min()
    }

    fn programs(&mut self) -> impl Iterator<Item = &mut LiveProgram> {
        self.parts.iter_mut().filter_map(|part| match part {
            Part::Program { program, .. } => Some(&mut **program),
            Part::Fixed(_) => None,
        })
    }
}
