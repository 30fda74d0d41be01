//! Runs that change the machine: their state directory, lock and journal, and their reports.

mod read_only;
mod record;
mod report;
mod state;

pub(crate) use read_only::ReadOnlyObserver;
pub(crate) use record::{
    audited, last_applied, record_applied, record_audited, record_final_states, record_outcome,
    record_step_end, record_step_start, report_interruption, secret_digest, take_interrupted,
    with_backups,
};
pub(crate) use report::{counts_json, counts_text, resource_json};
#[cfg(feature = "full")]
pub(crate) use state::account;
pub(crate) use state::{
    existing_state_dir, journal, lock, report_damages, root_path, state_dir, subject,
};
