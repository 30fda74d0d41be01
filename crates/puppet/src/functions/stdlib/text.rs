//! Functions on text: paths, line ends, escapes, base64.

use std::sync::Arc;

use ordain_functions::base64::{Mode, decode, encode};
use ordain_functions::text::inspect_ruby;

use crate::eval::call::Call;
use crate::eval::error::{EvalResult, plain as fail};
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
    old("regexpescape", "Escapes what is special in a regular expression.", -1, |c| {
        on_texts(c, ordain_functions::regex::escape)
    }),
    old("swapcase", "Swaps upper and lower case.", -1, |c| on_texts(c, swap_case)),
    old("squeeze", "Makes runs of the same character one.", -1, squeeze),
    old("shell_join", "Quotes texts for a shell and joins them.", -1, shell_join),
    old("shell_split", "Splits text into words as a shell does.", -1, shell_split),
    old("uriescape", "Escapes what must not stand in a URI.", -1, |c| on_texts(c, uri_escape)),
    old("base64", "Encodes or decodes base64.", -1, base64),
    function(
        "stdlib::extname",
        "Gives the extension of a file name.",
        &[plain(&[req("String", "filename")], |c| Ok(Value::str(extname(&c.str(0)))))],
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
        &[plain(&[req("Any", "string")], |c| Ok(Value::from(shell_escape(&ruby_text(c.arg(0))))))],
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
        "Escapes what is special in XML.",
        &[plain(&[req("String", "str"), opt("Enum['text','attr']", "type")], xml_encode)],
    ),
];

/// Ruby's `File.basename`.
fn base_name<'a>(path: &'a str, suffix: &str) -> &'a str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
    if suffix == ".*" {
        return match name.rfind('.') {
            Some(at) if at > 0 => &name[..at],
            _ => name,
        };
    }
    match name.strip_suffix(suffix) {
        Some(short) if !short.is_empty() => short,
        _ => name,
    }
}

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
        None => "",
        Some(Value::Str(suffix)) => suffix.as_str(),
        Some(_) => return fail("basename(): Requires string as second argument"),
    };
    Ok(Value::str(base_name(path, suffix)))
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
    Ok(Value::str(dir_name(path)))
}

/// Ruby's `File.dirname`.
fn dir_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return "/";
    }
    match trimmed.rfind('/') {
        None => ".",
        Some(at) => {
            let dir = trimmed[..at].trim_end_matches('/');
            if dir.is_empty() { "/" } else { dir }
        }
    }
}

/// Ruby's `File.extname`.
fn extname(path: &str) -> &str {
    let name = base_name(path, "");
    let start = name.len() - name.trim_start_matches('.').len();
    match name[start..].rfind('.') {
        Some(at) => &name[start + at..],
        None => "",
    }
}

fn dos2unix(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    match args[0].as_str() {
        Some(text) => Ok(Value::from(text.replace("\r\n", "\n"))),
        None => fail("dos2unix(): Requires string as argument"),
    }
}

fn unix2dos(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let Some(text) = args[0].as_str() else {
        return fail("unix2dos(): Requires string as argument");
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(body) => {
                out.push_str(body.trim_end_matches('\r'));
                out.push_str("\r\n");
            }
            None => out.push_str(line),
        }
    }
    Ok(Value::from(out))
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

fn swap_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_lowercase() { out.extend(c.to_uppercase()) } else { out.extend(c.to_lowercase()) }
    }
    out
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
        Some(value) => Some(text_of(value)),
    };
    let one = |value: &Value| match value {
        Value::Str(text) => Ok(Value::from(squeezed(text, only.as_deref()))),
        other => no_method("squeeze", other),
    };
    match &args[0] {
        Value::Array(items) => {
            Ok(Value::array(items.iter().map(one).collect::<EvalResult<Vec<_>>>()?))
        }
        other => one(other),
    }
}

fn squeezed(text: &str, only: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for c in text.chars() {
        let may = only.is_none_or(|set| in_set(set, c));
        if !(may && last == Some(c)) {
            out.push(c);
        }
        last = Some(c);
    }
    out
}

/// Whether a character is in a set as Ruby's `squeeze` and `count` write it: `a-z`, `^x`.
pub(crate) fn in_set(set: &str, c: char) -> bool {
    let (negated, set) = match set.strip_prefix('^') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, set),
    };
    let chars: Vec<char> = set.chars().collect();
    let mut i = 0;
    let mut found = false;
    while i < chars.len() {
        if i + 2 < chars.len() && chars[i + 1] == '-' {
            found |= chars[i] <= c && c <= chars[i + 2];
            i += 3;
        } else {
            found |= chars[i] == c;
            i += 1;
        }
    }
    found != negated
}

/// Ruby's `Shellwords.escape`.
fn shell_escape(text: &str) -> String {
    if text.is_empty() {
        return "''".into();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' {
            out.push_str("'\n'");
            continue;
        }
        if !(c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c)) {
            out.push('\\');
        }
        out.push(c);
    }
    out
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
    let words: Vec<String> = items.iter().map(|v| shell_escape(&ruby_text(v))).collect();
    Ok(Value::from(words.join(" ")))
}

fn shell_split(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!(
            "shell_split(): Wrong number of arguments given ({} for 1)",
            args.len()
        ));
    }
    let text = ruby_text(&args[0]);
    match shell_words(&text) {
        Some(words) => Ok(Value::array(words.into_iter().map(Value::from))),
        None => fail(format!("Unmatched quote: {}", inspect_ruby(&text))),
    }
}

/// The words of a command line; `None` if a quote is not closed.
fn shell_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('$' | '`' | '"' | '\\') => word.push(c),
                            '\n' => {}
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => {
                let word = word.get_or_insert_default();
                word.push(chars.next().unwrap_or('\\'));
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
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
    let text = call.str(0);
    let mut out = String::new();
    if is_attribute {
        out.push('"');
    }
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_attribute => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    if is_attribute {
        out.push('"');
    }
    Ok(Value::from(out))
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

/// Escapes all bytes that are neither unreserved nor reserved in a URI.
fn uri_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        if b.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]".contains(&b) {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart() {
        assert_eq!(base_name("/a/b.txt/", ".txt"), "b");
        assert_eq!(base_name("/", ""), "/");
        assert_eq!(dir_name("/a//b/"), "/a");
        assert_eq!(dir_name("a"), ".");
        assert_eq!(extname("x/.bashrc.d"), ".d");
        assert_eq!(extname(".bashrc"), "");
    }

    #[test]
    fn words_are_split_as_by_a_shell() {
        let words = shell_words(r#"a 'b c' "d\"e" f\ g"#);
        assert_eq!(words.as_deref(), Some(&["a", "b c", "d\"e", "f g"].map(String::from)[..]));
        assert_eq!(shell_words("'a"), None);
        assert_eq!(shell_escape("it's"), r"it\'s");
    }
}
