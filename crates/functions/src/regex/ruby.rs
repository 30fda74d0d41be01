//! Translates Ruby's regular expressions (Onigmo syntax) for the Rust engines.
//!
//! A single pass tracks flags and writes them where they matter, turns names into numbers, and
//! removes free spacing and comments. The result has the same meaning in both engines.

use std::collections::HashMap;

use super::chars::Chars;
use super::class::{self, Charset};
use super::quantifier::{self, Quantifier};

/// The maximum depth of groups.
const MAX_DEPTH: usize = 200;
/// The maximum number of consecutive repetition operators.
const MAX_CHAIN: usize = 20;

/// A pattern in the engines' notation.
pub(super) struct Translation {
    pub(super) text: String,
    /// Whether it needs look-around, back-references, atomic groups or similar features.
    pub(super) needs_backtracking: bool,
    /// Whether it contains `^`, which the linear engine matches at more positions.
    pub(super) has_line_start: bool,
    pub(super) groups: usize,
    pub(super) names: Vec<(String, Vec<usize>)>,
}

/// Translates a pattern; with `exact`, `^` is expanded for the backtracking engine.
///
/// # Errors
/// Ruby's message.
pub(super) fn translate(pattern: &str, exact: bool) -> Result<Translation, String> {
    let chars = Chars { all: pattern.chars().collect(), at: 0 };
    let mut translator = Translator {
        groups: Groups::of(&chars.all),
        chars,
        exact,
        flags: Flags {
            ignore_case: false,
            dot_all: false,
            extended: false,
            charset: Charset::Default,
        },
        open: Vec::new(),
        target: Target::None,
        isolated: 0,
        consumes: false,
        bad_reference: None,
        out: Translation {
            text: String::with_capacity(pattern.len() + 16),
            needs_backtracking: exact,
            has_line_start: false,
            groups: 0,
            names: Vec::new(),
        },
        name_places: HashMap::new(),
        forward_names: Vec::new(),
    };
    translator.run()?;
    translator.finish()
}

/// The capturing groups. If some have names, those without do not capture.
#[derive(Default)]
struct Groups {
    total: usize,
    has_names: bool,
    /// The first group of each name.
    named: HashMap<String, usize>,
}

impl Groups {
    fn of(all: &[char]) -> Self {
        let (mut plain, mut names, mut at, mut depth) = (0, 0, 0, 0_usize);
        let mut named = HashMap::new();
        while let Some(&c) = all.get(at) {
            match c {
                '\\' => at += 1,
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                '(' if depth == 0 => match name_of_group(all.get(at + 1..).unwrap_or_default()) {
                    Some(name) => {
                        names += 1;
                        named.entry(name).or_insert(names);
                    }
                    None if all.get(at + 1) == Some(&'?') => {}
                    None => plain += 1,
                },
                _ => {}
            }
            at += 1;
        }
        let has_names = names > 0;
        Self { total: if has_names { names } else { plain }, has_names, named }
    }
}

/// The name in `?<name>` or `?'name'`.
fn name_of_group(rest: &[char]) -> Option<String> {
    let (end, name) = match rest {
        ['?', '<', '=' | '!', ..] => return None,
        ['?', '<', name @ ..] => ('>', name),
        ['?', '\'', name @ ..] => ('\'', name),
        _ => return None,
    };
    Some(name.iter().take_while(|&&c| c != end && !matches!(c, '(' | ')')).collect())
}

#[derive(Clone, Copy)]
struct Flags {
    ignore_case: bool,
    dot_all: bool,
    extended: bool,
    charset: Charset,
}

/// A group that is still open.
struct Open {
    /// The start of its text in the output.
    start: usize,
    flags: Flags,
    isolated: usize,
    /// Whether it is look-around, which consumes no text.
    zero_width: bool,
    /// Whether a part before it in the surrounding group consumes text.
    consumes: bool,
}

