//! Checks of files, one by one and together: manifests, templates, and the configuration and data
//! of Hiera.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::yaml::{ErrorKind as YamlErrorKind, advice};
use ordain_graph::language::{CheckOptions, CheckReport, SourceText, Strict};
use ordain_source::{Diagnostic, EntryKind, Severity, TextRange, World};

use super::repository::{DataFile, ProgramUnit, Unit, holds_modules};
use super::{lint, repository};
use ordain_puppet::hiera::config::{Config, Owner, VERSION_3_HELP};
use ordain_puppet::load::{duplicate, namespace_of};
use ordain_puppet::syntax;
use ordain_puppet::syntax::definitions::{Defined, defined};
use ordain_puppet::validation::{ModuleFile, Options, validate};

/// A file of data is broken.
const INVALID_DATA: &str = "puppet::invalid-data";

/// The code of a duplicate key in a map of a data file.
const DUPLICATE_KEY: &str = "puppet::duplicate-data-key";

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Manifest,
    Template,
    HieraConfig,
    Yaml,
    Json,
}

impl Form {
    /// Whether it is data. Other programs have files with such names, too.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Self::Yaml | Self::Json)
    }
}

/// The format of a file by its name. Standard input is a manifest.
pub(crate) fn form(path: &Path) -> Option<Form> {
    if path.file_name().is_some_and(|n| n == "hiera.yaml") {
        return Some(Form::HieraConfig);
    }
    if path == Path::new("-") {
        return Some(Form::Manifest);
    }
    match path.extension()?.to_str()? {
        "pp" => Some(Form::Manifest),
        "epp" => Some(Form::Template),
        "yaml" | "yml" | "eyaml" => Some(Form::Yaml),
        "json" => Some(Form::Json),
        _ => None,
    }
}

/// Checks a file.
pub(crate) fn check(source: &SourceText<'_>, checking: &CheckOptions<'_>) -> CheckReport {
    let (file, text) = (source.file, &source.text);
    let at = |range: TextRange, message: String| {
        vec![Diagnostic::error(INVALID_DATA, message).at(range.in_file(file))]
    };
    let found = match form(source.path) {
        Some(Form::Manifest) | None => {
            let parsed = syntax::parse(file, text.clone());
            return program(parsed, module_file(source, checking.world), checking.strict);
        }
        Some(Form::Template) => {
            return program(syntax::parse_epp(file, text.clone()), None, checking.strict);
        }
        Some(Form::HieraConfig) => {
            let found = hiera_config(source, checking);
            return CheckReport { found, defines: Some(Box::new(Unit::Config)) };
        }
        Some(Form::Yaml) => match DataFile::yaml(text) {
            Ok(data) => {
                let found = data.twice.iter().map(|(key, first, second)| {
                    let text = format!("The key `{key}` is there twice");
                    let found = Diagnostic::warning(DUPLICATE_KEY, text);
                    let found = found.labelled(second.in_file(file), "this one counts");
                    found.related(first.in_file(file), "this one has no effect")
                });
                let found =
                    if checking.strict == Strict::Off { Vec::new() } else { found.collect() };
                let unit = Unit::Data(Arc::new(data));
                return CheckReport { found, defines: Some(Box::new(unit)) };
            }
            // `yaml_data` refuses such a file, but a function of a module may read it. Files of a
            // known hierarchy are looked at later.
            Err(e) if e.kind == YamlErrorKind::UnspecifiedClass => Vec::new(),
            Err(_) if is_read_by_modules_only(source, checking.world) => return broken(Vec::new()),
            Err(e) => {
                let found = advice(&e.kind, text, e.range);
                let error = Diagnostic::error(INVALID_DATA, e.message);
                let mut error = error.labelled(found.place.in_file(file), found.label);
                error.help.extend(found.help.map(ToOwned::to_owned));
                return broken(vec![error]);
            }
        },
        Some(Form::Json) => match ordain_data::json::read(text) {
            Ok(_) => Vec::new(),
            Err(e) => return broken(at(e.range, e.message)),
        },
    };
    found.into()
}

