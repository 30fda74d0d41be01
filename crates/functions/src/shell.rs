//! Quoting for shells.

use crate::{Error, Result};

/// Quotes words and joins them like Puppet's `shellquote`: harmless words stay bare, others get
/// double quotes, single quotes, or double quotes with backslashes, in this order of preference.
pub fn shellquote<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(quote).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "@%_+=:,./-".contains(c);
    let is_dangerous = |c: char| "!\"`$\\".contains(c);
    if !word.is_empty() && word.chars().all(is_safe) {
        return word.into();
    }
    if !word.contains(is_dangerous) {
        return format!("\"{word}\"");
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let mut out = String::from("\"");
    for c in word.chars() {
        if is_dangerous(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// Escapes a word with backslashes, as Ruby's `Shellwords.escape`.
pub fn escape(word: &str) -> String {
    if word.is_empty() {
        return "''".into();
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '\n' => out.push_str("'\n'"),
            c if c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c) => out.push(c),
            c => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out
}

/// Escapes words and joins them, as Ruby's `Shellwords.join`.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let escaped: Vec<String> = words.into_iter().map(escape).collect();
    escaped.join(" ")
}

/// Splits a command line into words, as Ruby's `Shellwords.split`.
///
/// # Errors
/// `Unmatched quote: …`
pub fn split(line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c.is_ascii_whitespace() {
            words.extend(word.take());
            continue;
        }
        let current = word.get_or_insert_default();
        match c {
            '\'' => loop {
                match chars.next() {
                    Some('\'') => break,
                    Some(c) => current.push(c),
                    None => return Err(unmatched(line)),
                }
            },
            '"' => loop {
                match chars.next() {
                    Some('"') => break,
                    Some('\\') => match chars.next() {
                        Some(c @ ('$' | '`' | '"' | '\\' | '\n')) => current.push(c),
                        Some(c) => current.extend(['\\', c]),
                        None => return Err(unmatched(line)),
                    },
                    Some(c) => current.push(c),
                    None => return Err(unmatched(line)),
                }
            },
            '\\' => match chars.next() {
                // A newline keeps its backslash.
                Some('\n') => current.push_str("\\\n"),
                next => current.push(next.unwrap_or('\\')),
            },
            c => current.push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn unmatched(line: &str) -> Error {
    Error::Argument(format!("Unmatched quote: {}", crate::text::inspect_ruby(line)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn quoting_is_the_least_that_is_safe() {
        assert_eq!(shellquote(["", "a'b", "it's $x", "a;b"]), "\"\" \"a'b\" \"it's \\$x\" \"a;b\"");
        assert_eq!(escape("a b'c\n"), "a\\ b\\'c'\n'");
        assert_eq!(join(["a b", ""]), "a\\ b ''");
    }

    #[test]
    fn splits_into_words() {
        assert_eq!(split(r#"a 'b c' "d\"e" f\ g"#).unwrap(), ["a", "b c", "d\"e", "f g"]);
        assert_eq!(split("x ''").unwrap(), ["x", ""]);
        assert!(split("a 'b").unwrap_err().to_string().starts_with("Unmatched quote: "));
    }
}
