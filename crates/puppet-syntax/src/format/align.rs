//! Columns: arrows, parameters, assignments and trailing comments of neighbouring lines.

use crate::lexer::TokenKind;

use super::atoms::Atom;
use super::groups::{Group, GroupKind, Groups};
use super::layout::{Before, ItemKind, Lines};
use super::options::{Columns, FormatOptions};

/// A cell of a column: the item that is moved, and the width of its line before it.
struct Cell {
    item: usize,
    width: u32,
}

struct Aligner<'a> {
    lines: &'a mut Lines,
    source: &'a str,
    atoms: &'a [Atom],
    columns: Columns,
}

/// Moves the items that stand in columns.
pub(super) fn align(
    lines: &mut Lines,
    source: &str,
    atoms: &[Atom],
    groups: &Groups,
    options: &FormatOptions,
) {
    let mut aligner = Aligner { lines, source, atoms, columns: options.columns };
    for group in groups.groups.iter().filter(|group| group.broken) {
        match group.kind {
            GroupKind::Hash | GroupKind::Selector | GroupKind::Resource => {
                aligner.arrows(groups, group);
            }
            GroupKind::Parameters => aligner.parameters(groups, group),
            GroupKind::Program | GroupKind::Block => aligner.assignments(groups, group),
            _ => {}
        }
    }
    aligner.comments();
}

