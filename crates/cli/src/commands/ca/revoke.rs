//! `ordain ca revoke`, `clean` and `prune`.

use clap::Args;

use super::output::{self, Outcome};
use super::{CommonArgs, failure};
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Revoke all certificates of nodes
///
/// That includes older ones that are still valid, such as those before a renewal. The files stay;
/// `ordain ca clean` also removes them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca revoke web.example.org")]
pub(super) struct RevokeArgs {
    /// The names in the certificates
    #[arg(required = true)]
    names: Vec<String>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Revoke all certificates of nodes and remove them with their requests
///
/// Afterwards a node may send a new request under the name.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca clean web.example.org db.example.org")]
pub(super) struct CleanArgs {
    /// The names in the certificates
    #[arg(required = true)]
    names: Vec<String>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Remove expired certificates from the revocation list
///
/// Repeated entries are removed, too. It also makes the list anew if it expires within thirty
/// days.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca prune")]
pub(super) struct PruneArgs {
    #[command(flatten)]
    common: CommonArgs,
}

/// Revokes certificates.
///
/// # Errors
/// When the authority cannot be used.
pub(super) fn revoke(ui: &mut Ui, args: &RevokeArgs) -> Result<Exit, Failure> {
    let revoked = args.common.open()?.revoke(&args.names).map_err(|e| failure(&e))?;
    let outcome =
        Outcome { done: revoked.revoked, not_found: revoked.not_found, ..Outcome::default() };
    outcome.print(ui, args.common.is_json(), "revoked", "certificate")
}

/// Revokes and removes certificates.
///
/// # Errors
/// When the authority cannot be used.
pub(super) fn clean(ui: &mut Ui, args: &CleanArgs) -> Result<Exit, Failure> {
    let cleaned = args.common.open()?.clean(&args.names).map_err(|e| failure(&e))?;
    let is_known = |name: &&String| !cleaned.not_found.contains(name);
    let done = args.names.iter().filter(is_known).cloned().collect();
    let outcome = Outcome { done, not_found: cleaned.not_found, ..Outcome::default() };
    outcome.print(ui, args.common.is_json(), "removed", "certificate and no request")
}

/// Shortens the revocation list.
///
/// # Errors
/// When the authority cannot be used.
pub(super) fn prune(ui: &mut Ui, args: &PruneArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    let removed = ca.prune().map_err(|e| failure(&e))?;
    ca.refresh_crl().map_err(|e| failure(&e))?;
    output::removed(ui, args.common.is_json(), removed)?;
    Ok(Exit::Done)
}
