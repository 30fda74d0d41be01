//! The levels of a `hiera.yaml` whose files are not there, and keys that no data has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_graph::language::{CheckOptions, Strict};
use ordain_source::{Diagnostic, FileId, Severity, TextRange, World};
use rustc_hash::FxHashSet;

use super::index::Index;
use super::layout::{Kind, is_aside};
use super::types::text;
use crate::check::repository::Unit;
use crate::check::repository::pass::Group;
use ordain_puppet::hiera::config::{Config, Level, Locations, Owner};
use ordain_puppet::syntax::{Expr, Program};
use ordain_puppet::validation::names::nearest;

const MISSING_DATA_FILE: &str = "puppet::missing-data-file";
const UNKNOWN_DATA_KEY: &str = "puppet::unknown-data-key";

/// Functions of levels that read files of data.
const READING: [&str; 4] = ["yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"];

/// Functions that look up a key; without a default a key that is nowhere is an error.
const LOOKING_UP: [&str; 4] = ["lookup", "hiera", "hiera_array", "hiera_hash"];

/// Whether a level reads data whose form is known.
pub(crate) fn is_read(level: &Level) -> bool {
    READING.contains(&level.function.as_str())
}

/// The paths of a level, before interpolation.
pub(super) fn paths(level: &Level) -> &[EcoString] {
    match &level.locations {
        Locations::Paths(paths) | Locations::Globs(paths) => paths.as_slice(),
        Locations::Mapped([_, _, path]) => std::slice::from_ref(path),
        Locations::None | Locations::Uris(_) => &[],
    }
}

/// The levels of the named configurations that lead nowhere.
pub(super) fn check(group: &Group<'_>, index: &Index, world: &dyn World) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for file in group.files.iter().filter(|file| matches!(file.unit, Unit::Config)) {
        let (path, text) = (file.source.full, &file.source.text);
        let Some(dir) = path.parent().filter(|_| !is_aside(&group.root.dir, path)) else {
            continue;
        };
        let owner = if dir == group.root.dir && group.root.kind == Kind::Environment {
            Owner::Environment
        } else {
            Owner::Module("".into())
        };
        let Ok(config) = Config::read(path, text, &owner, Strict::Warning) else { continue };
        if config.version != 5 {
            continue;
        }
        // Of a missing directory, the first level is enough.
        let mut gone: FxHashSet<PathBuf> = FxHashSet::default();
        let defaults = config.default_hierarchy.iter().flatten();
        for level in config.hierarchy.iter().chain(defaults).filter(|level| is_read(level)) {
            let base = dir.join(level.datadir.as_str());
            // Data outside of the repository is elsewhere on this machine.
            if level.datadir.contains("..") || level.datadir.starts_with('/') {
                continue;
            }
            // A module that is not installed may bring the data.
            if level.datadir.split('/').any(|part| index.missing.contains(part)) {
                continue;
            }
            for path in paths(level) {
                let is_outside = path.starts_with('/') || path.contains("..");
                // The hierarchy that new modules get has levels for systems that most do not need.
                let is_optional =
                    matches!(owner, Owner::Module(_)) && end_of_constant(path).is_some();
                if is_outside || is_optional || is_there(world, &base, path, level) {
                    continue;
                }
                let (absent, message) = missing(dir, &base.join(path.as_str()), world);
                if !gone.insert(absent.clone()) {
                    continue;
                }
                let Some(at) = place(text, path) else { continue };
                let at = at.in_file(file.source.file);
                found.push(match similar(&absent, world) {
                    Some(near) => Diagnostic::warning(MISSING_DATA_FILE, message)
                        .at(at)
                        .help(format!("did you mean `{near}`?")),
                    // It may come with a deployment.
                    None => Diagnostic::new(Severity::Note, MISSING_DATA_FILE, message).at(at),
                });
            }
        }
    }
    found
}

/// The end of the part of a path before interpolation and patterns, if it has some.
fn end_of_constant(path: &str) -> Option<usize> {
    path.find(['%', '*', '?', '[', '{'])
}

/// The name beside a missing file or directory that was probably meant.
fn similar(absent: &Path, world: &dyn World) -> Option<String> {
    let name = absent.file_name()?.to_str()?;
    let entries = world.list(absent.parent()?).ok()?;
    let names = entries.iter().map(|(name, _)| name.as_str());
    nearest(name, names).map(ToOwned::to_owned)
}

/// The part of a path that is missing, and the message about it.
fn missing(dir: &Path, full: &Path, world: &dyn World) -> (PathBuf, String) {
    let text = full.to_string_lossy();
    let end = end_of_constant(&text);
    let constant = match end {
        Some(end) => PathBuf::from(&text[..text[..end].rfind('/').unwrap_or(0)]),
        None => full.to_path_buf(),
    };
    let parent = constant.ancestors().skip(1).find(|dir| world.kind(dir).is_some());
    let gone = match parent {
        Some(parent) if end.is_none() && constant.parent() == Some(parent) => constant.as_path(),
        Some(parent) => {
            let parts = parent.components().count() + 1;
            constant.ancestors().find(|a| a.components().count() == parts).unwrap_or(&constant)
        }
        None => &constant,
    };
    let shown = gone.strip_prefix(dir).unwrap_or(gone).display();
    let message = match end {
        Some(_) => format!("This level has no data, as there is no directory `{shown}`"),
        None => format!("This level has no data, as there is no `{shown}`"),
    };
    (gone.to_path_buf(), message)
}

