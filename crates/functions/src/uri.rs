//! URIs as Ruby's library has them.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// The parts of a URI, as they stand in it.
///
/// ```
/// use ordain_functions::uri::Uri;
/// let uri: Uri = "https://me@example.org:443/a?b#c".parse()?;
/// assert_eq!(uri.host.as_deref(), Some("example.org"));
/// assert_eq!(uri.to_string(), "https://me@example.org/a?b#c");
/// # Ok::<(), ordain_functions::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Uri {
    /// The part before the first colon, in lower case.
    pub scheme: Option<String>,
    /// The part before the `@`.
    pub userinfo: Option<String>,
    /// The host; an IPv6 address keeps its brackets.
    pub host: Option<String>,
    /// The port, if it is written and not the default of the scheme.
    pub port: Option<u16>,
    /// The path; none for opaque URIs.
    pub path: Option<String>,
    /// The part behind the `?`.
    pub query: Option<String>,
    /// The part behind the `#`.
    pub fragment: Option<String>,
    /// The part after the scheme of a URI such as `mailto:x@example.org`.
    pub opaque: Option<String>,
}

/// The default port of a scheme.
pub fn default_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

impl FromStr for Uri {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad =
            || Error::Address(format!("bad URI(is not URI?): {}", crate::text::inspect_ruby(text)));
        if !text.is_ascii() {
            return Err(Error::Address(format!("URI must be ascii only {}", dump(text))));
        }
        let (rest, fragment) = cut(text, '#');
        if !text.bytes().all(is_allowed)
            || !has_whole_escapes(text)
            || fragment.is_some_and(|fragment| fragment.contains(['#', '[', ']']))
        {
            return Err(bad());
        }
        let (scheme, rest) = split_scheme(rest);
        let fragment = fragment.map(str::to_string);
        if let Some(scheme) = &scheme
            && !rest.starts_with('/')
            && !rest.is_empty()
        {
            let opaque = Some(rest.to_string());
            return Ok(Uri { scheme: Some(scheme.clone()), opaque, fragment, ..Uri::default() });
        }
        let (rest, query) = cut(rest, '?');
        let mut uri = Uri { scheme, fragment, query: query.map(str::to_string), ..Uri::default() };
        let path = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                uri.read_authority(&rest[..end]).ok_or_else(bad)?;
                &rest[end..]
            }
            None => rest,
        };
        let begins_like_scheme =
            uri.scheme.is_none() && path.split('/').next().is_some_and(|part| part.contains(':'));
        if path.contains(['[', ']']) || begins_like_scheme {
            return Err(bad());
        }
        uri.path = Some(path.to_string());
        Ok(uri)
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((head, tail)) => (head, Some(tail)),
        None => (text, None),
    }
}

/// The text in quotes, with escapes for non-ASCII characters.
fn dump(text: &str) -> String {
    let mut out = String::new();
    for c in crate::text::inspect_ruby(text).chars() {
        match c as u32 {
            0..0x80 => out.push(c),
            code @ 0x80..0x1_0000 => out.push_str(&format!("\\u{code:04X}")),
            code => out.push_str(&format!("\\u{{{code:X}}}")),
        }
    }
    out
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

fn has_whole_escapes(text: &str) -> bool {
    text.split('%')
        .skip(1)
        .all(|tail| tail.len() >= 2 && tail.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit))
}

fn split_scheme(text: &str) -> (Option<String>, &str) {
    let Some((scheme, rest)) = text.split_once(':') else { return (None, text) };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if is_scheme { (Some(scheme.to_ascii_lowercase()), rest) } else { (None, text) }
}

impl Uri {
    fn read_authority(&mut self, text: &str) -> Option<()> {
        let (userinfo, address) = match text.rsplit_once('@') {
            Some((userinfo, address)) => (Some(userinfo), address),
            None => (None, text),
        };
        if userinfo.is_some_and(|userinfo| userinfo.contains(['@', '[', ']'])) {
            return None;
        }
        let host_end = match address.find(']') {
            Some(end) if address.starts_with('[') => end + 1,
            Some(_) => return None,
            None => address.find(':').unwrap_or(address.len()),
        };
        let (host, port) = address.split_at(host_end);
        if !host.starts_with('[') && host.contains('[') {
            return None;
        }
        self.port = match port.strip_prefix(':') {
            Some("") => None,
            Some(port) if port.bytes().all(|b| b.is_ascii_digit()) => Some(port.parse().ok()?),
            Some(_) => return None,
            None if port.is_empty() => None,
            None => return None,
        };
        self.drop_default_port();
        self.userinfo = userinfo.map(str::to_string);
        let may_be_empty = self.scheme.as_deref() == Some("file");
        self.host = (may_be_empty || !host.is_empty()).then(|| host.to_string());
        Some(())
    }

    fn is_empty(&self) -> bool {
        *self == Uri { path: Some(String::new()), ..Uri::default() }
    }

    /// Removes the port if it is the default of the scheme.
    pub fn drop_default_port(&mut self) {
        if self.port.is_some() && self.port == self.scheme.as_deref().and_then(default_port) {
            self.port = None;
        }
    }

