//! Native functions of the module stdlib, which need not be installed.

pub mod catalog;
pub mod convert;
pub mod digests;
pub mod facts;
pub mod files;
pub mod hashes;
pub mod lists;
pub mod parse;
pub mod python_ruby;
pub mod removed;
pub mod serialize;
pub mod text;
pub mod toml;

use crate::error::{EvalResult, plain};
use crate::functions::call::Call;
use crate::functions::support::{ruby_inspect, ruby_text};
use crate::state::evaluate::Evaluate;
use crate::value::Value;
use ordain_graph::language::Strict;

/// The argument at `i`; `undef` if it is missing.
pub(crate) fn at(args: &[Value], i: usize) -> &Value {
    args.get(i).unwrap_or(&Value::Undef)
}

/// Calls the function of the new name after saying that the old one is deprecated.
pub(crate) fn forward(call: &mut Call<'_, '_>, target: &str) -> EvalResult {
    let name = call.name;
    let message = format!("This function is deprecated, please use {target} instead.");
    // Releases of the module that lack the new name do not say that.
    let env = &call.compiler.env;
    if env.ruby_function(name).is_none() || env.ruby_function(target).is_some() {
        deprecation(call, name, &message, false)?;
    }
    let args = std::mem::take(&mut call.args);
    call.compiler.call_function(target, args, call.block.clone(), call.scope, call.span)
}

/// Reports a deprecation with the severity of the setting `strict`.
pub(crate) fn deprecation(
    call: &mut Call<'_, '_>,
    key: &str,
    message: &str,
    use_strict: bool,
) -> EvalResult<()> {
    let (file, line) = call.compiler.place_names(call.span);
    let message = format!("{message} at {file}:{line}");
    match call.compiler.settings.strict {
        Strict::Off if use_strict => Ok(()),
        Strict::Error if use_strict => plain(format!("deprecation. {key}. {message}")),
        _ => {
            if call.compiler.env.world.env("STDLIB_LOG_DEPRECATIONS").as_deref() != Some("false") {
                let span = call.span;
                call.compiler.warn_once(key, &message, Some(span));
            }
            Ok(())
        }
    }
}

/// Logs a warning.
pub(crate) fn warn(call: &mut Call<'_, '_>, message: String) {
    let span = call.span;
    call.compiler.warn(message, Some(span));
}

/// Ruby's `String(v)`.
pub(crate) fn text_of(value: &Value) -> String {
    ruby_text(value).into()
}

/// The error of a Ruby method that a value does not have.
pub(crate) fn no_method<T>(method: &str, value: &Value) -> EvalResult<T> {
    let class = crate::functions::support::ruby_class(value);
    plain(match value {
        Value::Undef => format!("undefined method `{method}' for nil:NilClass"),
        _ => format!("undefined method `{method}' for {}:{class}", ruby_inspect(value)),
    })
}
