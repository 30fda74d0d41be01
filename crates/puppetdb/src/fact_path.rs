//! Fact paths in the store's format: elements joined by `#~`; names that consist of digits have
//! quotes, indices do not.

use serde_json::Value;

/// The separator of the elements.
pub(crate) const SEPARATOR: &str = "#~";

/// A path as text.
pub(crate) fn encode(elements: &[Value]) -> String {
    let elements: Vec<_> = elements.iter().map(element).collect();
    elements.join(SEPARATOR)
}

fn element(element: &Value) -> String {
    match element {
        Value::String(name) if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) => {
            format!("\"{name}\"")
        }
        Value::String(name) => name.clone(),
        other => other.to_string(),
    }
}

/// The regular expression for a path whose elements match patterns. Wildcards match only within one
/// element.
pub(crate) fn pattern(elements: &[Value]) -> String {
    let within = format!("(?:(?!{SEPARATOR}).)");
    let elements: Vec<Value> = elements
        .iter()
        .map(|element| match element {
            Value::String(text) => Value::String(bounded(text, &within)),
            other => other.clone(),
        })
        .collect();
    format!("^{}$", encode(&elements))
}

/// Replaces `.*`, `.+` and `.{…}` by patterns that do not match a separator.
fn bounded(pattern: &str, within: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('.') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let after = &from[1..];
        if let Some(tail) = after.strip_prefix('*') {
            out.push_str(within);
            out.push('*');
            rest = tail;
        } else if after.starts_with(['+', '{']) {
            out.push_str(within);
            rest = after;
        } else {
            out.push('.');
            rest = after;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn digits_are_quoted_unless_they_are_indices() {
        assert_eq!(encode(&[json!("a"), json!("0"), json!(0)]), "a#~\"0\"#~0");
    }

    #[test]
    fn wildcards_stay_within_an_element() {
        let pattern = pattern(&[json!("a.*"), json!("b.")]);
        assert_eq!(pattern, "^a(?:(?!#~).)*#~b.$");
    }
}
