//! Kinds of resources that modules implement in other languages.
//!
//! A [`ProcessProvider`] runs the code of modules in one process of their language, the *provider
//! process*, which stays as long as the provider. It implements the engine's contract of external
//! kinds ([`ordain_engine::kinds::external::ExternalProvider`]). The process gets its code from the
//! crate `ordain-plugins`.
//!
//! A process that does not answer in time, ends, or sends an invalid message is killed with
//! everything that it started, and the resource at work fails. The next request starts another
//! process, which gets all resources again. Processes that a provider has left behind on purpose,
//! such as daemons, outlive a provider process that ends by itself.

mod answers;
mod error;
mod messages;
mod process;
mod provider;
mod values;

pub use error::ProviderError;
pub use provider::{ProcessProvider, ProviderSettings};
