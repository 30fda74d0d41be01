//! `ordain check`: everything that can be said without running.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use ordain_data::yaml::Schema;
use ordain_puppet::check::{self, ModuleFile};
use ordain_puppet::hiera::config::{Config, Owner, VERSION_3_HELP};
use ordain_puppet::load::{Defined, defined, duplicate, namespace_of};
use ordain_puppet::session::on_deep_stack;
use ordain_puppet::syntax;
use ordain_source::{Diagnostic, FileId, Severity, SourceMap, TextRange, render};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::options::{Language, Strict, TextOrJson};
use crate::ui::{Ui, count};

/// How deep directories may nest; a loop of links ends here.
const MAX_DEPTH: usize = 64;

/// So many files are not worth a second thread.
const FEW: usize = 8;

/// The stack of a thread that parses; only what is used is ever backed by memory.
const STACK: usize = 256 << 20;

/// Parse and validate manifests, templates and Hiera data
///
/// Directories are searched for .pp and .epp files, hiera.yaml, and YAML and JSON below data/ and
/// hieradata/. Whatever was asked for by name is checked, too. YAML with expressions `(( … ))` is
/// checked as a dynaml template; --language dynaml searches directories for it. Classes and defines of an environment
/// that are defined twice are found across files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain check .
  ordain check manifests/site.pp templates/motd.epp
  git diff --name-only | xargs ordain check --diagnostics json")]
pub struct CheckArgs {
    /// Files and directories, or -
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// The language, if the file name does not say it
    #[arg(long, value_name = "NAME")]
    language: Option<Language>,
    /// What questionable code gives
    #[arg(long, value_name = "WHAT", default_value = "error")]
    strict: Strict,
}

/// How the message on a tag such as `!ruby/regexp` begins.
const UNSPECIFIED_CLASS: &str = "Tried to load unspecified class";

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Manifest,
    Template,
    HieraConfig,
    Yaml,
    Json,
    Dynaml,
}

/// Checks and prints.
///
/// # Errors
/// When a path cannot be read.
pub fn run(ui: &mut Ui, args: &CheckArgs) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        find(path, args.language == Some(Language::Dynaml), &mut files)?;
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|(path, _)| seen.insert(path.clone()));
    let sources = Arc::new(SourceMap::new());
    let one = |(path, form): &(PathBuf, Form)| check_file(path, *form, args.strict, &sources);
    let found: Vec<Checked> = if files.len() <= FEW {
        on_deep_stack(|| files.iter().map(one).collect())
    } else {
        let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
        let pool = pool.map_err(|e| codes::io("cannot start threads", &e))?;
        pool.install(|| files.par_iter().map(one).collect())
    };
    let again = duplicates(&files, &found);
    let mut found: Vec<Diagnostic> = found.into_iter().flat_map(|c| c.found).collect();
    found.extend(again);
    report(ui, args.format, files.len(), found, &sources)
}

fn report(
    ui: &mut Ui,
    format: TextOrJson,
    files: usize,
    found: Vec<Diagnostic>,
    sources: &SourceMap,
) -> Result<Exit, Failure> {
    let of = |severity| found.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if format == TextOrJson::Json {
        let diagnostics: Json = found.iter().map(|d| render::json(d, sources)).collect();
        let out = json!({
            "format": "ordain-check", "version": 1, "ok": errors == 0, "files": files,
            "errors": errors, "warnings": warnings, "diagnostics": diagnostics,
        });
        writeln!(ui.out(), "{out}")?;
    } else {
        ui.diagnostics(found, sources);
        let mut parts = vec![if errors == 0 { "no errors".into() } else { count(errors, "error") }];
        if warnings > 0 {
            parts.push(count(warnings, "warning"));
        }
        ui.forget_counts();
        writeln!(ui.out(), "{} checked: {}", count(files, "file"), parts.join(", "))?;
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Failed })
}

/// The files at a path that was given.
fn find(path: &Path, dynaml: bool, out: &mut Vec<(PathBuf, Form)>) -> Result<(), Failure> {
    if path == Path::new("-") {
        out.push((path.to_path_buf(), if dynaml { Form::Dynaml } else { Form::Manifest }));
        return Ok(());
    }
    let meta = std::fs::metadata(path).map_err(|e| codes::unreadable(path, &e))?;
    if meta.is_dir() {
        let from = out.len();
        walk(path, dynaml, 0, out)?;
        if dynaml {
            let is_yaml = |(_, form): &(PathBuf, Form)| *form == Form::Yaml;
            let found: Vec<_> = out.drain(from..).filter(is_yaml).collect();
            out.extend(found.into_iter().map(|(path, _)| (path, Form::Dynaml)));
        }
        return Ok(());
    }
    match form(path, true) {
        Some(form) => out.push((path.to_path_buf(), form)),
        None => {
            let text = format!("{} is nothing that can be checked", path.display());
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            return Err(error.help("manifests (.pp), templates (.epp), YAML and JSON can").into());
        }
    }
    Ok(())
}

