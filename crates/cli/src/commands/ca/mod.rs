//! `ordain ca`: administrates the certificate authority of a fleet.

mod generate;
mod list;
mod output;
mod revoke;
mod setup;
mod sign;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use ordain_ca::{CaError, CertificateAuthority, Settings};
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::runs::state_dir;
use crate::ui::Ui;

/// Administrate the certificate authority of `ordain serve`
///
/// The authority is a directory with the layout of puppetserver's `ssl/ca`: `--ca-dir` may name
/// one of puppetserver. A server on this directory may run meanwhile; it sees changes at once.
#[derive(Args)]
pub(crate) struct CaArgs {
    #[command(subcommand)]
    command: CaCommand,
}

/// The subcommands.
#[derive(Subcommand)]
enum CaCommand {
    Setup(setup::SetupArgs),
    Import(setup::ImportArgs),
    Export(setup::ExportArgs),
    List(list::ListArgs),
    Sign(sign::SignArgs),
    Revoke(revoke::RevokeArgs),
    Clean(revoke::CleanArgs),
    Generate(generate::GenerateArgs),
    Renew(sign::RenewArgs),
    Prune(revoke::PruneArgs),
    Show(list::ShowArgs),
}

/// Runs the subcommand.
///
/// # Errors
/// When the subcommand fails.
pub(super) fn run(ui: &mut Ui, args: &CaArgs) -> Result<Exit, Failure> {
    match &args.command {
        CaCommand::Setup(args) => setup::setup(ui, args),
        CaCommand::Import(args) => setup::import(ui, args),
        CaCommand::Export(args) => setup::export(ui, args),
        CaCommand::List(args) => list::list(ui, args),
        CaCommand::Sign(args) => sign::sign(ui, args),
        CaCommand::Revoke(args) => revoke::revoke(ui, args),
        CaCommand::Clean(args) => revoke::clean(ui, args),
        CaCommand::Generate(args) => generate::run(ui, args),
        CaCommand::Renew(args) => sign::renew(ui, args),
        CaCommand::Prune(args) => revoke::prune(ui, args),
        CaCommand::Show(args) => list::show(ui, args),
    }
}

/// Where the authority is, and the format of the output.
#[derive(Args)]
struct CommonArgs {
    /// The directory of the authority; default: `ca` in the state directory
    #[arg(long, value_name = "DIR", env = "ORDAIN_CA_DIR")]
    ca_dir: Option<PathBuf>,
    /// The state directory
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
}

impl CommonArgs {
    /// The directory of the authority.
    fn dir(&self) -> Result<PathBuf, Failure> {
        match &self.ca_dir {
            Some(dir) => Ok(dir.clone()),
            None => Ok(state_dir(self.state_dir.as_deref())?.join("ca")),
        }
    }

    /// Opens the authority.
    fn open(&self) -> Result<CertificateAuthority, Failure> {
        let dir = self.dir()?;
        CertificateAuthority::open(&dir, Settings::default()).map_err(|error| {
            let is_missing = matches!(error, CaError::Incomplete { .. });
            let diagnostic = diagnostic(&error);
            if is_missing {
                diagnostic.help("`ordain ca setup` makes an authority").into()
            } else {
                diagnostic.into()
            }
        })
    }

    fn is_json(&self) -> bool {
        self.format == TextOrJson::Json
    }
}

/// An error of the authority for users.
fn diagnostic(error: &CaError) -> Diagnostic {
    Diagnostic::error(codes::CA, error.to_string())
}

/// The same, as the end of a verb.
fn failure(error: &CaError) -> Failure {
    diagnostic(error).into()
}

/// Reads a validity.
fn ttl(text: &str) -> Result<Duration, String> {
    ordain_ca::parse_ttl(text).ok_or_else(|| "expected a validity such as 90d, 5y or 3600".into())
}
