//! The state of a check of all files that checks of single files reuse, such as those after each key
//! in an editor.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_graph::language::{CheckOptions, CheckReport, SourceText, Strict};
use ordain_source::{Diagnostic, FileId, Severity};
use rustc_hash::FxHashMap;

use super::index::Index;
use super::layout::{Root, is_aside};
use super::pass::Text;
use super::rules::{FileFindings, rules};
use super::scopes::Scopes;
use super::units::Unit;

/// The definitions of all files, as of the last check of all of them and later checks of single
/// files.
///
/// A check of a single file finds all that depends on the file and on the definitions elsewhere. Only
/// a check of all files finds mistakes in other files, in data, and changed type aliases.
#[derive(Default)]
pub struct RepositoryState {
    groups: Vec<GroupState>,
}

/// The state of files that belong together.
pub(super) struct GroupState {
    root: Root,
    index: Index,
    files: FxHashMap<PathBuf, KnownFile>,
}

/// A file of the index.
struct KnownFile {
    /// Its last text.
    file: FileId,
    /// The name of its module; empty if there is none.
    module: EcoString,
}

impl GroupState {
    pub(super) fn new(
        root: Root,
        index: Index,
        files: impl Iterator<Item = (PathBuf, FileId, EcoString)>,
    ) -> Self {
        let files = files.map(|(path, file, module)| (path, KnownFile { file, module }));
        Self { root, index, files: files.collect() }
    }

    /// The findings of the rules in a manifest or template, whose definitions replace its old ones.
    fn check(
        &mut self,
        source: &SourceText<'_>,
        report: &CheckReport,
        checking: &CheckOptions<'_>,
    ) -> Vec<Diagnostic> {
        let Some(Unit::Program(unit)) = Unit::of(report) else { return Vec::new() };
        let known = self.files.get(source.path);
        let module = known.map(|known| known.module.clone()).unwrap_or_default();
        let is_aside = is_aside(&self.root.dir, source.full) && module.is_empty();
        if !unit.sound {
            // The old definitions stay, so that other files are not full of errors meanwhile.
            return Vec::new();
        }
        if let Some(known) = known {
            self.index.remove_file(known.file);
        }
        let scopes = Scopes::of(&unit.program);
        self.index.add_edited(&unit.program, &module, &scopes);
        if is_aside {
            self.index.test_files.insert(source.file);
        } else {
            let mut titles = std::mem::take(&mut self.index.titles);
            titles.add_program(&unit.program, &self.index);
            self.index.titles = titles;
        }
        let known = KnownFile { file: source.file, module: module.clone() };
        self.files.insert(source.path.to_path_buf(), known);
        let text =
            Text { scopes, module, is_named: true, is_left_out: false, is_sound: true, is_aside };
        let FileFindings { mut found, foreign, .. } = rules(&text, &self.index, checking);
        found.extend(foreign.into_iter().map(|foreign| foreign.found));
        found
    }
}

impl RepositoryState {
    pub(super) fn new(groups: Vec<GroupState>) -> Self {
        Self { groups }
    }

    /// The findings in a manifest or template that depend on other files. The texts of the checks
    /// have to be in the same `SourceMap`, and their paths have to be absolute.
    pub fn check_file(
        &mut self,
        source: &SourceText<'_>,
        report: &CheckReport,
        checking: &CheckOptions<'_>,
    ) -> Vec<Diagnostic> {
        let Some(group) = self.group_of(source.path) else { return Vec::new() };
        let mut found = group.check(source, report, checking);
        found.retain(|d| checking.strict != Strict::Off || d.severity == Severity::Error);
        found
    }

    /// The group that has a file, or in whose directory a new file is.
    fn group_of(&mut self, path: &Path) -> Option<&mut GroupState> {
        let known = self.groups.iter().position(|group| group.files.contains_key(path));
        let around = || {
            let around = |(_, group): &(usize, &GroupState)| path.starts_with(&group.root.dir);
            let groups = self.groups.iter().enumerate().filter(around);
            groups.max_by_key(|(_, group)| group.root.dir.components().count()).map(|(i, _)| i)
        };
        let at = known.or_else(around)?;
        self.groups.get_mut(at)
    }
}
