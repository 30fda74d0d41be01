//! Groups tokens to statements and brackets. The text is valid, so only the parts of the grammar
//! that decide about blanks and line breaks are read.

use super::error::FormatError;
use super::tokens::Item;
use crate::syntax::lexer::{Keyword, Kind};

/// The places at which a line may be broken. A line breaks at the lowest level that it has.
pub(super) mod level {
    /// No break.
    pub(in crate::syntax::format) const NONE: u8 = 0;
    /// Clauses: `for` and `if` of a comprehension, `when`, `matching`, `extends`.
    pub(in crate::syntax::format) const CLAUSE: u8 = 1;
    /// Elements without brackets.
    pub(in crate::syntax::format) const LIST: u8 = 2;
    pub(super) const CONDITION: u8 = 3;
    pub(super) const OR: u8 = 4;
    pub(super) const AND: u8 = 5;
    pub(super) const COMPARE: u8 = 6;
    pub(super) const ADD: u8 = 7;
    pub(super) const MULTIPLY: u8 = 8;
    pub(super) const POWER: u8 = 9;
    pub(super) const IN: u8 = 10;
}

/// A token or a group of brackets in a line.
#[derive(Debug)]
pub(super) struct Part {
    /// Whether a blank comes before it.
    pub(super) has_space: bool,
    /// The level of the break before it.
    pub(super) level: u8,
    pub(super) node: Node,
}

/// A token by its number, or a group.
#[derive(Debug)]
pub(super) enum Node {
    Token(usize),
    Group(Box<Group>),
}

/// Brackets with their elements.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) open: usize,
    pub(super) close: usize,
    pub(super) elements: Vec<Vec<Part>>,
    /// The commas behind the elements.
    pub(super) commas: Vec<usize>,
    /// Whether a comma may follow the last element.
    pub(super) takes_comma: bool,
    /// The width on one line; `None` if it needs several.
    pub(super) width: Option<usize>,
}

/// A statement, a definition, or an attribute of an entity.
#[derive(Debug)]
pub(super) enum Statement {
    Simple {
        parts: Vec<Part>,
        first: usize,
        last: usize,
        /// Whether it is the documentation string of the statement before.
        is_docstring: bool,
    },
    Compound {
        clauses: Vec<Clause>,
        /// The token `end`.
        end: usize,
    },
}

impl Statement {
    /// The number of the first token.
    pub(super) fn first(&self) -> usize {
        match self {
            Self::Simple { first, .. } => *first,
            Self::Compound { clauses, end } => clauses.first().map_or(*end, |c| c.first),
        }
    }

    /// The number of the last token.
    pub(super) fn last(&self) -> usize {
        match self {
            Self::Simple { last, .. } => *last,
            Self::Compound { end, .. } => *end,
        }
    }
}

/// A line that ends with a colon, and the block after it.
#[derive(Debug)]
pub(super) struct Clause {
    pub(super) first: usize,
    pub(super) header: Vec<Part>,
    pub(super) body: Vec<Statement>,
}

type Read<T> = Result<T, FormatError>;

