//! Documents of instances.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value as Data;

use super::data::{Writer, object_to_data};
use crate::model::{Instance, Value};
use crate::value::rich;

/// An object as plain data, with all that is part of it. Objects that only links lead to are not in
/// it.
#[inline]
pub fn to_data(instance: &Arc<Instance>) -> Data {
    object_to_data(instance, rich::to_data)
}

/// An object, or a list of some, as a document, and the links in it that lead to objects that are not.
pub fn document(value: &Value) -> (Data, Vec<EcoString>) {
    let roots: Vec<(&Arc<Instance>, EcoString)> = match value {
        Value::Instance(one) => vec![(one, "#".into())],
        Value::Array(items) => {
            let roots = items.iter().enumerate().filter_map(|(i, item)| match item {
                Value::Instance(one) => Some((one, eco_format!("#/{i}"))),
                _ => None,
            });
            roots.collect()
        }
        _ => Vec::new(),
    };
    let mut writer = Writer::new(roots, rich::to_data);
    let data = writer.each(value, |writer, one| writer.object(one));
    (data, writer.dangling)
}
