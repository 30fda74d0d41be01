//! Regular expressions by Python's rules, matched from the beginning of a text.

use std::fmt::Write;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Linear(Box<regex::Regex>),
    Backtracking(Box<fancy_regex::Regex>),
}

/// How many steps the backtracking engine may take for one match.
const STEPS: usize = 1_000_000;

impl Pattern {
    /// Whether a text begins with what the pattern says.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Linear(regex) => regex.is_match(text),
            Engine::Backtracking(regex) => regex.is_match(text).unwrap_or(false),
        }
    }
}

/// Compiles a pattern.
///
/// # Errors
/// What is wrong with it, in Python's words where it is one of the frequent mistakes.
pub fn compile(pattern: &str) -> Result<Pattern, String> {
    let translated =
        Translator { chars: pattern.chars().collect(), at: 0, open: Vec::new() }.run()?;
    let anchored = format!(r"\A(?:{translated})");
    if let Ok(regex) = regex::RegexBuilder::new(&anchored).size_limit(8 << 20).build() {
        return Ok(Pattern { engine: Engine::Linear(Box::new(regex)) });
    }
    let built = fancy_regex::RegexBuilder::new(&anchored).backtrack_limit(STEPS).build();
    match built {
        Ok(regex) => Ok(Pattern { engine: Engine::Backtracking(Box::new(regex)) }),
        Err(error) => Err(error.to_string()),
    }
}

/// Rewrites the few things that the engines read otherwise than Python.
struct Translator {
    chars: Vec<char>,
    at: usize,
    open: Vec<usize>,
}

impl Translator {
    fn run(mut self) -> Result<String, String> {
        let mut out = String::new();
        let mut repeatable = false;
        let mut repeated = false;
        while let Some(&c) = self.chars.get(self.at) {
            let start = self.at;
            match c {
                '*' | '+' | '?' if !repeatable => {
                    let what = if repeated { "multiple repeat" } else { "nothing to repeat" };
                    return Err(format!("{what} at position {start}"));
                }
                '*' | '+' | '?' => {
                    out.push(c);
                    self.at += 1;
                    if let Some(&lazy @ ('?' | '+')) = self.chars.get(self.at) {
                        out.push(lazy);
                        self.at += 1;
                    }
                    (repeatable, repeated) = (false, true);
                    continue;
                }
                '{' if repeatable && self.bounds().is_some() => {
                    let length = self.bounds().unwrap_or_default();
                    out.extend(&self.chars[start..start + length]);
                    self.at += length;
                    if self.chars.get(self.at) == Some(&'?') {
                        out.push('?');
                        self.at += 1;
                    }
                    (repeatable, repeated) = (false, true);
                    continue;
                }
                '{' | '}' => {
                    out.push('\\');
                    out.push(c);
                    self.at += 1;
                }
                '$' => {
                    out.push_str(r"(?:\n?\z)");
                    self.at += 1;
                }
                '[' => self.class(&mut out)?,
                '\\' => self.escape(&mut out)?,
                '(' => {
                    self.open.push(start);
                    out.push('(');
                    self.at += 1;
                    if self.chars.get(self.at) == Some(&'?') {
                        self.group(&mut out);
                    }
                    (repeatable, repeated) = (false, false);
                    continue;
                }
                ')' => {
                    if self.open.pop().is_none() {
                        return Err(format!("unbalanced parenthesis at position {start}"));
                    }
                    out.push(')');
                    self.at += 1;
                }
                '|' => {
                    out.push('|');
                    self.at += 1;
                    (repeatable, repeated) = (false, false);
                    continue;
                }
                _ => {
                    out.push(c);
                    self.at += 1;
                }
            }
            (repeatable, repeated) = (c != '^', false);
        }
        match self.open.pop() {
            Some(at) => Err(format!("missing ), unterminated subpattern at position {at}")),
            None => Ok(out),
        }
    }

