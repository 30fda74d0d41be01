//! The Python code of modules.
//!
//! It runs in a child process, for which the crate `ordain_plugins` brings a light package
//! `inmanta`. Whole things cross: a call with its arguments goes out, its result comes back, and of
//! an instance that a plug-in reads from all attributes that have a value come at once. Since
//! values never change, the child keeps them; so of many reads few cross.

//! | file | contents |
//! | --- | --- |
//! | `module.rs`, `modules.rs` | the files of a module, and loading them |
//! | `declared.rs` | the plugins that code declares, for a check, which runs none |
//! | `function.rs` | functions of modules as plugins |
//! | `batch.rs`, `prepared.rs` | calls that run one after the other without a message between |
//! | `answers.rs` | the child's questions while a call is under way |
//! | `export.rs` | the resources of a model |
//! | `message.rs`, `wire.rs` | messages, and values in them |
//! | `mirror.rs` | the part of the model that the child has |

mod answers;
mod batch;
mod declared;
mod export;
mod function;
mod message;
mod mirror;
mod module;
mod modules;
mod prepared;
mod rows;
mod wire;

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;

use ordain_plugins::{Fault, Host, Limits, Session};
use serde_json::{Value as Json, json};

use crate::error::{Class, Error};
use crate::plugin::{Context, Stop};
use message::Message;
use mirror::Mirror;

pub use export::Exported;
pub use module::Module;
pub use modules::NotLoaded;

/// Marks a child that knows the project.
const COMPILE: u64 = 1;

/// The project, as the child learns of it.
#[derive(Clone, Default, Debug)]
pub struct Setup {
    /// The directory of the project.
    pub project: PathBuf,
    /// The name of the project.
    pub name: String,
    /// The directories of modules of version 1, where Python code may import further ones from.
    pub modulepath: Vec<PathBuf>,
    /// The interpreters to try before that of the `PATH`: that of the project's environment.
    pub interpreters: Vec<PathBuf>,
    /// Settings by section.
    pub settings: Vec<(String, Vec<(String, String)>)>,
}

/// The Python code of a project. The child is started when the first module with Python is loaded.
pub struct Python {
    host: Host,
    setup: Setup,
    state: RefCell<State>,
    /// The part of the model that the child has.
    mirror: RefCell<Mirror>,
    /// The calls that were prepared, and their results.
    batch: RefCell<batch::Batch>,
    /// Whether an export gives the contents of files, too.
    wants_files: Cell<bool>,
}

#[derive(Default)]
struct State {
    is_started: bool,
    has_modules: bool,
    /// Warnings of Python code: class and text.
    warnings: Vec<(String, String)>,
    /// The output of Python code while it was loaded.
    printed: String,
    /// The entities that resources are registered for.
    resources: Vec<String>,
}

impl Python {
    /// For a project.
    pub fn new(setup: Setup, limits: Limits) -> Rc<Self> {
        let programs = setup.interpreters.iter().map(|path| path.display().to_string()).collect();
        let host = Host::python(limits, programs);
        Rc::new(Self {
            host,
            setup,
            state: RefCell::default(),
            mirror: RefCell::default(),
            batch: RefCell::default(),
            wants_files: Cell::default(),
        })
    }

    /// Exports give the contents of files from now on.
    pub fn want_files(&self) {
        self.wants_files.set(true);
    }

    /// Whether any module with Python code has been loaded.
    pub fn is_used(&self) -> bool {
        self.state.borrow().has_modules
    }

