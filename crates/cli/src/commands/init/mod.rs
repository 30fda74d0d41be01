//! `ordain init` and `ordain new`: new repositories, modules, models, programs and templates, and new
//! parts of them.

mod part;
mod skeleton;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

use skeleton::{NewFile, write_files};

/// Make a new repository, module, model, program or template
///
/// The new project passes `ordain check` and `ordain test`. Existing files are never changed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain init control-repo site
  ordain init module ntp
  ordain init template .")]
pub(crate) struct InitArgs {
    /// The kind of project
    #[arg(value_name = "KIND")]
    kind: ProjectKind,
    /// The directory; that of a module has its name
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// The author of a module in its metadata
    #[arg(long, value_name = "NAME", default_value = "me", value_parser = author)]
    author: String,
}

/// The kind of a project.
#[derive(Clone, Copy, ValueEnum)]
enum ProjectKind {
    /// Puppet: environments with roles, profiles and data
    ControlRepo,
    /// Puppet: a module
    Module,
    /// Inmanta: a model
    Model,
    /// mgmt: a program
    Mcl,
    /// spiff: a template with a stub
    Template,
}

/// Make a new class, define, type or function in a module or control repository
///
/// The file is at the path at which the autoloader looks for the name. A class also gets a test.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain new class ntp::server
  ordain new type ntp::port
  ordain new class profile::web --path site")]
pub(crate) struct NewArgs {
    /// The kind of part
    #[arg(value_name = "KIND")]
    kind: part::PartKind,
    /// The name, such as profile::web
    #[arg(value_name = "NAME")]
    name: String,
    /// The directory of the module or control repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,
}

/// Parses the name of an author as the Forge has them.
fn author(text: &str) -> Result<String, String> {
    match !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric()) {
        true => Ok(text.to_owned()),
        false => Err("an author's name has letters and digits only".to_owned()),
    }
}

/// Makes a project.
///
/// # Errors
/// When a file exists already, or cannot be written.
pub(crate) fn run(ui: &mut Ui, args: &InitArgs) -> Result<Exit, Failure> {
    let files = match args.kind {
        ProjectKind::ControlRepo => skeleton::control_repo(),
        ProjectKind::Module => {
            let dir = ordain_source::layer::absolute(&args.dir);
            let name = dir.file_name().map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            // The directory may have the name of the package: AUTHOR-NAME.
            let name = name.rsplit('-').next().unwrap_or(&name).to_owned();
            part::check_segment(&name)?;
            skeleton::module(&name, &args.author)
        }
        ProjectKind::Model => skeleton::model(),
        ProjectKind::Mcl => skeleton::program(),
        ProjectKind::Template => skeleton::template(),
    };
    create(ui, &args.dir, &files)
}

/// Makes a part of a project.
///
/// # Errors
/// When the name is wrong, the file exists already, or it cannot be written.
pub(crate) fn run_new(ui: &mut Ui, args: &NewArgs) -> Result<Exit, Failure> {
    let files = part::files(&args.path, args.kind, &args.name)?;
    create(ui, &args.path, &files)
}

/// Writes all files, or none if one exists, and lists them.
fn create(ui: &mut Ui, dir: &std::path::Path, files: &[NewFile]) -> Result<Exit, Failure> {
    if let Some(path) = files.iter().map(|file| dir.join(&file.path)).find(|path| path.exists()) {
        let text = format!("{} exists already; nothing was written", path.display());
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    for path in write_files(dir, files)? {
        writeln!(ui.document(), "{}", path.display())?;
    }
    Ok(Exit::Done)
}
