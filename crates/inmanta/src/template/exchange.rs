//! What goes between the thread that renders and the compiler.

use std::rc::Rc;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ecow::EcoString;
use num_bigint::BigInt;
use ordain_source::budget::Uncounted;

use crate::value::{InstanceId, Names, Value};

/// A value that can be sent.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    Int(i64),
    Big(BigInt),
    Float(f64),
    Str(EcoString),
    List(Arc<Vec<Self>>),
    Dict(Arc<Vec<(EcoString, Self)>>),
    /// An instance with the text that stands for it.
    Instance(InstanceId, EcoString),
    /// The name of a module.
    Namespace(EcoString),
    /// What cannot be sent, as text.
    Opaque(EcoString),
}

impl Plain {
    pub(super) fn of(value: &Value, names: &dyn Names) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Int(number) => Self::Int(*number),
            Value::BigInt(number) => Self::Big((**number).clone()),
            Value::Float(number) => Self::Float(*number),
            Value::Str(text) => Self::Str(text.clone()),
            Value::List(items) => {
                Self::List(Arc::new(items.iter().map(|item| Self::of(item, names)).collect()))
            }
            Value::Dict(entries) => {
                let entries = entries.iter().map(|(k, v)| (k.clone(), Self::of(v, names)));
                Self::Dict(Arc::new(entries.collect()))
            }
            Value::Instance(instance) => Self::Instance(*instance, value.repr(names).into()),
            Value::Unknown(_) | Value::Reference(_) => Self::Opaque(value.repr(names).into()),
            Value::Object(object) => Self::Opaque(object.handed.as_str().into()),
        }
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Int(number) => Value::Int(*number),
            Self::Big(number) => Value::BigInt(Rc::new(number.clone())),
            Self::Float(number) => Value::Float(*number),
            Self::Str(text) | Self::Opaque(text) | Self::Namespace(text) => {
                Value::Str(text.clone())
            }
            Self::List(items) => Value::list(items.iter().map(Self::value)),
            Self::Dict(entries) => Value::dict(entries.iter().map(|(k, v)| (k.clone(), v.value()))),
            Self::Instance(instance, _) => Value::Instance(*instance),
        }
    }
}

/// What a template wants to know.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Question {
    /// The text of a template.
    Template(EcoString),
    /// The value of a name.
    Name(EcoString),
    /// Whether there is a module of this name.
    Module(EcoString),
    /// The value of a name of a namespace.
    NameIn(EcoString, EcoString),
    /// An attribute of an instance.
    Attribute(InstanceId, EcoString),
    /// The result of a plugin.
    Call(EcoString, Vec<Plain>),
}

/// What it is told.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Value(Plain),
    Text(Option<String>),
    /// There is no such thing.
    Nothing,
    /// The rendering has to end.
    Stopped,
}

/// A question with the way for the answer.
pub(super) struct Request {
    pub(super) question: Question,
    pub(super) reply: Sender<Answer>,
}

/// What was answered since a template was begun.
///
/// A template that is begun again asks the same in the same order, so that each call of a plugin
/// is known by its number and happens once.
#[derive(Default, Debug)]
pub(super) struct Known {
    answers: Vec<(Question, Answer)>,
    calls: Vec<Answer>,
    /// How many calls were asked for since the last beginning.
    called: usize,
    /// What could not be answered.
    missing: Option<Question>,
}

impl Known {
    pub(super) fn add(&mut self, question: Question, answer: Answer) {
        match question {
            Question::Call(..) => self.calls.push(answer),
            _ => self.answers.push((question, answer)),
        }
    }

    /// The names whose values were asked for and are known.
    pub(super) fn names(&self) -> Vec<EcoString> {
        let names = self.answers.iter().filter_map(|(question, answer)| match (question, answer) {
            (Question::Name(name), Answer::Value(_)) => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }

    fn find(&mut self, question: &Question) -> Option<Answer> {
        if let Question::Call(..) = question {
            let found = self.calls.get(self.called).cloned();
            self.called += usize::from(found.is_some());
            return found;
        }
        let found = self.answers.iter().find(|(known, _)| known == question);
        found.map(|(_, answer)| answer.clone())
    }
}

/// The end of the exchange that asks.
#[derive(Clone, Default, Debug)]
pub(super) struct Asker {
    asking: Arc<Mutex<Asking>>,
}

#[derive(Default, Debug)]
struct Asking {
    known: Known,
    /// Where questions go of which the answer is not known; without it they end the rendering.
    sender: Option<Sender<Request>>,
    /// What was looked for last without being there, in the words of an error.
    undefined: Option<String>,
}

impl Asker {
    fn asking(&self) -> MutexGuard<'_, Asking> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what is asked from now on there, if it is not known.
    pub(super) fn begin(&self, known: Known, sender: Option<Sender<Request>>) {
        let known = Known { called: 0, missing: None, ..known };
        *self.asking() = Asking { known, sender, undefined: None };
    }

    /// Nothing more is asked. Gives what is known, and the question that nobody could answer.
    pub(super) fn end(&self) -> (Known, Option<Question>) {
        let mut asking = self.asking();
        asking.sender = None;
        let mut known = std::mem::take(&mut asking.known);
        let missing = known.missing.take();
        (known, missing)
    }

    pub(super) fn ask(&self, question: Question) -> Answer {
        let mut asking = self.asking();
        if asking.known.missing.is_some() {
            return Answer::Stopped;
        }
        if let Some(answer) = asking.known.find(&question) {
            return answer;
        }
        let Some(sender) = asking.sender.clone() else {
            asking.known.missing = Some(question);
            return Answer::Stopped;
        };
        drop(asking);
        let (reply, receiver) = channel();
        Uncounted::interrupt(|| match sender.send(Request { question, reply }) {
            Ok(()) => receiver.recv().unwrap_or(Answer::Stopped),
            Err(_) => Answer::Stopped,
        })
    }

    /// Notes what is not there.
    pub(super) fn note(&self, text: String) {
        self.asking().undefined = Some(text);
    }

    /// What was not there when it was needed.
    pub(super) fn undefined(&self, otherwise: &str) -> String {
        self.asking().undefined.clone().unwrap_or_else(|| otherwise.to_owned())
    }
}
