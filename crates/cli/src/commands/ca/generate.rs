//! `ordain ca generate`.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ordain_ca::{CertificateAuthority, Existing, GenerateOptions, Generated};
use serde_json::json;

use super::common::{CommonArgs, failure, ttl};
use super::setup::Key;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Make a key and a certificate, for servers and administrators
///
/// The files are written to a directory with the layout of an agent's `ssl`: `private_keys`,
/// `public_keys`, `certs` and `crl.pem`. Copy it to the machine. The authority does not keep the
/// private key.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain ca generate puppet.example.org --alt-name puppet --ssl-dir /etc/puppetlabs/puppet/ssl
  ordain ca generate operator.example.org --admin --ssl-dir operator
  ordain ca generate web.example.org --extension pp_role=web --ssl-dir web")]
pub(super) struct GenerateArgs {
    /// The name in the certificate
    name: String,
    /// The directory for keys and certificates
    #[arg(long, value_name = "DIR")]
    ssl_dir: PathBuf,
    /// An alternative name: NAME, DNS:NAME or IP:ADDRESS
    #[arg(long = "alt-name", value_name = "NAME")]
    alt_names: Vec<String>,
    /// An extension, such as pp_role=web
    #[arg(long = "extension", value_name = "NAME=TEXT", value_parser = pair)]
    extensions: Vec<(String, String)>,
    /// Let the holder administrate the authority (`pp_cli_auth`)
    #[arg(long)]
    admin: bool,
    /// The kind of key
    #[arg(long, value_name = "KEY", default_value = "ecdsa")]
    key: Key,
    /// How long the certificate is valid, as 90d or 5y; default: 5y
    #[arg(long, value_name = "TIME", value_parser = ttl)]
    ttl: Option<Duration>,
    /// Revoke the certificates that the name has
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// Makes a key and a certificate.
///
/// # Errors
/// When the name has a certificate, or the files cannot be written.
pub(super) fn run(ui: &mut Ui, args: &GenerateArgs) -> Result<Exit, Failure> {
    let ca = args.common.open()?;
    let files = Files::of(&args.ssl_dir, &args.name);
    // Before the certificate is made: it could not be given to anybody.
    files.prepare(args.replace)?;
    let options = GenerateOptions {
        key: args.key.into(),
        alt_names: args.alt_names.clone(),
        extensions: args.extensions.clone(),
        admin: args.admin,
        ttl: args.ttl,
        existing: if args.replace { Existing::Revoke } else { Existing::Refuse },
    };
    let made = ca.generate(&args.name, &options).map_err(|e| failure(&e))?;
    files.write(&ca, &made)?;
    if args.common.is_json() {
        let out = json!({
            "format": "ordain-ca-generated", "version": 1, "name": args.name,
            "private_key": files.private_key, "certificate": files.certificate,
            "fingerprint": made.certificate.fingerprint(),
        });
        writeln!(ui.document(), "{out}")?;
    } else {
        writeln!(ui.out(), "wrote {}", files.private_key.display())?;
        writeln!(ui.out(), "wrote {}", files.certificate.display())?;
    }
    Ok(Exit::Done)
}

/// The files of a node.
struct Files {
    private_key: PathBuf,
    public_key: PathBuf,
    certificate: PathBuf,
    bundle: PathBuf,
    crl: PathBuf,
}

impl Files {
    fn of(dir: &Path, name: &str) -> Self {
        // A name that is not valid is refused before it is used.
        let file = ordain_ca::Certname::new(name)
            .map_or_else(|_| "invalid.pem".to_string(), |name| format!("{name}.pem"));
        Self {
            private_key: dir.join("private_keys").join(&file),
            public_key: dir.join("public_keys").join(&file),
            certificate: dir.join("certs").join(&file),
            bundle: dir.join("certs/ca.pem"),
            crl: dir.join("crl.pem"),
        }
    }

    /// Creates the directories, and refuses to replace a key.
    fn prepare(&self, replace: bool) -> Result<(), Failure> {
        if !replace && self.private_key.exists() {
            let text = format!("{} exists", self.private_key.display());
            let diagnostic = ordain_source::Diagnostic::error(codes::CA, text);
            return Err(diagnostic.help("--replace makes a new key").into());
        }
        for (path, mode) in
            [(&self.private_key, 0o750), (&self.public_key, 0o755), (&self.certificate, 0o755)]
        {
            let Some(dir) = path.parent() else { continue };
            let made = DirBuilder::new().recursive(true).mode(mode).create(dir);
            made.map_err(|e| unwritable(dir, &e))?;
        }
        Ok(())
    }

    fn write(&self, ca: &CertificateAuthority, made: &Generated) -> Result<(), Failure> {
        let crl = ca.crl().map_err(|e| failure(&e))?;
        write(&self.private_key, &made.key_pem, 0o600)?;
        write(&self.public_key, &made.public_key_pem, 0o644)?;
        write(&self.certificate, &made.certificate.pem(), 0o644)?;
        write(&self.bundle, &ca.bundle_pem(), 0o644)?;
        write(&self.crl, &crl.pem, 0o644)
    }
}

/// Writes a file, replacing it at once.
fn write(path: &Path, text: &str, mode: u32) -> Result<(), Failure> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    // A killed run may have left it.
    let _ = fs::remove_file(&temporary);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|e| unwritable(path, &e))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    codes::io(&format!("{} cannot be written", path.display()), error).into()
}

/// Reads `NAME=TEXT`.
fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=TEXT")?;
    Ok((name.to_string(), value.to_string()))
}
