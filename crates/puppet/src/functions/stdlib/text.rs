//! Functions on text: paths, line ends, escapes, base64.

use std::sync::Arc;

use ordain_functions::base64::{Mode, decode, encode};
use ordain_functions::shell;
use ordain_functions::text::{self, CharSet};

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::stdlib::convert::as_list;
use crate::functions::stdlib::{forward, no_method, text_of};
use crate::functions::support::{
    function, old, old_args, ruby_class, ruby_inspect, ruby_text, wrap,
};
use crate::functions::{Function, opt, plain, rep, req};
use crate::value::Value;

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old("basename", "Gives the last part of a path, without a suffix.", -1, basename),
    old("dirname", "Gives a path without its last part.", -1, dirname),
    old("dos2unix", "Makes line ends those of Unix.", 1, dos2unix),
    old("unix2dos", "Makes line ends those of DOS.", 1, unix2dos),
    old("enclose_ipv6", "Puts brackets around IPv6 addresses.", -1, enclose_ipv6),
    old("regexpescape", "Escapes special characters of regular expressions.", -1, |c| {
        on_texts(c, ordain_functions::regex::escape)
    }),
    old("swapcase", "Swaps upper and lower case.", -1, |c| on_texts(c, text::swapcase)),
    old("squeeze", "Makes runs of the same character one.", -1, squeeze),
    old("shell_join", "Quotes texts for a shell and joins them.", -1, shell_join),
    old("shell_split", "Splits text into words as a shell does.", -1, shell_split),
    old("uriescape", "Escapes characters that a URI must not contain.", -1, |c| {
        on_texts(c, ordain_functions::uri::escape)
    }),
    old("base64", "Encodes or decodes base64.", -1, base64),
    function(
        "stdlib::extname",
        "Gives the extension of a file name.",
        &[plain(&[req("String", "filename")], |c| Ok(Value::str(text::extname(&c.str(0)))))],
    ),
    function(
        "stdlib::batch_escape",
        "Quotes text for a batch file.",
        &[plain(&[req("Any", "string")], |c| Ok(Value::from(batch_escape(&ruby_text(c.arg(0))))))],
    ),
    function(
        "stdlib::powershell_escape",
        "Escapes text for PowerShell.",
        &[plain(&[req("Any", "string")], |c| {
            Ok(Value::from(powershell_escape(&ruby_text(c.arg(0)))))
        })],
    ),
    function(
        "stdlib::shell_escape",
        "Quotes text for a shell.",
        &[plain(&[req("Any", "string")], |c| Ok(Value::from(shell::escape(&ruby_text(c.arg(0))))))],
    ),
    function(
        "batch_escape",
        "Deprecated name of stdlib::batch_escape.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::batch_escape"))],
    ),
    function(
        "powershell_escape",
        "Deprecated name of stdlib::powershell_escape.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::powershell_escape"))],
    ),
    function(
        "shell_escape",
        "Deprecated name of stdlib::shell_escape.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::shell_escape"))],
    ),
    function(
        "stdlib::xml_encode",
        "Escapes special characters of XML.",
        &[plain(&[req("String", "str"), opt("Enum['text','attr']", "type")], xml_encode)],
    ),
];

fn basename(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.is_empty() {
        return fail("basename(): No arguments given");
    }
    if args.len() > 2 {
        return fail(format!("basename(): Too many arguments given ({})", args.len()));
    }
    let Some(path) = args[0].as_str() else {
        return fail("basename(): Requires string as first argument");
    };
    let suffix = match args.get(1) {
        None => None,
        Some(Value::Str(suffix)) => Some(suffix.as_str()),
        Some(_) => return fail("basename(): Requires string as second argument"),
    };
    Ok(Value::str(text::basename(path, suffix)))
}

fn dirname(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.is_empty() {
        return fail("dirname(): No arguments given");
    }
    if args.len() > 1 {
        return fail(format!("dirname(): Too many arguments given ({})", args.len()));
    }
    let Some(path) = args[0].as_str() else {
        return fail("dirname(): Requires string as argument");
    };
    if path.is_empty() {
        return fail("dirname(): Requires a non-empty string as argument");
    }
    Ok(Value::str(text::dirname(path)))
}

fn dos2unix(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args[0].as_str() {
        Some(text) => Ok(Value::from(text::dos2unix(text))),
        None => fail("dos2unix(): Requires string as argument"),
    }
}

fn unix2dos(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let Some(text) = args[0].as_str() else {
        return fail("unix2dos(): Requires string as argument");
    };
    Ok(Value::from(text::unix2dos(text)))
}

