//! Regular expressions in Go's syntax, translated for the `regex` crate.
//!
//! Both descend from RE2. Differences: the classes `\d \s \w` and `\b` are ASCII in Go, a bracket
//! or an operator inside a class is an ordinary character, and there is `\Q…\E`.

use regex::{Regex, RegexBuilder};

use crate::regex::cost::{self, CompileError};

/// A pattern for texts of any bytes.
pub type Pattern = regex::bytes::Regex;

/// Compiles a pattern.
///
/// # Errors
/// When it is invalid, with a message like Go's.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    let text = translate(pattern);
    cost::compile(|size| RegexBuilder::new(&text).size_limit(size).build())
        .map_err(|refused| error_message(pattern, &refused))
}

/// Compiles a pattern for texts that may contain invalid UTF-8.
///
/// # Errors
/// As of [`compile`].
pub fn compile_bytes(pattern: &str) -> Result<Pattern, String> {
    let text = translate(pattern);
    cost::compile(|size| regex::bytes::RegexBuilder::new(&text).size_limit(size).build())
        .map_err(|refused| error_message(pattern, &refused))
}

fn error_message(pattern: &str, refused: &CompileError) -> String {
    let text = match refused {
        CompileError::Cost(reason) => reason.clone(),
        CompileError::Pattern(regex::Error::CompiledTooBig(_)) => {
            "expression is too large".to_owned()
        }
        CompileError::Pattern(other) => reason(&other.to_string()),
    };
    format!("error parsing regexp: {text}: `{pattern}`")
}

/// The last line of a message, without its label.
fn reason(message: &str) -> String {
    let line = message.lines().last().unwrap_or(message).trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let mut class = 0usize;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = after;
        match c {
            '\\' => rest = escape(after, class > 0, &mut out),
            '[' if class == 0 => {
                class = 1;
                out.push('[');
                if let Some(next) = rest.strip_prefix('^') {
                    out.push('^');
                    rest = next;
                }
                if let Some(next) = rest.strip_prefix(']') {
                    out.push_str("\\]");
                    rest = next;
                }
            }
            '[' => match named_class(rest) {
                Some(length) => {
                    out.push('[');
                    out.push_str(&rest[..length]);
                    rest = &rest[length..];
                }
                None => out.push_str("\\["),
            },
            ']' if class > 0 => {
                class = 0;
                out.push(']');
            }
            '&' | '~' if class > 0 => {
                out.push('\\');
                out.push(c);
            }
            '-' if class > 0 && rest.starts_with('-') => out.push_str("\\-"),
            c => out.push(c),
        }
    }
    out
}

/// The length of a class like `:alpha:]` after its bracket.
fn named_class(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix(':')?;
    let end = inner.find(":]")?;
    let name = inner[..end].strip_prefix('^').unwrap_or(&inner[..end]);
    (!name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase())).then_some(end + 3)
}

fn escape<'p>(rest: &'p str, class: bool, out: &mut String) -> &'p str {
    let Some(c) = rest.chars().next() else {
        out.push('\\');
        return rest;
    };
    let after = &rest[c.len_utf8()..];
    let set = match c {
        'd' => Some("0-9"),
        's' => Some("\\t\\n\\f\\r "),
        'w' => Some("0-9A-Za-z_"),
        _ => None,
    };
    let negated = match c {
        'D' => Some("[^0-9]"),
        'S' => Some("[^\\t\\n\\f\\r ]"),
        'W' => Some("[^0-9A-Za-z_]"),
        'b' if !class => Some("(?-u:\\b)"),
        'B' if !class => Some("(?-u:\\B)"),
        _ => None,
    };
    if let Some(set) = set {
        out.push_str(&if class { set.to_owned() } else { format!("[{set}]") });
    } else if let Some(text) = negated {
        out.push_str(text);
    } else if c == 'Q' && !class {
        let end = after.find("\\E").unwrap_or(after.len());
        out.push_str(&regex::escape(&after[..end]));
        return after.get(end + 2..).unwrap_or("");
    } else if let Some(length) = property_value(after).filter(|_| matches!(c, 'p' | 'P')) {
        // No property has this name, so this is an error, as in Go.
        out.push_str("\\p{-}");
        return &after[length..];
    } else {
        out.push('\\');
        out.push(c);
    }
    after
}

/// The length of a property with its value, such as `{age=6.0}`, which Go lacks.
fn property_value(text: &str) -> Option<usize> {
    let end = text.strip_prefix('{')?.find('}')? + 1;
    text[..end].contains(['=', ':']).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn go_reads_classes_its_own_way() {
        assert!(compile("^[[a]$").unwrap().is_match("["));
        assert!(compile("^[a&&b]+$").unwrap().is_match("&"));
        assert!(compile(r"^[\w-]+$").unwrap().is_match("a-b"));
        assert!(!compile(r"^\w$").unwrap().is_match("é"));
        assert!(compile("^[[:upper:]_]+$").unwrap().is_match("A_B"));
        assert!(compile(r"^\Qa.b\E+$").unwrap().is_match("a.bb"));
        assert!(compile(r"^[]a]$").unwrap().is_match("]"));
    }

    #[test]
    fn properties_are_categories_and_scripts() {
        assert!(compile(r"^\p{Greek}\p{Lu}\pN$").unwrap().is_match("αA1"));
        for other in [r"\p{age=6.0}", r"\p{gcb=Extend}", r"\p{wb=Numeric}", r"[\P{sb:Close}]"] {
            assert!(compile(other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_broken_pattern_is_an_error() {
        assert!(compile("(").unwrap_err().starts_with("error parsing regexp: "));
        assert!(compile("((a{1000}){1000}){1000}").is_err());
    }
}