/// The operand of a repetition operator.
#[derive(Clone, Copy)]
enum Target {
    None,
    Atom(usize),
    /// An assertion: repeating it means once or not at all.
    ZeroWidth(usize),
}

struct Translator {
    chars: Chars,
    exact: bool,
    groups: Groups,
    flags: Flags,
    open: Vec<Open>,
    target: Target,
    /// Groups that options such as `(?i)` open, and that end with the surrounding group.
    isolated: usize,
    /// Whether a part of the innermost group consumes text.
    consumes: bool,
    out: Translation,
    /// The index of each name in the list of names.
    name_places: HashMap<String, usize>,
    /// The error of a reference; unbalanced groups come first.
    bad_reference: Option<String>,
    /// Names that were called before their groups.
    forward_names: Vec<String>,
}

impl Translator {
    fn run(&mut self) -> Result<(), String> {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => self.escape()?,
                '(' => self.group()?,
                ')' => self.close()?,
                '[' => {
                    let set = class::read(&mut self.chars, self.flags.charset)?;
                    self.atom(&set);
                }
                '|' => {
                    self.out.text.push('|');
                    self.target = Target::None;
                }
                '.' => self.atom(if self.flags.dot_all { "(?s:.)" } else { "[^\\n]" }),
                '^' => self.line_start(),
                '$' => self.assertion("(?m:$)"),
                '*' | '+' | '?' | '{' => self.repeat(c)?,
                '#' if self.flags.extended => self.skip_comment(),
                c if self.flags.extended && c.is_ascii_whitespace() => {}
                c => self.literal(c),
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Translation, String> {
        if !self.open.is_empty() {
            return Err("end pattern with unmatched parenthesis".into());
        }
        self.close_isolated(0);
        if let Some(reason) = self.bad_reference {
            return Err(reason);
        }
        if let Some(name) = self.forward_names.iter().find(|name| self.groups_named(name).is_none())
        {
            return Err(format!("undefined name <{name}> reference"));
        }
        Ok(self.out)
    }

    fn atom(&mut self, text: &str) {
        self.consumes = true;
        self.target = Target::Atom(self.out.text.len());
        self.out.text.push_str(text);
    }

    fn assertion(&mut self, text: &str) {
        self.target = Target::ZeroWidth(self.out.text.len());
        self.out.text.push_str(text);
    }

    fn fancy_atom(&mut self, text: &str) {
        self.out.needs_backtracking = true;
        self.atom(text);
    }

    fn fancy_assertion(&mut self, text: &str) {
        self.out.needs_backtracking = true;
        self.assertion(text);
    }

    fn literal(&mut self, c: char) {
        self.consumes = true;
        self.target = Target::Atom(self.out.text.len());
        let mut buffer = [0; 4];
        self.out.text.push_str(&::regex::escape(c.encode_utf8(&mut buffer)));
    }

    fn line_start(&mut self) {
        self.out.has_line_start = true;
        self.assertion(if self.exact { "(?:\\A|(?<=\\n)(?!\\z))" } else { "(?m:^)" });
    }

    fn skip_comment(&mut self) {
        while self.chars.next().is_some_and(|c| c != '\n') {}
    }

    /// Reads the operators that begin with `first` and applies them to the atom before.
    fn repeat(&mut self, first: char) -> Result<(), String> {
        self.chars.at -= 1;
        let mut chain = Vec::new();
        loop {
            self.skip_free_space()?;
            let Some((quantifier, used)) = quantifier::read(self.chars.rest())? else { break };
            if matches!(self.target, Target::None) {
                return Err("target of repeat operator is not specified".into());
            }
            self.chars.advance(used);
            chain.push(quantifier);
            if chain.len() > MAX_CHAIN {
                return Err("too deep nest level in regular expression".into());
            }
        }
        if chain.is_empty() {
            self.chars.advance(1);
            self.literal(first);
            return Ok(());
        }
        self.apply(&chain);
        Ok(())
    }

    fn skip_free_space(&mut self) -> Result<(), String> {
        loop {
            match self.chars.peek() {
                Some('#') if self.flags.extended => self.skip_comment(),
                Some(c) if self.flags.extended && c.is_ascii_whitespace() => self.chars.advance(1),
                Some('(') if self.chars.starts_with("(?#") => {
                    self.chars.advance(3);
                    self.group_comment()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn apply(&mut self, chain: &[Quantifier]) {
        match self.target {
            Target::None => {}
            Target::Atom(start) => {
                self.out.needs_backtracking |=
                    chain.iter().any(|quantifier| quantifier.is_possessive());
                quantifier::apply(chain, start, &mut self.out.text);
            }
            Target::ZeroWidth(start) => {
                if let Some(optional) = chain.iter().find(|quantifier| quantifier.min == 0) {
                    let opening = if optional.is_lazy() { "(?:|" } else { "(?:" };
                    self.out.text.insert_str(start, opening);
                    self.out.text.push_str(if optional.is_lazy() { ")" } else { "|)" });
                }
            }
        }
    }

    /// Closes the innermost group.
    fn close(&mut self) -> Result<(), String> {
        let Some(open) = self.open.pop() else { return Err("unmatched close parenthesis".into()) };
        self.close_isolated(open.isolated);
        self.out.text.push(')');
        self.flags = open.flags;
        let takes_text = self.consumes && !open.zero_width;
        self.target =
            if takes_text { Target::Atom(open.start) } else { Target::ZeroWidth(open.start) };
        self.consumes = open.consumes || takes_text;
        Ok(())
    }

    fn close_isolated(&mut self, until: usize) {
        for _ in until..self.isolated {
            self.out.text.push(')');
        }
        self.isolated = until;
    }

    fn begin(&mut self, text: &str, zero_width: bool) -> Result<(), String> {
        if self.open.len() + self.isolated >= MAX_DEPTH {
            return Err("too deep nest level in regular expression".into());
        }
        let start = self.out.text.len();
        self.open.push(Open {
            start,
            flags: self.flags,
            isolated: self.isolated,
            zero_width,
            consumes: self.consumes,
        });
        self.consumes = false;
        self.out.text.push_str(text);
        self.target = Target::None;
        Ok(())
    }

    fn begin_fancy(&mut self, text: &str, zero_width: bool, used: usize) -> Result<(), String> {
        self.chars.advance(used);
        self.out.needs_backtracking = true;
        self.begin(text, zero_width)
    }

    fn capture(&mut self) -> Result<usize, String> {
        self.begin("(", false)?;
        self.out.groups += 1;
        Ok(self.out.groups)
    }

    /// Reads a group after its opening parenthesis.
    fn group(&mut self) -> Result<(), String> {
        if self.chars.peek() != Some('?') {
            if self.groups.has_names {
                return self.begin("(?:", false);
            }
            return self.capture().map(|_| ());
        }
        self.chars.advance(1);
        match (self.chars.peek(), self.chars.peek_at(1)) {
            (None, _) => Err("end pattern in group".into()),
            (Some(':'), _) => {
                self.chars.advance(1);
                self.begin("(?:", false)
            }
            (Some('='), _) => self.begin_fancy("(?=", true, 1),
            (Some('!'), _) => self.begin_fancy("(?!", true, 1),
            (Some('>'), _) => self.begin_fancy("(?>", false, 1),
            (Some('~'), _) => self.begin_fancy("(?~", false, 1),
            (Some('<'), Some('=')) => self.begin_fancy("(?<=", true, 2),
            (Some('<'), Some('!')) => self.begin_fancy("(?<!", true, 2),
            (Some('<'), None) => Err("end pattern with unmatched parenthesis".into()),
            (Some('<'), _) => self.named_group('>'),
            (Some('\''), _) => self.named_group('\''),
            (Some('#'), _) => self.group_comment(),
            (Some('('), _) => self.conditional(),
            _ => self.options(),
        }
    }

    /// Skips a comment up to its closing parenthesis.
    fn group_comment(&mut self) -> Result<(), String> {
        loop {
            match self.chars.next() {
                None => return Err("end pattern in group".into()),
                Some(')') => return Ok(()),
                Some('\\') => self.chars.advance(1),
                Some(_) => {}
            }
        }
    }

    fn named_group(&mut self, end: char) -> Result<(), String> {
        self.chars.advance(1);
        let name = self.name(end)?;
        if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Err(format!("invalid group name <{name}>"));
        }
        let group = self.capture()?;
        match self.name_places.get(&name).and_then(|&place| self.out.names.get_mut(place)) {
            Some((_, groups)) => groups.push(group),
            None => {
                self.name_places.insert(name.clone(), self.out.names.len());
                self.out.names.push((name, vec![group]));
            }
        }
        Ok(())
    }

    /// The groups of a name that have been read.
    fn groups_named(&self, name: &str) -> Option<&[usize]> {
        let (_, groups) = self.out.names.get(*self.name_places.get(name)?)?;
        Some(groups)
    }

    /// Reads a name up to its closing character.
    fn name(&mut self, end: char) -> Result<String, String> {
        let mut name = String::new();
        loop {
            match self.chars.next() {
                Some(c) if c == end && name.is_empty() => return Err("group name is empty".into()),
                Some(c) if c == end => break,
                Some(')') | None if name.is_empty() => return Err("group name is empty".into()),
                None => return Err(format!("invalid group name <{name}>")),
                Some(')') => {
                    name.push(')');
                    name.extend(std::iter::from_fn(|| self.chars.next()));
                    return Err(format!("invalid group name <{name}>"));
                }
                Some(c) => name.push(c),
            }
        }
        Ok(name)
    }

    /// Reads `(1)`, `(<1>)` or `(<name>)` of a conditional.
    fn conditional(&mut self) -> Result<(), String> {
        self.chars.advance(1);
        let group = match self.chars.peek() {
            Some(end @ ('<' | '\'')) => {
                self.chars.advance(1);
                let name = self.name(if end == '<' { '>' } else { '\'' })?;
                self.reference(&name)?.first().copied().unwrap_or(0)
            }
            _ => self.chars.digits(10, 5).unwrap_or(0) as usize,
        };
        if self.chars.next() != Some(')') {
            return Err("invalid conditional pattern".into());
        }
        if group == 0 || group > self.groups.total {
            return Err("invalid backref number/name".into());
        }
        self.out.needs_backtracking = true;
        self.begin(&format!("(?({group})"), false)
    }

    /// Reads `(?imx-imx)`, which applies up to the end of the group, or `(?imx-imx:`.
    fn options(&mut self) -> Result<(), String> {
        let mut flags = self.flags;
        let mut on = true;
        if self.chars.peek() == Some(')') {
            return Err("undefined group option".into());
        }
        loop {
            let c = self.chars.next().ok_or("end pattern in group")?;
            match c {
                '-' => on = false,
                'i' => flags.ignore_case = on,
                'm' => flags.dot_all = on,
                'x' => flags.extended = on,
                'a' if on => flags.charset = Charset::Ascii,
                'u' if on => flags.charset = Charset::Unicode,
                'd' if on => flags.charset = Charset::Default,
                ':' => {
                    let opening = case_group(flags.ignore_case);
                    self.begin(opening, false)?;
                    self.flags = flags;
                    return Ok(());
                }
                ')' => {
                    if self.open.len() + self.isolated >= MAX_DEPTH {
                        return Err("too deep nest level in regular expression".into());
                    }
                    self.out.text.push_str(case_group(flags.ignore_case));
                    self.isolated += 1;
                    self.flags = flags;
                    self.target = Target::None;
                    return Ok(());
                }
                _ => return Err("undefined group option".into()),
            }
        }
    }

    /// Reads an escape behind its backslash.
    fn escape(&mut self) -> Result<(), String> {
        let c = self.chars.next().ok_or("too short escape sequence")?;
        match c {
            'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' => self.shorthand(c),
            'b' => self.assertion("\\b"),
            'B' => self.assertion("\\B"),
            'A' => self.assertion("\\A"),
            'z' => self.assertion("\\z"),
            'Z' => self.fancy_assertion("(?=\\n?\\z)"),
            'G' => self.fancy_assertion("\\G"),
            'K' => self.fancy_assertion("\\K"),
            'R' => self.fancy_atom(r"(?>\r\n|[\n-\r\x{85}\x{2028}\x{2029}])"),
            'X' => self.fancy_atom(GRAPHEME),
            'k' if matches!(self.chars.peek(), Some('<' | '\'')) => self.named_reference()?,
            'g' if matches!(self.chars.peek(), Some('<' | '\'')) => self.call()?,
            'p' | 'P' if self.chars.peek() == Some('{') => {
                let set = class::property(&mut self.chars, c == 'P', self.flags.charset)?;
                self.atom(&set);
            }
            'u' if self.chars.peek() == Some('{') => {
                for c in self.chars.braced_code_points()? {
                    self.literal(c);
                }
            }
            '0' => {
                let c = self.chars.octal(c)?;
                self.literal(c);
            }
            '1'..='9' => self.numbered(c)?,
            _ => {
                let c = self.chars.escaped_char(c)?;
                self.literal(c);
            }
        }
        Ok(())
    }

    fn shorthand(&mut self, letter: char) {
        let body = class::shorthand(letter, self.flags.charset).unwrap_or_default();
        let negation = if letter.is_ascii_uppercase() { "^" } else { "" };
        // Case folding would add `ſ` and the Kelvin sign to `\w`.
        if self.flags.ignore_case {
            self.atom(&format!("(?-i:[{negation}{body}])"));
        } else {
            self.atom(&format!("[{negation}{body}]"));
        }
    }

    /// A back-reference by number, or an octal escape if there is no such group.
    fn numbered(&mut self, first: char) -> Result<(), String> {
        self.chars.at -= 1;
        let start = self.chars.at;
        let number = self.chars.digits(10, 5).unwrap_or(0) as usize;
        if number <= 9 || number <= self.out.groups {
            if self.groups.has_names {
                return Err("numbered backref/call is not allowed. (use name)".into());
            }
            if number > self.groups.total {
                self.bad_reference.get_or_insert_with(|| "invalid backref number/name".into());
                self.atom("(?:)");
                return Ok(());
            }
            self.fancy_atom(&format!("(?:\\{number})"));
            return Ok(());
        }
        self.chars.at = start + 1;
        let c = if first.is_digit(8) { self.chars.octal(first)? } else { first };
        self.literal(c);
        Ok(())
    }

    /// The groups of a name or a (relative) number.
    fn reference(&mut self, name: &str) -> Result<Vec<usize>, String> {
        let looks_numeric = name.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        if !looks_numeric {
            let groups = self.groups_named(name).map(<[usize]>::to_vec);
            return groups.ok_or_else(|| format!("undefined name <{name}> reference"));
        }
        let number: i64 = name.parse().map_err(|_| format!("invalid group name <{name}>"))?;
        let own = self.out.groups as i64;
        let group = match name.as_bytes().first() {
            Some(b'-') => own + 1 + number,
            Some(b'+') => own + number,
            _ => number,
        };
        if self.groups.has_names {
            return Err("numbered backref/call is not allowed. (use name)".into());
        }
        match usize::try_from(group) {
            Ok(group) if group <= self.groups.total => Ok(vec![group]),
            _ => Err("invalid backref number/name".into()),
        }
    }

    fn named_reference(&mut self) -> Result<(), String> {
        let end = if self.chars.next() == Some('<') { '>' } else { '\'' };
        let name = self.name(end)?;
        let groups = self.reference(&name)?;
        let choices: Vec<String> = groups.iter().rev().map(|group| format!("\\{group}")).collect();
        self.fancy_atom(&format!("(?:{})", choices.join("|")));
        Ok(())
    }

    /// A call of a group as a subroutine.
    fn call(&mut self) -> Result<(), String> {
        let end = if self.chars.next() == Some('<') { '>' } else { '\'' };
        let name = self.name(end)?;
        let group = match self.groups_named(&name) {
            Some(groups) => groups.first().copied().unwrap_or(0),
            None if name.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') => {
                self.reference(&name)?.first().copied().unwrap_or(0)
            }
            None => {
                let group = self.groups.named.get(&name).copied();
                let group = group.ok_or_else(|| format!("undefined name <{name}> reference"))?;
                self.forward_names.push(name);
                group
            }
        };
        self.fancy_atom(&format!("(?:\\g<{group}>)"));
        Ok(())
    }
}

fn case_group(ignore_case: bool) -> &'static str {
    if ignore_case { "(?i:" } else { "(?-i:" }
}

/// An approximation of an extended grapheme cluster: line breaks, flags, emoji sequences, and a
/// character with its marks.
const GRAPHEME: &str = r"(?>\r\n|\p{RI}\p{RI}|\p{Extended_Pictographic}[\p{M}\x{1F3FB}-\x{1F3FF}]*(?:\x{200D}\p{Extended_Pictographic}[\p{M}\x{1F3FB}-\x{1F3FF}]*)*|\P{M}[\p{M}\x{200D}]*|\p{M}+)";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::regex::{Dialect, Regex, compile};

    fn ruby(pattern: &str) -> Regex {
        compile(Dialect::Ruby, pattern).unwrap_or_else(|error| panic!("{error}"))
    }

    fn first<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
        ruby(pattern).find(text).unwrap().map(|span| &text[span])
    }

