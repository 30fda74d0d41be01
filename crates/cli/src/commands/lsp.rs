//! `ordain lsp`: the language server.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use ordain_data::json;
use ordain_ide::server::{self, PlanFacts, PlanRequest, PlanText, Planner};
use ordain_process::{Launch, Limits, run_until};
use ordain_source::{Diagnostic, budget};

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
  node        the node whose values are shown
  facts       a file of facts, or a directory with NAME.json or NAME.yaml for each node
  factSet     the facts of a node without a file, such as debian-12

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
    // A node whose compile exceeds a budget must not end the server.
    budget::go_on();
    match server::serve_stdio(Arc::new(OwnPlanner)) {
        Ok(true) => Ok(Exit::Done),
        Ok(false) => Ok(Exit::Failed),
        Err(error) => Err(Diagnostic::error(codes::ARGUMENTS, error.to_string()).into()),
    }
}

/// The limits of a plan or an explanation: ten minutes and 16 MiB of text.
const PLAN_LIMITS: Limits = Limits { time: Some(Duration::from_secs(600)), output: 16 << 20 };

/// Makes plans with `ordain plan`, and explanations with `ordain explain`, in processes of their own,
/// because they run code of the sources.
struct OwnPlanner;

impl Planner for OwnPlanner {
    fn plan(
        &self,
        request: &PlanRequest,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<PlanText, String> {
        let failed = |error: io::Error| format!("cannot start `ordain`: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        let verb = if request.resource.is_some() { "explain" } else { "plan" };
        let mut argv: Vec<OsString> = vec![program.into(), verb.into(), "--node".into()];
        argv.extend([request.node.clone().into(), "--facts".into()]);
        let input = match &request.facts {
            PlanFacts::File(path) => {
                argv.push(path.into());
                Vec::new()
            }
            PlanFacts::Values(values) => {
                argv.push("/dev/stdin".into());
                json::compact(values).into_bytes()
            }
        };
        if let (Some(root), None) = (&request.root, &request.resource) {
            argv.extend(["--root".into(), root.into()]);
        }
        if request.resource.is_some() {
            // Messages of the code would stand before the explanation.
            argv.push("--quiet".into());
        }
        argv.push("--".into());
        argv.extend(request.resource.iter().map(OsString::from));
        // Places of resources are relative to the directory then, as the editor shows paths.
        argv.push(".".into());
        let cwd = Some(request.directory.clone());
        let launch = Launch { argv, cwd, ..Launch::default() };
        let done = run_until(&launch, &input, true, PLAN_LIMITS, is_cancelled).map_err(failed)?;
        let is_done = matches!(done.status.code(), Some(0 | 2));
        Ok(PlanText { is_done, text: String::from_utf8_lossy(&done.stdout).into_owned() })
    }
}
