//! Servers of this process, which run only during a watch: the parts that several protocols share.

mod content;
mod file;
mod hub;
mod listener;
mod protocol;
mod server;
mod settings;

pub(super) use content::open_within;
pub use file::ServedFile;
pub(super) use hub::{Claim, Content, Field, Hub, Page, Parts, Route, Source, Spec, Upstream};
pub(super) use listener::{Listener, ServerState};
pub(super) use protocol::Protocol;
pub use server::Server;
