//! References in resources: they stand apart, with an id, and mutators put their values in place.

use std::collections::BTreeMap;

use ordain_functions::digest;
use serde_json::{Map, Value as Json, json};

use crate::plugin::Stop;
use crate::value::{Reference, Value};

/// The namespace of the ids.
const NAMESPACE: [u8; 16] = [
    0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
];
/// How deep references may nest.
const DEPTH_LIMIT: usize = 100;

/// The references of a resource.
#[derive(Default)]
pub(super) struct Collector {
    models: BTreeMap<String, Json>,
    depth: usize,
}

impl Collector {
    /// A value as JSON with null in place of its references, which are noted with their paths.
    ///
    /// # Errors
    /// If something in it cannot be exported.
    pub(super) fn separated(
        &mut self,
        value: &Value,
        path: &str,
        places: &mut Vec<(String, String)>,
    ) -> Result<Json, Stop> {
        Ok(match value {
            Value::Null => Json::Null,
            Value::Bool(truth) => json!(truth),
            Value::Int(number) => json!(number),
            Value::BigInt(number) => json!(number.to_string()),
            Value::Float(number) => json!(number),
            Value::Str(text) => json!(text.as_str()),
            Value::Unknown(_) => json!("<<undefined>>"),
            Value::Reference(reference) => {
                let id = self.add(reference)?;
                places.push((path.to_owned(), id));
                Json::Null
            }
            Value::List(items) => {
                let mut out = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    out.push(self.separated(item, &format!("{path}[{index}]"), places)?);
                }
                Json::Array(out)
            }
            Value::Dict(entries) => {
                let mut out = Map::new();
                for (key, item) in entries.iter() {
                    let quoted = key.replace("\\", "\\\\").replace("'", "\\'");
                    let item = self.separated(item, &format!("{path}.'{quoted}'"), places)?;
                    out.insert(key.to_string(), item);
                }
                Json::Object(out)
            }
            Value::Instance(_) | Value::Object(_) => {
                let what =
                    if let Value::Object(object) = value { &object.repr } else { "an instance" };
                let text = format!("{what} in resource is not JSON serializable at path {path}");
                return Err(Stop::raised("TypeError", text));
            }
        })
    }

    /// Adds a reference and those it needs; gives its id.
    fn add(&mut self, reference: &Reference) -> Result<String, Stop> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            let text = "Reference cycle detected";
            return Err(Stop::raised("inmanta.references.ReferenceCycleException", text));
        }
        let mut arguments = Vec::new();
        for (name, value) in &reference.arguments {
            arguments.push(self.argument(name, value)?);
        }
        self.depth -= 1;
        let model = json!({"type": reference.name.as_str(), "args": arguments});
        let id = identifier(&model);
        let full = json!({"type": reference.name.as_str(), "args": arguments, "id": id});
        self.models.insert(id.clone(), full);
        Ok(id)
    }

    fn argument(&mut self, name: &str, value: &Value) -> Result<Json, Stop> {
        let mut inner = Vec::new();
        Ok(match value {
            Value::Reference(reference) => {
                json!({"type": "reference", "name": name, "id": self.add(reference)?})
            }
            Value::List(_) | Value::Dict(_) => {
                let plain = self.separated(value, "$", &mut inner)?;
                if inner.is_empty() {
                    return Ok(json!({"type": "json", "name": name, "value": plain}));
                }
                let found: Map<String, Json> = inner
                    .into_iter()
                    .map(|(path, id)| {
                        let said = json!({"type": "reference", "name": path, "id": id});
                        (path, said)
                    })
                    .collect();
                json!({"type": "mjson", "name": name, "value": plain, "references": found})
            }
            _ => {
                let plain = self.separated(value, name, &mut inner)?;
                json!({"type": "literal", "name": name, "value": plain})
            }
        })
    }

    /// The references by their ids.
    pub(super) fn models(&self) -> Json {
        self.models.values().cloned().collect()
    }
}

/// What puts references in their places. They have ids like references, which are not exported but
/// say their order.
pub(super) fn mutators(resource: &str, places: &[(String, String)]) -> Json {
    let made = places.iter().map(|(path, id)| {
        let model = json!({"type": "core::Replace", "args": [
            {"type": "resource", "name": "resource", "id": resource},
            {"type": "reference", "name": "value", "id": id},
            {"type": "literal", "name": "destination", "value": path},
        ]});
        (identifier(&model), model)
    });
    made.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// The id of a reference or a mutator: a UUID of version 3 over the digest of what it says.
fn identifier(model: &Json) -> String {
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

/// JSON as Python writes it with sorted keys.
fn write_sorted(json: &Json, out: &mut String) {
    let mut sorted = json.clone();
    sorted.sort_all_objects();
    super::write(&sorted, out);
}
