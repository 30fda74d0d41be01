//! A file with all that an analysis knows of it alone.

use std::path::PathBuf;
use std::sync::Arc;

use ordain_driver::check::CheckedFile;
use ordain_puppet::syntax::Program;
use ordain_puppet_tools::check::{DataKey, data_keys, program};

use crate::language::Language;
use crate::lines::Lines;
use crate::puppet::names::Names;
use crate::words::{self, Words};

/// A file.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
    pub(crate) lines: Lines,
    pub(crate) language: Option<Language>,
    /// The check of the file; templates in ERB have none.
    pub(crate) checked: Option<CheckedFile>,
    /// The names of a manifest or template.
    pub(crate) names: Arc<Names>,
    /// The names of the last text without syntax errors, which a tree of an unfinished text may lack.
    pub(crate) last_names: Arc<Names>,
    /// The names of a file of another language.
    pub(crate) words: Words,
}

impl File {
    /// Analyzes a text.
    pub(crate) fn new(path: PathBuf, text: Arc<str>, checked: Option<CheckedFile>) -> Self {
        let language = Language::of(&path, checked.as_ref());
        let lines = Lines::new(Arc::clone(&text));
        let mut out = Self {
            path,
            text,
            lines,
            language,
            checked,
            names: Arc::default(),
            last_names: Arc::default(),
            words: Words::default(),
        };
        if let Some(program) = out.program() {
            out.names = Arc::new(Names::of(program));
            out.last_names = Arc::clone(&out.names);
        }
        out.words = words::of(out.language, &out.path, &out.text);
        out
    }

    /// The same file, which replaces an older text of it.
    pub(crate) fn after(self, older: &Self) -> Self {
        let is_broken = self.checked.as_ref().is_some_and(|checked| {
            checked.report.found.iter().any(|found| found.code == "puppet::syntax-error")
        });
        match is_broken {
            true => Self { last_names: Arc::clone(&older.last_names), ..self },
            false => self,
        }
    }

    /// The tree of a manifest or template.
    pub(crate) fn program(&self) -> Option<&Arc<Program>> {
        program(&self.checked.as_ref()?.report)
    }

    /// The keys of a data file.
    pub(crate) fn keys(&self) -> Vec<DataKey<'_>> {
        self.checked.as_ref().map(|checked| data_keys(&checked.report)).unwrap_or_default()
    }
}
