//! Notifies the service manager by the protocol of `sd_notify(3)`.

use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The socket of the service manager, if there is one.
pub(crate) struct ServiceManager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// The interval at which the watchdog expects a message.
    pub watchdog_interval: Option<Duration>,
}

impl ServiceManager {
    /// The service manager that the environment names.
    pub(crate) fn of_environment() -> Self {
        let name = std::env::var_os("NOTIFY_SOCKET");
        let socket = name.as_ref().and_then(address).zip(UnixDatagram::unbound().ok());
        let micros = std::env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
        Self {
            socket: socket.map(|(address, socket)| (socket, address)),
            watchdog_interval: micros.map(|micros: u64| Duration::from_micros(micros / 2)),
        }
    }

    /// Sends lines such as `READY=1`.
    pub(crate) fn notify(&self, lines: &str) {
        if let Some((socket, address)) = &self.socket {
            // An unreachable service manager is no reason to stop.
            let _ = socket.send_to_addr(lines.as_bytes(), address);
        }
    }
}

/// Parses a path, or a name in the abstract namespace after `@`.
fn address(name: &OsString) -> Option<SocketAddr> {
    match name.as_bytes().strip_prefix(b"@") {
        Some(hidden) => SocketAddr::from_abstract_name(hidden).ok(),
        None => SocketAddr::from_pathname(name).ok(),
    }
}
