//! Values as text.

use serde_json::{Map, Value as Json};

/// The text of a secret.
const SECRET: &str = "#<Sensitive [value redacted]>";

/// Converts Puppet's rich data to plain JSON: every other value becomes text.
pub(super) fn stringify(value: Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.into_iter().map(stringify).collect()),
        Json::Object(map) => match map.get("__ptype").and_then(Json::as_str) {
            Some(kind) => {
                let kind = kind.to_owned();
                special(&kind, map)
            }
            None => Json::Object(map.into_iter().map(|(k, v)| (k, stringify(v))).collect()),
        },
        plain => plain,
    }
}

fn special(kind: &str, mut map: Map<String, Json>) -> Json {
    let value = map.remove("__pvalue");
    match (kind, value) {
        ("Default", _) => "default".into(),
        ("Sensitive", _) => SECRET.into(),
        ("Hash", Some(Json::Array(flat))) => Json::Object(pairs(flat)),
        ("Regexp", Some(Json::String(pattern))) => regexp(&pattern).into(),
        (_, Some(Json::String(text))) => text.into(),
        (_, Some(other)) => stringify(other),
        (_, None) => type_text(kind, &map).into(),
    }
}

/// The entries of a map whose keys are not all strings.
fn pairs(flat: Vec<Json>) -> Map<String, Json> {
    let mut map = Map::new();
    let mut flat = flat.into_iter();
    while let (Some(key), Some(value)) = (flat.next(), flat.next()) {
        let mut key = key_text(stringify(key));
        if matches!(key.as_str(), "__ptype" | "__pvalue") {
            key = format!("reserved key: {key}");
        }
        map.insert(key, stringify(value));
    }
    map
}

fn key_text(key: Json) -> String {
    match key {
        Json::String(text) => text,
        other => ruby_text(&other),
    }
}

fn regexp(pattern: &str) -> String {
    let mut text = String::from("/");
    let mut escaped = false;
    for c in pattern.chars() {
        if c == '/' && !escaped {
            text.push('\\');
        }
        escaped = c == '\\' && !escaped;
        text.push(c);
    }
    text.push('/');
    text
}

/// Plain data as Ruby's `to_s` formats it.
pub(super) fn ruby_text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => inspect(other),
    }
}

