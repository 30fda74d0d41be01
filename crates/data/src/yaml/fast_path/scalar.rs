//! Scalars of the common form.

use ecow::EcoString;

use super::{Reader, Scalar, Supported, Unsupported, span};
use crate::yaml::tree::Style;

/// The bytes that may end a plain scalar.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let bytes = b"\n\t:#,[]{}";
    let mut i = 0;
    while i < bytes.len() {
        stops[bytes[i] as usize] = true;
        i += 1;
    }
    stops
};

impl Reader<'_> {
    /// A scalar, or its first line if it is plain. `flow` means between brackets. Trailing blanks
    /// are consumed.
    pub(super) fn line_scalar(&mut self, flow: bool) -> Supported<Scalar> {
        let start = self.at;
        let (text, style, end) = match self.peek() {
            b'"' => (self.double_quoted()?, Style::Quoted, self.at),
            b'\'' => (self.single_quoted()?, Style::Quoted, self.at),
            first => {
                let next = self.byte(start + 1);
                let may_start = match first {
                    b'-' => next.is_ascii_alphanumeric() || (!flow && !self.is_blank(start + 1)),
                    b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!'
                    | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' | b'\n' | b' ' | 0 => false,
                    _ => true,
                };
                if !may_start {
                    return Err(Unsupported);
                }
                let end = self.plain_line(flow)?;
                (self.text[start..end].into(), Style::Plain, end)
            }
        };
        self.skip_blanks();
        Ok(Scalar { text, style, span: span(start, end) })
    }

    /// The part of a plain scalar on this line; returns its end, without trailing spaces.
    fn plain_line(&mut self, flow: bool) -> Supported<usize> {
        let start = self.at;
        let mut at = start;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            at += rest.iter().take_while(|b| !STOPS[**b as usize]).count();
            let next = self.byte(at + 1);
            match self.byte(at) {
                b'\n' | 0 => break,
                b',' | b'[' | b']' | b'{' | b'}' if flow => break,
                b',' | b'[' | b']' | b'{' | b'}' => {}
                b'#' if at > start && self.bytes[at - 1] == b' ' => break,
                b'#' => {}
                b':' if matches!(next, b' ' | b'\n' | b'\t' | 0) => break,
                b':' if flow && matches!(next, b',' | b'[' | b']' | b'{' | b'}') => {
                    return Err(Unsupported);
                }
                b':' => {}
                _ => return Err(Unsupported),
            }
            at += 1;
        }
        self.at = at;
        let mut end = at;
        while end > start && self.bytes[end - 1] == b' ' {
            end -= 1;
        }
        Ok(end)
    }

    /// The continuation lines of a plain scalar, after a line break. They are indented deeper than
    /// the list or map at a column.
    pub(super) fn more_lines(&mut self, parent: i32, mut scalar: Scalar) -> Supported<i32> {
        while self.peek() == b'\n' {
            self.break_line();
            let mut empty = 0;
            self.skip_blanks();
            while self.peek() == b'\n' {
                empty += 1;
                self.break_line();
                self.skip_blanks();
            }
            match self.peek() {
                b'\t' => return Err(Unsupported),
                b'#' | 0 => break,
                _ if self.column()? <= parent => break,
                _ => {}
            }
            if empty == 0 {
                scalar.text.push(' ');
            }
            for _ in 0..empty {
                scalar.text.push('\n');
            }
            let start = self.at;
            let end = self.plain_line(false)?;
            if self.peek() == b':' {
                return Err(Unsupported);
            }
            scalar.text.push_str(&self.text[start..end]);
            scalar.span.end = super::to_u32(end);
        }
        self.push(scalar);
        self.next()
    }

    fn single_quoted(&mut self) -> Supported<EcoString> {
        let mut text = EcoString::new();
        loop {
            self.at += 1;
            let start = self.at;
            while !matches!(self.peek(), b'\'' | b'\n' | 0) {
                self.at += 1;
            }
            if self.peek() != b'\'' {
                return Err(Unsupported);
            }
            text.push_str(&self.text[start..self.at]);
            self.at += 1;
            if self.peek() != b'\'' {
                return Ok(text);
            }
            text.push('\'');
        }
    }

    fn double_quoted(&mut self) -> Supported<EcoString> {
        let mut text = EcoString::new();
        self.at += 1;
        loop {
            let start = self.at;
            while !matches!(self.peek(), b'"' | b'\\' | b'\n' | 0) {
                self.at += 1;
            }
            text.push_str(&self.text[start..self.at]);
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(text);
                }
                b'\\' => {
                    text.push(match self.byte(self.at + 1) {
                        b'n' => '\n',
                        b't' => '\t',
                        b'r' => '\r',
                        b'e' => '\u{1b}',
                        b'0' => '\0',
                        c @ (b' ' | b'"' | b'/' | b'\\') => char::from(c),
                        _ => return Err(Unsupported),
                    });
                    self.at += 2;
                }
                _ => return Err(Unsupported),
            }
        }
    }

    /// A scalar after `|` or `>`, below the list or map at a column.
    pub(super) fn block_scalar(&mut self, parent: i32, literal: bool) -> Supported<i32> {
        self.at += 1;
        let chomping = self.peek();
        if matches!(chomping, b'-' | b'+') {
            self.at += 1;
        }
        self.skip_blanks();
        if self.peek() != b'\n' {
            return Err(Unsupported);
        }
        self.break_line();
        let mut empty = self.empty_lines(usize::MAX)?;
        let indent = self.at - self.line;
        if self.is_end() || self.column()? <= parent || self.peek() == b'\t' {
            return Err(Unsupported);
        }
        let start = self.at;
        let mut text = EcoString::new();
        let (mut is_first, mut was_blank) = (true, false);
        while self.at - self.line == indent && !self.is_end() {
            let is_blank = matches!(self.peek(), b' ' | b'\t');
            if literal || was_blank || is_blank {
                empty += usize::from(!is_first);
            } else if !is_first && empty == 0 {
                text.push(' ');
            }
            (0..empty).for_each(|_| text.push('\n'));
            (is_first, was_blank) = (false, is_blank);
            let from = self.at;
            self.skip_line();
            text.push_str(&self.text[from..self.at]);
            if self.is_end() {
                // Programs disagree about texts without a final line break.
                return Err(Unsupported);
            }
            self.break_line();
            empty = self.empty_lines(indent)?;
        }
        if self.peek() == b'\t' {
            return Err(Unsupported);
        }
        if chomping != b'-' {
            text.push('\n');
        }
        if chomping == b'+' {
            (0..empty).for_each(|_| text.push('\n'));
        }
        let range = span(start, self.at);
        self.push(Scalar { text, style: Style::Block, span: range });
        self.at = self.line;
        self.next()
    }

    /// Skips empty lines, and the indentation of the next line up to a column; returns the number
    /// of empty lines.
    fn empty_lines(&mut self, indent: usize) -> Supported<usize> {
        let mut count = 0;
        let mut longest = 0;
        loop {
            while self.peek() == b' ' && self.at - self.line < indent {
                self.at += 1;
            }
            if self.peek() != b'\n' {
                break;
            }
            longest = longest.max(self.at - self.line);
            count += 1;
            self.break_line();
        }
        // The first line with text defines the indentation, unless a preceding empty line is
        // longer.
        if indent == usize::MAX && longest > self.at - self.line {
            return Err(Unsupported);
        }
        Ok(count)
    }
}
