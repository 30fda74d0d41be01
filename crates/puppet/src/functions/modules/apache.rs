//! Functions of the module apache.

use std::sync::Arc;

use ordain_functions::base64::{Mode, encode};
use ordain_functions::digest;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::stdlib::forward;
use crate::functions::support::{function, ruby_class, ruby_text};
use crate::functions::{Function, plain, rep, req};
use crate::value::{HashValue, Value};

/// The maximal nesting of directives.
const MAX_NESTING: usize = 64;

/// The functions of this module.
pub const TABLE: &[Function] = &[
    function(
        "apache::bool2httpd",
        "Gives `On` or `Off` for truth values, and the text of others.",
        &[plain(&[req("Any", "arg")], |c| Ok(Value::from(on_off(c.arg(0)))))],
    ),
    function(
        "bool2httpd",
        "Deprecated name of apache::bool2httpd.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "apache::bool2httpd"))],
    ),
    function(
        "apache::pw_hash",
        "Gives the hash of a password for htpasswd files.",
        &[plain(&[req("String[1]", "password")], |c| {
            let hash = digest::sha1_bytes(c.str(0).as_bytes());
            Ok(Value::from(format!("{{SHA}}{}", encode(&hash, Mode::Strict))))
        })],
    ),
    function(
        "apache::apache_pw_hash",
        "Deprecated name of apache::pw_hash.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "apache::pw_hash"))],
    ),
    function(
        "apache_pw_hash",
        "Deprecated name of apache::pw_hash.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "apache::pw_hash"))],
    ),
    function(
        "apache::authz_core_config",
        "Gives the lines of nested directives of authorization.",
        &[plain(&[req("Hash", "config")], authz_core_config)],
    ),
];

fn on_off(value: &Value) -> String {
    let holds = |text: &str, word: &str| text.to_ascii_lowercase().contains(word);
    match value {
        Value::Undef | Value::Bool(false) => "Off".into(),
        Value::Bool(true) => "On".into(),
        Value::Str(text) if holds(text, "false") => "Off".into(),
        Value::Str(text) if holds(text, "true") => "On".into(),
        other => ruby_text(other).into(),
    }
}

fn authz_core_config(call: &mut Call<'_, '_>) -> EvalResult {
    let mut lines = Vec::new();
    directives(&call.hash(0), 1, &mut lines)?;
    Ok(Value::Array(Arc::new(lines)))
}

fn directives(config: &HashValue, depth: usize, lines: &mut Vec<Value>) -> EvalResult<()> {
    if depth > MAX_NESTING {
        return fail("apache::authz_core_config(): the directives nest too deeply");
    }
    let indent = "  ".repeat(depth);
    for (key, value) in config {
        let name = directive_name(&ruby_text(key));
        match value {
            Value::Hash(inner) => {
                lines.push(Value::from(format!("{indent}<{name}>")));
                directives(inner, depth + 1, lines)?;
                lines.push(Value::from(format!("{indent}</{name}>")));
            }
            Value::Array(items) => lines.extend(
                items.iter().map(|v| Value::from(format!("{indent}{name} {}", ruby_text(v)))),
            ),
            other => {
                return fail(format!("undefined method `map' for {}", ruby_class(other)));
            }
        }
    }
    Ok(())
}

/// `require_all` as `RequireAll`.
fn directive_name(key: &str) -> String {
    key.split('_')
        .map(|part| {
            let mut chars = part.chars();
            let first = chars.next().map(char::to_uppercase).into_iter().flatten();
            first.chain(chars.flat_map(char::to_lowercase)).collect::<String>()
        })
        .collect()
}
