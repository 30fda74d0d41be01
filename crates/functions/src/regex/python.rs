//! Translates Python's regular expressions (the module `re`) for the Rust engines.

use std::collections::HashMap;

use super::chars::Chars;

/// The maximum depth of groups.
const MAX_DEPTH: usize = 200;
/// The largest number in `{m,n}`.
const MAX_REPEAT: u64 = 100_000;

/// A pattern in the engines' notation.
pub(super) struct Translation {
    pub(super) text: String,
    /// Whether it needs look-around, back-references, atomic groups or similar features.
    pub(super) needs_backtracking: bool,
    /// Whether it contains `$`, which also matches before a newline at the end of the text.
    pub(super) has_end: bool,
    pub(super) names: Vec<(String, Vec<usize>)>,
}

/// Translates a pattern; with `exact`, `$` is expanded for the backtracking engine, else it means
/// the very end.
///
/// # Errors
/// Python's message.
pub(super) fn translate(pattern: &str, exact: bool) -> Result<Translation, String> {
    let mut translator = Translator {
        chars: Chars { all: pattern.chars().collect(), at: 0 },
        exact,
        flags: Flags::default(),
        open: Vec::new(),
        closed: Vec::new(),
        numbers: HashMap::new(),
        target: None,
        out: Translation {
            text: String::with_capacity(pattern.len() + 16),
            needs_backtracking: exact,
            has_end: false,
            names: Vec::new(),
        },
    };
    translator.run()?;
    Ok(translator.out)
}

#[derive(Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
    verbose: bool,
    ascii: bool,
}

/// A group that is still open.
struct Open {
    /// Its opening parenthesis in the pattern.
    at: usize,
    /// The start of its text in the output.
    start: usize,
    flags: Flags,
    number: Option<usize>,
}

struct Translator {
    chars: Chars,
    exact: bool,
    flags: Flags,
    open: Vec<Open>,
    /// Whether group `n + 1` has been closed.
    closed: Vec<bool>,
    numbers: HashMap<String, usize>,
    /// The operand of a repetition: its start in the output, and whether it can be repeated.
    target: Option<Target>,
    out: Translation,
}

#[derive(Clone, Copy)]
enum Target {
    Atom(usize),
    Repeated,
}

type Outcome<T = ()> = Result<T, String>;

fn at(message: impl std::fmt::Display, position: usize) -> String {
    format!("{message} at position {position}")
}

