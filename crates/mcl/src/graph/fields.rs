//! Resources with their fields and groups, in the original's textual form.

use super::autogroup;
use super::resource::{Resource, Resources};
use crate::types::Type;
use crate::value::Value;

/// One line for each resource, edge and field that is set, sorted. The lines of parts begin with
/// their group. Received values are included if they are known without a run.
pub fn lines(resources: &Resources) -> Vec<String> {
    let settled = super::sends::settled(resources);
    let groups = autogroup::grouped(&settled);
    let names: Vec<String> = settled.list.iter().map(Resource::reference).collect();
    let mut lines = Vec::new();
    for (at, resource) in settled.list.iter().enumerate() {
        let mut group = String::new();
        let mut next = groups.parents[at];
        while let Some(parent) = next {
            group.insert_str(0, &format!("Group: {}: ", names[parent]));
            next = groups.parents[parent];
        }
        let own = std::iter::once(format!("Vertex: {}", names[at])).chain(fields(resource));
        lines.extend(own.map(|line| format!("{group}{line}")));
    }
    for ((from, to), edge) in &groups.edges {
        let (from, to) = (&names[*from], &names[*to]);
        let (of_from, of_to) = (&names[edge.of.0], &names[edge.of.1]);
        lines.push(format!("Edge: {from} -> {to} # {of_from} -> {of_to}"));
    }
    // A name may have several lines.
    let text = lines.join("\n");
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    lines.retain(|line| !line.is_empty());
    lines.sort();
    lines
}

/// The fields that differ from the zero value of their type.
fn fields(resource: &Resource) -> Vec<String> {
    let kind = &resource.kind.kind;
    let mut lines = Vec::new();
    for field in &kind.fields {
        let Some(value) = resource.value(field.name) else { continue };
        let ty = resource.kind.field(field.name).map(|(_, _, ty)| ty);
        let zero = ty.and_then(Type::zero);
        // An empty list or map counts as set.
        let at = resource.kind.field(field.name).map(|(at, ..)| at);
        let is_set = at.and_then(|at| resource.fields.get(at)).is_some_and(Option::is_some)
            && matches!(value, Value::List(_) | Value::Map(_));
        if !field.is_optional && !is_set && zero.is_some_and(|zero| zero.is_same(&value)) {
            continue;
        }
        let text = print(resource, field.name, &value);
        lines.push(format!("Field: {}.{} = {text}", resource.reference(), field.print));
    }
    lines
}

fn print(resource: &Resource, field: &str, value: &Value) -> String {
    // Programs cannot set a member of this struct.
    if resource.kind.kind.name == "test" && field == "mixedstruct" {
        let text = value.to_string();
        return format!("{}; somePrivatefield: \"\"}}", text.trim_end_matches('}'));
    }
    value.to_string()
}
