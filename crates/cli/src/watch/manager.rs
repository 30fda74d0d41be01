//! What the service manager is told, by the protocol of `sd_notify(3)`.

use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The socket of the service manager, if one started this process and wants to hear of it.
pub struct Manager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// How often it wants to hear that this process lives.
    pub patience: Option<Duration>,
}

impl Manager {
    /// The one that the environment names.
    pub fn of_environment() -> Self {
        let name = std::env::var_os("NOTIFY_SOCKET");
        let socket = name.as_ref().and_then(address).zip(UnixDatagram::unbound().ok());
        let micros = std::env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
        Self {
            socket: socket.map(|(address, socket)| (socket, address)),
            patience: micros.map(|micros: u64| Duration::from_micros(micros / 2)),
        }
    }

    /// Tells lines such as `READY=1`.
    pub fn tell(&self, lines: &str) {
        if let Some((socket, address)) = &self.socket {
            // A manager that does not listen is no reason to stop.
            let _ = socket.send_to_addr(lines.as_bytes(), address);
        }
    }
}

/// A path, or a name in the abstract space after `@`.
fn address(name: &OsString) -> Option<SocketAddr> {
    match name.as_bytes().strip_prefix(b"@") {
        Some(hidden) => SocketAddr::from_abstract_name(hidden).ok(),
        None => SocketAddr::from_pathname(name).ok(),
    }
}
