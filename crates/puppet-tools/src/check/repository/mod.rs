//! Checks a whole repository: an environment with its modules, or a module.
//!
//! [`layout`] groups the files, [`survey`] reads the Ruby files of modules, and one [`index`] has
//! all definitions of a group. Then every family of rules checks every named file, one file at a
//! time, on all threads. Other files are only read for their definitions and are not reported.

mod arguments;
mod assignments;
mod calls;
mod dependencies;
mod erb;
mod facts;
mod hiera;
mod index;
mod installed;
mod instances;
mod layout;
mod levels;
mod literals;
mod members;
mod metadata;
mod models;
mod names;
mod options;
mod pass;
mod relations;
mod rules;
mod scopes;
pub(crate) mod silence;
mod state;
mod straight;
mod survey;
mod takes;
mod templates;
mod titles;
mod types;
mod unchecked;
mod units;
mod values;
mod variables;
mod versions;
mod widespread;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_graph::language::{CheckOptions, CheckReport, SourceText, Strict};
use ordain_source::{Diagnostic, Severity};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::repository::pass::DisplayPaths;
use crate::check::repository::pass::Group;
use crate::check::repository::pass::NamedFile;
use crate::check::repository::pass::Text;
use crate::check::repository::titles::Titles;
pub use facts::known_facts;
use index::{Index, Module};
pub use installed::InstalledModules;
pub(crate) use layout::holds_modules;
use layout::is_aside;
use layout::{Kind, ModuleDir, Root, Roots};
pub(crate) use levels::is_read as is_read_level;
use ordain_puppet::syntax;
use rules::{FileFindings, rules};
use scopes::Scopes;
use state::GroupState;
pub use state::RepositoryState;
use survey::Survey;
use unchecked::Unchecked;
pub(crate) use units::{DataFile, ProgramUnit, Unit};

/// The findings in groups of files, and the state for checks of single files.
pub(crate) fn check(
    files: &[(SourceText<'_>, &CheckReport)],
    checking: &CheckOptions<'_>,
) -> (Vec<Diagnostic>, RepositoryState) {
    let (mut found, mut states) = (Vec::new(), Vec::new());
    for group in groups(files, checking) {
        let (of_group, state) = repository(&group, checking);
        found.extend(of_group);
        states.extend(state);
    }
    found.retain(|d| checking.strict != Strict::Off || d.severity == Severity::Error);
    (found, RepositoryState::new(states))
}

/// The files by group. Modules beside each other are one group.
fn groups<'a>(
    files: &'a [(SourceText<'a>, &'a CheckReport)],
    checking: &CheckOptions<'_>,
) -> Vec<Group<'a>> {
    let mut roots = Roots::new(checking.world);
    let mut groups: BTreeMap<Root, Vec<NamedFile<'a>>> = BTreeMap::new();
    for (source, checked) in files {
        let (Some(unit), Some(dir)) = (Unit::of(checked), source.full.parent()) else { continue };
        groups.entry(roots.of(dir)).or_default().push(NamedFile { source, unit });
    }
    let mut beside: FxHashMap<PathBuf, usize> = FxHashMap::default();
    for root in groups.keys().filter(|root| root.kind == Kind::Module) {
        *beside.entry(root.dir.parent().unwrap_or(&root.dir).to_path_buf()).or_default() += 1;
    }
    let mut merged: BTreeMap<Root, Vec<NamedFile<'a>>> = BTreeMap::new();
    for (root, files) in groups {
        let parent = root.dir.parent().filter(|_| root.kind == Kind::Module);
        let root = match parent.filter(|p| beside.get(*p).is_some_and(|count| *count > 1)) {
            Some(parent) => Root { kind: Kind::Modules, dir: parent.to_path_buf() },
            None => root,
        };
        merged.entry(root).or_default().extend(files);
    }
    merged.into_iter().map(|(root, files)| Group { root, files }).collect()
}

