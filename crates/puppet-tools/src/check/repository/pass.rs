//! One pass of the rules over a file, and groups of files.

use crate::check::repository::index::Index;
use crate::check::repository::layout::Root;
use crate::check::repository::scopes::Scopes;
use crate::check::repository::units::Unit;
use ecow::EcoString;
use ordain_graph::language::SourceText;
use ordain_puppet::syntax;
use ordain_puppet::syntax::Program;
use ordain_puppet::syntax::definitions::TypeDef;
use ordain_source::{Diagnostic, FileId, SourceMap, suggest};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The maximal number of findings of these rules in a file.
pub(super) const MAX: usize = 200;

/// The context of the rules while they check a file.
pub(super) struct Pass<'a> {
    pub(super) index: &'a Index,
    pub(super) file: FileId,
    pub(super) program: &'a Program,
    pub(super) scopes: &'a Scopes,
    pub(super) facts: Option<&'a [String]>,
    /// The module of the file; empty if there is none.
    pub(super) module: EcoString,
    /// Whether the file is data, whose interpolations have a syntax of their own.
    pub(super) is_data: bool,
    /// Names that may be of a missing module and were not checked.
    pub(super) unchecked: BTreeSet<EcoString>,
    /// Whether the file is a test or an example.
    pub(super) is_aside: bool,
    pub(super) found: Vec<Diagnostic>,
    pub(super) foreign: Vec<Foreign>,
    /// The number of unknown names for which a suggestion was searched.
    pub(super) looked_for: usize,
    /// Classes of keys that do not exist and were reported.
    pub(super) unknown_classes: FxHashSet<EcoString>,
}

impl<'a> Pass<'a> {
    /// A pass over a text that is no program.
    pub(super) fn of_data(
        index: &'a Index,
        file: FileId,
        nothing: &'a Program,
        scopes: &'a Scopes,
        facts: Option<&'a [String]>,
    ) -> Self {
        Self {
            index,
            file,
            program: nothing,
            scopes,
            facts,
            module: EcoString::new(),
            is_data: false,
            unchecked: BTreeSet::new(),
            is_aside: false,
            found: Vec::new(),
            foreign: Vec::new(),
            looked_for: 0,
            unknown_classes: FxHashSet::default(),
        }
    }

    /// Whether all modules are present that the file may use.
    pub(super) fn is_complete(&self) -> bool {
        self.index.is_complete_for(&self.module)
    }

    /// Whether a class or define exists for the file. Those of tests and examples only exist for
    /// such files.
    pub(super) fn sees(&self, def: Option<&TypeDef>) -> bool {
        def.is_some_and(|def| self.is_aside || !self.index.test_files.contains(&def.span.file))
    }

    /// Whether a suggestion is searched for another unknown name.
    pub(super) fn looks_for_another(&mut self) -> bool {
        self.looked_for += 1;
        self.looked_for <= suggest::MAX_SUGGESTIONS
    }

    /// Whether the file has the maximal number of findings.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX
    }

    /// Whether a fact that is not known does not exist.
    pub(super) fn facts_are_complete(&self) -> bool {
        self.facts.is_some() || self.is_complete()
    }

    /// Whether the facts of the command line have this path.
    pub(super) fn has_fact(&self, path: &str) -> bool {
        self.facts.is_some_and(|facts| facts.binary_search_by(|f| f.as_str().cmp(path)).is_ok())
    }

    /// Whether a template may read a variable of this name.
    pub(super) fn may_render(&self, name: &str) -> bool {
        let has_word = || {
            let texts = self.program.exprs.iter();
            let mut texts = texts.filter_map(|(_, expr)| match expr {
                syntax::Expr::Str(text) | syntax::Expr::RenderText(text) => Some(text),
                _ => None,
            });
            texts.any(|text| text.contains(name))
        };
        self.index.words.contains(name) || has_word()
    }
}

/// A file that was named.
pub(super) struct NamedFile<'a> {
    pub(super) source: &'a SourceText<'a>,
    pub(super) unit: &'a Unit,
}

/// Files that belong together.
pub(super) struct Group<'a> {
    pub(super) root: Root,
    pub(super) files: Vec<NamedFile<'a>>,
}

/// Displays the paths of other files in the style of the named ones.
pub(super) struct DisplayPaths {
    pub(super) base: PathBuf,
}

impl DisplayPaths {
    pub(super) fn like(source: &SourceText<'_>) -> Self {
        let length = source.path.components().count();
        let base = match source.full.ends_with(source.path) {
            true => source.full.ancestors().nth(length).unwrap_or(Path::new("")).to_path_buf(),
            false => PathBuf::new(),
        };
        Self { base }
    }

    pub(super) fn path<'p>(&self, path: &'p Path) -> &'p Path {
        match self.base.as_os_str().is_empty() {
            true => path,
            false => path.strip_prefix(&self.base).unwrap_or(path),
        }
    }
}

/// A program with its scopes.
pub(super) struct Text {
    pub(super) scopes: Scopes,
    /// The name of its module; empty if there is none.
    pub(super) module: EcoString,
    pub(super) is_named: bool,
    /// Whether it is in the repository, but was not named.
    pub(super) is_left_out: bool,
    pub(super) is_sound: bool,
    pub(super) is_aside: bool,
}

/// Adds a file that was not named to the sources.
pub(super) fn source(sources: &SourceMap, shown: &DisplayPaths, path: &Path, text: &str) -> FileId {
    sources.add(shown.path(path), text)
}

/// A module that is named in code, but is neither present nor declared anywhere.
pub(super) struct Foreign {
    pub(super) module: EcoString,
    pub(super) found: Diagnostic,
}
