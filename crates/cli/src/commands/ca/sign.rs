//! `ordain ca sign` and `ordain ca renew`.

use std::time::Duration;

use clap::Args;
use ordain_ca::{CaError, SignOptions};

use super::output::Outcome;
use super::{CommonArgs, failure, setup, ttl};
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Sign certificate requests
///
/// A request stays if it cannot be signed; the message has the reason.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca sign web.example.org db.example.org
  ordain ca sign --all
  ordain ca sign puppet.example.org --allow-subject-alt-names --ttl 1y")]
pub(super) struct SignArgs {
    /// The names in the requests
    #[arg(required_unless_present = "all")]
    names: Vec<String>,
    /// Sign all requests
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// How long the certificates are valid, as 90d or 5y; default: 5y
    #[arg(long, value_name = "TIME", value_parser = ttl)]
    ttl: Option<Duration>,
    /// Accept alternative names in these requests
    #[arg(long)]
    allow_subject_alt_names: bool,
    /// Accept extensions that grant rights in these requests
    #[arg(long)]
    allow_authorization_extensions: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// Renew certificates, with the same keys and extensions
///
/// The older certificates stay valid until they expire, or until the name is revoked. The node gets
/// the new one when its agent asks for it.
///
/// With --authority, the certificate of the authority is renewed. Servers have to be reloaded, and
/// agents need the new certificate before the old one expires; their own certificates stay valid.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca renew web.example.org
  ordain ca renew web.example.org --ttl 90d
  ordain ca renew --authority --ttl 15y")]
pub(super) struct RenewArgs {
    /// The names in the certificates
    #[arg(required_unless_present = "authority")]
    names: Vec<String>,
    /// Renew the certificate of the authority itself
    #[arg(long, conflicts_with = "names")]
    authority: bool,
    /// How long the new certificates are valid, as 90d or 5y; default: 5y, for the authority as
    /// long as before
    #[arg(long, value_name = "TIME", value_parser = ttl)]
    ttl: Option<Duration>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Signs requests.
///
/// # Errors
/// When the authority cannot be used.
pub(super) fn sign(ui: &mut Ui, args: &SignArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    let options = SignOptions {
        ttl: args.ttl,
        allow_subject_alt_names: args.allow_subject_alt_names,
        allow_authorization_extensions: args.allow_authorization_extensions,
    };
    let signed =
        if args.all { ca.sign_all(&options) } else { ca.sign_names(&args.names, &options) };
    let signed = signed.map_err(|e| failure(&e))?;
    let outcome =
        Outcome { done: signed.signed, not_found: signed.no_request, errors: signed.errors };
    outcome.print(ui, args.common.is_json(), "signed", "certificate request")
}

/// Renews certificates.
///
/// # Errors
/// When the authority cannot be used.
pub(super) fn renew(ui: &mut Ui, args: &RenewArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    if args.authority {
        let renewed = ca.renew_authority(args.ttl).map_err(|e| failure(&e))?;
        return setup::print(ui, &args.common, &renewed, "renewed");
    }
    let mut outcome = Outcome::default();
    for name in &args.names {
        match ca.renew(name, args.ttl) {
            Ok(_) => outcome.done.push(name.clone()),
            Err(CaError::NoCertificate(_) | CaError::InvalidName { .. }) => {
                outcome.not_found.push(name.clone());
            }
            Err(error) => outcome.errors.push((name.clone(), error)),
        }
    }
    outcome.print(ui, args.common.is_json(), "renewed", "certificate")
}
