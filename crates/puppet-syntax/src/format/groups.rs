//! Groups: pairs of brackets with their contents.

use std::collections::HashSet;

use crate::ast::{Expr, Program};
use crate::lexer::TokenKind;

use super::atoms::Atom;

/// The construct that a pair of brackets belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GroupKind {
    /// The whole text.
    Program,
    /// Statements between braces.
    Block,
    /// The options of a case.
    Case,
    /// The entries of a selector.
    Selector,
    /// A hash.
    Hash,
    /// The bodies of a resource, or attributes alone.
    Resource,
    /// A list.
    List,
    /// The keys of an access: `Type[…]`, `$a[…]`.
    Access,
    /// Parameters of a class, define or function.
    Parameters,
    /// Parameters of a lambda.
    LambdaParameters,
    /// Arguments of a call.
    Arguments,
    /// An expression in parentheses.
    Parentheses,
    /// The query of a collector.
    Query,
}

impl GroupKind {
    /// Whether each element has a line of its own in a group that spans lines.
    pub(super) fn has_line_per_element(self) -> bool {
        use GroupKind::*;
        matches!(self, Selector | Hash | Resource | Parameters)
    }

    /// Whether the last element of a group that spans lines has a comma.
    pub(super) fn ends_with_comma(self) -> bool {
        self.has_line_per_element() || self == Self::List
    }
}

/// A pair of brackets.
pub(super) struct Group {
    pub(super) kind: GroupKind,
    /// The atom that opens it; for the program, the number of atoms.
    pub(super) open: usize,
    /// The atom that closes it.
    pub(super) close: usize,
    /// Whether it spans lines at its own level.
    pub(super) broken: bool,
    /// Whether it is indented from the beginning of its statement and not from its line.
    pub(super) from_statement: bool,
    /// The number of bodies of a resource that have a title.
    pub(super) titles: usize,
    /// Whether semicolons end its bodies.
    pub(super) has_semicolons: bool,
    /// The colons of the bodies that stay on one line: those of a list of short bodies.
    pub(super) one_line_bodies: Vec<usize>,
}

/// The groups of a text.
pub(super) struct Groups {
    /// All groups, in the order of their beginnings; the program first.
    pub(super) groups: Vec<Group>,
    /// For each atom the group that it opens or closes.
    of_atom: Vec<Option<u32>>,
}

impl Groups {
    /// The group that an atom opens.
    pub(super) fn opened_by(&self, atom: usize) -> Option<&Group> {
        self.group(atom).filter(|group| group.open == atom)
    }

    /// The group that an atom closes.
    pub(super) fn closed_by(&self, atom: usize) -> Option<&Group> {
        self.group(atom).filter(|group| group.close == atom && group.open != atom)
    }

    /// The atoms of a group at its own level, with the brackets of groups inside.
    pub(super) fn inner(&self, group: &Group) -> Vec<usize> {
        let mut at = if group.kind == GroupKind::Program { 0 } else { group.open + 1 };
        let mut inner = Vec::new();
        while at < group.close {
            inner.push(at);
            if let Some(opened) = self.opened_by(at) {
                at = opened.close;
                if at < group.close {
                    inner.push(at);
                }
            }
            at += 1;
        }
        inner
    }

    fn group(&self, atom: usize) -> Option<&Group> {
        let index = *self.of_atom.get(atom)?;
        self.groups.get(index? as usize)
    }
}

/// The construct whose body is expected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    None,
    /// `if`, `elsif`, `else`, `unless`
    Branch,
    Case,
    /// `class`, `define`, `function`, `node`, `type`
    Definition,
    /// Behind the parameters of a lambda.
    Lambda,
}

struct Frame {
    group: usize,
    head: Head,
}

