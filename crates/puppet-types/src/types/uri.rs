//! URIs as values: building and splitting them.

use std::sync::Arc;

use crate::types::Type;
use crate::value::Value;

pub use ordain_functions::uri::Uri;

/// The type of URIs with these parts.
#[inline]
pub fn type_of(parts: Value) -> Type {
    let given = parts.as_hash().is_some_and(|parts| !parts.is_empty());
    Type::Uri(given.then(|| Arc::new(parts)))
}

/// The present parts by name.
pub fn parts(uri: &Uri) -> Value {
    let text = |part: &Option<String>| part.as_deref().map(Value::str);
    let is_named = |part: &&String| !part.is_empty();
    let port = uri.effective_port().filter(|&port| {
        !matches!((uri.scheme.as_deref(), port), (Some("http"), 80) | (Some("https"), 443))
    });
    let entries = [
        ("scheme", text(&uri.scheme)),
        ("userinfo", text(&uri.userinfo)),
        ("host", uri.host.as_ref().filter(is_named).map(|host| Value::from(host.to_lowercase()))),
        ("port", port.map(|port| Value::from(port.to_string()))),
        ("path", uri.path.as_ref().filter(is_named).map(Value::str)),
        ("query", text(&uri.query)),
        ("fragment", text(&uri.fragment)),
        ("opaque", text(&uri.opaque)),
    ];
    Value::hash(entries.into_iter().filter_map(|(name, part)| part.map(|part| (name, part))))
}

/// The names of all parts.
pub const PARTS: [&str; 8] =
    ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];

/// One part by name, `undef` if it is missing; `None` if no part has this name.
pub fn part(uri: &Uri, name: &str) -> Option<Value> {
    let text = match name {
        "scheme" => &uri.scheme,
        "userinfo" => &uri.userinfo,
        "host" => &uri.host,
        "port" => {
            return Some(uri.effective_port().map_or(Value::Undef, |port| Value::Int(port.into())));
        }
        "path" => &uri.path,
        "query" => &uri.query,
        "fragment" => &uri.fragment,
        "opaque" => &uri.opaque,
        _ => return None,
    };
    Some(text.as_deref().map_or(Value::Undef, Value::str))
}
