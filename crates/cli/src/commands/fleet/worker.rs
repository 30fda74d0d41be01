//! `ordain worker`: compiles the nodes of comparisons of other processes.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ordain_fleet::{WorkerEvent, WorkerOptions, work};
use ordain_process::interruption;

use super::common::{StoreArgs, failure};
use crate::commands::serve::start_log;
use crate::exit::{Exit, Failure};
use crate::options::{TextOrJson, at_least_one};
use crate::signals::Signals;
use crate::ui::Ui;

/// Compile the nodes of `ordain fleet diff --queue`, together with other workers
///
/// Any number of workers, on any machines that reach the database, take batches of nodes. A worker
/// needs a git repository with the commits that are compared. If a worker is killed, others compile its
/// batch. SIGTERM ends a worker when its batch is compiled.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  a signal or --idle ended the worker
  1  an error: of the database, or the path is in no repository

Examples:
  ordain worker --path /srv/control --database postgresql://ordain@db.example.org/ordain
  ordain worker --path /srv/control --database /var/lib/ordain --idle 60")]
pub(crate) struct WorkerArgs {
    /// A directory of the git repository that has the commits
    #[arg(long, value_name = "REPO", default_value = ".")]
    path: PathBuf,
    /// How many nodes at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// The time after which others may take the batch of this worker if it was killed
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=3600))]
    lease: u32,
    /// End after this time without any comparison [default: never]
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u32>,
    /// The form of the log, on standard error
    #[arg(long, value_name = "FORM", default_value = "text")]
    log: TextOrJson,
    #[command(flatten)]
    store: StoreArgs,
}

/// Compiles nodes until a signal arrives.
///
/// # Errors
/// When the database cannot be used, or the path is in no repository.
pub(crate) fn run(ui: &mut Ui, args: &WorkerArgs) -> Result<Exit, Failure> {
    let signals = Signals::for_single_run(ui)?;
    signals.enable_graceful_stop();
    start_log(args.log);
    let store = args.store.open()?;
    let host = nix::unistd::gethostname().unwrap_or_default();
    let options = WorkerOptions {
        repository: args.path.clone(),
        name: format!("{}:{}", host.to_string_lossy(), std::process::id()),
        jobs: args.jobs,
        lease: Duration::from_secs(args.lease.into()),
        idle: args.idle.map(|seconds| Duration::from_secs(seconds.into())),
    };
    work(&store, &options, &interruption::pause, &mut write_log).map_err(failure)?;
    Ok(Exit::Done)
}

fn write_log(event: WorkerEvent) {
    match event {
        WorkerEvent::JobStarted { job, actor } => {
            tracing::info!(job, actor, "takes part in a comparison");
        }
        WorkerEvent::JobRefused { job, reason } => {
            tracing::warn!(job, reason, "cannot take part in a comparison");
        }
        WorkerEvent::BatchDone { job, batch, nodes, compiles, time } => {
            let seconds = time.as_secs_f64();
            tracing::info!(job, batch, nodes, compiles, seconds, "compiled a batch");
        }
        WorkerEvent::BatchLost { job, batch } => {
            tracing::warn!(job, batch, "the lease of a batch has ended; others compile it");
        }
        WorkerEvent::BatchFailed { job, batch, reason } => {
            tracing::warn!(job, batch, reason, "cannot compile a batch");
        }
        WorkerEvent::Unavailable { reason } => {
            tracing::warn!(reason, "the database does not answer");
        }
    }
}
