//! Sending one file.

use std::io::{self, Cursor, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::time::{Duration, Instant};

use super::packet::{Refusal, Reply, Request, data, error};
use crate::kinds::serving::{Content, Hub, open_within};

/// The number of times a block is sent before the client counts as gone.
const MAX_TRIES: usize = 6;

/// The default length of a block.
const BLOCK: u16 = 512;

/// The longest that a transfer takes.
const MAX_DURATION: Duration = Duration::from_secs(3600);

/// The sender of a file.
pub(super) struct Sender<'a> {
    pub(super) hub: &'a Hub,
    pub(super) server: &'a str,
    /// The root of the machine.
    pub(super) machine: &'a Path,
    /// A directory that is served in addition to the routes.
    pub(super) root: Option<&'a Path>,
    pub(super) timeout: Duration,
    pub(super) is_over: &'a dyn Fn() -> bool,
}

impl Sender<'_> {
    /// Sends the requested file over a socket that is connected with the client.
    pub(super) fn answer(&self, socket: &UdpSocket, request: &Request) -> io::Result<()> {
        let (content, size) = match self.find(&request.name) {
            Ok(found) => found,
            Err(e) => {
                let refusal = match e.kind() {
                    io::ErrorKind::NotFound => Refusal::NotFound,
                    _ => Refusal::Undefined,
                };
                return socket.send(&error(refusal)).map(drop);
            }
        };
        // Converted line ends change the size.
        let size = (!request.is_text).then_some(size);
        let mut content: Box<dyn Read> = match request.is_text {
            true => Box::new(Text { inner: io::BufReader::new(content), owed: None }),
            false => content,
        };
        self.send(socket, request, &mut *content, size)
    }

    fn find(&self, name: &str) -> io::Result<(Box<dyn Read>, u64)> {
        let file = match self.hub.find(self.server, name).map(|route| route.spec.what.clone()) {
            Some(Content::Data(data)) => {
                let size = data.len() as u64;
                return Ok((Box::new(Cursor::new(data)), size));
            }
            Some(Content::File(path)) => open_within(self.machine, &path)?,
            Some(_) => return Err(io::ErrorKind::NotFound.into()),
            None => {
                let is_plain = name.split('/').all(|part| part != "..");
                let root = self.root.filter(|_| is_plain).ok_or(io::ErrorKind::NotFound)?;
                open_within(root, Path::new(name.trim_start_matches('/')))?
            }
        };
        let size = file.metadata()?.len();
        Ok((Box::new(file), size))
    }

    fn send(
        &self,
        socket: &UdpSocket,
        request: &Request,
        content: &mut dyn Read,
        size: Option<u64>,
    ) -> io::Result<()> {
        let start = Instant::now();
        let timeout = request.timeout(self.timeout);
        if let Some(granted) = request.granted(size)
            && !self.deliver(socket, &granted, 0, timeout)?
        {
            return Ok(());
        }
        let length = request.block.unwrap_or(BLOCK);
        let mut number: u16 = 0;
        loop {
            number = number.wrapping_add(1);
            let mut block = Vec::with_capacity(length.into());
            (&mut *content).take(length.into()).read_to_end(&mut block)?;
            let goes_on = self.deliver(socket, &data(number, &block), number, timeout)?;
            // The last block is one that is not full.
            if !goes_on || block.len() < length.into() || start.elapsed() > MAX_DURATION {
                return Ok(());
            }
        }
    }

    /// Sends a packet until the client confirms it; returns whether the client wants more.
    fn deliver(
        &self,
        socket: &UdpSocket,
        packet: &[u8],
        number: u16,
        timeout: Duration,
    ) -> io::Result<bool> {
        for _ in 0..MAX_TRIES {
            socket.send(packet)?;
            let sent = Instant::now();
            while let Some(left) = timeout.checked_sub(sent.elapsed()).filter(|l| !l.is_zero()) {
                if (self.is_over)() {
                    return Ok(false);
                }
                socket.set_read_timeout(Some(left))?;
                let mut buffer = [0; 600];
                let count = match socket.recv(&mut buffer) {
                    Ok(count) => count,
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                    Err(e) => return Err(e),
                };
                match Reply::parse(&buffer[..count]) {
                    Some(Reply::Has(has)) if has == number => return Ok(true),
                    Some(Reply::Enough) => return Ok(false),
                    // Duplicates are ignored, or both sides would send everything twice.
                    _ => {}
                }
            }
        }
        Ok(false)
    }
}

/// Text with the line ends of the protocol.
struct Text<R> {
    inner: R,
    /// A byte that precedes the next one.
    owed: Option<u8>,
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for (count, place) in buffer.iter_mut().enumerate() {
            if let Some(owed) = self.owed.take() {
                *place = owed;
                continue;
            }
            let mut byte = [0];
            if self.inner.read(&mut byte)? == 0 {
                return Ok(count);
            }
            (*place, self.owed) = match byte[0] {
                b'\n' => (b'\r', Some(b'\n')),
                b'\r' => (b'\r', Some(0)),
                other => (other, None),
            };
        }
        Ok(buffer.len())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn text_has_its_ends_of_lines() {
        let mut out = Vec::new();
        Text { inner: &b"a\nb\rc\n"[..], owed: None }.read_to_end(&mut out).unwrap();
        assert_eq!(out, b"a\r\nb\r\0c\r\n");
    }
}
