//! The dependencies of modules and of the environment: `metadata.json`, the Puppetfile and
//! `environment.conf`.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_functions::version::Version;
use ordain_graph::language::CheckOptions;
use ordain_source::{Diagnostic, FileId, SourceMap, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::{Index, Module};
use super::layout::{Kind, ModuleDir};
use super::metadata::{Metadata, Puppetfile, RequiredModule};
use super::versions;
use crate::check::repository::pass::{DisplayPaths, Group, source};
use ordain_puppet::validation::names::nearest;

const INVALID_METADATA: &str = "puppet::invalid-metadata";
const DEPENDENCY: &str = "puppet::dependency";
const MISSING_MODULES: &str = "puppet::missing-modules";
const DUPLICATE_MODULE: &str = "puppet::duplicate-module";
const HIDDEN_MODULE: &str = "puppet::hidden-module";
const UNKNOWN_SETTING: &str = "puppet::unknown-setting";

/// The maximal number of modules in a message.
const MAX_NAMED: usize = 8;

/// The settings of an `environment.conf`.
const SETTINGS: [&str; 8] = [
    "modulepath",
    "manifest",
    "config_version",
    "environment_timeout",
    "environment_data_provider",
    "disable_per_environment_manifest",
    "static_catalogs",
    "rich_data",
];

/// Runs the rules over the named files.
pub(super) fn check(
    group: &Group<'_>,
    index: &Index,
    checking: &CheckOptions<'_>,
    shown: &DisplayPaths,
) -> Vec<Diagnostic> {
    let sources = checking.sources;
    let mut found = Vec::new();
    let parents: FxHashSet<&Path> =
        group.files.iter().filter_map(|file| file.source.full.parent()).collect();
    let around: FxHashSet<&Path> = parents.into_iter().flat_map(Path::ancestors).collect();
    for module in &index.modules {
        let is_named = around.contains(module.dir.as_path());
        if let (Some(metadata), true) = (&module.survey.metadata, is_named) {
            let file = source(sources, shown, &metadata.path, &metadata.text);
            faults(metadata, file, &mut found);
            dependencies(index, module, metadata, file, &mut found);
        }
    }
    if group.root.kind != Kind::Environment {
        return found;
    }
    if index.is_whole {
        puppetfile(index, sources, shown, &mut found);
        settings(group, index, checking, shown, &mut found);
    }
    found
}

fn faults(metadata: &Metadata, file: FileId, found: &mut Vec<Diagnostic>) {
    for (at, message) in &metadata.faults {
        let message = format!("metadata.json: {message}");
        found.push(Diagnostic::warning(INVALID_METADATA, message).at(at.in_file(file)));
    }
}

/// The dependencies of a module that are present.
fn dependencies(
    index: &Index,
    module: &Module,
    metadata: &Metadata,
    file: FileId,
    found: &mut Vec<Diagnostic>,
) {
    for wanted in &metadata.dependencies {
        let at = wanted.at.in_file(file);
        let pin = index.puppetfile.as_ref().and_then(|file| pin(file, &wanted.name));
        let here = index.module(&wanted.name);
        let known = match (here, pin) {
            (Some(other), _) => version_of(other).map(|version| (version, "is here")),
            (None, Some(pin)) => pinned(pin).map(|version| (version, "is in the Puppetfile")),
            (None, None) => {
                if index.puppetfile.is_some() && wanted.full.contains(['-', '/']) {
                    let message = format!(
                        "`{}` needs the module `{}`, which is neither here nor in the Puppetfile",
                        module.name, wanted.full
                    );
                    found.push(Diagnostic::warning(DEPENDENCY, message).at(at));
                }
                continue;
            }
        };
        let range = wanted.version.as_deref().and_then(versions::range);
        if let (Some((version, place)), Some(range)) = (known, range)
            && !versions::fits(&version, &range)
        {
            let wants = wanted.version.as_deref().unwrap_or_default();
            let message =
                format!("`{}` needs `{}` {wants}, and {version} {place}", module.name, wanted.full);
            found.push(Diagnostic::warning(DEPENDENCY, message).at(at));
        }
    }
}

/// The line of the Puppetfile for a module.
fn pin<'p>(file: &'p Puppetfile, name: &str) -> Option<&'p RequiredModule> {
    file.modules.iter().find(|m| m.name == name)
}

