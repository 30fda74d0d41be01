//! Sources that may go on: a program of mgmt gives one graph after another, alone or as one of several
//! sources.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::exit::Failure;
use crate::graphs::{self, Loaded};
use crate::joining::{self, Joining};
use crate::mcl;
use crate::options::CompileArgs;
use crate::ui::Ui;

/// Sources, and the graph that each gave last.
pub struct Running {
    parts: Vec<Part>,
    /// What makes one graph of several.
    joining: Option<Joining>,
    /// Whether the parts have changed since they were last given as a graph.
    is_new: bool,
}

enum Part {
    /// It stays what it is.
    Fixed(Box<Loaded>),
    Program {
        program: Box<mcl::Running>,
        last: Option<Box<Loaded>>,
    },
}

impl Part {
    fn start(ui: &mut Ui, path: &Path, args: &CompileArgs) -> Result<Self, Failure> {
        if mcl::is_program(path) {
            let program = Box::new(mcl::Running::start(ui, path, args)?);
            return Ok(Self::Program { program, last: None });
        }
        graphs::load_examined(ui, path, args).map(|loaded| Self::Fixed(Box::new(loaded)))
    }

    fn loaded(&self) -> Option<&Loaded> {
        match self {
            Self::Fixed(loaded) => Some(loaded),
            Self::Program { last, .. } => last.as_deref(),
        }
    }

    fn into_loaded(self) -> Option<Loaded> {
        match self {
            Self::Fixed(loaded) => Some(*loaded),
            Self::Program { last, .. } => last.map(|loaded| *loaded),
        }
    }

    fn program(&self) -> Option<&mcl::Running> {
        if let Self::Program { program, .. } = self { Some(program) } else { None }
    }
}

impl Running {
    /// Compiles sources, and starts the programs among them; what is wrong is shown.
    ///
    /// # Errors
    /// When one has errors.
    pub fn start(ui: &mut Ui, path: &Path, args: &CompileArgs) -> Result<Self, Failure> {
        let Some(file) = joining::file_of(path) else {
            let parts = vec![Part::start(ui, path, args)?];
            return Ok(Self { parts, joining: None, is_new: true });
        };
        let joining = Joining::read(ui, &file, args)?;
        let parts = joining.parts(ui)?;
        let start = |(path, args): (PathBuf, CompileArgs)| Part::start(ui, &path, &args);
        let parts = parts.into_iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self { parts, joining: Some(joining), is_new: true })
    }

    /// The next graph, if there is another one now; what is wrong is shown.
    ///
    /// # Errors
    /// When a program ends with an error, or the graphs do not fit together.
    pub fn poll(&mut self, ui: &mut Ui) -> Result<Option<Loaded>, Failure> {
        for part in &mut self.parts {
            let Part::Program { program, last } = part else { continue };
            if let Some(loaded) = program.poll(ui)? {
                *last = Some(Box::new(loaded));
                self.is_new = true;
            }
        }
        if !self.is_new || self.parts.iter().any(|part| part.loaded().is_none()) {
            return Ok(None);
        }
        self.is_new = false;
        // Where nothing goes on, nothing is kept.
        let parts: Vec<Loaded> = match self.goes_on() {
            true => self.parts.iter().filter_map(Part::loaded).cloned().collect(),
            false => self.parts.drain(..).filter_map(Part::into_loaded).collect(),
        };
        match &self.joining {
            Some(joining) => joining.join(ui, parts).map(Some),
            None => Ok(parts.into_iter().next()),
        }
    }

    /// Whether there may be another graph after the first.
    pub fn goes_on(&self) -> bool {
        self.parts.iter().any(|part| part.program().is_some())
    }

    /// The files that programs wait for.
    pub fn files(&self) -> Vec<PathBuf> {
        self.parts.iter().filter_map(Part::program).flat_map(mcl::Running::files).collect()
    }

    /// One of them may have changed.
    pub fn files_changed(&mut self) {
        self.programs().for_each(mcl::Running::files_changed);
    }

    /// Whether the time has come for which a program waits, or a command that it reads from wrote
    /// something.
    pub fn is_due(&mut self) -> bool {
        // Each is asked: it takes note of what happened.
        self.programs().fold(false, |is_due, program| program.is_due() | is_due)
    }

    /// How long programs wait when nothing happens.
    pub fn patience(&self) -> Option<Duration> {
        self.parts.iter().filter_map(Part::program).filter_map(mcl::Running::patience).min()
    }

    fn programs(&mut self) -> impl Iterator<Item = &mut mcl::Running> {
        self.parts.iter_mut().filter_map(|part| match part {
            Part::Program { program, .. } => Some(&mut **program),
            Part::Fixed(_) => None,
        })
    }
}
