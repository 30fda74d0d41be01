//! A place in a text that moves forward.

/// A position in a text, and the furthest position ever reached.
///
/// Parsers that try several productions report the furthest position that any of them reached,
/// because the mistake is there; so backtracking keeps [`Cursor::furthest`].
///
/// ```
/// use ordain_syntax::Cursor;
/// let mut cursor = Cursor::new("map[a] rest");
/// assert!(cursor.eat("map["));
/// let start = cursor.pos();
/// assert_eq!(cursor.take_while(char::is_alphanumeric), "a");
/// assert!(!cursor.eat("|") && cursor.eat("]"));
/// cursor.back_to(start);
/// assert_eq!((cursor.rest(), cursor.furthest()), ("a] rest", 6));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'t> {
    text: &'t str,
    pos: usize,
    furthest: usize,
}

impl<'t> Cursor<'t> {
    /// A cursor at the start of a text.
    #[inline]
    pub fn new(text: &'t str) -> Self {
        Self { text, pos: 0, furthest: 0 }
    }

    /// The whole text.
    #[inline]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The byte it stands at.
    #[inline]
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// The furthest byte it ever stood at.
    #[inline]
    pub fn furthest(&self) -> usize {
        self.furthest
    }

    /// Whether it stands at the end.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.pos == self.text.len()
    }

    /// The text behind it.
    #[inline]
    pub fn rest(&self) -> &'t str {
        &self.text[self.pos..]
    }

    /// The text from a place that it stood at.
    #[inline]
    pub fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.pos]
    }

    /// The next character.
    #[inline]
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Whether this text comes next.
    #[inline]
    pub fn at(&self, text: &str) -> bool {
        // As bytes, because most tests need only the first one or two.
        self.text.as_bytes()[self.pos..].starts_with(text.as_bytes())
    }

    /// Skips this many bytes, which must end on a character boundary.
    #[inline]
    pub fn skip(&mut self, len: usize) {
        self.pos += len;
        debug_assert!(self.text.is_char_boundary(self.pos), "inside of a character");
        self.furthest = self.furthest.max(self.pos);
    }

    /// Goes over the next character and gives it.
    #[inline]
    pub fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.skip(c.len_utf8());
        Some(c)
    }

    /// Goes over this text if it comes next.
    #[inline]
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.skip(text.len());
        }
        found
    }

    /// Skips a word, unless it continues with a character that belongs to a longer one.
    #[inline]
    pub fn eat_word(&mut self, word: &str, goes_on: impl Fn(char) -> bool) -> bool {
        let ends = self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(goes_on));
        if ends {
            self.skip(word.len());
        }
        ends
    }

    /// Skips all characters that pass the test and returns them.
    #[inline]
    pub fn take_while(&mut self, test: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        self.take(rest.find(|c| !test(c)).unwrap_or(rest.len()))
    }

    /// Skips this many bytes, which must end on a character boundary, and returns them.
    #[inline]
    pub fn take(&mut self, len: usize) -> &'t str {
        let taken = &self.rest()[..len];
        self.skip(len);
        taken
    }

    /// Returns to an earlier position; the furthest position stays.
    #[inline]
    pub fn back_to(&mut self, pos: usize) {
        debug_assert!(pos <= self.furthest, "not a way back");
        self.pos = pos;
    }

    /// Moves back over preceding characters that pass the test: they belong to the next token.
    #[inline]
    pub fn back_while(&mut self, test: impl Fn(char) -> bool) {
        self.pos = self.text[..self.pos].trim_end_matches(test).len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end() {
        let mut cursor = Cursor::new("not nothing");
        let letter = |c: char| c.is_alphabetic();
        assert!(cursor.eat_word("not", letter) && cursor.eat(" "));
        assert!(!cursor.eat_word("not", letter) && cursor.eat_word("nothing", letter));
        assert!(cursor.is_done() && cursor.peek().is_none() && cursor.bump().is_none());
    }

    #[test]
    fn characters_of_several_bytes() {
        let mut cursor = Cursor::new("äö ü");
        assert_eq!(cursor.bump(), Some('ä'));
        assert_eq!(cursor.take_while(char::is_alphabetic), "ö");
        assert_eq!((cursor.since(0), cursor.rest()), ("äö", " ü"));
        cursor.skip(1);
        cursor.back_while(char::is_whitespace);
        assert_eq!((cursor.pos(), cursor.furthest()), (4, 5));
    }
}