fn enclose_ipv6(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!(
            "enclose_ipv6(): Wrong number of arguments given {} for 1",
            args.len()
        ));
    }
    if !matches!(args[0], Value::Str(_) | Value::Array(_)) {
        return fail(format!(
            "enclose_ipv6(): Wrong argument type given {} expected String or Array",
            ruby_class(&args[0])
        ));
    }
    let mut out = indexmap::IndexSet::new();
    for value in as_list(&args[0]).iter().filter(|v| !v.is_undef()) {
        let text = text_of(value);
        out.insert(if text == "*" {
            text
        } else if let Ok(ip) = text.parse::<std::net::Ipv6Addr>() {
            format!("[{ip}]")
        } else if text.parse::<std::net::Ipv4Addr>().is_ok() {
            text
        } else {
            return fail(format!(
                "enclose_ipv6(): Wrong argument given {text} is not an ip address."
            ));
        });
    }
    Ok(Value::array(out.into_iter().map(Value::from)))
}

/// Changes a text, or the texts of a list.
fn on_texts(call: &mut Call<'_, '_>, change: fn(&str) -> String) -> EvalResult {
    let args = old_args(call);
    let name = call.name;
    match args.first() {
        None => fail(format!("{name}(): Wrong number of arguments given (0 for 1)")),
        Some(Value::Str(text)) => Ok(Value::from(change(text))),
        Some(Value::Array(items)) => Ok(Value::array(items.iter().map(|item| match item {
            Value::Str(text) => Value::from(change(text)),
            other => other.clone(),
        }))),
        Some(_) => fail(format!("{name}(): Requires either array or string to work with")),
    }
}

fn squeeze(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 && args.len() != 2 {
        return fail(format!(
            "squeeze(): Wrong number of arguments given {} for 2 or 1",
            args.len()
        ));
    }
    let only = match args.get(1) {
        None | Some(Value::Undef | Value::Bool(false)) => None,
        Some(value) => Some(CharSet::parse(&text_of(value)).map_err(wrap)?),
    };
    let one = |value: &Value| match value {
        Value::Str(text) => Ok(Value::from(text::squeeze(text, only.as_ref()))),
        other => no_method("squeeze", other),
    };
    match &args[0] {
        Value::Array(items) => {
            Ok(Value::array(items.iter().map(one).collect::<EvalResult<Vec<_>>>()?))
        }
        other => one(other),
    }
}

fn shell_join(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!(
            "shell_join(): Wrong number of arguments given ({} for 1)",
            args.len()
        ));
    }
    let Some(items) = args[0].as_array() else {
        return fail(format!("First argument is not an Array: {}", ruby_inspect(&args[0])));
    };
    let words: Vec<_> = items.iter().map(ruby_text).collect();
    Ok(Value::from(shell::join(words.iter().map(|word| word.as_str()))))
}

fn shell_split(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!(
            "shell_split(): Wrong number of arguments given ({} for 1)",
            args.len()
        ));
    }
    let words = shell::split(&ruby_text(&args[0])).map_err(wrap)?;
    Ok(Value::array(words.into_iter().map(Value::from)))
}

fn batch_escape(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\"\""),
            '$' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn powershell_escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' ' | '\'' | '`' | '|' | '\n' | '$' => out.extend(['`', c]),
            '"' => out.push_str("\\`\""),
            c => out.push(c),
        }
    }
    out
}

fn xml_encode(call: &mut Call<'_, '_>) -> EvalResult {
    let is_attribute = call.arg(1).as_str() == Some("attr");
    Ok(Value::from(text::xml_encode(&call.str(0), is_attribute)))
}

fn base64(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() < 2 {
        return fail(format!("base64(): Wrong number of arguments ({}; must be >= 2)", args.len()));
    }
    let action = args[0].as_str().unwrap_or_default();
    if action != "encode" && action != "decode" {
        return fail("base64(): the first argument must be one of 'encode' or 'decode'");
    }
    let Some(text) = args[1].as_str() else {
        return fail("base64(): the second argument must be a string to base64");
    };
    let mode = match args.get(2).map_or(Some("default"), Value::as_str) {
        Some("default") => Mode::Default,
        Some("strict") => Mode::Strict,
        Some("urlsafe") => Mode::UrlSafe,
        _ => {
            return fail(
                "base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'",
            );
        }
    };
    if action == "encode" {
        return Ok(Value::from(encode(text.as_bytes(), mode)));
    }
    let bytes = decode(text, mode).map_err(wrap)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Value::from(text),
        Err(error) => Value::Binary(Arc::new(error.into_bytes())),
    })
}