impl Translator {
    fn run(&mut self) -> Outcome {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => self.escape()?,
                '(' => self.group()?,
                ')' => self.close()?,
                '[' => {
                    let set = self.class()?;
                    self.atom(&set);
                }
                '|' => {
                    self.out.text.push('|');
                    self.target = None;
                }
                '.' => self.atom(if self.flags.dot_all { "(?s:.)" } else { "[^\\n]" }),
                '^' => self.atom(if self.flags.multi_line { "(?m:^)" } else { "\\A" }),
                '$' => self.end(),
                '*' | '+' | '?' => self.repeat(c)?,
                '{' => match self.bounds()? {
                    true => {}
                    false => self.literal('{'),
                },
                '#' if self.flags.verbose => while self.chars.next().is_some_and(|c| c != '\n') {},
                c if self.flags.verbose && c.is_ascii_whitespace() => {}
                c => self.literal(c),
            }
        }
        match self.open.first() {
            Some(_) => {
                let place = self.open.last().map_or(0, |open| open.at);
                Err(at("missing ), unterminated subpattern", place))
            }
            None => Ok(()),
        }
    }

    fn atom(&mut self, text: &str) {
        self.target = Some(Target::Atom(self.out.text.len()));
        self.out.text.push_str(text);
    }

    fn fancy(&mut self, text: &str) {
        self.out.needs_backtracking = true;
        self.atom(text);
    }

    fn literal(&mut self, c: char) {
        let mut buffer = [0; 4];
        let escaped = ::regex::escape(c.encode_utf8(&mut buffer));
        match self.flags.ignore_case {
            true => self.atom(&format!("(?i:{escaped})")),
            false => self.atom(&escaped),
        }
    }

    fn end(&mut self) {
        if self.flags.multi_line {
            return self.atom("(?m:$)");
        }
        self.out.has_end = true;
        self.atom(if self.exact { "(?=\\n?\\z)" } else { "\\z" });
    }

    fn repeat(&mut self, c: char) -> Outcome {
        let place = self.chars.at - 1;
        let mut buffer = [0; 4];
        let operator = c.encode_utf8(&mut buffer).to_owned();
        self.apply(&operator, place)
    }

    /// Reads `m,n}` after a brace; `false` if the brace is literal.
    fn bounds(&mut self) -> Outcome<bool> {
        let place = self.chars.at - 1;
        let start = self.chars.at;
        if self.chars.peek() == Some('}') {
            return Ok(false);
        }
        let low = self.number();
        let high = match self.chars.peek() == Some(',') {
            true => {
                self.chars.advance(1);
                self.number()
            }
            false => low,
        };
        let single = low.is_none() && high.is_none() && self.chars.at == start;
        if self.chars.next() != Some('}') || single {
            self.chars.at = start;
            return Ok(false);
        }
        if low.or(high).is_some_and(|n| n >= MAX_REPEAT) || high.is_some_and(|n| n >= MAX_REPEAT) {
            return Err("the repetition number is too large".into());
        }
        if high.is_some_and(|high| high < low.unwrap_or(0)) {
            return Err(at("min repeat greater than max repeat", start));
        }
        let low = low.unwrap_or(0);
        let high = high.map(|n| n.to_string()).unwrap_or_default();
        self.apply(&format!("{{{low},{high}}}"), place)?;
        Ok(true)
    }

    fn number(&mut self) -> Option<u64> {
        let mut value: Option<u64> = None;
        while let Some(digit) = self.chars.peek().and_then(|c| c.to_digit(10)) {
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit.into()));
            self.chars.advance(1);
        }
        value
    }

    fn apply(&mut self, operator: &str, place: usize) -> Outcome {
        let start = match self.target {
            None => return Err(at("nothing to repeat", place)),
            Some(Target::Repeated) => return Err(at("multiple repeat", place)),
            Some(Target::Atom(start)) => start,
        };
        // A separate group prevents an operator from applying to the preceding part.
        self.out.text.insert_str(start, "(?:");
        self.out.text.push(')');
        self.out.text.push_str(operator);
        match self.chars.peek() {
            Some('?') => {
                self.chars.advance(1);
                self.out.text.push('?');
            }
            Some('+') => {
                self.chars.advance(1);
                self.out.needs_backtracking = true;
                self.out.text.insert_str(start, "(?>");
                self.out.text.push(')');
            }
            _ => {}
        }
        self.target = Some(Target::Repeated);
        Ok(())
    }

    fn begin(&mut self, text: &str, place: usize, number: Option<usize>) -> Outcome {
        if self.open.len() >= MAX_DEPTH {
            return Err("the pattern is nested too deeply".into());
        }
        let start = self.out.text.len();
        self.open.push(Open { at: place, start, flags: self.flags, number });
        self.out.text.push_str(text);
        self.target = None;
        Ok(())
    }

    fn close(&mut self) -> Outcome {
        let Some(open) = self.open.pop() else {
            return Err(at("unbalanced parenthesis", self.chars.at - 1));
        };
        self.out.text.push(')');
        self.flags = open.flags;
        if let Some(flag) = open.number.and_then(|n| self.closed.get_mut(n - 1)) {
            *flag = true;
        }
        self.target = Some(Target::Atom(open.start));
        Ok(())
    }

    fn capture(&mut self, place: usize) -> Outcome<usize> {
        self.closed.push(false);
        let number = self.closed.len();
        self.begin("(", place, Some(number))?;
        Ok(number)
    }

    fn group(&mut self) -> Outcome {
        let place = self.chars.at - 1;
        if self.chars.peek() != Some('?') {
            return self.capture(place).map(|_| ());
        }
        self.chars.advance(1);
        let Some(c) = self.chars.next() else {
            return Err(at("unexpected end of pattern", self.chars.at));
        };
        match (c, self.chars.peek()) {
            (':', _) => self.begin("(?:", place, None),
            ('=' | '!' | '>', _) => {
                self.out.needs_backtracking = true;
                self.begin(&format!("(?{c}"), place, None)
            }
            ('<', Some(sign @ ('=' | '!'))) => {
                self.chars.advance(1);
                self.out.needs_backtracking = true;
                self.begin(&format!("(?<{sign}"), place, None)
            }
            ('<', None) => Err(at("unexpected end of pattern", self.chars.at)),
            ('<', Some(other)) => Err(at(format!("unknown extension ?<{other}"), place + 1)),
            ('P', _) => self.named(place),
            ('#', _) => self.comment(place),
            ('(', _) => self.conditional(place),
            _ => {
                self.chars.at -= 1;
                self.options(place)
            }
        }
    }

    fn comment(&mut self, place: usize) -> Outcome {
        loop {
            match self.chars.next() {
                Some(')') => return Ok(()),
                Some(_) => {}
                None => return Err(at("missing ), unterminated comment", place)),
            }
        }
    }

    fn named(&mut self, place: usize) -> Outcome {
        match self.chars.next() {
            Some('<') => {
                let (name, begin) = self.name('>', "group name")?;
                let number = self.closed.len() + 1;
                if let Some(other) = self.numbers.insert(name.clone(), number) {
                    let text = format!(
                        "redefinition of group name '{name}' as group {number}; was group {other}"
                    );
                    return Err(at(text, begin));
                }
                let number = self.capture(place)?;
                self.out.names.push((name, vec![number]));
                Ok(())
            }
            Some('=') => {
                let (name, begin) = self.name(')', "group name")?;
                let Some(&number) = self.numbers.get(&name) else {
                    return Err(at(format!("unknown group name '{name}'"), begin));
                };
                self.reference(number, begin)
            }
            Some(other) => Err(at(format!("unknown extension ?P{other}"), place + 1)),
            None => Err(at("unexpected end of pattern", self.chars.at)),
        }
    }

    /// Reads a name up to its terminator, with the place it begins at.
    fn name(&mut self, end: char, what: &str) -> Outcome<(String, usize)> {
        let begin = self.chars.at;
        let mut name = String::new();
        loop {
            match self.chars.next() {
                Some(c) if c == end => break,
                Some(c) => name.push(c),
                None if name.is_empty() => return Err(at(format!("missing {what}"), begin)),
                None => return Err(at(format!("missing {end}, unterminated name"), begin)),
            }
        }
        if name.is_empty() {
            return Err(at(format!("missing {what}"), begin));
        }
        let is_digits = name.chars().all(|c| c.is_ascii_digit());
        let valid = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if valid || end == ')' && is_digits {
            return Ok((name, begin));
        }
        Err(at(format!("bad character in group name '{name}'"), begin))
    }

    fn reference(&mut self, number: usize, place: usize) -> Outcome {
        match self.closed.get(number.wrapping_sub(1)) {
            Some(true) => {}
            Some(false) => return Err(at("cannot refer to an open group", place)),
            None => return Err(at(format!("invalid group reference {number}"), place)),
        }
        match self.flags.ignore_case {
            true => self.fancy(&format!("(?i:(?:\\{number}))")),
            false => self.fancy(&format!("(?:\\{number})")),
        }
        Ok(())
    }

    fn conditional(&mut self, place: usize) -> Outcome {
        let (name, begin) = self.name(')', "group name")?;
        let number = match name.parse::<usize>() {
            Ok(0) => return Err(at("bad group number", begin)),
            Ok(number) => number,
            Err(_) => match self.numbers.get(&name) {
                Some(&number) => number,
                None => return Err(at(format!("unknown group name '{name}'"), begin)),
            },
        };
        if number > self.closed.len() {
            return Err(at(format!("invalid group reference {number}"), begin));
        }
        self.out.needs_backtracking = true;
        self.begin(&format!("(?({number})"), place, None)
    }

    fn options(&mut self, place: usize) -> Outcome {
        let (mut flags, mut on, mut seen) = (self.flags, true, 0);
        loop {
            let position = self.chars.at;
            let Some(c) = self.chars.next() else {
                return Err(at("missing -, : or )", position));
            };
            match c {
                'i' => flags.ignore_case = on,
                'm' => flags.multi_line = on,
                's' => flags.dot_all = on,
                'x' => flags.verbose = on,
                'a' if on => flags.ascii = true,
                'u' if on => flags.ascii = false,
                'L' if on => {
                    return Err("bad inline flags: cannot use 'L' flag with a str pattern".into());
                }
                '-' if on => on = false,
                ':' => {
                    let before = self.flags;
                    self.begin("(?:", place, None)?;
                    if let Some(open) = self.open.last_mut() {
                        open.flags = before;
                    }
                    self.flags = flags;
                    return Ok(());
                }
                ')' if on && seen > 0 => {
                    if place != 0 {
                        return Err(at("global flags not at the start of the expression", place));
                    }
                    self.flags = flags;
                    return Ok(());
                }
                c if seen == 0 => return Err(at(format!("unknown extension ?{c}"), place + 1)),
                ')' => return Err(at("missing :", position)),
                c if c.is_alphabetic() => return Err(at("unknown flag", position)),
                _ => return Err(at("missing -, : or )", position)),
            }
            seen += 1;
        }
    }

    fn escape(&mut self) -> Outcome {
        let place = self.chars.at - 1;
        let Some(c) = self.chars.next() else {
            return Err(at("bad escape (end of pattern)", place));
        };
        match c {
            'A' => self.atom("\\A"),
            'Z' => self.atom("\\z"),
            'b' => self.atom(if self.flags.ascii { "(?-u:\\b)" } else { "\\b" }),
            'B' => self.atom(if self.flags.ascii { "(?-u:\\B)" } else { "\\B" }),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                let set = format!("[{}]", self.shorthand(c));
                self.atom(&set);
            }
            '1'..='9' => {
                let mut digits = String::from(c);
                if let Some(next) = self.chars.peek().filter(char::is_ascii_digit) {
                    digits.push(next);
                    self.chars.advance(1);
                }
                return self.reference(digits.parse().unwrap_or(usize::MAX), place + 1);
            }
            c => {
                let c = self.escaped(c, place)?;
                self.literal(c);
            }
        }
        Ok(())
    }

    /// The characters of a shorthand such as `\d` within a set.
    fn shorthand(&self, c: char) -> &'static str {
        match (c, self.flags.ascii) {
            ('d', true) => "0-9",
            ('D', true) => "[^0-9]",
            ('s', true) => " \\t\\n\\r\\x0b\\x0c",
            ('S', true) => "[^ \\t\\n\\r\\x0b\\x0c]",
            ('w', true) => "a-zA-Z0-9_",
            ('W', true) => "[^a-zA-Z0-9_]",
            ('d', _) => "\\d",
            ('D', _) => "\\D",
            ('s', _) => "\\s\\x1c-\\x1f",
            ('S', _) => "[^\\s\\x1c-\\x1f]",
            ('w', _) => "\\p{Alphabetic}\\p{N}_",
            _ => "[^\\p{Alphabetic}\\p{N}_]",
        }
    }

    /// The character of a context-independent escape.
    fn escaped(&mut self, c: char, place: usize) -> Outcome<char> {
        let digits = |count: usize, this: &mut Self| {
            let begin = this.chars.at;
            let value = this.chars.digits(16, count).unwrap_or(0);
            if this.chars.at - begin < count {
                let got: String = this.chars.all[begin..this.chars.at].iter().collect();
                return Err(at(format!("incomplete escape \\{c}{got}"), place));
            }
            char::from_u32(value).ok_or_else(|| at(format!("bad escape \\{c}"), place))
        };
        Ok(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'f' => '\x0c',
            'v' => '\x0b',
            'x' => digits(2, self)?,
            'u' => digits(4, self)?,
            'U' => digits(8, self)?,
            '0' => {
                let value = self.chars.digits(8, 2).unwrap_or(0);
                char::from_u32(value).unwrap_or('\0')
            }
            c if c.is_ascii_alphabetic() => return Err(at(format!("bad escape \\{c}"), place)),
            c => c,
        })
    }

    fn class(&mut self) -> Outcome<String> {
        let place = self.chars.at - 1;
        let mut out = String::from("[");
        if self.chars.peek() == Some('^') {
            self.chars.advance(1);
            out.push('^');
        }
        let first = self.chars.at;
        loop {
            let begin = self.chars.at;
            let Some(c) = self.chars.next() else {
                return Err(at("unterminated character set", place));
            };
            if c == ']' && begin != first {
                break;
            }
            let low = self.member(c, place)?;
            let is_range = self.chars.peek() == Some('-')
                && self.chars.peek_at(1).is_some_and(|next| next != ']');
            if !is_range {
                push_member(&mut out, &low);
                continue;
            }
            self.chars.advance(1);
            let Some(next) = self.chars.next() else {
                return Err(at("unterminated character set", place));
            };
            let high = self.member(next, place)?;
            match (&low, &high) {
                (Member::Char(low), Member::Char(high)) if low <= high => {
                    push_char(&mut out, *low);
                    out.push('-');
                    push_char(&mut out, *high);
                }
                _ => {
                    let text: String = self.chars.all[begin..self.chars.at].iter().collect();
                    return Err(at(format!("bad character range {text}"), begin));
                }
            }
        }
        out.push(']');
        Ok(if self.flags.ignore_case { format!("(?i:{out})") } else { out })
    }

    fn member(&mut self, c: char, class: usize) -> Outcome<Member> {
        if c != '\\' {
            return Ok(Member::Char(c));
        }
        let place = self.chars.at - 1;
        let Some(c) = self.chars.next() else {
            return Err(at("unterminated character set", class));
        };
        Ok(match c {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Member::Set(self.shorthand(c)),
            'b' => Member::Char('\x08'),
            '0'..='7' => {
                let value = c.to_digit(8).unwrap_or(0);
                let more = [self.chars.peek(), self.chars.peek_at(1)];
                let more = more.iter().take_while(|c| c.is_some_and(|c| c.is_digit(8))).count();
                let rest = self.chars.digits(8, 2).unwrap_or(0);
                Member::Char(char::from_u32(value * 8u32.pow(more as u32) + rest).unwrap_or('\0'))
            }
            '8' | '9' => return Err(at(format!("bad escape \\{c}"), place)),
            c => Member::Char(self.escaped(c, place)?),
        })
    }
}

