//! What Hiera's messages say of a value's type.

use crate::value::Value;

/// The name of the type of a value, as messages about a wrong type show what they got.
pub fn type_word(value: &Value) -> &'static str {
    match value {
        Value::Undef => "Undef",
        Value::Default => "Default",
        Value::Bool(_) => "Boolean",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(items) if items.is_empty() => "Array",
        Value::Array(_) => "Tuple",
        Value::Hash(entries) if entries.is_empty() => "Hash",
        Value::Hash(entries)
            if entries.keys().all(|k| k.as_str().is_some_and(|k| !k.is_empty())) =>
        {
            "Struct"
        }
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Type(_) | Value::Reference(_) => "Type",
        Value::Sensitive(_) => "Sensitive",
        Value::Binary(_) => "Binary",
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "SemVer",
        Value::SemVerRange(_) => "SemVerRange",
        Value::Uri(_) => "URI",
        Value::Callable(_) => "Callable",
        Value::Object(_) | Value::Instance(_) => "Object",
        Value::Iterator(_) => "Iterator",
        Value::Runtime(object) if object.is_integer() => "Integer",
        Value::Runtime(_) => "Runtime",
    }
}

/// The message about what is wrong with the type of `subject`; `None` if nothing is.
pub fn mismatches(subject: &str, problems: &[String]) -> Option<String> {
    match problems {
        [] => None,
        [problem] => Some(format!("{subject} has wrong type, {problem}")),
        several => {
            let lines = several.iter().map(|p| format!(" {subject} has wrong type, {p}"));
            Some(lines.collect::<Vec<_>>().join("\n "))
        }
    }
}
