//! The one decoder of request targets, for routes, rules and handlers.
//!
//! A server that decodes a path for its rules in another way than for its handlers can be made to
//! check one name and to serve another (CVE-2016-2785). Here a target is decoded once; everything
//! that follows sees the decoded segments only.

/// The maximum length of a target in bytes.
const MAX_LENGTH: usize = 8 << 10;
/// The maximum number of segments of a path.
const MAX_SEGMENTS: usize = 128;
/// The maximum number of parameters of a query or a form.
const MAX_PARAMETERS: usize = 256;

/// A decoded request target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    /// The segments of the path, decoded. None is empty, `.` or `..`, or has a control character.
    pub(crate) segments: Vec<String>,
    /// Whether a segment has a slash or a backslash, as titles of resources have.
    pub(crate) has_slashes: bool,
    /// Whether the path had empty segments, which are left out.
    pub(crate) has_empty_segments: bool,
    /// The parameters of the query, decoded, in order.
    pub(crate) query: Parameters,
}

/// The parameters of a query or a form, decoded, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Parameters(Vec<(String, String)>);

/// A target that is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum UrlError {
    /// A `%` without two hexadecimal digits after it.
    #[error("a percent sign is not followed by two hexadecimal digits")]
    Percent,
    /// The decoded bytes are not UTF-8.
    #[error("the decoded text is not UTF-8")]
    NotUtf8,
    /// A segment is `.` or `..`, or has a slash, a backslash or a control character.
    #[error("a segment of the path is `.`, `..`, or has a slash or control character")]
    Segment,
    /// Too long, too many segments or parameters.
    #[error("the URL is too long")]
    TooLong,
}

impl Target {
    /// Decodes a path and the query after it.
    ///
    /// # Errors
    /// When the target is ambiguous or too long.
    pub(crate) fn decode(target: &str) -> Result<Self, UrlError> {
        if target.len() > MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path.strip_prefix('/').ok_or(UrlError::Segment)?;
        // Puppet's agents end the address of a mount's root with a slash.
        let path = path.strip_suffix('/').unwrap_or(path);
        let (mut segments, mut has_empty_segments) = (Vec::new(), false);
        for part in path.split('/').filter(|_| !path.is_empty()) {
            if segments.len() == MAX_SEGMENTS {
                return Err(UrlError::TooLong);
            }
            match part {
                "" => has_empty_segments = true,
                part => segments.push(segment(part)?),
            }
        }
        let has_slashes = segments.iter().any(|segment| segment.contains(['/', '\\']));
        Ok(Self { segments, has_slashes, has_empty_segments, query: Parameters::decode(query)? })
    }
}

/// Decodes one segment of a path. A plus sign is a plus sign there.
fn segment(text: &str) -> Result<String, UrlError> {
    let decoded = percent(text, false)?;
    match decoded.as_str() {
        "" | "." | ".." => Err(UrlError::Segment),
        _ if decoded.contains(char::is_control) => Err(UrlError::Segment),
        _ => Ok(decoded),
    }
}

impl Parameters {
    /// Decodes `a=1&b=2`, where a plus sign is a space.
    ///
    /// # Errors
    /// When an escape is wrong, or there are too many parameters.
    pub(crate) fn decode(text: &str) -> Result<Self, UrlError> {
        let mut out = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            if out.len() == MAX_PARAMETERS {
                return Err(UrlError::TooLong);
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            out.push((percent(name, true)?, percent(value, true)?));
        }
        Ok(Self(out))
    }

    /// The first parameter of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All parameters.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    /// All parameters of this name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Decodes percent escapes once. A form has spaces as plus signs.
pub(crate) fn percent(text: &str, is_form: bool) -> Result<String, UrlError> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let mut digit = || {
                    let byte = bytes.next().ok_or(UrlError::Percent)?;
                    char::from(byte).to_digit(16).ok_or(UrlError::Percent)
                };
                let (high, low) = (digit()?, digit()?);
                out.push((high << 4 | low) as u8);
            }
            b'+' if is_form => out.push(b' '),
            other => out.push(other),
        }
    }
    String::from_utf8(out).map_err(|_| UrlError::NotUtf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(target: &str) -> Result<Vec<String>, UrlError> {
        Target::decode(target).map(|target| target.segments)
    }

    #[test]
    fn a_path_is_decoded_once() {
        assert_eq!(segments("/puppet/v3/node/a.b").unwrap(), ["puppet", "v3", "node", "a.b"]);
        assert_eq!(segments("/a%20b/c+d/").unwrap(), ["a b", "c+d"]);
        assert_eq!(segments("/a/%252e%252e").unwrap(), ["a", "%2e%2e"]);
        assert_eq!(segments("/").unwrap(), [""; 0]);
        assert_eq!(segments("/m/%C3%A9").unwrap(), ["m", "é"]);
    }

    #[test]
    fn ambiguous_paths_are_refused() {
        for target in ["/a/./b", "/a/../b", "/a/%2e%2e/b", "/a/%2E/b"] {
            assert_eq!(segments(target), Err(UrlError::Segment), "{target}");
        }
        for target in ["/a%00", "/a%0a", "*", "a/b", "http://host/a"] {
            assert_eq!(segments(target), Err(UrlError::Segment), "{target}");
        }
        assert_eq!(segments("/%"), Err(UrlError::Percent));
        assert_eq!(segments("/%zz"), Err(UrlError::Percent));
        assert_eq!(segments("/%+1"), Err(UrlError::Percent));
        assert_eq!(segments("/%ff"), Err(UrlError::NotUtf8));
        assert_eq!(segments(&format!("/{}", "a/".repeat(200))), Err(UrlError::TooLong));
        assert_eq!(segments(&format!("/{}", "a".repeat(9000))), Err(UrlError::TooLong));
    }

    #[test]
    fn slashes_in_segments_are_told() {
        for target in ["/a%2fb", "/a\\b", "/a/%2Fb", "/a/b%5cc"] {
            assert!(Target::decode(target).unwrap().has_slashes, "{target}");
        }
        assert!(!Target::decode("/a/b?c=%2f").unwrap().has_slashes);
    }

    #[test]
    fn empty_segments_are_told() {
        let target = Target::decode("/a//b").unwrap();
        assert!(target.has_empty_segments && target.segments == ["a", "b"]);
        assert!(Target::decode("//a").unwrap().has_empty_segments);
        assert!(!Target::decode("/a/b/").unwrap().has_empty_segments);
    }

    #[test]
    fn queries_have_repeated_parameters_and_plus_signs() {
        let query = Target::decode("/a?ignore=.svn&ignore=C+V%2BS&x&y=a=b").unwrap().query;
        assert_eq!(query.all("ignore").collect::<Vec<_>>(), [".svn", "C V+S"]);
        assert_eq!(query.get("x"), Some(""));
        assert_eq!(query.get("y"), Some("a=b"));
        assert_eq!(query.get("z"), None);
    }
}
