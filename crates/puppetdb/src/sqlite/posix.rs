//! PostgreSQL's regular expressions (POSIX, advanced) by another engine.
//!
//! Whether a text matches does not depend on which match is longest, so only the syntax differs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fancy_regex::{Regex, RegexBuilder};

/// Steps of backtracking, which only back references and lookaround need.
const BACKTRACKS: usize = 200_000;
/// Patterns that a thread keeps.
const KEPT: usize = 512;

thread_local! {
    static COMPILED: RefCell<BTreeMap<String, Rc<Regex>>> = const { RefCell::new(BTreeMap::new()) };
    static REFUSAL: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Whether a text contains a match.
pub(super) fn is_match(pattern: &str, text: &str) -> Result<bool, String> {
    let found = COMPILED.with_borrow(|kept| kept.get(pattern).map(Rc::clone));
    let regex = match found {
        Some(regex) => regex,
        None => {
            let regex = Rc::new(compile(pattern)?);
            COMPILED.with_borrow_mut(|kept| {
                if kept.len() == KEPT {
                    kept.clear();
                }
                kept.insert(pattern.to_owned(), Rc::clone(&regex));
            });
            regex
        }
    };
    regex.is_match(text).map_err(|_| {
        let refusal = format!("the regular expression is too complex: {pattern}");
        REFUSAL.set(Some(refusal.clone()));
        refusal
    })
}

/// The reason why a pattern of this thread's last query was refused while rows were read. The
/// database reports that as a failure of its own.
pub(crate) fn take_refusal() -> Option<String> {
    REFUSAL.take()
}

/// Checks a regular expression.
///
/// # Errors
///
/// The message of PostgreSQL's kind for a malformed one.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    compile(pattern).map(drop)
}

fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = Translator::new(pattern).translate()?;
    RegexBuilder::new(&translated)
        .backtrack_limit(BACKTRACKS)
        .delegate_size_limit(4 << 20)
        .build()
        .map_err(|error| format!("invalid regular expression: {}", first_line(&error.to_string())))
}

fn first_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default().trim()
}

struct Translator<'a> {
    rest: &'a str,
    out: String,
    /// Whether a quantifier may follow: nothing to repeat, an atom, or a quantifier.
    last: Last,
    is_extended: bool,
    /// Open parentheses.
    depth: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Atom,
    Quantifier,
}

const UNBALANCED: &str = "invalid regular expression: parentheses () not balanced";
const INVALID_QUANTIFIER: &str = "invalid regular expression: quantifier operand invalid";

impl<'a> Translator<'a> {
    fn new(pattern: &'a str) -> Self {
        Translator {
            rest: pattern,
            out: "(?s)".into(),
            last: Last::Nothing,
            is_extended: false,
            depth: 0,
        }
    }

    fn translate(mut self) -> Result<String, String> {
        if let Some(literal) = self.rest.strip_prefix("***=") {
            return Ok(fancy_regex::escape(literal).into_owned());
        }
        self.rest = self.rest.strip_prefix("***:").unwrap_or(self.rest);
        if self.options()? {
            return Ok(self.out + &fancy_regex::escape(self.rest));
        }
        while let Some(c) = self.rest.chars().next() {
            self.rest = &self.rest[c.len_utf8()..];
            self.character(c)?;
        }
        if self.depth > 0 {
            return Err(UNBALANCED.into());
        }
        Ok(self.out)
    }

    /// Options at the start, such as `(?i)`. Whether the rest is a literal text.
    fn options(&mut self) -> Result<bool, String> {
        let Some(after) = self.rest.strip_prefix("(?") else { return Ok(false) };
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        if letters == 0 || !after[letters..].starts_with(')') {
            return Ok(false);
        }
        let mut is_literal = false;
        for letter in after[..letters].chars() {
            match letter {
                'i' => self.out.push_str("(?i)"),
                // Newlines end lines, and wildcards do not match them.
                'n' | 'm' => self.out.push_str("(?-s)(?m)"),
                'p' => self.out.push_str("(?-s)"),
                'w' => self.out.push_str("(?m)"),
                'x' => self.is_extended = true,
                'q' => is_literal = true,
                'c' | 's' | 't' | 'e' | 'b' => {}
                _ => return Err("invalid regular expression: invalid embedded option".into()),
            }
        }
        self.rest = &after[letters + 1..];
        Ok(is_literal)
    }

