//! Values that one resource sends to another during a run, and settings of `watch`.
//!
//! Both are attributes of a resource, with names that no kind uses.

use ordain_data::Value;

use crate::model::{Resource, ResourceRef};

/// Attributes that control the repeated checks of a resource; the engine reads them for every kind.
pub const WATCH_ATTRIBUTES: &[&str] = &[
    "meta:autoedge",
    "meta:autogroup",
    "meta:burst",
    "meta:delay",
    "meta:dollar",
    "meta:limit",
    "meta:poll",
    "meta:realize",
    "meta:reset",
    "meta:retry",
    "meta:retryreset",
    "meta:reversal",
    "meta:reverse",
    "meta:rewatch",
    "meta:sema",
    "meta:timeout",
];

/// The prefix of attributes that name the sender of another attribute.
const RECEIVE: &str = "receive:";

/// The source of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer<'a> {
    /// The attribute that it goes into.
    pub attribute: &'a str,
    /// The resource that sends it.
    pub from: ResourceRef,
    /// Its name at the sender.
    pub key: &'a str,
}

impl Transfer<'_> {
    /// The attribute that declares it: name and value.
    pub fn as_attribute(&self) -> (String, Value) {
        let name = format!("{RECEIVE}{}", self.attribute);
        (name, Value::str(format!("{}.{}", self.from, self.key)))
    }
}

/// Whether an attribute declares a transfer instead of belonging to a kind.
pub fn is_transfer(attribute: &str) -> bool {
    attribute.starts_with(RECEIVE)
}

/// The values that a resource receives.
pub fn transfers(resource: &Resource) -> impl Iterator<Item = Transfer<'_>> {
    resource.attributes.iter().filter_map(|one| {
        let attribute = one.name.strip_prefix(RECEIVE)?;
        let (from, key) = one.value.as_str()?.rsplit_once("].")?;
        let (kind, title) = from.split_once('[')?;
        let from = ResourceRef { kind: kind.into(), title: title.into() };
        Some(Transfer { attribute, from, key })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_documents_read_back() {
        let from = ResourceRef { kind: "Exec".into(), title: "a].b[c]".into() };
        let transfer = Transfer { attribute: "content", from, key: "output" };
        let (name, value) = transfer.as_attribute();
        let mut graph = crate::Graph::default();
        let id = crate::testing::leaf(&mut graph, "/x");
        let resource = graph.resource_mut(id);
        resource.attributes.push(crate::Attribute {
            name: name.into(),
            value,
            origin: resource.origin,
            losers: Vec::new(),
        });
        assert_eq!(transfers(resource).collect::<Vec<_>>(), [transfer]);
    }
}
