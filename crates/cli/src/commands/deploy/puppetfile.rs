//! `ordain deploy puppetfile`: installs the modules of a Puppetfile in a working copy.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use ordain_deploy::{InstallRequest, Settings};
use ordain_source::SourceMap;

use super::output;
use super::settings::{configuration, shown, with_cache, with_warnings};
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::ui::Ui;

/// Install the modules of a Puppetfile in a working copy
///
/// Modules that an earlier run installed are replaced, and removed when the Puppetfile no longer
/// declares them. Modules that were edited stay, as do clones with work that is not in the module's
/// repository. `:control_branch` is the branch that is checked out.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain deploy puppetfile
  ordain deploy puppetfile ~/control --dry-run
  ordain deploy puppetfile --moduledir thirdparty --force")]
pub(super) struct PuppetfileArgs {
    /// The Puppetfile, or the directory that has one
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// The directory for modules for which the Puppetfile names none, relative to it; default:
    /// `modules`
    #[arg(long, value_name = "DIR")]
    moduledir: Option<PathBuf>,
    /// Replace modules that were edited
    #[arg(long)]
    force: bool,
    /// Only fetch, and show what would change
    #[arg(long)]
    dry_run: bool,
    /// Settings in the format of r10k, for the access to repositories and the Forge; default: as for
    /// `ordain deploy`, if there is one
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The directory of mirrors and downloads
    #[arg(long, value_name = "DIR")]
    cachedir: Option<PathBuf>,
    /// The branch of modules that lack the wanted one
    #[arg(long, value_name = "BRANCH")]
    default_branch_override: Option<String>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
}

/// Runs the verb.
///
/// # Errors
/// When nothing can be installed.
pub(super) fn run(ui: &mut Ui, args: &PuppetfileArgs) -> Result<Exit, Failure> {
    let texts = SourceMap::new();
    let settings = match configuration(args.config.as_deref()) {
        Some(path) => with_warnings(ui, Settings::read_for_install(&path, &texts), &texts)?,
        None => Settings::without_sources(),
    };
    let settings = with_cache(settings, args.cachedir.as_deref())?;
    let request = InstallRequest {
        puppetfile: puppetfile(&args.path),
        moduledir: args.moduledir.clone(),
        force: args.force,
        dry_run: args.dry_run,
        default_branch_override: args.default_branch_override.clone(),
    };
    let report = match ordain_deploy::install(&settings, &request, &texts) {
        Ok(report) => report,
        Err(error) => return Err(shown(ui, error, &texts)),
    };
    match args.format {
        TextOrJson::Json => writeln!(ui.document(), "{}", report.to_json())?,
        TextOrJson::Text => output::installed(ui, &report)?,
    }
    let exit = if report.has_errors() { Exit::Failed } else { Exit::Done };
    ui.diagnostics(report.diagnostics, &texts);
    Ok(exit)
}

/// The Puppetfile of a directory, or the named one.
fn puppetfile(path: &Path) -> PathBuf {
    const NAME: &str = "Puppetfile";
    match path.is_dir() {
        true if path == Path::new(".") => PathBuf::from(NAME),
        true => path.join(NAME),
        false => path.to_path_buf(),
    }
}
