//! Arguments for static catalogs.

use clap::Args;
use ordain_driver::StaticCatalog;
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::Failure;

/// Arguments for static catalogs. The doc comments are the help text.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Static catalogs")]
pub(super) struct StaticArgs {
    /// Write the metadata of files that are copied from modules of the environment (type, mode,
    /// checksum, content of directories) into the catalog
    #[arg(long = "static")]
    is_static: bool,
    /// The kinds of checksums that the agent knows, with dots between them; the first that is known
    /// here is taken
    #[arg(long, value_name = "KINDS", requires = "is_static", default_value = "sha256")]
    checksum_type: String,
    /// The identity of the code, which an agent sends back to get the files of that time
    #[arg(long, value_name = "ID")]
    code_id: Option<String>,
}

impl StaticArgs {
    /// Refuses arguments for catalogs if the output is no catalog.
    ///
    /// # Errors
    /// When the output is no catalog.
    pub(super) fn check(&self, is_catalog: bool) -> Result<(), Failure> {
        if is_catalog || !self.is_static && self.code_id.is_none() {
            return Ok(());
        }
        let option = if self.is_static { "--static" } else { "--code-id" };
        let text = format!("{option} is for catalogs; other forms have no place for its data");
        let help = "add --format puppet-catalog";
        Err(Diagnostic::error(codes::ARGUMENTS, text).help(help).into())
    }

    /// The options for the driver, if any are set.
    pub(super) fn options(&self) -> Option<StaticCatalog> {
        let is_asked = self.is_static || self.code_id.is_some();
        is_asked.then(|| StaticCatalog {
            has_metadata: self.is_static,
            checksum_type: self.checksum_type.clone(),
            code_id: self.code_id.clone(),
            files: None,
        })
    }
}