    /// The length of `{m,n}`.
    fn bounds(&self) -> Option<usize> {
        let rest = &self.chars[self.at + 1..];
        let end = rest.iter().position(|c| *c == '}')?;
        let inner: String = rest[..end].iter().collect();
        let (low, high) = inner.split_once(',').unwrap_or((&inner, ""));
        let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        (!low.is_empty() && is_number(low) && is_number(high)).then_some(end + 2)
    }

    fn group(&mut self, out: &mut String) {
        let rest: String = self.chars[self.at..].iter().take(3).collect();
        if rest == "?P=" {
            let name: String =
                self.chars[self.at + 3..].iter().take_while(|c| **c != ')').collect();
            self.at += 3 + name.chars().count();
            // Writing to a string never fails.
            let _ = write!(out, "?:\\k<{name}>");
            return;
        }
        out.push('?');
        self.at += 1;
        while let Some(&c) = self.chars.get(self.at) {
            if !matches!(c, ':' | '=' | '!' | '<' | 'P' | 'a'..='z' | '-' | '>') {
                return;
            }
            out.push(c);
            self.at += 1;
            if matches!(c, ':' | '=' | '!') {
                return;
            }
        }
    }

    fn class(&mut self, out: &mut String) -> Result<(), String> {
        let start = self.at;
        out.push('[');
        self.at += 1;
        if self.chars.get(self.at) == Some(&'^') {
            out.push('^');
            self.at += 1;
        }
        let mut first = true;
        loop {
            match self.chars.get(self.at) {
                None => return Err(format!("unterminated character set at position {start}")),
                Some(']') if !first => {
                    out.push(']');
                    self.at += 1;
                    return Ok(());
                }
                Some('\\') => self.escape(out)?,
                Some(&c @ (']' | '[' | '&' | '~')) => {
                    out.push('\\');
                    out.push(c);
                    self.at += 1;
                }
                Some('-') if self.chars.get(self.at + 1) == Some(&'-') => {
                    out.push_str("\\-");
                    self.at += 1;
                }
                Some(&c) => {
                    out.push(c);
                    self.at += 1;
                }
            }
            first = false;
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        let Some(&c) = self.chars.get(self.at + 1) else {
            return Err(format!("bad escape (end of pattern) at position {}", self.at));
        };
        match c {
            'Z' => out.push_str(r"\z"),
            '/' | '"' | '\'' | '@' | '%' | ',' | ';' | ':' | '=' | '!' | '<' | '>' | '`' | ' ' => {
                if matches!(c, '<' | '>') {
                    out.push(c);
                } else {
                    // Writing to a string never fails.
                    let _ = write!(out, "\\x{:02x}", c as u32);
                }
            }
            'a'..='z' | 'A'..='Z' if !"AbBdDsSwWnrtfvaxuU".contains(c) => {
                return Err(format!("bad escape \\{c} at position {}", self.at));
            }
            _ => {
                out.push('\\');
                out.push(c);
            }
        }
        self.at += 2;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::compile;

    #[test]
    fn patterns_are_read_as_python_reads_them() {
        for (pattern, text, is_match) in [
            ("a$", "a\n", true),
            ("a$", "ab", false),
            (r"[a[]+$", "a[", true),
            (r"(?P<x>a)(?P=x)", "aa", true),
            (r"a{,", "a{,", true),
            (r"\/x\Z", "/x", true),
            ("b", "ab", false),
        ] {
            assert_eq!(compile(pattern).unwrap().is_match(text), is_match, "{pattern}");
        }
    }

    #[test]
    fn mistakes_are_named_as_python_names_them() {
        for (pattern, text) in [
            ("(", "missing ), unterminated subpattern at position 0"),
            ("a)", "unbalanced parenthesis at position 1"),
            ("*a", "nothing to repeat at position 0"),
            ("a**", "multiple repeat at position 2"),
            ("[a", "unterminated character set at position 0"),
            (r"\q", "bad escape \\q at position 0"),
        ] {
            assert_eq!(compile(pattern).unwrap_err(), text);
        }
    }
}
