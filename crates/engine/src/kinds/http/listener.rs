//! A socket that is listened at, and its threads.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use super::connection;
use crate::kinds::serving::{Hub, Serves, Settings, bound};

/// How many connections of one server are open at the same time; others wait to be accepted.
const CONNECTIONS: usize = 128;

/// What a thread of a connection has for its calls.
const STACK: usize = 256 << 10;

/// How long to wait when the machine has no more files or threads.
const PAUSE: Duration = Duration::from_millis(50);

/// What the threads of a server share.
pub(super) struct Serving {
    pub(super) hub: Arc<Hub>,
    pub(super) server: String,
    pub(super) settings: Settings,
    pub(super) machine: PathBuf,
    stop: AtomicBool,
    open: AtomicUsize,
}

impl Serving {
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }
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
        let socket = bound(&settings.address, TcpListener::bind)?;
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        let woken = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let serving = Arc::new(Serving {
            hub: Arc::clone(hub),
            server: server.to_string(),
            settings,
            machine,
            stop: AtomicBool::new(false),
            open: AtomicUsize::new(0),
        });
        let (own, waker) = (Arc::clone(&serving), Arc::clone(&woken));
        let work = move || accept(&own, &socket, &waker);
        let thread = std::thread::Builder::new().name("http".into()).spawn(work)?;
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
    /// The socket is free again afterwards; connections come to their end by themselves.
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

/// Accepts until the end.
fn accept(serving: &Arc<Serving>, socket: &TcpListener, woken: &OwnedFd) {
    while !serving.is_over() {
        let is_full = serving.open.load(Ordering::Acquire) >= CONNECTIONS;
        let mut fds = [PollFd::new(woken, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        let watched = if is_full { &mut fds[..1] } else { &mut fds[..] };
        let pause = rustix::event::Timespec { tv_sec: 0, tv_nsec: PAUSE.as_nanos() as _ };
        let _ = poll(watched, is_full.then_some(&pause));
        if is_full || serving.is_over() {
            continue;
        }
        match socket.accept() {
            Ok((stream, _)) => begin(serving, stream),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Counts a connection as long as it is open.
struct Open(Arc<Serving>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::AcqRel);
    }
}

fn begin(serving: &Arc<Serving>, stream: TcpStream) {
    serving.open.fetch_add(1, Ordering::AcqRel);
    let open = Open(Arc::clone(serving));
    let work = move || {
        // What ends a connection is its client's business.
        let _ = connection::serve(&open.0, &stream);
    };
    // Without a thread the connection is closed.
    let _ = std::thread::Builder::new().name("http client".into()).stack_size(STACK).spawn(work);
}