fn walk(
    dir: &Path,
    in_data: bool,
    depth: usize,
    out: &mut Vec<(PathBuf, Form)>,
) -> Result<(), Diagnostic> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    let entries = std::fs::read_dir(dir).map_err(|e| codes::unreadable(dir, &e))?;
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Plans are programs of another tool in the same notation.
        if name.starts_with('.') || name == "plans" {
            continue;
        }
        // Without a dot at the front, paths are printed as they were given.
        let path = if dir == Path::new(".") { PathBuf::from(&*name) } else { dir.join(&*name) };
        if path.is_dir() {
            let in_data = in_data || name == "data" || name == "hieradata";
            walk(&path, in_data, depth + 1, out)?;
        } else if let Some(form) = form(&path, in_data) {
            out.push((path, form));
        }
    }
    Ok(())
}

/// What a file is by its name; files of data count only where `data` says so.
fn form(path: &Path, data: bool) -> Option<Form> {
    if path.file_name().is_some_and(|n| n == "hiera.yaml") {
        return Some(Form::HieraConfig);
    }
    match path.extension()?.to_str()? {
        "pp" => Some(Form::Manifest),
        "epp" => Some(Form::Template),
        "yaml" | "yml" | "eyaml" if data => Some(Form::Yaml),
        "json" if data => Some(Form::Json),
        _ => None,
    }
}

/// What was found in a file, and what it defines.
#[derive(Default)]
struct Checked {
    found: Vec<Diagnostic>,
    defined: Vec<Defined>,
}

impl From<Vec<Diagnostic>> for Checked {
    fn from(found: Vec<Diagnostic>) -> Self {
        Self { found, defined: Vec::new() }
    }
}

