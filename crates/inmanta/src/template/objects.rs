//! The model as templates see it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoString;
use minijinja::value::{Enumerator, Object, ObjectExt, ObjectRepr, Value};
use minijinja::{Environment, Error, ErrorKind, State};

use super::exchange::{Answer, Asker, Plain, Question};
use super::text;
use crate::value::InstanceId;

/// An instance.
pub(super) struct Instance {
    id: InstanceId,
    pub(super) shown: EcoString,
    asker: Asker,
}

/// A list of the model.
pub(super) struct List {
    pub(super) items: Vec<Value>,
}

/// A dict of the model.
pub(super) struct Dict {
    pub(super) entries: Vec<(EcoString, Value)>,
    asker: Asker,
}

/// What an attribute is that has no value: it prints as nothing.
pub(super) struct Empty {
    why: String,
    asker: Asker,
}

/// A module, of which plugins and variables can be reached.
struct Namespace {
    name: EcoString,
    asker: Asker,
}

/// The names that a template can use.
struct Scope {
    given: Vec<(EcoString, Plain)>,
    asker: Asker,
    /// What was asked for: a name means the same in all of a template.
    known: Mutex<Vec<(EcoString, Value)>>,
}

/// What keeps a rendering from going on, as a value.
fn stopped() -> Value {
    Value::from(Error::new(ErrorKind::InvalidOperation, "stopped"))
}

fn value(plain: &Plain, asker: &Asker) -> Value {
    match plain {
        Plain::Null => Value::from(()),
        Plain::Bool(truth) => Value::from(*truth),
        Plain::Int(number) => Value::from(*number),
        Plain::Big(number) => match i128::try_from(number) {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(number.to_string()),
        },
        Plain::Float(number) => Value::from(*number),
        Plain::Str(text) | Plain::Opaque(text) => Value::from(text.as_str()),
        Plain::List(items) => Value::from_object(List {
            items: items.iter().map(|item| value(item, asker)).collect(),
        }),
        Plain::Dict(entries) => Value::from_object(Dict {
            entries: entries.iter().map(|(k, v)| (k.clone(), value(v, asker))).collect(),
            asker: asker.clone(),
        }),
        Plain::Instance(id, shown) => {
            Value::from_object(Instance { id: *id, shown: shown.clone(), asker: asker.clone() })
        }
        Plain::Namespace(name) => {
            Value::from_object(Namespace { name: name.clone(), asker: asker.clone() })
        }
    }
}

fn plain(value: &Value) -> Result<Plain, Error> {
    use minijinja::value::ValueKind;
    if let Some(instance) = value.downcast_object_ref::<Instance>() {
        return Ok(Plain::Instance(instance.id, instance.shown.clone()));
    }
    Ok(match value.kind() {
        ValueKind::None => Plain::Null,
        ValueKind::Bool => Plain::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => match value.as_i64() {
            Some(number) => Plain::Int(number),
            None => Plain::Big(value.to_string().parse().unwrap_or_default()),
        },
        ValueKind::Number => Plain::Float(f64::try_from(value.clone())?),
        ValueKind::String => Plain::Str(value.as_str().unwrap_or_default().into()),
        ValueKind::Seq | ValueKind::Iterable => {
            let items: Result<_, _> = value.try_iter()?.map(|item| plain(&item)).collect();
            Plain::List(Arc::new(items?))
        }
        ValueKind::Map => {
            let entries: Result<_, Error> = value
                .try_iter()?
                .map(|key| Ok((text::shown(&key).into(), plain(&value.get_item(&key)?)?)))
                .collect();
            Plain::Dict(Arc::new(entries?))
        }
        ValueKind::Undefined => return Err(Error::from(ErrorKind::UndefinedError)),
        _ => Plain::Opaque(text::shown(value).into()),
    })
}

fn call(asker: &Asker, plugin: &str, arguments: &[Value]) -> Result<Value, Error> {
    let arguments: Result<Vec<_>, _> = arguments.iter().map(plain).collect();
    match asker.ask(Question::Call(plugin.into(), arguments?)) {
        Answer::Value(result) => Ok(value(&result, asker)),
        _ => Err(Error::new(ErrorKind::InvalidOperation, "stopped")),
    }
}

