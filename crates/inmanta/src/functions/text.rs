//! Functions for text.

use ordain_functions::digest;

use super::entry::{Entry, Outcome, integer, plain, string};
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::Value;

pub(super) const TABLE: &[Entry] = &[
    plain("replace", "string: string, old: string, new: string", "string", replace),
    plain("capitalize", "string: string", "string", capitalize),
    plain("upper", "string: string", "string", upper),
    plain("lower", "string: string", "string", lower),
    plain("limit", "string: string, length: int", "string", limit),
    plain("length", "value: string", "int", length),
    plain("split", "string_list: string, delim: string", "list", split),
    plain("hostname", "fqdn: string", "string", hostname),
    plain(
        "unique_file",
        "prefix: string, seed: string, suffix: string, length: int = 20",
        "string",
        unique_file,
    ),
    plain("is_base64_encoded", "s: string", "bool", is_base64_encoded),
];

fn replace(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let text = string(arguments, 0).replace(string(arguments, 1), string(arguments, 2));
    Ok(Value::str(text))
}

fn capitalize(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::str(ordain_functions::text::capitalize(string(arguments, 0))))
}

fn upper(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::str(string(arguments, 0).to_uppercase()))
}

fn lower(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::str(string(arguments, 0).to_lowercase()))
}

fn limit(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let text = string(arguments, 0);
    let length = integer(arguments, 1);
    let keep = match usize::try_from(length) {
        Ok(length) => length,
        // Negative indexes count from the end.
        Err(_) => {
            let from_end = usize::try_from(length.unsigned_abs()).unwrap_or(usize::MAX);
            text.chars().count().saturating_sub(from_end)
        }
    };
    Ok(Value::str(text.chars().take(keep).collect::<String>()))
}

fn length(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    Ok(Value::Int(string(arguments, 0).chars().count() as i64))
}

fn split(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let delimiter = string(arguments, 1);
    if delimiter.is_empty() {
        return Err(Stop::raised(Exception::ValueError, "empty separator"));
    }
    Ok(Value::list(string(arguments, 0).split(delimiter).map(Value::str)))
}

fn hostname(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let text = string(arguments, 0);
    Ok(Value::str(text.split('.').next().unwrap_or_default()))
}

fn unique_file(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let digest = digest::md5(string(arguments, 1).as_bytes());
    Ok(Value::str(format!("{}{digest}{}", string(arguments, 0), string(arguments, 2))))
}

fn is_base64_encoded(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let text = string(arguments, 0);
    let data = text.trim_end_matches('=');
    let padding = text.len() - data.len();
    let is_alphabet = data.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/');
    let is_padded = data.len() % 4 != 1 && (data.len() + padding).is_multiple_of(4) && padding < 3;
    Ok(Value::Bool(is_alphabet && is_padded))
}
