//! `String.new` with its formats, and values as source text.

mod convert;
pub mod literal;
pub mod quoted;
mod spec;

use ecow::EcoString;

use crate::value::Value;
use crate::value::text::to_text;

pub use convert::to_string;
pub use literal::write_instance;
pub use quoted::quoted;

pub use crate::value::notation::base64;

/// The text of a value where the original inserts it into a message as Ruby prints it.
#[inline]
pub fn ruby_text(value: &Value) -> EcoString {
    match value {
        Value::Array(_) | Value::Hash(_) => ruby_inspect(value).into(),
        Value::Regexp(regexp) => regexp.with_flags().into(),
        other => to_text(other),
    }
}

/// A value in Ruby's notation, as some messages show it.
pub fn ruby_inspect(value: &Value) -> String {
    match value {
        Value::Undef => "nil".into(),
        Value::Default => ":default".into(),
        Value::Str(s) => {
            let mut out = String::new();
            out.push('"');
            for c in s.chars() {
                match c {
                    '"' | '\\' => out.extend(['\\', c]),
                    '\n' => out.push_str("\\n"),
                    '\t' => out.push_str("\\t"),
                    '\r' => out.push_str("\\r"),
                    c => out.push(c),
                }
            }
            out.push('"');
            out
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(ruby_inspect).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Hash(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(k, v)| format!("{}=>{}", ruby_inspect(k), ruby_inspect(v)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => to_text(other).into(),
    }
}
