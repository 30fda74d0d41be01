//! Keys of dicts and sets.

use std::rc::Rc;

use super::fault::{Fault, Res, type_error};
use super::runtime::Runtime;
use super::value::{Entries, Key, Object, Val, View};
use crate::diagnostics::Exception;
use crate::value::{Value, float_integer};

impl Key {
    /// The key of a value.
    pub(super) fn of(value: &Val, runtime: &Runtime<'_>) -> Res<Self> {
        Self::counted(value, runtime, &mut ordain_source::limits::most_items())
    }

    fn counted(value: &Val, runtime: &Runtime<'_>, left: &mut usize) -> Res<Self> {
        *left = left.checked_sub(1).ok_or_else(|| {
            Fault::Raised(
                Exception::MemoryError,
                format!("a key is too large; {}", ordain_source::budget::HELP),
            )
        })?;
        Ok(match value {
            Val::None => Self::None,
            Val::Bool(truth) => Self::Int(i64::from(*truth)),
            Val::Int(number) => Self::Int(*number),
            Val::Big(number) => Self::Big((**number).clone()),
            Val::Float(number) => match float_integer(*number) {
                Some(whole) if number.fract() == 0.0 => match i64::try_from(&whole) {
                    Ok(small) => Self::Int(small),
                    Err(_) => Self::Big(whole),
                },
                _ => Self::Float(number.to_bits()),
            },
            Val::Str(text) | Val::Markup(text) => Self::Str(text.clone()),
            Val::Bytes(bytes) => Self::Bytes(bytes.clone()),
            Val::Tuple(found) => {
                let mut keys = Vec::with_capacity(found.items.len());
                for item in &found.items {
                    keys.push(Self::counted(item, runtime, left)?);
                }
                Self::Tuple(keys)
            }
            Val::Undefined(found) if found.is_strict => return Err(found.fault(runtime)),
            Val::Undefined(_) => Self::Undefined,
            Val::Proxy(found) => match &found.value {
                Value::Instance(id) => Self::Instance(*id),
                other => return Err(unhashable(other.python_type())),
            },
            Val::Iterator(found) => Self::Address(Rc::as_ptr(found) as *const u8 as usize),
            Val::Object(found) => match &**found {
                Object::Function(name) => Self::Str(format!("function {name}").into()),
                Object::Slice(..) | Object::Set(_) => return Err(unhashable(value.type_name())),
                Object::View(View::Keys | View::Items, _) => {
                    return Err(unhashable(value.type_name()));
                }
                _ => Self::Address(Rc::as_ptr(found) as *const u8 as usize),
            },
            Val::List(_) | Val::Dict(_) => return Err(unhashable(value.type_name())),
        })
    }
}

fn unhashable(class: &str) -> Fault {
    type_error(format!("unhashable type: '{class}'"))
}

impl Entries {
    pub(super) fn insert(&mut self, key: Val, value: Val, runtime: &Runtime<'_>) -> Res<()> {
        let found = Key::of(&key, runtime)?;
        match self.map.get_mut(&found) {
            Some(entry) => entry.1 = value,
            None => {
                self.map.insert(found, (key, value));
            }
        }
        Ok(())
    }

    /// Sets the value of a name.
    pub(super) fn set(&mut self, name: &str, value: Val) {
        let entry = self.map.entry(Key::Str(name.into()));
        entry.and_modify(|entry| entry.1 = value.clone()).or_insert((Val::str(name), value));
    }

    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Val> {
        self.map.get(&Key::Str(name.into())).map(|entry| &entry.1)
    }
}
