//! Waking the thread that waits for events.

use std::sync::Arc;

/// Wakes a thread that sleeps in a poll.
pub type Wake = Arc<dyn Fn() + Send + Sync>;
