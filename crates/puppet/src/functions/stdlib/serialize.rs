//! Writing values as JSON, YAML and TOML.

use std::sync::Arc;

use ordain_data::Value as Data;
use ordain_data::json::{self, Layout};
use ordain_data::yaml::psych;

use crate::error::EvalResult;
use crate::functions::call::Call;
use crate::functions::stdlib::forward;
use crate::functions::support::function;
use crate::functions::{Function, opt, plain, rep, req, with_opt_block};
use crate::value::text::to_text;
use crate::value::{HashValue, Value};

const PRETTY_OPTIONS: &str = "Struct[{indent => Optional[String], space => Optional[String], \
    space_before => Optional[String], object_nl => Optional[String], array_nl => Optional[String], \
    allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}]";

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "stdlib::to_json",
        "Writes a value as JSON.",
        &[plain(&[req("Any", "data")], |c| {
            let layout = Layout::COMPACT;
            Ok(written(c.arg(0), |data| json::write(data, &layout)))
        })],
    ),
    function(
        "to_json",
        "Deprecated name of stdlib::to_json.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::to_json"))],
    ),
    function(
        "stdlib::to_json_pretty",
        "Writes a list or hash as JSON with line breaks.",
        &[plain(
            &[
                req("Variant[Hash, Array]", "data"),
                opt("Optional[Boolean]", "skip_undef"),
                opt(PRETTY_OPTIONS, "opts"),
            ],
            to_json_pretty,
        )],
    ),
    function(
        "to_json_pretty",
        "Deprecated name of stdlib::to_json_pretty.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::to_json_pretty"))],
    ),
    function(
        "stdlib::to_yaml",
        "Writes a value as YAML.",
        &[plain(&[req("Any", "data"), opt("Hash", "options")], to_yaml)],
    ),
    function(
        "to_yaml",
        "Deprecated name of stdlib::to_yaml.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::to_yaml"))],
    ),
    function(
        "stdlib::to_toml",
        "Writes a hash as TOML.",
        &[crate::functions::Dispatch {
            params: &[req("Hash", "data")],
            block: None,
            returns: Some("Variant[String, Sensitive[String]]"),
            explains: false,
            body: |c| {
                let (data, secret) = opened(c.arg(0));
                Ok(wrapped(Value::from(super::toml::write(&data)?), secret))
            },
        }],
    ),
    function(
        "to_toml",
        "Deprecated name of stdlib::to_toml.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::to_toml"))],
    ),
    function(
        "stdlib::rewrap_sensitive_data",
        "Unwraps sensitive values inside, and makes the result sensitive.",
        &[with_opt_block(&[req("Any", "data")], "Callable[Any]", rewrap)],
    ),
];

/// The value with its sensitive parts revealed, and whether it had any.
pub(crate) fn opened(value: &Value) -> (Value, bool) {
    let mut secret = false;
    let value = open(value, &mut secret);
    (value, secret)
}

fn open(value: &Value, secret: &mut bool) -> Value {
    match value {
        Value::Sensitive(inner) => {
            *secret = true;
            open(inner, secret)
        }
        Value::Array(items) => Value::array(items.iter().map(|item| open(item, secret))),
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(key, value)| match key {
                Value::Sensitive(inner) => {
                    *secret = true;
                    ((**inner).clone(), open(value, secret))
                }
                key => (key.clone(), open(value, secret)),
            });
            Value::Hash(Arc::new(entries.collect::<HashValue>()))
        }
        other => other.clone(),
    }
}

fn wrapped(value: Value, secret: bool) -> Value {
    if secret { Value::Sensitive(Arc::new(value)) } else { value }
}

fn written(value: &Value, write: impl Fn(&Data) -> String) -> Value {
    let (value, secret) = opened(value);
    wrapped(Value::from(write(&plain_data(&value))), secret)
}

/// A value as plain data; parts that plain data cannot represent become texts.
pub(crate) fn plain_data(value: &Value) -> Data {
    match value {
        Value::Undef => Data::Null,
        Value::Bool(b) => Data::Bool(*b),
        Value::Int(i) => Data::Int(*i),
        Value::Float(f) => Data::Float(*f),
        Value::Array(items) => Data::list(items.iter().map(plain_data)),
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(k, v)| (plain_data(k), plain_data(v)));
            Data::Map(Arc::new(entries.collect()))
        }
        Value::Instance(instance) => crate::types::models::to_data(instance),
        Value::Runtime(object) if object.is_integer() => Data::BigInt(object.text.as_str().into()),
        other => Data::Str(to_text(other)),
    }
}

fn to_json_pretty(call: &mut Call<'_, '_>) -> EvalResult {
    let mut value = call.take(0);
    if call.arg(1).is_true() {
        value = match value {
            Value::Array(items) => Value::array(items.iter().filter(|v| !v.is_undef()).cloned()),
            Value::Hash(entries) => {
                let kept = entries.iter().filter(|(_, v)| !v.is_undef());
                Value::Hash(Arc::new(kept.map(|(k, v)| (k.clone(), v.clone())).collect()))
            }
            other => other,
        };
    }
    let options = call.arg(2).clone();
    let option = |name: &str| options.get(name).and_then(Value::as_str);
    let base = Layout::RUBY_PRETTY;
    let layout = Layout {
        indent: option("indent").unwrap_or(base.indent),
        space: option("space").unwrap_or(base.space),
        space_before: option("space_before").unwrap_or(base.space_before),
        object_nl: option("object_nl").unwrap_or(base.object_nl),
        array_nl: option("array_nl").unwrap_or(base.array_nl),
        ..base
    };
    Ok(written(&value, |data| json::write(data, &layout) + "\n"))
}

fn to_yaml(call: &mut Call<'_, '_>) -> EvalResult {
    let given = call.arg(1).clone();
    let number = |name: &str| given.get(name).and_then(Value::as_int);
    let options = psych::Options {
        indentation: number("indentation"),
        line_width: number("line_width"),
        header: given.get("header").is_some_and(Value::is_true),
        canonical: given.get("canonical").is_some_and(Value::is_true),
        anchors: false,
    };
    Ok(written(call.arg(0), |data| psych::write_with(data, options)))
}

fn rewrap(call: &mut Call<'_, '_>) -> EvalResult {
    let (value, secret) = opened(call.arg(0));
    let value = if call.block.is_some() { call.yield_block(&[value])? } else { value };
    Ok(wrapped(value, secret))
}
