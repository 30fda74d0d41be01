//! Writes statements in lines.

use super::options::FormatOptions;
use super::reader::{Clause, Group, Node, Part, Statement, level, width};
use super::tokens::{Comment, Item};

/// The comments between which the text stays as it is.
const OFF: &str = "# ordain: fmt off";
const ON: &str = "# ordain: fmt on";

/// The empty lines that may be at the beginning of a line.
#[derive(Clone, Copy, Default)]
struct BlankLines {
    /// Before the token, if it has no comments.
    token: usize,
    /// Before the first comment.
    comment: usize,
    /// Between the comments and before the token.
    between: usize,
}

impl BlankLines {
    /// The same number everywhere.
    fn at_most(count: usize) -> Self {
        Self { token: count, comment: count, between: count }
    }

    /// None at the beginning of a block or bracket.
    fn first(count: usize) -> Self {
        Self { token: 0, comment: 0, between: count }
    }

    /// None before a token that closes a block or bracket, unless comments come before it.
    fn last(count: usize) -> Self {
        Self { token: 0, ..Self::at_most(count) }
    }
}

/// A line on which nothing is written yet.
#[derive(Clone, Copy)]
struct LineStart {
    indent: usize,
    blank_lines: BlankLines,
}

pub(super) struct Writer<'t> {
    text: &'t str,
    items: Vec<Item<'t>>,
    options: FormatOptions,
    out: String,
    /// The characters on the current line.
    column: usize,
    /// The blanks at the beginning of the current line.
    line_indent: usize,
    start: Option<LineStart>,
    /// The comment behind the last token, which follows a comma.
    pending: Option<Comment<'t>>,
}

impl<'t> Writer<'t> {
    pub(super) fn new(text: &'t str, items: Vec<Item<'t>>, options: FormatOptions) -> Self {
        let out = String::with_capacity(text.len() + text.len() / 8);
        Self { text, items, options, out, column: 0, line_indent: 0, start: None, pending: None }
    }

    /// Writes a whole file.
    pub(super) fn file(mut self, statements: &[Statement]) -> String {
        let end = self.items.len() - 1;
        self.block(statements, 0, 2, end);
        self.line(0, BlankLines::last(2));
        self.leading_comments(end, |_| 0);
        let length = self.out.trim_end_matches('\n').len();
        self.out.truncate(length);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    fn step(&self) -> usize {
        self.options.indent as usize
    }

    // Lines and tokens.

    fn flush_comment(&mut self) {
        if let Some(comment) = self.pending.take() {
            self.out.push_str("  ");
            self.out.push_str(comment.text);
        }
    }

    /// Begins a line.
    fn line(&mut self, indent: usize, blank_lines: BlankLines) {
        self.flush_comment();
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.start = Some(LineStart { indent, blank_lines });
    }

    fn blank_lines(&mut self, count: usize, most: usize) {
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n('\n', count.min(most)));
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
        (self.column, self.line_indent) = (indent, indent);
    }

