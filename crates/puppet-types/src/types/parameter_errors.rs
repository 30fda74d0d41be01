//! The errors of parameters that a type does not take.

use crate::error::{EvalResult, issue};
use crate::types::label::key_type_name;
use crate::value::Value;

pub(super) fn arity<T>(label: &str, min: usize, max: Option<usize>, got: usize) -> EvalResult<T> {
    let range = match max {
        None => format!("{min} or more arguments"),
        Some(max) if max != min => format!("{min} to {max} arguments"),
        Some(1) => "1 argument".into(),
        Some(_) => format!("{min} arguments"),
    };
    issue("BAD_TYPE_SLICE_ARITY", format!("{label}[] accepts {range}. Got {got}"))
}

pub(super) fn bad_key_name(key: &Value) -> String {
    key_type_name(key)
}