/// Makes the plugins filters: `std::upper` is `std.upper`.
pub(super) fn register(environment: &mut Environment<'_>, asker: &Asker, plugins: &[EcoString]) {
    for plugin in plugins {
        let (plugin, asker) = (plugin.clone(), asker.clone());
        let name = plugin.replace("::", ".");
        environment
            .add_filter(String::from(name), move |arguments: minijinja::value::Rest<Value>| {
                call(&asker, &plugin, &arguments)
            });
    }
}

/// The names that a template can use: those that were given, or else those where the call stands.
pub(super) fn scope(asker: &Asker, given: Vec<(EcoString, Plain)>) -> Value {
    Value::from_object(Scope { given, asker: asker.clone(), known: Mutex::default() })
}

impl Object for Scope {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        if let Some((_, plain)) = self.given.iter().find(|(other, _)| other == name) {
            return Some(value(plain, &self.asker));
        }
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known().iter().find(|(other, _)| other == name) {
            return Some(found.clone());
        }
        for question in [Question::Name(name.into()), Question::Module(name.into())] {
            match self.asker.ask(question) {
                Answer::Value(found) => {
                    let found = value(&found, &self.asker);
                    known().push((name.into(), found.clone()));
                    return Some(found);
                }
                Answer::Stopped => return Some(stopped()),
                _ => {}
            }
        }
        self.asker.note(format!("'{name}' is undefined"));
        None
    }
}

impl Object for Instance {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        Some(match self.asker.ask(Question::Attribute(self.id, name.into())) {
            Answer::Value(found) => value(&found, &self.asker),
            Answer::Stopped => stopped(),
            _ => Value::from_object(Empty {
                why: format!("variable {name} not set on {}", self.shown),
                asker: self.asker.clone(),
            }),
        })
    }

    fn custom_cmp(
        self: &Arc<Self>,
        other: &minijinja::value::DynObject,
    ) -> Option<std::cmp::Ordering> {
        other.downcast_ref::<Self>().map(|other| self.id.cmp(&other.id))
    }
}

impl Object for Empty {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(0)
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        key.as_str()?;
        self.asker.note(self.why.clone());
        Some(Value::from(Error::from(ErrorKind::UndefinedError)))
    }

    fn custom_cmp(
        self: &Arc<Self>,
        other: &minijinja::value::DynObject,
    ) -> Option<std::cmp::Ordering> {
        other.downcast_ref::<Self>().map(|_| std::cmp::Ordering::Equal)
    }
}

impl Object for Namespace {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        match self.asker.ask(Question::NameIn(self.name.clone(), name.into())) {
            Answer::Value(found) => Some(value(&found, &self.asker)),
            Answer::Stopped => Some(stopped()),
            _ => {
                self.asker.note(format!("'{}' is undefined", self.name));
                None
            }
        }
    }

    fn call_method(
        self: &Arc<Self>,
        _: &State<'_, '_>,
        method: &str,
        arguments: &[Value],
    ) -> Result<Value, Error> {
        call(&self.asker, &format!("{}::{method}", self.name), arguments)
    }
}

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let index = key.as_i64()?;
        let index = if index < 0 { index + self.items.len() as i64 } else { index };
        self.items.get(usize::try_from(index).ok()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.items.len())
    }
}

impl Object for Dict {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let found = self.entries.iter().find(|(other, _)| other == name);
        if found.is_none() {
            self.asker.note(format!(
                "'inmanta_plugins.std.JinjaDictProxy object' has no attribute '{name}'"
            ));
        }
        found.map(|(_, value)| value.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.mapped_enumerator(|this| {
            Box::new(this.entries.iter().map(|(key, _)| Value::from(key.as_str())))
        })
    }
}

macro_rules! shown_by_name {
    ($($object:ident),*) => {$(
        impl fmt::Debug for $object {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($object))
            }
        }
    )*};
}
shown_by_name!(Instance, List, Dict, Empty, Namespace, Scope);