/// Whether the file of a path is there, or the directory of one with computed parts.
fn is_there(world: &dyn World, base: &Path, path: &str, level: &Level) -> bool {
    let full = base.join(path);
    let text = full.to_string_lossy();
    match end_of_constant(&text) {
        None => {
            let extension = level.extension.as_deref().unwrap_or(".yaml");
            let mut longer = full.as_os_str().to_owned();
            longer.push(extension);
            world.kind(&full).is_some() || world.kind(Path::new(&longer)).is_some()
        }
        Some(end) => {
            let constant = &text[..text[..end].rfind('/').unwrap_or(0)];
            constant.is_empty() || world.kind(Path::new(constant)).is_some()
        }
    }
}

/// The first place of a path as a value in a configuration.
fn place(text: &str, path: &str) -> Option<TextRange> {
    let is_end = |c: char| matches!(c, '"' | '\'' | '\n' | '\r' | ',' | ']' | ' ');
    let is_whole = |(at, _): &(usize, &str)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + path.len()..].chars().next();
        before.is_some_and(|c| matches!(c, '"' | '\'' | ' ' | '[' | ','))
            && after.is_none_or(is_end)
    };
    let at = text.match_indices(path).find(is_whole)?.0;
    Some(TextRange::new(at as u32, (at + path.len()) as u32))
}

/// The keys of all data that lookups reach; open if some data is not known.
#[derive(Default)]
pub(super) struct KnownKeys {
    keys: FxHashSet<EcoString>,
    is_open: bool,
}

impl KnownKeys {
    /// The keys of an environment. Every key may be anywhere if a level reads other data than files
    /// of the repository.
    pub(super) fn of<'k>(
        index: &Index,
        checking: &CheckOptions<'_>,
        keys: impl Iterator<Item = &'k EcoString>,
    ) -> Self {
        let keys: FxHashSet<EcoString> = keys.cloned().collect();
        let dirs = index.modules.iter().map(|module| module.dir.as_path());
        let is_open = !index.is_environment()
            || !index.is_complete_for("")
            || keys.is_empty()
            || !covers(&index.dir, checking.world).unwrap_or(false)
            || dirs.filter_map(|dir| covers(dir, checking.world)).any(|covered| !covered);
        Self { keys, is_open }
    }

    /// Reports a key that nothing has.
    pub(super) fn check(
        &self,
        index: &Index,
        key: &str,
        at: TextRange,
        file: FileId,
    ) -> Option<Diagnostic> {
        let root = key.split('.').next().unwrap_or(key).trim_matches(['\'', '"']);
        let is_computed = root.contains(['%', '{', '$']) || root.is_empty();
        if self.is_open || is_computed || self.keys.contains(root) || root == "lookup_options" {
            return None;
        }
        let message = format!("No data has the key `{root}`");
        let found = Diagnostic::warning(UNKNOWN_DATA_KEY, message).at(at.in_file(file));
        let near = nearest(root, self.keys.iter().map(EcoString::as_str));
        let module = root.split_once("::").map(|(module, _)| module);
        Some(match (near, module.filter(|module| !index.has_module(module))) {
            (Some(near), _) => found.help(format!("did you mean `{near}`?")),
            (None, Some(module)) => found.help(format!("there is no module `{module}` either")),
            (None, None) => found,
        })
    }

    /// Keys that the code of a program looks up and nothing has.
    pub(super) fn looked_up(&self, index: &Index, program: &Arc<Program>) -> Vec<Diagnostic> {
        if self.is_open {
            return Vec::new();
        }
        let mut out = Vec::new();
        for (_, call) in program.calls.iter() {
            let Expr::Name(name) = &program[call.callee] else { continue };
            let args = program.list(call.args);
            let is_needed = call.lambda.is_none()
                && LOOKING_UP.contains(&name.as_str())
                && has_no_default(program, name, args);
            let Some(&key) = args.first().filter(|_| is_needed) else { continue };
            let Some(text) = text(program, key) else { continue };
            out.extend(self.check(index, text, program.range(key), program.file));
        }
        out
    }
}

/// Whether a lookup has no default.
fn has_no_default(program: &Program, name: &str, args: &[ordain_puppet::syntax::ExprId]) -> bool {
    match (name, args) {
        ("lookup", [_]) => true,
        ("lookup", [_, rest @ ..]) if rest.len() < 3 => rest.iter().all(|&arg| {
            // Options may have a default; a type and a merge have none.
            matches!(program[arg], Expr::Ref(_) | Expr::Access(_) | Expr::Str(_) | Expr::Name(_))
        }),
        (_, [_]) => true,
        _ => false,
    }
}

/// Whether all levels of the configuration of a directory read files below it; `None` without one.
fn covers(dir: &Path, world: &dyn World) -> Option<bool> {
    let path = dir.join("hiera.yaml");
    let text = String::from_utf8(world.read(&path).ok()?).ok()?;
    let Ok(config) = Config::read(&path, &text, &Owner::Environment, Strict::Warning) else {
        return Some(false);
    };
    let mut levels = config.hierarchy.iter().chain(config.default_hierarchy.iter().flatten());
    let covered = |level: &Level| {
        let outside = level.datadir.starts_with('/') || level.datadir.contains(['%']);
        let below = dir.join(level.datadir.as_str());
        is_read(level)
            && !outside
            && !level.datadir.contains("..")
            && world.kind(&below).is_some()
            && matches!(
                level.locations,
                Locations::Paths(_) | Locations::Globs(_) | Locations::Mapped(_)
            )
            // A path that begins with something computed may lead anywhere in the directory.
            && paths(level).iter().all(|path| !path.starts_with('/') && !path.contains(".."))
    };
    Some(config.version == 5 && levels.all(covered))
}
