//! `ordain fmt`: formats sources of all languages.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ordain_driver::format::{self, FormatSettings, Formatted};
use ordain_driver::puppet::read_stdin;
use ordain_engine::kind::TextChange;
use ordain_puppet::eval::STACK_SIZE;
use ordain_puppet::syntax::format::Columns;
use ordain_source::{Diagnostic, SourceMap};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::Edition;
use crate::show::diff;
use crate::ui::{Ui, count};

/// The files that are written at the same time. They wait for the disk, which stores several files
/// as soon as one.
const WRITERS: usize = 16;

/// Format manifests, models, programs of mgmt and templates of spiff
///
/// Files are written in place. Directories are searched for .pp and .mcl files, for .cf files of
/// Inmanta's projects and modules, and for YAML files with expressions in (( )); hidden ones are
/// left out. Comments stay, and files that do not parse stay unchanged. With - standard input is
/// formatted to standard output.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain fmt .
  ordain fmt --check manifests/site.pp main.mcl
  ordain fmt --diff modules/ntp
  ordain fmt - --stdin-name site.pp --lines 10:20 < site.pp")]
pub(crate) struct FmtArgs {
    /// Files and directories, or -
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Write nothing; fail if a file is not formatted
    #[arg(long)]
    check: bool,
    /// Write nothing; print the changes
    #[arg(long)]
    diff: bool,
    /// Format only these lines of one file
    #[arg(long, value_name = "FIRST:LAST", value_parser = parse_lines)]
    lines: Option<(usize, usize)>,
    /// The name of the file on standard input; its ending decides the language
    #[arg(long, value_name = "FILE", default_value = "-.mcl")]
    stdin_name: PathBuf,
    /// The spaces of a level, by default `indent_size` of .editorconfig, or 2 in manifests and 4 in
    /// models
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    indent: Option<u32>,
    /// The characters of a line in models, by default `max_line_length` of .editorconfig or 88
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(20..=1000))]
    width: Option<u32>,
    /// The columns of parameters and assignments in manifests
    #[arg(long, value_name = "WHEN", default_value = "as-written")]
    columns: ColumnChoice,
    /// The edition of mcl
    #[arg(long, value_name = "EDITION", default_value = "wide")]
    edition: Edition,
}

#[derive(Clone, Copy, ValueEnum)]
enum ColumnChoice {
    AsWritten,
    Always,
    Never,
}

impl From<ColumnChoice> for Columns {
    fn from(choice: ColumnChoice) -> Self {
        match choice {
            ColumnChoice::AsWritten => Self::AsWritten,
            ColumnChoice::Always => Self::Always,
            ColumnChoice::Never => Self::Never,
        }
    }
}

/// Parses `FIRST:LAST`.
fn parse_lines(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match parsed {
        Some((first, last)) if 1 <= first && first <= last => Ok((first, last)),
        _ => Err("two line numbers, such as 10:20".into()),
    }
}

/// A file with its text before and after.
struct FormattedFile {
    path: PathBuf,
    before: String,
    after: Result<String, Vec<Diagnostic>>,
}

/// Formats the files, or shows those that are not formatted.
///
/// # Errors
/// When a file cannot be read, does not parse, or cannot be written.
pub(super) fn run(ui: &mut Ui, args: &FmtArgs) -> Result<Exit, Failure> {
    let sources = SourceMap::new();
    let mut changed = Vec::new();
    let mut diagnostics = Vec::new();
    let mut to_write = Vec::new();
    for file in read(args, &sources)? {
        let after = match file.after {
            Ok(after) => after,
            Err(errors) => {
                diagnostics.extend(errors);
                continue;
            }
        };
        let is_stdin = file.path == Path::new("-");
        if is_stdin && !args.check && !args.diff {
            ui.document().write_all(after.as_bytes())?;
        }
        if after == file.before {
            continue;
        }
        if args.diff {
            print_diff(ui, &file.path, file.before, after)?;
        } else if !args.check && !is_stdin {
            to_write.push((file.path.clone(), after));
        }
        changed.push(file.path);
    }
    if !to_write.is_empty() {
        diagnostics.extend(write(&to_write)?);
    }
    if args.check && !args.diff {
        for path in &changed {
            writeln!(ui.out(), "{}", path.display())?;
        }
    }
    let failed = !diagnostics.is_empty();
    ui.diagnostics(diagnostics, &sources);
    if args.check && !changed.is_empty() {
        ui.message(&not_formatted(changed.len()));
        return Err(Failure::Shown);
    }
    if failed { Err(Failure::Shown) } else { Ok(Exit::Done) }
}

/// Replaces files by their new texts. Returns an error for each file that cannot be written; the
/// others are written.
fn write(files: &[(PathBuf, String)]) -> Result<Vec<Diagnostic>, Failure> {
    let one = |(path, text): &(PathBuf, String)| {
        let message = || format!("cannot write {}", path.display());
        format::replace(path, text).err().map(|error| codes::io(&message(), &error))
    };
    let threads = WRITERS.min(files.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| codes::io("cannot start threads", &e))?;
    let errors: Vec<Option<Diagnostic>> = pool.install(|| files.par_iter().map(one).collect());
    Ok(errors.into_iter().flatten().collect())
}

fn not_formatted(files: usize) -> Diagnostic {
    let text = match files {
        1 => "1 file is not formatted".to_owned(),
        more => format!("{} are not formatted", count(more, "file")),
    };
    Diagnostic::error(codes::FORMAT, text).help("`ordain fmt` without --check does it")
}

/// Reads and formats all files, in their order.
fn read(args: &FmtArgs, sources: &SourceMap) -> Result<Vec<FormattedFile>, Failure> {
    let settings = FormatSettings {
        edition: args.edition.into(),
        indent: args.indent,
        width: args.width,
        columns: args.columns.into(),
    };
    let mut paths = Vec::new();
    for path in &args.paths {
        match path == Path::new("-") {
            true => paths.push(path.clone()),
            false => paths.extend(format::find(path)?),
        }
    }
    if args.lines.is_some() && paths.len() != 1 {
        let text = "--lines needs exactly one file";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let one = |path: &PathBuf| -> Result<FormattedFile, Failure> {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin { &args.stdin_name } else { path };
        let before = if is_stdin { read_stdin()? } else { format::read(path)? };
        let language = Formatted::of(name).unwrap_or(Formatted::Mcl);
        let after = format::format_text(language, name, &before, &settings, sources);
        let after = after.map(|after| match args.lines {
            Some((first, last)) => format::only_lines(&before, &after, first, last),
            None => after,
        });
        Ok(FormattedFile { path: path.clone(), before, after })
    };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build();
    let pool = pool.map_err(|e| codes::io("cannot start threads", &e))?;
    // Of several errors, the one of the first file is reported, whichever thread is faster.
    let all: Vec<Result<FormattedFile, Failure>> =
        pool.install(|| paths.par_iter().map(one).collect());
    all.into_iter().collect()
}

pub(super) fn print_diff(
    ui: &mut Ui,
    path: &Path,
    before: String,
    after: String,
) -> Result<(), Failure> {
    let shown = path.display();
    writeln!(ui.out(), "--- {shown}\n+++ {shown}")?;
    for line in diff::lines(&TextChange { before, after }, true) {
        writeln!(ui.out(), "{line}")?;
    }
    Ok(())
}
