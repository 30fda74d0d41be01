//! Writes to a terminal. All text for users is sanitized: of all escapes, a terminal gets only
//! those for our own styles.
//!
//! Text carries its styles as marks, Unicode noncharacters for internal use, which become escapes
//! if colour is enabled. An escape in the text itself comes from a name, a content or a message; it
//! is made visible and has no effect. Documents for programs are not sanitized.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::AnsiColor;
use ordain_source::printable::picture;

/// The style of a text. It must be understandable without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Unstyled text.
    Plain,
    /// An addition.
    Add,
    /// A removal or an error.
    Remove,
    /// A change or a warning.
    Change,
    /// A heading.
    Bold,
    /// Less important text.
    Dim,
}

/// The styles with a mark, in the order of the marks.
const MARKED_STYLES: [Style; 5] =
    [Style::Add, Style::Remove, Style::Change, Style::Bold, Style::Dim];

/// The mark of the first style.
const FIRST_MARK: char = '\u{fdd0}';

/// Ends a style.
pub(crate) const END: char = '\u{fddf}';

/// Marks as strings, for code that builds styled text itself.
pub(crate) mod marks {
    /// Starts an addition.
    pub(crate) const ADD: &str = "\u{fdd0}";
    /// Starts a removal.
    pub(crate) const REMOVE: &str = "\u{fdd1}";
    /// Ends a style.
    pub(crate) const END: &str = "\u{fddf}";
}

impl Style {
    /// The mark that starts this style; `None` for plain text.
    pub(crate) fn mark(self) -> Option<char> {
        let index = MARKED_STYLES.iter().position(|style| *style == self)?;
        char::from_u32(u32::from(FIRST_MARK) + u32::try_from(index).ok()?)
    }

    fn of_mark(mark: char) -> Option<Self> {
        let index = u32::from(mark).checked_sub(u32::from(FIRST_MARK))?;
        MARKED_STYLES.get(usize::try_from(index).ok()?).copied()
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

    /// Encloses a text in the marks of this style.
    pub(crate) fn apply(self, text: &str) -> String {
        match self.mark() {
            Some(mark) => format!("{mark}{text}{END}"),
            None => text.to_owned(),
        }
    }
}

/// A text in its form for the terminal. Marks become escapes, or nothing without colour; other
/// control characters become visible, except line breaks and tabs.
pub(crate) fn sanitize(text: &str, colour: bool) -> Cow<'_, str> {
    let passes = |c: char| match c {
        // The fast path: nearly all text is printed unchanged.
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
        // Writing to a string cannot fail.
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

/// A writer that sanitizes text.
pub(crate) struct Screen<W> {
    out: W,
    colour: bool,
    /// The first bytes of an incomplete UTF-8 character.
    rest: Vec<u8>,
}

impl<W: Write> Screen<W> {
    /// Wraps a writer.
    pub(crate) fn new(out: W, colour: bool) -> Self {
        Self { out, colour, rest: Vec::new() }
    }

    /// The inner writer, for documents that must not be sanitized.
    pub(crate) fn document(&mut self) -> &mut W {
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
                    self.out.write_all(sanitize(text, self.colour).as_bytes())?;
                    return Ok(bytes.len());
                }
                Err(error) => {
                    let (good, bad) = left.split_at(error.valid_up_to());
                    let good = String::from_utf8_lossy(good);
                    self.out.write_all(sanitize(&good, self.colour).as_bytes())?;
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
        assert_eq!(sanitize(&text, false), "+ a␛[8m�1m�\n\tx");
        assert_eq!(sanitize(&text, true), "\u{1b}[32m+ a\u{1b}[0m␛[8m�1m�\n\tx");
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
