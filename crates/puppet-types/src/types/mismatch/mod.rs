//! Checks arguments against signatures, and describes mismatches of types in Puppet's words.

mod describe;
mod message;
mod reason;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::error::{EvalResult, puppets};
use crate::types::refusal::answered;
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{Type, generalize, infer_set, is_assignable, is_instance};
use crate::value::Value;

use describe::{describe, describe_signatures};
use reason::{Mismatch, Reason, Step};

pub use crate::types::accepts::accepts;

/// So many parameters are searched in order; more get an index.
const MAX_SEARCHED: usize = 16;

fn joined(subject: &str, errors: &[Mismatch]) -> Option<String> {
    match errors {
        [] => None,
        [one] => Some(format!("{subject}:{}", one.text())),
        many => {
            let texts: Vec<String> = many.iter().map(Mismatch::text).collect();
            Some(format!("{subject}:\n {}", texts.join("\n ")))
        }
    }
}

/// Finds parameters of a signature by their names, by an index where there are many.
#[derive(Debug)]
pub struct ByName<'s> {
    params: &'s [SignatureParam],
    index: Option<FxHashMap<&'s str, &'s SignatureParam>>,
}

impl<'s> ByName<'s> {
    /// Those of a signature.
    #[inline]
    pub fn new(signature: &'s Signature) -> Self {
        let params = &signature.params[..];
        let index =
            (params.len() > MAX_SEARCHED).then(|| params.iter().map(|p| (&*p.name, p)).collect());
        Self { params, index }
    }

    /// The one of this name.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&'s SignatureParam> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.params.iter().find(|p| p.name == name),
        }
    }
}

/// Whether the parameters given to a class or defined type are right. Each has another name.
pub fn params_fit<'v>(
    signature: &Signature,
    given: impl Iterator<Item = (&'v str, &'v Value)>,
) -> bool {
    let params = ByName::new(signature);
    let mut required = 0;
    for (name, value) in given {
        let Some(param) = params.get(name) else { return false };
        if !is_deferred(value) && !is_instance(&param.kind, value) {
            return false;
        }
        required += usize::from(!param.optional);
    }
    required == signature.min()
}

/// The mismatches of the parameters of a class or defined type, if there are any. Values of type
/// `Deferred` are not checked; see [`describe_deferred`].
pub fn describe_params(
    subject: &str,
    signature: &Signature,
    given: &[(EcoString, Value)],
    missing_ok: bool,
) -> Option<String> {
    let mut errors = Vec::new();
    let bare = |reason| Mismatch { path: Vec::new(), reason };
    let params = ByName::new(signature);
    for (name, _) in given {
        if params.get(name).is_none() {
            errors.push(bare(Reason::UnknownParameter(name.clone())));
        }
    }
    let given: FxHashMap<&str, &Value> = given.iter().rev().map(|(n, v)| (&**n, v)).collect();
    for param in &signature.params {
        match given.get(&*param.name) {
            Some(value) if is_deferred(value) || is_instance(&param.kind, value) => {}
            Some(value) => errors.extend(describe(
                &param.kind,
                &infer_set(value),
                &[Step::Parameter(param.name.clone())],
            )),
            None if missing_ok || param.optional => {}
            None => errors.push(bare(Reason::MissingParameter(param.name.clone()))),
        }
    }
    joined(subject, &errors)
}

/// The mistakes of deferred calls given to a class or defined type, by the types that their functions
/// declare for their results: `None` if there are none.
pub fn describe_deferred(
    subject: &str,
    results: &[(&SignatureParam, Type)],
) -> EvalResult<Option<String>> {
    let mut errors = Vec::new();
    for (param, result) in results {
        let fits = || is_assignable(&generalize(&param.kind), &generalize(result));
        if !answered(fits)? {
            errors.extend(describe(&param.kind, result, &[Step::Parameter(param.name.clone())]));
        }
    }
    Ok(joined(subject, &errors))
}

/// Whether a value is computed where the catalog is applied only.
#[inline]
pub fn is_deferred(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.kind.name == "Deferred")
}

/// The text that explains why none of the signatures of a function accepts a call. The name of a
/// lambda is `lambda`.
#[inline]
pub fn describe_call(
    name: &str,
    signatures: &[&Signature],
    args: &[Value],
    block: Option<&Signature>,
) -> String {
    describe_signatures(name, signatures, args, block)
}

/// The mismatch between a type and the expected one, beginning with the subject; empty if there is
/// none.
pub fn describe_mismatch(subject: &str, expected: &Type, actual: &Type) -> String {
    describe_at(&[Step::Subject(subject.into())], expected, actual)
}

/// As [`describe_mismatch`], without a subject: `expects an Integer value, got String`.
pub fn expectation(expected: &Type, actual: &Type) -> String {
    describe_at(&[], expected, actual)
}

fn describe_at(path: &[Step], expected: &Type, actual: &Type) -> String {
    let mut errors = describe(expected, actual, path);
    if errors.is_empty() && matches!(answered(|| is_assignable(expected, actual)), Ok(false)) {
        // Aliases that lead to each other hide the difference.
        let reason = Reason::Type { expected: expected.clone(), actual: actual.clone() };
        errors.push(Mismatch { path: path.to_vec(), reason });
    }
    match errors.as_slice() {
        [] => String::new(),
        [one] => one.text().trim().into(),
        many => many.iter().map(Mismatch::text).collect::<Vec<_>>().join("\n "),
    }
}

/// A type as a label shows it: cut where it is long.
pub fn short_type(kind: &Type) -> String {
    const MAX_LENGTH: usize = 60;
    let text = kind.to_string();
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Advice on a text where another value is expected that can be written the same way: `'80'`
/// for a number, `'true'` for a boolean. And about a number where a text is wanted.
pub fn unquoted(wanted: &Type, value: &Value) -> Option<String> {
    let bare = match value {
        Value::Str(text) => match text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "undef" => Value::Undef,
            number => match number.parse::<i64>() {
                Ok(number) => Value::Int(number),
                Err(_) => Value::Float(number.parse().ok()?),
            },
        },
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
            let text = crate::value::text::to_text(value);
            let fits = is_instance(wanted, &Value::Str(text.clone()));
            return fits.then(|| format!("as a text it has quotes: '{text}'"));
        }
        _ => {
            let fits = is_instance(wanted, &Value::array([value.clone()]));
            return fits.then(|| "a list of one has brackets around it".to_owned());
        }
    };
    if is_instance(wanted, &bare) {
        return Some("remove the quotes".to_owned());
    }
    let list = Value::array([value.clone()]);
    is_instance(wanted, &list).then(|| "a list of one has brackets around it".to_owned())
}

/// Checks that a value has a type: `SUBJECT has wrong type, expects …`.
///
/// # Errors
/// When it has not.
pub fn assert_instance(subject: &str, kind: &Type, value: &Value) -> EvalResult<()> {
    if answered(|| is_instance(kind, value))? {
        return Ok(());
    }
    let subject = format!("{subject} has wrong type,");
    let actual = infer_set(value);
    let text = describe_mismatch(&subject, kind, &actual);
    // NaN is not an instance of its own type.
    puppets(match text.is_empty() {
        true => format!("{subject} expects a {kind} value, got {}", generalize(&actual)),
        false => text,
    })
}
