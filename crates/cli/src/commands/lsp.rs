//! `ordain lsp`: the language server.

use clap::Args;
use ordain_ide::server;
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::panics;
use crate::ui::Ui;

/// Serve editors: diagnostics while you type, completion, definitions, rename
///
/// An editor starts this command and talks to it on standard input and output, with the language
/// server protocol. It serves Puppet manifests, EPP and ERB templates, Hiera data, programs of mgmt
/// (.mcl), models of Inmanta (.cf) and dynaml templates.
#[derive(Args)]
#[command(after_help = "\
Editors pass options at the start (initializationOptions):
  strict      error, warning or off, as of `ordain check --strict`
  ignore      a list of codes that are not reported
  modulepath  a list of further directories of modules

Examples:
  ordain lsp                     for an editor, in the directory of a repository
  ordain lsp < session.txt       a recorded session of an editor")]
pub(crate) struct LspArgs {
    /// Accepted for editors that always pass it
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves until the editor ends.
///
/// # Errors
/// When the editor breaks the protocol.
pub(super) fn run(_: &mut Ui, _: &LspArgs) -> Result<Exit, Failure> {
    panics::end_thread_on_panic();
    match server::serve_stdio() {
        Ok(true) => Ok(Exit::Done),
        Ok(false) => Ok(Exit::Failed),
        Err(error) => Err(Diagnostic::error(codes::ARGUMENTS, error.to_string()).into()),
    }
}
