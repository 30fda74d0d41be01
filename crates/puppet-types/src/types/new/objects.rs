//! Instances of object types.

use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;

use crate::error::{EvalResult, plain};
use crate::types::ObjectType;
use crate::types::mismatch::{accepts, describe_call};
use crate::types::new::object_signatures::{given_attributes, object_signatures};
use crate::types::signature::Signature;
use crate::value::{HashValue, Object, Value};

/// Makes an instance of an object type.
pub(super) fn construct_object(object: &Arc<ObjectType>, args: &[Value]) -> EvalResult {
    let signatures = object_signatures(object);
    let Some(chosen) = signatures.iter().position(|s| accepts(s, args, None)) else {
        let all: Vec<&Signature> = signatures.iter().collect();
        return plain(describe_call(&format!("new_{}", object.label()), &all, args, None));
    };
    let by_hash = chosen == 0 && !object.has_ruby_class();
    let given = given_attributes(object);
    let empty = HashValue::default();
    let mut values = IndexMap::default();
    for (name, attribute) in object.all_attributes() {
        let Some(position) = given.iter().position(|a| a.name == name) else { continue };
        let value = match by_hash {
            true => {
                let entries = args[0].as_hash().unwrap_or(&empty);
                entries.get(&crate::value::Key(&name)).cloned()
            }
            false => args.get(position).cloned(),
        };
        // An attribute without a value may be undef, or the signature would not have taken it.
        values.insert(name, value.or(attribute.value).unwrap_or_default());
    }
    Ok(Value::Object(Arc::new(Object { kind: Arc::clone(object), values })))
}

/// The values of an instance as arguments of its constructor, by name; defaults at the end are
/// left out.
pub(crate) fn constructor_values(object: &Object) -> Vec<(EcoString, &Value)> {
    let mut given = given_attributes(&object.kind);
    while let Some(last) = given.last() {
        let (Some(default), Some(value)) = (&last.value, object.values.get(&last.name)) else {
            break;
        };
        if default != value {
            break;
        }
        given.pop();
    }
    let values = given.into_iter().filter_map(|attribute| {
        let value = object.values.get(&attribute.name)?;
        Some((attribute.name, value))
    });
    values.collect()
}
