//! `ordain check`: checks sources without applying them.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use ordain_driver::check::{self, Candidate, CheckedFile, FileFinder};
use ordain_driver::languages;
use ordain_driver::puppet::node;
use ordain_graph::language::{CheckOptions, Language};
use ordain_source::{Diagnostic, HostWorld, Severity, SourceMap, ci, diagnostic, render, suggest};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::complete;
use crate::exit::{Exit, Failure};
use crate::options::{Edition, Strict};
use crate::ui::{Ui, count};

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
    #[arg(add = ArgValueCompleter::new(complete::codes))]
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

/// Checks and prints.
///
/// # Errors
/// When a path cannot be read.
pub(super) fn run(ui: &mut Ui, args: &CheckArgs) -> Result<Exit, Failure> {
    let roots = args.paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let edition = args.edition.into();
    let finder = FileFinder { language: args.language, roots, edition };
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
    let one = |file: &Candidate| check::check_file(file, &checking);
    let pool = rayon::ThreadPoolBuilder::new().stack_size(check::STACK_SIZE).build();
    let pool = pool.map_err(|e| codes::io("cannot start threads", &e))?;
    let mut found = pool.install(|| {
        let done: Vec<CheckedFile> = files.par_iter().map(one).collect();
        let again = check::check_together(&done, &checking);
        let mut found: Vec<Diagnostic> = done.into_iter().flat_map(|d| d.report.found).collect();
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
