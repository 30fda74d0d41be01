//! `ordain ca setup`, `import` and `export`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use ordain_ca::{CertificateAuthority, CreateOptions, ImportFiles, KeyAlgorithm, Settings};
use serde_json::json;

use super::common::{CommonArgs, failure, ttl};
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Make a certificate authority
///
/// `ordain serve` makes one by itself if there is none.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca setup
  ordain ca setup --name 'Example fleet' --key rsa --ttl 10y")]
pub(super) struct SetupArgs {
    /// The common name of its certificate; default: one that differs between authorities
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// The kind of key
    #[arg(long, value_name = "KEY", default_value = "ecdsa")]
    key: Key,
    /// How long its certificate is valid, as 10y; default: 15y
    #[arg(long, value_name = "TIME", value_parser = ttl)]
    ttl: Option<Duration>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Take over a certificate authority
///
/// With --from, a directory is copied: a backup, or the `ssl/ca` of a puppetserver. With
/// --cert-bundle, --private-key and --crl-chain, files of another program become an authority,
/// such as an intermediate under the root of a company.
///
/// Without --private-key, an existing authority is updated: --cert-bundle replaces its certificates
/// for the same key, --crl-chain the revocation lists of the authorities above by newer ones.
///
/// To use a directory of puppetserver in place, give it to the other verbs with --ca-dir.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca import --from /etc/puppetlabs/puppetserver/ca
  ordain ca import --cert-bundle bundle.pem --private-key key.pem --crl-chain crls.pem
  ordain ca import --cert-bundle renewed.pem
  ordain ca import --crl-chain root-crl.pem")]
pub(super) struct ImportArgs {
    /// The directory to copy
    #[arg(long, value_name = "DIR", conflicts_with_all = ["cert_bundle", "private_key", "crl_chain"])]
    from: Option<PathBuf>,
    /// Certificates from the authority's own to the root
    #[arg(long, value_name = "FILE")]
    cert_bundle: Option<PathBuf>,
    /// The private key of the authority
    #[arg(long, value_name = "FILE", requires = "cert_bundle", requires = "crl_chain")]
    private_key: Option<PathBuf>,
    /// Revocation lists of the authorities
    #[arg(long, value_name = "FILE", required_unless_present_any = ["from", "cert_bundle"])]
    crl_chain: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Copy a certificate authority with its private key, as a backup
///
/// `ordain ca import --from` makes an authority of the copy.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca export /srv/backup/ca")]
pub(super) struct ExportArgs {
    /// The directory to create
    dir: PathBuf,
    #[command(flatten)]
    common: CommonArgs,
}

/// A kind of key.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Key {
    /// ECDSA with the curve P-256
    Ecdsa,
    /// RSA with 4096 bits
    Rsa,
}

impl From<Key> for KeyAlgorithm {
    fn from(key: Key) -> Self {
        match key {
            Key::Ecdsa => Self::EcdsaP256,
            Key::Rsa => Self::Rsa4096,
        }
    }
}

/// Makes an authority.
///
/// # Errors
/// When there is one.
pub(super) fn setup(ui: &mut Ui, args: &SetupArgs) -> Result<Exit, Failure> {
    let options = CreateOptions { name: args.name.clone(), key: args.key.into(), ttl: args.ttl };
    let ca = CertificateAuthority::create(&args.common.dir()?, &options, Settings::default());
    let ca = ca.map_err(|e| failure(&e))?;
    print(ui, &args.common, &ca, "made")
}

/// Takes over an authority or lists.
///
/// # Errors
/// When the files do not belong together.
pub(super) fn import(ui: &mut Ui, args: &ImportArgs) -> Result<Exit, Failure> {
    if args.from.is_none() && args.private_key.is_none() {
        return update(ui, args);
    }
    let (dir, settings) = (args.common.dir()?, Settings::default());
    let imported = if let Some(from) = &args.from {
        CertificateAuthority::restore(&dir, from, settings)
    } else {
        let bundle = read(args.cert_bundle.as_deref())?;
        let key = read(args.private_key.as_deref())?;
        let crls = read(args.crl_chain.as_deref())?;
        let files = ImportFiles { bundle: &bundle, key: &key, crls: &crls };
        CertificateAuthority::import(&dir, files, settings)
    };
    let ca = imported.map_err(|e| failure(&e))?;
    print(ui, &args.common, &ca, "imported")
}

/// Replaces certificates or lists of an existing authority.
fn update(ui: &mut Ui, args: &ImportArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    let crls = match &args.crl_chain {
        Some(path) => Some(read(Some(path))?),
        None => None,
    };
    if args.cert_bundle.is_some() {
        let bundle = read(args.cert_bundle.as_deref())?;
        let ca = ca.replace_chain(&bundle, crls.as_deref()).map_err(|e| failure(&e))?;
        return print(ui, &args.common, &ca, "replaced the certificates of");
    }
    ca.import_crls(&crls.unwrap_or_default()).map_err(|e| failure(&e))?;
    print(ui, &args.common, &ca, "updated the revocation lists of")
}

/// Copies the authority.
///
/// # Errors
/// When the directory has files.
pub(super) fn export(ui: &mut Ui, args: &ExportArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    ca.export(&args.dir).map_err(|e| failure(&e))?;
    if args.common.is_json() {
        let out = json!({ "format": "ordain-ca-export", "version": 1, "directory": args.dir });
        writeln!(ui.document(), "{out}")?;
    } else {
        writeln!(ui.out(), "copied to {}", args.dir.display())?;
    }
    Ok(Exit::Done)
}

/// Prints the outcome for an authority.
pub(super) fn print(
    ui: &mut Ui,
    common: &CommonArgs,
    ca: &CertificateAuthority,
    change: &str,
) -> Result<Exit, Failure> {
    let name = ca.certificate().common_name().unwrap_or_default();
    let fingerprint = ca.certificate().fingerprint();
    if common.is_json() {
        let out = json!({
            "format": "ordain-ca", "version": 1, "directory": ca.dir(), "name": name,
            "fingerprint": fingerprint,
        });
        writeln!(ui.document(), "{out}")?;
    } else {
        let (name, dir) = (ordain_source::printable(&name), ca.dir().display());
        writeln!(ui.out(), "{change} '{name}' in {dir}")?;
        writeln!(ui.out(), "    SHA256  {fingerprint}")?;
    }
    Ok(Exit::Done)
}

/// Reads a file that an argument names.
fn read(path: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let path = path.unwrap_or(Path::new(""));
    fs::read(path).map_err(|e| codes::unreadable(path, &e).into())
}
