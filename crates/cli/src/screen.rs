//! The gate to standard output: what people read goes through it, and nothing that a terminal would
//! obey comes out but our own styles.
//!
//! Text carries its styles as marks, characters that Unicode keeps free for use inside of programs;
//! the gate makes escapes of them where colour is wanted. So an escape that reaches the gate came
//! with a name, a content or a message, and is shown and not obeyed. Documents for programs do not
//! go through it: they are what they are.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::AnsiColor;
use ordain_source::printable::picture;

/// How text looks. It says the same without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// As any text.
    Plain,
    /// A thing that comes.
    Add,
    /// A thing that goes, or is wrong.
    Remove,
    /// A thing that changes, or may be wrong.
    Change,
    /// A heading.
    Bold,
    /// A remark.
    Dim,
}

/// The styles that have marks; the first has the first mark.
const MARKED: [Style; 5] = [Style::Add, Style::Remove, Style::Change, Style::Bold, Style::Dim];

/// The mark of the first style.
const FIRST: char = '\u{fdd0}';

/// Ends a style.
pub const END: char = '\u{fddf}';

/// Marks as text, for those who write styles themselves.
pub mod marks {
    /// Begins what comes.
    pub const ADD: &str = "\u{fdd0}";
    /// Begins what goes.
    pub const REMOVE: &str = "\u{fdd1}";
    /// Ends a style.
    pub const END: &str = "\u{fddf}";
}

impl Style {
    /// The mark that begins this style; nothing for plain text.
    pub fn mark(self) -> Option<char> {
        let index = MARKED.iter().position(|style| *style == self)?;
        char::from_u32(u32::from(FIRST) + u32::try_from(index).ok()?)
    }

    fn of_mark(mark: char) -> Option<Self> {
        let index = u32::from(mark).checked_sub(u32::from(FIRST))?;
        MARKED.get(usize::try_from(index).ok()?).copied()
    }

    fn ansi(self) -> anstyle::Style {
        match self {
            Self::Plain => anstyle::Style::new(),
            Self::Add => AnsiColor::Green.on_default(),
            Self::Remove => AnsiColor::Red.on_default(),
            Self::Change => AnsiColor::Yellow.on_default(),
            Self::Bold => anstyle::Style::new().bold(),
            Self::Dim => anstyle::Style::new().dimmed(),
        }
    }

    /// A text in this style, for the gate.
    pub fn apply(self, text: &str) -> String {
        match self.mark() {
            Some(mark) => format!("{mark}{text}{END}"),
            None => text.to_owned(),
        }
    }
}

/// A text as a terminal gets it: marks become escapes, or nothing without colour; what a terminal
/// would obey is shown, but for line ends and tabs.
pub fn gated(text: &str, colour: bool) -> Cow<'_, str> {
    let passes = |c: char| match c {
        // Nearly all there is: a terminal prints it as it is.
        ' '..='~' | '\n' | '\t' => true,
        END => false,
        c => picture(c).is_none() && Style::of_mark(c).is_none(),
    };
    if text.chars().all(passes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if passes(c) {
            out.push(c);
            continue;
        }
        // Writing to text cannot fail.
        let _ = match (Style::of_mark(c), picture(c)) {
            (Some(style), _) if colour => write!(out, "{}", style.ansi()),
            (None, _) if c == END && colour => write!(out, "{}", anstyle::Reset),
            (Some(_), _) => Ok(()),
            (None, _) if c == END => Ok(()),
            (None, Some(shown)) => write!(out, "{shown}"),
            (None, None) => write!(out, "{c}"),
        };
    }
    Cow::Owned(out)
}

/// Standard output behind the gate.
pub struct Screen<W> {
    out: W,
    colour: bool,
    /// The beginning of a character of which the rest comes later.
    rest: Vec<u8>,
}

impl<W: Write> Screen<W> {
    /// With a gate in front of this.
    pub fn new(out: W, colour: bool) -> Self {
        Self { out, colour, rest: Vec::new() }
    }

    /// The same without the gate, for documents.
    pub fn document(&mut self) -> &mut W {
        &mut self.out
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined: Vec<u8>;
        let mut left = bytes;
        if !self.rest.is_empty() {
            joined = [std::mem::take(&mut self.rest), bytes.to_vec()].concat();
            left = &joined;
        }
        loop {
            match std::str::from_utf8(left) {
                Ok(text) => {
                    self.out.write_all(gated(text, self.colour).as_bytes())?;
                    return Ok(bytes.len());
                }
                Err(error) => {
                    let (good, bad) = left.split_at(error.valid_up_to());
                    let good = String::from_utf8_lossy(good);
                    self.out.write_all(gated(&good, self.colour).as_bytes())?;
                    let Some(length) = error.error_len() else {
                        self.rest = bad.to_vec();
                        return Ok(bytes.len());
                    };
                    self.out.write_all("\u{fffd}".as_bytes())?;
                    left = &bad[length..];
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_styles_become_escapes() {
        let text = format!("{}\u{1b}[8m\u{9b}1m\u{202e}\n\tx", Style::Add.apply("+ a"));
        assert_eq!(format!("{}+ a{}", marks::ADD, marks::END), Style::Add.apply("+ a"));
        assert_eq!(Style::Remove.apply(""), [marks::REMOVE, marks::END].concat());
        assert_eq!(gated(&text, false), "+ a␛[8m�1m�\n\tx");
        assert_eq!(gated(&text, true), "\u{1b}[32m+ a\u{1b}[0m␛[8m�1m�\n\tx");
    }

    #[test]
    fn characters_may_come_in_pieces() {
        let mut screen = Screen::new(Vec::new(), false);
        for byte in "é\u{9b}日\n".bytes() {
            screen.write_all(&[byte]).unwrap();
        }
        screen.write_all(b"a\xffb").unwrap();
        screen.document().write_all(b"\x1b").unwrap();
        assert_eq!(screen.out, "é�日\na\u{fffd}b\u{1b}".as_bytes());
    }
}
