//! `ordain check`: checks sources without applying them.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use ordain_graph::language::{CheckOptions, CheckReport, Claim, Discovery, Language, SourceText};
use ordain_mcl::Mcl;

use ordain_source::{
    Diagnostic, FileId, HostWorld, Severity, SourceMap, ci, diagnostic, render, suggest,
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Value as Json, json};

use crate::exit::{Exit, Failure};
use crate::options::{Edition, Strict};
use crate::ui::{Ui, count};
use ordain_driver::puppet::{self, node};
use ordain_driver::{Error, languages};

use crate::codes;

/// The maximum depth of directories; it ends a cycle of links.
const MAX_DEPTH: usize = 64;

/// The stack size of a parser thread. Only the used part takes memory.
const STACK_SIZE: usize = 256 << 20;

/// Parse and validate manifests, templates and Hiera data
///
/// Directories are searched for .pp and .epp files, hiera.yaml, and YAML and JSON below data/ and
/// hieradata/. Files that are named are always checked. YAML with expressions `(( … ))` is
/// checked as a dynaml template; --language dynaml searches directories for it. The files of a
/// repository are held against all that it defines: unknown names, parameters, facts, keys of data,
/// values of wrong types, unused variables.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain check .
  ordain check manifests/site.pp templates/motd.epp
  git diff --name-only | xargs ordain check --diagnostics json
  ordain check . --modulepath /etc/puppetlabs/code/modules --ignore unused-parameter
  ordain check . --format sarif > ordain.sarif")]
pub(crate) struct CheckArgs {
    /// Files and directories, or -
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Format,
    /// The language, if the file name does not imply it
    #[arg(long, value_name = "NAME", value_parser = languages::find)]
    language: Option<&'static dyn Language>,
    /// The severity of questionable code
    #[arg(long, value_name = "WHAT", default_value = "error")]
    strict: Strict,
    /// Ignore a diagnostic code, such as unused-variable
    #[arg(long, value_name = "CODE")]
    ignore: Vec<String>,
    /// Further module directories, separated by colons
    #[arg(long, value_name = "DIRS", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
    /// Further known facts, as JSON or YAML
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// Run the Python code of Inmanta modules, to know the parameters of their plugins
    #[arg(long)]
    run_plugins: bool,
    /// The edition of mcl
    #[arg(long, value_name = "EDITION", default_value = "wide")]
    edition: Edition,
}

/// The output format of findings.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands that make GitHub Actions show the findings in the code
    Github,
    /// GitLab's code quality report
    Gitlab,
    /// Checkstyle's XML, for Jenkins and others
    Checkstyle,
}

