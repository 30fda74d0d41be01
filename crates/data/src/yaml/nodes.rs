//! Builds trees from the events of a reader.

use std::sync::Arc;

use ordain_source::TextRange;

use super::error::Error;
use super::tree::{Kind, Node, NodeId, SHARED, Tree};

/// The end of a list or map in a [`Node`] before it is closed.
const OPEN: u32 = 0;

/// Trees that are being built.
#[derive(Default)]
pub(super) struct Nodes {
    trees: Vec<Tree>,
    tree: Tree,
    /// The open lists and maps.
    open: Vec<u32>,
}

impl Nodes {
    /// The number of finished documents.
    pub(super) fn documents(&self) -> usize {
        self.trees.len()
    }

    /// The finished documents of a text with these line starts.
    pub(super) fn into_trees(mut self, lines: Vec<u32>) -> Vec<Tree> {
        let lines = Arc::new(lines);
        for tree in &mut self.trees {
            tree.lines = Arc::clone(&lines);
        }
        self.trees
    }

    /// Reserves room for this many more nodes.
    pub(super) fn reserve(&mut self, count: usize) {
        self.tree.nodes.reserve(count);
    }

    /// Adds a scalar, an alias, or a list or map that is not [started](Self::start).
    pub(super) fn push(&mut self, kind: Kind, span: TextRange, tag: u32) -> u32 {
        let id = to_u32(self.tree.nodes.len());
        self.tree.nodes.push(Node { kind, span, tag, next: id + 1 });
        id
    }

    /// Adds a list or map that contains the following nodes.
    pub(super) fn start(&mut self, kind: Kind, span: TextRange, tag: u32) -> u32 {
        let id = self.push(kind, span, tag);
        self.tree.nodes[id as usize].next = OPEN;
        self.open.push(id);
        id
    }

    /// Ends the innermost list or map. A non-empty span is that of a closing bracket.
    pub(super) fn end(&mut self, span: TextRange) {
        let Some(id) = self.open.pop() else { return };
        let next = to_u32(self.tree.nodes.len());
        // A block ends with its last item, not where the parser detected the end.
        let last = self.tree.nodes.last().map_or(span.end, |n| n.span.end);
        let flow = span.end > span.start;
        let node = &mut self.tree.nodes[id as usize];
        node.next = next;
        node.span.end = node.span.start.max(if flow { span.end } else { last });
        if let Some(parent) = self.tree.nodes.get(id as usize + 1).filter(|_| !flow) {
            let first = parent.span.start;
            let node = &mut self.tree.nodes[id as usize];
            node.span.start = node.span.start.min(first);
        }
    }

    /// Adds an alias; `false` if its target is not finished yet.
    pub(super) fn alias(&mut self, target: u32, span: TextRange) -> bool {
        let node = &mut self.tree.nodes[target as usize];
        if node.next == OPEN {
            return false;
        }
        node.tag |= SHARED;
        self.push(Kind::Alias(NodeId(target)), span, 0);
        true
    }

    /// Adds a tag; returns its number.
    pub(super) fn tag(&mut self, name: ecow::EcoString) -> u32 {
        self.tree.tags.push(name);
        to_u32(self.tree.tags.len())
    }

    /// Records the first position at which libyaml refuses the text.
    pub(super) fn refuse(&mut self, error: Error) {
        self.tree.refused.get_or_insert_with(|| Box::new(error));
    }

    /// Ends the document.
    pub(super) fn end_document(&mut self) {
        self.open.clear();
        self.trees.push(std::mem::take(&mut self.tree));
    }
}

/// The reader has checked that texts are shorter than 4 GiB.
pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