    fn error(pattern: &str) -> String {
        compile(Dialect::Ruby, pattern).unwrap_err().to_string()
    }

    #[test]
    fn anchors_are_those_of_lines() {
        assert_eq!(first("^b$", "a\nb\nc"), Some("b"));
        assert_eq!(first("a.b", "a\nb"), None);
        assert_eq!(first("(?m)a.b", "a\nb"), Some("a\nb"));
        assert_eq!(first("^$", "a\n"), None);
        assert_eq!(first("^$", "a\n\nb"), Some(""));
        assert_eq!(first(r"a\Z", "a\n"), Some("a"));
        assert_eq!(first(r"a\z", "a\n"), None);
    }

    #[test]
    fn shorthands_are_ascii_and_brackets_are_unicode() {
        assert_eq!(first(r"\w", "é"), None);
        assert_eq!(first(r"(?i)\w", "ſ"), None);
        assert_eq!(first("(?u)\\w", "é"), Some("é"));
        assert_eq!(first("[[:alpha:]]", "é"), Some("é"));
        assert_eq!(first("(?a)[[:alpha:]]", "é"), None);
        assert_eq!(first("[^[:^alpha:]]", "1b"), Some("b"));
        assert_eq!(first(r"\h+", "xfe9g"), Some("fe9"));
        assert_eq!(first(r"\p{^L}", "a1"), Some("1"));
        assert_eq!(first(r"[a-z&&[^b-y]]+", "bazm"), Some("az"));
    }

