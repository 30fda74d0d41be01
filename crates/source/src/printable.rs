//! Text that is safe for a terminal.
//!
//! Names, contents and messages come from others: a terminal would interpret control characters in
//! them, and bidirectional control characters can disguise a text. Each of these is replaced by a
//! visible character, as in the excerpts of diagnostics: `␛` for an escape, `�` for characters
//! without a picture.

use std::borrow::Cow;

/// The visible replacement of a control character; `None` for all others. [`printable`] keeps line
/// ends and tabs, which are control characters, too.
pub fn picture(c: char) -> Option<char> {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => Some(char::REPLACEMENT_CHARACTER),
        _ => None,
    }
}

/// A text of any number of lines without control characters except line ends and tabs.
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |c| matches!(c, '\n' | '\t'))
}

/// The same for a single line: line ends and tabs are replaced, too.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

pub(crate) fn replaced(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let shown = |c: char| picture(c).filter(|_| !is_kept(c));
    if text.chars().all(|c| shown(c).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| shown(c).unwrap_or(c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        let text = "a\u{1b}[31mb\u{7f}\u{9b}1mc\u{202e}d\re\nf\tg é 日本";
        assert_eq!(printable(text), "a␛[31mb␡�1mc�d␍e\nf\tg é 日本");
        assert_eq!(printable_line(text), "a␛[31mb␡�1mc�d␍e␊f␉g é 日本");
        assert!(matches!(printable("plain\ntext é"), Cow::Borrowed(_)));
        for c in (0..0x11_0000).filter_map(char::from_u32).filter(|c| c.is_control()) {
            assert!(picture(c).is_some_and(|shown| !shown.is_control()), "{c:?}");
        }
    }
}
