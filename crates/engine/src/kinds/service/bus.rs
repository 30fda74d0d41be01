//! The connection to systemd over D-Bus.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use zbus::Connection;
use zbus::connection::Builder;

/// No answer for this long is an error.
const TIMEOUT: Duration = Duration::from_secs(90);

/// A lazily opened connection to a bus.
#[derive(Default)]
pub(super) struct Bus {
    /// The system bus if `None`.
    address: Option<String>,
    connection: Mutex<Option<Connection>>,
}

impl Bus {
    /// The bus at an address.
    pub(super) fn at(address: &str) -> Self {
        Self { address: Some(address.to_string()), connection: Mutex::default() }
    }

    /// Whether it is another than the system's.
    pub(super) fn is_private(&self) -> bool {
        self.address.is_some()
    }

    /// The connection; `None` if there is no bus.
    pub(super) fn connect(&self) -> Option<Connection> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|c| !answers(c)) {
            let builder = match &self.address {
                Some(address) => Builder::address(address.as_str()),
                None => Builder::system(),
            };
            *kept = wait_for(builder.method_timeout(TIMEOUT).build()).and_then(Result::ok);
        }
        kept.clone()
    }
}

/// Whether a cached connection is still alive.
fn answers(connection: &Connection) -> bool {
    let (bus, path, peer) =
        ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer");
    let ping = connection.call_method(Some(bus), path, Some(peer), "Ping", &());
    wait_for(ping).is_some_and(|reply| reply.is_ok())
}

/// Waits for a future on a separate thread, because blocking is not allowed on a thread of an
/// asynchronous runtime.
pub(super) fn wait_for<F>(future: F) -> Option<F::Output>
where
    F: Future + Send,
    F::Output: Send,
{
    thread::scope(|scope| scope.spawn(|| zbus::block_on(future)).join().ok())
}