    #[test]
    fn options_without_colon_reach_to_the_end_of_the_group() {
        assert_eq!(first("a(?i)b|C", "aB"), Some("aB"));
        assert_eq!(first("a(?i)b|C", "c"), None);
        assert_eq!(first("(?x) a b # comment\n +", "abb"), Some("abb"));
    }

    #[test]
    fn names_hide_plain_groups() {
        let regex = ruby("(x)(?<a>y)(?<a>z)?");
        assert_eq!(regex.captures("xyz").unwrap().unwrap().spans().len(), 3);
        assert_eq!(regex.captures("xy").unwrap().unwrap().name("a"), Some(1..2));
        assert_eq!(regex.captures("xyz").unwrap().unwrap().name("a"), Some(2..3));
    }

    #[test]
    fn groups_may_be_called_before_they_stand() {
        assert_eq!(first(r"\g<b>-(?<a>x)(?<b>y)", "y-xy"), Some("y-xy"));
        assert_eq!(error(r"\g<c>(?<a>x)"), r"undefined name <c> reference: /\g<c>(?<a>x)/");
    }

    #[test]
    fn backtracking_constructs_work() {
        assert_eq!(first(r"(\w)\1", "abccd"), Some("cc"));
        assert_eq!(first(r"(?<=a)b(?!c)", "bcabcab"), Some("b"));
        assert_eq!(first("a++b", "aab"), Some("aab"));
        assert_eq!(first("a++a", "aaa"), None);
        assert_eq!(first(r"(?>a|ab)c", "abc"), None);
        assert_eq!(first(r"\((?:[^()]|\g<0>)*\)", "x(a(b)c)y"), Some("(a(b)c)"));
        assert_eq!(first(r"a\Rb", "a\r\nb"), Some("a\r\nb"));
        assert_eq!(first(r"\X", "e\u{301}x"), Some("e\u{301}"));
    }

