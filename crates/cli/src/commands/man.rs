//! `ordain man`: manual pages of all verbs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Command};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};

/// Write manual pages of all verbs
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain man /usr/local/share/man/man1
  ordain man . && man ./ordain-plan.1")]
pub(crate) struct ManArgs {
    /// The directory to write to
    dir: PathBuf,
}

/// Writes the pages of a command line.
///
/// # Errors
/// When a page cannot be written.
pub(super) fn run(ui: &mut Ui, args: &ManArgs, mut command: Command) -> Result<Exit, Failure> {
    fs::create_dir_all(&args.dir)
        .map_err(|e| codes::io(&format!("cannot make {}", args.dir.display()), &e))?;
    command.build();
    let pages = write(&args.dir, "", &command)?;
    writeln!(ui.out(), "wrote {} to {}", count(pages, "page"), args.dir.display())?;
    Ok(Exit::Done)
}

/// Writes the page of a command and those of its subcommands. Returns their number.
fn write(dir: &Path, prefix: &str, command: &Command) -> Result<usize, Failure> {
    let name = format!("{prefix}{}", command.get_name());
    let path = dir.join(format!("{name}.1"));
    let page = clap_mangen::Man::new(command.clone().display_name(name.clone()))
        .title(name.to_uppercase())
        .source(concat!("Ordain ", env!("CARGO_PKG_VERSION")))
        .manual("Ordain");
    let mut text = Vec::new();
    page.render(&mut text)?;
    fs::write(&path, text)
        .map_err(|e| codes::io(&format!("cannot write {}", path.display()), &e))?;
    let mut pages = 1;
    for below in
        command.get_subcommands().filter(|below| below.get_name() != "help" || prefix.is_empty())
    {
        pages += write(dir, &format!("{name}-"), below)?;
    }
    Ok(pages)
}