    /// Writes the comments before a token, if its line has begun, and the empty lines.
    fn leading_comments(&mut self, token: usize, indent: impl Fn(&Comment<'t>) -> usize) {
        let Some(start) = &mut self.start else { return };
        let mut blank_lines = start.blank_lines;
        let leading = std::mem::take(&mut self.items[token].leading);
        if !leading.is_empty() {
            start.blank_lines.token = blank_lines.between;
        }
        for comment in &leading {
            self.blank_lines(comment.blank_lines, blank_lines.comment);
            blank_lines.comment = blank_lines.between;
            self.indent(indent(comment));
            self.out.push_str(comment.text);
            self.out.push('\n');
        }
    }

    /// Writes a token. A comment before it breaks the line.
    fn token(&mut self, token: usize, has_space: bool, continued: usize) {
        let item = &self.items[token];
        let has_comment = self.pending.is_some() || !item.leading.is_empty();
        if self.start.is_none() && has_comment {
            self.line(continued, BlankLines::default());
        }
        if let Some(LineStart { indent, .. }) = self.start {
            self.leading_comments(token, |_| indent);
            let most = self.start.map_or(0, |start| start.blank_lines.token);
            self.blank_lines(self.items[token].blank_lines, most);
            self.indent(indent);
            self.start = None;
        } else if has_space {
            self.out.push(' ');
            self.column += 1;
        }
        let item = &self.items[token];
        let text = item.canonical();
        self.out.push_str(&text);
        let last = text.rsplit('\n').next().unwrap_or_default();
        let is_one_line = last.len() == text.len();
        self.column = last.chars().count() + if is_one_line { self.column } else { 0 };
        self.pending = item.trailing;
    }

    /// Writes a comma behind an element and before its comment.
    fn comma(&mut self, token: Option<usize>) {
        self.out.push(',');
        self.column += 1;
        if let Some(token) = token {
            self.pending = self.pending.or(self.items[token].trailing);
        }
    }

    // Parts of a line.

    /// The column at which the next part begins.
    fn next_column(&self, part: &Part) -> usize {
        match self.start {
            Some(start) => start.indent,
            None => self.column + usize::from(part.has_space),
        }
    }

    /// Whether parts fit on the current line, with `extra` characters after them.
    fn fits(&self, parts: &[Part], extra: usize) -> bool {
        let Some(first) = parts.first() else { return true };
        let width = width(&self.items, parts);
        width.is_some_and(|width| self.next_column(first) + width + extra <= self.width())
    }

    fn width(&self) -> usize {
        self.options.width as usize
    }

    /// Writes parts, on several lines if they need them. Lines after the first one begin at
    /// `continued`.
    fn parts(&mut self, parts: &[Part], continued: usize, extra: usize) {
        if self.fits(parts, extra) {
            return self.flat(parts, continued);
        }
        if let Some(at) = self.last_group(parts) {
            return self.open_group(parts, at, continued);
        }
        let breaks = parts.iter().skip(1).map(|part| part.level).filter(|l| *l != level::NONE);
        match breaks.min() {
            Some(lowest) => self.segments(parts, lowest, continued, extra),
            None => self.one_by_one(parts, continued, extra),
        }
    }

    fn flat(&mut self, parts: &[Part], continued: usize) {
        for part in parts {
            self.flat_part(part, part.has_space, continued);
        }
    }

    fn flat_part(&mut self, part: &Part, has_space: bool, continued: usize) {
        let group = match &part.node {
            Node::Token(token) => return self.token(*token, has_space, continued),
            Node::Group(group) => group,
        };
        self.token(group.open, has_space, continued);
        for (at, element) in group.elements.iter().enumerate() {
            for (number, part) in element.iter().enumerate() {
                let has_space = if number == 0 { at > 0 } else { part.has_space };
                self.flat_part(part, has_space, continued);
            }
            if let Some(comma) = group.commas.get(at) {
                self.token(*comma, false, continued);
            }
        }
        self.token(group.close, false, continued);
    }

    /// The last bracket of a line if it alone has to be opened: the line fits up to there, and has
    /// one operator at most.
    fn last_group(&self, parts: &[Part]) -> Option<usize> {
        let is_group = |part: &Part| match &part.node {
            Node::Group(group) => !group.elements.is_empty(),
            Node::Token(_) => false,
        };
        let at = parts.iter().rposition(is_group)?;
        let levels = || parts.iter().skip(1).map(|part| part.level);
        let is_after = parts[at + 1..].iter().any(|part| part.level != level::NONE);
        let count = levels().filter(|l| *l != level::NONE).count();
        if is_after || count > 1 || levels().any(|l| matches!(l, level::CLAUSE | level::LIST)) {
            return None;
        }
        let has_comment = |part: &Part| match &part.node {
            Node::Token(token) => self.items[*token].trailing.is_some(),
            Node::Group(group) => self.items[group.close].trailing.is_some(),
        };
        let head_fits = !parts[..at].last().is_some_and(has_comment)
            && self.fits(&parts[..at], 1 + usize::from(parts[at].has_space));
        let tail_fits = width(&self.items, &parts[at + 1..]).is_some();
        (head_fits && tail_fits).then_some(at)
    }

    fn open_group(&mut self, parts: &[Part], at: usize, continued: usize) {
        self.flat(&parts[..at], continued);
        if let Node::Group(group) = &parts[at].node {
            self.group(group, parts[at].has_space, continued);
        }
        self.flat(&parts[at + 1..], continued);
    }

    /// Breaks a line before each part of a level.
    fn segments(&mut self, parts: &[Part], lowest: u8, continued: usize, extra: usize) {
        let mut rest = parts;
        let mut is_first = true;
        while !rest.is_empty() {
            let next = rest.iter().skip(1).position(|part| part.level == lowest);
            let (segment, after) = rest.split_at(next.map_or(rest.len(), |next| next + 1));
            if !is_first {
                self.line(continued, BlankLines::default());
            }
            let extra = if after.is_empty() { extra } else { 0 };
            self.parts(segment, continued + self.step(), extra);
            (rest, is_first) = (after, false);
        }
    }

    /// Writes parts one after the other, and opens the brackets that do not fit.
    fn one_by_one(&mut self, parts: &[Part], continued: usize, extra: usize) {
        for (at, part) in parts.iter().enumerate() {
            match &part.node {
                Node::Group(group) if !group.elements.is_empty() || group.width.is_none() => {
                    let extra = if at + 1 == parts.len() { extra } else { 0 };
                    match self.fits(std::slice::from_ref(part), extra) {
                        true => self.flat_part(part, part.has_space, continued),
                        false => self.group(group, part.has_space, continued),
                    }
                }
                _ => self.flat_part(part, part.has_space, continued),
            }
        }
    }

    /// Writes a group with a line for each element.
    fn group(&mut self, group: &Group, has_space: bool, continued: usize) {
        self.token(group.open, has_space, continued);
        let indent = self.line_indent;
        let inner = indent + self.step();
        for (at, element) in group.elements.iter().enumerate() {
            let comma = group.commas.get(at).copied();
            let is_last = at + 1 == group.elements.len();
            let has_comma = comma.is_some() || is_last && group.takes_comma;
            let blank_lines = if at == 0 { BlankLines::first(1) } else { BlankLines::at_most(1) };
            self.line(inner, blank_lines);
            let is_clause = |part: &Part| part.level == level::CLAUSE;
            let continued = if element.iter().any(is_clause) { inner } else { inner + self.step() };
            self.parts(element, continued, usize::from(has_comma));
            if has_comma {
                self.comma(comma);
            }
        }
        self.line(indent, BlankLines::last(1));
        self.leading_comments(group.close, |_| inner);
        self.items[group.close].blank_lines = 0;
        self.token(group.close, false, indent);
    }

    // Statements.

    /// Writes statements. The token `closer` ends their block; `most` is the number of empty lines
    /// that may be between them.
    fn block(&mut self, statements: &[Statement], indent: usize, most: usize, closer: usize) {
        let mut at = 0;
        while let Some(statement) = statements.get(at) {
            let first = statement.first();
            let blank_lines = match statement {
                Statement::Simple { is_docstring: true, .. } => BlankLines::default(),
                _ if at == 0 => BlankLines::first(most),
                _ => BlankLines::at_most(most),
            };
            self.line(indent, blank_lines);
            match self.items[first].leading.iter().position(|comment| comment.text == OFF) {
                Some(off) => at = self.verbatim(statements, at, off, closer),
                None => {
                    self.statement(statement, indent);
                    at += 1;
                }
            }
        }
    }

    fn statement(&mut self, statement: &Statement, indent: usize) {
        match statement {
            Statement::Simple { first, last, .. } if self.is_off(*first, *last) => {
                self.token(*first, false, indent);
                let rest = self.items[*first].end()..self.items[*last].end();
                self.out.push_str(&self.text[rest]);
                self.pending = self.items[*last].trailing;
            }
            Statement::Simple { parts, .. } => self.parts(parts, indent + self.step(), 0),
            Statement::Compound { clauses, end } => {
                for (at, clause) in clauses.iter().enumerate() {
                    let closer = clauses.get(at + 1).map_or(*end, |next| next.first);
                    self.clause(clause, closer, indent);
                }
                self.token(*end, false, indent);
            }
        }
    }

    /// Writes a clause and begins the line of the token after it.
    fn clause(&mut self, clause: &Clause, closer: usize, indent: usize) {
        self.parts(&clause.header, indent + 2 * self.step(), 0);
        let inner = indent + self.step();
        self.block(&clause.body, inner, 1, closer);
        let blank_lines = match clause.body.is_empty() {
            true => BlankLines::first(1),
            false => BlankLines::last(1),
        };
        self.line(indent, blank_lines);
        // A comment stays beside the code that it is level with.
        let column = self.column_of(self.items[closer].start);
        let text = self.text;
        let is_outer = |comment: &Comment<'_>| column_of(text, comment.start) <= column;
        self.leading_comments(closer, |comment| if is_outer(comment) { indent } else { inner });
        self.items[closer].blank_lines = 0;
    }

    fn column_of(&self, offset: usize) -> usize {
        column_of(self.text, offset)
    }

    /// Whether a comment inside or behind a statement turns the formatter off.
    fn is_off(&self, first: usize, last: usize) -> bool {
        let is_off = |comment: &Comment<'_>| comment.text == OFF;
        (first..=last).any(|token| {
            let item = &self.items[token];
            item.trailing.as_ref().is_some_and(is_off)
                || token > first && item.leading.iter().any(is_off)
        })
    }

    /// Writes lines as they are, from the comments of a statement to the comment that turns the
    /// formatter on, or to the end of the block. Returns the number of the next statement.
    fn verbatim(
        &mut self,
        statements: &[Statement],
        at: usize,
        off: usize,
        closer: usize,
    ) -> usize {
        let mut begin = self.items[statements[at].first()].leading[0];
        let tokens = statements[at..].iter().map(Statement::first).chain([closer]);
        let on = tokens.enumerate().find_map(|(distance, token)| {
            let skipped = if distance == 0 { off + 1 } else { 0 };
            let leading = self.items[token].leading.iter();
            let comment = leading.skip(skipped).position(|comment| comment.text == ON)?;
            Some((at + distance, token, comment + skipped))
        });
        let (next, end) = match on {
            Some((next, token, comment)) => {
                let done = self.items[token].leading.drain(..=comment).next_back();
                (next, done.map(|comment| comment.start + comment.text.len()))
            }
            None => {
                let done = std::mem::take(&mut self.items[closer].leading).pop();
                let last = &self.items[statements[statements.len() - 1].last()];
                let done = done.or(last.trailing);
                let end = done.map_or(last.end(), |comment| comment.start + comment.text.len());
                (statements.len(), Some(end))
            }
        };
        begin.start -= self.column_of(begin.start);
        let most = self.start.take().map_or(0, |start| start.blank_lines.comment);
        self.blank_lines(begin.blank_lines, most);
        self.out.push_str(&self.text[begin.start..end.unwrap_or(begin.start)]);
        next
    }
}

/// The bytes before an offset on its line.
fn column_of(text: &str, offset: usize) -> usize {
    offset - text[..offset].rfind('\n').map_or(0, |end| end + 1)
}
