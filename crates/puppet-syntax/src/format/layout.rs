//! The layout: for each atom and comment the line break or the spaces before it.

use ordain_source::TextRange;

use crate::lexer::TokenKind;

use super::atoms::Atom;
use super::groups::{Group, GroupKind, Groups};
use super::options::FormatOptions;
use super::spacing::{Pair, has_space};
use super::tokens::{continues_after, continues_before, ends_operand, is_relation};

/// The blanks before an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Before {
    /// So many spaces on the same line.
    Spaces(u32),
    /// A new line with this indentation, after an empty line if `blank`.
    Line { blank: bool, indent: u32 },
}

/// The source of an item's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ItemKind {
    /// The atom with this index.
    Atom(usize),
    /// A comment.
    Comment,
    /// A comma that the author left out.
    Comma,
}

/// A printed piece of text.
pub(super) struct Item {
    pub(super) before: Before,
    pub(super) kind: ItemKind,
    pub(super) range: TextRange,
}

/// The formatted text as items.
pub(super) struct Lines {
    pub(super) items: Vec<Item>,
    /// For each atom its item.
    pub(super) of_atom: Vec<usize>,
    /// The lines of the heredocs that follow the line of an atom.
    heredocs: Vec<(usize, TextRange)>,
    /// The atoms whose lines stay as they are.
    verbatim: Vec<usize>,
}

impl Lines {
    /// The text of an item.
    pub(super) fn text<'t>(&self, source: &'t str, item: usize) -> &'t str {
        match self.items[item].kind {
            ItemKind::Comma => ",",
            _ => {
                let range = self.items[item].range;
                source.get(range.start as usize..range.end as usize).unwrap_or_default()
            }
        }
    }

    /// The formatted text.
    pub(super) fn render(&self, source: &str) -> String {
        let newline = if is_crlf(source) { "\r\n" } else { "\n" };
        let mut out = String::with_capacity(source.len() + source.len() / 8);
        let mut heredocs = self.heredocs.iter().peekable();
        let mut verbatim = self.verbatim.iter().peekable();
        for index in 0..self.items.len() {
            let item = &self.items[index];
            match item.before {
                Before::Spaces(n) => out.extend(std::iter::repeat_n(' ', n as usize)),
                Before::Line { blank, indent } => {
                    if !out.is_empty() {
                        out.push_str(newline);
                        self.push_heredocs(source, index, &mut heredocs, newline, &mut out);
                        if blank {
                            out.push_str(newline);
                        }
                    }
                    out.extend(std::iter::repeat_n(' ', indent as usize));
                }
            }
            let text = self.text(source, index);
            if verbatim.next_if(|&&at| at == index).is_some() {
                let line_start =
                    source[..item.range.start as usize].rfind('\n').map_or(0, |i| i + 1);
                out.truncate(out.trim_end_matches(' ').len());
                out.push_str(&source[line_start..item.range.start as usize]);
                out.push_str(text.trim_end_matches(['\r', '\n']));
            } else if item.kind == ItemKind::Comment {
                out.push_str(text.trim_end());
            } else {
                out.push_str(text);
            }
        }
        if !out.is_empty() {
            out.push_str(newline);
        }
        self.push_heredocs(source, usize::MAX, &mut heredocs, newline, &mut out);
        out
    }

    /// The texts of the heredocs whose tags are before an item; each ends with a line break.
    fn push_heredocs<'a>(
        &self,
        source: &str,
        before: usize,
        heredocs: &mut std::iter::Peekable<impl Iterator<Item = &'a (usize, TextRange)>>,
        newline: &str,
        out: &mut String,
    ) {
        while let Some((_, lines)) = heredocs.next_if(|(item, _)| *item < before) {
            out.push_str(source.get(lines.start as usize..lines.end as usize).unwrap_or_default());
            if !out.ends_with('\n') {
                out.push_str(newline);
            }
        }
    }
}

fn is_crlf(source: &str) -> bool {
    source.find('\n').is_some_and(|at| source[..at].ends_with('\r'))
}

/// An open group.
struct Frame<'g> {
    group: &'g Group,
    /// The indentation of the closing bracket.
    base: u32,
    /// The indentation of elements.
    content: u32,
    /// The indentation of the line on which the current element begins.
    element: u32,
    /// Whether the current element begins on a line of its own.
    begins_line: bool,
    /// Whether attributes come, after a title.
    in_attributes: bool,
    /// Whether these attributes stay on the line of their title.
    on_one_line: bool,
}

struct Layout<'a> {
    atoms: &'a [Atom],
    groups: &'a Groups,
    step: u32,
    frames: Vec<Frame<'a>>,
    /// The indentation of the current line.
    line: u32,
    items: Vec<Item>,
    of_atom: Vec<usize>,
    heredocs: Vec<(usize, TextRange)>,
    verbatim: Vec<usize>,
}

