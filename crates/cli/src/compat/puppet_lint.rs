//! The command line of puppet-lint, for callers that start this program by its name: its options,
//! output and exit codes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ordain_driver::{check::STACK_SIZE, format};
use ordain_puppet_tools::puppet_lint::fix::{FixedManifest, fix};
use ordain_puppet_tools::puppet_lint::options::ErrorLevel;
use ordain_puppet_tools::puppet_lint::{CHECKS, Finding, Level, Options, Report, run};
use ordain_source::{Safety, SourceMap, ci};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Value as Json, json};

use crate::codes;

/// The version whose checks these are.
const VERSION: &str = "3.0.1";

/// The maximum depth of directories; it ends a cycle of links.
const MAX_DEPTH: usize = 64;

/// Runs the command line of puppet-lint.
pub(crate) fn main(args: &[String]) -> ExitCode {
    match lint(args) {
        Ok(output) => {
            say(&output.text);
            ExitCode::from(u8::from(output.is_failed))
        }
        Err(message) => {
            let text = format!("puppet-lint: {message}\n");
            say(&(text + "puppet-lint: try 'puppet-lint --help' for more information\n"));
            ExitCode::from(1)
        }
    }
}

/// Writes to standard output.
fn say(text: &str) {
    // A closed stream is no reason to fail.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// The output of a run.
#[derive(Default)]
struct Output {
    text: String,
    is_failed: bool,
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self { text, is_failed: false }
    }
}

/// A file with its findings.
struct Linted {
    path: String,
    full_path: String,
    text: String,
    report: Report,
    fixed: Option<FixedManifest>,
}

impl Linted {
    /// The word for the severity of a finding.
    fn kind(&self, finding: &Finding) -> &'static str {
        let is_refused =
            |fixed: &FixedManifest| fixed.refused.iter().any(|code| *code == finding.code);
        let is_fixed = finding.fix.is_some() && self.fixed.as_ref().is_some_and(|f| !is_refused(f));
        match finding.ignored {
            Some(_) => "ignored",
            None if is_fixed => "fixed",
            None => finding.level.word(),
        }
    }
}

fn lint(args: &[String]) -> Result<Output, String> {
    let mut options = Options::default();
    let mut read = |path: &str| std::fs::read_to_string(path).ok();
    if !args.iter().any(|arg| arg == "--no-config") {
        let home = std::env::var("HOME").ok().map(|home| format!("{home}/.puppet-lint.rc"));
        let files = [Some("/etc/puppet-lint.rc".to_owned()), home, Some(".puppet-lint.rc".into())];
        for file in files.into_iter().flatten() {
            let Some(text) = read(&file) else { continue };
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            options.parse(&lines, &mut read)?;
        }
    }
    let paths = options.parse(args, &mut read)?;
    if options.help {
        return Ok(help().into());
    }
    if options.version {
        return Ok(format!("puppet-lint {VERSION}\n").into());
    }
    if options.list_checks {
        let own = CHECKS.iter().filter(|check| check.gem.is_none());
        let names = own.map(|check| format!("{}\n", check.name));
        return Ok(names.collect::<String>().into());
    }
    for file in &options.loaded {
        let text = format!("puppet-lint: {file} is a plug-in in Ruby, which does not run here\n");
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    let Some(first) = paths.first() else { return Err("no file specified".to_owned()) };
    let paths = if Path::new(first).is_dir() { manifests(first) } else { paths };
    options.with_filename |= paths.len() > 1;
    let paths: Vec<&String> = paths.iter().filter(|path| !options.ignores(path)).collect();
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build();
    let pool = pool.map_err(|e| format!("cannot start threads: {e}"))?;
    let linted: Vec<Option<Linted>> =
        pool.install(|| paths.par_iter().map(|path| lint_file(path, &options)).collect());
    report(&linted, &options)
}

/// The help: the options.
fn help() -> String {
    let mut out = String::from(
        "puppet-lint of ordain\n\n    puppet-lint [OPTIONS] PATH\n\n\
         Options:\n    --version --no-config -c, --config FILE --with-context --with-filename\n    \
         --fail-on-warnings --error-level LEVEL --show-ignored --relative -f, --fix\n    \
         --log-format FORMAT --json --sarif --list-checks\n\n\
         Checks:\n    --only-checks CHECKS --ignore-paths PATHS\n",
    );
    for check in CHECKS {
        let sign = if check.is_default { "no-" } else { "" };
        let _ = writeln!(out, "    --{sign}{}-check", check.name);
    }
    out
}

/// The manifests below a directory in the order of Ruby's `Dir.glob`.
fn manifests(directory: &str) -> Vec<String> {
    let (mut found, mut left) = (Vec::new(), vec![(PathBuf::from(directory), 0)]);
    while let Some((path, depth)) = left.pop() {
        let is_searched = depth == 0 || !path.is_symlink();
        if path.extension().is_some_and(|e| e == "pp") && depth > 0 {
            found.push(path.display().to_string());
        }
        if !is_searched || depth > MAX_DEPTH {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        let entries = entries.flatten().map(|entry| entry.file_name());
        let mut names: Vec<_> =
            entries.filter(|name| !name.to_string_lossy().starts_with('.')).collect();
        names.sort_unstable();
        left.extend(names.into_iter().rev().map(|name| (path.join(name), depth + 1)));
    }
    found
}

/// Checks a file, and fixes it if that is wanted; `None` if it cannot be read.
fn lint_file(path: &str, options: &Options) -> Option<Linted> {
    let text = std::fs::read_to_string(path).ok()?;
    let full_path = std::path::absolute(path).ok()?.display().to_string();
    let report = run(&text, &full_path, options);
    let fixed = options.fix.then(|| fix(&text, &full_path, options, Safety::Unsafe));
    if let Some(fixed) = fixed.as_ref().filter(|fixed| fixed.text != text) {
        format::replace(Path::new(path), &fixed.text).ok()?;
    }
    Some(Linted { path: path.to_owned(), full_path, text, report, fixed })
}

fn report(linted: &[Option<Linted>], options: &Options) -> Result<Output, String> {
    let mut out = Output::default();
    let mut json = Vec::new();
    for file in linted {
        let Some(file) = file else {
            say(&out.text);
            return Err("no file specified or specified file does not exist".to_owned());
        };
        for warning in &file.report.warnings {
            let _ = std::io::stderr().write_all(format!("{warning}\n").as_bytes());
        }
        let has = |word| file.report.findings.iter().any(|finding| file.kind(finding) == word);
        out.is_failed |= has("error") || (options.fail_on_warnings && has("warning"));
        let shown: Vec<&Finding> =
            file.report.findings.iter().filter(|f| is_shown(file, f, options)).collect();
        if options.json {
            json.push(shown.iter().map(|f| as_json(file, f, options)).collect::<Json>());
        } else if !options.sarif {
            shown.iter().for_each(|finding| print(file, finding, options, &mut out.text));
        }
    }
    if options.sarif {
        let _ = writeln!(out.text, "{:#}", sarif(linted, options));
    } else if options.json {
        let _ = writeln!(out.text, "{:#}", Json::Array(json));
    }
    Ok(out)
}

fn is_shown(file: &Linted, finding: &Finding, options: &Options) -> bool {
    let is_of_level = match options.error_level {
        ErrorLevel::All => true,
        ErrorLevel::Warning => finding.level == Level::Warning,
        ErrorLevel::Error => finding.level == Level::Error,
    };
    match file.kind(finding) {
        "ignored" => options.show_ignored && options.error_level == ErrorLevel::All,
        "fixed" => true,
        _ => is_of_level,
    }
}

/// The line of a finding without its indent.
fn context<'t>(file: &'t Linted, finding: &Finding) -> &'t str {
    file.text.split('\n').nth(finding.line as usize - 1).unwrap_or_default().trim()
}

