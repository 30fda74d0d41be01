//! The state of a run: variables, units, instances, queues.

pub(super) mod call;
pub(super) mod ids;
pub(super) mod index;
pub(super) mod queue;
pub(super) mod unit;
pub(super) mod variable;
