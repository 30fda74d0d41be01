//! What goes between the thread that renders and the compiler.

use std::rc::Rc;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoString;
use num_bigint::BigInt;

use crate::value::{InstanceId, Names, Value};

/// A value that can be sent.
#[derive(Clone, Debug)]
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

/// The end of the exchange that asks.
#[derive(Clone, Default, Debug)]
pub(super) struct Asker {
    /// Where questions go while something is rendered.
    sender: Arc<Mutex<Option<Sender<Request>>>>,
    /// What was looked for last without being there, in the words of an error.
    undefined: Arc<Mutex<Option<String>>>,
}

impl Asker {
    /// Sends what is asked from now on there.
    pub(super) fn begin(&self, questions: Sender<Request>) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = Some(questions);
        *self.undefined.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Nothing more is asked.
    pub(super) fn end(&self) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn ask(&self, question: Question) -> Answer {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(sender) = sender else { return Answer::Stopped };
        let (reply, receiver) = channel();
        match sender.send(Request { question, reply }) {
            Ok(()) => receiver.recv().unwrap_or(Answer::Stopped),
            Err(_) => Answer::Stopped,
        }
    }

    /// Notes what is not there.
    pub(super) fn note(&self, text: String) {
        *self.undefined.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// What was not there when it was needed.
    pub(super) fn undefined(&self, otherwise: &str) -> String {
        let noted = self.undefined.lock().unwrap_or_else(PoisonError::into_inner);
        noted.clone().unwrap_or_else(|| otherwise.to_owned())
    }
}