/// Plain data as Ruby's `inspect` formats it.
fn inspect(value: &Json) -> String {
    match value {
        Json::Null => "nil".into(),
        Json::Bool(flag) => flag.to_string(),
        Json::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => ruby_float(float),
            _ => number.to_string(),
        },
        Json::String(text) => inspect_string(text),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(inspect).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(k, v)| format!("{}=>{}", inspect_string(k), inspect(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn ruby_float(number: f64) -> String {
    ordain_data::number::ruby_float(number)
}

fn inspect_string(text: &str) -> String {
    let mut out = String::from("\"");
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\u{1b}' => out.push_str("\\e"),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\x{:02X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text of an object, such as a deferred call: `Deferred({'name' => 'split'})`.
fn object_text(kind: &str, map: &Map<String, Json>) -> String {
    let entries = map.iter().filter(|(key, _)| *key != "__ptype");
    format!("{kind}({})", entries_text(entries))
}

fn entries_text<'a>(entries: impl Iterator<Item = (&'a String, &'a Json)>) -> String {
    let entries: Vec<String> =
        entries.map(|(key, value)| format!("{} => {}", quoted(key), literal(value))).collect();
    format!("{{{}}}", entries.join(", "))
}

/// A value as a literal of the Puppet language.
fn literal(value: &Json) -> String {
    match value {
        Json::Null => "undef".into(),
        Json::String(text) => quoted(text),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(map) => match map.get("__ptype").and_then(Json::as_str) {
            None => entries_text(map.iter()),
            Some("Default") => "default".into(),
            Some("Sensitive") => "Sensitive [value redacted]".into(),
            Some("Hash") => literal(&stringify(value.clone())),
            Some(kind) => match map.get("__pvalue") {
                Some(inner) if kind == "Regexp" => inner.as_str().map(regexp).unwrap_or_default(),
                Some(inner) => literal(inner),
                None => type_text(kind, map),
            },
        },
        other => ruby_text(other),
    }
}

/// A string in single quotes, or in double quotes if it has control characters. In single quotes, a
/// backslash escapes only a quote.
fn quoted(text: &str) -> String {
    if text.chars().any(|c| c < ' ') {
        return double_quoted(text);
    }
    let mut out = String::from("'");
    let mut escaped = false;
    for c in text.chars() {
        if c == '\'' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out.push('\'');
    out
}

fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '$' => out.push_str("\\$"),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{{{:X}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text of a type or an object. Types that parameters do not have in practice are reduced to
/// their names.
fn type_text(kind: &str, map: &Map<String, Json>) -> String {
    let Some(name) = kind.strip_prefix("Pcore::").and_then(|name| name.strip_suffix("Type")) else {
        return object_text(kind, map);
    };
    let arguments = type_arguments(name, map);
    if arguments.is_empty() { name.to_owned() } else { format!("{name}[{}]", arguments.join(", ")) }
}

fn type_arguments(name: &str, map: &Map<String, Json>) -> Vec<String> {
    let one = |key: &str| map.get(key).map(argument);
    let all = |key: &str| -> Vec<String> {
        map.get(key).and_then(Json::as_array).into_iter().flatten().map(argument).collect()
    };
    match name {
        "Integer" | "Float" => match (one("from"), one("to")) {
            (None, None) => Vec::new(),
            (from, None) => from.into_iter().collect(),
            (from, Some(to)) => vec![from.unwrap_or_else(|| "default".into()), to],
        },
        "Array" => one("element_type").into_iter().chain(size(map)).collect(),
        "Hash" => {
            let types = one("key_type").into_iter().chain(one("value_type"));
            types.chain(size(map)).collect()
        }
        "Optional" | "NotUndef" | "Type" | "Sensitive" | "Iterable" | "Iterator" => {
            one("type").or_else(|| one("element_type")).into_iter().collect()
        }
        "String" => match map.get("size_type_or_value") {
            Some(Json::Object(range)) => type_arguments("Integer", range),
            _ => Vec::new(),
        },
        "Enum" => {
            map.get("values").and_then(Json::as_array).into_iter().flatten().map(argument).collect()
        }
        "Variant" | "Tuple" => all("types").into_iter().chain(size(map)).collect(),
        "Pattern" => all("patterns")
            .into_iter()
            .map(|text| text.trim_start_matches("Regexp[").trim_end_matches(']').to_owned())
            .collect(),
        "Regexp" => map.get("pattern").and_then(Json::as_str).map(regexp).into_iter().collect(),
        "Struct" => struct_members(map),
        _ => Vec::new(),
    }
}

fn argument(value: &Json) -> String {
    match value {
        Json::Object(map) => match map.get("__ptype").and_then(Json::as_str) {
            Some("Default") => "default".into(),
            Some(kind) => type_text(kind, map),
            None => String::new(),
        },
        Json::String(text) => quoted(text),
        other => ruby_text(other),
    }
}

/// The bounds of a size constraint.
fn size(map: &Map<String, Json>) -> Vec<String> {
    match map.get("size_type") {
        Some(Json::Object(range)) => type_arguments("Integer", range),
        _ => Vec::new(),
    }
}

fn struct_members(map: &Map<String, Json>) -> Vec<String> {
    let elements = map.get("elements").and_then(Json::as_array).into_iter().flatten();
    let members: Vec<String> = elements
        .filter_map(|element| {
            let key = element.get("key_type")?;
            let name = |key: &Json| {
                key.get("size_type_or_value").and_then(Json::as_str).map(|text| format!("'{text}'"))
            };
            let value = element.get("value_type")?;
            let optional_value = is_type(value, "Optional");
            let text = match name(key) {
                // A key that is required although its value is optional.
                Some(text) if optional_value => format!("NotUndef[{text}]"),
                Some(text) => text,
                None => {
                    let inner = key.get("type").and_then(name)?;
                    if optional_value { inner } else { format!("Optional[{inner}]") }
                }
            };
            Some(format!("{text} => {}", argument(value)))
        })
        .collect();
    if members.is_empty() { Vec::new() } else { vec![format!("{{{}}}", members.join(", "))] }
}

fn is_type(value: &Json, name: &str) -> bool {
    let kind = value.get("__ptype").and_then(Json::as_str);
    kind.is_some_and(|kind| {
        kind.strip_prefix("Pcore::").and_then(|kind| kind.strip_suffix("Type")) == Some(name)
    })
}
