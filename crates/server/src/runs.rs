//! The code that running agents use.
//!
//! A deploy may switch an environment while an agent runs. The files that the agent asks for then
//! are those of the revision that its catalog is of.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ordain_ca::Certname;

use crate::compile::OpenedEnvironment;

/// The longest time between the requests of a run: Puppet's default of `runtimeout`.
const MAX_PAUSE: Duration = Duration::from_secs(3600);
/// The interval of looks at runs that have ended without a report.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// The runs of nodes in deployed environments.
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

    /// Notes the code that a run uses. Code that is no revision changes for all runs at once.
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

    /// Notes that a run has ended, or that the next one begins.
    pub(crate) fn end(&self, node: &Certname) {
        self.state().by_node.remove(node);
    }
}