    fn character(&mut self, c: char) -> Result<(), String> {
        match c {
            '\\' => self.escape()?,
            '[' => self.bracket()?,
            '(' => self.group()?,
            ')' => {
                self.depth = self.depth.checked_sub(1).ok_or(UNBALANCED)?;
                self.out.push(c);
                self.last = Last::Atom;
            }
            '|' => {
                self.out.push(c);
                self.last = Last::Nothing;
            }
            '*' | '+' | '?' => self.quantifier(&c.to_string())?,
            '{' if self.rest.starts_with(|c: char| c.is_ascii_digit()) => {
                let end = self
                    .rest
                    .find('}')
                    .ok_or("invalid regular expression: braces {} not balanced")?;
                let bounds = format!("{{{}}}", &self.rest[..end]);
                check_bounds(&self.rest[..end])?;
                self.rest = &self.rest[end + 1..];
                self.quantifier(&bounds)?;
            }
            '^' => {
                self.out.push('^');
                self.last = Last::Nothing;
            }
            '$' => {
                self.out.push_str(if self.out.contains("(?m)") { "$" } else { "\\z" });
                self.last = Last::Nothing;
            }
            '.' => {
                self.out.push('.');
                self.last = Last::Atom;
            }
            c if self.is_extended && c.is_whitespace() => {}
            '#' if self.is_extended => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
            }
            c => {
                push_literal(&mut self.out, c);
                self.last = Last::Atom;
            }
        }
        Ok(())
    }

    fn quantifier(&mut self, text: &str) -> Result<(), String> {
        if self.last != Last::Atom {
            return Err(INVALID_QUANTIFIER.into());
        }
        self.out.push_str(text);
        if let Some(rest) = self.rest.strip_prefix('?') {
            self.out.push('?');
            self.rest = rest;
        }
        self.last = Last::Quantifier;
        Ok(())
    }

    fn group(&mut self) -> Result<(), String> {
        self.out.push('(');
        self.last = Last::Nothing;
        self.depth += 1;
        let Some(after) = self.rest.strip_prefix('?') else { return Ok(()) };
        if let Some(comment) = after.strip_prefix('#') {
            let end = comment.find(')').ok_or(UNBALANCED)?;
            self.out.pop();
            self.depth -= 1;
            self.rest = &comment[end + 1..];
            return Ok(());
        }
        for form in ["<=", "<!", ":", "=", "!"] {
            if let Some(rest) = after.strip_prefix(form) {
                self.out.push('?');
                self.out.push_str(form);
                self.rest = rest;
                return Ok(());
            }
        }
        Err(INVALID_QUANTIFIER.into())
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(c) = self.rest.chars().next() else {
            return Err("invalid regular expression: invalid escape \\ sequence".into());
        };
        self.rest = &self.rest[c.len_utf8()..];
        self.last = Last::Atom;
        match c {
            'd' | 's' | 'w' | 'D' | 'S' | 'W' => {
                self.out.push('\\');
                self.out.push(c);
            }
            'y' => self.constraint("\\b"),
            'Y' => self.constraint("\\B"),
            'm' => self.constraint("\\b(?=\\w)"),
            'M' => self.constraint("\\b(?<=\\w)"),
            'A' => self.constraint("\\A"),
            'Z' => self.constraint("\\z"),
            '1'..='9' => {
                self.out.push('\\');
                self.out.push(c);
            }
            c => {
                let literal = self.literal_escape(c)?;
                push_literal(&mut self.out, literal);
            }
        }
        Ok(())
    }

    fn constraint(&mut self, text: &str) {
        self.out.push_str(text);
        self.last = Last::Nothing;
    }

    /// The character of an escape, after the backslash.
    fn literal_escape(&mut self, c: char) -> Result<char, String> {
        let invalid = "invalid regular expression: invalid escape \\ sequence";
        let code = match c {
            'a' => 7,
            'b' => 8,
            'B' => u32::from('\\'),
            'e' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '0' => 0,
            'x' => self.hexadecimal(usize::MAX)?,
            'u' => self.hexadecimal(4)?,
            'U' => self.hexadecimal(8)?,
            'c' => {
                let control = self.rest.chars().next().ok_or(invalid)?;
                self.rest = &self.rest[control.len_utf8()..];
                u32::from(control) & 0x1f
            }
            c if c.is_ascii_alphanumeric() => return Err(invalid.into()),
            c => u32::from(c),
        };
        char::from_u32(code).ok_or_else(|| invalid.into())
    }

    fn hexadecimal(&mut self, most: usize) -> Result<u32, String> {
        let length = self.rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(length.min(most));
        self.rest = rest;
        u32::from_str_radix(digits, 16)
            .map_err(|_| "invalid regular expression: invalid escape \\ sequence".into())
    }

    /// A set in brackets.
    fn bracket(&mut self) -> Result<(), String> {
        let unbalanced = || String::from("invalid regular expression: brackets [] not balanced");
        for (boundary, translated) in [("[:<:]]", "\\b(?=\\w)"), ("[:>:]]", "\\b(?<=\\w)")] {
            if let Some(rest) = self.rest.strip_prefix(boundary) {
                self.rest = rest;
                self.constraint(translated);
                return Ok(());
            }
        }
        self.out.push('[');
        self.last = Last::Atom;
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.out.push('^');
            self.rest = rest;
        }
        let mut is_first = true;
        loop {
            let c = self.rest.chars().next().ok_or_else(unbalanced)?;
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                ']' if !is_first => break,
                '[' if self.rest.starts_with([':', '.', '=']) => self.named_set()?,
                '\\' => {
                    let escaped = self.rest.chars().next().ok_or_else(unbalanced)?;
                    self.rest = &self.rest[escaped.len_utf8()..];
                    match escaped {
                        'd' | 's' | 'w' => {
                            self.out.push('\\');
                            self.out.push(escaped);
                        }
                        other => {
                            let literal = self.literal_escape(other)?;
                            push_member(&mut self.out, literal);
                        }
                    }
                }
                // A range unless it is at an end.
                '-' if !is_first && !self.rest.starts_with(']') => self.out.push('-'),
                c => push_member(&mut self.out, c),
            }
            is_first = false;
        }
        self.out.push(']');
        Ok(())
    }

    /// `[:alpha:]`, `[.a.]` or `[=a=]`, after its first bracket.
    fn named_set(&mut self) -> Result<(), String> {
        let invalid = || String::from("invalid regular expression: invalid character class");
        let kind = self.rest.chars().next().ok_or_else(invalid)?;
        let end = format!("{kind}]");
        let inner = &self.rest[1..];
        let length = inner.find(&end).ok_or_else(invalid)?;
        let name = &inner[..length];
        self.rest = &inner[length + 2..];
        if kind != ':' {
            let mut characters = name.chars();
            let (Some(c), None) = (characters.next(), characters.next()) else {
                return Err(invalid());
            };
            push_member(&mut self.out, c);
            return Ok(());
        }
        // Letters and digits are those of Unicode.
        self.out.push_str(match name {
            "alpha" => "\\p{Alphabetic}",
            "digit" => "\\d",
            "alnum" => "\\p{Alphabetic}\\d",
            "upper" => "\\p{Uppercase}",
            "lower" => "\\p{Lowercase}",
            "space" => "\\s",
            "word" => "\\w",
            "punct" => "[:punct:]",
            "xdigit" => "[:xdigit:]",
            "blank" => "[:blank:]",
            "cntrl" => "[:cntrl:]",
            "graph" => "[:graph:]",
            "print" => "[:print:]",
            _ => return Err(invalid()),
        });
        Ok(())
    }
}

