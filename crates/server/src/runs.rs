//! The code that agents use during their runs.
//!
//! A deploy may switch an environment while an agent runs. The agent still gets the files of the
//! revision from which its catalog was compiled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ordain_ca::Certname;

use crate::compile::OpenedEnvironment;

/// The longest pause between two requests of a run: the default of Puppet's setting `runtimeout`.
const MAX_PAUSE: Duration = Duration::from_secs(3600);
/// How often runs that ended without a report are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// The current runs of nodes in deployed environments.
#[derive(Default)]
pub(crate) struct Runs(Mutex<State>);

#[derive(Default)]
struct State {
    by_node: HashMap<Certname, Run>,
    swept: Option<Instant>,
}

struct Run {
    env: Arc<OpenedEnvironment>,
    /// The time of the last request.
    seen: Instant,
}

impl Runs {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The code that the node's run uses in an environment, if it is known.
    pub(crate) fn code(
        &self,
        node: &Certname,
        environment: &str,
    ) -> Option<Arc<OpenedEnvironment>> {
        let mut state = self.state();
        let run = state.by_node.get_mut(node)?;
        if run.env.name != environment || run.seen.elapsed() > MAX_PAUSE {
            return None;
        }
        run.seen = Instant::now();
        Some(Arc::clone(&run.env))
    }

    /// Notes the code that a run uses. Environments without revisions are not pinned.
    pub(crate) fn use_code(&self, node: &Certname, env: &Arc<OpenedEnvironment>) {
        let now = Instant::now();
        let mut state = self.state();
        if env.revision_id().is_none() {
            state.by_node.remove(node);
            return;
        }
        state.by_node.insert(node.clone(), Run { env: Arc::clone(env), seen: now });
        if state.swept.is_none_or(|swept| now - swept > SWEEP_INTERVAL) {
            state.swept = Some(now);
            state.by_node.retain(|_, run| now - run.seen <= MAX_PAUSE);
        }
    }

    /// Forgets the run of a node, because it ended or the next one begins.
    pub(crate) fn end(&self, node: &Certname) {
        self.state().by_node.remove(node);
    }
}