/// Finds the groups of a text that parses.
pub(super) fn find(atoms: &[Atom], program: &Program) -> Groups {
    let starts = |is: fn(&Expr) -> bool| -> HashSet<u32> {
        let exprs = program.exprs.iter().filter(|(_, expr)| is(expr));
        exprs.map(|(id, _)| program.range(id).start).collect()
    };
    let mut finder = Finder {
        atoms,
        hashes: starts(|expr| matches!(expr, Expr::Hash(_))),
        lists: starts(|expr| matches!(expr, Expr::List(_))),
        frames: vec![Frame { group: 0, head: Head::None }],
        groups: Vec::new(),
        of_atom: vec![None; atoms.len()],
    };
    finder.groups.push(Group {
        kind: GroupKind::Program,
        open: atoms.len(),
        close: atoms.len(),
        broken: true,
        from_statement: false,
        titles: 0,
        has_semicolons: false,
        one_line_bodies: Vec::new(),
    });
    for at in 0..atoms.len() {
        finder.step(at);
    }
    let mut groups = Groups { groups: finder.groups, of_atom: finder.of_atom };
    for index in 1..groups.groups.len() {
        let broken = is_broken(atoms, &groups, index);
        groups.groups[index].broken = broken;
        if groups.groups[index].has_semicolons {
            let colons = one_line_bodies(atoms, &groups, index);
            groups.groups[index].one_line_bodies = colons;
        }
    }
    groups
}

struct Finder<'a> {
    atoms: &'a [Atom],
    /// Where hashes begin.
    hashes: HashSet<u32>,
    /// Where lists begin.
    lists: HashSet<u32>,
    /// The open groups, outermost first. The first one is the program.
    frames: Vec<Frame>,
    groups: Vec<Group>,
    of_atom: Vec<Option<u32>>,
}

