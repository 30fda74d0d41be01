//! `golang/strings` and `golang/html`.

use ordain_functions::go::{html, strings};

use super::failed;
use crate::functions::{Builtin, Call, Fault, Outcome};
use crate::value::Value;

pub(in crate::functions) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "golang/html.escape_string",
        "func(s str) str",
        "A text with the characters escaped that mean something in HTML.",
        |call| Ok(Value::bytes(html::escape(call.bytes(0)?))),
    ),
    Builtin::pure(
        "golang/html.unescape_string",
        "func(s str) str",
        "A text with the names and numbers of HTML's characters replaced.",
        |call| Ok(Value::bytes(html::unescape(call.bytes(0)?))),
    ),
    Builtin::pure("golang/strings.clone", "func(s str) str", "The same text.", |call| {
        call.value(0).cloned()
    }),
    Builtin::pure(
        "golang/strings.compare",
        "func(a str, b str) int",
        "-1, 0 or 1 by the order of two texts.",
        |call| Ok((call.str(0)?.cmp(call.str(1)?) as i64).into()),
    ),
    Builtin::pure(
        "golang/strings.contains",
        "func(s str, substr str) bool",
        "Whether a text has a part.",
        |call| Ok(strings::index(call.bytes(0)?, call.bytes(1)?).is_some().into()),
    ),
    Builtin::pure(
        "golang/strings.contains_any",
        "func(s str, chars str) bool",
        "Whether a text has one of some characters.",
        |call| Ok(strings::index_any(call.bytes(0)?, call.bytes(1)?).is_some().into()),
    ),
    Builtin::pure(
        "golang/strings.count",
        "func(s str, substr str) int",
        "How often a part occurs without overlap.",
        |call| place(Some(strings::count(call.bytes(0)?, call.bytes(1)?))),
    ),
    Builtin::pure(
        "golang/strings.equal_fold",
        "func(s str, t str) bool",
        "Whether two texts are the same but for case.",
        |call| Ok(strings::equal_fold(call.bytes(0)?, call.bytes(1)?).into()),
    ),
    Builtin::pure(
        "golang/strings.has_prefix",
        "func(s str, prefix str) bool",
        "Whether a text begins with a part.",
        |call| Ok(call.bytes(0)?.starts_with(call.bytes(1)?).into()),
    ),
    Builtin::pure(
        "golang/strings.has_suffix",
        "func(s str, suffix str) bool",
        "Whether a text ends with a part.",
        |call| Ok(call.bytes(0)?.ends_with(call.bytes(1)?).into()),
    ),
    Builtin::pure(
        "golang/strings.index",
        "func(s str, substr str) int",
        "Where a part begins first, or -1.",
        |call| place(strings::index(call.bytes(0)?, call.bytes(1)?)),
    ),
    Builtin::pure(
        "golang/strings.index_any",
        "func(s str, chars str) int",
        "Where one of some characters stands first, or -1.",
        |call| place(strings::index_any(call.bytes(0)?, call.bytes(1)?)),
    ),
    Builtin::pure(
        "golang/strings.join",
        "func(elems []str, sep str) str",
        "Texts with a separator between them.",
        join,
    ),
    Builtin::pure(
        "golang/strings.last_index",
        "func(s str, substr str) int",
        "Where a part begins last, or -1.",
        |call| place(strings::last_index(call.bytes(0)?, call.bytes(1)?)),
    ),
    Builtin::pure(
        "golang/strings.last_index_any",
        "func(s str, chars str) int",
        "Where one of some characters stands last, or -1.",
        |call| place(strings::last_index_any(call.bytes(0)?, call.bytes(1)?)),
    ),
    Builtin::pure(
        "golang/strings.repeat",
        "func(s str, count int) str",
        "A text some times over.",
        |call| {
            let repeated = strings::repeat(call.bytes(0)?, call.int(1)?);
            repeated
                .map(Value::bytes)
                .map_err(|error| Fault::catchable(format!("panic in process: {error}")))
        },
    ),
    Builtin::pure(
        "golang/strings.replace",
        "func(s str, old str, new str, n int) str",
        "A text with another part in place of the first ones.",
        |call| replace(call, call.int(3)?),
    ),
    Builtin::pure(
        "golang/strings.replace_all",
        "func(s str, old str, new str) str",
        "A text with another part in place of one.",
        |call| replace(call, -1),
    ),
    Builtin::pure(
        "golang/strings.title",
        "func(s str) str",
        "A text with the first letter of each word in title case.",
        |call| Ok(Value::bytes(strings::title(call.bytes(0)?))),
    ),
    Builtin::pure("golang/strings.to_lower", "func(s str) str", "A text in lower case.", |call| {
        Ok(Value::bytes(strings::to_lower(call.bytes(0)?)))
    }),
    Builtin::pure("golang/strings.to_title", "func(s str) str", "A text in title case.", |call| {
        Ok(Value::bytes(strings::to_title(call.bytes(0)?)))
    }),
    Builtin::pure("golang/strings.to_upper", "func(s str) str", "A text in upper case.", |call| {
        Ok(Value::bytes(strings::to_upper(call.bytes(0)?)))
    }),
    Builtin::pure(
        "golang/strings.to_valid_utf_8",
        "func(s str, replacement str) str",
        "A text with a replacement for each run of bytes that are no UTF-8.",
        |call| Ok(Value::bytes(strings::to_valid_utf8(call.bytes(0)?, call.bytes(1)?))),
    ),
    Builtin::pure(
        "golang/strings.trim",
        "func(s str, cutset str) str",
        "A text without some characters around it.",
        |call| trim(call, true, true),
    ),
    Builtin::pure(
        "golang/strings.trim_left",
        "func(s str, cutset str) str",
        "A text without some characters before it.",
        |call| trim(call, true, false),
    ),
    Builtin::pure(
        "golang/strings.trim_prefix",
        "func(s str, prefix str) str",
        "A text without a part at its beginning.",
        |call| {
            let text = call.bytes(0)?;
            Ok(Value::bytes(text.strip_prefix(call.bytes(1)?).unwrap_or(text)))
        },
    ),
    Builtin::pure(
        "golang/strings.trim_right",
        "func(s str, cutset str) str",
        "A text without some characters after it.",
        |call| trim(call, false, true),
    ),
    Builtin::pure(
        "golang/strings.trim_space",
        "func(s str) str",
        "A text without blanks around it.",
        |call| Ok(Value::bytes(strings::trim_space(call.bytes(0)?))),
    ),
    Builtin::pure(
        "golang/strings.trim_suffix",
        "func(s str, suffix str) str",
        "A text without a part at its end.",
        |call| {
            let text = call.bytes(0)?;
            Ok(Value::bytes(text.strip_suffix(call.bytes(1)?).unwrap_or(text)))
        },
    ),
];

/// An index in a text; -1 means none.
fn place(at: Option<usize>) -> Outcome {
    Ok(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1).into())
}

fn join(call: &mut Call<'_>) -> Outcome {
    let texts = call.list(0)?.iter().filter_map(Value::as_str);
    let texts: Vec<&[u8]> = texts.map(|text| text.as_bytes()).collect();
    Ok(Value::bytes(texts.join(call.bytes(1)?)))
}

fn replace(call: &Call<'_>, most: i64) -> Outcome {
    let replaced = strings::replace(call.bytes(0)?, call.bytes(1)?, call.bytes(2)?, most);
    replaced.map(Value::bytes).map_err(failed)
}

fn trim(call: &Call<'_>, left: bool, right: bool) -> Outcome {
    let set = strings::cutset(call.bytes(1)?);
    let is_cut = |c: char| set.contains(&c);
    let mut text = call.bytes(0)?;
    if left {
        text = strings::trim_left(text, &is_cut);
    }
    if right {
        text = strings::trim_right(text, &is_cut);
    }
    Ok(Value::bytes(text))
}
