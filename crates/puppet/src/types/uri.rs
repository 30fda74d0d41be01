//! URIs: their parts, and how a relative one is resolved.

use std::fmt;

use ecow::EcoString;

use crate::value::Value;

/// A URI, taken apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Uri {
    /// `http`
    pub scheme: Option<EcoString>,
    /// `user:password`
    pub userinfo: Option<EcoString>,
    /// The host.
    pub host: Option<EcoString>,
    /// The port, if it is not the scheme's own.
    pub port: Option<u16>,
    /// The path.
    pub path: EcoString,
    /// What follows `?`.
    pub query: Option<EcoString>,
    /// What follows `#`.
    pub fragment: Option<EcoString>,
    /// What follows the scheme of a URI such as `mailto:a@b`.
    pub opaque: Option<EcoString>,
}

fn default_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c)
}

impl Uri {
    /// Reads a URI.
    ///
    /// # Errors
    /// The original's text when it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("bad URI(is not URI?): {text:?}");
        if !text.chars().all(is_allowed) {
            return Err(bad());
        }
        let mut uri = Self::default();
        let (rest, fragment) = cut(text, '#');
        uri.fragment = fragment.map(Into::into);
        let mut rest = rest;
        if let Some((scheme, after)) = rest.split_once(':')
            && is_scheme(scheme)
        {
            uri.scheme = Some(scheme.to_lowercase().into());
            rest = after;
            if !rest.starts_with('/') && !rest.is_empty() {
                uri.opaque = Some(rest.into());
                return Ok(uri);
            }
        }
        let (before, query) = cut(rest, '?');
        uri.query = query.map(Into::into);
        match before.strip_prefix("//") {
            None => uri.path = before.into(),
            Some(authority) => {
                let end = authority.find('/').unwrap_or(authority.len());
                uri.path = authority[end..].into();
                uri.read_authority(&authority[..end]).ok_or_else(bad)?;
            }
        }
        Ok(uri)
    }

    fn read_authority(&mut self, authority: &str) -> Option<()> {
        let (userinfo, host) = match authority.rsplit_once('@') {
            Some((userinfo, host)) => (Some(userinfo), host),
            None => (None, authority),
        };
        self.userinfo = userinfo.map(Into::into);
        let colon = host.rfind(':').filter(|i| !host[*i..].contains(']'));
        let (name, port) = match colon {
            Some(i) => (&host[..i], Some(&host[i + 1..])),
            None => (host, None),
        };
        self.host = Some(name.into());
        if let Some(port) = port.filter(|p| !p.is_empty()) {
            self.port = Some(port.parse().ok()?);
        }
        self.drop_default_port();
        Some(())
    }

    fn drop_default_port(&mut self) {
        if self.port.is_some() && self.port == self.scheme.as_deref().and_then(default_port) {
            self.port = None;
        }
    }

    /// The URI of these parts.
    pub fn from_parts(parts: &Value) -> Self {
        let text = |key: &str| parts.get(key).map(crate::eval::text::to_text);
        let mut uri = Self {
            scheme: text("scheme").map(|s| s.to_lowercase()),
            userinfo: text("userinfo"),
            host: text("host"),
            port: text("port").and_then(|p| p.parse().ok()),
            path: text("path").unwrap_or_default(),
            query: text("query"),
            fragment: text("fragment"),
            opaque: text("opaque"),
        };
        uri.drop_default_port();
        uri
    }

    /// The parts by name, those that are there.
    pub fn parts(&self) -> Value {
        let text = |s: &Option<EcoString>| s.clone().map(Value::Str);
        let lower = |s: &Option<EcoString>| s.as_ref().map(|s| Value::Str(s.to_lowercase()));
        let entries = [
            ("scheme", lower(&self.scheme)),
            ("userinfo", text(&self.userinfo)),
            ("host", lower(&self.host).filter(|h| h.as_str() != Some(""))),
            ("port", self.port.map(|p| Value::from(p.to_string()))),
            ("path", (!self.path.is_empty()).then(|| Value::Str(self.path.clone()))),
            ("query", text(&self.query)),
            ("fragment", text(&self.fragment)),
            ("opaque", text(&self.opaque)),
        ];
        Value::hash(entries.into_iter().filter_map(|(k, v)| v.map(|v| (k, v))))
    }

    /// One part by name, `undef` if it is not there; `None` if no part has this name.
    pub fn part(&self, name: &str) -> Option<Value> {
        let text = |s: &Option<EcoString>| s.clone().map_or(Value::Undef, Value::Str);
        Some(match name {
            "scheme" => text(&self.scheme),
            "userinfo" => text(&self.userinfo),
            "host" => text(&self.host),
            "port" => {
                let port = self.port.or_else(|| self.scheme.as_deref().and_then(default_port));
                port.map_or(Value::Undef, |p| Value::Int(p.into()))
            }
            "path" if self.opaque.is_some() => Value::Undef,
            "path" => Value::Str(self.path.clone()),
            "query" => text(&self.query),
            "fragment" => text(&self.fragment),
            "opaque" => text(&self.opaque),
            _ => return None,
        })
    }

    /// The URI that a reference means, read relative to this one.
    pub fn join(&self, reference: &Self) -> Self {
        if reference.scheme.is_some() {
            return reference.clone();
        }
        let mut joined = self.clone();
        joined.fragment = reference.fragment.clone();
        if reference.host.is_some() {
            joined.host = reference.host.clone();
            joined.port = reference.port;
            joined.userinfo = reference.userinfo.clone();
            joined.path = without_dots(&reference.path);
            joined.query = reference.query.clone();
        } else if reference.path.is_empty() {
            joined.query = reference.query.clone().or(joined.query);
        } else {
            joined.query = reference.query.clone();
            joined.path = if reference.path.starts_with('/') {
                without_dots(&reference.path)
            } else {
                let base = &self.path[..self.path.rfind('/').map_or(0, |i| i + 1)];
                let base = if base.is_empty() { "/" } else { base };
                without_dots(&format!("{base}{}", reference.path))
            };
        }
        joined
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// The path without `.` and `..`.
fn without_dots(path: &str) -> EcoString {
    let mut segments: Vec<&str> = Vec::new();
    let last = path.split('/').count() - 1;
    for (i, segment) in path.split('/').enumerate() {
        match segment {
            "." if i == last => segments.push(""),
            "." => {}
            ".." => {
                if segments.len() > 1 {
                    segments.pop();
                }
                if i == last {
                    segments.push("");
                }
            }
            segment => segments.push(segment),
        }
    }
    segments.join("/").into()
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}:")?;
        }
        if let Some(opaque) = &self.opaque {
            write!(f, "{opaque}")?;
        } else {
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
            f.write_str(&self.path)?;
            if let Some(query) = &self.query {
                write!(f, "?{query}")?;
            }
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}