/// A file with the languages that may claim it.
struct Candidate {
    path: PathBuf,
    /// The first language wins, unless the text does not look like it.
    claims: Vec<(&'static dyn Language, Claim)>,
}

/// A file that was checked.
struct CheckedFile {
    path: PathBuf,
    full: PathBuf,
    /// The language and text, if the file could be read.
    text: Option<(&'static dyn Language, FileId, Arc<str>)>,
    checked: CheckReport,
}

/// Checks and prints.
///
/// # Errors
/// When a path cannot be read.
pub(super) fn run(ui: &mut Ui, args: &CheckArgs) -> Result<Exit, Failure> {
    let roots = args.paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let finder = Finder { language: args.language, roots };
    let mut files = Vec::new();
    let found = args.paths.iter().map(|path| finder.find(path, &mut files));
    let wrong: Vec<Diagnostic> = found.filter_map(Result::err).collect();
    if !wrong.is_empty() {
        ui.diagnostics(wrong, &SourceMap::new());
        return Err(Failure::Shown);
    }
    if files.is_empty() {
        return Err(nothing_to_check(&args.paths).into());
    }
    ui.diagnostics(missing_modules(&args.modulepath), &SourceMap::new());
    if args.paths.len() > 1 {
        // Byte strings are faster to compare than the components of paths.
        let mut seen = HashSet::new();
        files.retain(|file| seen.insert(file.path.clone().into_os_string()));
    }
    if args.edition == Edition::Upstream {
        for (language, _) in files.iter_mut().flat_map(|file| &mut file.claims) {
            if language.name() == Mcl::WIDE.name() {
                *language = &Mcl::UPSTREAM;
            }
        }
    }
    let sources = Arc::new(SourceMap::new());
    let world = match args.run_plugins {
        true => HostWorld::new(),
        false => HostWorld::new().without_processes(),
    };
    let facts = args.facts.as_deref().map(|path| fact_paths(&world, path)).transpose()?;
    args.ignore.iter().try_for_each(|name| check_code(name))?;
    let checking = CheckOptions {
        world: &world,
        strict: args.strict.into(),
        sources: &sources,
        modulepath: &args.modulepath,
        facts: facts.as_deref(),
    };
    let one = |file: &Candidate| check_file(file, &checking, &sources);
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build();
    let pool = pool.map_err(|e| codes::io("cannot start threads", &e))?;
    let mut found = pool.install(|| {
        let done: Vec<CheckedFile> = files.par_iter().map(one).collect();
        let again = check_together(&done, &checking);
        let mut found: Vec<Diagnostic> = done.into_iter().flat_map(|d| d.checked.found).collect();
        found.extend(again);
        found
    });
    found.retain(|d| !args.ignore.iter().any(|name| is_code(name, &d.code)));
    report(ui, args.format, files.len(), found, &sources)
}

/// Warnings about missing directories of the module path.
fn missing_modules(modulepath: &[PathBuf]) -> Vec<Diagnostic> {
    let missing = modulepath.iter().filter(|dir| !dir.is_dir());
    let text =
        |dir: &PathBuf| format!("--modulepath names {}, which is not a directory", dir.display());
    missing.map(|dir| Diagnostic::warning(codes::FILE, text(dir))).collect()
}

/// The error that there is nothing to check.
fn nothing_to_check(paths: &[PathBuf]) -> Diagnostic {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let text = format!("there is nothing to check in {}", shown.join(", "));
    let help = "searched for manifests (.pp), templates (.epp), hiera.yaml, data/, programs (.mcl), models (.cf)";
    Diagnostic::error(codes::NOTHING, text).help(help)
}

/// Whether a name matches a code. The language prefix may be missing.
fn is_code(name: &str, code: &str) -> bool {
    let short = code.rsplit("::").next().unwrap_or(code);
    name == code || name.replace('_', "-") == short
}

/// Refuses a name that matches no code.
fn check_code(name: &str) -> Result<(), Diagnostic> {
    let all = codes::all();
    if all.iter().any(|doc| is_code(name, doc.code)) {
        return Ok(());
    }
    let short = |code: &'static str| code.rsplit("::").next().unwrap_or(code);
    let names = all.iter().flat_map(|doc| [doc.code, short(doc.code)]);
    let text = format!("--ignore names an unknown code `{name}`");
    let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
    Err(match suggest::nearest(&name.replace('_', "-"), names) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`ordain explain-code` lists all codes"),
    })
}

/// The paths of all facts in a file, sorted, such as `os` and `os.family`.
fn fact_paths(world: &HostWorld, path: &Path) -> Result<Vec<String>, Failure> {
    let (_, facts) = node::read_facts(world, path)?;
    let mut out = Vec::new();
    let mut rest = vec![(String::new(), facts)];
    while let Some((prefix, value)) = rest.pop() {
        for (key, value) in value.as_map().into_iter().flatten() {
            let Some(key) = key.as_str() else { continue };
            let path = if prefix.is_empty() { key.into() } else { format!("{prefix}.{key}") };
            out.push(path.clone());
            rest.push((path, value.clone()));
        }
    }
    out.sort_unstable();
    Ok(out)
}

fn report(
    ui: &mut Ui,
    format: Format,
    files: usize,
    mut found: Vec<Diagnostic>,
    sources: &SourceMap,
) -> Result<Exit, Failure> {
    let of = |severity| found.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if format != Format::Text {
        diagnostic::sort(&mut found, sources);
    }
    match format {
        Format::Text => {
            ui.diagnostics(found, sources);
            let errors = if errors == 0 { "no errors".into() } else { count(errors, "error") };
            let mut parts = vec![errors];
            if warnings > 0 {
                parts.push(count(warnings, "warning"));
            }
            ui.reset_counts();
            writeln!(ui.out(), "{} checked: {}", count(files, "file"), parts.join(", "))?;
        }
        Format::Json => {
            let diagnostics: Json = found.iter().map(|d| render::json(d, sources)).collect();
            let out = json!({
                "format": "ordain-check", "version": 1, "ok": errors == 0, "files": files,
                "errors": errors, "warnings": warnings, "diagnostics": diagnostics,
            });
            writeln!(ui.document(), "{out}")?;
        }
        Format::Sarif => {
            let log = ci::sarif(&found, sources, &codes::all(), env!("CARGO_PKG_VERSION"));
            writeln!(ui.document(), "{log}")?;
        }
        Format::Github => {
            for diagnostic in &found {
                writeln!(ui.document(), "{}", ci::github(diagnostic, sources))?;
            }
        }
        Format::Gitlab => writeln!(ui.document(), "{}", ci::gitlab(&found, sources))?,
        Format::Checkstyle => write!(ui.document(), "{}", ci::checkstyle(&found, sources))?,
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Failed })
}

/// Finds the files to check.
struct Finder {
    /// The language, if it was named.
    language: Option<&'static dyn Language>,
    /// The directories to search, with all links resolved.
    roots: Vec<PathBuf>,
}

