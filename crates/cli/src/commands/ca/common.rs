//! The directory of the authority, and its errors, for all subcommands.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ordain_ca::{CaError, CertificateAuthority, Settings};
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::Failure;
use crate::options::TextOrJson;
use crate::runs::state_dir;

/// Where the authority is, and the format of the output.
#[derive(Args)]
pub(super) struct CommonArgs {
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
    pub(super) fn dir(&self) -> Result<PathBuf, Failure> {
        match &self.ca_dir {
            Some(dir) => Ok(dir.clone()),
            None => Ok(state_dir(self.state_dir.as_deref())?.join("ca")),
        }
    }

    /// Opens the authority.
    pub(super) fn open(&self) -> Result<CertificateAuthority, Failure> {
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

    pub(super) fn is_json(&self) -> bool {
        self.format == TextOrJson::Json
    }
}

/// An error of the authority for users.
pub(super) fn diagnostic(error: &CaError) -> Diagnostic {
    Diagnostic::error(codes::CA, error.to_string())
}

/// The same, as the end of a verb.
pub(super) fn failure(error: &CaError) -> Failure {
    diagnostic(error).into()
}

/// Reads a validity.
pub(super) fn ttl(text: &str) -> Result<Duration, String> {
    ordain_ca::parse_ttl(text).ok_or_else(|| "expected a validity such as 90d, 5y or 3600".into())
}
