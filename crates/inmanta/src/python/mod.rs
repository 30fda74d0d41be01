//! The Python code of modules.
//!
//! The code runs in a child process, with a light package `inmanta` from the crate
//! `ordain_plugins`. Few messages are exchanged: a call is one message with its arguments, its
//! result is another, and the first read of an instance returns all attributes that have a value.
//! Values never change, so the child keeps them.
//!
//! | file | contents |
//! | --- | --- |
//! | `module.rs`, `modules.rs` | the files of a module, and loading them |
//! | `declared.rs` | the plugins that Python files declare, found without running them |
//! | `function.rs` | Python functions as plugins |
//! | `batch.rs`, `prepared.rs` | batches of calls |
//! | `conversation.rs`, `answers.rs` | messages to and from the child; answers to its questions |
//! | `export.rs` | exporting resources |
//! | `deployment.rs` | the description of the process that deploys resources |
//! | `message.rs`, `wire.rs` | the format of messages, and of values in them |
//! | `mirror.rs` | the parts of the model that the child knows |
//! | `rows.rs` | all attributes of the instances of an entity after the run |

mod answers;
mod batch;
mod conversation;
mod declared;
mod deployment;
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

use ordain_plugins::{Host, Limits};
use serde_json::Value as Json;

use crate::diagnostics::{Class, Error};
use crate::model::identity::Identity;
use crate::model::plugin::{Context, Stop};
use message::Message;
use mirror::Mirror;

pub use deployment::Deployment;
pub use module::Module;
pub use modules::LoadError;

/// Marks a session whose child has the project loaded.
const COMPILE: u64 = 1;

/// The description of the project for the child.
#[derive(Clone, Default, Debug)]
pub struct Setup {
    /// The directory of the project.
    pub project: PathBuf,
    /// The name of the project.
    pub name: String,
    /// The search path for modules of version 1, from which Python code may import, too.
    pub modulepath: Vec<PathBuf>,
    /// The interpreters to try before that of the `PATH`.
    pub interpreters: Vec<PathBuf>,
    /// Settings by section.
    pub settings: Vec<(String, Vec<(String, String)>)>,
}

/// The Python code of a project. The child starts when the first module with Python code is loaded.
pub struct Python {
    host: Host,
    setup: Setup,
    state: RefCell<State>,
    /// The part of the model that the child has.
    mirror: RefCell<Mirror>,
    /// The calls that were prepared, and their results.
    batch: RefCell<batch::Batch>,
    /// Whether an export includes the contents of files.
    wants_files: Cell<bool>,
}

#[derive(Default)]
struct State {
    is_started: bool,
    has_modules: bool,
    /// Warnings of Python code: class and text.
    warnings: Vec<(String, String)>,
    /// The output of Python code at loading.
    printed: String,
    /// The entities with resource classes.
    resources: Vec<String>,
    /// The classes whose ids are attributes of the model.
    identities: Vec<Identity>,
    /// All modules of the model.
    modules: Vec<Module>,
}

impl Python {
    /// Creates the Python code of a project, without starting the child.
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

    /// Makes exports include the contents of files.
    pub fn want_files(&self) {
        self.wants_files.set(true);
    }

    /// Whether any module with Python code has been loaded.
    pub fn is_used(&self) -> bool {
        self.state.borrow().has_modules
    }

    /// The resource classes whose ids are attributes of the model.
    pub fn identities(&self) -> Vec<Identity> {
        self.state.borrow().identities.clone()
    }

    /// Takes the warnings of Python code since the last call: class and text.
    pub fn take_warnings(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.state.borrow_mut().warnings)
    }

    /// Takes the output of Python code at loading since the last call.
    pub fn take_printed(&self) -> String {
        std::mem::take(&mut self.state.borrow_mut().printed)
    }

    /// Records the warnings of an answer.
    fn note_warnings(&self, answer: &Json) {
        self.state.borrow_mut().warnings.extend(warnings(answer));
    }

    /// Runs the finalizers.
    ///
    /// # Errors
    /// If a finalizer fails.
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
