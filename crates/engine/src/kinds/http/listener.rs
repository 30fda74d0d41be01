//! A socket that is listened at.

use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use super::connection;
use crate::kinds::serving::ServerState;

/// The maximum number of open connections of one server; others wait to be accepted.
const MAX_CONNECTIONS: usize = 128;

/// The wait when the machine has no more files or threads.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Accepts until the end.
pub(super) fn accept(serving: &Arc<ServerState>, socket: &TcpListener, woken: &OwnedFd) {
    while !serving.is_over() {
        let is_full = serving.clients() >= MAX_CONNECTIONS;
        let mut fds = [PollFd::new(woken, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        let watched = if is_full { &mut fds[..1] } else { &mut fds[..] };
        let pause = rustix::event::Timespec { tv_sec: 0, tv_nsec: RETRY_DELAY.as_nanos() as _ };
        let _ = poll(watched, is_full.then_some(&pause));
        if is_full || serving.is_over() {
            continue;
        }
        match socket.accept() {
            // An error of a connection affects its client only.
            Ok((stream, _)) => serving.answer("http client", move |serving| {
                let _ = connection::serve(serving, &stream);
            }),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => std::thread::sleep(RETRY_DELAY),
        }
    }
}
