//! The arguments of `ordain watch`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::plan::SelectionArgs;
use crate::exit::WATCH_HELP;
use crate::options::{CompileArgs, TextOrJson};

/// Apply a manifest, a control repository, a model or a program continuously
///
/// Differences are repaired when they occur, and the sources are compiled again when one of them
/// changes; while they have errors, the last graph stays in effect. SIGTERM and ^C stop it when
/// running work is finished, a second one at once; SIGHUP compiles and checks everything again.
#[derive(Args, Clone)]
#[command(after_help = WATCH_HELP)]
pub(crate) struct WatchArgs {
    /// A manifest, a directory, a model, a program, a YAML document, a graph or a catalog
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// The output format: a screen on a terminal, else lines; or JSON
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: TextOrJson,
    /// Print lines also on a terminal
    #[arg(long)]
    pub lines: bool,
    /// Change nothing, only report the changes
    #[arg(long)]
    pub noop: bool,
    /// Apply a graph even if some of its resources cannot be applied
    #[arg(long)]
    pub keep_going: bool,
    /// Interval of complete checks besides events; 0 disables them
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub interval: u64,
    /// Exit after so many seconds without anything to do
    #[arg(long, value_name = "SECONDS")]
    pub converged_timeout: Option<u64>,
    /// The directory of the lock and the journal of runs
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    pub state_dir: Option<PathBuf>,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub compile: CompileArgs,
}
