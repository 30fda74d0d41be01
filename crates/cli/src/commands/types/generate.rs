//! `ordain types generate`: writes the interfaces of resource types in Ruby in the Puppet language.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use jiff::tz::TimeZone;
use ordain_functions::time::timestamp;
use ordain_puppet::eval::{LogEntry, LogLevel};
use ordain_puppet::load::GENERATED_TYPES;
use ordain_puppet::plugins::NotGenerated;
use ordain_puppet::session::generate_types;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::CompileArgs;
use crate::ui::Ui;
use ordain_driver::puppet;

/// Write the types that modules define in Ruby to `.resource_types`
///
/// Compiles of the environment read these files instead of the Ruby code. Files of types that are
/// gone are removed; those that are as old as the code are kept.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain types generate /etc/puppetlabs/code/environments/production
  ordain types generate . --force")]
pub(super) struct GenerateArgs {
    /// The directory of the environment
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Write all types, also those that are up to date
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    compile: CompileArgs,
}

/// Runs the Ruby code of the types and writes their interfaces.
///
/// # Errors
/// When the environment cannot be opened or its directory cannot be written.
pub(super) fn run(ui: &mut Ui, args: &GenerateArgs) -> Result<Exit, Failure> {
    let input = puppet::open_modules(ui, &args.path, &args.compile.options())?;
    let dir = args.path.join(GENERATED_TYPES);
    let failed = |what: &str, path: &Path, e: &io::Error| {
        codes::io(&format!("cannot {what} {}", path.display()), e)
    };
    if dir.exists() && !dir.is_dir() {
        let text =
            format!("the output directory `{}` exists and is not a directory", dir.display());
        return Err(ordain_source::Diagnostic::error(codes::FILE, text).into());
    }
    fs::create_dir_all(&dir).map_err(|e| failed("make", &dir, &e))?;
    let files = input.env.type_files();
    remove_stale(ui, &dir, &files).map_err(|e| failed("clear", &dir, &e))?;
    if files.is_empty() {
        notice(ui, "No custom types were found.");
        return Ok(Exit::Done);
    }
    notice(ui, "Generating Puppet resource types.");
    let stale: Vec<(&str, &Path)> = files
        .iter()
        .map(|file| (type_name(file), file.as_path()))
        .filter(|(name, file)| args.force || !is_up_to_date(file, &output(&dir, name)))
        .collect();
    if stale.is_empty() {
        notice(ui, "No files were generated because all inputs were up-to-date.");
        return Ok(Exit::Done);
    }
    let mut lines = Vec::new();
    let each = |name: &str, file: &Path, text: Result<String, NotGenerated>| {
        lines.extend(write_generated(name, file, &output(&dir, name), text));
    };
    let report =
        generate_types(&input.env, input.settings.clone(), &input.node, stale.into_iter(), each);
    ui.logs(&report.logs, &input.sources);
    ui.diagnostics(report.diagnostics, &input.sources);
    let is_bad = lines.iter().any(|line| line.is_fatal);
    ui.logs(&lines.into_iter().map(|line| line.entry).collect::<Vec<_>>(), &input.sources);
    Ok(if is_bad { Exit::Failed } else { Exit::Done })
}

/// A log line. A fatal one makes the verb fail.
struct Line {
    entry: LogEntry,
    is_fatal: bool,
}

impl Line {
    fn error(message: String, is_fatal: bool) -> Self {
        Self { entry: entry(LogLevel::Err, message), is_fatal }
    }
}

fn entry(level: LogLevel, message: String) -> LogEntry {
    LogEntry { level, message, source: String::new(), place: String::new(), span: None }
}

/// Logs a notice.
pub(super) fn notice(ui: &mut Ui, message: &str) {
    ui.logs(&[entry(LogLevel::Notice, message.to_owned())], &ordain_source::SourceMap::new());
}

fn type_name(file: &Path) -> &str {
    file.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

fn output(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.pp"))
}

/// Removes files that belong to no type.
fn remove_stale(ui: &mut Ui, dir: &Path, files: &[PathBuf]) -> io::Result<()> {
    let wanted: BTreeSet<String> = files.iter().map(|f| format!("{}.pp", type_name(f))).collect();
    let mut gone = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !wanted.contains(&name) {
            fs::remove_file(entry.path())?;
            gone.push(name);
        }
    }
    gone.sort();
    if !gone.is_empty() {
        notice(ui, &format!("Removed output '{gone:?}' for non existing inputs"));
    }
    Ok(())
}

/// Whether an output has the same modification time as its input. Otherwise it is written again.
fn is_up_to_date(file: &Path, output: &Path) -> bool {
    match (modified(file), modified(output)) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    }
}

fn modified(file: &Path) -> io::Result<SystemTime> {
    fs::metadata(file)?.modified()
}

/// Writes a generated type. Returns log lines, also about errors.
fn write_generated(
    name: &str,
    file: &Path,
    output: &Path,
    text: Result<String, NotGenerated>,
) -> Vec<Line> {
    let (file_shown, output_shown) = (file.display(), output.display());
    let text = match text {
        Ok(text) => text,
        Err(NotGenerated::Unloadable(why)) => {
            let text = format!("Failed to load custom type '{name}' from '{file_shown}': {why}");
            return vec![Line::error(text, true)];
        }
        Err(NotGenerated::Undefined) => {
            let text = format!("Custom type '{name}' was not defined in '{file_shown}'.");
            return vec![Line::error(text, false)];
        }
        Err(NotGenerated::Unwritable(why)) => {
            return vec![Line::error(format!("{file_shown}: {why}"), true)];
        }
    };
    let line = format!("Generating '{output_shown}' using 'pcore' format.");
    let mut lines = vec![Line { entry: entry(LogLevel::Notice, line), is_fatal: false }];
    if let Err(why) = write(file, output, &text) {
        lines.push(Line::error(format!("Failed to generate '{output_shown}': {why}"), true));
    }
    lines
}

/// Writes a type with a timestamp, and sets the modification time of its Ruby code.
fn write(file: &Path, output: &Path, text: &str) -> io::Result<()> {
    let now = timestamp(SystemTime::now()).to_zoned(TimeZone::system());
    let time = now.strftime("%Y-%m-%d %H:%M:%S %z").to_string();
    let mut out = File::create(output)?;
    write!(
        out,
        "# This file was automatically generated on {time}.\n\
         # Use the 'puppet generate types' command to regenerate this file.\n\n{text}"
    )?;
    out.set_modified(modified(file)?)
}
