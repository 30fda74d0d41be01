//! A socket to which requests are sent.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};

use super::packet::{Request, error};
use super::transfer::Sender;
use crate::kinds::serving::ServerState;

/// The maximum number of simultaneous transfers of one server; further clients have to ask again.
const MAX_TRANSFERS: usize = 64;

/// Hears requests until the end.
pub(super) fn listen(serving: &Arc<ServerState>, socket: &UdpSocket, woken: &OwnedFd) {
    // A socket that is bound has an address.
    let Ok(own) = socket.local_addr().map(|address| address.ip()) else { return };
    let mut buffer = [0; 1024];
    while !serving.is_over() {
        let mut fds = [PollFd::new(woken, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        let _ = poll(&mut fds, None);
        let Ok((count, from)) = socket.recv_from(&mut buffer) else { continue };
        match Request::parse(&buffer[..count]) {
            Ok(Some(_)) if serving.clients() >= MAX_TRANSFERS => {}
            Ok(Some(request)) => serving.answer("tftp client", move |serving| {
                // An error of a transfer affects its client only.
                let _ = transfer(serving, own, from, &request);
            }),
            Ok(None) => {}
            // A client without an answer repeats its request.
            Err(refusal) => drop(socket.send_to(&error(refusal), from)),
        }
    }
}

/// Sends the requested file; each transfer has a port of its own.
fn transfer(
    serving: &ServerState,
    own: IpAddr,
    from: SocketAddr,
    request: &Request,
) -> io::Result<()> {
    let sender = Sender {
        hub: &serving.hub,
        server: &serving.server,
        machine: &serving.machine,
        root: serving.settings.root.as_deref(),
        timeout: serving.settings.read,
        is_over: &|| serving.is_over(),
    };
    let socket = UdpSocket::bind((own, 0))?;
    socket.connect(from)?;
    sender.answer(&socket, request)
}