/// A line break before an atom.
struct Break {
    /// Whether a statement or element begins.
    starts: bool,
}

/// Decides the blanks before each atom and comment.
pub(super) fn lay_out(atoms: &[Atom], groups: &Groups, options: &FormatOptions) -> Lines {
    let program = Frame {
        group: &groups.groups[0],
        base: 0,
        content: 0,
        element: 0,
        begins_line: true,
        in_attributes: false,
        on_one_line: false,
    };
    let mut layout = Layout {
        atoms,
        groups,
        step: options.indent,
        frames: vec![program],
        line: 0,
        items: Vec::with_capacity(atoms.len() * 2),
        of_atom: Vec::with_capacity(atoms.len()),
        heredocs: Vec::new(),
        verbatim: Vec::new(),
    };
    for at in 0..atoms.len() {
        layout.atom(at);
    }
    let Layout { items, of_atom, heredocs, verbatim, .. } = layout;
    Lines { items, of_atom, heredocs, verbatim }
}

impl<'a> Layout<'a> {
    fn frame(&mut self) -> &mut Frame<'a> {
        // The program's frame is never closed.
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn kind(&self, at: usize) -> TokenKind {
        self.atoms.get(at).map_or(TokenKind::Eof, |atom| atom.kind)
    }

    fn before(&self, at: usize) -> Option<usize> {
        at.checked_sub(1)
    }

    fn atom(&mut self, at: usize) {
        let atom = &self.atoms[at];
        let closes = self.groups.closed_by(at).is_some();
        if closes {
            self.end_list(at);
        }
        let wanted = self.line_break(at);
        let wanted = self.comments(at, wanted);
        if atom.kind == TokenKind::Eof {
            self.of_atom.push(self.items.len());
            return;
        }
        let before = match &wanted {
            Some(line_break) => {
                let begin = self.begin_line(at, line_break);
                let follows =
                    atom.breaks == 0 && atom.comments.last().is_some_and(|c| !c.ends_line);
                if follows { Before::Spaces(1) } else { begin }
            }
            None => Before::Spaces(self.spaces(at)),
        };
        let item = self.items.len();
        if let Some(lines) = atom.heredoc {
            self.heredocs.push((item, lines));
        }
        if atom.verbatim {
            self.verbatim.push(item);
        }
        self.of_atom.push(item);
        self.items.push(Item { before, kind: ItemKind::Atom(at), range: atom.range });
        if closes {
            self.frames.pop();
        }
        self.after(at);
    }

    /// Prints the comments before an atom. Returns the break before the atom itself.
    fn comments(&mut self, at: usize, wanted: Option<Break>) -> Option<Break> {
        let atom = &self.atoms[at];
        let mut wanted = wanted;
        let mut is_first = true;
        for comment in &atom.comments {
            let trails = comment.breaks == 0 && !self.items.is_empty();
            let before = if trails {
                Before::Spaces(1)
            } else {
                let indent = self.comment_indent(at, wanted.as_ref());
                let heads = is_first && self.before(at).is_some_and(|b| self.heads_lines(b));
                let blank = comment.breaks > 1 && !heads && !self.items.is_empty();
                self.line = indent;
                Before::Line { blank, indent }
            };
            self.items.push(Item { before, kind: ItemKind::Comment, range: comment.range });
            is_first = false;
            if comment.ends_line && wanted.is_none() {
                let starts = matches!(atom.kind, TokenKind::Else | TokenKind::Elsif);
                wanted = Some(Break { starts });
            }
        }
        wanted
    }

    fn comment_indent(&mut self, at: usize, wanted: Option<&Break>) -> u32 {
        let closes = self.groups.closed_by(at).is_some();
        let starts = closes
            || self.kind(at) == TokenKind::Eof
            || wanted.is_some_and(|line_break| line_break.starts)
            || matches!(self.kind(at), TokenKind::Else | TokenKind::Elsif);
        self.indent(starts)
    }

    /// The indentation of a new line in the current group.
    fn indent(&mut self, starts: bool) -> u32 {
        let step = self.step;
        let frame = self.frame();
        let attributes = if frame.in_attributes { self.attribute_indent() } else { None };
        let frame = self.frame();
        let content = attributes.unwrap_or(frame.content);
        let is_flat = starts || !frame.begins_line || frame.group.kind == GroupKind::Parentheses;
        if is_flat { content } else { content + step }
    }

    /// The indentation of the attributes of a resource; a title on a line of its own adds a level.
    fn attribute_indent(&mut self) -> Option<u32> {
        let step = self.step;
        let frame = self.frame();
        if frame.group.kind != GroupKind::Resource {
            return None;
        }
        let open = frame.group.open;
        let content = frame.content;
        let first = self.of_atom.get(open + 1)?;
        let has_line = matches!(self.items.get(*first)?.before, Before::Line { .. });
        Some(if has_line { content + step } else { content })
    }

