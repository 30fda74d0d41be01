//! Exports references: they are listed beside the fields, with ids, and mutators put their values
//! into the fields.

use std::collections::BTreeMap;

use ordain_data::Value as Data;
use ordain_functions::digest;

use super::json;
use crate::diagnostics::Exception;
use crate::model::plugin::Stop;
use crate::value::{Reference, Value};

/// The UUID namespace of the ids.
const NAMESPACE: [u8; 16] = [
    0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
];
/// The limit for nested references.
const MAX_DEPTH: usize = 100;

/// The references of a resource.
#[derive(Default)]
pub(super) struct Collector {
    models: BTreeMap<String, Data>,
    depth: usize,
}

impl Collector {
    /// Converts a value to data, with null in place of each reference. Adds the path and the id of
    /// each reference to `places`.
    ///
    /// # Errors
    /// If a part of the value cannot be exported.
    pub(super) fn separated(
        &mut self,
        value: &Value,
        path: &str,
        places: &mut Vec<(String, String)>,
    ) -> Result<Data, Stop> {
        Ok(match value {
            Value::Null => Data::Null,
            Value::Bool(truth) => Data::Bool(*truth),
            Value::Int(number) => Data::Int(*number),
            Value::BigInt(number) => Data::BigInt(number.to_string().into()),
            Value::Float(number) => Data::Float(*number),
            Value::Str(text) => Data::Str(text.clone()),
            Value::Unknown(_) => Data::str("<<undefined>>"),
            Value::Reference(reference) => {
                let id = self.add(reference)?;
                places.push((path.to_owned(), id));
                Data::Null
            }
            Value::List(items) => {
                let mut out = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    out.push(self.separated(item, &format!("{path}[{index}]"), places)?);
                }
                Data::list(out)
            }
            Value::Dict(entries) => {
                let mut out = Vec::with_capacity(entries.len());
                for (key, item) in entries.iter() {
                    let quoted = key.replace("\\", "\\\\").replace("'", "\\'");
                    let item = self.separated(item, &format!("{path}.'{quoted}'"), places)?;
                    out.push((key.clone(), item));
                }
                Data::map(out)
            }
            Value::Instance(_) | Value::Object(_) => {
                let shown =
                    if let Value::Object(object) = value { &object.repr } else { "an instance" };
                let text = format!("{shown} in resource is not JSON serializable at path {path}");
                return Err(Stop::raised(Exception::TypeError, text));
            }
        })
    }

    /// Adds a reference and those in its arguments; returns its id.
    fn add(&mut self, reference: &Reference) -> Result<String, Stop> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let text = "Reference cycle detected";
            return Err(Stop::raised(Exception::ReferenceCycle, text));
        }
        let mut arguments = Vec::new();
        for (name, value) in &reference.arguments {
            arguments.push(self.argument(name, value)?);
        }
        self.depth -= 1;
        let kind = ("type", Data::Str(reference.name.clone()));
        let arguments = ("args", Data::list(arguments));
        let id = identifier(&Data::map([kind.clone(), arguments.clone()]));
        let full = Data::map([kind, arguments, ("id", Data::str(id.as_str()))]);
        self.models.insert(id.clone(), full);
        Ok(id)
    }

    fn argument(&mut self, name: &str, value: &Value) -> Result<Data, Stop> {
        let mut inner = Vec::new();
        Ok(match value {
            Value::Reference(reference) => reference_argument(name, &self.add(reference)?),
            Value::List(_) | Value::Dict(_) => {
                let plain = self.separated(value, "$", &mut inner)?;
                if inner.is_empty() {
                    return Ok(argument("json", name, "value", plain));
                }
                let found = inner.into_iter().map(|(path, id)| {
                    let argument = reference_argument(&path, &id);
                    (path, argument)
                });
                let found = ("references", Data::map(found));
                let kind = ("type", Data::str("mjson"));
                Data::map([kind, ("name", Data::str(name)), ("value", plain), found])
            }
            _ => argument("literal", name, "value", self.separated(value, name, &mut inner)?),
        })
    }

    /// The references by their ids.
    pub(super) fn models(&self) -> Data {
        Data::list(self.models.values().cloned())
    }
}

/// An argument of a reference or a mutator.
fn argument(kind: &str, name: &str, key: &str, value: Data) -> Data {
    Data::map([("type", Data::str(kind)), ("name", Data::str(name)), (key, value)])
}

fn reference_argument(name: &str, id: &str) -> Data {
    argument("reference", name, "id", Data::str(id))
}

/// The mutators that put references into fields. Their ids are not exported, but decide their
/// order.
pub(super) fn mutators(resource: &str, places: &[(String, String)]) -> Data {
    let made = places.iter().map(|(path, id)| {
        let arguments = Data::list([
            argument("resource", "resource", "id", Data::str(resource)),
            reference_argument("value", id),
            argument("literal", "destination", "value", Data::str(path.as_str())),
        ]);
        let model = Data::map([("type", Data::str("core::Replace")), ("args", arguments)]);
        (identifier(&model), model)
    });
    Data::list(made.collect::<BTreeMap<_, _>>().into_values())
}

/// The id of a reference or a mutator: a UUID of version 3 over the digest of its text.
fn identifier(model: &Data) -> String {
    let mut text = String::new();
    write_sorted(model, &mut text);
    let hex = |text: &str| -> Vec<u8> {
        let byte = |at: usize| text.get(at..at + 2).and_then(|b| u8::from_str_radix(b, 16).ok());
        (0..16).map(|at| byte(2 * at).unwrap_or_default()).collect()
    };
    let mut bytes = NAMESPACE.to_vec();
    bytes.extend(hex(&digest::md5(text.as_bytes())));
    let mut id = hex(&digest::md5(&bytes));
    id[6] = id[6] & 0x0f | 0x30;
    id[8] = id[8] & 0x3f | 0x80;
    let text: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]];
    parts.join("-")
}

/// Appends data in the format of Python's module `json` with sorted keys.
fn write_sorted(data: &Data, out: &mut String) {
    json::write(&sorted(data), out);
}

fn sorted(data: &Data) -> Data {
    match data {
        Data::List(items) => Data::list(items.iter().map(sorted)),
        Data::Map(entries) => {
            let entries = entries.iter().filter_map(|(key, value)| Some((key.as_str()?, value)));
            let ordered: BTreeMap<&str, Data> = entries.map(|(k, v)| (k, sorted(v))).collect();
            Data::map(ordered)
        }
        other => other.clone(),
    }
}
