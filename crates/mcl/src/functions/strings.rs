//! `strings` and `regexp`.

use ordain_functions::go::{regexp, strings};

use super::{Builtin, Call, Fault, Outcome};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "regexp.match",
        "func(pattern str, s str) bool",
        "Whether a text has a match of a regular expression.",
        matches,
    ),
    Builtin::pure(
        "strings.contains",
        "func(s str, substr str) bool",
        "Whether a text has a part.",
        contains,
    ),
    Builtin::pure(
        "strings.has_prefix",
        "func(s str, prefix str) bool",
        "Whether a text begins with a part.",
        has_prefix,
    ),
    Builtin::pure(
        "strings.has_suffix",
        "func(s str, suffix str) bool",
        "Whether a text ends with a part.",
        has_suffix,
    ),
    Builtin::pure(
        "strings.join_nonempty",
        "func(s []str, sep str) str",
        "The texts that are not empty with a separator between them.",
        join_nonempty,
    ),
    Builtin::pure(
        "strings.left_pad",
        "func(s str, pad str, len int) str",
        "A text with padding before it until it has this length.",
        left_pad,
    ),
    Builtin::pure(
        "strings.replace_all",
        "func(s str, old str, new str) str",
        "A text with another part in place of one.",
        replace_all,
    ),
    Builtin::pure(
        "strings.right_pad",
        "func(s str, pad str, len int) str",
        "A text with padding after it until it has this length.",
        right_pad,
    ),
    Builtin::pure(
        "strings.split",
        "func(a str, b str) []str",
        "The parts of a text between separators; its characters if the separator is empty.",
        split,
    ),
    Builtin::pure(
        "strings.substr",
        "func(s str, low int, high int) str",
        "The bytes of a text from an offset up to another.",
        substr,
    )
    .catchable(),
    Builtin::pure("strings.to_lower", "func(a str) str", "A text in lower case.", to_lower),
    Builtin::pure("strings.to_upper", "func(a str) str", "A text in upper case.", to_upper),
    Builtin::pure(
        "strings.trim_space",
        "func(a str) str",
        "A text without blanks around it.",
        trim_space,
    ),
];

fn matches(call: &mut Call<'_>) -> Outcome {
    let kept: &mut Option<(Vec<u8>, regexp::Pattern)> = call.state.get();
    let pattern = call.args.first().and_then(|arg| arg.as_str());
    let pattern = pattern.ok_or_else(|| Fault::fatal("argument 0 is missing"))?;
    if kept.as_ref().is_none_or(|(text, _)| text != pattern.as_bytes()) {
        let compiled = regexp::compile_bytes(&pattern.to_text())
            .map_err(|reason| Fault::fatal(format!("pattern did not compile: {reason}")))?;
        *kept = Some((pattern.as_bytes().to_vec(), compiled));
    }
    let text = call.args.get(1).and_then(|arg| arg.as_str());
    let text = text.ok_or_else(|| Fault::fatal("argument 1 is missing"))?;
    Ok(kept.as_ref().is_some_and(|(_, compiled)| compiled.is_match(text.as_bytes())).into())
}

fn contains(call: &mut Call<'_>) -> Outcome {
    Ok(strings::index(call.bytes(0)?, call.bytes(1)?).is_some().into())
}

fn has_prefix(call: &mut Call<'_>) -> Outcome {
    Ok(call.bytes(0)?.starts_with(call.bytes(1)?).into())
}

fn has_suffix(call: &mut Call<'_>) -> Outcome {
    Ok(call.bytes(0)?.ends_with(call.bytes(1)?).into())
}

fn join_nonempty(call: &mut Call<'_>) -> Outcome {
    let texts = call.list(0)?.iter().filter_map(Value::as_str).filter(|text| !text.is_empty());
    let texts: Vec<&[u8]> = texts.map(|text| text.as_bytes()).collect();
    Ok(Value::bytes(texts.join(call.bytes(1)?)))
}

/// The maximal length of a padded text.
const MAX_LENGTH: usize = 64 << 20;

/// The padding for a text. It consists of whole pads, so that the result may be longer than
/// requested.
fn padding(call: &Call<'_>) -> Result<Vec<u8>, Fault> {
    let (text, pad) = (call.bytes(0)?, call.bytes(1)?);
    let length = usize::try_from(call.int(2)?).unwrap_or(0);
    let missing = length.saturating_sub(text.len());
    if missing == 0 {
        return Ok(Vec::new());
    }
    if pad.is_empty() {
        return Err(Fault::fatal("pad string is empty"));
    }
    if missing > MAX_LENGTH {
        return Err(Fault::fatal("the text would grow too long"));
    }
    Ok(pad.repeat(missing.div_ceil(pad.len())))
}

fn left_pad(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes([&padding(call)?, call.bytes(0)?].concat()))
}

fn right_pad(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes([call.bytes(0)?, &padding(call)?].concat()))
}

fn replace_all(call: &mut Call<'_>) -> Outcome {
    let replaced = strings::replace(call.bytes(0)?, call.bytes(1)?, call.bytes(2)?, -1);
    replaced.map(Value::bytes).map_err(|error| Fault::fatal(error.to_string()))
}

fn split(call: &mut Call<'_>) -> Outcome {
    let parts = strings::split(call.bytes(0)?, call.bytes(1)?);
    Ok(Value::list(parts.into_iter().map(Value::bytes)))
}

fn substr(call: &mut Call<'_>) -> Outcome {
    let offset = |index| call.int(index).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let part = call.bytes(0)?.get(offset(1)?..offset(2)?);
    part.map(Value::bytes).ok_or_else(|| Fault::catchable("low/high out of range"))
}

fn to_lower(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes(strings::to_lower(call.bytes(0)?)))
}

fn to_upper(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes(strings::to_upper(call.bytes(0)?)))
}

fn trim_space(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes(strings::trim_space(call.bytes(0)?)))
}