/// The findings in files of one environment, or of modules.
fn repository(
    group: &Group<'_>,
    checking: &CheckOptions<'_>,
) -> (Vec<Diagnostic>, Option<GroupState>) {
    let Some(first) = group.files.first() else { return (Vec::new(), None) };
    let shown = DisplayPaths::like(first.source);
    let (mut index, own) = survey_all(&group.root, checking);
    let programs = programs(group, &index, own.as_ref(), checking, &shown);
    for program in &programs {
        index.add_program(&program.scopes.program, &program.module, &program.scopes);
        if program.is_aside {
            index.test_files.insert(program.scopes.program.file);
        }
    }
    for program in programs.iter().filter(|program| program.is_named && !program.is_sound) {
        let path = checking.sources.file(program.scopes.program.file).path.clone();
        index.broken.extend(autoloaded(&program.module, &path).map(|name| (name, path)));
    }
    index.finish();
    index.titles = Titles::of(&programs, &index);
    index.is_whole = !programs.iter().any(|program| program.is_left_out);
    let named = programs.par_iter().filter(|p| p.is_named && p.is_sound);
    let passes: Vec<(&Text, FileFindings)> =
        named.map(|program| (program, rules(program, &index, checking))).collect();
    let mut found = Vec::new();
    let mut modules = FxHashSet::default();
    let mut unchecked = Unchecked::default();
    for (program, of_file) in passes {
        found.extend(of_file.found);
        unchecked.add(&index, &program.module, of_file.unchecked);
        let first = of_file.foreign.into_iter().filter(|f| modules.insert(f.module.clone()));
        found.extend(first.map(|f| f.found));
    }
    found.extend(unchecked.finding());
    found.extend(models::check(&programs, &index, checking));
    found.extend(hiera::check(group, &index, &programs, checking, &shown));
    found.extend(erb::check(group, &index, &programs, checking, &shown));
    found.extend(dependencies::check(group, &index, checking, &shown));
    let files = programs.iter().map(|text| (text.scopes.program.file, text.module.clone()));
    let files =
        files.map(|(file, module)| (checking.sources.file(file).path.clone(), file, module));
    (found, Some(GroupState::new(group.root.clone(), index, files)))
}

/// The class or define that a module loads from a manifest.
fn autoloaded(module: &ecow::EcoString, path: &Path) -> Option<ecow::EcoString> {
    let text = path.with_extension("");
    let mut names = text.components().map(|part| part.as_os_str().to_string_lossy());
    names.by_ref().find(|name| name == "manifests").filter(|_| !module.is_empty())?;
    let rest: Vec<_> = names.collect();
    let mut name = module.to_string();
    for part in rest.iter().filter(|part| rest.len() > 1 || *part != "init") {
        name.push_str("::");
        name.push_str(part);
    }
    Some(name.into())
}