impl Finder<'_> {
    fn kind_at(&self, at: Option<usize>) -> TokenKind {
        at.and_then(|at| self.atoms.get(at)).map_or(TokenKind::Eof, |atom| atom.kind)
    }

    fn step(&mut self, at: usize) {
        use TokenKind::*;
        let kind = self.atoms[at].kind;
        match kind {
            LBrace | SelBrace | LBrack | ListStart | LParen | WsLParen | LCollect | LlCollect => {
                self.open(at, kind);
            }
            Pipe if self.inner_kind() == GroupKind::LambdaParameters => {
                self.close(at);
                self.set_head(Head::Lambda);
            }
            Pipe => self.open(at, kind),
            RBrace | RBrack | RParen | RCollect | RrCollect => self.close(at),
            Colon if self.inner_kind() == GroupKind::Resource => self.inner_group().titles += 1,
            Semic if self.inner_kind() == GroupKind::Resource => {
                self.inner_group().has_semicolons = true;
            }
            // The rest is the type of an alias.
            Equals if self.inner().head == Head::Definition => self.set_head(Head::None),
            _ => self.keyword(at, kind),
        }
    }

    fn inner(&mut self) -> &mut Frame {
        // The program's frame is never closed.
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn inner_group(&mut self) -> &mut Group {
        let index = self.inner().group;
        &mut self.groups[index]
    }

    fn inner_kind(&mut self) -> GroupKind {
        self.inner_group().kind
    }

    fn set_head(&mut self, head: Head) {
        self.inner().head = head;
    }

    /// Remembers which body follows a keyword, unless the keyword is a name.
    fn keyword(&mut self, at: usize, kind: TokenKind) {
        use TokenKind::*;
        let next = self.kind_at(Some(at + 1));
        let before = self.kind_at(at.checked_sub(1));
        if matches!(next, FArrow | PArrow | Comma | Equals) || before == Dot {
            return;
        }
        let head = match kind {
            If | Elsif | Else | Unless => Head::Branch,
            Case => Head::Case,
            Class if next == LBrace => return,
            Class | Define | Function | Node => Head::Definition,
            Type if next == ClassRef => Head::Definition,
            _ => return,
        };
        self.set_head(head);
    }

    fn open(&mut self, at: usize, token: TokenKind) {
        use TokenKind::*;
        let mut from_statement = false;
        let kind = match token {
            SelBrace => GroupKind::Selector,
            LBrace => {
                let kind = self.brace(at);
                from_statement =
                    matches!(self.inner().head, Head::Branch | Head::Case | Head::Definition)
                        && kind != GroupKind::Hash;
                if kind != GroupKind::Hash {
                    self.set_head(Head::None);
                }
                kind
            }
            LBrack | ListStart if self.lists.contains(&self.atoms[at].range.start) => {
                GroupKind::List
            }
            LBrack | ListStart => GroupKind::Access,
            LCollect | LlCollect => GroupKind::Query,
            Pipe => GroupKind::LambdaParameters,
            _ if self.inner().head == Head::Definition => GroupKind::Parameters,
            WsLParen => GroupKind::Parentheses,
            _ => match self.kind_at(at.checked_sub(1)) {
                Name | ClassRef | RBrack => GroupKind::Arguments,
                before if before.is_keyword() && !is_operator_word(before) => GroupKind::Arguments,
                _ => GroupKind::Parentheses,
            },
        };
        self.of_atom[at] = Some(self.groups.len() as u32);
        self.frames.push(Frame { group: self.groups.len(), head: Head::None });
        self.groups.push(Group {
            kind,
            open: at,
            close: self.atoms.len(),
            broken: false,
            from_statement,
            titles: 0,
            has_semicolons: false,
            one_line_bodies: Vec::new(),
        });
    }

    fn close(&mut self, at: usize) {
        // A text that parses has no closing bracket too many.
        if self.frames.len() > 1
            && let Some(frame) = self.frames.pop()
        {
            self.groups[frame.group].close = at;
            self.of_atom[at] = Some(frame.group as u32);
        }
    }

    fn brace(&mut self, at: usize) -> GroupKind {
        if self.hashes.contains(&self.atoms[at].range.start) {
            return GroupKind::Hash;
        }
        let head = self.inner().head;
        match head {
            Head::Case => GroupKind::Case,
            Head::Branch | Head::Definition | Head::Lambda => GroupKind::Block,
            Head::None if self.inner_kind() == GroupKind::Case => GroupKind::Block,
            Head::None if self.has_attributes(at) => GroupKind::Resource,
            Head::None => GroupKind::Block,
        }
    }

    /// Whether there are titles or attributes between braces, or nothing.
    fn has_attributes(&self, open: usize) -> bool {
        use TokenKind::*;
        let mut depth = 0;
        for (at, atom) in self.atoms.iter().enumerate().skip(open + 1) {
            match atom.kind {
                LBrace | SelBrace | LBrack | ListStart | LParen | WsLParen => depth += 1,
                RBrace if depth == 0 => return at == open + 1,
                RBrace | RBrack | RParen => depth -= 1,
                FArrow | PArrow | Colon if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }
}

/// Whether a keyword is an operator.
fn is_operator_word(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, And | Or | In | If | Elsif | Unless | Case | Else)
}

/// Whether a group spans lines at its own level.
fn is_broken(atoms: &[Atom], groups: &Groups, index: usize) -> bool {
    let group = &groups.groups[index];
    let mut at = group.open + 1;
    let mut before = group.open;
    let mut found = false;
    while at <= group.close && at < atoms.len() {
        found |= atoms[at].is_after_break() && counts(atoms, group, before, at);
        before = at;
        if at < group.close
            && let Some(inner) = groups.opened_by(at)
        {
            before = inner.close;
            at = inner.close;
        }
        at += 1;
    }
    let only_title = group.kind == GroupKind::Resource
        && group.close > 0
        && atoms[group.close - 1].kind == TokenKind::Colon
        && atoms[group.close].comments.is_empty();
    let is_empty = group.close == group.open + 1 && atoms[group.close].comments.is_empty();
    found && !only_title && !is_empty
}

/// Whether a line break between two atoms of a group is between two of its elements.
fn counts(atoms: &[Atom], group: &Group, before: usize, at: usize) -> bool {
    use TokenKind::*;
    let ends_line = atoms[at].comments.iter().any(|c| c.ends_line);
    match group.kind {
        GroupKind::Program => true,
        GroupKind::Block | GroupKind::Case => true,
        GroupKind::LambdaParameters | GroupKind::Query => false,
        GroupKind::Parentheses => before == group.open || at == group.close,
        _ if ends_line || before == group.open || at == group.close => true,
        GroupKind::Resource => matches!(atoms[before].kind, Comma | Semic | Colon),
        _ => atoms[before].kind == Comma,
    }
}

/// The colons of the bodies of a resource that the author has on one line.
fn one_line_bodies(atoms: &[Atom], groups: &Groups, index: usize) -> Vec<usize> {
    use TokenKind::*;
    let group = &groups.groups[index];
    let mut colons = Vec::new();
    let mut colon = None;
    for at in groups.inner(group) {
        match atoms[at].kind {
            Semic => colons.extend(colon.take()),
            _ if colon.is_some() && atoms[at].is_after_break() => colon = None,
            Colon => colon = Some(at),
            _ => {}
        }
    }
    let end = atoms.get(group.close);
    colons.extend(colon.filter(|_| end.is_some_and(Atom::is_after_break)));
    colons
}
