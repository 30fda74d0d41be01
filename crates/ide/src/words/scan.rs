//! Tokens of unfinished texts: words, texts, comments and signs. A scan never fails, so an analysis
//! has names even where a parser stops.

use ordain_source::TextRange;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Word,
    /// A text with its quotes.
    Text,
    Comment,
    Sign,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    pub(crate) range: TextRange,
}

impl Token<'_> {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }

    pub(crate) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

/// The notation of a language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// The starts of comments that end with their line.
    pub(crate) comments: &'static [&'static str],
    /// Whether `/* … */` is a comment.
    pub(crate) has_block_comments: bool,
    /// The quotes of texts.
    pub(crate) quotes: &'static [&'static str],
    /// Characters of words besides letters, digits and underscores.
    pub(crate) in_words: &'static str,
    /// Signs of several characters.
    pub(crate) signs: &'static [&'static str],
    /// Whether `@(TAG)` starts a text that ends with a line `TAG`.
    pub(crate) has_heredocs: bool,
}

/// The notation of Puppet.
pub(crate) const PUPPET: Style = Style {
    comments: &["#"],
    has_block_comments: true,
    quotes: &["'", "\""],
    in_words: ":$",
    signs: &["=>", "+>", "<|", "|>", "->", "~>", "==", "!=", "=~", "!~"],
    has_heredocs: true,
};

/// Visits the tokens of a text in Puppet, comments left out.
pub(crate) fn puppet<'t>(text: &'t str, mut visit: impl FnMut(Token<'t>)) {
    scan(text, PUPPET, |token| {
        if token.kind != Kind::Comment {
            visit(token);
        }
    });
}

/// All tokens of a text.
pub(crate) fn tokens(text: &str, style: Style) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    scan(text, style, |token| out.push(token));
    out
}

/// Visits the tokens of a text.
pub(crate) fn scan<'t>(text: &'t str, style: Style, mut visit: impl FnMut(Token<'t>)) {
    let mut at = 0;
    let mut heredocs: Vec<String> = Vec::new();
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            if c == '\n' {
                for tag in heredocs.drain(..) {
                    at += heredoc(&text[at..], &tag);
                }
            }
            continue;
        }
        let (kind, length) = token(&text[at..], c, style);
        let found = &text[at..at + length];
        let range = TextRange::new(at as u32, (at + length) as u32);
        visit(Token { kind, text: found, range });
        if style.has_heredocs && found == "@(" {
            heredocs.extend(tag(&text[at + length..]));
        }
        at += length;
    }
}

fn token(rest: &str, c: char, style: Style) -> (Kind, usize) {
    let line = || rest.find('\n').unwrap_or(rest.len());
    if style.comments.iter().any(|start| rest.starts_with(start)) {
        return (Kind::Comment, line());
    }
    if style.has_block_comments && rest.starts_with("/*") {
        return (Kind::Comment, rest[2..].find("*/").map_or(rest.len(), |end| end + 4));
    }
    if let Some(quote) = style.quotes.iter().find(|quote| rest.starts_with(**quote)) {
        return (Kind::Text, quoted(rest, quote));
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || style.in_words.contains(c);
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let word = rest[..length].trim_end_matches(':');
    // A colon alone, or after a word, is a sign.
    if !word.is_empty() {
        return (Kind::Word, word.len());
    }
    if style.has_heredocs && rest.starts_with("@(") {
        return (Kind::Sign, 2);
    }
    let sign = style.signs.iter().find(|sign| rest.starts_with(**sign));
    (Kind::Sign, sign.map_or(c.len_utf8(), |sign| sign.len()))
}

/// The length of a text with its quotes; to the end if it is not closed.
fn quoted(rest: &str, quote: &str) -> usize {
    let mut at = quote.len();
    while at < rest.len() {
        if rest[at..].starts_with('\\') {
            at += 1;
            at += rest[at..].chars().next().map_or(0, char::len_utf8);
        } else if rest[at..].starts_with(quote) {
            return at + quote.len();
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The tag of a heredoc, from the text behind `@(`.
fn tag(rest: &str) -> Option<String> {
    let inside = rest.split([')', '\n']).next()?;
    let name = inside.split([':', '/']).next()?;
    let name = name.trim().trim_matches('"').trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The length of a heredoc's text, from the line after its tag to the line that ends it.
fn heredoc(rest: &str, tag: &str) -> usize {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        let end = line.trim().trim_start_matches('|').trim_start().trim_start_matches('-');
        if end.trim() == tag {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        tokens(text, PUPPET).iter().map(|token| token.text).collect()
    }

    #[test]
    fn tokens_of_puppet() {
        assert_eq!(
            of("a::b { 'x': y => $z, }"),
            ["a::b", "{", "'x'", ":", "y", "=>", "$z", ",", "}"]
        );
        assert_eq!(of("# {\n/* { */ \"a\\\"}\" {"), ["# {", "/* { */", "\"a\\\"}\"", "{"]);
        assert_eq!(of("$x = @(END)\n {\n  | END\n}"), ["$x", "=", "@(", "END", ")", "}"]);
    }

    #[test]
    fn unfinished_texts_have_tokens() {
        for text in ["'", "\"\\", "/*", "@(", "@(X", "@(X)\n", "ä'ä\\", "\\", "$", ":", "::", "€"]
        {
            let length: usize = tokens(text, PUPPET).iter().map(|t| t.text.len()).sum();
            assert!(length <= text.len(), "{text}");
        }
    }
}
