//! Requests to a provider process, as JSON text.

use ordain_data::Value;
use ordain_engine::kinds::external::ResourceNumber;
use ordain_graph::{METAPARAMETERS, Resource};
use serde_json::{Map, Value as Json, json};

use crate::values::to_json;

/// Attributes that only the engine reads. Types may look at the other metaparameters.
const UNSEEN: [&str; 7] =
    ["alias", "before", "notify", "require", "schedule", "stage", "subscribe"];

/// The attributes of a resource for its type.
fn values(resource: &Resource) -> Map<String, Json> {
    let is_seen = |name: &str| !UNSEEN.contains(&name) && !name.contains(':');
    let seen = resource.attributes.iter().filter(|attribute| is_seen(&attribute.name));
    let seen = seen.filter(|attribute| !attribute.value.is_null());
    seen.map(|attribute| {
        // The type gets the plain value; the list of secrets names the attribute.
        let value = match &attribute.value {
            Value::Secret(inner) => to_json(inner),
            other => to_json(other),
        };
        (attribute.name.to_string(), value)
    })
    .collect()
}

fn kind(resource: &Resource) -> String {
    resource.id.kind.to_ascii_lowercase().to_string()
}

/// A resource of a provider.
pub(crate) fn declared(number: ResourceNumber, resource: &Resource) -> String {
    let is_secret = |name: &&str| resource.value(name).is_some_and(Value::holds_secret);
    let names = resource.attributes.iter().map(|attribute| attribute.name.as_str());
    let sensitive: Vec<&str> = names.filter(is_secret).collect();
    let tags: Vec<&str> = resource.tags.iter().map(|tag| tag.as_str()).collect();
    let message = json!({
        "id": number, "kind": kind(resource), "title": resource.id.title.as_str(),
        "values": values(resource), "sensitive": sensitive, "tags": tags,
    });
    message.to_string()
}

/// Another resource of the graph.
pub(crate) fn outline(number: ResourceNumber, resource: &Resource) -> String {
    let mut values = values(resource);
    values.retain(|name, _| !METAPARAMETERS.contains(&name.as_str()));
    let message = json!({
        "id": number, "kind": kind(resource), "title": resource.id.title.as_str(), "values": values,
    });
    message.to_string()
}

/// A request to prepare resources.
pub(crate) fn prepare<'a>(
    graph: u64,
    resources: impl Iterator<Item = &'a str>,
    others: Option<&str>,
    (gone_resources, gone_graphs): (&[ResourceNumber], &[u64]),
) -> String {
    let mut text = format!("{{\"do\":\"prepare\",\"graph\":{graph},\"resources\":[");
    for (place, resource) in resources.enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(resource);
    }
    text.push(']');
    if let Some(others) = others {
        text.push_str(",\"others\":");
        text.push_str(others);
    }
    if !gone_resources.is_empty() || !gone_graphs.is_empty() {
        let gone = json!({ "resources": gone_resources, "graphs": gone_graphs });
        text.push_str(&format!(",\"forget\":{gone}"));
    }
    text.push('}');
    text
}
