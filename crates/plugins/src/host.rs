//! Child processes and sessions with them.

use std::collections::HashMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_source::process::{ProcessorShare, share_processor};
use ordain_source::{ChildSession, ChildSessionRequest, World};
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::language::Language;
use crate::limits::Limits;
use crate::script;

/// The largest message from the child.
const MAX_MESSAGE: usize = 256 << 20;
/// The time in seconds beyond its own limit after which the child is killed.
const KILL_DELAY: u32 = 3;

/// The child processes that run code of modules, one for each running compile.
#[derive(Default)]
pub struct Host {
    language: Language,
    /// Paths of interpreters that are tried before the `PATH`.
    programs: Vec<String>,
    limits: Limits,
    state: Mutex<State>,
    free: Condvar,
}

#[derive(Default)]
struct State {
    slots: Vec<Slot>,
    /// The number of threads that wait for a child.
    waiting: usize,
}

/// The slot of a child.
struct Slot {
    /// The owner; `None` for a free child.
    owner: Option<u64>,
    /// `None` during a session.
    child: Option<Child>,
}

struct Child {
    peer: Box<dyn ChildSession>,
    /// The loaded items by name, with the child's description of each.
    loaded: HashMap<String, Json>,
    /// The last compile that the child was told of.
    compile: Option<u64>,
    /// The processor that it shares with the thread of that compile.
    processor: Option<Box<dyn ProcessorShare>>,
    /// Whether the answer to the last message is outstanding.
    owes_answer: bool,
    is_dead: bool,
}

impl Host {
    /// A `python3` with these limits: the first of the programs that exists, or else that of the
    /// `PATH`. It is started on demand.
    pub fn python(limits: Limits, programs: Vec<String>) -> Self {
        Self { limits, programs, language: Language::Python, ..Self::default() }
    }

    /// A `ruby` with these limits. It is started on demand.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Begins a session with the child of an owner: its previous child, or else a free one, or else
    /// a new one. The child belongs to its owner until [`Host::release`]. If another session of the
    /// same owner is open, this waits for its end.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn session(&self, world: &dyn World, owner: u64) -> Result<Session<'_>, Fault> {
        let mut state = self.lock();
        let child = loop {
            let own = state.slots.iter().position(|slot| slot.owner == Some(owner));
            let free = || state.slots.iter().position(|slot| slot.owner.is_none());
            let Some(at) = own.or_else(free) else {
                state.slots.push(Slot { owner: Some(owner), child: None });
                break None;
            };
            let slot = &mut state.slots[at];
            slot.owner = Some(owner);
            match slot.child.take() {
                Some(child) => break Some(child),
                None => {
                    state.waiting += 1;
                    state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.waiting -= 1;
                }
            }
        };
        drop(state);
        // From here on the session returns the child, whatever happens.
        let mut session = Session { host: self, owner: Some(owner), child };
        if session.child.as_ref().is_some_and(|child| child.owes_answer) {
            // A child that ended meanwhile is replaced.
            let has_answered = session.receive().is_ok_and(|answer| answer[0] == "ok");
            session.child = session.child.take().filter(|_| has_answered);
        }
        match &mut session.child {
            Some(child) => child.owes_answer = false,
            none => *none = Some(self.start(world)?),
        }
        Ok(session)
    }

    /// Frees the child of an owner for others. If the child was told about a compile, it gets the
    /// `farewell` message, which it answers.
    pub fn release(&self, owner: u64, farewell: Option<&Json>) {
        let mut state = self.lock();
        let Some(at) = state.slots.iter().position(|slot| slot.owner == Some(owner)) else {
            return;
        };
        let Some(child) = state.slots[at].child.take() else { return };
        drop(state);
        let mut session = Session { host: self, owner: Some(owner), child: Some(child) };
        session.use_all_processors();
        if let (Some(farewell), Some(_)) = (farewell, session.child().compile.take()) {
            session.child().loaded.clear();
            session.child().owes_answer = session.send(farewell).is_ok();
        }
        session.give_back(None);
    }

    fn start(&self, world: &dyn World) -> Result<Child, Fault> {
        let language = self.language;
        let chosen = world.env(language.variable());
        for program in language.interpreters(chosen, &self.programs) {
            let mut argv = vec![program];
            argv.extend(script::options(language).iter().map(|&option| option.to_owned()));
            let mut peer = match world.start(&ChildSessionRequest { argv }) {
                Ok(peer) => peer,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Fault::Start(language, error.to_string())),
            };
            let limits = self.limits;
            let patience = Duration::from_secs(u64::from(limits.seconds + KILL_DELAY));
            let sent =
                peer.send(&script::program(language, limits.seconds, limits.memory), patience);
            sent.map_err(|_| Fault::Start(language, peer.stop()))?;
            let (loaded, compile, processor) = Default::default();
            let (owes_answer, is_dead) = Default::default();
            return Ok(Child { peer, loaded, compile, processor, owes_answer, is_dead });
        }
        Err(Fault::Missing(language))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session with a child. Dropping it frees the child for its owner.
