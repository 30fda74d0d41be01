//! Writing values as literals of Python and Ruby.

use ordain_data::Value as Data;
use ordain_functions::text::inspect_ruby;

use crate::functions::stdlib::forward;
use crate::functions::support::function;
use crate::functions::{Function, plain, rep, req};
use crate::value::Value;
use crate::value::rich::to_data;

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "stdlib::to_python",
        "Writes a value as a Python literal.",
        &[plain(&[req("Any", "object")], |c| {
            Ok(Value::from(written(&to_data(c.arg(0)), &PYTHON)))
        })],
    ),
    function(
        "to_python",
        "Deprecated name of stdlib::to_python.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::to_python"))],
    ),
    function(
        "stdlib::to_ruby",
        "Writes a value as a Ruby literal.",
        &[plain(&[req("Any", "object")], |c| Ok(Value::from(written(&to_data(c.arg(0)), &RUBY))))],
    ),
    function(
        "to_ruby",
        "Deprecated name of stdlib::to_ruby.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::to_ruby"))],
    ),
];

/// The words of a language.
struct Words {
    yes: &'static str,
    no: &'static str,
    nothing: &'static str,
    arrow: &'static str,
}

const PYTHON: Words = Words { yes: "True", no: "False", nothing: "None", arrow: ": " };
const RUBY: Words = Words { yes: "true", no: "false", nothing: "nil", arrow: " => " };

fn written(data: &Data, words: &Words) -> String {
    let mut out = String::new();
    write(&mut out, data, words);
    out
}

fn write(out: &mut String, data: &Data, words: &Words) {
    match data {
        Data::Null => out.push_str(words.nothing),
        Data::Bool(b) => out.push_str(if *b { words.yes } else { words.no }),
        Data::Int(i) => out.push_str(&i.to_string()),
        Data::BigInt(digits) => out.push_str(digits),
        Data::Float(f) => out.push_str(&ordain_functions::float::to_ruby(*f)),
        Data::Str(text) => out.push_str(&inspect_ruby(text)),
        Data::Bytes(bytes) => out.push_str(&inspect_ruby(&String::from_utf8_lossy(bytes))),
        Data::Secret(inner) => write(out, inner, words),
        Data::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write(out, item, words);
            }
            out.push(']');
        }
        Data::Map(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write(out, key, words);
                out.push_str(words.arrow);
                write(out, value, words);
            }
            out.push('}');
        }
    }
}