fn print(file: &Linted, finding: &Finding, options: &Options, out: &mut String) {
    let path = if options.with_filename { "%{path} - " } else { "" };
    let usual = format!("{path}%{{KIND}}: %{{message}} on line %{{line}} (check: %{{check}})");
    let format = if options.log_format.is_empty() { &usual } else { &options.log_format };
    let kind = file.kind(finding);
    let start = out.len();
    filled(format, file, finding, kind, out);
    // Ruby's `puts` adds no second line break to a message that ends with one, such as a heredoc.
    if !out[start..].ends_with('\n') {
        out.push('\n');
    }
    if let Some(reason) = &finding.ignored {
        let _ = writeln!(out, "  {reason}");
    }
    if options.with_context && finding.name() != "documentation" && kind != "fixed" {
        let width = finding.column as usize + 2;
        let _ = write!(out, "\n  {}\n{:>width$}\n\n", context(file, finding), "^");
    }
    if std::env::var_os("GITHUB_ACTION").is_some() {
        let text = finding.message.replace('%', "%25").replace('\n', "%0A").replace('\r', "%0D");
        let (path, line, column) = (&file.path, finding.line, finding.column);
        let _ = write!(out, "\n::{kind} file={path},line={line},col={column}::{text}");
        let _ = writeln!(out, " (check: {})", finding.name());
    }
}

/// Fills the placeholders of a format in.
fn filled(format: &str, file: &Linted, finding: &Finding, kind: &str, out: &mut String) {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.strip_prefix('{').and_then(|rest| rest.find('}'));
        let Some(end) = end else {
            rest = rest.strip_prefix('%').unwrap_or(rest);
            out.push('%');
            continue;
        };
        let _ = match &rest[1..=end] {
            "filename" => write!(out, "{}", file_name(&file.path)),
            "path" => write!(out, "{}", file.path),
            "fullpath" => write!(out, "{}", file.full_path),
            "line" => write!(out, "{}", finding.line),
            "column" => write!(out, "{}", finding.column),
            "kind" => write!(out, "{kind}"),
            "KIND" => write!(out, "{}", kind.to_uppercase()),
            "check" => write!(out, "{}", finding.name()),
            "message" => write!(out, "{}", finding.message),
            other => write!(out, "%{{{other}}}"),
        };
        rest = &rest[end + 2..];
    }
    out.push_str(rest);
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into())
}

fn as_json(file: &Linted, finding: &Finding, options: &Options) -> Json {
    let kind = file.kind(finding);
    let mut out = json!({
        "message": finding.message,
        "line": finding.line,
        "column": finding.column,
        "kind": kind,
        "check": finding.name(),
        "fullpath": file.full_path,
        "path": file.path,
        "filename": file_name(&file.path),
        "KIND": kind.to_uppercase(),
    });
    if let Some(reason) = &finding.ignored {
        out["reason"] = json!(reason);
    }
    if options.with_context {
        out["context"] = json!(context(file, finding));
    }
    out
}

/// The findings as SARIF, with their fixes.
fn sarif(linted: &[Option<Linted>], options: &Options) -> Json {
    let sources = SourceMap::new();
    let mut found = Vec::new();
    for file in linted.iter().flatten() {
        let id = sources.add(&file.path, Arc::<str>::from(file.text.as_str()));
        let shown = file.report.findings.iter().filter(|f| is_shown(file, f, options));
        found.extend(shown.map(|finding| finding.diagnostic(id)));
    }
    ci::sarif(&found, &sources, &codes::all(), env!("CARGO_PKG_VERSION"))
}
