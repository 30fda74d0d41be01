//! `ordain check`: checks sources without applying them.

mod baseline;
mod fix;
mod installed;
mod shown;

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use ordain_driver::check::{self, Candidate, CheckedFile, FileFinder};
use ordain_driver::installed::InstalledFiles;
use ordain_driver::languages;
use ordain_driver::lint::{LintSettings, Linter};
use ordain_driver::puppet::node;
use ordain_graph::language::{CheckOptions, Language};
use ordain_source::{
    Diagnostic, HostWorld, Safety, Severity, SourceMap, ci, diagnostic, render, suggest,
};
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
/// values of wrong types, unused variables. --lint adds the checks of puppet-lint. Warnings in modules
/// that a Puppetfile installs are counted only.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain check .
  ordain check manifests/site.pp templates/motd.epp
  git diff --name-only | xargs ordain check --diagnostics json
  ordain check . --modulepath /etc/puppetlabs/code/modules --ignore unused-parameter
  ordain check . --format sarif > ordain.sarif
  ordain check --lint --fix --diff modules/ntp
  ordain check . --baseline known-findings.json")]
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
    /// Run the checks of puppet-lint, with the options in .puppet-lint.rc
    #[arg(long)]
    lint: bool,
    /// Of the checks of puppet-lint, run only these
    #[arg(long, value_name = "CHECKS", value_delimiter = ',')]
    only_checks: Vec<String>,
    /// Compare module layout without the name of the module
    #[arg(long)]
    relative: bool,
    /// Fix findings in the files: safe fixes, or also those that may change the meaning
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "safe")]
    fix: Option<FixLevel>,
    /// With --fix, write nothing; print the changes
    #[arg(long, requires = "fix")]
    diff: bool,
    /// Leave out the findings in this file, which is written if it is missing
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings of now to the file of --baseline
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// The severity of a code: error, warning, note or off
    #[arg(long, value_name = "CODE=SEVERITY", value_parser = parse_severity)]
    severity: Vec<(String, Option<Severity>)>,
    /// Report and fix findings in modules that a Puppetfile installs, too
    #[arg(long)]
    all_modules: bool,
    /// Fail if there is a warning
    #[arg(long)]
    fail_on_warnings: bool,
}

/// The fixes that are applied.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum FixLevel {
    /// Those that keep the meaning
    Safe,
    /// All
    Unsafe,
}

impl From<FixLevel> for Safety {
    fn from(level: FixLevel) -> Self {
        match level {
            FixLevel::Safe => Self::Safe,
            FixLevel::Unsafe => Self::Unsafe,
        }
    }
}

/// Parses `CODE=SEVERITY`.
fn parse_severity(text: &str) -> Result<(String, Option<Severity>), String> {
    let (code, severity) = text.split_once('=').ok_or("CODE=SEVERITY, as in 140chars=off")?;
    let severity = match severity {
        "off" => None,
        "note" => Some(Severity::Note),
        "warning" => Some(Severity::Warning),
        "error" => Some(Severity::Error),
        _ => return Err("the severity is error, warning, note or off".to_owned()),
    };
    Ok((code.to_owned(), severity))
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

/// The sources of a check, and the options for it.
struct Job<'a> {
    args: &'a CheckArgs,
    files: Vec<Candidate>,
    world: HostWorld,
    facts: Option<Vec<String>>,
    linter: Option<Linter>,
}

impl Job<'_> {
    /// The files of modules that a Puppetfile installs, unless the user wants their findings.
    fn installed_files(&self) -> Option<InstalledFiles> {
        (!self.args.all_modules).then(|| InstalledFiles::new(&self.world, &self.args.paths))
    }
}

/// The result of a check.
struct Outcome {
    /// The number of files.
    files: usize,
    found: Vec<Diagnostic>,
    /// The findings that the baseline has.
    known: baseline::Known,
    /// The findings in installed modules.
    left_out: installed::LeftOut,
}

/// Checks and prints.
///
/// # Errors
/// When a path cannot be read.
pub(super) fn run(ui: &mut Ui, args: &CheckArgs) -> Result<Exit, Failure> {
    let Some(files) = find(ui, args)? else { return Err(Failure::Shown) };
    ui.diagnostics(missing_modules(&args.modulepath), &SourceMap::new());
    let world = match args.run_plugins {
        true => HostWorld::new(),
        false => HostWorld::new().without_processes(),
    };
    let facts = args.facts.as_deref().map(|path| fact_paths(&world, path)).transpose()?;
    args.ignore.iter().try_for_each(|name| check_code("--ignore", name))?;
    args.severity.iter().try_for_each(|(name, _)| check_code("--severity", name))?;
    let linter = linter(args)?;
    let job = Job { args, files, world, facts, linter };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(check::STACK_SIZE).build();
    let pool = pool.map_err(|e| codes::io("cannot start threads", &e))?;
    if let Some(level) = args.fix {
        let fixed = pool.install(|| {
            let find = |sources: &SourceMap| {
                let (mut found, _) = findings(&job, sources);
                if let Some(mut files) = job.installed_files() {
                    installed::leave_out_files(&mut found, &mut files, &job.world, sources);
                }
                found
            };
            fix::fixed(&job.files, find, job.linter.as_ref(), level.into())
        })?;
        if fix::write(ui, fixed, args.diff)? == fix::Next::Stop {
            return Ok(Exit::Done);
        }
    }
    let sources = Arc::new(SourceMap::new());
    let (mut found, left_out) = pool.install(|| findings(&job, &sources));
    if let Some(linter) = &job.linter {
        let mut warnings = linter.take_warnings();
        if let Some(mut files) = job.installed_files() {
            warnings.retain(|(file, _)| files.module_of_path(&job.world, file).is_none());
        }
        let warnings = warnings.into_iter().map(|(_, warning)| warning).collect();
        ui.diagnostics(warnings, &SourceMap::new());
    }
    let known = match &args.baseline {
        Some(file) => baseline::apply(file, args.update_baseline, &mut found, &sources)?,
        None => baseline::Known::default(),
    };
    let has_warning = found.iter().any(|d| d.severity == Severity::Warning);
    let is_failed = args.fail_on_warnings && has_warning
        || job.linter.as_ref().is_some_and(|linter| linter.is_failed(&found, &sources));
    let outcome = Outcome { files: job.files.len(), found, known, left_out };
    let exit = report(ui, args.format, outcome, &sources)?;
    Ok(if is_failed { Exit::Failed } else { exit })
}

