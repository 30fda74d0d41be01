//! `value[keys]`. The evaluator handles parameters of declared resources (`File['/x'][mode]`)
//! before.

use std::sync::Arc;

use ecow::EcoString;

use crate::error::{Blame, EvalResult, PlainError, issue_at};
use crate::eval::arithmetic::{Outcome, coerce_number};
use crate::types::label::{a_an, a_an_uc, article, key_type_name};
use crate::types::references::flat;
use crate::types::specialize::specialize_value;
use crate::value::Value;
use crate::value::number::to_number;
use ordain_graph::language::Strict;

/// Reads an element, a slice or an entry, or applies parameters to a type.
///
/// # Errors
/// When the value has no elements, or the keys do not fit.
pub fn access(value: &Value, keys: &[Value], strict: Strict) -> EvalResult<Outcome> {
    match value {
        Value::Array(items) => element(value, items, &flat(keys), strict),
        Value::Hash(entries) => match keys {
            // Upstream allows this here and refuses it only in literals.
            [] => Ok(Value::Undef.into()),
            [key] => Ok(entries.get(key).cloned().unwrap_or_default().into()),
            keys => {
                let found = keys.iter().filter_map(|key| entries.get(key));
                Ok(Value::array(found.filter(|v| !v.is_undef()).cloned()).into())
            }
        },
        Value::Str(text) => substring(text, &flat(keys)).map(|s| Value::Str(s).into()),
        Value::Binary(bytes) => {
            let range = text_range(&flat(keys), bytes.len())?;
            Ok(Value::Binary(Arc::new(bytes[range].to_vec())).into())
        }
        Value::Type(kind) | Value::Reference(kind) => {
            specialize_value(kind, keys).map(Outcome::from)
        }
        _ => {
            let message = format!("Operator '[]' is not applicable to {}.", a_an(value));
            let error = PlainError::issue("OPERATOR_NOT_APPLICABLE", message).at(Blame::Left);
            Err(match value {
                Value::Undef => error.with_help(
                    "there is no value before the brackets; `$x.dig('a', 'b')` is undef where one is missing",
                ),
                _ => error,
            }
            .into())
        }
    }
}

fn element(value: &Value, items: &[Value], keys: &[Value], strict: Strict) -> EvalResult<Outcome> {
    if keys.is_empty() || keys.len() > 2 {
        let got = keys.len();
        let message = format!("Array supports [] with one or two arguments. Got {got}");
        return issue_at("BAD_ARRAY_SLICE_ARITY", Blame::Left, message);
    }
    let mut warnings = Vec::new();
    let mut numbers = Vec::with_capacity(2);
    for (i, key) in keys.iter().enumerate() {
        numbers.push(coerce_number(key, Blame::Key(i), strict, &mut warnings)?);
    }
    let mut indices = [0_i64; 2];
    for (i, number) in numbers.iter().enumerate() {
        let Some(index) = number.as_int() else {
            let (left, got) = (a_an_uc(value), key_type_name(number));
            let message = format!("{left}[] cannot use {got} where Integer is expected");
            return issue_at("BAD_SLICE_KEY_TYPE", Blame::Key(i), message);
        };
        indices[i] = index;
    }
    let value = match keys.len() {
        1 => at(items, indices[0]).cloned().unwrap_or_default(),
        _ => {
            let range = slice(indices[0], indices[1], items.len());
            Value::Array(Arc::new(items[range].to_vec()))
        }
    };
    Ok(Outcome { value, warnings })
}

fn at(items: &[Value], index: i64) -> Option<&Value> {
    let index = if index < 0 { index.checked_add(items.len() as i64)? } else { index };
    items.get(usize::try_from(index).ok()?)
}

/// The range of `[from, count]`: a negative start counts from the end, a negative count reaches to
/// that position from the end.
fn slice(from: i64, count: i64, length: usize) -> std::ops::Range<usize> {
    let (mut from, mut count, total) = (i128::from(from), i128::from(count), length as i128);
    if from < 0 {
        from += total;
    }
    if count < 0 {
        count += total - from + 1;
    }
    if from < 0 {
        count += from;
        from = 0;
    }
    if from >= total || count <= 0 {
        return 0..0;
    }
    let end = (from + count).min(total);
    from as usize..end as usize
}

fn substring(text: &EcoString, keys: &[Value]) -> EvalResult<EcoString> {
    let ascii = text.is_ascii();
    let count = if ascii { text.len() } else { text.chars().count() };
    let range = text_range(keys, count)?;
    if ascii {
        return Ok(text[range].into());
    }
    Ok(text.chars().skip(range.start).take(range.len()).collect())
}

fn text_range(keys: &[Value], length: usize) -> EvalResult<std::ops::Range<usize>> {
    if keys.is_empty() || keys.len() > 2 {
        let got = keys.len();
        let message = format!("String supports [] with one or two arguments. Got {got}");
        return issue_at("BAD_STRING_SLICE_ARITY", Blame::Left, message);
    }
    let mut indices = [0, 1];
    for (i, key) in keys.iter().enumerate() {
        let number = match key {
            Value::Str(s) => to_number(s),
            _ => None,
        };
        match number.as_ref().unwrap_or(key) {
            Value::Int(index) => indices[i] = *index,
            other => {
                let name = key_type_name(other);
                let message = format!(
                    "A substring operation does not accept {} {name} as a character index. Expected an Integer",
                    article(&name)
                );
                return issue_at("BAD_STRING_SLICE_KEY_TYPE", Blame::Key(i), message);
            }
        }
    }
    if keys.len() == 1 {
        let from = if indices[0] < 0 { indices[0] + length as i64 } else { indices[0] };
        return Ok(if from < 0 { 0..0 } else { slice(from, 1, length) });
    }
    Ok(slice(indices[0], indices[1], length))
}