impl Finder {
    /// Adds the files at a path from the command line.
    fn find(&self, path: &Path, out: &mut Vec<Candidate>) -> Result<(), Diagnostic> {
        if path == Path::new("-") {
            let claims = match self.language {
                Some(language) => vec![(language, Claim::ByName)],
                None => self.claims(path, Discovery::Named),
            };
            out.push(Candidate { path: path.to_path_buf(), claims });
            return Ok(());
        }
        let meta = std::fs::metadata(path).map_err(|e| codes::unreadable(path, &e))?;
        if meta.is_dir() {
            let met =
                if self.language.is_some() { Discovery::Chosen } else { Discovery::Elsewhere };
            return self.walk(path, met, 0, out);
        }
        let claims = self.claims(path, Discovery::Named);
        if claims.is_empty() {
            let text = format!("{} cannot be checked", path.display());
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            return Err(error.help("manifests (.pp), templates (.epp), YAML and JSON can"));
        }
        out.push(Candidate { path: path.to_path_buf(), claims });
        Ok(())
    }

    fn walk(
        &self,
        dir: &Path,
        met: Discovery,
        depth: usize,
        out: &mut Vec<Candidate>,
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
            // Without a leading dot, paths are printed as the user wrote them.
            let path = if dir == Path::new(".") { PathBuf::from(&*name) } else { dir.join(&*name) };
            if path.is_dir() {
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && self.is_searched(&path)
                {
                    continue;
                }
                let is_data = name == "data" || name == "hieradata";
                let met =
                    if met == Discovery::Elsewhere && is_data { Discovery::InData } else { met };
                self.walk(&path, met, depth + 1, out)?;
                continue;
            }
            let claims = self.claims(&path, met);
            if !claims.is_empty() {
                out.push(Candidate { path, claims });
            }
        }
        Ok(())
    }

    /// Whether a link leads into a directory that is searched anyway.
    fn is_searched(&self, link: &Path) -> bool {
        let Ok(target) = link.canonicalize() else { return false };
        self.roots.iter().any(|root| target.starts_with(root) || root.starts_with(&target))
    }

    /// The languages that may claim a file. If a language was selected, files of other languages
    /// are its data, or ignored.
    fn claims(&self, path: &Path, met: Discovery) -> Vec<(&'static dyn Language, Claim)> {
        let selected = self.language.map(|language| language.name());
        let all = languages::ALL.iter().filter(|l| {
            met != Discovery::Chosen || selected.is_none_or(|selected| l.name() == selected)
        });
        let claims = all.filter_map(|l| Some((*l, l.claim(path, met)?)));
        let sure = |(language, claim): (&'static dyn Language, Claim)| {
            let is_selected = selected == Some(language.name());
            (language, if is_selected { Claim::ByName } else { claim })
        };
        claims.map(sure).collect()
    }
}

fn check_file(
    candidate: &Candidate,
    checking: &CheckOptions<'_>,
    sources: &SourceMap,
) -> CheckedFile {
    let path = &candidate.path;
    let is_stdin = path == Path::new("-");
    let full = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let mut done =
        CheckedFile { path: path.clone(), full, text: None, checked: CheckReport::default() };
    let text = if is_stdin { read_stdin() } else { read(path) };
    let text: Arc<str> = match text {
        Ok(text) => text.into(),
        Err(error) => {
            done.checked = vec![error].into();
            return done;
        }
    };
    let speaks = |(language, claim): &&(&dyn Language, Claim)| {
        *claim == Claim::ByName || language.speaks(&text)
    };
    let Some((language, _)) = candidate.claims.iter().find(speaks) else { return done };
    let file = sources.add(if is_stdin { Path::new("") } else { path }, Arc::clone(&text));
    let source = SourceText { path, full: &done.full, file, text: Arc::clone(&text) };
    done.checked = language.check(&source, checking);
    done.text = Some((*language, file, text));
    done
}

/// Runs the checks that need all files of a language.
fn check_together(done: &[CheckedFile], checking: &CheckOptions<'_>) -> Vec<Diagnostic> {
    let of = |language: &&'static dyn Language| {
        let files: Vec<(SourceText<'_>, &CheckReport)> = done
            .iter()
            .filter_map(|done| {
                let (_, file, text) =
                    done.text.as_ref().filter(|t| t.0.name() == language.name())?;
                let (path, full, text) = (&*done.path, &*done.full, Arc::clone(text));
                Some((SourceText { path, full, file: *file, text }, &done.checked))
            })
            .collect();
        language.check_together(&files, checking)
    };
    languages::ALL.iter().flat_map(of).collect()
}

fn read_stdin() -> Result<String, Diagnostic> {
    puppet::read_stdin().map_err(|error| match error {
        Error::Message(diagnostic) => *diagnostic,
        Error::Reported => codes::io("cannot read standard input", &"it was closed"),
    })
}

fn read(path: &Path) -> Result<String, Diagnostic> {
    let bytes = ordain_source::read_input(path).map_err(|e| codes::unreadable(path, &e))?;
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count() + 1;
        let text = format!("{}:{line} is not valid UTF-8", path.display());
        Diagnostic::error(codes::DOCUMENT, text)
    })
}