/// Reads the statements of a file.
pub(super) fn statements(items: &[Item<'_>]) -> Read<Vec<Statement>> {
    let (mut comments, mut multi_lines) = (Vec::new(), Vec::new());
    let (mut comment_count, mut multi_line_count, mut has_trailing) = (0, 0, false);
    for item in items {
        comment_count += item.leading.len() + usize::from(has_trailing);
        has_trailing = item.trailing.is_some();
        multi_line_count += usize::from(item.kind == Kind::Multi && item.text.contains('\n'));
        comments.push(comment_count);
        multi_lines.push(multi_line_count);
    }
    let mut reader = Reader { items, at: 0, comments, multi_lines };
    let mut out = Vec::new();
    while reader.kind() != Kind::End {
        reader.statement(&mut out)?;
    }
    Ok(out)
}

/// The width of parts on one line; `None` if they need several. A comment behind the last token has
/// no width.
pub(super) fn width(items: &[Item<'_>], parts: &[Part]) -> Option<usize> {
    let mut sum = 0;
    for (at, part) in parts.iter().enumerate() {
        let (first, last, width) = match &part.node {
            Node::Token(token) => (*token, *token, token_width(&items[*token])),
            Node::Group(group) => (group.open, group.close, group.width?),
        };
        let has_comment = at > 0 && !items[first].leading.is_empty()
            || at + 1 < parts.len() && items[last].trailing.is_some();
        if has_comment {
            return None;
        }
        sum += width + usize::from(part.has_space && at > 0);
    }
    Some(sum)
}

/// The width of the first line of a token.
fn token_width(item: &Item<'_>) -> usize {
    item.canonical().split('\n').next().unwrap_or_default().chars().count()
}

struct Reader<'i, 't> {
    items: &'i [Item<'t>],
    at: usize,
    /// For each token the number of comments before it.
    comments: Vec<usize>,
    /// For each token the number of texts with line breaks up to it.
    multi_lines: Vec<usize>,
}

impl Reader<'_, '_> {
    fn kind(&self) -> Kind {
        self.items[self.at].kind
    }

    fn kind_after(&self, distance: usize) -> Kind {
        self.items.get(self.at + distance).map_or(Kind::End, |item| item.kind)
    }

    fn is(&self, c: u8) -> bool {
        self.kind() == Kind::Char(c)
    }

    fn is_word(&self, word: Keyword) -> bool {
        self.kind() == Kind::Word(word)
    }

    /// Goes to the next token and returns the number of this one.
    fn advance(&mut self) -> Read<usize> {
        if matches!(self.kind(), Kind::End | Kind::Illegal) {
            return Err(FormatError::Unsafe);
        }
        self.at += 1;
        Ok(self.at - 1)
    }

    fn require(&self, c: u8) -> Read<()> {
        if self.is(c) { Ok(()) } else { Err(FormatError::Unsafe) }
    }

    fn expect(&mut self, c: u8) -> Read<usize> {
        self.require(c)?;
        self.advance()
    }

    /// Takes the current token into a line.
    fn token(&mut self, out: &mut Vec<Part>, has_space: bool, level: u8) -> Read<()> {
        let node = Node::Token(self.advance()?);
        out.push(Part { has_space, level, node });
        Ok(())
    }

    fn words(&mut self, out: &mut Vec<Part>, count: usize) -> Read<()> {
        (0..count).try_for_each(|_| self.token(out, true, level::NONE))
    }

    fn statement(&mut self, out: &mut Vec<Statement>) -> Read<()> {
        match self.kind() {
            Kind::Word(Keyword::Entity) => return self.entity(out),
            Kind::Word(Keyword::Implementation) => {
                let first = self.at;
                let mut header = Vec::new();
                self.words(&mut header, 3)?;
                self.path(&mut header, true, level::NONE)?;
                let clause = self.clause(first, header)?;
                return self.end(out, vec![clause]);
            }
            Kind::Word(Keyword::For) => {
                let first = self.at;
                let mut header = Vec::new();
                self.words(&mut header, 3)?;
                self.expression(&mut header, true)?;
                let clause = self.clause(first, header)?;
                return self.end(out, vec![clause]);
            }
            Kind::Word(Keyword::If) => return self.condition(out),
            _ => {}
        }
        let first = self.at;
        let mut parts = Vec::new();
        let takes_docstring = self.simple(&mut parts)?;
        out.push(Statement::Simple { parts, first, last: self.at - 1, is_docstring: false });
        if takes_docstring && self.kind() == Kind::Multi {
            self.docstring(out)?;
        }
        Ok(())
    }

    fn docstring(&mut self, out: &mut Vec<Statement>) -> Read<()> {
        let (first, mut parts) = (self.at, Vec::new());
        self.token(&mut parts, false, level::NONE)?;
        out.push(Statement::Simple { parts, first, last: first, is_docstring: true });
        Ok(())
    }

    /// Reads a statement without a block; whether a documentation string may follow.
    fn simple(&mut self, parts: &mut Vec<Part>) -> Read<bool> {
        match self.kind() {
            Kind::Word(Keyword::Import) => {
                self.words(parts, 1)?;
                self.path(parts, true, level::NONE)?;
                if self.is_word(Keyword::As) {
                    self.words(parts, 2)?;
                }
                Ok(false)
            }
            Kind::Word(Keyword::Index) => {
                self.words(parts, 1)?;
                self.path(parts, true, level::NONE)?;
                self.group(parts, false, b')', false, |reader, element| {
                    reader.token(element, false, level::NONE)
                })?;
                Ok(false)
            }
            Kind::Word(Keyword::Typedef) => {
                self.words(parts, 3)?;
                self.path(parts, true, level::NONE)?;
                self.token(parts, true, level::CLAUSE)?;
                // A regular expression contains the word `matching`.
                if !matches!(parts.last(), Some(Part { node: Node::Token(token), .. })
                    if self.items[*token].kind == Kind::Regex)
                {
                    self.expression(parts, true)?;
                }
                Ok(true)
            }
            Kind::Word(Keyword::Implement) => {
                self.implement(parts)?;
                Ok(true)
            }
            _ if self.is_relation() => {
                self.relation(parts)?;
                Ok(true)
            }
            _ => {
                self.operand(parts, false)?;
                if self.is(b'=') || self.kind() == Kind::Append {
                    self.token(parts, true, level::NONE)?;
                    self.operand(parts, true)?;
                }
                self.operators(parts)?;
                Ok(false)
            }
        }
    }

    fn entity(&mut self, out: &mut Vec<Statement>) -> Read<()> {
        let first = self.at;
        let mut header = Vec::new();
        self.words(&mut header, 2)?;
        if self.is_word(Keyword::Extends) {
            self.token(&mut header, true, level::CLAUSE)?;
            self.paths(&mut header)?;
        }
        let colon = Node::Token(self.expect(b':')?);
        header.push(Part { has_space: false, level: level::NONE, node: colon });
        let mut body = Vec::new();
        if self.kind() == Kind::Multi {
            self.docstring(&mut body)?;
        }
        while !self.is_word(Keyword::End) {
            let first = self.at;
            let mut parts = Vec::new();
            self.attribute(&mut parts)?;
            let last = self.at - 1;
            body.push(Statement::Simple { parts, first, last, is_docstring: false });
        }
        self.end(out, vec![Clause { first, header, body }])
    }

    fn attribute(&mut self, parts: &mut Vec<Part>) -> Read<()> {
        match self.is_word(Keyword::Dict) {
            true => self.words(parts, 1)?,
            false => self.path(parts, true, level::NONE)?,
        }
        while self.is(b'[') || self.is(b']') || self.is(b'?') {
            self.token(parts, false, level::NONE)?;
        }
        self.words(parts, 1)?;
        if self.is(b'=') {
            self.words(parts, 1)?;
            match self.is_word(Keyword::Undef) {
                true => self.words(parts, 1)?,
                false => self.operand(parts, true)?,
            }
        }
        Ok(())
    }

    fn condition(&mut self, out: &mut Vec<Statement>) -> Read<()> {
        let mut clauses = Vec::new();
        while !self.is_word(Keyword::End) {
            let first = self.at;
            let has_condition = !self.is_word(Keyword::Else);
            let mut header = Vec::new();
            self.words(&mut header, 1)?;
            if has_condition {
                self.expression(&mut header, true)?;
            }
            clauses.push(self.clause(first, header)?);
        }
        self.end(out, clauses)
    }

    fn clause(&mut self, first: usize, mut header: Vec<Part>) -> Read<Clause> {
        let colon = Node::Token(self.expect(b':')?);
        header.push(Part { has_space: false, level: level::NONE, node: colon });
        let mut body = Vec::new();
        let ends = [Keyword::End, Keyword::Else, Keyword::Elif].map(Kind::Word);
        while !ends.contains(&self.kind()) {
            self.statement(&mut body)?;
        }
        Ok(Clause { first, header, body })
    }

    fn end(&mut self, out: &mut Vec<Statement>, clauses: Vec<Clause>) -> Read<()> {
        if !self.is_word(Keyword::End) {
            return Err(FormatError::Unsafe);
        }
        let end = self.advance()?;
        out.push(Statement::Compound { clauses, end });
        Ok(())
    }

    fn implement(&mut self, parts: &mut Vec<Part>) -> Read<()> {
        self.words(parts, 1)?;
        self.path(parts, true, level::NONE)?;
        self.token(parts, true, level::CLAUSE)?;
        self.paths(parts)?;
        if self.is_word(Keyword::When) {
            self.token(parts, true, level::CLAUSE)?;
            self.expression(parts, true)?;
        }
        Ok(())
    }

    /// Reads paths, or `parents`, with commas between them.
    fn paths(&mut self, parts: &mut Vec<Part>) -> Read<()> {
        let mut level = level::NONE;
        loop {
            match self.is_word(Keyword::Parents) {
                true => self.token(parts, true, level)?,
                false => self.path(parts, true, level)?,
            }
            if !self.is(b',') {
                return Ok(());
            }
            self.token(parts, false, level::NONE)?;
            level = level::LIST;
        }
    }

    fn path(&mut self, parts: &mut Vec<Part>, has_space: bool, level: u8) -> Read<()> {
        self.token(parts, has_space, level)?;
        while self.kind() == Kind::Sep {
            self.token(parts, false, level::NONE)?;
            self.token(parts, false, level::NONE)?;
        }
        Ok(())
    }

    /// The distance to the token after a path whose last name begins with a capital letter.
    fn class_ahead(&self) -> Option<usize> {
        let mut distance = 0;
        loop {
            match (self.kind_after(distance), self.kind_after(distance + 1)) {
                (Kind::Cid, _) => return Some(distance + 1),
                (Kind::Id, Kind::Sep) => distance += 2,
                _ => return None,
            }
        }
    }

    fn is_relation(&self) -> bool {
        self.class_ahead().is_some_and(|after| self.kind_after(after) == Kind::Char(b'.'))
    }

    fn relation(&mut self, parts: &mut Vec<Part>) -> Read<()> {
        self.path(parts, false, level::NONE)?;
        self.relation_end(parts)?;
        if self.kind() == Kind::Rel {
            self.token(parts, true, level::CLAUSE)?;
        } else {
            loop {
                let after = self.class_ahead().map(|after| self.kind_after(after));
                if after.is_some_and(|kind| !matches!(kind, Kind::Char(b'(' | b'['))) {
                    break;
                }
                self.expression(parts, true)?;
                if !self.is(b',') {
                    break;
                }
                self.token(parts, false, level::NONE)?;
            }
        }
        self.path(parts, true, level::NONE)?;
        if self.is(b'.') {
            self.relation_end(parts)?;
        }
        Ok(())
    }

    /// Reads `.name [1:2]`.
    fn relation_end(&mut self, parts: &mut Vec<Part>) -> Read<()> {
        self.require(b'.')?;
        self.token(parts, false, level::NONE)?;
        self.token(parts, false, level::NONE)?;
        let mut has_space = true;
        while !self.is(b']') {
            self.token(parts, has_space, level::NONE)?;
            has_space = false;
        }
        self.token(parts, false, level::NONE)
    }
}

/// Expressions.
impl Reader<'_, '_> {
    fn expression(&mut self, out: &mut Vec<Part>, has_space: bool) -> Read<()> {
        self.operand(out, has_space)?;
        self.operators(out)
    }

    fn operators(&mut self, out: &mut Vec<Part>) -> Read<()> {
        loop {
            let level = match self.kind() {
                Kind::Char(b'?') => {
                    self.token(out, true, level::CONDITION)?;
                    self.expression(out, true)?;
                    self.require(b':')?;
                    level::CONDITION
                }
                Kind::Word(Keyword::Or) => level::OR,
                Kind::Word(Keyword::And) => level::AND,
                Kind::Cmp => level::COMPARE,
                Kind::Plus | Kind::Minus => level::ADD,
                Kind::Char(b'*' | b'%') | Kind::Slash => level::MULTIPLY,
                Kind::Power => level::POWER,
                Kind::Word(Keyword::In) => level::IN,
                Kind::Word(Keyword::Not) => {
                    self.token(out, true, level::IN)?;
                    level::NONE
                }
                // The lexer reads the comparison with a negative number as an arrow.
                Kind::Rel if self.kind_after(1) == Kind::Int => {
                    self.token(out, true, level::COMPARE)?;
                    self.operand(out, false)?;
                    continue;
                }
                _ => return Ok(()),
            };
            self.token(out, true, level)?;
            self.operand(out, true)?;
        }
    }

    fn operand(&mut self, out: &mut Vec<Part>, has_space: bool) -> Read<()> {
        let mut has_space = has_space;
        while self.is_word(Keyword::Not) {
            self.token(out, has_space, level::NONE)?;
            has_space = true;
        }
        match self.kind() {
            Kind::Char(b'(') => self.group(out, has_space, b')', false, |reader, element| {
                reader.expression(element, false)
            }),
            Kind::Char(b'[') => self.list(out, has_space),
            Kind::Char(b'{') => self.group(out, has_space, b'}', true, |reader, element| {
                reader.token(element, false, level::NONE)?;
                reader.require(b':')?;
                reader.token(element, false, level::NONE)?;
                reader.expression(element, true)
            }),
            Kind::Id | Kind::Cid => self.named(out, has_space),
            Kind::Int
            | Kind::Float
            | Kind::String
            | Kind::FString
            | Kind::RString
            | Kind::Multi
            | Kind::Regex
            | Kind::Word(Keyword::True | Keyword::False | Keyword::Null) => {
                self.token(out, has_space, level::NONE)
            }
            _ => Err(FormatError::Unsafe),
        }
    }

    /// Reads an operand that begins with a name.
    fn named(&mut self, out: &mut Vec<Part>, has_space: bool) -> Read<()> {
        let is_namespaced = self.kind_after(1) == Kind::Sep;
        let is_class = self.class_ahead().is_some();
        self.path(out, has_space, level::NONE)?;
        if is_class {
            return match self.kind() {
                Kind::Char(b'(') => self.arguments(out, b')'),
                Kind::Char(b'[') => self.arguments(out, b']'),
                _ => Err(FormatError::Unsafe),
            };
        }
        if self.is(b'(') {
            return self.arguments(out, b')');
        }
        if self.is_word(Keyword::Is) && !is_namespaced {
            return self.words(out, 2);
        }
        let mut is_attribute = false;
        while self.is(b'.') {
            self.token(out, false, level::NONE)?;
            self.token(out, false, level::NONE)?;
            is_attribute = true;
            if self.is_word(Keyword::Is) {
                return self.words(out, 2);
            }
        }
        if self.is(b'[') && is_attribute && self.is_query() {
            return self.arguments(out, b']');
        }
        let mut has_key = false;
        while self.is(b'[') {
            self.group(out, false, b']', false, |reader, element| {
                reader.expression(element, false)
            })?;
            has_key = true;
        }
        if has_key && self.is_word(Keyword::Is) {
            return self.words(out, 2);
        }
        Ok(())
    }

    /// Whether the bracket contains attributes of an index lookup rather than a key.
    fn is_query(&self) -> bool {
        match self.kind_after(1) {
            Kind::Char(b']') | Kind::Power => true,
            Kind::Id => self.kind_after(2) == Kind::Char(b'='),
            _ => false,
        }
    }

    fn arguments(&mut self, out: &mut Vec<Part>, close: u8) -> Read<()> {
        self.group(out, false, close, true, |reader, element| {
            let is_named = reader.kind() == Kind::Id && reader.kind_after(1) == Kind::Char(b'=');
            let is_dict = reader.kind() == Kind::Power;
            for _ in 0..2 * usize::from(is_named) + usize::from(is_dict) {
                reader.token(element, false, level::NONE)?;
            }
            reader.expression(element, false)
        })
    }

    fn list(&mut self, out: &mut Vec<Part>, has_space: bool) -> Read<()> {
        self.group(out, has_space, b']', true, |reader, element| {
            reader.expression(element, false)?;
            while reader.is_word(Keyword::For) {
                reader.token(element, true, level::CLAUSE)?;
                reader.words(element, 2)?;
                reader.expression(element, true)?;
            }
            while reader.is_word(Keyword::If) {
                reader.token(element, true, level::CLAUSE)?;
                reader.expression(element, true)?;
            }
            Ok(())
        })
    }

    /// Reads brackets with elements.
    fn group(
        &mut self,
        out: &mut Vec<Part>,
        has_space: bool,
        close: u8,
        takes_comma: bool,
        mut element: impl FnMut(&mut Self, &mut Vec<Part>) -> Read<()>,
    ) -> Read<()> {
        let open = self.advance()?;
        let (mut elements, mut commas) = (Vec::new(), Vec::new());
        while !self.is(close) {
            let mut parts = Vec::new();
            element(self, &mut parts)?;
            elements.push(parts);
            if !self.is(b',') {
                break;
            }
            commas.push(self.advance()?);
        }
        let close = self.expect(close)?;
        // No comma may follow a comprehension.
        let is_comprehension =
            elements.iter().flatten().any(|part: &Part| part.level == level::CLAUSE);
        let takes_comma = takes_comma && !is_comprehension;
        let mut group = Group { open, close, elements, commas, takes_comma, width: None };
        group.width = self.group_width(&group);
        out.push(Part { has_space, level: level::NONE, node: Node::Group(Box::new(group)) });
        Ok(())
    }

    /// The width of a group on one line. A comma behind the last element, a comment, or a text with
    /// line breaks beside other elements needs several lines.
    fn group_width(&self, group: &Group) -> Option<usize> {
        let count = group.elements.len();
        let has_last_comma = count > 0 && group.commas.len() == count;
        let has_comment = self.comments[group.open] < self.comments[group.close];
        let has_lines = self.multi_lines[group.open] < self.multi_lines[group.close];
        if has_last_comma || has_comment || has_lines && count > 1 {
            return None;
        }
        let mut sum = 2 + 2 * group.commas.len();
        for element in &group.elements {
            sum += width(self.items, element)?;
        }
        Some(sum)
    }
}
