//! Watches network interfaces, addresses and routes by the events of the kernel.

use std::hash::Hash;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, channel};

use rustc_hash::FxHashSet;
use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};

use super::wake::Wake;

/// Links, addresses and routes of both versions, as `linux/rtnetlink.h` numbers the groups.
const GROUPS: u32 = LINKS | IPV4_ADDRESSES | IPV4_ROUTES | IPV6_ADDRESSES | IPV6_ROUTES;
const LINKS: u32 = 0x1;
const IPV4_ADDRESSES: u32 = 0x10;
const IPV4_ROUTES: u32 = 0x40;
const IPV6_ADDRESSES: u32 = 0x100;
const IPV6_ROUTES: u32 = 0x400;

/// The keys that watch the network.
pub(super) struct Network<K> {
    wake: Wake,
    events: Option<Receiver<()>>,
    keys: FxHashSet<K>,
}

impl<K: Copy + Eq + Hash> Network<K> {
    pub(super) fn new(wake: Wake) -> Self {
        Self { wake, events: None, keys: FxHashSet::default() }
    }

    /// Watches for a key.
    pub(super) fn add(&mut self, key: K) -> io::Result<()> {
        if self.events.is_none() {
            self.events = Some(listen(self.wake.clone())?);
        }
        self.keys.insert(key);
        Ok(())
    }

    pub(super) fn remove(&mut self, key: K) {
        self.keys.remove(&key);
    }

    pub(super) fn take_events(&mut self, touched: &mut FxHashSet<K>) {
        if self.events.iter().flat_map(Receiver::try_iter).count() > 0 {
            touched.extend(&self.keys);
        }
    }
}

/// Listens on a separate thread until there are no receivers.
fn listen(wake: Wake) -> io::Result<Receiver<()>> {
    // Protocol 0 is that of routes.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, GROUPS))?;
    let (sender, receiver) = channel();
    let work = move || {
        while hear(&socket) && sender.send(()).is_ok() {
            wake();
        }
    };
    std::thread::Builder::new().name("network".into()).spawn(work)?;
    Ok(receiver)
}

/// Waits for an event; returns whether more can follow.
fn hear(socket: &OwnedFd) -> bool {
    loop {
        // The content of an event does not matter, because receivers compare the state.
        match recv(socket, &mut [0; 64][..], RecvFlags::TRUNC) {
            Ok(_) => return true,
            // The queue overflowed, which is an event, too.
            Err(Errno::NOBUFS) => return true,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}