/// Surveys all modules and the environment itself.
fn survey_all(root: &Root, checking: &CheckOptions<'_>) -> (Index, Option<Survey>) {
    let world = checking.world;
    let (mut dirs, mut whole) = (Vec::new(), true);
    match root.kind {
        Kind::Environment => {
            let (path, complete) = layout::modulepath(world, &root.dir);
            whole = complete;
            dirs.extend(path.iter().flat_map(|dir| layout::modules_in(world, dir)));
        }
        Kind::Modules => dirs.extend(layout::modules_in(world, &root.dir)),
        Kind::Module => {
            dirs.push(layout::module(world, &root.dir));
            let fixtures = layout::modules_in(world, &root.dir.join("spec/fixtures/modules"));
            let own = dirs[0].name.clone();
            dirs.extend(fixtures.into_iter().filter(|m| m.name != own));
        }
        Kind::Loose => {}
    }
    dirs.extend(checking.modulepath.iter().flat_map(|dir| layout::modules_in(world, dir)));
    let mut seen: FxHashMap<ecow::EcoString, PathBuf> = FxHashMap::default();
    let mut hidden = Vec::new();
    dirs.retain(|module| match seen.get(&module.name) {
        Some(first) => {
            // A directory may be on the path twice, in two notations.
            let absolute = |dir: &Path| std::path::absolute(dir).unwrap_or_else(|_| dir.into());
            if absolute(first) != absolute(&module.dir) {
                hidden.push((first.clone(), module.clone()));
            }
            false
        }
        None => {
            seen.insert(module.name.clone(), module.dir.clone());
            true
        }
    });
    let survey = |module: ModuleDir| {
        let survey = Survey::of(world, &module);
        Module { name: module.name, dir: module.dir, survey }
    };
    let modules = dirs.into_par_iter().map(survey).collect();
    let mut index = Index::new(root.kind, root.dir.clone(), modules);
    index.whole_path = whole;
    index.hidden = hidden;
    if root.kind != Kind::Environment {
        return (index, None);
    }
    let own = Survey::of(world, &ModuleDir { name: "".into(), dir: root.dir.clone() });
    index.add_survey(&own);
    index.of_site.extend(own.asks_for().cloned());
    let locked = metadata::locked(world, &root.dir);
    index.add_puppetfile(metadata::Puppetfile::read(world, &root.dir), locked);
    (index, Some(own))
}

/// All programs: the named ones, and those that are only read for their definitions.
fn programs(
    group: &Group<'_>,
    index: &Index,
    own: Option<&Survey>,
    checking: &CheckOptions<'_>,
    shown: &DisplayPaths,
) -> Vec<Text> {
    let mut named: FxHashMap<&Path, &ProgramUnit> = FxHashMap::default();
    for file in &group.files {
        if let Unit::Program(unit) = file.unit {
            named.insert(file.source.full, unit);
        }
    }
    let of_modules = index.modules.iter().flat_map(|module| {
        module.survey.programs.iter().map(|path| (path.as_path(), module.name.clone()))
    });
    let own = own.into_iter().flat_map(|s| &s.programs).map(|p| (p.as_path(), "".into()));
    let listed: Vec<(&Path, ecow::EcoString)> = own.chain(of_modules).collect();
    let known: FxHashSet<&Path> = listed.iter().map(|(path, _)| *path).collect();
    let text = |unit: &ProgramUnit, module: ecow::EcoString, is_named: bool, is_aside: bool| Text {
        scopes: Scopes::of(&unit.program),
        module,
        is_named,
        is_left_out: false,
        is_sound: unit.sound,
        is_aside,
    };
    let one = |(path, module): (&Path, ecow::EcoString)| match named.get(path) {
        Some(unit) => Some(text(unit, module, true, false)),
        None => {
            let unit = read(path, checking, shown)?;
            let is_left_out = path.starts_with(&group.root.dir);
            Some(Text { is_left_out, ..text(&unit, module, false, false) })
        }
    };
    let mut out: Vec<Text> = listed.into_par_iter().filter_map(one).collect();
    // Files outside of the group are checked against the index, too. Tests among them define
    // nothing for other files.
    let others = group.files.iter().filter(|file| !known.contains(file.source.full));
    out.extend(others.filter_map(|file| match file.unit {
        Unit::Program(unit) => {
            let aside = is_aside(&group.root.dir, file.source.full);
            Some(text(unit, "".into(), true, aside))
        }
        Unit::Data(_) | Unit::Config | Unit::Broken => None,
    }));
    out
}

fn read(path: &Path, checking: &CheckOptions<'_>, shown: &DisplayPaths) -> Option<ProgramUnit> {
    let bytes = checking.world.read(path).ok()?;
    let text: Arc<str> = String::from_utf8(bytes).ok()?.into();
    let file = checking.sources.add(shown.path(path), Arc::clone(&text));
    let parsed = syntax::parse(file, text);
    Some(ProgramUnit { program: Arc::new(parsed.program), sound: false })
}
