//! JSON with the equality, order and containment of PostgreSQL's `jsonb`.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value as Json};

/// The name of the type of a value.
pub(super) fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// The rank of a type in the order. An empty array on top comes first.
fn rank(value: &Json) -> u8 {
    match value {
        Json::Array(items) if items.is_empty() => 0,
        Json::Null => 1,
        Json::String(_) => 2,
        Json::Number(_) => 3,
        Json::Bool(_) => 4,
        Json::Array(_) => 5,
        Json::Object(_) => 6,
    }
}

fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let float = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
            float(left).total_cmp(&float(right))
        }
    }
}

/// Keys as `jsonb` has them: shorter ones first.
fn sorted(object: &Map<String, Json>) -> Vec<(&String, &Json)> {
    let mut pairs: Vec<_> = object.iter().collect();
    pairs.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    pairs
}

/// The order of `jsonb`.
pub(super) fn compare(left: &Json, right: &Json) -> Ordering {
    match (left, right) {
        (Json::Bool(a), Json::Bool(b)) => a.cmp(b),
        (Json::Number(a), Json::Number(b)) => compare_numbers(a, b),
        (Json::String(a), Json::String(b)) => a.cmp(b),
        (Json::Array(a), Json::Array(b)) => {
            let items = a.iter().zip(b).map(|(a, b)| compare(a, b));
            a.len().cmp(&b.len()).then_with(|| first_difference(items))
        }
        (Json::Object(a), Json::Object(b)) => {
            let (left, right) = (sorted(a), sorted(b));
            let pairs = left.iter().zip(&right);
            let pairs = pairs.map(|((ka, va), (kb, vb))| ka.cmp(kb).then_with(|| compare(va, vb)));
            left.len().cmp(&right.len()).then_with(|| first_difference(pairs))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Whether a document contains another one (`@>`).
pub(super) fn contains(document: &Json, inner: &Json) -> bool {
    match (document, inner) {
        (Json::Array(items), inner) if !inner.is_array() && !inner.is_object() => {
            // An array on top may contain a primitive value.
            items.iter().any(|item| compare(item, inner).is_eq())
        }
        _ => contains_within(document, inner),
    }
}

fn contains_within(document: &Json, inner: &Json) -> bool {
    match (document, inner) {
        (Json::Object(object), Json::Object(inner)) => inner
            .iter()
            .all(|(key, value)| object.get(key).is_some_and(|found| contains_within(found, value))),
        (Json::Array(items), Json::Array(inner)) => {
            inner.iter().all(|value| items.iter().any(|item| contains_within(item, value)))
        }
        (Json::Array(_) | Json::Object(_), _) | (_, Json::Array(_) | Json::Object(_)) => false,
        (a, b) => compare(a, b).is_eq(),
    }
}

/// The value at a path: names are for objects, numbers for arrays.
pub(super) fn at<'a>(document: &'a Json, path: &Json) -> Option<&'a Json> {
    let steps = path.as_array()?;
    steps.iter().try_fold(document, |value, step| match (value, step) {
        (Json::Object(object), Json::String(name)) => object.get(name),
        (Json::Array(items), Json::Number(index)) => element(items, index.as_i64()?),
        _ => None,
    })
}

/// An index below zero counts from the end.
fn element(items: &[Json], index: i64) -> Option<&Json> {
    let index = if index < 0 { index + i64::try_from(items.len()).ok()? } else { index };
    items.get(usize::try_from(index).ok()?)
}

/// The value at a path of texts, which are indices where arrays are.
pub(super) fn at_loose<'a>(document: &'a Json, path: &Json) -> Option<&'a Json> {
    let steps = path.as_array()?;
    steps.iter().try_fold(document, |value, step| match value {
        Json::Object(object) => object.get(step.as_str()?),
        Json::Array(items) => element(items, step.as_str()?.parse().ok()?),
        _ => None,
    })
}

/// The text of `jsonb`.
pub(super) fn jsonb_text(value: &Json) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<_> = items.iter().map(jsonb_text).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(object) => {
            let pairs = sorted(object).into_iter();
            let pairs: Vec<_> = pairs
                .map(|(key, value)| format!("{}: {}", Json::from(key.as_str()), jsonb_text(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

/// A form that is the same for equal documents: keys are sorted, and whole numbers have no fraction.
pub(super) fn canonical(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(canonical).collect()),
        Json::Object(object) => {
            let mut pairs: Vec<_> = object.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            let pairs = pairs.into_iter().map(|(key, value)| (key.clone(), canonical(value)));
            Json::Object(pairs.collect())
        }
        Json::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                #[allow(clippy::cast_possible_truncation)]
                let integer = float as i64;
                Json::from(integer)
            }
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// Bytes in the order of documents. Arrays and objects of equal size are ordered by their text.
pub(super) fn order_key(value: &Json) -> Vec<u8> {
    let mut key = vec![rank(value)];
    let mut sized = |count: usize| {
        key.extend(u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
        key.extend(jsonb_text(value).bytes());
    };
    match value {
        Json::Null => {}
        Json::Bool(flag) => key.push(u8::from(*flag)),
        Json::Number(number) => {
            let bits = number.as_f64().unwrap_or(f64::NAN).to_bits();
            let is_negative = bits >> 63 == 1;
            key.extend((if is_negative { !bits } else { bits | 1 << 63 }).to_be_bytes());
        }
        Json::String(text) => key.extend(text.bytes()),
        Json::Array(items) => sized(items.len()),
        Json::Object(object) => sized(object.len()),
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_have_an_order() {
        let ordered = [
            json!([]),
            json!(null),
            json!(""),
            json!("a"),
            json!(-1.5),
            json!(2),
            json!(10),
            json!(false),
            json!(true),
            json!([1]),
            json!([0, 0]),
            json!({}),
            json!({"a": 1}),
        ];
        for pair in ordered.windows(2) {
            assert_eq!(compare(&pair[0], &pair[1]), Ordering::Less, "{pair:?}");
            assert!(order_key(&pair[0]) < order_key(&pair[1]), "{pair:?}");
        }
        assert!(compare(&json!(1), &json!(1.0)).is_eq());
    }

    #[test]
    fn documents_contain_parts() {
        let document = json!({"a": {"b": [1, 2], "c": "x"}, "d": true});
        for (inner, expected) in [
            (json!({"a": {"c": "x"}}), true),
            (json!({"a": {"b": [2]}}), true),
            (json!({"a": {"b": 2}}), false),
            (json!({"d": 1}), false),
            (json!({}), true),
        ] {
            assert_eq!(contains(&document, &inner), expected, "{inner}");
        }
        assert!(contains(&json!([1, 2]), &json!(2)));
    }

    #[test]
    fn texts_are_those_of_postgresql() {
        let value = json!({"bb": [1, "x"], "a": null});
        assert_eq!(jsonb_text(&value), r#"{"a": null, "bb": [1, "x"]}"#);
    }
}
