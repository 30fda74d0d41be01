//! Escapes in quoted text.

use ecow::EcoString;
use ordain_source::TextRange;

use super::{Fatal, Lexer};
use crate::issue::warning;

/// The escapes that a text supports.
#[derive(Clone, Copy)]
pub(super) struct Escapes {
    /// The letters and signs that may follow the backslash.
    pub(super) chars: &'static str,
    /// A bit for each of `t r n s u L $`, in this order; only for heredocs with a choice.
    pub(super) chosen: u8,
    /// Whether an escape that is not known is worth a warning.
    pub(super) warn: bool,
}

/// More warnings than this are of no use to anyone.
const MAX_WARNINGS: usize = 200;

/// The letters that a heredoc can choose from.
pub(super) const HEREDOC_LETTERS: &str = "trnsuL$";

impl Escapes {
    pub(super) const DOUBLE_QUOTED: Self = Self { chars: "\\$'\"rntsu\n", chosen: 0, warn: true };

    pub(super) fn heredoc(chosen: u8) -> Self {
        let chars = if chosen == 0 { "" } else { "\\" };
        Self { chars, chosen, warn: false }
    }

    pub(super) fn knows(self, c: char) -> bool {
        let letter = if c == '\n' && self.chosen != 0 { 'L' } else { c };
        self.chars.contains(c)
            || (letter != 'L' || c == '\n')
                && HEREDOC_LETTERS.find(letter).is_some_and(|i| self.chosen & 1 << i != 0)
    }
}

/// Backslashes before `\` and `'` go; all others stay.
pub(super) fn single_quoted(text: &str) -> EcoString {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = EcoString::with_capacity(text.len());
    let mut rest = text;
    while let Some(i) = rest.find('\\') {
        out.push_str(&rest[..i]);
        let next = rest[i + 1..].chars().next();
        match next {
            Some(c @ ('\\' | '\'')) => {
                out.push(c);
                rest = &rest[i + 2..];
            }
            _ => {
                out.push('\\');
                rest = &rest[i + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

impl Lexer<'_, '_> {
    /// The text of a piece of quoted text between two positions, its escapes done.
    pub(super) fn unescape(
        &mut self,
        start: usize,
        end: usize,
        escapes: Escapes,
    ) -> Result<EcoString, Fatal> {
        let text = self.text;
        let piece = &text[start..end];
        if !piece.contains('\\') {
            return Ok(piece.into());
        }
        let unicode = escapes.knows('u') && piece.contains("\\u");
        if unicode && let Some(decoded) = self.unicode_escapes(piece, start)? {
            return Ok(self.simple_escapes(&decoded, start, escapes));
        }
        Ok(self.simple_escapes(piece, start, escapes))
    }

    /// Replaces `\uXXXX` and `\u{…}`; `None` if the text has no well-formed ones.
    fn unicode_escapes(&self, piece: &str, start: usize) -> Result<Option<String>, Fatal> {
        let mut out: Option<String> = None;
        let mut copied = 0;
        let mut at = 0;
        let bytes = piece.as_bytes();
        while let Some(&b) = bytes.get(at) {
            if b != b'\\' {
                at += 1;
                continue;
            }
            let Some((code, len)) = unicode_escape(&bytes[at..]) else {
                at += 2;
                continue;
            };
            let Some(c) = char::from_u32(code) else {
                if code > 0x10_FFFF {
                    at += 2;
                    continue;
                }
                return Err(self.fatal("ILLEGAL_UNICODE_ESCAPE", start + at, illegal_unicode));
            };
            let out = out.get_or_insert_with(String::new);
            out.push_str(&piece[copied..at]);
            out.push(c);
            at += len;
            copied = at;
        }
        if let Some(out) = &mut out {
            out.push_str(&piece[copied..]);
        }
        Ok(out)
    }

    fn simple_escapes(&mut self, piece: &str, start: usize, escapes: Escapes) -> EcoString {
        let mut out = EcoString::with_capacity(piece.len());
        let mut rest = piece;
        while let Some(i) = rest.find('\\') {
            out.push_str(&rest[..i]);
            let tail = &rest[i + 1..];
            let (c, len) = match tail.strip_prefix("\r\n") {
                Some(_) => ('\n', 2),
                None => match tail.chars().next() {
                    Some('\r') | None => {
                        out.push('\\');
                        rest = tail;
                        continue;
                    }
                    Some(c) => (c, c.len_utf8()),
                },
            };
            let at = start + (piece.len() - rest.len()) + i;
            if escapes.knows(c) {
                match c {
                    'r' => out.push('\r'),
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    's' => out.push(' '),
                    'u' => {
                        self.warn("ILLEGAL_UNICODE_ESCAPE", at, illegal_unicode());
                        out.push_str("\\u");
                    }
                    '\n' => {}
                    c => out.push(c),
                }
            } else {
                if escapes.warn {
                    let ch = &tail[..len];
                    let message = format!("Unrecognized escape sequence '\\{ch}'");
                    self.warn("UNRECOGNIZED_ESCAPE", at, message);
                }
                out.push('\\');
                out.push_str(&tail[..len]);
            }
            rest = &tail[len..];
        }
        out.push_str(rest);
        out
    }

    fn warn(&mut self, issue: &'static str, at: usize, message: String) {
        if self.out.warnings.len() >= MAX_WARNINGS {
            return;
        }
        // The position can be a little off behind a decoded character; it stays in the text.
        let at = self.out.place(self.base + at.min(self.text.len()) as u32);
        let span = TextRange::new(at, at).in_file(self.out.file);
        self.out.warnings.push(warning(issue, message).at(span));
    }
}

fn illegal_unicode() -> String {
    "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff"
        .into()
}

/// The code and length of `\uXXXX` or `\u{…}` at the start of `bytes`.
fn unicode_escape(bytes: &[u8]) -> Option<(u32, usize)> {
    let rest = bytes.strip_prefix(b"\\u")?;
    let hex = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    if let Some(braced) = rest.strip_prefix(b"{") {
        let n = braced.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        return ((1..=6).contains(&n) && braced.get(n) == Some(&b'}'))
            .then(|| hex(&braced[..n]))
            .flatten()
            .map(|code| (code, n + 4));
    }
    let digits = rest.get(..4).filter(|d| d.iter().all(u8::is_ascii_hexdigit))?;
    hex(digits).map(|code| (code, 6))
}
