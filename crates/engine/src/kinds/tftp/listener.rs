//! A socket to which requests are sent.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};

use super::packet::{Request, error};
use super::transfer::Sender;
use crate::kinds::serving::{Hub, Listener, Serving, Settings, bound};

/// How many transfers of one server there are at the same time; who comes then has to ask again.
const TRANSFERS: usize = 64;

/// Begins to listen.
pub(super) fn start(
    hub: &Arc<Hub>,
    server: &str,
    settings: Settings,
    machine: PathBuf,
) -> io::Result<Listener> {
    let socket = bound(&settings.address, UdpSocket::bind)?;
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    let serving = Serving::new(hub, server, settings, machine);
    Listener::start(serving, address, "tftp", move |serving, woken| {
        listen(serving, &socket, address.ip(), woken);
    })
}

/// Hears requests until the end.
fn listen(serving: &Arc<Serving>, socket: &UdpSocket, own: IpAddr, woken: &OwnedFd) {
    let mut buffer = [0; 1024];
    while !serving.is_over() {
        let mut fds = [PollFd::new(woken, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        let _ = poll(&mut fds, None);
        let Ok((count, from)) = socket.recv_from(&mut buffer) else { continue };
        match Request::parse(&buffer[..count]) {
            Ok(Some(_)) if serving.clients() >= TRANSFERS => {}
            Ok(Some(request)) => serving.answer("tftp client", move |serving| {
                // What ends a transfer is its client's business.
                let _ = transfer(serving, own, from, &request);
            }),
            Ok(None) => {}
            // Who cannot be told asks again.
            Err(refusal) => drop(socket.send_to(&error(refusal), from)),
        }
    }
}

/// Sends what is asked for; each transfer has a port of its own.
fn transfer(serving: &Serving, own: IpAddr, from: SocketAddr, request: &Request) -> io::Result<()> {
    let sender = Sender {
        hub: &serving.hub,
        server: &serving.server,
        machine: &serving.machine,
        root: serving.settings.root.as_deref(),
        patience: serving.settings.read,
        is_over: &|| serving.is_over(),
    };
    let socket = UdpSocket::bind((own, 0))?;
    socket.connect(from)?;
    sender.answer(&socket, request)
}
