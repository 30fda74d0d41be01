//! `format` and `error`: Go's `Sprintf`.

use ordain_functions::go::printf::{self, Arg};
use ordain_source::limits::most_text;

use super::support::{eager, fail, rewriting};
use crate::diagnostics::stop::{Eval, Stop};
use crate::eval::evaluator::{Call, Evaluator, Table};
use crate::output::Writer;
use crate::value::Value;

fn sprintf(format: &[u8], args: &[Arg]) -> Eval<String> {
    let text = printf::sprintf(format, args);
    if text.len() > most_text() {
        return fail("the text has grown too long");
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl Evaluator<'_> {
    /// The YAML text of a value, as functions see it.
    pub(crate) fn text_of_value(&self, value: &Value) -> String {
        let writer = Writer {
            exprs: &self.sources.exprs,
            drop_temporary: false,
            unescape: false,
            interpolation: false,
            bare_lambdas: false,
        };
        writer.yaml(value)
    }
}

fn formatted(call: &Call<'_, '_>, name: &str) -> Eval<String> {
    let Some((format, rest)) = call.args.split_first() else {
        return fail(format!("alt least one argument required for '{name}'"));
    };
    let arg = |value: &Value| match value {
        Value::Null => Arg::Nil,
        Value::Bool(b) => Arg::Bool(*b),
        Value::Int(n) => Arg::Int(*n, "int64"),
        Value::Float(x) => Arg::Float(*x),
        Value::Str(s) => Arg::Str(s.as_bytes().to_vec()),
        Value::Lambda(lambda) => Arg::Str(call.ev.lambda_text(lambda).to_string().into_bytes()),
        Value::List(_) | Value::Map(_) | Value::Template(_) => {
            Arg::Str(call.ev.text_of_value(value).into_bytes())
        }
    };
    let Arg::Str(format) = arg(format) else {
        return fail(format!("{name}: format must be string"));
    };
    let args: Vec<Arg> = rest.iter().map(arg).collect();
    sprintf(&format, &args)
}

fn format_call(call: &mut Call<'_, '_>) -> Eval<Value> {
    Ok(Value::str(formatted(call, "format")?))
}

fn error(call: &mut Call<'_, '_>) -> Eval<Value> {
    Err(Stop::failed(formatted(call, "error")?))
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        rewriting(eager(
            "format(format, value...)",
            "A text in the format of Go's `Sprintf`.",
            format_call,
        )),
        eager(
            "error(format, value...)",
            "Fails with a text in the format of Go's `Sprintf`.",
            error,
        ),
    ]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(format: &str, args: &[Arg], expected: &str) {
        assert_eq!(sprintf(format.as_bytes(), args).unwrap(), expected, "{format}");
    }

    #[test]
    fn verbs() {
        let s = |t: &str| Arg::Str(t.into());
        check("%s-%d", &[s("a"), Arg::Int(5, "int64")], "a-5");
        check(
            "%5d|%-5d|%05d|%+d|%x",
            &[
                Arg::Int(42, "int64"),
                Arg::Int(42, "int64"),
                Arg::Int(-42, "int64"),
                Arg::Int(7, "int64"),
                Arg::Int(255, "int64"),
            ],
            "   42|42   |-0042|+7|ff",
        );
        check("%v %v %v", &[Arg::Nil, Arg::Bool(true), s("x")], "<nil> true x");
        check(
            "%q %6.2f %g %e",
            &[s("a\"b"), Arg::Float(1.005), Arg::Float(1e21), Arg::Float(1234.5)],
            "\"a\\\"b\"   1.00 1e+21 1.234500e+03",
        );
        check("%[2]s %[1]s", &[s("a"), s("b")], "b a");
        check("%*d", &[Arg::Int(4, "int64"), Arg::Int(1, "int64")], "   1");
        check("%.2s|%10s|%-3s|", &[s("abc"), s("x"), s("y")], "ab|         x|y  |");
        check(
            "%g %v %g",
            &[Arg::Float(100_000.0), Arg::Float(0.00001), Arg::Float(3.5)],
            "100000 1e-05 3.5",
        );
    }

    #[test]
    fn misuse_is_shown_in_the_text() {
        let s = |t: &str| Arg::Str(t.into());
        check("%d", &[s("x")], "%!d(string=x)");
        check("%s", &[], "%!s(MISSING)");
        check("a", &[Arg::Int(1, "int64")], "a%!(EXTRA int64=1)");
        check("%s", &[Arg::Int(5, "int64")], "%!s(int64=5)");
        check("100%", &[], "100%!(NOVERB)");
        check("%s", &[Arg::Nil], "%!s(<nil>)");
        check("%[9]d", &[Arg::Int(1, "int64")], "%!d(BADINDEX)");
    }
}