pub struct Session<'r> {
    host: &'r Host,
    /// The owner of the child; `None` after the child was returned.
    owner: Option<u64>,
    /// Set during the whole session.
    child: Option<Child>,
}

impl Session<'_> {
    #[expect(clippy::expect_used, reason = "a session has its child until it is dropped")]
    fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("a session has its child until it is dropped")
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the child ended. The session cannot be used any more then.
    pub fn send(&mut self, message: &Json) -> Result<(), Fault> {
        let mut bytes = vec![0; 4];
        serde_json::to_writer(&mut bytes, message)
            .map_err(|e| Fault::Garbled(self.host.language, e.to_string()))?;
        self.send_framed(bytes)
    }

    /// Sends a message that is already encoded as JSON.
    ///
    /// # Errors
    /// When the child ended. The session cannot be used any more then.
    pub fn send_text(&mut self, text: &[u8]) -> Result<(), Fault> {
        let mut bytes = Vec::with_capacity(text.len() + 4);
        bytes.extend([0; 4]);
        bytes.extend(text);
        self.send_framed(bytes)
    }

    /// Sends a message with four bytes of space for its length in front.
    fn send_framed(&mut self, mut bytes: Vec<u8>) -> Result<(), Fault> {
        let language = self.host.language;
        let length = u32::try_from(bytes.len() - 4)
            .map_err(|_| Fault::Garbled(language, "the question is too long".to_owned()))?;
        bytes[..4].copy_from_slice(&length.to_be_bytes());
        if let Some(processor) = &mut self.child().processor {
            processor.count_message();
        }
        let patience = self.patience();
        let result = self.child().peer.send(&bytes, patience);
        result.map_err(|error| self.end(&error))
    }

    /// The next message of the child.
    ///
    /// # Errors
    /// When none comes in time, or the child ended. The session cannot be used any more then.
    pub fn receive(&mut self) -> Result<Json, Fault> {
        let text = self.receive_text()?;
        serde_json::from_slice(&text).map_err(|error| self.refuse(error.to_string()))
    }

    /// The text of the next message of the child.
    ///
    /// # Errors
    /// When none comes in time, or the child ended. The session cannot be used any more then.
    pub fn receive_text(&mut self) -> Result<Vec<u8>, Fault> {
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
        Ok(text)
    }

    /// Whether the child ended.
    pub fn is_dead(&self) -> bool {
        self.child.as_ref().is_none_or(|child| child.is_dead)
    }

    /// Sets the compile of the child. Returns whether it was another one before.
    pub fn is_new_for(&mut self, compile: u64) -> bool {
        self.child().compile.replace(compile) != Some(compile)
    }

    /// Puts this thread and a process, which is the child or a copy of it, on one processor until
    /// the child is released, if the system allows it.
    pub fn share_processor(&mut self, process: u32) {
        self.child().processor = share_processor(process);
    }

    /// Lets this thread and the child use all processors again.
    pub fn use_all_processors(&mut self) {
        self.child().processor = None;
    }

    /// The child's description of a loaded item.
    pub fn loaded(&self, name: &str) -> Option<&Json> {
        self.child.as_ref()?.loaded.get(name)
    }

    /// Stores the child's description of a loaded item.
    pub fn set_loaded(&mut self, name: &str, description: Json) {
        self.child().loaded.insert(name.to_owned(), description);
    }

    /// Returns the child for its next owner. A child that ended is dropped.
    fn give_back(&mut self, owner: Option<u64>) {
        let Some(mine) = self.owner.take() else { return };
        let mut state = self.host.lock();
        let Some(at) = state.slots.iter().position(|slot| slot.owner == Some(mine)) else {
            return;
        };
        match self.child.take().filter(|child| !child.is_dead) {
            Some(child) => state.slots[at] = Slot { owner, child: Some(child) },
            None => drop(state.slots.swap_remove(at)),
        }
        // Usually nobody waits, and a notification costs a system call.
        if state.waiting > 0 {
            self.host.free.notify_all();
        }
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(u64::from(self.host.limits.seconds + KILL_DELAY))
    }

    fn end(&mut self, error: &io::Error) -> Fault {
        let seconds = self.host.limits.seconds + KILL_DELAY;
        let language = self.host.language;
        let child = self.child();
        child.is_dead = true;
        let how = child.peer.stop();
        match error.kind() {
            io::ErrorKind::TimedOut => Fault::Late(language, seconds),
            _ => Fault::Ended(language, how),
        }
    }

    fn refuse(&mut self, why: String) -> Fault {
        let language = self.host.language;
        let child = self.child();
        child.is_dead = true;
        child.peer.stop();
        Fault::Garbled(language, why)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.give_back(self.owner);
    }
}
