//! Addresses of web servers in texts.

use std::borrow::Cow;
use std::ops::Range;

/// Whether a name is the address of a web server instead of a path: it begins with `http:` or
/// `https:`.
pub fn is_web(name: &str) -> bool {
    name.starts_with("http:") || name.starts_with("https:")
}

/// The error of a server that answers with another status than success, as the error inside of an
/// [`std::io::Error`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("[status {status}]: {excerpt}")]
pub struct HttpStatus {
    /// The status.
    pub status: u16,
    /// The beginning of the answer.
    pub excerpt: String,
}

/// The passwords in the web addresses of a text.
fn passwords(text: &str) -> Vec<Range<usize>> {
    // Normalized paths have one slash.
    let starts = text.match_indices(":/").filter(|(at, _)| {
        let before = &text[..*at];
        before.ends_with("http") || before.ends_with("https")
    });
    let mut found = Vec::new();
    for (at, mark) in starts {
        let start = at + mark.len();
        let start = start + usize::from(text[start..].starts_with('/'));
        let ends = |c: char| c.is_whitespace() || c.is_control() || "/?#\"'`".contains(c);
        let server = text[start..].split(ends).next().unwrap_or_default();
        let user = server.rsplit_once('@').map_or("", |(user, _)| user);
        if let Some((name, _)) = user.split_once(':') {
            found.push(start + name.len() + 1..start + user.len());
        }
    }
    found
}

/// A text with asterisks for the passwords of addresses.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    hidden(text, |_| "***".into())
}

/// The same with as many asterisks as the passwords have bytes, so that positions stay the same.
pub fn with_masked_passwords(text: &str) -> Cow<'_, str> {
    hidden(text, |password| "*".repeat(password.len()))
}

fn hidden(text: &str, stars: impl Fn(&str) -> String) -> Cow<'_, str> {
    let found = passwords(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_string();
    for range in found.into_iter().rev() {
        let stars = stars(&text[range.clone()]);
        out.replace_range(range, &stars);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hidden_and_nothing_else() {
        let text = "get http://me:se:cret@example.org/a@b:c and (\"https://u:p@h\")";
        let wanted = "get http://me:***@example.org/a@b:c and (\"https://u:***@h\")";
        assert_eq!(without_passwords(text), wanted);
        assert_eq!(without_passwords("[http:/me:pw@h/a]"), "[http:/me:***@h/a]");
        let masked = with_masked_passwords(text);
        assert_eq!(masked.len(), text.len());
        assert!(masked.contains("http://me:*******@example.org"), "{masked}");
        for text in ["http://example.org:80/a", "http://me@host", "ftp://u:p@h", "a: b@c", "http:"]
        {
            assert_eq!(without_passwords(text), text);
        }
    }
}
