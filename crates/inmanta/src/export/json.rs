//! The text of an export.

use ordain_data::{Map, Value as Data};
use serde_json::{Value as Json, json};

use crate::functions::write_text;
use crate::model::resource::{Export, Resource};
use crate::value::float_text;

impl Export {
    /// The resources as the original writes them: one line, with everything beyond ASCII escaped.
    pub fn text(&self) -> String {
        let mut out = String::from("[");
        for (index, resource) in self.resources.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            out.push('{');
            for (key, value) in resource.fields.iter() {
                write(key, &mut out);
                out.push_str(": ");
                write(value, &mut out);
                out.push_str(", ");
            }
            out.push_str("\"requires\": [");
            for (index, required) in resource.requires.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_text(&required.without_version(), &mut out);
            }
            out.push_str("], \"id\": ");
            write_text(&resource.id.to_string(), &mut out);
            out.push('}');
        }
        out.push(']');
        if out.contains("</") { out.replace("</", "<\\/") } else { out }
    }

    /// The resources as JSON. Numbers beyond 64 bits, which its values do not have, are objects
    /// with the key `$int`, as among the values of instances.
    pub fn json(&self) -> Json {
        let resource = |resource: &Resource| {
            let mut fields = match map_as_json(&resource.fields) {
                Json::Object(fields) => fields,
                _ => serde_json::Map::new(),
            };
            let requires = resource.requires.iter().map(|id| id.without_version());
            fields.insert("requires".into(), requires.collect());
            fields.insert("id".into(), Json::from(resource.id.to_string()));
            Json::Object(fields)
        };
        self.resources.iter().map(resource).collect()
    }
}

/// Appends data in the format of Python's module `json`.
pub(super) fn write(data: &Data, out: &mut String) {
    match data {
        Data::Null => out.push_str("null"),
        Data::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Data::Int(number) => out.push_str(&number.to_string()),
        Data::BigInt(digits) => out.push_str(digits),
        Data::Float(number) => out.push_str(&float_text(*number)),
        Data::Str(text) => write_text(text, out),
        Data::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Data::Map(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(key, out);
                out.push_str(": ");
                write(item, out);
            }
            out.push('}');
        }
        // Exports contain neither secrets nor bytes.
        Data::Secret(inner) => write(inner, out),
        Data::Bytes(bytes) => write_text(&String::from_utf8_lossy(bytes), out),
    }
}
fn as_json(data: &Data) -> Json {
    match data {
        Data::Null => Json::Null,
        Data::Bool(truth) => Json::from(*truth),
        Data::Int(number) => Json::from(*number),
        Data::BigInt(digits) => json!({"$int": &**digits}),
        Data::Float(number) => Json::from(*number),
        Data::Str(text) => Json::from(text.as_str()),
        Data::List(items) => items.iter().map(as_json).collect(),
        Data::Map(entries) => map_as_json(entries),
        // Exports contain neither secrets nor bytes.
        Data::Secret(inner) => as_json(inner),
        Data::Bytes(bytes) => Json::from(String::from_utf8_lossy(bytes)),
    }
}

fn map_as_json(entries: &Map) -> Json {
    let name = |key: &Data| key.as_str().unwrap_or_default().to_owned();
    entries.iter().map(|(key, value)| (name(key), as_json(value))).collect()
}