/// Classes and defines that two files define: an error where all files are read, in the manifests of
/// an environment or module. Else a warning: the files may be programs of their own, and a class of
/// the site program only hides the module's.
fn duplicates(files: &[(PathBuf, Form)], checked: &[Checked]) -> Vec<Diagnostic> {
    let mut known: BTreeMap<(PathBuf, &str), (&Defined, Option<&Path>)> = BTreeMap::new();
    let mut out = Vec::new();
    for ((path, _), checked) in files.iter().zip(checked) {
        if checked.defined.is_empty() {
            continue;
        }
        let (root, together) = belongs_to(path);
        let folder = path.ancestors().find(|a| a.file_name().is_some_and(|n| n == "manifests"));
        for def in &checked.defined {
            match known.entry((root.clone(), def.name.as_str())) {
                Entry::Vacant(entry) => {
                    entry.insert((def, folder));
                }
                Entry::Occupied(first) => {
                    let (first, first_folder) = *first.get();
                    let mut found = duplicate(def, first);
                    let both_read = together && folder == first_folder;
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

/// The environment or module that a manifest is part of; else its directory.
fn belongs_to(path: &Path) -> (PathBuf, bool) {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for root in full.ancestors().skip(1) {
        if root.file_name().is_some_and(|n| n == "manifests")
            && let Some(module) = root.parent()
        {
            let above = module.parent();
            let name = above.and_then(Path::file_name).and_then(|n| n.to_str());
            let environment = above.and_then(Path::parent);
            return match (name, environment) {
                (Some("modules" | "site-modules" | "site"), Some(environment)) => {
                    (environment.to_path_buf(), true)
                }
                _ => (module.to_path_buf(), true),
            };
        }
    }
    (full.parent().unwrap_or(&full).to_path_buf(), false)
}

fn check_file(path: &Path, form: Form, strict: Strict, sources: &SourceMap) -> Checked {
    let is_stdin = path == Path::new("-");
    let text = if is_stdin {
        input::read_stdin().map_err(|failure| match failure {
            Failure::Message(diagnostic) => diagnostic,
            _ => codes::io("cannot read standard input", &"it was closed"),
        })
    } else {
        read(path)
    };
    let text: Arc<str> = match text {
        Ok(text) => text.into(),
        Err(error) => return vec![error].into(),
    };
    let file = sources.add(if is_stdin { Path::new("") } else { path }, Arc::clone(&text));
    let at = |range: TextRange, code: &'static str, message: String| {
        vec![Diagnostic::error(code, message).at(range.in_file(file))]
    };
    let found = match form {
        Form::Manifest => {
            let parsed = syntax::parse(file, text);
            let defined = defined(&parsed.program);
            return Checked { found: validate(parsed, module_file(path), strict), defined };
        }
        Form::Template => validate(syntax::parse_epp(file, text), None, strict),
        Form::HieraConfig => hiera_config(path, &text, file, strict),
        Form::Dynaml => ordain_dynaml::check::check(file, &text),
        Form::Yaml if ordain_dynaml::check::has_expressions(&text) => {
            ordain_dynaml::check::check(file, &text)
        }
        Form::Yaml => match ordain_data::yaml::read(&text, Schema::Psych) {
            Ok(_) => Vec::new(),
            // `yaml_data` refuses such a file, but a function of a module may read it.
            Err(e) if e.message.starts_with(UNSPECIFIED_CLASS) => {
                vec![Diagnostic::warning(codes::INVALID_DATA, e.message).at(e.range.in_file(file))]
            }
            Err(e) => at(e.range, codes::INVALID_DATA, e.message),
        },
        Form::Json => match ordain_data::json::read(&text) {
            Ok(_) => Vec::new(),
            Err(e) => at(e.range, codes::INVALID_DATA, e.message),
        },
    };
    found.into()
}

fn read(path: &Path) -> Result<String, Diagnostic> {
    let bytes = ordain_source::read_input(path).map_err(|e| codes::unreadable(path, &e))?;
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count() + 1;
        let text = format!("{}:{line} is not valid UTF-8", path.display());
        Diagnostic::error(codes::INVALID_DATA, text)
    })
}

fn validate(
    parsed: syntax::Parsed,
    module_file: Option<ModuleFile>,
    strict: Strict,
) -> Vec<Diagnostic> {
    let mut found = parsed.diagnostics;
    if found.iter().all(|d| d.severity != Severity::Error) {
        let strict = match strict {
            Strict::Off => check::Strict::Off,
            Strict::Warning => check::Strict::Warning,
            Strict::Error => check::Strict::Error,
        };
        let options = check::Options { strict, module_file, ..check::Options::default() };
        found.extend(check::validate(&parsed.program, &options));
        if strict != check::Strict::Off {
            found.extend(check::lint(&parsed.program));
        }
    }
    found
}

fn hiera_config(path: &Path, text: &str, file: FileId, strict: Strict) -> Vec<Diagnostic> {
    let in_module = path.parent().is_some_and(has_module_metadata);
    let name = path.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
    let owner = match name {
        Some(name) if in_module => Owner::Module(name.as_str().into()),
        _ => Owner::Environment,
    };
    let line = |number: Option<u32>| line_range(text, number.unwrap_or(1)).in_file(file);
    let config = match Config::read(path, text, &owner, strict.into()) {
        Ok(config) => config,
        Err(fault) => {
            let error = Diagnostic::error(codes::INVALID_DATA, fault.message);
            return vec![if fault.path.is_some() { error.at(line(fault.line)) } else { error }];
        }
    };
    if config.version == 3 && path.parent().is_some_and(is_environment) {
        let text = "hiera.yaml version 3 cannot be used in an environment";
        let error = match strict {
            Strict::Error => Diagnostic::error(codes::INVALID_DATA, text),
            _ => Diagnostic::warning(codes::INVALID_DATA, text),
        };
        return vec![error.at(line(None)).help(VERSION_3_HELP)];
    }
    // The place is said by the span.
    let shown = format!("{}: ", path.display());
    let bare = |warning: &str| {
        let first = warning.lines().next().unwrap_or_default();
        first.strip_prefix(&shown).unwrap_or(first).to_owned()
    };
    let warning = |w: &String| Diagnostic::warning(codes::INVALID_DATA, bare(w)).at(line(None));
    config.warnings.iter().map(warning).collect()
}

/// Whether a directory is an environment by its configuration.
fn is_environment(dir: &Path) -> bool {
    dir.join("environment.conf").is_file()
}

/// The text of a line without the spaces around it.
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

/// What a manifest may define if it lies in a module: below `manifests`, `functions` or `types`
/// of a directory that has `metadata.json` or lies in a directory for modules.
fn module_file(path: &Path) -> Option<ModuleFile> {
    let full = std::path::absolute(path).ok()?;
    for root in full.ancestors().skip(1) {
        let folder = root.file_name()?.to_str()?;
        if !["manifests", "functions", "types"].contains(&folder) {
            continue;
        }
        let module = root.parent()?;
        let above = module.parent().and_then(Path::file_name).and_then(|n| n.to_str());
        let in_modules = matches!(above, Some("modules" | "site-modules" | "site"));
        if in_modules || has_module_metadata(module) {
            let name = module_name(module)?;
            let namespace = namespace_of(&name, root, &full);
            return Some(ModuleFile { path: path.display().to_string(), namespace });
        }
    }
    None
}

/// Whether a directory is a module by its metadata; some environments have metadata, too.
fn has_module_metadata(dir: &Path) -> bool {
    dir.join("metadata.json").is_file() && !is_environment(dir)
}

/// The name of a module: that of its directory, or what follows the author in its metadata when
/// the directory is called after both.
fn module_name(dir: &Path) -> Option<String> {
    let name = dir.file_name()?.to_str()?;
    Some(name.rsplit('-').next().unwrap_or(name).to_string())
}
