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
    pub(crate) names: Names,
    /// The last text without syntax errors, if this one has some: a tree of an unfinished text may
    /// lack the definition around the cursor.
    pub(crate) last_good: Option<Arc<Self>>,
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
            names: Names::default(),
            last_good: None,
            words: Words::default(),
        };
        if let Some(program) = out.program() {
            out.names = Names::of(program);
        }
        out.words = words::of(out.language, &out.path, &out.text);
        out
    }

    /// The same file, which replaces an older text of it.
    pub(crate) fn after(self, older: &Arc<Self>) -> Self {
        let last_good = match (self.is_broken(), older.is_broken()) {
            (false, _) => None,
            (true, false) => Some(Arc::clone(older)),
            (true, true) => older.last_good.clone(),
        };
        Self { last_good, ..self }
    }

    /// Whether the text has syntax errors.
    fn is_broken(&self) -> bool {
        let found = self.checked.iter().flat_map(|checked| &checked.report.found);
        found.into_iter().any(|found| found.code == "puppet::syntax-error")
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
