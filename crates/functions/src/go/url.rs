//! The package `net/url`: parsing URLs.

use super::quote::quote;
use crate::{Error, Result};

/// The parts of a URL that programs ask for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Url {
    /// In lower case, without its colon.
    pub scheme: String,
    /// Host and port, decoded.
    pub host: String,
    /// The path, decoded.
    pub path: Vec<u8>,
    /// The query after the question mark, unchanged.
    pub raw_query: String,
}

/// Parses a URL.
///
/// # Errors
/// `parse "x": reason`
pub fn parse(text: &str) -> Result<Url> {
    let (body, fragment) = text.split_once('#').unwrap_or((text, ""));
    let fail = |what: &str, reason: String| {
        Error::Address(format!("parse {}: {reason}", quote(what.as_bytes())))
    };
    let url = parts(body).map_err(|reason| fail(body, reason))?;
    unescape(fragment, Part::Fragment).map_err(|reason| fail(text, reason))?;
    Ok(url)
}

type Step<T> = Result<T, String>;

fn parts(text: &str) -> Step<Url> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    if text == "*" {
        return Ok(Url { path: b"*".to_vec(), ..Url::default() });
    }
    let (scheme, rest) = scheme(text)?;
    let mut url = Url { scheme: scheme.to_lowercase(), ..Url::default() };
    let rest = match rest.strip_suffix('?') {
        Some(before) if !before.contains('?') => before,
        _ => {
            let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
            url.raw_query = query.into();
            rest
        }
    };
    let mut rest = rest;
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            // Opaque, such as `mailto:a@b`: it has neither host nor path.
            return Ok(url);
        }
        let first = rest.split('/').next().unwrap_or("");
        if first.contains(':') {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    let has_host = !url.scheme.is_empty() || !rest.starts_with("///");
    if has_host && let Some(after) = rest.strip_prefix("//") {
        let end = after.find('/').unwrap_or(after.len());
        url.host = authority(&after[..end])?;
        rest = &after[end..];
    }
    url.path = unescape(rest, Part::Path)?;
    Ok(url)
}

fn scheme(text: &str) -> Step<(&str, &str)> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".into()),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn authority(text: &str) -> Step<String> {
    let Some((user, host)) = text.rsplit_once('@') else { return host_part(text) };
    let host = host_part(host)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(is_plain) {
        return Err("net/url: invalid userinfo".into());
    }
    for part in user.splitn(2, ':') {
        unescape(part, Part::User)?;
    }
    Ok(host)
}

fn host_part(text: &str) -> Step<String> {
    let decoded = |text: &str, part| {
        unescape(text, part).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let check_port = |port: &str| {
        let is_port = port.strip_prefix(':').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        if port.is_empty() || is_port {
            Ok(())
        } else {
            Err(format!("invalid port {} after host", quote(port.as_bytes())))
        }
    };
    if let Some(open) = text.find('[') {
        if open != 0 {
            return Err("invalid character \"[\" in host name".into());
        }
        let end = text.rfind(']').ok_or("missing ']' in host")?;
        check_port(&text[end + 1..])?;
        if let Some(zone) = text[..end].find("%25") {
            let parts = [
                decoded(&text[..zone], Part::Host)?,
                decoded(&text[zone..end], Part::Zone)?,
                decoded(&text[end..], Part::Host)?,
            ];
            return Ok(parts.concat());
        }
    } else if let Some(colon) = text.find(':') {
        let last = text.rfind(':').unwrap_or(colon);
        check_port(&text[last..])?;
    }
    decoded(text, Part::Host)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Fragment,
}

fn unescape(text: &str, part: Part) -> Step<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let digits =
                text.get(at + 1..at + 3).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
            let Some(digits) = digits else {
                let end = (at + 3).min(bytes.len());
                let shown = quote(bytes.get(at..end).unwrap_or_default());
                return Err(format!("invalid URL escape {shown}"));
            };
            let value = u8::from_str_radix(digits, 16).unwrap_or(0);
            let is_wrong = match part {
                Part::Host => value < 0x80 && digits != "25",
                Part::Zone => digits != "25" && value != b' ' && escapes(value),
                _ => false,
            };
            if is_wrong {
                return Err(format!(
                    "invalid URL escape {}",
                    quote(format!("%{digits}").as_bytes())
                ));
            }
            out.push(value);
            at += 3;
            continue;
        }
        if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && escapes(*byte) {
            let shown = quote(&[*byte]);
            return Err(format!("invalid character {shown} in host name"));
        }
        out.push(*byte);
        at += 1;
    }
    Ok(out)
}

/// Whether a byte would be escaped in a host.
fn escapes(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let url = parse("HTTPS://u:p@Host:80/a%20b?x=%31#f").unwrap();
        assert_eq!((url.scheme.as_str(), url.host.as_str()), ("https", "Host:80"));
        assert_eq!((&url.path[..], url.raw_query.as_str()), (&b"/a b"[..], "x=%31"));
    }

    #[test]
    fn invalid_urls_are_refused() {
        for (text, want) in [
            (":x", "parse \":x\": missing protocol scheme"),
            ("a:b:c/%zz", ""),
            ("http://a:b/", "parse \"http://a:b/\": invalid port \":b\" after host"),
            ("http://[::1/", "parse \"http://[::1/\": missing ']' in host"),
            ("/%zz", "parse \"/%zz\": invalid URL escape \"%zz\""),
            ("a b:c", "parse \"a b:c\": first path segment in URL cannot contain colon"),
        ] {
            let error = parse(text).err().map(|e| e.to_string()).unwrap_or_default();
            assert_eq!(error, want);
        }
    }
}