/// Whether only functions of modules read a file of data, judging by the nearest `hiera.yaml`: its
/// levels of this directory all have such functions, which may read other YAML.
fn is_read_by_modules_only(source: &SourceText<'_>, world: &dyn World) -> bool {
    let mut dirs = source.full.ancestors().skip(1);
    let config = dirs.find_map(|dir| {
        let path = dir.join("hiera.yaml");
        let text = String::from_utf8(world.read(&path).ok()?).ok()?;
        let owner = Owner::Environment;
        Some((dir, Config::read(&path, &text, &owner, Strict::Warning).ok()?))
    });
    let Some((dir, config)) = config else { return false };
    let mut levels = config
        .hierarchy
        .iter()
        .filter(|level| source.full.starts_with(dir.join(level.datadir.as_str())))
        .map(repository::is_read_level)
        .peekable();
    levels.peek().is_some() && levels.all(|is_read| !is_read)
}

/// A data file that cannot be read.
fn broken(found: Vec<Diagnostic>) -> CheckReport {
    CheckReport { found, defines: Some(Box::new(Unit::Broken)) }
}

fn program(parsed: syntax::Parsed, module_file: Option<ModuleFile>, strict: Strict) -> CheckReport {
    let syntax::Parsed { program, diagnostics: mut found, .. } = parsed;
    let is_sound = |found: &[Diagnostic]| found.iter().all(|d| d.severity != Severity::Error);
    let mut sound = is_sound(&found);
    if sound {
        let options = Options { strict, module_file, ..Options::default() };
        found.extend(validate(&program, &options));
        sound = is_sound(&found);
        if strict != Strict::Off {
            found.extend(lint(&program));
        }
    }
    let found = repository::silence::kept(found, &program.text);
    let unit = Unit::Program(ProgramUnit { program: Arc::new(program), sound });
    CheckReport { found, defines: Some(Box::new(unit)) }
}

