//! Heredocs: `@(TAG)` and the lines of text that follow.

use std::rc::Rc;

use ordain_source::{Label, PlaceMap, TextRange};

use super::escape::{Escapes, HEREDOC_LETTERS};
use super::strings::Quote;
use super::{
    Fatal, Lexer, MAX_HEREDOC_NESTING, Segment, Step, Token, TokenKind, is_blank, is_word,
};

/// The tag between the parentheses.
struct HeredocTag<'t> {
    tag: &'t str,
    syntax: &'t str,
    interpolates: bool,
    /// A bit for each letter of [`HEREDOC_LETTERS`].
    escapes: u8,
}

/// The line that ends a heredoc.
struct EndLine<'t> {
    leading: &'t str,
    margin: bool,
    remove_break: bool,
}

impl<'t> Lexer<'t, '_> {
    pub(super) fn heredoc(&mut self) -> Step {
        let before = self.pos;
        let Some(len) = self.text[before..].find(')') else {
            let followed_by = self.followed_by(before);
            return Err(self.fatal("HEREDOC_UNCLOSED_PARENTHESIS", before, || {
                format!("Unclosed parenthesis after '@(' followed by '{followed_by}'")
            }));
        };
        let after_tag = before + len + 1;
        let spec = self.heredoc_spec(before, after_tag)?;
        self.push_text(TokenKind::Heredoc, before, after_tag, spec.syntax.into());
        let text_start = match self.newline_jump {
            Some(jump) => jump,
            None => match self.text[after_tag..].find('\n') {
                Some(i) => after_tag + i + 1,
                None => {
                    return Err(self.fatal("HEREDOC_WITHOUT_TEXT", after_tag, || {
                        "Heredoc without any following lines of text".into()
                    }));
                }
            },
        };
        let ended = self.heredoc_end(&spec, text_start);
        let (text_end, end_line, next) =
            ended.map_err(|fatal| self.without_end(fatal, &spec, before..after_tag, text_start))?;
        self.newline_jump = Some(next);
        if self.base == 0 {
            self.out.heredocs.push(TextRange::new(text_start as u32, next as u32));
        }
        let place = self.base + text_start as u32;
        self.out.tokens.push(Token {
            kind: TokenKind::Sublocate,
            start: place,
            end: place,
            aux: 0,
        });
        self.heredoc_text(&spec, &end_line, text_start, text_end)?;
        self.pos = after_tag;
        Ok(())
    }

    fn heredoc_spec(&self, before: usize, after_tag: usize) -> Result<HeredocTag<'t>, Fatal> {
        let text = self.text;
        let inner = &text[before + 2..after_tag - 1];
        let bad = || {
            self.fatal("HEREDOC_INVALID_SYNTAX", after_tag, || {
                "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])".into()
            })
        };
        let tag_len = inner.find([':', '/', '\r', '\n']).unwrap_or(inner.len());
        let (raw_tag, mut rest) = inner.split_at(tag_len);
        if raw_tag.is_empty() {
            return Err(bad());
        }
        let mut syntax = "";
        if let Some(tail) = rest.strip_prefix(':') {
            let tail = tail.trim_start_matches(is_blank);
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+');
            let len = tail.find(|c| !good(c)).unwrap_or(tail.len());
            if len < 2 || !tail.starts_with(|c: char| c.is_ascii_lowercase()) {
                return Err(bad());
            }
            syntax = &tail[..len];
            rest = tail[len..].trim_start_matches(is_blank);
        }
        let mut letters = None;
        if let Some(tail) = rest.strip_prefix('/') {
            let good = |c: char| c.is_ascii() && is_word(c as u8) || c == '$';
            let len = tail.find(|c| !good(c)).unwrap_or(tail.len());
            letters = Some(&tail[..len]);
            rest = tail[len..].trim_start_matches(is_blank);
        }
        if !rest.is_empty() {
            return Err(bad());
        }
        let mut tag = raw_tag.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
        let quoted = tag.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
        if let Some(quoted) = quoted {
            tag = quoted.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
        }
        if tag.is_empty() {
            return Err(self.fatal("HEREDOC_EMPTY_ENDTAG", after_tag, || {
                "Heredoc with an empty endtag".into()
            }));
        }
        let escapes = self.heredoc_escapes(letters, after_tag)?;
        Ok(HeredocTag { tag, syntax, interpolates: quoted.is_some(), escapes })
    }

    fn heredoc_escapes(&self, letters: Option<&str>, at: usize) -> Result<u8, Fatal> {
        let Some(letters) = letters else { return Ok(0) };
        let letters = if letters.is_empty() { HEREDOC_LETTERS } else { letters };
        let repeated = letters.char_indices().any(|(i, c)| letters[..i].contains(c));
        if repeated {
            let all: Vec<String> = letters.chars().map(String::from).collect();
            return Err(self.fatal("HEREDOC_MULTIPLE_AT_ESCAPES", at, || {
                format!("An escape char for @() may only appear once. Got '{}'", all.join(", "))
            }));
        }
        let mut chosen = 0;
        for c in letters.chars() {
            match HEREDOC_LETTERS.find(c) {
                Some(i) => chosen |= 1 << i,
                None => {
                    return Err(self.fatal("HEREDOC_INVALID_ESCAPE", at, || {
                        format!(
                            "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. \
                             Got '{c}'"
                        )
                    }));
                }
            }
        }
        Ok(chosen)
    }

    /// The end of the text, the line that ends it, and where the next line starts.
    fn heredoc_end(
        &self,
        spec: &HeredocTag<'t>,
        text_start: usize,
    ) -> Result<(usize, EndLine<'t>, usize), Fatal> {
        let text = self.text;
        let mut start = text_start;
        while start < text.len() {
            let end = text[start..].find('\n').map_or(text.len(), |i| start + i + 1);
            if let Some(line) = end_line(&text[start..end], spec.tag) {
                return Ok((start, line, end));
            }
            start = end;
        }
        Err(self.fatal("HEREDOC_WITHOUT_END_TAGGED_LINE", text_start, || {
            "Heredoc without end-tagged line".into()
        }))
    }

    /// The error of a heredoc without an end, at its tag and at the line that was probably meant as
    /// its end.
    fn without_end(
        &self,
        fatal: Fatal,
        spec: &HeredocTag<'_>,
        tag: std::ops::Range<usize>,
        text_start: usize,
    ) -> Fatal {
        let mut fatal = self.pointing(fatal, tag, "no line ends this text");
        let mut start = text_start;
        for line in self.text[text_start..].split_inclusive('\n') {
            let bare = line.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if bare.eq_ignore_ascii_case(spec.tag) {
                let at = start + (line.len() - line.trim_start().len());
                let place = self.out.place(self.base + at as u32);
                let end = place + line.trim().len() as u32;
                let span = TextRange::new(place, end).in_file(self.out.file);
                let text = format!("the line that ends it has only `{}`", spec.tag);
                fatal.0.related.push(Label { span, text });
                break;
            }
            start += line.len();
        }
        fatal
    }

    fn heredoc_text(
        &mut self,
        spec: &HeredocTag<'_>,
        end_line: &EndLine<'_>,
        text_start: usize,
        text_end: usize,
    ) -> Step {
        let margin = if end_line.margin { end_line.leading } else { "" };
        let mut text = String::with_capacity(text_end - text_start);
        let mut places = PlaceMap::default();
        let mut from = text_start;
        for line in self.text[text_start..text_end].split_inclusive('\n') {
            let kept = line.strip_prefix(margin).unwrap_or(line);
            let removed = line.len() - kept.len();
            places.run(text.len() as u32, (from + removed) as u32 + self.base);
            text.push_str(kept);
            from += line.len();
        }
        places.run(text.len() as u32, from as u32 + self.base);
        if end_line.remove_break {
            let cut = text.strip_suffix('\n').map(|t| t.strip_suffix('\r').unwrap_or(t).len());
            text.truncate(cut.unwrap_or(text.len()));
        }
        self.lex_heredoc(spec, text.into(), places)
    }

    fn lex_heredoc(&mut self, spec: &HeredocTag<'_>, text: Rc<str>, places: PlaceMap) -> Step {
        if self.heredoc_nesting >= MAX_HEREDOC_NESTING {
            return Err(self.fatal("NESTING", self.pos, || {
                format!("Heredocs are nested more than {MAX_HEREDOC_NESTING} levels deep")
            }));
        }
        let base = self.out.next_base;
        let room = u32::MAX / 2 - base;
        if text.len() as u32 >= room {
            return Err(self.fatal("NESTING", self.pos, || "Heredocs are too long".into()));
        }
        self.out.next_base += text.len() as u32 + 1;
        self.out.segments.push(Segment { base, text: Rc::clone(&text), places });
        let escapes = Escapes::heredoc(spec.escapes);
        let mut inner = Lexer::new(&text, base, self.out);
        inner.nesting = self.nesting;
        inner.heredoc_nesting = self.heredoc_nesting + 1;
        inner.fresh_line = false;
        if spec.interpolates {
            let dollar_escape = escapes.knows('$');
            let quote = Quote { quoted: false, dollar_escape, escapes, start: 0 };
            inner.interpolated(0, quote)
        } else {
            let value = inner.unescape(0, text.len(), escapes)?;
            inner.push_text(TokenKind::Str, 0, text.len(), value);
            Ok(())
        }
    }
}

/// Whether a line ends a heredoc: blanks, `|`, `-` and the tag at its end.
fn end_line<'t>(line: &'t str, tag: &str) -> Option<EndLine<'t>> {
    let line = match line.strip_suffix('\n') {
        Some(line) => line,
        None => line,
    };
    let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches(is_blank);
    let before = line.strip_suffix(tag)?;
    let mut front = before;
    let trimmed = front.trim_end_matches(is_blank);
    let remove_break = trimmed.ends_with('-');
    if let Some(cut) = trimmed.strip_suffix('-') {
        front = cut;
    }
    let trimmed = front.trim_end_matches(is_blank);
    let margin = trimmed.ends_with('|');
    if let Some(cut) = trimmed.strip_suffix('|') {
        front = cut;
    }
    let blank_start = front.trim_end_matches(is_blank).len();
    Some(EndLine { leading: &front[blank_start..], margin, remove_break })
}