/// The version of a module in the Puppetfile.
fn pinned(wanted: &RequiredModule) -> Option<Version> {
    wanted.version.as_deref().and_then(versions::version)
}

/// The version of a module in its metadata.
fn version_of(module: &Module) -> Option<Version> {
    let (text, _) = module.survey.metadata.as_ref()?.version.as_ref()?;
    versions::version(text)
}

/// Reports modules that the Puppetfile lists twice, and those that are not installed.
fn puppetfile(
    index: &Index,
    sources: &SourceMap,
    shown: &DisplayPaths,
    found: &mut Vec<Diagnostic>,
) {
    let Some(listed) = &index.puppetfile else { return };
    let file = source(sources, shown, &listed.path, &listed.text);
    let mut seen: FxHashMap<&EcoString, &RequiredModule> = FxHashMap::default();
    for module in &listed.modules {
        if let Some(first) = seen.insert(&module.name, module) {
            let message = format!("The Puppetfile lists the module `{}` twice", module.name);
            let at = module.at.in_file(file);
            let twice = Diagnostic::error(DUPLICATE_MODULE, message).at(at);
            found.push(twice.related(first.at.in_file(file), "first here"));
        }
    }
    for module in &listed.modules {
        let here = index.module(&module.name).and_then(version_of);
        if let (Some(wanted), Some(here)) = (pinned(module), here)
            && wanted != here
        {
            let message =
                format!("The Puppetfile wants `{}` {wanted}, and {here} is here", module.full);
            found.push(Diagnostic::warning(DEPENDENCY, message).at(module.at.in_file(file)));
        }
    }
    let missing: Vec<&RequiredModule> =
        listed.modules.iter().filter(|m| !index.has_module(&m.name)).collect();
    let Some(first) = missing.first() else { return };
    let mut names: Vec<&str> = missing.iter().map(|m| m.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let (count, all) = (names.len(), listed.modules.len());
    names.truncate(MAX_NAMED);
    let more =
        if count > MAX_NAMED { format!(" and {} more", count - MAX_NAMED) } else { "".into() };
    let message = format!(
        "{count} of the {all} modules that the Puppetfile lists are not installed: {}{more}",
        names.join(", ")
    );
    let found_missing = Diagnostic::warning(MISSING_MODULES, message).at(first.at.in_file(file));
    found.push(found_missing.help(
        "their definitions are not checked; `ordain deploy puppetfile` installs them, \
         `--modulepath` names their directories",
    ));
}

/// Reports unknown settings in `environment.conf`, and modules that its path hides.
fn settings(
    group: &Group<'_>,
    index: &Index,
    checking: &CheckOptions<'_>,
    shown: &DisplayPaths,
    found: &mut Vec<Diagnostic>,
) {
    let path = group.root.dir.join("environment.conf");
    let text = checking.world.read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text else {
        return found.extend(index.hidden.iter().map(|hidden| hides(shown, hidden)));
    };
    let file = source(checking.sources, shown, &path, &text);
    let mut modulepath = TextRange::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        if let Some((key, _)) = code.split_once('=') {
            let from = start + (key.len() - key.trim_start().len());
            let key = key.trim();
            let range = TextRange::new(from as u32, (from + key.len()) as u32);
            match key {
                "modulepath" => modulepath = range,
                _ if SETTINGS.contains(&key) => {}
                _ => found.push(unknown_setting(key).at(range.in_file(file))),
            }
        }
        start += line.len();
    }
    let hidden = index.hidden.iter().map(|hidden| hides(shown, hidden));
    found.extend(hidden.map(|found| found.at(modulepath.in_file(file))));
}

fn unknown_setting(key: &str) -> Diagnostic {
    let message = format!("An environment has no setting `{key}`");
    let found = Diagnostic::warning(UNKNOWN_SETTING, message);
    match nearest(key, SETTINGS) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found,
    }
}

fn hides(shown: &DisplayPaths, (first, second): &(PathBuf, ModuleDir)) -> Diagnostic {
    let message = format!(
        "The module `{}` in {} hides the one in {}",
        second.name,
        shown.path(first).display(),
        shown.path(&second.dir).display()
    );
    Diagnostic::warning(HIDDEN_MODULE, message)
}