    /// The explicit port, or the default of the scheme.
    pub fn effective_port(&self) -> Option<u16> {
        self.port.or_else(|| self.scheme.as_deref().and_then(default_port))
    }

    /// Resolves a reference against this URI (RFC 3986, section 5). As in Ruby, an empty reference
    /// means the whole URI, and an opaque URI resolves nothing.
    pub fn resolve(&self, reference: &Uri) -> Uri {
        if reference.scheme.is_some() {
            return reference.clone();
        }
        if self.opaque.is_some() || reference.is_empty() {
            return self.clone();
        }
        let mut target = Uri { scheme: self.scheme.clone(), ..reference.clone() };
        if reference.host.is_some() {
            return target;
        }
        (target.userinfo, target.host, target.port) =
            (self.userinfo.clone(), self.host.clone(), self.port);
        let base = self.path.as_deref().unwrap_or("");
        let path = reference.path.as_deref().unwrap_or("");
        if path.is_empty() {
            target.path = Some(base.to_string());
            target.query = reference.query.clone().or_else(|| self.query.clone());
        } else if path.starts_with('/') {
            target.path = Some(without_dots(path));
        } else {
            let folder = base.rfind('/').map_or("/", |end| &base[..=end]);
            target.path = Some(without_dots(&format!("{folder}{path}")));
        }
        target
    }
}

/// Resolves `.` and `..` in a path.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let last = path.rsplit('/').next().unwrap_or("");
    for part in path.split('/').skip(1) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    if matches!(last, "." | "..") {
        parts.push("");
    }
    format!("/{}", parts.join("/"))
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}:")?;
        }
        if let Some(opaque) = &self.opaque {
            f.write_str(opaque)?;
        }
        if let Some(host) = &self.host {
            f.write_str("//")?;
            if let Some(userinfo) = &self.userinfo {
                write!(f, "{userinfo}@")?;
            }
            f.write_str(host)?;
            if let Some(port) = self.port {
                write!(f, ":{port}")?;
            }
        }
        if let Some(path) = &self.path {
            f.write_str(path)?;
        }
        if let Some(query) = &self.query {
            write!(f, "?{query}")?;
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}

/// Escapes characters that are invalid in a URI, as stdlib's `uriescape`. Reserved characters stay.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The bytes of a text in which `%` and two hexadecimal digits stand for a byte. Other `%` stay.
pub fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        let code = rest.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = code.filter(|_| *first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok());
        out.push(code.unwrap_or(*first));
        bytes = if code.is_some() { &rest[2..] } else { rest };
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    #[test]
    fn escaped_bytes_are_decoded() {
        assert_eq!(unescape("a%20b%c3%a9%4"), "a bé%4".as_bytes());
        assert_eq!(unescape("100%"), b"100%");
    }

    #[test]
    fn parts() {
        let parsed = uri("HTTP://u:p@[::1]:8080/a/b?q=1#f");
        assert_eq!(parsed.scheme.as_deref(), Some("http"));
        assert_eq!(parsed.userinfo.as_deref(), Some("u:p"));
        assert_eq!((parsed.host.as_deref(), parsed.port), (Some("[::1]"), Some(8080)));
        assert_eq!(parsed.to_string(), "http://u:p@[::1]:8080/a/b?q=1#f");
        assert_eq!(uri("mailto:x@y.org").opaque.as_deref(), Some("x@y.org"));
        assert_eq!(uri("http://a:80/").to_string(), "http://a/");
        assert_eq!(uri("ldap://a").effective_port(), Some(389));
        assert_eq!((uri("http:///x").host, uri("file:///x").host), (None, Some(String::new())));
        assert_eq!((uri("x:").path, uri("x:y").path), (Some(String::new()), None));
    }

    #[test]
    fn invalid_uris() {
        for text in
            ["http://a b", "1:2", "http://a/%zz", "http://u@b@c/", "a#[", "a#b#c", "//[::1/"]
        {
            let error = text.parse::<Uri>().unwrap_err().to_string();
            assert_eq!(error, format!("bad URI(is not URI?): \"{text}\""));
        }
        let error = "é".parse::<Uri>().unwrap_err().to_string();
        assert_eq!(error, "URI must be ascii only \"\\u00E9\"");
        assert!("a/b:c?[x]".parse::<Uri>().is_ok());
    }

    #[test]
    fn references() {
        assert_eq!(uri("http://a").resolve(&uri("g")).to_string(), "http://a/g");
        assert_eq!(uri("http://a/b#c").resolve(&uri("")).to_string(), "http://a/b#c");
        assert_eq!(uri("a:b").resolve(&uri("c")).to_string(), "a:b");
        let base = uri("http://a/b/c/d?q");
        for (reference, target) in [
            ("g", "http://a/b/c/g"),
            ("./g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d?y"),
            ("", "http://a/b/c/d?q"),
            ("../..", "http://a/"),
            ("../../../g", "http://a/g"),
            ("#s", "http://a/b/c/d?q#s"),
            ("mailto:x@y", "mailto:x@y"),
        ] {
            assert_eq!(base.resolve(&uri(reference)).to_string(), target, "{reference}");
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(escape("/a b?c=é%"), "/a%20b?c=%C3%A9%25");
    }
}
