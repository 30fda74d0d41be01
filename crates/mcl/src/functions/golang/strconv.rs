//! `golang/strconv`.

use ordain_functions::go::number;
use ordain_functions::go::quote::{self, Style};

use super::failed;
use crate::functions::{Builtin, Call, Fault, Outcome};
use crate::value::Value;

const QUOTE: &str = "A text in quotes.";
const QUOTE_ASCII: &str = "A text in quotes, in ASCII only.";
const QUOTE_GRAPHIC: &str = "A text in quotes, with blanks other than ASCII's as they are.";
const APPEND: &str = "A text with this value appended.";

pub(in crate::functions) const TABLE: &[Builtin] = &[
    Builtin::pure("golang/strconv.append_bool", "func(dst str, b bool) str", APPEND, |call| {
        let text = if call.bool(1)? { "true" } else { "false" };
        append(call, text)
    }),
    Builtin::pure(
        "golang/strconv.append_int",
        "func(dst str, i int, base int) str",
        APPEND,
        |call| {
            let text = format(call, 1)?;
            append(call, &text)
        },
    ),
    Builtin::pure("golang/strconv.append_quote", "func(dst str, s str) str", APPEND, |call| {
        append(call, &quote::quote(call.bytes(1)?))
    }),
    Builtin::pure(
        "golang/strconv.append_quote_to_ascii",
        "func(dst str, s str) str",
        APPEND,
        |call| append(call, &quote::quote_with(call.bytes(1)?, '"', Style::Ascii)),
    ),
    Builtin::pure(
        "golang/strconv.append_quote_to_graphic",
        "func(dst str, s str) str",
        APPEND,
        |call| append(call, &quote::quote_with(call.bytes(1)?, '"', Style::Graphic)),
    ),
    Builtin::pure("golang/strconv.atoi", "func(s str) int", "Reads a decimal integer.", |call| {
        number::parse_int("Atoi", call.bytes(0)?, 10, 0).map(Value::Int).map_err(failed)
    })
    .catchable(),
    Builtin::pure(
        "golang/strconv.can_backquote",
        "func(s str) bool",
        "Whether a text can be written in back quotes.",
        |call| Ok(quote::can_backquote(call.bytes(0)?).into()),
    ),
    Builtin::pure("golang/strconv.format_bool", "func(b bool) str", "`true` or `false`.", |call| {
        Ok(if call.bool(0)? { "true" } else { "false" }.into())
    }),
    Builtin::pure(
        "golang/strconv.format_int",
        "func(i int, base int) str",
        "The digits of an integer to a base.",
        |call| format(call, 0).map(Value::from),
    ),
    Builtin::pure("golang/strconv.itoa", "func(i int) str", "The digits of an integer.", |call| {
        Ok(call.int(0)?.to_string().into())
    }),
    Builtin::pure(
        "golang/strconv.parse_bool",
        "func(str str) bool",
        "Reads `1 t T true TRUE True` and their opposites.",
        parse_bool,
    )
    .catchable(),
    Builtin::pure(
        "golang/strconv.parse_float",
        "func(s str, bitSize int) float",
        "Reads a float.",
        |call| number::parse_float(call.bytes(0)?, call.int(1)?).map(Value::Float).map_err(failed),
    )
    .catchable(),
    Builtin::pure(
        "golang/strconv.parse_int",
        "func(s str, base int, bitSize int) int",
        "Reads an integer to a base; base 0 is the one that its prefix says.",
        |call| {
            let (base, bits) = (call.int(1)?, call.int(2)?);
            number::parse_int("ParseInt", call.bytes(0)?, base, bits)
                .map(Value::Int)
                .map_err(failed)
        },
    )
    .catchable(),
    Builtin::pure("golang/strconv.quote", "func(s str) str", QUOTE, |call| {
        Ok(quote::quote(call.bytes(0)?).into())
    }),
    Builtin::pure("golang/strconv.quote_to_ascii", "func(s str) str", QUOTE_ASCII, |call| {
        Ok(quote::quote_with(call.bytes(0)?, '"', Style::Ascii).into())
    }),
    Builtin::pure("golang/strconv.quote_to_graphic", "func(s str) str", QUOTE_GRAPHIC, |call| {
        Ok(quote::quote_with(call.bytes(0)?, '"', Style::Graphic).into())
    }),
    Builtin::pure(
        "golang/strconv.quoted_prefix",
        "func(s str) str",
        "The quoted text at the beginning of a text.",
        |call| quote::quoted_prefix(call.bytes(0)?).map(Value::bytes).map_err(failed),
    )
    .catchable(),
    Builtin::pure(
        "golang/strconv.unquote",
        "func(s str) str",
        "Removes quotes and resolves escapes.",
        |call| quote::unquote(call.bytes(0)?).map(Value::bytes).map_err(failed),
    )
    .catchable(),
];

fn append(call: &Call<'_>, text: &str) -> Outcome {
    Ok(Value::bytes([call.bytes(0)?, text.as_bytes()].concat()))
}

fn format(call: &Call<'_>, at: usize) -> Result<String, Fault> {
    number::format_int(call.int(at)?, call.int(at + 1)?)
        .map_err(|error| Fault::catchable(format!("panic in process: {error}")))
}

fn parse_bool(call: &mut Call<'_>) -> Outcome {
    let text = call.bytes(0)?;
    let wrong =
        || failed(format!("strconv.ParseBool: parsing {}: invalid syntax", quote::quote(text)));
    number::parse_bool(text).map(Value::Bool).ok_or_else(wrong)
}
