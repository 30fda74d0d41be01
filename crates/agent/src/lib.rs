//! The agent of a node, without the engine: it enrols with a server, asks for the graph of its node,
//! verifies it, keeps it sealed on disk, and delivers reports.
//!
//! The server signs each answer with its key, which the authority certifies; [`protocol`] has the
//! format for both sides. `docs/agent.md` describes the command.
//!
//! ```
//! use ordain_agent::schedule::Windows;
//!
//! let windows = Windows::parse(&["mon-fri 22:00-05:00".to_string()])?;
//! let tuesday: jiff::civil::DateTime = "2026-11-24T23:30".parse()?;
//! assert!(windows.contain(tuesday));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate must not know: languages, arguments, terminals, how graphs are applied.

mod client;
mod crashes;
mod enrol;
mod error;
mod home;
pub mod protocol;
pub mod report;
pub mod schedule;
mod server;
mod sources;
mod spool;

pub use crashes::{Crash, Crashes};
pub use enrol::{Enrolment, Trust};
pub use error::AgentError;
pub use home::{Home, StoredGraph};
pub use server::{Answer, ChangeNotice, Server};
pub use sources::LocalSources;
pub use spool::{MAX_BYTES as MAX_SPOOL_BYTES, Spool};