impl Aligner<'_> {
    /// The width of the line before an item, if all of it is on one line.
    fn width_before(&self, item: usize) -> Option<u32> {
        let mut width = 0;
        for at in (0..item).rev() {
            let text = self.lines.text(self.source, at);
            if text.contains('\n') {
                return None;
            }
            width += text.chars().count() as u32;
            match self.lines.items[at].before {
                Before::Spaces(n) => width += n,
                Before::Line { indent, .. } => return Some(width + indent),
            }
        }
        None
    }

    fn begins_line(&self, item: usize) -> bool {
        matches!(self.lines.items[item].before, Before::Line { .. })
    }

    /// Whether the author has more than one space before an atom on the same line.
    fn is_spaced(&self, atom: usize) -> bool {
        let Some(before) = atom.checked_sub(1) else { return false };
        let from = self.atoms[before].range.end as usize;
        let to = self.atoms[atom].range.start as usize;
        let gap = self.source.get(from..to).unwrap_or_default();
        gap.len() > 1 && gap.bytes().all(|b| b == b' ' || b == b'\t')
    }

    fn wants_columns(&self, spaced: bool) -> bool {
        match self.columns {
            Columns::AsWritten => spaced,
            Columns::Always => true,
            Columns::Never => false,
        }
    }

    /// Puts all cells into the column of the widest one.
    fn set(&mut self, cells: &[Cell]) {
        let Some(widest) = cells.iter().map(|cell| cell.width).max() else { return };
        for cell in cells {
            self.lines.items[cell.item].before = Before::Spaces(widest - cell.width + 1);
        }
    }

    /// The arrows of each body of a resource, of a hash, or of a selector.
    fn arrows(&mut self, groups: &Groups, group: &Group) {
        let mut cells = Vec::new();
        let mut one_line = false;
        let mut first_attributes = Vec::new();
        for atom in groups.inner(group) {
            match self.atoms[atom].kind {
                TokenKind::FArrow | TokenKind::PArrow if !one_line => {
                    let item = self.lines.of_atom[atom];
                    if let Some(width) = self.width_before(item)
                        && !self.begins_line(item)
                    {
                        cells.push(Cell { item, width });
                    }
                }
                TokenKind::Semic | TokenKind::Colon if group.kind == GroupKind::Resource => {
                    self.set(&cells);
                    cells.clear();
                    one_line = group.one_line_bodies.binary_search(&atom).is_ok();
                    if one_line {
                        first_attributes.push(atom + 1);
                    }
                }
                _ => {}
            }
        }
        self.set(&cells);
        self.column(&first_attributes);
    }

    /// The names and the equals signs of parameters.
    fn parameters(&mut self, groups: &Groups, group: &Group) {
        let inner = groups.inner(group);
        let elements: Vec<&[usize]> =
            inner.split(|&atom| self.atoms[atom].kind == TokenKind::Comma).collect();
        let find = |kind: TokenKind| -> Vec<usize> {
            let first = |element: &&[usize]| {
                let found = element.iter().copied().find(|&atom| self.atoms[atom].kind == kind)?;
                self.is_on_line_of(element[0], found).then_some(found)
            };
            elements.iter().filter_map(first).collect()
        };
        let (names, equals) = (find(TokenKind::Variable), find(TokenKind::Equals));
        self.column(&names);
        self.column(&equals);
    }

    /// Whether no line begins between two atoms.
    fn is_on_line_of(&self, first: usize, atom: usize) -> bool {
        let (from, to) = (self.lines.of_atom[first], self.lines.of_atom[atom]);
        !(from + 1..=to).any(|item| self.begins_line(item))
    }

    fn column(&mut self, atoms: &[usize]) {
        let spaced = atoms
            .iter()
            .any(|&atom| !self.begins_line(self.lines.of_atom[atom]) && self.is_spaced(atom));
        if !self.wants_columns(spaced) {
            return;
        }
        let cells: Vec<Cell> = atoms
            .iter()
            .map(|&atom| self.lines.of_atom[atom])
            .filter(|&item| self.lines.items[item].before == Before::Spaces(1))
            .filter_map(|item| Some(Cell { item, width: self.width_before(item)? }))
            .collect();
        self.set(&cells);
    }

    /// The equals signs of assignments on consecutive lines.
    fn assignments(&mut self, groups: &Groups, group: &Group) {
        let inner = groups.inner(group);
        let mut run: Vec<usize> = Vec::new();
        let mut last_line = None;
        let mut line = 0;
        for (index, &atom) in inner.iter().enumerate() {
            let item = self.lines.of_atom[atom];
            let Some(before) = self.lines.items.get(item).map(|item| item.before) else { break };
            if let Before::Line { blank, .. } = before {
                line += if blank { 2 } else { 1 };
            }
            let is_assignment = self.atoms[atom].kind == TokenKind::Equals
                && index > 0
                && self.atoms[inner[index - 1]].kind == TokenKind::Variable
                && self.begins_line(self.lines.of_atom[inner[index - 1]]);
            if !is_assignment {
                continue;
            }
            let follows = last_line.is_some_and(|last| last + 1 == line)
                && self.atoms[inner[index - 1]].comments.is_empty()
                && self.is_one_line(run.last().copied(), item);
            if !follows {
                self.column(&std::mem::take(&mut run));
            }
            run.push(atom);
            last_line = Some(line);
        }
        self.column(&run);
    }

    /// Whether only one line begins between an atom and an item.
    fn is_one_line(&self, atom: Option<usize>, item: usize) -> bool {
        let Some(from) = atom.map(|atom| self.lines.of_atom[atom]) else { return false };
        let breaks = (from + 1..=item).filter(|&at| self.begins_line(at)).count();
        let is_plain = (from..item).all(|at| !self.lines.text(self.source, at).contains('\n'));
        breaks == 1 && is_plain
    }

    /// The comments behind code on consecutive lines.
    fn comments(&mut self) {
        let mut run: Vec<usize> = Vec::new();
        let mut breaks = 0;
        for item in 0..self.lines.items.len() {
            if let Before::Line { blank, .. } = self.lines.items[item].before {
                breaks += if blank { 2 } else { 1 };
            }
            let trails = self.lines.items[item].kind == ItemKind::Comment
                && !self.begins_line(item)
                && self.lines.items.get(item + 1).is_none_or(|_| self.begins_line(item + 1));
            if !trails {
                continue;
            }
            if breaks > 1 {
                self.comment_column(&std::mem::take(&mut run));
            }
            run.push(item);
            breaks = 0;
        }
        self.comment_column(&run);
    }

    fn comment_column(&mut self, items: &[usize]) {
        let spaced = items.iter().any(|&item| {
            let start = self.lines.items[item].range.start as usize;
            let before = &self.source[..start];
            before.ends_with("  ") || before.ends_with('\t')
        });
        if items.len() < 2 || !spaced {
            return;
        }
        let cells: Vec<Cell> = items
            .iter()
            .filter_map(|&item| Some(Cell { item, width: self.width_before(item)? }))
            .collect();
        self.set(&cells);
    }
}
