//! Resources that hosts export to each other. Fields are encoded as JSON.

use ecow::EcoString;
use ordain_data::Value as Data;

use crate::functions::environment::Export;
use crate::graph::resource::Resource;
use crate::plain_data;
use crate::types::Type;
use crate::value::{Map, Struct, Value};

/// The export of a resource by a host with this name.
pub fn encode(resource: &Resource, host: &str) -> Export {
    let fields = resource.kind.kind.fields.iter().zip(&resource.fields);
    let given = fields.filter_map(|(field, value)| {
        value.as_ref().map(|value| (EcoString::from(field.name), plain_data::data(value)))
    });
    Export {
        kind: resource.kind.kind.name.into(),
        name: resource.name.as_str().into(),
        host: host.into(),
        data: ordain_data::json::compact(&Data::map(given)).into(),
    }
}

/// An exported resource, with the fields of a template on top.
pub(crate) fn decode(template: &Resource, data: &str) -> Result<Resource, String> {
    let read = ordain_data::json::read(data).map_err(|error| error.to_string())?;
    let mut resource = template.clone();
    for (at, field) in template.kind.kind.fields.iter().enumerate() {
        let Some((_, _, ty)) = template.kind.field(field.name) else { continue };
        if resource.fields[at].is_none()
            && let Some(value) = read.get(field.name)
        {
            let value = typed(value, ty)
                .ok_or_else(|| format!("the field {} is no {}", field.name, field.ty))?;
            resource.fields[at] = Some(value);
        }
    }
    Ok(resource)
}

/// A value of a type from plain data.
fn typed(data: &Data, ty: &Type) -> Option<Value> {
    Some(match (data, ty) {
        (Data::Bool(value), Type::Bool | Type::Variant) => Value::Bool(*value),
        (Data::Int(value), Type::Int | Type::Variant) => Value::Int(*value),
        (Data::Float(value), Type::Float | Type::Variant) => Value::Float(*value),
        // JSON does not distinguish `1` and `1.0`.
        #[allow(clippy::cast_precision_loss, reason = "it was written from a float")]
        (Data::Int(value), Type::Float) => Value::Float(*value as f64),
        (Data::Str(text), Type::Str | Type::Variant) => text.as_str().into(),
        (Data::List(items), Type::List(item)) => {
            Value::list(items.iter().map(|value| typed(value, item)).collect::<Option<Vec<_>>>()?)
        }
        (Data::List(items), Type::Variant) => {
            Value::list(items.iter().map(|item| typed(item, ty)).collect::<Option<Vec<_>>>()?)
        }
        (Data::Map(_), Type::Struct(shape)) => {
            let values = shape.fields().map(|(name, ty)| typed(data.get(name.as_str())?, ty));
            Struct::new(shape.names.clone(), values.collect::<Option<_>>()?).into()
        }
        (Data::Map(map), Type::Map(pair)) => {
            let pairs = map
                .iter()
                .map(|(name, value)| Some((key(name.as_str()?, &pair.0)?, typed(value, &pair.1)?)));
            Map::new(pairs.collect::<Option<Vec<_>>>()?).into()
        }
        (Data::Map(map), Type::Variant) => {
            let fields = map.iter().map(|(name, value)| Some((name.as_str()?, typed(value, ty)?)));
            Struct::of(fields.collect::<Option<Vec<_>>>()?).into()
        }
        _ => return None,
    })
}

/// The key of a map, which is a text in JSON.
fn key(text: &str, ty: &Type) -> Option<Value> {
    Some(match ty {
        Type::Str => text.into(),
        Type::Int => Value::Int(text.parse().ok()?),
        Type::Float => Value::Float(text.parse().ok()?),
        Type::Bool => Value::Bool(text.parse().ok()?),
        _ => return None,
    })
}
