//! `ordain ca list` and `ordain ca show`.

use std::io::Write;

use clap::{Args, ValueEnum};
use ordain_ca::{CertificateAuthority, CertificateState, CertificateStatus};
use ordain_source::Diagnostic;
use serde_json::json;

use super::{CommonArgs, failure};
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, styles};

/// List certificate requests, and with --all certificates
///
/// Each has its fingerprint, its alternative names, and extensions that grant rights. Compare the
/// fingerprint with the one on the node (`puppet agent --fingerprint`) before you sign.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca list
  ordain ca list --all
  ordain ca list web.example.org --format json")]
pub(super) struct ListArgs {
    /// List these names only, whatever their state is
    names: Vec<String>,
    /// List certificates, too
    #[arg(long, conflicts_with_all = ["names", "state"])]
    all: bool,
    /// List names in this state only
    #[arg(long, value_name = "STATE", conflicts_with = "names")]
    state: Option<State>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Show the certificates of the authority and when they expire
///
/// The last lines are about its revocation lists.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca show
  ordain ca show --ca-dir /etc/puppetlabs/puppetserver/ca")]
pub(super) struct ShowArgs {
    #[command(flatten)]
    common: CommonArgs,
}

/// A state of a name.
#[derive(Clone, Copy, ValueEnum)]
enum State {
    /// A request waits
    Requested,
    /// There is a certificate
    Signed,
    /// The certificate is revoked
    Revoked,
}

/// Lists names.
///
/// # Errors
/// When the authority cannot be read.
pub(super) fn list(ui: &mut Ui, args: &ListArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    let mut missing = Vec::new();
    let statuses = if args.names.is_empty() {
        let state = match args.state {
            Some(State::Signed) => Some(CertificateState::Signed),
            Some(State::Revoked) => Some(CertificateState::Revoked),
            Some(State::Requested) => Some(CertificateState::Requested),
            None if args.all => None,
            None => Some(CertificateState::Requested),
        };
        ca.statuses(state).map_err(|e| failure(&e))?
    } else {
        named(&ca, &args.names, &mut missing)?
    };
    if args.common.is_json() {
        let out = json!({
            "format": "ordain-ca-list", "version": 1,
            "certificates": statuses, "not_found": missing,
        });
        writeln!(ui.document(), "{out}")?;
    } else {
        for status in &statuses {
            print(ui, status)?;
        }
        if statuses.is_empty() && missing.is_empty() {
            let what = if args.all || args.state.is_some() { "certificate" } else { "request" };
            writeln!(ui.out(), "There is no {what}.")?;
        }
        for name in &missing {
            let text = format!("{name} has no request and no certificate");
            ui.message(&Diagnostic::error(codes::UNKNOWN_NAME, text));
        }
    }
    Ok(if missing.is_empty() { Exit::Done } else { Exit::Failed })
}

fn named(
    ca: &CertificateAuthority,
    names: &[String],
    missing: &mut Vec<String>,
) -> Result<Vec<CertificateStatus>, Failure> {
    let mut found = Vec::new();
    for name in names {
        match ca.status(name).map_err(|e| failure(&e))? {
            Some(status) => found.push(status),
            None => missing.push(name.clone()),
        }
    }
    Ok(found)
}

/// Prints a name with its details below.
fn print(ui: &mut Ui, status: &CertificateStatus) -> Result<(), Failure> {
    let style = match status.state {
        CertificateState::Requested => styles::CHANGE,
        CertificateState::Signed => styles::ADD,
        CertificateState::Revoked => styles::REMOVE,
    };
    let state = ui.styled(style, &format!("{:<9}", status.state.as_str()));
    let name = &status.name;
    let end = status.certificate.as_ref();
    let end = end.map_or(String::new(), |c| format!("  until {}", c.not_after));
    writeln!(ui.out(), "{state}  {name}{end}")?;
    writeln!(ui.out(), "    SHA256  {}", status.fingerprint)?;
    // The own name is always one of them.
    let own = format!("DNS:{name}");
    let others: Vec<&str> =
        status.subject_alt_names.iter().filter(|n| **n != own).map(String::as_str).collect();
    if !others.is_empty() {
        let names = others.join(", ");
        writeln!(ui.out(), "    names   {}", ordain_source::printable(&names))?;
    }
    if !status.authorization_extensions.is_empty() {
        let rights = status.authorization_extensions.iter();
        let rights: Vec<String> = rights.map(|(name, value)| format!("{name}={value}")).collect();
        let rights = rights.join(", ");
        writeln!(ui.out(), "    rights  {}", ordain_source::printable(&rights))?;
    }
    Ok(())
}

/// Shows the authority.
///
/// # Errors
/// When the authority cannot be read.
pub(super) fn show(ui: &mut Ui, args: &ShowArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    let expirations = ca.expirations().map_err(|e| failure(&e))?;
    if args.common.is_json() {
        let mut out = json!({ "format": "ordain-ca", "version": 1, "directory": ca.dir() });
        out["ca-certs"] = json!(expirations.certificates);
        out["crls"] = json!(expirations.lists);
        out["fingerprint"] = ca.certificate().fingerprint().into();
        writeln!(ui.document(), "{out}")?;
        return Ok(Exit::Done);
    }
    writeln!(ui.out(), "{}", ca.dir().display())?;
    writeln!(ui.out(), "    SHA256  {}", ca.certificate().fingerprint())?;
    for (kind, dates) in [("certificate", &expirations.certificates), ("list", &expirations.lists)]
    {
        for (name, until) in dates {
            writeln!(ui.out(), "{kind:<11}  {}  until {until}", ordain_source::printable(name))?;
        }
    }
    Ok(Exit::Done)
}
