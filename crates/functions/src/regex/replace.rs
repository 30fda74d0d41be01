//! Replacing, splitting and escaping like Ruby's `sub`, `gsub`, `split` and `escape`.

use ordain_source::budget::HELP;
use ordain_source::limits::most_text;

use super::{Captures, Regex};
use crate::{Error, Result};

impl Regex {
    /// Replaces the first match, or `all` of them, by a template in which `\0` to `\9`, `\&`,
    /// `\k<name>`, `` \` ``, `\'` and `\\` have their meaning in Ruby.
    ///
    /// # Errors
    /// [`Error::RegexBudget`]; [`Error::Regex`] if the template refers to a missing group.
    pub fn replace(&self, text: &str, template: &str, all: bool) -> Result<String> {
        self.replace_with(text, all, |found, out| expand(self, text, found, template, out))
    }

    /// As [`Regex::replace`], but with at most `left` matches, from which the found ones are
    /// subtracted.
    ///
    /// # Errors
    /// As [`Regex::replace`], and [`Error::Argument`] if there are more.
    pub fn replace_within(
        &self,
        text: &str,
        template: &str,
        all: bool,
        left: &mut u64,
    ) -> Result<String> {
        self.replace_with(text, all, |found, out| {
            take_match(left)?;
            expand(self, text, found, template, out)
        })
    }

    /// Replaces the first match, or `all` of them, by the text that the function appends.
    ///
    /// # Errors
    /// [`Error::RegexBudget`], [`Error::Argument`] if the result is too long, and errors of the
    /// function.
    pub fn replace_with(
        &self,
        text: &str,
        all: bool,
        mut replacement: impl FnMut(&Captures<'_>, &mut String) -> Result<()>,
    ) -> Result<String> {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for found in self.captures_iter(text) {
            let found = found?;
            let whole = found.whole();
            out.push_str(&text[copied.min(whole.start)..whole.start]);
            replacement(&found, &mut out)?;
            copied = whole.end;
            // A replacement with the text before or after each match makes the result grow
            // quadratically.
            if out.len() > most_text().max(text.len()) {
                let text = format!("a text of more than {} bytes is too long; {HELP}", most_text());
                return Err(Error::Argument(text));
            }
            if !all {
                break;
            }
        }
        out.push_str(&text[copied..]);
        Ok(out)
    }

    /// Splits the text at every match, as Ruby's `String#split` without a limit: an empty match
    /// splits between characters, matches of groups are part of the result, and empty texts at the
    /// end are dropped.
    ///
    /// # Errors
    /// [`Error::RegexBudget`]
    pub fn split<'t>(&self, text: &'t str) -> Result<Vec<&'t str>> {
        let mut parts = Vec::new();
        let mut begin = 0;
        for found in self.captures_iter(text) {
            let found = found?;
            let whole = found.whole();
            if whole.is_empty() && (whole.start == begin || whole.start >= text.len()) {
                continue;
            }
            parts.push(&text[begin..whole.start]);
            parts.extend(found.spans().iter().skip(1).flatten().map(|group| &text[group.clone()]));
            begin = whole.end;
        }
        parts.push(&text[begin..]);
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        Ok(parts)
    }
}

/// Subtracts one from the remaining matches.
///
/// # Errors
/// [`Error::Argument`] if none are.
pub fn take_match(left: &mut u64) -> Result<()> {
    let less = || Error::Argument(format!("a regular expression matches too often; {HELP}"));
    *left = left.checked_sub(1).ok_or_else(less)?;
    Ok(())
}

/// Appends the template with its references filled in.
fn expand(
    regex: &Regex,
    text: &str,
    found: &Captures<'_>,
    template: &str,
    out: &mut String,
) -> Result<()> {
    let push = |span: Option<super::Span>, out: &mut String| {
        if let Some(span) = span {
            out.push_str(&text[span]);
        }
    };
    let mut rest = template;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            return Ok(());
        };
        let mut used = c.len_utf8();
        match c {
            '0'..='9' => push(found.get(c as usize - '0' as usize), out),
            '&' => push(Some(found.whole()), out),
            '`' => out.push_str(&text[..found.whole().start]),
            '\'' => out.push_str(&text[found.whole().end..]),
            '\\' => out.push('\\'),
            'k' => match rest.strip_prefix("k<").and_then(|name| name.split_once('>')) {
                Some((name, _)) => {
                    used = name.len() + 3;
                    push(named(regex, found, name)?, out);
                }
                None => out.push_str("\\k"),
            },
            _ => {
                out.push('\\');
                out.push(c);
            }
        }
        rest = &rest[used..];
    }
    out.push_str(rest);
    Ok(())
}

fn named(regex: &Regex, found: &Captures<'_>, name: &str) -> Result<Option<super::Span>> {
    if regex.names().any(|other| other == name) {
        return Ok(found.name(name));
    }
    match name.parse::<usize>() {
        Ok(index) => Ok(found.get(index)),
        Err(_) => Err(Error::Argument(format!("undefined group name reference: {name}"))),
    }
}

/// A pattern that matches just the text, in the notation of Ruby's `Regexp.escape`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            '[' | ']' | '{' | '}' | '(' | ')' | '|' | '-' | '*' | '.' | '\\' | '?' | '+' | '^'
            | '$' | '#' | ' ' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::regex::{Dialect, compile};

    fn ruby(pattern: &str) -> Regex {
        compile(Dialect::Ruby, pattern).unwrap()
    }

    #[test]
    fn templates_refer_to_groups() {
        let regex = ruby(r"(?<a>\w)(?<b>\w)");
        assert_eq!(regex.replace("xy-zw", r"\2\1<\k<a>>\\\z", true).unwrap(), r"yx<x>\\z-wz<z>\\z");
        assert_eq!(regex.replace("xy-zw", r"[\`|\&|\']", false).unwrap(), "[|xy|-zw]-zw");
        assert!(regex.replace("xy", r"\k<none>", false).is_err());
    }

    #[test]
    fn results_are_bounded() {
        let text = "a".repeat(20_000);
        assert!(matches!(ruby("a").replace(&text, r"\'", true), Err(Error::Argument(_))));
        assert_eq!(ruby("a").replace(&text[..200], r"\'", true).unwrap().len(), 199 * 100);
    }

    #[test]
    fn empty_matches_touch_the_match_before() {
        assert_eq!(ruby("x*").replace("axb", "-", true).unwrap(), "-a--b-");
        assert_eq!(ruby("^").replace("a\nb\n", "  ", true).unwrap(), "  a\n  b\n");
    }

    #[test]
    fn splits_as_ruby() {
        assert_eq!(ruby(",").split("a,b,,c,,").unwrap(), ["a", "b", "", "c"]);
        assert_eq!(ruby("").split("héj").unwrap(), ["h", "é", "j"]);
        assert_eq!(ruby("(-)|(,)").split("a-b,c").unwrap(), ["a", "-", "b", ",", "c"]);
        assert_eq!(ruby(",").split(",a").unwrap(), ["", "a"]);
        assert!(ruby(",").split("").unwrap().is_empty());
    }

    #[test]
    fn escapes_every_operator() {
        assert_eq!(escape("a.b [c]\n#-"), r"a\.b\ \[c\]\n\#\-");
    }
}