fn check_bounds(bounds: &str) -> Result<(), String> {
    let parts: Vec<_> = bounds.splitn(2, ',').collect();
    let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n <= 255);
    let is_valid = match parts.as_slice() {
        [count] => number(count).is_some(),
        [least, ""] => number(least).is_some(),
        [least, most] => number(least).zip(number(most)).is_some_and(|(least, most)| least <= most),
        _ => false,
    };
    if is_valid {
        return Ok(());
    }
    Err("invalid regular expression: invalid repetition count(s)".into())
}

fn push_literal(out: &mut String, c: char) {
    let mut buffer = [0; 4];
    out.push_str(&fancy_regex::escape(c.encode_utf8(&mut buffer)));
}

/// A character in a set.
fn push_member(out: &mut String, c: char) {
    if matches!(c, '[' | ']' | '\\' | '^' | '-' | '&' | '~') {
        out.push('\\');
    }
    out.push(c);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_is_that_of_postgresql() {
        for (pattern, text, expected) in [
            ("a.c", "a\nc", true),
            ("^b", "a\nb", false),
            ("a$", "a\n", false),
            ("[[:digit:]]+x", "12x", true),
            ("[]a]", "]", true),
            ("[^]a]", "]", false),
            ("[a-]", "-", true),
            ("[[&&]", "&", true),
            ("a{,2}", "a{,2}", true),
            ("\\mfoo\\M", "a foo b", true),
            ("\\mfoo\\M", "afoo", false),
            ("\\yfoo", "foo", true),
            ("a\\Bb", "a\\b", true),
            ("(?i)ABC", "xabc", true),
            ("***=a.c", "abc", false),
            ("(a)\\1", "aa", true),
            ("a(?!b)", "ab", false),
            ("\\.example\\.com$", "x.example.com", true),
            ("é+", "éé", true),
            ("(a|b|)c", "c", true),
            ("\\u0041", "A", true),
        ] {
            assert_eq!(is_match(pattern, text), Ok(expected), "{pattern} {text:?}");
        }
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for pattern in
            ["*a", "a**", "a{2", "a{3,2}", "a{256}", "(", "[a", "a\\", "\\q", "(?<x>a)", "[[:x:]]"]
        {
            let result = is_match(pattern, "a");
            assert!(
                result.is_err_and(|e| e.starts_with("invalid regular expression")),
                "{pattern}"
            );
        }
    }

    #[test]
    fn patterns_that_explode_end() {
        let text = "a".repeat(2000) + "b";
        assert_eq!(is_match("(a+)+$", &text), Ok(false));
        // Back references need another engine, which gives up.
        let result = is_match("(a+)+\\1c", &text);
        assert!(!result.clone().unwrap_or(false), "{result:?}");
        assert!(result.is_ok() || result.is_err_and(|e| e.contains("too complex")));
    }
}
