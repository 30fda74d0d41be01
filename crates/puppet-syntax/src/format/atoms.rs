//! Atoms: the tokens that a formatter moves, each with the comments and line breaks before it.

use ordain_source::{FileId, TextRange};

use super::tokens::is_relation;
use crate::lexer::{Lexed, Token, TokenKind, lex};

/// The comment that turns the formatter off until [`ON`] or the end of the surrounding brackets.
const OFF: &str = "ordain: fmt off";
/// The comment that turns the formatter on again.
const ON: &str = "ordain: fmt on";

/// A token, a whole text with its interpolations, or lines that stay as they are.
pub(super) struct Atom {
    /// The kind of the token, the first one of a text.
    pub(super) kind: TokenKind,
    /// Its place.
    pub(super) range: TextRange,
    /// The comments between the atom before and this one.
    pub(super) comments: Vec<Comment>,
    /// The line breaks directly before it; 2 stands for more.
    pub(super) breaks: u8,
    /// The lines of the heredocs whose tags are in this atom.
    pub(super) heredoc: Option<TextRange>,
    /// Whether it is lines that stay as they are.
    pub(super) verbatim: bool,
}

/// A comment.
pub(super) struct Comment {
    pub(super) range: TextRange,
    /// The line breaks directly before it; 2 stands for more.
    pub(super) breaks: u8,
    /// Whether a line break has to follow.
    pub(super) ends_line: bool,
}

impl Atom {
    /// Whether a line break or a comment that ends its line is somewhere before it.
    pub(super) fn is_after_break(&self) -> bool {
        self.breaks > 0 || self.comments.iter().any(|c| c.breaks > 0 || c.ends_line)
    }
}

/// The atoms of a text, with one for its end.
pub(super) fn read(text: &str) -> Vec<Atom> {
    let lexed = lex(FileId(0), text, false);
    let mut reader =
        Reader { text, lexed: &lexed, comment: 0, heredoc: 0, at: 0, atoms: Vec::new() };
    let end = text.len() as u32;
    let tokens: Vec<Token> =
        lexed.tokens.iter().copied().filter(|t| t.start <= end && !is_inside(t.kind)).collect();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        let mut last = token;
        let mut depth = u32::from(token.kind == TokenKind::DqPre);
        while depth > 0
            && let Some(next) = tokens.next()
        {
            match next.kind {
                TokenKind::DqPre => depth += 1,
                TokenKind::DqPost => depth -= 1,
                _ => {}
            }
            last = next;
        }
        reader.atom(token.kind, TextRange::new(token.start, last.end));
    }
    let mut atoms = reader.atoms;
    keep_verbatim(text, &mut atoms);
    move_comments_behind_commas(&mut atoms);
    move_comments_before_arrows(&mut atoms);
    atoms
}

/// Whether the token has no text of its own in the file.
fn is_inside(kind: TokenKind) -> bool {
    kind == TokenKind::Sublocate
}

struct Reader<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    /// The next comment.
    comment: usize,
    /// The next heredoc.
    heredoc: usize,
    /// The end of the text that was read.
    at: u32,
    atoms: Vec<Atom>,
}

impl Reader<'_> {
    fn atom(&mut self, kind: TokenKind, range: TextRange) {
        let mut comments = Vec::new();
        let source_end = self.text.len() as u32;
        while let Some(&comment) = self.lexed.comments.get(self.comment)
            && (comment.start < range.start || comment.start > source_end)
        {
            self.comment += 1;
            // Comments in interpolations and heredocs belong to their text.
            if comment.start < self.at || comment.start > source_end {
                continue;
            }
            let breaks = self.breaks(comment.start);
            let ends_line = self.text[comment.start as usize..].starts_with('#');
            comments.push(Comment { range: comment, breaks, ends_line });
            self.at = comment.end;
        }
        let breaks = self.breaks(range.start);
        self.at = range.end;
        self.atoms.push(Atom { kind, range, comments, breaks, heredoc: None, verbatim: false });
    }

    /// The number of line breaks from the last place to this one, without heredocs.
    fn breaks(&mut self, to: u32) -> u8 {
        let mut breaks = 0;
        let mut at = self.at;
        while let Some(&lines) = self.lexed.heredocs.get(self.heredoc)
            && lines.start <= to
        {
            self.heredoc += 1;
            breaks += self.count(at, lines.start);
            at = lines.end.max(at);
            if let Some(atom) = self.atoms.last_mut() {
                let start = atom.heredoc.map_or(lines.start, |first| first.start);
                atom.heredoc = Some(TextRange::new(start, lines.end));
            }
        }
        // The break in front of several heredocs was counted once for each.
        (breaks.min(1) + self.count(at, to)).min(2) as u8
    }

    fn count(&self, from: u32, to: u32) -> usize {
        let gap = self.text.get(from as usize..to as usize).unwrap_or_default();
        gap.bytes().filter(|&b| b == b'\n').count()
    }
}

