//! Undeclared resources of the machine.

use ordain_data::Value;
use ordain_graph::{Attribute, Containment, OriginId, Resource, ResourceRef};

/// A resource that removes an instance of this machine.
pub(crate) fn unwanted(kind: &str, title: &str, more: &[(&str, Value)]) -> Resource {
    let origin = OriginId(0);
    let attribute = |name: &str, value: Value| Attribute {
        name: name.into(),
        value,
        origin,
        losers: Vec::new(),
    };
    let gone = attribute("ensure", Value::str("absent"));
    let more = more.iter().map(|(name, value)| attribute(name, value.clone()));
    Resource {
        id: ResourceRef { kind: kind.into(), title: title.into() },
        containment: Containment::Leaf,
        attributes: std::iter::once(gone).chain(more).collect(),
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    }
}

/// Copies `noop`, `loglevel` and the origin of the declared resource for which another is removed.
pub(crate) fn inherit(unwanted: &mut Resource, declared: &Resource) {
    let inherited = declared.attributes.iter();
    let inherited = inherited.filter(|a| ["noop", "loglevel"].contains(&a.name.as_str()));
    unwanted.attributes.extend(inherited.cloned());
    unwanted.origin = declared.origin;
}
