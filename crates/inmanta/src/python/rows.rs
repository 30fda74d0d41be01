//! Instances of a finished run with all their attributes, as the text of messages.
//!
//! A model has many instances of few entities. Each attribute is a column: its name is sent once, its
//! value only once where all have the same, and the child takes columns at one go.

use ecow::EcoString;

use super::message::{list, plain};
use super::mirror::Mirror;
use super::wire::write;
use crate::diagnostics::Class;
use crate::model::plugin::{Context, Stop};
use crate::value::{InstanceId, Value};

/// Instances of one entity with all their attributes.
#[derive(Default)]
pub(super) struct Rows {
    numbers: Vec<u32>,
    columns: Vec<Column>,
    /// The places where the instances were made, which texts about missing values have.
    places: Column,
    /// Whether there is such a text.
    needs_places: bool,
}

/// The sort of a value, by the form in which a message has it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// JSON has a word for it.
    Plain,
    Instance,
    /// There never is a value.
    Missing,
    Other,
}

/// The values of an attribute.
#[derive(Default)]
struct Column {
    /// The values with commas between.
    text: Vec<u8>,
    /// The length of the first one.
    first: usize,
    differs: bool,
    /// The sort of all values; [`Sort::Other`] where they are of several.
    sort: Option<Sort>,
    /// The numbers of the instances among them.
    instances: Vec<u32>,
}

impl Rows {
    /// Adds an instance: its number, and its attributes in the order of their names.
    pub(super) fn add(
        &mut self,
        context: &mut dyn Context,
        instance: InstanceId,
        names: &[EcoString],
        mirror: &mut Mirror,
    ) {
        if self.numbers.is_empty() {
            self.columns.resize_with(names.len(), Column::default);
        }
        self.numbers.push(instance.0);
        let mut place = None;
        for (column, name) in self.columns.iter_mut().zip(names) {
            column.add(|out, instances| match context.attribute(instance, name) {
                Ok(value) | Err(Stop::Unknown(value)) => {
                    if let Value::Instance(instance) = value {
                        instances.push(instance.0);
                    }
                    write(out, &value, mirror);
                    sort_of(&value)
                }
                Err(stop) => write_missing(out, &stop, &*context, instance, &mut place),
            });
        }
        self.needs_places |= place.is_some();
        self.places.add(|out, _| {
            plain(out, place);
            Sort::Plain
        });
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Adds the numbers of the instances, their attributes and their places to a message.
    pub(super) fn write(&self, out: &mut Vec<u8>, names: &[EcoString]) {
        out.push(b'[');
        plain(out, &self.numbers);
        out.push(b',');
        list(out, self.columns.iter().zip(names), |out, (column, name)| column.write(out, name));
        out.push(b',');
        if self.needs_places {
            self.places.write_values(out);
        } else {
            out.extend(b"[]");
        }
        out.push(b']');
    }
}

impl Column {
    /// Adds a value, which `write` writes; `write` returns its sort.
    fn add(&mut self, write: impl FnOnce(&mut Vec<u8>, &mut Vec<u32>) -> Sort) {
        let is_first = self.sort.is_none();
        if !is_first {
            self.text.push(b',');
        }
        let start = self.text.len();
        let sort = write(&mut self.text, &mut self.instances);
        if is_first {
            self.first = self.text.len();
            self.sort = Some(sort);
        } else {
            self.differs |= self.text[start..] != self.text[..self.first];
            self.sort = self.sort.filter(|&other| other == sort).or(Some(Sort::Other));
        }
    }

    /// Adds the name, the sort and the values to a message; only one value if all are the same.
    fn write(&self, out: &mut Vec<u8>, name: &str) {
        out.push(b'[');
        plain(out, name);
        match self.sort {
            Some(Sort::Plain) => {
                out.extend(br#","plain","#);
                self.write_values(out);
            }
            Some(Sort::Instance) => {
                out.extend(br#","instance","#);
                plain(out, &self.instances);
            }
            Some(Sort::Missing) if !self.differs => {
                out.extend(br#","missing","#);
                out.extend(&self.text[MISSING.len()..self.first - 1]);
            }
            _ => {
                out.extend(br#","other","#);
                self.write_values(out);
            }
        }
        out.push(b']');
    }

    fn write_values(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        out.extend(if self.differs { &self.text } else { &self.text[..self.first] });
        out.push(b']');
    }
}

fn sort_of(value: &Value) -> Sort {
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Str(_) => Sort::Plain,
        Value::Float(number) if number.is_finite() => Sort::Plain,
        Value::Instance(_) => Sort::Instance,
        _ => Sort::Other,
    }
}

/// The start of the reason for a missing value.
const MISSING: &[u8] = br#"{"$m":"#;

/// Adds the reason why there is no value. The text about an optional relation is put together by the
/// child, where few are read; it needs the place of the instance.
fn write_missing(
    out: &mut Vec<u8>,
    stop: &Stop,
    context: &dyn Context,
    instance: InstanceId,
    place: &mut Option<String>,
) -> Sort {
    let Some((kind, text)) = reason(stop) else {
        out.extend(br#"{"$n":0}"#);
        return Sort::Other;
    };
    out.extend(MISSING);
    let attribute = (kind == OPTIONAL).then(|| {
        let place = place.get_or_insert_with(|| context.constructed_at(instance));
        optional_attribute(text, context.entity_name(instance), place)
    });
    match attribute.flatten() {
        Some(attribute) => plain(out, (kind, (), attribute)),
        None => plain(out, (kind, text)),
    }
    out.push(b'}');
    Sort::Missing
}

const OPTIONAL: &str = "optional";

/// The reason why an attribute never has a value: its kind and its text.
pub(super) fn reason(stop: &Stop) -> Option<(&'static str, &str)> {
    match stop {
        Stop::Error(error) if error.class == Class::OptionalValue => {
            Some((OPTIONAL, error.message.as_str()))
        }
        Stop::Error(error) if error.class == Class::NotFound => {
            Some(("missing", error.message.as_str()))
        }
        _ => None,
    }
}

/// The attribute in the usual message that an instance of an entity, created at a place, has no
/// value.
fn optional_attribute<'a>(text: &'a str, entity: &str, place: &str) -> Option<&'a str> {
    text.strip_prefix("Optional variable accessed that has no value (attribute `")?
        .strip_suffix(")`)")?
        .strip_suffix(place)?
        .strip_suffix(" (instantiated at ")?
        .strip_suffix(entity)?
        .strip_suffix("` of `")
}
