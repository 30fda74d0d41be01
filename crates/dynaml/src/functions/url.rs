//! URLs and paths: `parseurl`, `basename`, `dirname`.

use std::collections::BTreeMap;

use super::support::{clean_path, eager, fail};
use crate::diagnostics::stop::Eval;
use crate::eval::evaluator::{Call, Table};
use crate::value::Value;

/// The parts of a URL, decoded as in Go.
#[derive(Default, Debug)]
struct Url {
    scheme: String,
    user: Option<(String, Option<String>)>,
    host: String,
    port: String,
    path: String,
    query: String,
    fragment: String,
}

/// Decodes `%xx`; in queries `+` is a space.
fn unescape(text: &str, query: bool) -> Result<String, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'%' => {
                let digits = after.get(..2).and_then(|d| std::str::from_utf8(d).ok());
                let value = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
                let Some(value) = value else {
                    let end = after.len().min(2);
                    let shown = String::from_utf8_lossy(&after[..end]).into_owned();
                    return Err(format!("invalid URL escape \"%{shown}\""));
                };
                out.push(value);
                rest = &after[2..];
            }
            b'+' if query => out.push(b' '),
            byte => out.push(*byte),
        }
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The scheme before a colon, if there is one.
fn scheme(text: &str) -> Result<(String, &str), String> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".into()),
            ':' => return Ok((text[..at].to_ascii_lowercase(), &text[at + 1..])),
            _ => break,
        }
    }
    Ok((String::new(), text))
}

fn authority(text: &str, url: &mut Url) -> Result<(), String> {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, text),
    };
    if let Some(user) = user {
        url.user = Some(match user.split_once(':') {
            Some((name, password)) => (unescape(name, false)?, Some(unescape(password, false)?)),
            None => (unescape(user, false)?, None),
        });
    }
    let (name, port) = match host.strip_prefix('[') {
        Some(inner) => {
            let Some((name, rest)) = inner.split_once(']') else {
                return Err("missing ']' in host".into());
            };
            (name, rest)
        }
        None => match host.rfind(':') {
            Some(at) => host.split_at(at),
            None => (host, ""),
        },
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|b| b.is_ascii_digit()) || (port.len() > digits.len() + 1) {
        return Err(format!("invalid port \"{port}\" after host"));
    }
    if name.contains([' ', '<', '>', '"']) {
        return Err("invalid character in host name".into());
    }
    url.host = unescape(name, false)?;
    url.port = digits.to_owned();
    Ok(())
}

fn parse(text: &str) -> Result<Url, String> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    let mut url = Url::default();
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    url.fragment = unescape(fragment, false)?;
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.query = query.to_owned();
    let rest = match rest.strip_prefix("//") {
        Some(after) if !url.scheme.is_empty() || !after.starts_with('/') => {
            let end = after.find('/').unwrap_or(after.len());
            authority(&after[..end], &mut url)?;
            &after[end..]
        }
        _ if !rest.starts_with('/') && !url.scheme.is_empty() => "",
        _ => {
            let first = rest.split('/').next().unwrap_or(rest);
            if !rest.starts_with('/') && first.contains(':') {
                return Err("first path segment in URL cannot contain colon".into());
            }
            rest
        }
    };
    url.path = unescape(rest, false)?;
    Ok(url)
}

fn values(query: &str) -> Value {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for pair in query.split('&').filter(|p| !p.is_empty() && !p.contains(';')) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if let (Ok(name), Ok(value)) = (unescape(name, true), unescape(value, true)) {
            found.entry(name).or_default().push(Value::str(value));
        }
    }
    Value::map(found.into_iter().map(|(k, v)| (k, Value::list(v))))
}

fn parseurl(call: &mut Call<'_, '_>) -> Eval<Value> {
    let text = match call.args {
        [Value::Str(text)] => text,
        [_] => return fail("argument for parseurl must be a string"),
        _ => return fail("invalid argument count for parseurl"),
    };
    let url = match parse(text) {
        Ok(url) => url,
        Err(e) => {
            let shown = crate::text::quoted(text);
            return fail(format!("invalid argument for parseurl: parse {shown}: {e}"));
        }
    };
    let mut entries = vec![
        ("scheme", Value::str(url.scheme)),
        ("host", Value::str(url.host)),
        ("path", Value::str(url.path)),
        ("fragment", Value::str(url.fragment)),
        ("values", values(&url.query)),
        ("query", Value::str(url.query)),
    ];
    entries.extend(url.port.parse().ok().map(|port| ("port", Value::Int(port))));
    if let Some((name, password)) = url.user {
        let mut user = vec![("username", Value::str(name))];
        user.extend(password.map(|p| ("password", Value::str(p))));
        entries.push(("userinfo", Value::map(user)));
    }
    Ok(Value::map(entries))
}

fn base(path: &str) -> String {
    if path.is_empty() {
        return ".".into();
    }
    let path = path.trim_end_matches('/');
    match path.rsplit('/').next() {
        Some("") | None => "/".into(),
        Some(last) => last.to_owned(),
    }
}

fn dir(path: &str) -> String {
    let end = path.rfind('/').map_or(0, |at| at + 1);
    clean_path(&path[..end])
}

/// The path of an argument, which may be a URL.
fn part(call: &Call<'_, '_>, name: &str, part: fn(&str) -> String) -> Eval<Value> {
    let text = match call.args {
        [Value::Str(text)] => text,
        [_] => return fail(format!("string argument expected for function {name}")),
        _ => return fail(format!("function {name} takes exactly one argument")),
    };
    Ok(Value::str(match parse(text) {
        Ok(url) if url.path.is_empty() => "/".into(),
        Ok(url) => part(&url.path),
        Err(_) => part(text),
    }))
}

fn basename(call: &mut Call<'_, '_>) -> Eval<Value> {
    part(call, "basename", base)
}

fn dirname(call: &mut Call<'_, '_>) -> Eval<Value> {
    part(call, "dirname", dir)
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("parseurl(text)", "The parts of a URL.", parseurl),
        eager("basename(path)", "The last element of a path or URL.", basename),
        eager("dirname(path)", "A path or URL without its last element.", dirname),
    ]);
}
