//! Kinds of resources that modules implement in other languages.
//!
//! A [`ProcessProvider`] runs the code of modules in one process of their language, the *provider
//! process*, which runs as long as the provider exists. It implements the engine's trait for
//! external kinds ([`ordain_engine::kinds::external::ExternalProvider`]). The code of the process
//! comes from the crate `ordain-plugins`.
//!
//! If a process does not answer in time, ends, or sends an invalid message, it is killed with
//! everything that it started, and the current resource fails. The next request starts a new
//! process, which gets all resources again. Daemons that a provider started on purpose keep running
//! after a provider process that ends by itself.

mod answers;
mod error;
mod messages;
mod process;
mod provider;
mod values;

pub use error::ProviderError;
pub use provider::{ProcessProvider, ProviderSettings};
