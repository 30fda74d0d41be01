//! Clients that wait for a change.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::message::{Request, write_status};

/// The maximum time that a client may wait for a change.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(3600);

/// The interval at which a waiting client is checked for disconnection.
pub(super) const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// The server is about to stop; a client that connects again may find the next one.
pub(super) fn write_unavailable(out: &mut dyn Write, request: &Request) -> io::Result<()> {
    let closing = Request { keeps_open: false, ..request.clone() };
    write_status(out, 503, &[("Retry-After", "1".to_string())], Some(&closing))
}

/// Whether a client that waits has closed its end.
pub(super) fn is_disconnected(stream: &TcpStream) -> bool {
    let asked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let _ = stream.set_nonblocking(false);
    matches!(asked, Ok(0)) || asked.is_err_and(|e| e.kind() != io::ErrorKind::WouldBlock)
}
