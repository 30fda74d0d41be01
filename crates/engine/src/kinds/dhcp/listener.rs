//! A socket at an interface.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::sys::socket::{setsockopt, sockopt::BindToDevice};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with, sockopt};

use super::answer::Offer;
use super::leases::Leases;
use super::model::{Dhcp, Settings};
use super::packet::{Kind, Message};
use crate::kind::KindError;
use crate::kinds::serving::{Hub, Listener, ServerState};
use crate::system::host::Host;
use crate::system::runner::HostRunner;

/// The ports of clients, and of servers and relays.
const CLIENTS: u16 = 68;
const SERVERS: u16 = 67;

/// The wait after a failed read of the socket.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// The leases of a server.
type SharedLeases = Arc<Mutex<Leases>>;

/// The leases of all servers by name; they survive a change of the server's settings.
pub(super) type LeasesByServer = Mutex<BTreeMap<String, SharedLeases>>;

/// The leases of a server; initially those that were saved.
pub(super) fn leases_of(
    leases_by_server: &LeasesByServer,
    host: &Host,
    server: &str,
) -> Result<SharedLeases, KindError> {
    let mut leases_by_server = leases_by_server.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(leases_of) = leases_by_server.get(server) {
        return Ok(Arc::clone(leases_of));
    }
    let leases_of = Arc::new(Mutex::new(Leases::read(host, server)?));
    leases_by_server.insert(server.to_string(), Arc::clone(&leases_of));
    Ok(leases_of)
}

/// Begins to listen.
pub(super) fn start(
    hub: &Arc<Hub<Dhcp>>,
    server: &str,
    settings: Settings,
    machine: PathBuf,
    leases_of: SharedLeases,
) -> io::Result<Listener<Dhcp>> {
    let socket = open(&settings)?;
    let address = socket.local_addr()?;
    let host = Host::new(machine.clone(), Box::new(HostRunner));
    let serving = ServerState::new(hub, server, settings, machine);
    Listener::start(serving, address, "dhcp", move |serving, woken| {
        let server = Server { serving, socket: &socket, host: &host, leases_of: &leases_of };
        server.listen(woken);
    })
}

/// A socket that receives packets of an interface, including broadcasts.
fn open(settings: &Settings) -> io::Result<UdpSocket> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None)?;
    // Servers on other interfaces use the same port.
    sockopt::set_socket_reuseaddr(&socket, true)?;
    sockopt::set_socket_broadcast(&socket, true)?;
    setsockopt(&socket, BindToDevice, &settings.interface.clone().into())?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, settings.port))?;
    Ok(socket.into())
}

/// A server that listens.
struct Server<'a> {
    serving: &'a ServerState<Dhcp>,
    socket: &'a UdpSocket,
    host: &'a Host,
    leases_of: &'a Mutex<Leases>,
}

impl Server<'_> {
    /// Answers until the end.
    fn listen(&self, woken: &OwnedFd) {
        let mut buffer = [0; 2048];
        while !self.serving.is_over() {
            let mut fds =
                [PollFd::new(woken, PollFlags::IN), PollFd::new(self.socket, PollFlags::IN)];
            let _ = poll(&mut fds, None);
            match self.socket.recv_from(&mut buffer) {
                Ok((count, _)) => self.hear(&buffer[..count]),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                // Such as an interface that is down.
                Err(_) => std::thread::sleep(RETRY_DELAY),
            }
        }
    }

    fn hear(&self, packet: &[u8]) {
        let Some(message) = Message::parse(packet) else { return };
        let Some(answer) = self.answer(&message) else { return };
        let to = destination(&message, &answer);
        // A client without an answer asks again.
        let _ = self.socket.send_to(&answer.bytes(), to);
    }

    fn answer(&self, message: &Message) -> Option<Message> {
        let serving = self.serving;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut leases = self.leases_of.lock().unwrap_or_else(PoisonError::into_inner);
        let served = serving.hub.served(&serving.server);
        let offer = Offer::new(&serving.settings, served.iter().map(|spec| &spec.what), message);
        let answer = offer.answer(&mut leases, message, now);
        // A lease that cannot be saved is not offered.
        leases.keep(self.host, &serving.server, offer.ranges()).ok()?;
        answer
    }
}

/// The destination of an answer.
fn destination(message: &Message, answer: &Message) -> SocketAddrV4 {
    let is_refusal = answer.kind() == Some(Kind::Nak);
    if !message.relay.is_unspecified() {
        return SocketAddrV4::new(message.relay, SERVERS);
    }
    let direct = !is_refusal && !message.client.is_unspecified() && !message.wants_broadcast();
    // Clients without an address receive only broadcasts.
    let to = if direct { message.client } else { Ipv4Addr::BROADCAST };
    SocketAddrV4::new(to, CLIENTS)
}