    #[test]
    fn repetitions_follow_ruby() {
        assert_eq!(first("a{,2}", "aaa"), Some("aa"));
        assert_eq!(first("a{2}?", "aaa"), Some("aa"));
        assert_eq!(first("xa{2}?", "x"), Some("x"));
        assert_eq!(first("a{2}+", "aaaaa"), Some("aaaa"));
        assert_eq!(first("a{,}", "a{,}"), Some("a{,}"));
        assert_eq!(first("x^*y", "xy"), Some("xy"));
        assert_eq!(first("a**", "aa"), Some("aa"));
    }

    #[test]
    fn mistakes_are_reported_as_ruby_does() {
        assert_eq!(error("["), "premature end of char-class: /[/");
        assert_eq!(error("*"), "target of repeat operator is not specified: /*/");
        assert_eq!(error("("), "end pattern with unmatched parenthesis: /(/");
        assert_eq!(error("a)"), "unmatched close parenthesis: /a)/");
        assert_eq!(error("(?z)"), "undefined group option: /(?z)/");
        assert_eq!(error(r"\1"), r"invalid backref number/name: /\1/");
        assert_eq!(error("[z-a]"), "empty range in char class: /[z-a]/");
        assert_eq!(error("[]"), "empty char-class: /[]/");
        assert_eq!(error("\\"), "too short escape sequence: /\\/");
        assert_eq!(error("a{3,1}"), "upper is smaller than lower in repeat range: /a{3,1}/");
        assert_eq!(error("(?<a"), "invalid group name <a>: /(?<a/");
        assert_eq!(error(r"\p{Foo}"), r"invalid character property name {Foo}: /\p{Foo}/");
    }

    #[test]
    fn expensive_patterns_end() {
        let text = format!("{}b", "a".repeat(40));
        assert!(ruby("(a+)+$").is_linear());
        assert!(!ruby("(a+)+$").is_match(&text).unwrap());
        assert!(ruby("^(?:(?=a)a+)+$").is_match(&text).is_err());
        assert!(error("(a{1000}){1000}").starts_with("regular expression is too big"));
        let calls = "\\g<x>".repeat(40_000);
        assert!(!ruby(&format!("{calls}(?<x>a)")).is_linear());
        assert!(error(&"(".repeat(10_000)).starts_with("too deep nest level"));
    }
}
