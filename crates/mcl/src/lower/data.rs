//! Values as plain data.

use ordain_data::Value as Data;

use crate::value::Value;

/// A value as plain data. A function is represented by its name for messages.
pub fn data(value: &Value) -> Data {
    match value {
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(value) => Data::Int(*value),
        Value::Float(value) => Data::Float(*value),
        Value::Str(text) => match text.as_str() {
            Some(text) => Data::str(text),
            None => Data::Bytes(text.as_bytes().into()),
        },
        Value::List(items) => Data::list(items.iter().map(data)),
        Value::Map(map) => Data::map(map.pairs().iter().map(|(key, value)| {
            let key = match key {
                Value::Str(text) => text.to_string(),
                key => key.to_string(),
            };
            (key, data(value))
        })),
        Value::Struct(record) => {
            Data::map(record.fields().map(|(name, value)| (name.clone(), data(value))))
        }
        Value::Func(_) => Data::str("func"),
    }
}
