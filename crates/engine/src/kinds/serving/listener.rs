//! The threads of a server: one listens, and one serves each client.

use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, eventfd};

use super::hub::{Files, Hub, Parts};
use super::settings::{RunningServer, Settings, bound};

/// The stack size of a client's thread, in bytes.
const STACK: usize = 256 << 10;

/// State that the threads of a server share.
pub(in crate::kinds) struct ServerState<P: Parts = Files> {
    pub(in crate::kinds) hub: Arc<Hub<P>>,
    /// The name of the server.
    pub(in crate::kinds) server: String,
    pub(in crate::kinds) settings: P::Settings,
    /// The root of the machine.
    pub(in crate::kinds) machine: PathBuf,
    stop: AtomicBool,
    clients: AtomicUsize,
}

impl<P: Parts> ServerState<P> {
    /// The state of a server that starts.
    pub(in crate::kinds) fn new(
        hub: &Arc<Hub<P>>,
        server: &str,
        settings: P::Settings,
        machine: PathBuf,
    ) -> Self {
        Self {
            hub: Arc::clone(hub),
            server: server.to_string(),
            settings,
            machine,
            stop: AtomicBool::new(false),
            clients: AtomicUsize::new(0),
        }
    }

    /// Whether the server is to end.
    pub(in crate::kinds) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// The number of current clients.
    pub(in crate::kinds) fn clients(&self) -> usize {
        self.clients.load(Ordering::Acquire)
    }

    /// Answers a client in a separate thread. Without a thread it gets no answer.
    pub(in crate::kinds) fn answer(
        self: &Arc<Self>,
        name: &str,
        answer: impl FnOnce(&Self) + Send + 'static,
    ) {
        self.clients.fetch_add(1, Ordering::AcqRel);
        let client = Client(Arc::clone(self));
        let work = move || answer(&client.0);
        let _ = std::thread::Builder::new().name(name.into()).stack_size(STACK).spawn(work);
    }
}

/// Counts a client while it is served.
struct Client<P: Parts>(Arc<ServerState<P>>);

impl<P: Parts> Drop for Client<P> {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A server that listens until this is dropped.
pub(in crate::kinds) struct Listener<P: Parts = Files> {
    serving: Arc<ServerState<P>>,
    address: SocketAddr,
    woken: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl<P: Parts> Listener<P> {
    /// Starts to listen. `listen` returns when the server stops; its argument becomes readable
    /// then.
    pub(in crate::kinds) fn start(
        serving: ServerState<P>,
        address: SocketAddr,
        name: &str,
        listen: impl FnOnce(&Arc<ServerState<P>>, &OwnedFd) + Send + 'static,
    ) -> io::Result<Self> {
        let serving = Arc::new(serving);
        let woken = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let (own, waker) = (Arc::clone(&serving), Arc::clone(&woken));
        let work = move || listen(&own, &waker);
        let thread = std::thread::Builder::new().name(name.into()).spawn(work)?;
        Ok(Self { serving, address, woken, thread: Some(thread) })
    }
}

/// A socket that a server listens at.
pub(in crate::kinds) trait SocketKind: Sized + Send + 'static {
    /// Binds a non-blocking socket to an address.
    fn bind(address: SocketAddr) -> io::Result<Self>;

    /// The address that it is bound to.
    fn address(&self) -> io::Result<SocketAddr>;
}

impl SocketKind for TcpListener {
    fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = Self::bind(address)?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    }

    fn address(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }
}

impl SocketKind for UdpSocket {
    fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = Self::bind(address)?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    }

    fn address(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }
}

impl Listener {
    /// Starts to listen at the address of the settings. `listen` returns when the server stops.
    pub(in crate::kinds) fn bind<S: SocketKind>(
        hub: &Arc<Hub>,
        server: &str,
        settings: Settings,
        machine: PathBuf,
        name: &str,
        listen: fn(&Arc<ServerState>, &S, &OwnedFd),
    ) -> io::Result<Self> {
        let socket = bound(&settings.address, S::bind)?;
        let address = socket.address()?;
        let serving = ServerState::new(hub, server, settings, machine);
        Self::start(serving, address, name, move |serving, woken| listen(serving, &socket, woken))
    }
}

impl<P: Parts> RunningServer<P::Settings> for Listener<P> {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn settings(&self) -> Option<&P::Settings> {
        let lives = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        lives.then_some(&self.serving.settings)
    }
}

impl<P: Parts> Drop for Listener<P> {
    /// The socket is free again afterwards; clients finish on their own.
    fn drop(&mut self) {
        self.serving.stop.store(true, Ordering::Release);
        // If its counter is full it is awake.
        let _ = rustix::io::write(&self.woken, &1_u64.to_ne_bytes());
        self.serving.hub.wake();
        if let Some(thread) = self.thread.take() {
            // It had nothing left to do.
            let _ = thread.join();
        }
    }
}