    /// The warnings of Python code since this was asked last: class and text.
    pub fn take_warnings(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.state.borrow_mut().warnings)
    }

    /// The output of Python code while it was loaded, since this was asked last.
    pub fn take_printed(&self) -> String {
        std::mem::take(&mut self.state.borrow_mut().printed)
    }

    /// Keeps the warnings of an answer.
    fn note_warnings(&self, answer: &Json) {
        self.state.borrow_mut().warnings.extend(warnings(answer));
    }

    /// Sends a message to which the child has no questions.
    fn talk(&self, session: &mut Session<'_>, message: &Json) -> Result<Json, Fault> {
        session.send(message)?;
        loop {
            let answer = session.receive()?;
            match answer.get("ask") {
                Some(_) => {
                    session.send(&json!({"missing": true, "text": "nothing can be asked now"}))?
                }
                None => return Ok(answer),
            }
        }
    }

    /// Sends a message and waits for the next one of the child.
    fn exchange(&self, context: &dyn Context, message: Message, who: &str) -> Result<Json, Stop> {
        self.pause_batch(context);
        let opened = self.host.session(context.world(), COMPILE);
        if opened.map_err(|fault| gone(&fault, who))?.is_new_for(COMPILE) {
            let text = format!("{who} cannot be run: the `python3` process was lost before");
            return Err(Stop::Error(Error::new(Class::Runtime, text)));
        }
        let answer = self.send(context, message).and_then(|()| self.receive(context));
        answer.map_err(|fault| gone(&fault, who))
    }

    /// Sends a message, with the instances in it that the child does not know, to the child that
    /// has been talked with before.
    fn send(&self, context: &dyn Context, mut message: Message) -> Result<(), Fault> {
        self.mirror.borrow_mut().add_untold(&mut message, context);
        self.host.session(context.world(), COMPILE)?.send_text(&message.into_text())
    }

    /// The next message of the child that has been talked with before.
    fn receive(&self, context: &dyn Context) -> Result<Json, Fault> {
        self.host.session(context.world(), COMPILE)?.receive()
    }

    /// Sends a message and answers the questions that come before the answer. A question may lead
    /// to another conversation before it is answered: a template that calls a plug-in.
    fn converse(
        &self,
        context: &mut dyn Context,
        mut message: Message,
        who: &str,
    ) -> Result<Json, Stop> {
        let mut stopped = None;
        loop {
            let answer = self.exchange(context, message, who)?;
            for line in lines(&answer) {
                context.print(line);
            }
            if answer.get("ask").is_none() {
                return match stopped.filter(|_| answer.get("error").is_some()) {
                    Some(stop) => Err(stop),
                    None => Ok(answer),
                };
            }
            message = match answers::answer(context, &answer, &self.mirror) {
                Ok(reply) => reply,
                Err(stop) => {
                    let reply = answers::stop(&stop, &mut self.mirror.borrow_mut());
                    stopped = Some(stop);
                    reply
                }
            };
        }
    }

    /// Runs the finalizers.
    ///
    /// # Errors
    /// If one fails.
    pub fn finish(&self, context: &mut dyn Context) -> Result<(), Box<Error>> {
        let failed = |text: &str| Error::new(Class::Compiler, format!("Finalizer failed: {text}"));
        match self.converse(context, Message::with("do", "finish"), "a finalizer") {
            Ok(answer) => {
                self.note_warnings(&answer);
                let errors = answer["errors"].as_array().into_iter().flatten();
                let errors = errors.chain(answer.get("error"));
                let mut errors: Vec<Error> = errors
                    .map(|error| *failed(error["text"].as_str().unwrap_or_default()))
                    .collect();
                if errors.len() < 2 {
                    return errors.pop().map_or(Ok(()), |error| Err(error.into()));
                }
                let mut out = Error::new(Class::Multi, "");
                out.causes = errors;
                Err(out)
            }
            Err(Stop::Error(error)) => Err(error),
            Err(_) => Err(failed("it asked for what is not there")),
        }
    }
}

/// The warnings of an answer: class and text.
fn warnings(answer: &Json) -> impl Iterator<Item = (String, String)> {
    let pairs = answer["warnings"].as_array().into_iter().flatten();
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    pairs.map(move |pair| (text(&pair[0]), text(&pair[1])))
}

fn lines(answer: &Json) -> impl Iterator<Item = &str> {
    answer["out"].as_str().unwrap_or_default().lines()
}

/// That the child is gone, in the words of an error.
fn gone(fault: &Fault, who: &str) -> Stop {
    Stop::Error(Error::new(Class::Runtime, format!("{fault}, while it ran {who}")))
}