/// The files to check; `None` if a path cannot be read, which was printed.
fn find(ui: &mut Ui, args: &CheckArgs) -> Result<Option<Vec<Candidate>>, Failure> {
    let roots = args.paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let edition = args.edition.into();
    let finder = FileFinder { language: args.language, roots, edition, has_documents: false };
    let mut files = Vec::new();
    let found = args.paths.iter().map(|path| finder.find(path, &mut files));
    let wrong: Vec<Diagnostic> = found.filter_map(Result::err).collect();
    if !wrong.is_empty() {
        ui.diagnostics(wrong, &SourceMap::new());
        return Ok(None);
    }
    if files.is_empty() {
        return Err(nothing_to_check(&args.paths).into());
    }
    if args.paths.len() > 1 {
        // Byte strings are faster to compare than the components of paths.
        let mut seen = HashSet::new();
        files.retain(|file| seen.insert(file.path.clone().into_os_string()));
    }
    Ok(Some(files))
}

/// The linter, if one is wanted.
fn linter(args: &CheckArgs) -> Result<Option<Linter>, Diagnostic> {
    if !args.lint && args.only_checks.is_empty() && args.fix.is_none() {
        return Ok(None);
    }
    let names = ignored_names(args);
    let codes = codes::all().into_iter().map(|doc| doc.code);
    let ignored = codes.filter(|code| names.iter().any(|name| is_code(name, code)));
    let settings = LintSettings {
        only_checks: args.only_checks.clone(),
        relative: args.relative,
        ignored: ignored.map(str::to_owned).collect(),
    };
    Linter::new(settings).map(Some)
}

/// The names of codes that are not reported.
fn ignored_names(args: &CheckArgs) -> Vec<&String> {
    let off = args.severity.iter().filter(|(_, severity)| severity.is_none());
    args.ignore.iter().chain(off.map(|(name, _)| name)).collect()
}

/// The findings to report, without ignored ones, and the number of those left out in installed modules.
fn findings(job: &Job<'_>, sources: &SourceMap) -> (Vec<Diagnostic>, installed::LeftOut) {
    let args = job.args;
    let checking = CheckOptions {
        world: &job.world,
        strict: args.strict.into(),
        sources,
        modulepath: &args.modulepath,
        facts: job.facts.as_deref(),
    };
    let one = |file: &Candidate| {
        let mut done = check::check_file(file, &checking);
        if let (Some(linter), Some((_, id, text))) = (&job.linter, &done.text) {
            done.report.found.extend(linter.check(&done.path, &done.full, *id, text));
        }
        done
    };
    let done: Vec<CheckedFile> = job.files.par_iter().map(one).collect();
    let again = check::check_together(&done, &checking);
    let mut found: Vec<Diagnostic> = done.into_iter().flat_map(|d| d.report.found).collect();
    found.extend(again);
    let ignored = ignored_names(args);
    found.retain(|d| !ignored.iter().any(|name| is_code(name, &d.code)));
    // A warning that a site makes an error breaks nothing in modules of others.
    let left_out = match job.installed_files() {
        Some(mut files) => installed::leave_out(&mut found, &mut files, &job.world, sources),
        None => installed::LeftOut::default(),
    };
    for (name, severity) in &args.severity {
        let Some(severity) = severity else { continue };
        found.iter_mut().filter(|d| is_code(name, &d.code)).for_each(|d| d.severity = *severity);
    }
    (found, left_out)
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
fn check_code(flag: &str, name: &str) -> Result<(), Diagnostic> {
    let all = codes::all();
    if all.iter().any(|doc| is_code(name, doc.code)) {
        return Ok(());
    }
    let short = |code: &'static str| code.rsplit("::").next().unwrap_or(code);
    let names = all.iter().flat_map(|doc| [doc.code, short(doc.code)]);
    let text = format!("{flag} names an unknown code `{name}`");
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
    outcome: Outcome,
    sources: &SourceMap,
) -> Result<Exit, Failure> {
    let Outcome { files, mut found, known, left_out } = outcome;
    let of = |severity| found.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if format != Format::Text {
        diagnostic::sort(&mut found, sources);
    }
    match format {
        Format::Text => {
            ui.diagnostics(shown::grouped(found, sources, ui.verbose()), sources);
            let errors = if errors == 0 { "no errors".into() } else { count(errors, "error") };
            let mut parts = vec![errors];
            if warnings > 0 {
                parts.push(count(warnings, "warning"));
            }
            parts.extend(known.text());
            parts.extend(left_out.text());
            ui.reset_counts();
            writeln!(ui.out(), "{} checked: {}", count(files, "file"), parts.join(", "))?;
        }
        Format::Json => {
            let diagnostics: Json = found.iter().map(|d| render::json(d, sources)).collect();
            let out = json!({
                "format": "ordain-check", "version": 1, "ok": errors == 0, "files": files,
                "errors": errors, "warnings": warnings, "diagnostics": diagnostics,
                "left_out_in_modules": left_out.findings,
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