/// A comma stays with the value before it, and comments between the two follow the comma.
fn move_comments_behind_commas(atoms: &mut [Atom]) {
    for at in 1..atoms.len() {
        let is_separator = matches!(atoms[at - 1].kind, TokenKind::Comma | TokenKind::Semic);
        if is_separator && !atoms[at - 1].comments.is_empty() {
            let mut comments = std::mem::take(&mut atoms[at - 1].comments);
            comments.append(&mut atoms[at].comments);
            atoms[at].comments = comments;
            atoms[at].breaks = atoms[at].breaks.max(1);
        }
    }
}

/// A relationship arrow stands before its right operand, so comments between the two precede it.
fn move_comments_before_arrows(atoms: &mut [Atom]) {
    for at in 1..atoms.len() {
        if is_relation(atoms[at - 1].kind) && atoms[at].is_after_break() {
            let mut comments = std::mem::take(&mut atoms[at].comments);
            atoms[at - 1].comments.append(&mut comments);
            atoms[at - 1].breaks = 1;
            atoms[at].breaks = 0;
        }
    }
}

/// Makes one atom of everything between the comments that turn the formatter off and on.
fn keep_verbatim(text: &str, atoms: &mut Vec<Atom>) {
    let mut at = 0;
    while at < atoms.len() {
        let says = |c: &Comment, word: &str| {
            let comment = &text[c.range.start as usize..c.range.end as usize];
            comment.trim_start_matches('#').trim() == word
        };
        let Some(first) = atoms[at].comments.iter().position(|c| says(c, OFF)) else {
            at += 1;
            continue;
        };
        let Some(until) = verbatim_end(atoms, at, |c| says(c, ON)) else {
            at += 1;
            continue;
        };
        let start = atoms[at].comments[first].range.start;
        let breaks = atoms[at].comments[first].breaks;
        let before: Vec<Comment> = atoms[at].comments.drain(..).take(first).collect();
        let on = atoms[until].comments.iter().position(|c| says(c, ON));
        let after = on.map(|i| atoms[until].comments.drain(..=i).next_back());
        let end = match after.flatten() {
            Some(comment) => comment.range.end,
            None => atoms[until - 1].heredoc.map_or(atoms[until - 1].range.end, |lines| lines.end),
        };
        let verbatim = Atom {
            kind: TokenKind::Other,
            range: TextRange::new(start, end),
            comments: before,
            breaks,
            heredoc: None,
            verbatim: true,
        };
        atoms[until].breaks = atoms[until].breaks.max(1);
        atoms.splice(at..until, [verbatim]);
        at += 1;
    }
}

/// The atom before which a verbatim part ends: the one with the comment, or the closing bracket.
fn verbatim_end(atoms: &[Atom], from: usize, is_on: impl Fn(&Comment) -> bool) -> Option<usize> {
    use TokenKind::*;
    let mut depth = 0;
    for (at, atom) in atoms.iter().enumerate().skip(from) {
        if at > from && depth == 0 && atom.comments.iter().any(&is_on) {
            return Some(at);
        }
        match atom.kind {
            Eof => return (at > from).then_some(at),
            LBrace | SelBrace | LBrack | ListStart | LParen | WsLParen => depth += 1,
            RBrace | RBrack | RParen if depth == 0 => return (at > from).then_some(at),
            RBrace | RBrack | RParen => depth -= 1,
            _ => {}
        }
    }
    None
}
