//! Texts, words, regular expressions and heredocs.

use ecow::EcoString;

use super::parser::{Parse, Parser};
use super::token::{Delimiters, State, Tok, is_ident};
use super::{Part, RegexFlags};

/// Collects the parts of a text.
#[derive(Default)]
struct Parts {
    text: String,
    parts: Vec<Part>,
}

impl Parts {
    fn code(&mut self, expr: super::Expr) {
        self.flush();
        self.parts.push(Part::Code(expr));
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts.push(Part::Text(std::mem::take(&mut self.text).into()));
        }
    }

    fn finish(mut self) -> Vec<Part> {
        self.flush();
        self.parts
    }
}

impl Parser<'_> {
    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn unterminated<T>(&self) -> Parse<T> {
        Err(self.error("unterminated string meets end of file"))
    }

    /// Parses the parts up to the closing delimiter, which is consumed.
    pub(super) fn text_parts(&mut self, ends: Delimiters, interpolates: bool) -> Parse<Vec<Part>> {
        let mut parts = Parts::default();
        let mut depth = 0;
        loop {
            if interpolates && self.rest().starts_with("#{") {
                let code = self.interpolation()?;
                parts.code(code);
                continue;
            }
            let Some(c) = self.bump() else { return self.unterminated() };
            if c == ends.close && depth == 0 {
                return Ok(parts.finish());
            }
            match c {
                '\\' if interpolates => self.escape(&mut parts.text)?,
                '\\' => match self.peek() {
                    Some(next) if next == '\\' || next == ends.open || next == ends.close => {
                        self.bump();
                        parts.text.push(next);
                    }
                    _ => parts.text.push('\\'),
                },
                c => {
                    if c == ends.open && ends.open != ends.close {
                        depth += 1;
                    } else if c == ends.close {
                        depth -= 1;
                    }
                    parts.text.push(c);
                }
            }
        }
    }

    /// `#{…}` from the `#` on.
    fn interpolation(&mut self) -> Parse<super::Expr> {
        self.at += 2;
        let outer = std::mem::replace(&mut self.token, Tok::LineEnd);
        let outer_state = (self.space_before, self.after_dot, self.token_line, self.previous_line);
        let flags = self.enter();
        let heredoc = self.heredoc_end.take();
        let body = self.within(|p| {
            p.advance()?;
            let body = p.statements(&["}"])?;
            match p.token {
                Tok::Op("}") => Ok(body),
                _ => Err(p.unexpected()),
            }
        })?;
        self.heredoc_end = heredoc;
        self.leave(flags);
        self.token = outer;
        (self.space_before, self.after_dot, self.token_line, self.previous_line) = outer_state;
        Ok(body)
    }

    /// An escape in double quotes, after the backslash.
    fn escape(&mut self, out: &mut String) -> Parse<()> {
        let Some(c) = self.bump() else { return self.unterminated() };
        out.push(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            's' => ' ',
            'e' => '\u{1b}',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\n' => return Ok(()),
            'u' => return self.unicode(out),
            'x' => self.number_escape(16, 2, 0)?,
            '0'..='7' => {
                self.at -= 1;
                self.number_escape(8, 3, 0)?
            }
            'c' | 'C' | 'M' => return Err(self.unsupported("a control character escape")),
            c => c,
        });
        Ok(())
    }

    fn number_escape(&mut self, radix: u32, most: usize, start: u32) -> Parse<char> {
        let mut value = start;
        let mut count = 0;
        while count < most
            && let Some(digit) = self.peek().and_then(|c| c.to_digit(radix))
        {
            value = value * radix + digit;
            self.at += 1;
            count += 1;
        }
        if count == 0 {
            return Err(self.error("invalid hex escape"));
        }
        match char::from_u32(value) {
            Some(c) if c.is_ascii() => Ok(c),
            _ => Err(self.unsupported("a byte escape beyond ASCII")),
        }
    }

    fn unicode(&mut self, out: &mut String) -> Parse<()> {
        if self.peek() != Some('{') {
            let digits = self.rest().get(..4).unwrap_or("").to_owned();
            self.at += digits.len();
            return self.code_point(&digits, out);
        }
        self.at += 1;
        let Some(length) = self.rest().find('}') else { return self.unterminated() };
        let inside = self.rest()[..length].to_owned();
        self.at += length + 1;
        inside.split_whitespace().try_for_each(|digits| self.code_point(digits, out))
    }

    fn code_point(&self, digits: &str, out: &mut String) -> Parse<()> {
        match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
            Some(c) => out.push(c),
            None => return Err(self.error("invalid Unicode escape")),
        }
        Ok(())
    }

    /// A regular expression after its opening delimiter.
    pub(super) fn lex_regex(&mut self, ends: Delimiters) -> Parse<Tok> {
        let mut parts = Parts::default();
        let mut depth = 0;
        loop {
            if self.rest().starts_with("#{") {
                let code = self.interpolation()?;
                parts.code(code);
                continue;
            }
            let Some(c) = self.bump() else {
                return Err(self.error("unterminated regexp meets end of file"));
            };
            if c == ends.close && depth == 0 {
                break;
            }
            match c {
                '\\' => {
                    let Some(next) = self.bump() else { return self.unterminated() };
                    if next != '/' || ends.close != '/' {
                        parts.text.push('\\');
                    }
                    parts.text.push(next);
                    continue;
                }
                c if c == ends.open && ends.open != ends.close => depth += 1,
                c if c == ends.close => depth -= 1,
                _ => {}
            }
            parts.text.push(c);
        }
        let mut flags = RegexFlags::default();
        while let Some(c) = self.peek() {
            match c {
                'i' => flags.ignore_case = true,
                'm' => flags.multi_line = true,
                'x' => flags.extended = true,
                'o' | 'u' => {}
                'n' | 'e' | 's' => {
                    return Err(self.unsupported("an encoding of a regular expression"));
                }
                c if is_ident(c) => return Err(self.error(format!("unknown regexp option - {c}"))),
                _ => break,
            }
            self.at += 1;
        }
        Ok(Tok::Regex(parts.finish(), flags))
    }

    pub(super) fn is_percent_literal(&self, state: State) -> bool {
        let next = self.source[self.at + 1..].chars().next();
        let after = self.source[self.at + 1..].chars().nth(1);
        match next {
            Some('w' | 'W' | 'i' | 'I' | 'q' | 'Q' | 'r' | 's' | 'x') => {
                after.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace())
            }
            Some('=') => state != State::Arg,
            Some(c) => !c.is_alphanumeric() && !c.is_whitespace(),
            None => false,
        }
    }

    pub(super) fn lex_percent(&mut self) -> Parse<Tok> {
        self.at += 1;
        let kind = match self.peek() {
            Some(c) if c.is_alphabetic() => {
                self.at += 1;
                c
            }
            _ => 'Q',
        };
        let Some(open) = self.bump() else { return self.unterminated() };
        let ends = Delimiters::of(open);
        match kind {
            'Q' => Ok(Tok::Str(self.text_parts(ends, true)?)),
            'q' => Ok(Tok::Str(self.text_parts(ends, false)?)),
            's' => Ok(Tok::InterpolatedSymbol(self.text_parts(ends, false)?)),
            'w' | 'W' => Ok(Tok::Words(self.words(ends, kind == 'W')?)),
            'i' | 'I' => Ok(Tok::Symbols(self.words(ends, kind == 'I')?)),
            'r' => self.lex_regex(ends),
            _ => Err(self.unsupported("a command")),
        }
    }

    fn words(&mut self, ends: Delimiters, interpolates: bool) -> Parse<Vec<Vec<Part>>> {
        let mut words = Vec::new();
        let mut word = Parts::default();
        let mut depth = 0;
        loop {
            if interpolates && self.rest().starts_with("#{") {
                let code = self.interpolation()?;
                word.code(code);
                continue;
            }
            let Some(c) = self.bump() else {
                return Err(self.error("unterminated list meets end of file"));
            };
            let ends_here = c == ends.close && depth == 0;
            if ends_here || c.is_whitespace() {
                let parts = std::mem::take(&mut word).finish();
                if !parts.is_empty() {
                    words.push(parts);
                }
                if ends_here {
                    return Ok(words);
                }
                continue;
            }
            match c {
                '\\' if self.peek().is_some_and(char::is_whitespace) => {
                    word.text.extend(self.bump());
                    continue;
                }
                '\\' if interpolates => {
                    self.escape(&mut word.text)?;
                    continue;
                }
                '\\' if self
                    .peek()
                    .is_some_and(|c| c == '\\' || c == ends.open || c == ends.close) =>
                {
                    word.text.extend(self.bump());
                    continue;
                }
                c if c == ends.open && ends.open != ends.close => depth += 1,
                c if c == ends.close => depth -= 1,
                _ => {}
            }
            word.text.push(c);
        }
    }

    pub(super) fn is_heredoc(&self, state: State) -> bool {
        let may = match state {
            State::Begin | State::Middle => true,
            State::Arg => self.space_before,
            _ => false,
        };
        let Some(rest) = self.rest().strip_prefix("<<").filter(|_| may) else { return false };
        let rest = rest.strip_prefix(['~', '-']).unwrap_or(rest);
        rest.starts_with(|c: char| c.is_uppercase() || c == '_' || c == '"' || c == '\'')
            || rest.len() < self.rest().len() - 2 && rest.starts_with(char::is_alphabetic)
    }

    /// A heredoc. Its body begins on the next line, or after the heredoc before it.
    pub(super) fn lex_heredoc(&mut self) -> Parse<Tok> {
        self.at += 2;
        let style = self.peek().filter(|c| matches!(c, '~' | '-'));
        self.at += usize::from(style.is_some());
        let quote = self.peek().filter(|c| matches!(c, '"' | '\''));
        let name = match quote {
            Some(quote) => {
                self.at += 1;
                let Some(length) = self.rest().find(quote) else { return self.unterminated() };
                let name = EcoString::from(&self.rest()[..length]);
                self.at += length + 1;
                name
            }
            None => self.word(),
        };
        let resume = (self.at, self.line);
        match self.heredoc_end.take() {
            Some(place) => (self.at, self.line) = place,
            None => {
                let length = self.rest().find('\n').map_or(self.rest().len(), |i| i + 1);
                self.at += length;
                self.line += 1;
            }
        }
        let parts = self.heredoc_body(&name, style, quote != Some('\''))?;
        self.heredoc_end = Some((self.at, self.line));
        (self.at, self.line) = resume;
        Ok(Tok::Str(parts))
    }

    fn heredoc_body(
        &mut self,
        name: &str,
        style: Option<char>,
        interpolates: bool,
    ) -> Parse<Vec<Part>> {
        let indent = if style == Some('~') { self.heredoc_indent(name) } else { 0 };
        let mut parts = Parts::default();
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(self.error(format!("can't find string \"{name}\" anywhere before EOF")));
            }
            let line = rest.split('\n').next().unwrap_or("");
            let is_end = match style {
                None => line == name,
                Some(_) => line.trim_start() == name,
            };
            if is_end {
                self.at += line.len();
                if self.peek().is_some() {
                    self.at += 1;
                }
                self.line += 1;
                return Ok(parts.finish());
            }
            self.at += strip_width(line, indent);
            loop {
                if interpolates && self.rest().starts_with("#{") {
                    let code = self.interpolation()?;
                    parts.code(code);
                    continue;
                }
                match self.bump() {
                    Some('\n') => {
                        parts.text.push('\n');
                        break;
                    }
                    Some('\\') if interpolates => self.escape(&mut parts.text)?,
                    Some(c) => parts.text.push(c),
                    None => break,
                }
            }
        }
    }

    /// The smallest indentation of lines with text.
    fn heredoc_indent(&self, name: &str) -> usize {
        let lines = self.rest().lines().take_while(|line| line.trim_start() != name);
        let filled = lines.filter(|line| !line.trim().is_empty());
        filled
            .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
            .min()
            .unwrap_or(0)
    }
}

/// The number of blanks to remove from the start of a line.
fn strip_width(line: &str, indent: usize) -> usize {
    line.bytes().take(indent).take_while(|b| matches!(b, b' ' | b'\t')).count()
}
