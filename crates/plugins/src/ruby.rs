//! The child and the right to talk with it.

use std::collections::HashMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_source::world::{Peer, PeerRequest, World};
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::script;

/// Where a `ruby` may be besides the `PATH`: that of Puppet's own packages.
const ELSEWHERE: &str = "/opt/puppetlabs/puppet/bin/ruby";
/// The largest message from the child.
const MAX_MESSAGE: usize = 256 << 20;
/// How much longer than its own limit the child may take before it is killed.
const GRACE: u32 = 3;

/// What the child may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Seconds for one call, those not counted in which it waits for the compile.
    pub seconds: u32,
    /// Bytes of address space.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { seconds: 60, memory: 2 << 30 }
    }
}

/// The `ruby` process of an environment.
#[derive(Default)]
pub struct Ruby {
    limits: Limits,
    state: Mutex<State>,
    free: Condvar,
}

#[derive(Default)]
struct State {
    child: Option<Child>,
    busy: bool,
}

struct Child {
    peer: Box<dyn Peer>,
    /// What was loaded, by name, with what the child said of it.
    loaded: HashMap<String, Json>,
    /// The compile that was told of last.
    compile: Option<u64>,
    is_dead: bool,
}

impl Ruby {
    /// A child with these limits, which is not started yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The right to talk with the child, which is started if need be; waits until no one else has it.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn session(&self, world: &dyn World) -> Result<Session<'_>, Fault> {
        let mut state = self.lock();
        while state.busy {
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.busy = true;
        let child = state.child.take();
        drop(state);
        // From here on the session gives the right back, whatever happens.
        let mut session = Session { host: self, child };
        if session.child.is_none() {
            session.child = Some(start(world, self.limits)?);
        }
        Ok(session)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(world: &dyn World, limits: Limits) -> Result<Child, Fault> {
    let programs = match world.env("ORDAIN_RUBY").filter(|program| !program.is_empty()) {
        Some(program) => vec![program],
        None => vec!["ruby".to_owned(), ELSEWHERE.to_owned()],
    };
    for program in programs {
        let options =
            ["-W0", "-EUTF-8:UTF-8", "--disable=gems,rubyopt", "-rjson", "-e", script::LOADER];
        let mut argv = vec![program];
        argv.extend(options.map(str::to_owned));
        let mut peer = match world.start(&PeerRequest { argv }) {
            Ok(peer) => peer,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Fault::Start(error.to_string())),
        };
        let patience = Duration::from_secs(u64::from(limits.seconds + GRACE));
        let sent = peer.send(&script::program(limits.seconds, limits.memory), patience);
        sent.map_err(|_| Fault::Start(peer.stop()))?;
        return Ok(Child { peer, loaded: HashMap::new(), compile: None, is_dead: false });
    }
    Err(Fault::Missing)
}

/// The right to talk with the child. It is given back when the session is dropped.
pub struct Session<'r> {
    host: &'r Ruby,
    /// There from the start to the end.
    child: Option<Child>,
}

impl Session<'_> {
    fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("a session has its child until it is dropped")
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the child is gone; it cannot be talked with any more then.
    pub fn send(&mut self, message: &Json) -> Result<(), Fault> {
        let mut bytes = vec![0; 4];
        serde_json::to_writer(&mut bytes, message).map_err(|e| Fault::Garbled(e.to_string()))?;
        let length = u32::try_from(bytes.len() - 4)
            .map_err(|_| Fault::Garbled("the question is too long".to_owned()))?;
        bytes[..4].copy_from_slice(&length.to_be_bytes());
        let patience = self.patience();
        let result = self.child().peer.send(&bytes, patience);
        result.map_err(|error| self.end(&error))
    }

    /// The next message of the child.
    ///
    /// # Errors
    /// When none comes in time, or the child is gone; it cannot be talked with any more then.
    pub fn receive(&mut self) -> Result<Json, Fault> {
        let patience = self.patience();
        let mut header = [0; 4];
        let result = self.child().peer.receive(&mut header, patience);
        result.map_err(|error| self.end(&error))?;
        let length = u32::from_be_bytes(header) as usize;
        if length > MAX_MESSAGE {
            let text = format!("it has more than {} MiB", MAX_MESSAGE >> 20);
            return Err(self.refuse(text));
        }
        let mut text = vec![0; length];
        let result = self.child().peer.receive(&mut text, patience);
        result.map_err(|error| self.end(&error))?;
        serde_json::from_slice(&text).map_err(|error| self.refuse(error.to_string()))
    }

    /// Whether the child is gone.
    pub fn is_dead(&self) -> bool {
        self.child.as_ref().is_none_or(|child| child.is_dead)
    }

    /// Whether the child was told of another compile last; from now on it is this one.
    pub fn is_new_for(&mut self, compile: u64) -> bool {
        self.child().compile.replace(compile) != Some(compile)
    }

    /// What the child said of something when it was loaded.
    pub fn loaded(&self, name: &str) -> Option<&Json> {
        self.child.as_ref()?.loaded.get(name)
    }

    /// Keeps what the child said of something that it loaded.
    pub fn set_loaded(&mut self, name: &str, said: Json) {
        self.child().loaded.insert(name.to_owned(), said);
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(u64::from(self.host.limits.seconds + GRACE))
    }

    fn end(&mut self, error: &io::Error) -> Fault {
        let seconds = self.host.limits.seconds + GRACE;
        let child = self.child();
        child.is_dead = true;
        let how = child.peer.stop();
        match error.kind() {
            io::ErrorKind::TimedOut => Fault::Late(seconds),
            _ => Fault::Ended(how),
        }
    }

    fn refuse(&mut self, why: String) -> Fault {
        let child = self.child();
        child.is_dead = true;
        child.peer.stop();
        Fault::Garbled(why)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let mut state = self.host.lock();
        state.child = self.child.take().filter(|child| !child.is_dead);
        state.busy = false;
        self.host.free.notify_one();
    }
}