    fn begin_line(&mut self, at: usize, line_break: &Break) -> Before {
        let atom = &self.atoms[at];
        let closes = self.groups.closed_by(at).is_some();
        let indent = if closes { self.frame().base } else { self.indent(line_break.starts) };
        let heads = self.before(at).is_some_and(|before| self.heads_lines(before));
        let after_comment = !atom.comments.is_empty();
        let blank = atom.breaks > 1 && !closes && (!heads || after_comment);
        if line_break.starts && !closes {
            let frame = self.frame();
            frame.element = indent;
            frame.begins_line = true;
        }
        self.line = indent;
        Before::Line { blank: blank && !self.items.is_empty(), indent }
    }

    /// Whether no empty line follows an atom: it opens a group, or ends the title of a resource.
    fn heads_lines(&mut self, at: usize) -> bool {
        let ends_title =
            self.kind(at) == TokenKind::Colon && self.frame().group.kind == GroupKind::Resource;
        ends_title || self.groups.opened_by(at).is_some()
    }

    /// Adds or removes the comma before the closing bracket of a list.
    fn end_list(&mut self, at: usize) {
        let frame = self.frame();
        let group = frame.group;
        if !group.kind.ends_with_comma() || at == group.open + 1 {
            return;
        }
        match self.kind(at - 1) {
            TokenKind::Comma if !group.broken => {
                self.items.pop();
            }
            TokenKind::Comma | TokenKind::Semic | TokenKind::Colon => {}
            _ if group.broken => {
                let range = self.atoms[at - 1].range;
                let before = Before::Spaces(0);
                self.items.push(Item { before, kind: ItemKind::Comma, range });
            }
            _ => {}
        }
    }

    /// Whether a line begins before an atom.
    fn line_break(&mut self, at: usize) -> Option<Break> {
        let atom = &self.atoms[at];
        let Some(before) = self.before(at) else { return Some(Break { starts: true }) };
        let is_written = atom.is_after_break();
        if atom.verbatim || self.atoms[before].verbatim {
            return Some(Break { starts: true });
        }
        if self.groups.closed_by(at).is_some() {
            return self.break_before_close(at);
        }
        if self.groups.opened_by(before).is_some() {
            return self.break_after_open(at, is_written);
        }
        if self.is_joined(at, before) {
            return None;
        }
        if is_relation(atom.kind) {
            let next_breaks = self.atoms.get(at + 1).is_some_and(Atom::is_after_break);
            return (is_written || next_breaks).then_some(Break { starts: true });
        }
        if is_relation(self.kind(before)) {
            return None;
        }
        self.break_between(at, before, is_written)
    }

    fn break_before_close(&mut self, at: usize) -> Option<Break> {
        use GroupKind::*;
        let group = self.frame().group;
        let is_written = self.atoms[at].is_after_break();
        let breaks = match group.kind {
            Parentheses => is_written && group.broken,
            Arguments | Access => group.broken && self.has_own_lines(group),
            LambdaParameters | Query => false,
            _ => group.broken && at > group.open + 1 || !self.atoms[at].comments.is_empty(),
        };
        breaks.then_some(Break { starts: true })
    }

    fn break_after_open(&mut self, at: usize, is_written: bool) -> Option<Break> {
        use GroupKind::*;
        let group = self.frame().group;
        let breaks = match group.kind {
            Resource if group.titles == 1 => {
                group.broken && is_written && self.atoms[at].comments.is_empty()
            }
            Parentheses => is_written && group.broken,
            Arguments | Access => group.broken && self.has_own_lines(group),
            LambdaParameters | Query => is_written,
            _ => group.broken,
        };
        breaks.then_some(Break { starts: true })
    }

    /// Whether the author has the arguments of a call on lines of their own.
    fn has_own_lines(&self, group: &Group) -> bool {
        let [first, last] = [group.open + 1, group.close].map(|at| self.atoms.get(at));
        first.is_some_and(Atom::is_after_break) || last.is_some_and(Atom::is_after_break)
    }

    /// Whether an atom stays on the line of the one before, whatever the author wrote.
    fn is_joined(&mut self, at: usize, before: usize) -> bool {
        use TokenKind::*;
        let opens = self.groups.opened_by(at).map(|group| group.kind);
        match self.kind(at) {
            Comma | Semic | FArrow | PArrow | Equals | Inherits => true,
            Colon => matches!(self.frame().group.kind, GroupKind::Resource | GroupKind::Case),
            Else | Elsif => self.kind(before) == RBrace,
            LBrace => {
                opens != Some(GroupKind::Hash) || matches!(self.kind(before), Equals | FArrow)
            }
            SelBrace => true,
            LBrack | ListStart if opens == Some(GroupKind::List) => {
                matches!(self.kind(before), Equals | FArrow)
            }
            LParen | WsLParen => opens == Some(GroupKind::Parameters),
            Pipe => opens == Some(GroupKind::LambdaParameters),
            _ => false,
        }
    }

