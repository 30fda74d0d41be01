//! `ordain fmt`: formats programs of mgmt.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::{Exit, Failure};
use ordain_driver::mcl;
use ordain_driver::puppet::read_stdin;

use crate::options::Edition;
use crate::ui::{Ui, count};

/// Format programs of mgmt
///
/// Files are written in place, and directories are searched for .mcl files. Comments stay, and files
/// that do not parse stay unchanged. With - standard input is formatted to standard output.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain fmt main.mcl
  ordain fmt --check .")]
pub(crate) struct FmtArgs {
    /// Files and directories, or -
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Write nothing; fail if a file is not formatted
    #[arg(long)]
    check: bool,
    /// The edition of mcl
    #[arg(long, value_name = "EDITION", default_value = "wide")]
    edition: Edition,
}

/// Formats the files, or lists those that are not formatted.
///
/// # Errors
/// When a file cannot be read, is no mcl, or cannot be written.
pub(super) fn run(ui: &mut Ui, args: &FmtArgs) -> Result<Exit, Failure> {
    let mut changed = Vec::new();
    for path in &args.paths {
        if path == Path::new("-") {
            let text = read_stdin()?;
            let formatted = mcl::format_text(path, &text, args.edition.into()).map_err(wrong)?;
            if !args.check {
                ui.document().write_all(formatted.as_bytes())?;
            }
            if formatted != text {
                changed.push(path.clone());
            }
            continue;
        }
        if path.is_file() && path.extension().is_some_and(|ending| ending != "mcl") {
            let text = format!("{} is not a program of mgmt (.mcl)", path.display());
            let error = Diagnostic::error(codes::FORMAT, text);
            return Err(error.help("nothing else is formatted").into());
        }
        changed.extend(mcl::format(path, args.check, args.edition.into()).map_err(wrong)?);
    }
    if !args.check {
        return Ok(Exit::Done);
    }
    for path in &changed {
        writeln!(ui.out(), "{}", path.display())?;
    }
    if changed.is_empty() {
        return Ok(Exit::Done);
    }
    let text = match changed.len() {
        1 => "1 file is not formatted".to_owned(),
        more => format!("{} are not formatted", count(more, "file")),
    };
    Err(Diagnostic::error(codes::FORMAT, text).help("`ordain fmt` without --check does it").into())
}

fn wrong(text: String) -> Failure {
    Diagnostic::error(codes::FORMAT, text).into()
}
