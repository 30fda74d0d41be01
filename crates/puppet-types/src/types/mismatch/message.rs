//! The words of mismatches.

use std::fmt::Write as _;
use std::mem::discriminant;

use super::reason::{Mismatch, Reason, Step};
use crate::types::aliases::resolved;
use crate::types::display::expanded;
use crate::types::label::with_article;
use crate::types::simple_name::simple_name;
use crate::types::{IntRange, Type, builtin, generalize, is_assignable, normalize};

impl Step {
    fn write(&self, out: &mut String) {
        let _ = match self {
            Self::Subject(text) => write!(out, "{text}"),
            Self::Entry(key) => write!(out, "entry '{key}'"),
            Self::EntryKey(key) => write!(out, "key of entry '{key}'"),
            Self::Parameter(name) => write!(out, "parameter '{name}'"),
            Self::Return => write!(out, "return"),
            Self::Block => write!(out, "block"),
            Self::Index(i) => write!(out, "index {i}"),
            Self::Variant(i) => write!(out, "variant {i}"),
            Self::Signature(i) => write!(out, "{}.", i + 1),
        };
    }
}

impl Mismatch {
    /// The text, each word with a blank before it.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            out.push(' ');
            step.write(&mut out);
        }
        out.push(' ');
        self.reason.write(&mut out);
        out
    }
}

impl Reason {
    fn write(&self, out: &mut String) {
        let _ = match self {
            Self::MissingKey(key) => write!(out, "expects a value for key '{key}'"),
            Self::MissingParameter(name) => write!(out, "expects a value for parameter '{name}'"),
            Self::UnknownKey(key) => write!(out, "unrecognized key '{key}'"),
            Self::UnknownParameter(name) => write!(out, "has no parameter named '{name}'"),
            Self::UnexpectedBlock => write!(out, "does not expect a block"),
            Self::MissingBlock => write!(out, "expects a block"),
            Self::Unresolved(name) => write!(out, "references an unresolved type '{name}'"),
            Self::Type { expected, actual } => write!(out, "{}", type_text(expected, actual)),
            Self::Pattern { expected, actual } => {
                write!(out, "{}", pattern_text(expected, actual))
            }
            Self::Size { expected, actual } => {
                let (expected, actual) = (range(*expected, "0"), range(*actual, "0"));
                write!(out, "expects size to be {expected}, got {actual}")
            }
            Self::Count { expected, actual } => {
                let (min, max) = (expected.from.max(0), expected.last());
                let one = min == 1 && max.is_none_or(|max| max == 1) || min == 0 && max == Some(1);
                let plural = if one { "" } else { "s" };
                let (expected, actual) = (range(*expected, "no"), range(*actual, "none"));
                write!(out, "expects {expected} argument{plural}, got {actual}")
            }
        };
    }
}

fn range(range: IntRange, zero: &str) -> String {
    match (range.from.max(0), range.last()) {
        (0, Some(0)) => zero.into(),
        (min, Some(max)) if min == max => min.to_string(),
        (0, None) => "unlimited".into(),
        (0, Some(max)) => format!("at most {max}"),
        (min, None) => format!("at least {min}"),
        (min, Some(max)) => format!("between {min} and {max}"),
    }
}

fn inner(kind: &Type) -> Option<&Type> {
    match kind {
        Type::Type(t)
        | Type::NotUndef(t)
        | Type::Optional(t)
        | Type::Iterable(t)
        | Type::Iterator(t)
        | Type::Sensitive(t) => t.as_deref(),
        Type::Init(init) => init.as_ref().map(|init| &init.target),
        _ => None,
    }
}

fn short_name(kind: &Type) -> String {
    match inner(kind) {
        Some(t) if *t != Type::Any => format!("{}[{}]", simple_name(kind), simple_name(t)),
        _ => simple_name(kind).into(),
    }
}

fn is_alias(kind: &Type) -> bool {
    matches!(kind, Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey)
}

fn is_same_kind(a: &Type, b: &Type) -> bool {
    let text = |t: &Type| matches!(t, Type::String(_) | Type::Literal(_));
    discriminant(a) == discriminant(b) || text(a) && text(b)
}

fn is_always_detailed(expected: &[&Type], actual: &Type) -> bool {
    is_alias(actual)
        || expected.iter().any(|e| {
            is_same_kind(e, actual)
                || is_alias(e)
                || matches!(
                    (e, actual),
                    (Type::Struct(_), Type::Hash(..)) | (Type::Tuple(..), Type::Array(..))
                )
        })
}

/// Whether the actual type would fit if the expected one had no parameters.
fn fits_without_parameters(expected: &Type, actual: &Type) -> bool {
    let expected = resolved(expected);
    match expected {
        Type::Variant(_) => false,
        Type::Object(_) => matches!(actual, Type::Object(_)),
        _ => builtin(simple_name(expected)).is_some_and(|e| is_assignable(&e, actual)),
    }
}

fn detailed_actual(expected: &[&Type], actual: &Type) -> String {
    let expected: Vec<&Type> = expected.iter().map(|e| resolved(e)).collect();
    let general = generalize(actual);
    let detailed = is_always_detailed(&expected, actual)
        || expected.iter().any(|e| is_assignable(e, &general));
    if detailed { expanded(actual) } else { simple_name(actual).into() }
}

fn type_text(expected: &Type, actual: &Type) -> String {
    let (optional, expected) = match expected {
        Type::Optional(Some(t)) => (true, &**t),
        t => (false, t),
    };
    let alternatives: Vec<&Type> = match expected {
        Type::Variant(types) => types.iter().collect(),
        t => vec![t],
    };
    let detailed = is_always_detailed(&alternatives, actual)
        || alternatives.iter().any(|e| fits_without_parameters(e, actual));
    let mut names: Vec<String> = Vec::new();
    if optional {
        names.push("Undef".into());
    }
    for kind in &alternatives {
        let name = if detailed { expanded(kind) } else { short_name(kind) };
        if detailed || !names.contains(&name) {
            names.push(name);
        }
    }
    let actual = match detailed {
        true => detailed_actual(&alternatives, actual),
        false if alternatives.len() > 1 => short_name(&normalize(&generalize(actual))),
        false => short_name(actual),
    };
    match names.as_slice() {
        [one] => format!("expects {} value, got {actual}", with_article(one)),
        [a, b] => format!("expects a value of type {a} or {b}, got {actual}"),
        [rest @ .., last] => {
            format!("expects a value of type {}, or {last}, got {actual}", rest.join(", "))
        }
        [] => format!("expects a value, got {actual}"),
    }
}

fn pattern_text(expected: &Type, actual: &Type) -> String {
    let (prefix, expected) = match expected {
        Type::Optional(Some(t)) => ("an undef value or ", &**t),
        t => ("", t),
    };
    let actual = match actual {
        Type::Literal(text) => format!("'{text}'"),
        t => short_name(t),
    };
    format!("expects {prefix}a match for {}, got {actual}", expanded(expected))
}