/// Reports classes and defines that two files define. If both files are in the manifests of one
/// environment or module, all are loaded, so this is an error. Otherwise it is a warning, because
/// the files may be separate programs, and a class of the site program only hides the module's.
pub(crate) fn duplicates(files: &[(SourceText<'_>, &CheckReport)]) -> Vec<Diagnostic> {
    let mut known: BTreeMap<(PathBuf, EcoString), (Defined, Option<&Path>)> = BTreeMap::new();
    let mut out = Vec::new();
    for (source, checked) in files {
        let Some(Unit::Program(unit)) = Unit::of(checked) else { continue };
        let defines = defined(&unit.program);
        if defines.is_empty() {
            continue;
        }
        let (root, together) = belongs_to(source.full);
        let mut above = source.path.ancestors();
        let folder = above.find(|a| a.file_name().is_some_and(|n| n == "manifests"));
        for def in defines {
            match known.entry((root.clone(), def.name.clone())) {
                Entry::Vacant(entry) => {
                    entry.insert((def, folder));
                }
                Entry::Occupied(first) => {
                    let (first, first_folder) = first.get();
                    let mut found = duplicate(&def, first, "");
                    let both_read = together && folder == *first_folder;
                    if !both_read && def.span.file != first.span.file {
                        found.severity = Severity::Warning;
                    }
                    out.push(found);
                }
            }
        }
    }
    out
}

/// The environment or module of a manifest; else its directory.
fn belongs_to(full: &Path) -> (PathBuf, bool) {
    for root in full.ancestors().skip(1) {
        if root.file_name().is_some_and(|n| n == "manifests")
            && let Some(module) = root.parent()
        {
            let above = module.parent();
            let environment = above.and_then(Path::parent);
            return match (above.is_some_and(holds_modules), environment) {
                (true, Some(environment)) => (environment.to_path_buf(), true),
                _ => (module.to_path_buf(), true),
            };
        }
    }
    (full.parent().unwrap_or(full).to_path_buf(), false)
}

fn hiera_config(source: &SourceText<'_>, checking: &CheckOptions<'_>) -> Vec<Diagnostic> {
    let (path, text, strict) = (source.path, &*source.text, checking.strict);
    let dir = path.parent();
    let in_module = dir.is_some_and(|dir| has_module_metadata(dir, checking.world));
    let name = dir.and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
    let owner = match name {
        Some(name) if in_module => Owner::Module(name.as_str().into()),
        _ => Owner::Environment,
    };
    let line = |number: Option<u32>| line_range(text, number.unwrap_or(1)).in_file(source.file);
    let config = match Config::read(path, text, &owner, strict) {
        Ok(config) => config,
        Err(fault) => {
            let error = Diagnostic::error(INVALID_DATA, fault.message);
            if let Some(blame) = fault.blame {
                let mut error = error.at(blame.range.in_file(source.file));
                error.help.extend(blame.help);
                return vec![error];
            }
            return vec![if fault.path.is_some() { error.at(line(fault.line)) } else { error }];
        }
    };
    if config.version == 3 && dir.is_some_and(|dir| is_environment(dir, checking.world)) {
        let text = "hiera.yaml version 3 cannot be used in an environment";
        let error = match strict {
            Strict::Error => Diagnostic::error(INVALID_DATA, text),
            _ => Diagnostic::warning(INVALID_DATA, text),
        };
        return vec![error.at(line(None)).help(VERSION_3_HELP)];
    }
    // The span already has the place.
    let shown = format!("{}: ", path.display());
    let bare = |warning: &str| {
        let first = warning.lines().next().unwrap_or_default();
        first.strip_prefix(&shown).unwrap_or(first).to_owned()
    };
    let warning = |w: &String| Diagnostic::warning(INVALID_DATA, bare(w)).at(line(None));
    // Tests may need a configuration of an old version.
    let is_of_tests = path.components().any(|part| part.as_os_str() == "spec");
    let warnings = config.warnings.iter().filter(|_| !is_of_tests);
    let levels = config.hierarchy.iter().chain(config.default_hierarchy.iter().flatten());
    let twice = levels.filter_map(|level| level.twice.as_ref());
    let twice =
        twice.map(|fault| Diagnostic::error(INVALID_DATA, &fault.message).at(line(fault.line)));
    warnings.map(warning).chain(twice).collect()
}

/// The range of a line without surrounding spaces.
fn line_range(text: &str, number: u32) -> TextRange {
    let mut start = 0;
    for (i, line) in (1..).zip(text.split_inclusive('\n')) {
        if i == number {
            let indent = line.len() - line.trim_start().len();
            let end = start + line.trim_end().len();
            return TextRange::new((start + indent).min(end) as u32, end as u32);
        }
        start += line.len();
    }
    TextRange::default()
}

/// The file of a module, which decides the names that its definitions may have: below `manifests`,
/// `functions` or `types` of a directory with `metadata.json` or in a directory for modules.
fn module_file(source: &SourceText<'_>, world: &dyn World) -> Option<ModuleFile> {
    for root in source.full.ancestors().skip(1) {
        let folder = root.file_name()?.to_str()?;
        if !["manifests", "functions", "types"].contains(&folder) {
            continue;
        }
        let module = root.parent()?;
        if module.parent().is_some_and(holds_modules) || has_module_metadata(module, world) {
            let name = module_name(module)?;
            let namespace = namespace_of(&name, root, source.full);
            return Some(ModuleFile { path: source.path.display().to_string(), namespace });
        }
    }
    None
}

/// Whether a directory is an environment by its configuration.
fn is_environment(dir: &Path, world: &dyn World) -> bool {
    world.kind(&dir.join("environment.conf")) == Some(EntryKind::File)
}

/// Whether a directory is a module by its metadata; some environments have metadata, too.
fn has_module_metadata(dir: &Path, world: &dyn World) -> bool {
    world.kind(&dir.join("metadata.json")) == Some(EntryKind::File) && !is_environment(dir, world)
}

/// The name of a module: the name of its directory, or the name in its metadata if the directory
/// has the author and the name.
fn module_name(dir: &Path) -> Option<String> {
    let name = dir.file_name()?.to_str()?;
    Some(name.rsplit('-').next().unwrap_or(name).to_string())
}
