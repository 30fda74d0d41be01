//! A socket to which requests are sent, and the threads that answer.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use super::packet::{Request, error};
use super::transfer::Sender;
use crate::kinds::serving::{Hub, Serves, Settings, bound};

/// How many transfers of one server there are at the same time; who comes then has to ask again.
const TRANSFERS: usize = 64;

/// What a thread of a transfer has for its calls.
const STACK: usize = 256 << 10;

/// What the threads of a server share.
struct Serving {
    hub: Arc<Hub>,
    server: String,
    settings: Settings,
    machine: PathBuf,
    stop: AtomicBool,
    running: AtomicUsize,
}

/// A server that listens until this is dropped.
pub(super) struct Listener {
    serving: Arc<Serving>,
    address: SocketAddr,
    woken: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Begins to listen.
    pub(super) fn start(
        hub: &Arc<Hub>,
        server: &str,
        settings: Settings,
        machine: PathBuf,
    ) -> io::Result<Self> {
        let socket = bound(&settings.address, UdpSocket::bind)?;
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        let woken = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let serving = Arc::new(Serving {
            hub: Arc::clone(hub),
            server: server.to_string(),
            settings,
            machine,
            stop: AtomicBool::new(false),
            running: AtomicUsize::new(0),
        });
        let (own, waker) = (Arc::clone(&serving), Arc::clone(&woken));
        let work = move || listen(&own, &socket, address.ip(), &waker);
        let thread = std::thread::Builder::new().name("tftp".into()).spawn(work)?;
        Ok(Self { serving, address, woken, thread: Some(thread) })
    }
}

impl Serves for Listener {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn settings(&self) -> Option<&Settings> {
        let lives = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        lives.then_some(&self.serving.settings)
    }
}

impl Drop for Listener {
    /// The socket is free again afterwards; transfers end with the block that they wait for.
    fn drop(&mut self) {
        self.serving.stop.store(true, Ordering::Release);
        // If its counter is full it is awake.
        let _ = rustix::io::write(&self.woken, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            // It had nothing left to do.
            let _ = thread.join();
        }
    }
}

/// Hears requests until the end.
fn listen(serving: &Arc<Serving>, socket: &UdpSocket, own: IpAddr, woken: &OwnedFd) {
    let mut buffer = [0; 1024];
    while !serving.stop.load(Ordering::Acquire) {
        let mut fds = [PollFd::new(woken, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        let _ = poll(&mut fds, None);
        let Ok((count, from)) = socket.recv_from(&mut buffer) else { continue };
        match Request::parse(&buffer[..count]) {
            Ok(Some(request)) => begin(serving, own, from, request),
            Ok(None) => {}
            // Who cannot be told asks again.
            Err(refusal) => drop(socket.send_to(&error(refusal), from)),
        }
    }
}

/// Counts a transfer as long as it runs.
struct Running(Arc<Serving>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

fn begin(serving: &Arc<Serving>, own: IpAddr, from: SocketAddr, request: Request) {
    if serving.running.load(Ordering::Acquire) >= TRANSFERS {
        return;
    }
    serving.running.fetch_add(1, Ordering::AcqRel);
    let running = Running(Arc::clone(serving));
    let work = move || {
        let serving = &*running.0;
        let sender = Sender {
            hub: &serving.hub,
            server: &serving.server,
            machine: &serving.machine,
            root: serving.settings.root.as_deref(),
            patience: serving.settings.read,
            is_over: &|| serving.stop.load(Ordering::Acquire),
        };
        // Each transfer has a port of its own; what ends it is its client's business.
        let socket = UdpSocket::bind((own, 0)).and_then(|socket| {
            socket.connect(from)?;
            Ok(socket)
        });
        let _ = socket.and_then(|socket| sender.answer(&socket, &request));
    };
    // Without a thread the client asks again.
    let _ = std::thread::Builder::new().name("tftp client".into()).stack_size(STACK).spawn(work);
}
