//! Messages between this process and a supervisor over a socket.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::launch::{Launch, OrphanPolicy, RunAs};

/// The maximum number of file descriptors of a request: standard input, output and error, and one
/// to hold while the program runs.
const MAX_FDS: usize = 4;

/// A tag and the length of the payload.
const HEADER: usize = 5;

const START: u8 = b'S';
const END: u8 = b'K';

/// A request to a supervisor.
pub(crate) enum Request {
    /// Start a program with these descriptors.
    Start(Box<Launch>, Vec<OwnedFd>),
    /// End the program with all that it started.
    End,
}

/// An answer of a supervisor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The program runs under this number.
    Started(u32),
    /// It could not be started; the error number.
    Failed(i32),
    /// It has ended.
    Ended {
        /// The status of `wait`.
        status: i32,
        /// Whether the supervisor ends, too, because descendants survive or because it is
        /// restricted.
        is_last: bool,
    },
}

/// The length of an [`Answer`].
const ANSWER: usize = 6;

/// Requests the start of a program.
///
/// # Errors
/// When the supervisor has ended.
pub(crate) fn send_start(
    mut socket: &UnixStream,
    launch: &Launch,
    fds: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let body = encode(launch);
    let length = u32::try_from(body.len()).map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
    let [a, b, c, d] = length.to_be_bytes();
    let header: [u8; HEADER] = [START, a, b, c, d];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // A header is far smaller than the buffer of a socket.
    let sent = sendmsg(socket, &[IoSlice::new(&header)], &mut control, SendFlags::NOSIGNAL)?;
    if sent < HEADER {
        return Err(io::ErrorKind::WriteZero.into());
    }
    socket.write_all(&body)
}

/// Requests the end of the program.
///
/// # Errors
/// When the supervisor has ended.
pub(crate) fn send_end(mut socket: &UnixStream) -> io::Result<()> {
    socket.write_all(&[END, 0, 0, 0, 0])
}

/// The next request; `None` at the end of the connection.
///
/// # Errors
/// When the message is invalid.
pub(crate) fn receive(mut socket: &UnixStream) -> io::Result<Option<Request>> {
    let mut header = [0; HEADER];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(&mut header)];
    let got = recvmsg(socket, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC)?.bytes;
    if got == 0 {
        return Ok(None);
    }
    let mut fds = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    socket.read_exact(header.get_mut(got..).unwrap_or_default())?;
    let [tag, length @ ..] = header;
    if tag == END {
        return Ok(Some(Request::End));
    }
    let mut body = vec![0; u32::from_be_bytes(length) as usize];
    socket.read_exact(&mut body)?;
    let launch = decode(&body).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some(Request::Start(Box::new(launch), fds)))
}

/// Sends an answer.
///
/// # Errors
/// When nobody waits for it.
pub(crate) fn send_answer(mut socket: &UnixStream, answer: Answer) -> io::Result<()> {
    let (tag, number, flag) = match answer {
        Answer::Started(pid) => (0, pid.to_be_bytes(), false),
        Answer::Failed(errno) => (1, errno.to_be_bytes(), false),
        Answer::Ended { status, is_last } => (2, status.to_be_bytes(), is_last),
    };
    let [a, b, c, d] = number;
    socket.write_all(&[tag, a, b, c, d, u8::from(flag)])
}

/// The next answer.
///
/// # Errors
/// When the supervisor has ended.
pub(crate) fn receive_answer(mut socket: &UnixStream) -> io::Result<Answer> {
    let mut bytes = [0; ANSWER];
    socket.read_exact(&mut bytes)?;
    let [tag, number @ .., flag] = bytes;
    Ok(match tag {
        0 => Answer::Started(u32::from_be_bytes(number)),
        1 => Answer::Failed(i32::from_be_bytes(number)),
        _ => Answer::Ended { status: i32::from_be_bytes(number), is_last: flag != 0 },
    })
}

