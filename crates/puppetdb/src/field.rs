//! Parses field names with paths, such as `facts.os.family`, `facts.ips[0]` and
//! `facts.match("ip.*").x`.

use crate::error::QueryError;

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A name.
    Name(String),
    /// A name and an index into its array.
    Index(String, i32),
    /// A regular expression for names.
    Match(String),
}

/// The name of a field, and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) field: String,
    pub(crate) parts: Vec<Part>,
}

impl Path {
    /// Whether a part is a regular expression.
    pub(crate) fn has_match(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Match(_)))
    }

    /// Whether a part has an index.
    pub(crate) fn has_index(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Index(..)))
    }
}

/// The kinds of parts that are allowed besides names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms {
    pub(crate) indices: bool,
    pub(crate) matches: bool,
}

/// All kinds.
pub(crate) const ALL: Forms = Forms { indices: true, matches: true };
/// Conditions on null and on single values read indices and `match` as names.
pub(crate) const NAMES: Forms = Forms { indices: false, matches: false };

/// Parses the name of a field.
pub(crate) fn parse(text: &str, forms: Forms) -> Result<Path, QueryError> {
    if text.is_empty() {
        return Err(QueryError::bad_request("Empty AST field"));
    }
    let Some(end) = top_length(text) else {
        return Err(QueryError::bad_request(format!(
            "First component of AST field is invalid: {text:?}"
        )));
    };
    let mut path = Path { field: text[..end].to_owned(), parts: Vec::new() };
    let mut at = end;
    while at < text.len() {
        // A part ends before a dot or at the end.
        at += 1;
        let rest = &text[at..];
        if rest.starts_with("\"\"") {
            return Err(QueryError::bad_request(format!(
                "Empty AST field component at character {at}: {text:?}"
            )));
        }
        let (part, length) = if let Some(found) = matching(rest).filter(|_| forms.matches) {
            found
        } else if let Some((inner, length)) = quoted(rest) {
            (named(inner, forms.indices), length)
        } else {
            let length = rest.find('.').unwrap_or(rest.len());
            if length == 0 {
                return Err(QueryError::bad_request(format!(
                    "Don't recognize AST field component at character {at}: {text:?}"
                )));
            }
            (named(&rest[..length], forms.indices), length)
        };
        path.parts.push(part);
        at += length;
    }
    Ok(path)
}

/// The length of the first component: a letter, then letters, digits and underscores.
fn top_length(text: &str) -> Option<usize> {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let plain = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let end = plain + usize::from(text[plain..].starts_with('?'));
    (end == text.len() || text[end..].starts_with('.')).then_some(end)
}

/// Whether a component may end at a position.
fn ends_at(text: &str, at: usize) -> bool {
    at == text.len() || text[at..].starts_with('.')
}

/// Parses a quoted component. It ends at the first quote that has no backslash before it and a dot
/// or the end after it.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('"')?;
    let closes = |at: &usize| *at > 0 && !inner[..*at].ends_with('\\') && ends_at(inner, at + 1);
    let end = inner.match_indices('"').map(|(at, _)| at).find(closes)?;
    Some((&inner[..end], end + 2))
}

/// Parses `match("…")`, up to the last position where it can end.
fn matching(text: &str) -> Option<(Part, usize)> {
    let inner = text.strip_prefix("match(\"")?;
    let closes = |at: &usize| *at > 0 && !inner[..*at].ends_with('\\') && ends_at(inner, at + 2);
    let end = inner.rmatch_indices("\")").map(|(at, _)| at).find(closes)?;
    Some((Part::Match(inner[..end].to_owned()), end + "match(\"\")".len()))
}

/// A name, or a name with an index if indices are allowed.
fn named(text: &str, indices: bool) -> Part {
    let indexed = || {
        let (name, index) = text.strip_suffix(']')?.rsplit_once('[')?;
        let is_index = !name.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
        Some(Part::Index(name.to_owned(), index.parse().ok().filter(|_| is_index)?))
    };
    match indexed() {
        Some(part) if indices => part,
        _ => Part::Name(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<Part> {
        parse(text, ALL).map(|path| path.parts).unwrap_or_default()
    }

    fn name(text: &str) -> Part {
        Part::Name(text.into())
    }

    #[test]
    fn parts_may_be_quoted_indexed_or_matched() {
        assert_eq!(parts("facts.os.family"), [name("os"), name("family")]);
        assert_eq!(parts("facts.\"a.b\".c"), [name("a.b"), name("c")]);
        assert_eq!(parts("facts.ips[12].x"), [Part::Index("ips".into(), 12), name("x")]);
        assert_eq!(parts("facts.match(\"a.*b\").c"), [Part::Match("a.*b".into()), name("c")]);
        assert_eq!(parts("facts.a[x]"), [name("a[x]")]);
        assert_eq!(parts("facts.a\"b"), [name("a\"b")]);
    }

    #[test]
    fn malformed_names_are_refused() {
        for text in ["", "9a", "facts..a", "facts.\"\".a", "a b", "facts."] {
            assert!(parse(text, ALL).is_err(), "{text}");
        }
    }
}
