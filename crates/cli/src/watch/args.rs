//! The arguments of `ordain watch`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::plan::SelectionArgs;
use crate::exit::WATCH_HELP;
use crate::options::{CompileArgs, TextOrJson};

/// Keep this machine as a manifest, a control repository, a model or a program says
///
/// What differs is repaired when it happens, and the sources are compiled again when one of them
/// changes; while they have errors, what was kept true still is. SIGTERM and ^C end it after what
/// is under way, a second one at once; SIGHUP makes it read and look at everything again.
#[derive(Args, Clone)]
#[command(after_help = WATCH_HELP)]
pub struct WatchArgs {
    /// A manifest, a directory, a model, a program, a YAML document, a graph or a catalog
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// How to tell what happens: on a terminal as a screen, else as lines; or as JSON
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: TextOrJson,
    /// TextLines also on a terminal
    #[arg(long)]
    pub lines: bool,
    /// Change nothing, only say what would be changed
    #[arg(long)]
    pub noop: bool,
    /// Apply what can be applied of a graph that cannot be carried out whole
    #[arg(long)]
    pub keep_going: bool,
    /// How often to look at everything, whatever events say; 0 is never
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub interval: u64,
    /// End when there was nothing to do for so long
    #[arg(long, value_name = "SECONDS")]
    pub converged_timeout: Option<u64>,
    /// Where the lock and the journal of runs are
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    pub state_dir: Option<PathBuf>,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub compile: CompileArgs,
}
