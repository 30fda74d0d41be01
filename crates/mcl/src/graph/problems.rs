//! Problems of single resources, in the original's words.

use ordain_source::{Span, suggest};

use super::resource::Resource;
use super::validate;
use crate::failure::{Failure, Phase};
use crate::resources::Width;
use crate::value::Value;

/// An error of interpretation.
pub(super) fn fail(text: impl Into<String>, span: Span) -> Failure {
    Failure::new(Phase::Interpret, text, span)
}

/// The error of a resource, at the field that causes it: without that field there is no error.
pub(super) fn explained(text: String, resource: &Resource) -> Failure {
    let failure = fail(text, resource.span);
    let is_cured = |at: &usize| {
        let mut without = resource.clone();
        without.fields[*at] = None;
        problem(&without).is_none()
    };
    let set = (0..resource.fields.len()).filter(|at| resource.fields[*at].is_some());
    let blamed: Vec<usize> = set.filter(is_cured).collect();
    let [at] = blamed.as_slice() else { return failure };
    let Some(span) = resource.field_spans.get(*at).copied().flatten() else { return failure };
    let failure = failure.pointing(span, "");
    let field = resource.kind.kind.fields[*at].name;
    let words = resource.kind.words(field);
    let value = resource.text(field);
    match suggest::nearest(&value, words.iter().copied()) {
        Some(near) => failure.meaning(Some(near)),
        None if words.is_empty() => failure,
        None => {
            Failure { help: Some(format!("it is one of: {}", words.join(", ")).into()), ..failure }
        }
    }
}

/// The error of a resource.
pub(super) fn problem(resource: &Resource) -> Option<String> {
    let kind = resource.kind.kind.name;
    if resource.name.is_empty() {
        return Some(format!(
            "error building resource: cannot create resource kind `{kind}` with name ``: resource \
             name is empty"
        ));
    }
    let cause = if let Some(cause) = resource.meta.problem() {
        format!("the Res has an invalid meta param: {cause}")
    } else if resource.name.starts_with('$') && !resource.meta.dollar {
        "the Res name starts with a $".into()
    } else if resource.meta.hidden {
        return None;
    } else {
        validate::validate(resource)?
    };
    Some(format!("{} did not Validate: {cause}", resource.reference()))
}

/// Whether a number is in the range of a field.
pub(super) fn fits(width: Width, value: &Value) -> Result<(), String> {
    let (name, bits, is_signed) = match width {
        Width::Full | Width::F32 => return Ok(()),
        Width::I8 => ("int8", 8, true),
        Width::I16 => ("int16", 16, true),
        Width::I32 => ("int32", 32, true),
        Width::U8 => ("uint8", 8, false),
        Width::U16 => ("uint16", 16, false),
        Width::U32 => ("uint32", 32, false),
        Width::U64 => ("uint64", 64, false),
    };
    let Some(number) = value.as_int() else { return Ok(()) };
    if !is_signed && number < 0 {
        return Err(format!("can't store negative int `{number}` into unsigned `{name}` field"));
    }
    let (least, most) = match (is_signed, bits) {
        (true, bits) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        (false, bits) => (0, (1i128 << bits) - 1),
    };
    if (least..=most).contains(&i128::from(number)) {
        return Ok(());
    }
    Err(format!("0 is an `{name}`, and rv `{number}` will overflow it"))
}
