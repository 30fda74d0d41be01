//! Converts values to and from messages.
//!
//! A value that JSON cannot represent is an object with one key: `$d` a dict with its order, `$o`
//! an instance, `$u` an unknown value, `$r` a reference, `$c` a new instance of a dataclass, `$i` a
//! large integer, `$f` a float that is not finite, `$p` another Python object, `$b` an object in a
//! field that is a model value elsewhere.

use std::rc::Rc;

use ecow::EcoString;
use ordain_functions::base64;
use serde_json::Value as Json;

use super::message::{Message, list, plain};
use super::mirror::Mirror;
use crate::model::plugin::{Context, Origin, Stop};
use crate::types::TypeExpr;
use crate::value::{InstanceId, Object, ObjectKind, Reference, Value};

/// Adds a value to a message.
pub(super) fn write(out: &mut Vec<u8>, value: &Value, mirror: &mut Mirror) {
    match value {
        Value::Null => out.extend(b"null"),
        Value::Bool(truth) => plain(out, truth),
        Value::Int(number) => plain(out, number),
        Value::BigInt(number) => tagged_text(out, "$i", &number.to_string()),
        Value::Float(number) if number.is_finite() => plain(out, number),
        Value::Float(number) => tagged_text(out, "$f", &crate::value::float_text(*number)),
        Value::Str(text) => plain(out, text.as_str()),
        Value::List(items) => list(out, items.iter(), |out, item| write(out, item, mirror)),
        Value::Dict(entries) => {
            out.extend(br#"{"$d":"#);
            list(out, entries.iter(), |out, (key, value)| write_pair(out, key, value, mirror));
            out.push(b'}');
        }
        Value::Instance(instance) => {
            mirror.register(*instance);
            out.extend(br#"{"$o":"#);
            plain(out, instance.0);
            out.push(b'}');
        }
        Value::Object(object) => {
            out.extend(br#"{"$p":["#);
            plain(out, object.number);
            out.extend(b"]}");
        }
        Value::Unknown(unknown) => {
            out.extend(br#"{"$u":"#);
            plain(out, (mirror.number(value, unknown), unknown.source.as_str()));
            out.push(b'}');
        }
        Value::Reference(reference) => write_reference(out, reference, mirror),
    }
}

impl Message {
    /// Adds an entry that is a value of the model.
    pub(super) fn set_value(&mut self, key: &str, value: &Value, mirror: &mut Mirror) {
        write(self.entry(key), value, mirror);
    }

    /// A message with one entry that is a value of the model.
    pub(super) fn with_value(key: &str, value: &Value, mirror: &mut Mirror) -> Self {
        let mut message = Self::new();
        message.set_value(key, value, mirror);
        message
    }
}

fn tagged_text(out: &mut Vec<u8>, tag: &str, text: &str) {
    out.push(b'{');
    plain(out, tag);
    out.push(b':');
    plain(out, text);
    out.push(b'}');
}

/// Adds a pair of a name and a value to a message.
pub(super) fn write_pair(out: &mut Vec<u8>, key: &str, value: &Value, mirror: &mut Mirror) {
    out.push(b'[');
    plain(out, key);
    out.push(b',');
    write(out, value, mirror);
    out.push(b']');
}

fn write_reference(out: &mut Vec<u8>, reference: &Reference, mirror: &mut Mirror) {
    out.extend(br#"{"$r":"#);
    let mut message = Message::with("name", reference.name.as_str());
    message.set("class", reference.class.as_str());
    list(message.entry("arguments"), &reference.arguments, |out, (name, value)| {
        write_pair(out, name, value, mirror);
    });
    message.set("number", reference.number);
    out.extend(message.into_text());
    out.push(b'}');
}

/// Converts a message to a value.
///
/// # Errors
/// If a new instance cannot be created.
pub(super) fn received(
    json: &Json,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Value, Stop> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => {
            let items: Result<Vec<_>, _> =
                items.iter().map(|item| received(item, context, mirror)).collect();
            Value::list(items?)
        }
        Json::Object(entries) => {
            let Some((kind, content)) = entries.iter().next() else { return Ok(Value::Null) };
            tagged(kind, content, context, mirror)?
        }
    })
}

fn pairs(
    json: &Json,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Vec<(EcoString, Value)>, Stop> {
    let mut out = Vec::new();
    for pair in json.as_array().into_iter().flatten() {
        let key = EcoString::from(pair[0].as_str().unwrap_or_default());
        out.push((key, received(&pair[1], context, mirror)?));
    }
    Ok(out)
}

fn tagged(
    kind: &str,
    content: &Json,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Value, Stop> {
    Ok(match kind {
        "$d" => Value::dict(pairs(content, context, mirror)?),
        "$o" => Value::Instance(InstanceId(content[0].as_u64().unwrap_or(u64::MAX) as u32)),
        "$u" => {
            let known = content[0].as_u64().and_then(|number| mirror.unknown(number));
            known
                .cloned()
                .unwrap_or_else(|| Value::unknown(content[1].as_str().unwrap_or_default()))
        }
        "$i" => Value::int(content.as_str().unwrap_or_default().parse().unwrap_or_default()),
        "$f" => {
            let text = content.as_str().unwrap_or_default();
            Value::Float(ordain_functions::float::parse_python(text).unwrap_or(f64::NAN))
        }
        "$r" => reference(content, context, mirror)?,
        "$c" => {
            let attributes = pairs(&content[1], context, mirror)?;
            let entity = content[0].as_str().unwrap_or_default();
            let made = context.construct(entity, &attributes, Some(&Origin::Object))?;
            keep(&made, content[2].as_u64(), mirror);
            made
        }
        _ => object(content, kind == "$b", context, mirror)?,
    })
}

fn object(
    content: &Json,
    is_bare: bool,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Value, Stop> {
    let text = |at: usize| content[at].as_str().unwrap_or_default();
    let sort = match text(5) {
        "tuple" => ObjectKind::Tuple(received(&content[6], context, mirror)?),
        "items" => ObjectKind::Items(received(&content[6], context, mirror)?),
        "bytes" => {
            ObjectKind::Bytes(base64::decode(text(6), base64::Mode::Strict).unwrap_or_default())
        }
        "number" => ObjectKind::Number,
        _ if is_bare && text(1) == "NoneType" => ObjectKind::BareNone,
        _ if is_bare => ObjectKind::BareReference,
        _ => ObjectKind::Other,
    };
    Ok(Value::Object(Rc::new(Object {
        number: content[0].as_u64().unwrap_or_default(),
        class: text(1).into(),
        text: text(2).into(),
        repr: text(3).into(),
        handed: text(4).into(),
        sort,
    })))
}

/// Records the object that an instance was created from.
fn keep(made: &Value, number: Option<u64>, mirror: &mut Mirror) {
    if let (Value::Instance(instance), Some(number)) = (made, number) {
        mirror.made_from(*instance, number);
    }
}

/// Converts a reference. A reference to a dataclass becomes an instance whose attributes are
/// references to the fields.
fn reference(
    content: &Json,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Value, Stop> {
    let reference = Rc::new(Reference {
        name: content["name"].as_str().unwrap_or_default().into(),
        class: content["class"].as_str().unwrap_or_default().into(),
        arguments: pairs(&content["arguments"], context, mirror)?,
        computes: type_expr(&content["computes"]),
        text: content["text"].as_str().unwrap_or_default().to_owned(),
        repr: content["repr"].as_str().map(str::to_owned),
        number: content["number"].as_u64(),
    });
    let Some(entity) = content["fields"][0].as_str() else {
        return Ok(Value::Reference(reference));
    };
    let mut attributes = Vec::new();
    for name in content["fields"][1].as_array().into_iter().flatten() {
        let name = EcoString::from(name.as_str().unwrap_or_default());
        let attribute = Reference {
            name: "core::AttributeReference".into(),
            class: "AttributeReference".into(),
            arguments: vec![
                ("attribute_name".into(), Value::Str(name.clone())),
                ("reference".into(), Value::Reference(Rc::clone(&reference))),
            ],
            computes: context.attribute_type(entity, &name),
            text: "<inmanta.references.AttributeReference object>".into(),
            repr: None,
            number: None,
        };
        attributes.push((name, Value::Reference(Rc::new(attribute))));
    }
    let number = reference.number;
    let made = context.construct(entity, &attributes, Some(&Origin::Reference(reference)))?;
    keep(&made, number, mirror);
    Ok(made)
}

/// Converts the child's description of a type.
pub(super) fn type_expr(json: &Json) -> TypeExpr {
    let inner = || Box::new(type_expr(&json[1]));
    match json[0].as_str().unwrap_or_default() {
        "model" => TypeExpr::model(json[1].as_str().unwrap_or("any")),
        "written" => TypeExpr::Written(json[1].as_str().unwrap_or_default().into()),
        "dataclass" => {
            let names = json[1].as_array().into_iter().flatten().filter_map(Json::as_str);
            let text = json[2].as_str().unwrap_or_default();
            TypeExpr::Dataclass(names.map(EcoString::from).collect(), text.into())
        }
        "null" => TypeExpr::Null,
        "number" => TypeExpr::Number,
        "list" => TypeExpr::List(inner()),
        "dict" => TypeExpr::Dict(inner()),
        "nullable" => TypeExpr::Nullable(inner()),
        "ref" => TypeExpr::Reference(inner()),
        "union" => {
            TypeExpr::Union(json[1].as_array().into_iter().flatten().map(type_expr).collect())
        }
        _ => TypeExpr::Any,
    }
}