enum Member {
    Char(char),
    Set(&'static str),
}

fn push_member(out: &mut String, member: &Member) {
    match member {
        Member::Char(c) => push_char(out, *c),
        Member::Set(set) => out.push_str(set),
    }
}

/// A character of a set, escaped if the engines give it a meaning.
fn push_char(out: &mut String, c: char) {
    if matches!(c, '[' | ']' | '\\' | '^' | '-' | '&' | '~' | '#' | ' ') {
        out.push('\\');
    }
    out.push(c);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::regex::{Dialect, compile};

    fn first<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
        compile(Dialect::Python, pattern).unwrap().find(text).unwrap().map(|span| &text[span])
    }

    fn error(pattern: &str) -> String {
        compile(Dialect::Python, pattern).unwrap_err().to_string()
    }

    #[test]
    fn the_end_is_before_a_last_newline_too() {
        assert_eq!(first("^[a-z]+$", "ab\n"), Some("ab"));
        assert_eq!(first("^[a-z]+$", "ab\n\n"), None);
        assert_eq!(first(r"^[a-z]+\Z", "ab\n"), None);
        assert_eq!(first("(?m)^b$", "a\nb\nc"), Some("b"));
        assert_eq!(first("^b", "a\nb"), None);
    }

    #[test]
    fn sets_have_no_operators() {
        assert_eq!(first("[a&&b]+", "&&b"), Some("&&b"));
        assert_eq!(first("[]a]+", "]a"), Some("]a"));
        assert_eq!(first("[[:a]+", "[:a"), Some("[:a"));
        assert_eq!(first(r"[\w.-]+", "a-b.c"), Some("a-b.c"));
        assert_eq!(first(r"[\101-\103]+", "ABCD"), Some("ABC"));
        assert_eq!(first("[^a-c]", "abcd"), Some("d"));
    }

