//! The child and the right to talk with it.

use std::collections::HashMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_source::process::{ProcessorShare, share_processor};
use ordain_source::{ChildSession, ChildSessionRequest, World};
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::script;

/// Where a `ruby` may be besides the `PATH`: that of Puppet's own packages.
const ELSEWHERE: &str = "/opt/puppetlabs/puppet/bin/ruby";
/// The largest message from the child.
const MAX_MESSAGE: usize = 256 << 20;
/// How much longer than its own limit the child may take before it is killed.
const GRACE: u32 = 3;

/// Whose interpreter the child is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Language {
    /// `ruby`, for Puppet's modules.
    #[default]
    Ruby,
    /// `python3`, for Inmanta's modules.
    Python,
}

impl Language {
    /// The name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Ruby => "ruby",
            Self::Python => "python3",
        }
    }

    /// The variable of the environment that names another program.
    fn variable(self) -> &'static str {
        match self {
            Self::Ruby => "ORDAIN_RUBY",
            Self::Python => "ORDAIN_PYTHON",
        }
    }
}

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

/// The processes of an environment that run modules' code: one for each compile that is under way.
#[derive(Default)]
pub struct Host {
    language: Language,
    /// Where the interpreter may be besides the `PATH`; these are tried first.
    programs: Vec<String>,
    limits: Limits,
    state: Mutex<State>,
    free: Condvar,
}

#[derive(Default)]
struct State {
    slots: Vec<Slot>,
    /// How many wait for a child.
    waiting: usize,
}

/// The place of a child.
struct Slot {
    /// Whose it is; nobody's when it waits for work.
    owner: Option<u64>,
    /// Not there while somebody talks with it.
    child: Option<Child>,
}

struct Child {
    peer: Box<dyn ChildSession>,
    /// What was loaded, by name, with what the child said of it.
    loaded: HashMap<String, Json>,
    /// The compile that was told of last.
    compile: Option<u64>,
    /// The processor that it has together with the thread of that compile.
    processor: Option<Box<dyn ProcessorShare>>,
    /// Whether it has not answered yet to what it was told last.
    owes_answer: bool,
    is_dead: bool,
}

impl Host {
    /// A `python3` with these limits, which is not started yet: the first of the programs that is
    /// there, or else that of the `PATH`.
    pub fn python(limits: Limits, programs: Vec<String>) -> Self {
        Self { limits, programs, language: Language::Python, ..Self::default() }
    }

    /// A `ruby` with these limits, which is not started yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The right to talk with the child of an owner: that which it had before, or else one that is
    /// nobody's, or else a new one. It stays with its owner until [`Host::release`]; where another
    /// session of the same owner has it, this waits for its end.
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
        // From here on the session gives the right back, whatever happens.
        let mut session = Session { host: self, owner: Some(owner), child };
        if session.child.as_ref().is_some_and(|child| child.owes_answer) {
            // One that has ended meanwhile is replaced.
            let has_answered = session.receive().is_ok_and(|answer| answer[0] == "ok");
            session.child = session.child.take().filter(|_| has_answered);
        }
        match &mut session.child {
            Some(child) => child.owes_answer = false,
            none => *none = Some(self.start(world)?),
        }
        Ok(session)
    }

    /// An owner needs its child no more; others may have it. If it was told of a compile, it hears
    /// the `farewell`, which it answers.
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
        let programs = match world.env(language.variable()).filter(|program| !program.is_empty()) {
            Some(program) => vec![program],
            None => {
                let elsewhere = (language == Language::Ruby).then(|| ELSEWHERE.to_owned());
                let usual = std::iter::once(language.program().to_owned());
                self.programs.iter().cloned().chain(usual).chain(elsewhere).collect()
            }
        };
        for program in programs {
            let mut argv = vec![program];
            argv.extend(script::options(language).iter().map(|&option| option.to_owned()));
            let mut peer = match world.start(&ChildSessionRequest { argv }) {
                Ok(peer) => peer,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Fault::Start(language, error.to_string())),
            };
            let limits = self.limits;
            let patience = Duration::from_secs(u64::from(limits.seconds + GRACE));
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

/// The right to talk with a child. It is given back when the session is dropped.
pub struct Session<'r> {
    host: &'r Host,
    /// Whose child it is; nobody's once it was given back.
    owner: Option<u64>,
    /// There from the start to the end.
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
    /// When the child is gone; it cannot be talked with any more then.
    pub fn send(&mut self, message: &Json) -> Result<(), Fault> {
        let mut bytes = vec![0; 4];
        serde_json::to_writer(&mut bytes, message)
            .map_err(|e| Fault::Garbled(self.host.language, e.to_string()))?;
        self.send_framed(bytes)
    }

    /// Sends a message that is the text of JSON already.
    ///
    /// # Errors
    /// When the child is gone; it cannot be talked with any more then.
    pub fn send_text(&mut self, text: &[u8]) -> Result<(), Fault> {
        let mut bytes = Vec::with_capacity(text.len() + 4);
        bytes.extend([0; 4]);
        bytes.extend(text);
        self.send_framed(bytes)
    }

    /// Sends a message in front of which there is room for its length.
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
    /// When none comes in time, or the child is gone; it cannot be talked with any more then.
    pub fn receive(&mut self) -> Result<Json, Fault> {
        let text = self.receive_text()?;
        serde_json::from_slice(&text).map_err(|error| self.refuse(error.to_string()))
    }

    /// The text of the next message of the child.
    ///
    /// # Errors
    /// When none comes in time, or the child is gone; it cannot be talked with any more then.
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

    /// Whether the child is gone.
    pub fn is_dead(&self) -> bool {
        self.child.as_ref().is_none_or(|child| child.is_dead)
    }

    /// Whether the child was told of another compile last; from now on it is this one.
    pub fn is_new_for(&mut self, compile: u64) -> bool {
        self.child().compile.replace(compile) != Some(compile)
    }

    /// Has this thread and the process of this number, which is the child or a copy of it, on one
    /// processor until the child is released, where the system allows it.
    pub fn share_processor(&mut self, process: u32) {
        self.child().processor = share_processor(process);
    }

    /// Lets this thread and the child have all processors again.
    pub fn use_all_processors(&mut self) {
        self.child().processor = None;
    }

    /// What the child said of something when it was loaded.
    pub fn loaded(&self, name: &str) -> Option<&Json> {
        self.child.as_ref()?.loaded.get(name)
    }

    /// Keeps what the child said of something that it loaded.
    pub fn set_loaded(&mut self, name: &str, said: Json) {
        self.child().loaded.insert(name.to_owned(), said);
    }

    /// Puts the child back for its next owner; one that is gone is forgotten.
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
        // Most often nobody waits, and to wake nobody takes a system call.
        if state.waiting > 0 {
            self.host.free.notify_all();
        }
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(u64::from(self.host.limits.seconds + GRACE))
    }

    fn end(&mut self, error: &io::Error) -> Fault {
        let seconds = self.host.limits.seconds + GRACE;
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