/// Writes texts and numbers, each text after its length.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u32) {
        self.0.extend(number.to_be_bytes());
    }

    fn text(&mut self, text: &[u8]) {
        // No system takes a longer argument.
        self.number(u32::try_from(text.len()).unwrap_or(u32::MAX));
        self.0.extend(text);
    }

    fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.number(u32::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.number(u32::try_from(items.len()).unwrap_or(u32::MAX));
        items.iter().for_each(|item| write(self, item));
    }

    fn pairs(&mut self, pairs: &[(OsString, OsString)]) {
        self.list(pairs, |w, (name, value)| {
            w.text(name.as_bytes());
            w.text(value.as_bytes());
        });
    }
}

fn encode(launch: &Launch) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.list(&launch.argv, |w, text| w.text(text.as_bytes()));
    writer.option(launch.env.as_ref(), |w, env| w.pairs(env));
    writer.pairs(&launch.set_env);
    writer.option(launch.cwd.as_ref(), |w, cwd| w.text(cwd.as_os_str().as_bytes()));
    writer.option(launch.run_as.as_ref(), |w, identity| {
        w.number(identity.uid);
        w.number(identity.gid);
        w.option(identity.groups.as_ref(), |w, groups| w.list(groups, |w, gid| w.number(*gid)));
    });
    writer.option(launch.umask, Writer::number);
    writer.number(match launch.orphans {
        OrphanPolicy::Stay => 0,
        OrphanPolicy::End => 1,
        OrphanPolicy::Await => 2,
    });
    writer.option(launch.writes_only.as_ref(), |w, paths| {
        w.list(paths, |w, path| w.text(path.as_os_str().as_bytes()));
    });
    writer.0
}

/// Reads the output of a [`Writer`].
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*number))
    }

    fn text(&mut self) -> Option<OsString> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(OsString::from_vec(text.to_vec()))
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.number()? {
            0 => Some(None),
            _ => read(self).map(Some),
        }
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| read(self)).collect()
    }

    fn pairs(&mut self) -> Option<Vec<(OsString, OsString)>> {
        self.list(|r| Some((r.text()?, r.text()?)))
    }
}

fn decode(bytes: &[u8]) -> Option<Launch> {
    let mut reader = Reader(bytes);
    Some(Launch {
        argv: reader.list(Reader::text)?,
        env: reader.option(Reader::pairs)?,
        set_env: reader.pairs()?,
        cwd: reader.option(|r| r.text().map(PathBuf::from))?,
        run_as: reader.option(|r| {
            let (uid, gid) = (r.number()?, r.number()?);
            Some(RunAs { uid, gid, groups: r.option(|r| r.list(Reader::number))? })
        })?,
        umask: reader.option(Reader::number)?,
        orphans: match reader.number()? {
            0 => OrphanPolicy::Stay,
            1 => OrphanPolicy::End,
            _ => OrphanPolicy::Await,
        },
        writes_only: reader.option(|r| r.list(|r| r.text().map(PathBuf::from)))?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_launch_is_read_as_it_was_written() {
        let full = Launch {
            argv: vec!["/bin/sh".into(), OsString::from_vec(vec![0xff, b'\n'])],
            env: Some(vec![("A".into(), "b=c".into())]),
            set_env: vec![("B".into(), String::new().into())],
            cwd: Some("/srv".into()),
            run_as: Some(RunAs { uid: 1, gid: 2, groups: Some(vec![3, 4]) }),
            umask: Some(0o27),
            orphans: OrphanPolicy::End,
            writes_only: Some(vec!["/tmp".into()]),
        };
        let awaited = Launch { orphans: OrphanPolicy::Await, ..Launch::default() };
        for launch in [full, awaited, Launch::default()] {
            let bytes = encode(&launch);
            assert_eq!(decode(&bytes).unwrap(), launch);
            assert!((0..bytes.len()).all(|length| decode(&bytes[..length]).is_none()));
        }
    }

    #[test]
    fn answers_are_read_as_they_were_written() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let ended = Answer::Ended { status: 9, is_last: true };
        for answer in [Answer::Started(7), Answer::Failed(2), ended] {
            send_answer(&ours, answer).unwrap();
            assert_eq!(receive_answer(&theirs).unwrap(), answer);
        }
    }
}