    #[test]
    fn groups_and_references() {
        assert_eq!(first(r"(?P<q>['x]).*?(?P=q)", "a'b'c"), Some("'b'"));
        assert_eq!(first(r"(a)?b(?(1)c|d)", "abc"), Some("abc"));
        assert_eq!(first(r"(?i:a)b", "Ab"), Some("Ab"));
        assert_eq!(first(r"(?<=a)b", "ab"), Some("b"));
        assert_eq!(first(r"a{,2}", "aaa"), Some("aa"));
        assert_eq!(first(r"a{x}", "a{x}"), Some("a{x}"));
        assert_eq!(first(r"a++b", "aab"), Some("aab"));
    }

    #[test]
    fn mistakes_have_pythons_words() {
        for (pattern, text) in [
            ("[a", "unterminated character set at position 0"),
            ("*a", "nothing to repeat at position 0"),
            ("a**", "multiple repeat at position 2"),
            ("(a", "missing ), unterminated subpattern at position 0"),
            ("a)", "unbalanced parenthesis at position 1"),
            ("[z-a]", "bad character range z-a at position 1"),
            (r"\q", r"bad escape \q at position 0"),
            (r"\1", "invalid group reference 1 at position 1"),
            ("a{3,1}", "min repeat greater than max repeat at position 2"),
            ("(?P<a>x)(?P=b)", "unknown group name 'b' at position 12"),
            ("(?z)", "unknown extension ?z at position 1"),
            ("a(?i)", "global flags not at the start of the expression at position 1"),
        ] {
            assert_eq!(error(pattern), text, "{pattern}");
        }
    }
}
