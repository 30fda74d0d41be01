//! The sources of events that a watch can use.

use std::path::PathBuf;
use std::sync::Arc;

use crate::system::runner::Invocation;
use crate::system::watch::notifiers::Notifier;

/// A source of events. Paths are those of the machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Watch {
    /// A path: its existence, content and attributes.
    Path(PathBuf),
    /// The same, and all that is below.
    Tree(PathBuf),
    /// A unit of systemd.
    Unit(String),
    /// Network interfaces, their addresses and routes.
    Network,
    /// Something in this process, which rings.
    Notifier(Notifier),
    /// A program that writes a line when something may have changed. It runs as long as it is
    /// watched; the resource fails when it ends by itself.
    Program(Arc<Program>),
}

/// A program whose output lines are events.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// Its name in messages, such as `The watch command '/bin/tail -f /log'`.
    pub name: String,
    /// The command; input text and time limit do not count.
    pub invocation: Invocation,
    /// Whether its output is secret.
    pub is_secret: bool,
}
