//! The digest that the content of a file must have.

use ordain_data::Value;
use ordain_graph::{Attribute, Resource};

/// Sets the digest that content must have, unless the resource declares one.
pub(crate) fn set_digest(resource: &mut Resource, (kind, hex): (&str, &str)) {
    if resource.value("checksum_value").is_some_and(|value| !value.is_null()) {
        return;
    }
    resource.attributes.retain(|a| !["checksum", "checksum_value"].contains(&a.name.as_str()));
    let origin = resource.origin;
    for (name, text) in [("checksum", kind), ("checksum_value", hex)] {
        let (name, value) = (name.into(), Value::str(text));
        resource.attributes.push(Attribute { name, value, origin, losers: Vec::new() });
    }
}