    fn break_between(&mut self, at: usize, before: usize, is_written: bool) -> Option<Break> {
        let (kind, before_kind) = (self.kind(at), self.kind(before));
        let on_one_line = self.frame().on_one_line;
        let group = self.frame().group;
        let separates = match group.kind {
            GroupKind::Program | GroupKind::Block => {
                let continues = continues_before(kind) && !self.is_negative(at)
                    || continues_after(before_kind) && !self.is_closed(before);
                return is_written.then_some(Break { starts: !continues });
            }
            GroupKind::Case => before_kind == TokenKind::RBrace && self.ends_option(before),
            GroupKind::Resource => {
                before_kind == TokenKind::Semic
                    || !on_one_line && matches!(before_kind, TokenKind::Comma | TokenKind::Colon)
            }
            _ => before_kind == TokenKind::Comma,
        };
        if separates {
            let one_each = group.kind.has_line_per_element() || group.kind == GroupKind::Case;
            let breaks = group.broken && (one_each || is_written);
            return breaks.then_some(Break { starts: true });
        }
        // The values of an option stand below each other.
        let starts = group.kind == GroupKind::Case && before_kind == TokenKind::Comma;
        is_written.then_some(Break { starts })
    }

    /// Whether a minus at the beginning of a line is no operator between two operands.
    fn is_negative(&self, at: usize) -> bool {
        let before = self.before(at).map(|before| self.kind(before));
        self.kind(at) == TokenKind::Minus && !before.is_some_and(ends_operand)
    }

    /// Whether a closing bracket is the last atom of an operand.
    fn is_closed(&self, at: usize) -> bool {
        self.groups.closed_by(at).is_some()
    }

    /// Whether a brace ends the body of an option of a case.
    fn ends_option(&self, at: usize) -> bool {
        self.groups.closed_by(at).is_some_and(|group| group.kind == GroupKind::Block)
    }

    fn spaces(&mut self, at: usize) -> u32 {
        let Some(before) = self.before(at) else { return 0 };
        if self.atoms[at].comments.last().is_some() {
            return 1;
        }
        let (kind, before_kind) = (self.kind(at), self.kind(before));
        let is_unary = matches!(before_kind, TokenKind::Minus | TokenKind::Times)
            && !self.before(before).is_some_and(|at| ends_operand(self.kind(at)));
        let in_parameters =
            matches!(self.frame().group.kind, GroupKind::Parameters | GroupKind::LambdaParameters);
        let is_rest = in_parameters && before_kind == TokenKind::Times;
        let is_splat = before_kind == TokenKind::Times
            && matches!(kind, TokenKind::FArrow | TokenKind::PArrow);
        let pair = Pair {
            before: before_kind,
            kind,
            is_prefix: before_kind == TokenKind::Not || is_rest || is_unary && !is_splat,
            opened: self.groups.opened_by(before).map(|group| group.kind),
            opens: self.groups.opened_by(at).map(|group| group.kind),
            closes: self.groups.closed_by(at).map(|group| group.kind),
            closed: self.groups.closed_by(before).map(|group| group.kind),
            is_function: self.is_function(at),
        };
        u32::from(has_space(&pair))
    }

    /// Whether the parameters that begin here are those of a function.
    fn is_function(&self, at: usize) -> bool {
        at.checked_sub(2).is_some_and(|keyword| self.kind(keyword) == TokenKind::Function)
    }

    /// Opens the group of an atom, or begins the next element.
    fn after(&mut self, at: usize) {
        if let Some(group) = self.groups.opened_by(at) {
            let step = self.step;
            let base = if group.from_statement { self.frame().element } else { self.line };
            self.frames.push(Frame {
                group,
                base,
                content: base + step,
                element: self.line,
                begins_line: false,
                in_attributes: false,
                on_one_line: false,
            });
            return;
        }
        let kind = self.kind(at);
        let line = self.line;
        let frame = self.frame();
        match (frame.group.kind, kind) {
            (GroupKind::Resource, TokenKind::Colon) => {
                frame.in_attributes = true;
                frame.on_one_line = frame.group.one_line_bodies.binary_search(&at).is_ok();
            }
            (GroupKind::Resource, TokenKind::Semic) => {
                frame.in_attributes = false;
                frame.on_one_line = false;
            }
            (GroupKind::Program | GroupKind::Block, _) => return,
            (_, TokenKind::Comma) => {}
            _ => return,
        }
        frame.begins_line = false;
        frame.element = line;
    }
}
