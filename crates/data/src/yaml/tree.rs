//! The tree of a document, with places: one vector of nodes in the order of the text.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::TextRange;

use super::error::{Error, ErrorKind};
use super::ruby;

/// A node of a [`Tree`], by its position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// The style of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In quotes of either kind.
    Quoted,
    /// As a block after `|` or `>`.
    Block,
}

/// The kind of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A single value, as text.
    Scalar(EcoString, Style),
    /// A list. Its items follow, each with everything below it.
    List,
    /// A map. Its keys and values follow alternately, each with everything below it.
    Map,
    /// Stands for an earlier node.
    Alias(NodeId),
}

/// A node: its kind and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its kind.
    pub kind: Kind,
    /// Its range: for lists and maps from the first item to the last one.
    pub span: TextRange,
    /// The explicit tag, as an index into the tree's tags plus one, and [`SHARED`].
    pub(super) tag: u32,
    /// The position after everything below this node.
    pub(super) next: u32,
}

/// The bit in a node's tag that marks the target of an alias. Texts are too short for that many
/// tags.
pub(super) const SHARED: u32 = 1 << 31;

/// A document: all nodes in one vector, the root first.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) tags: Vec<EcoString>,
    /// Start of every line, for messages that come after parsing.
    pub(super) lines: Arc<Vec<u32>>,
    /// The first position at which libyaml refuses the text.
    pub(super) refused: Option<Box<Error>>,
}

impl Tree {
    /// Whether the document contains a symbol for Ruby.
    pub fn has_symbols(&self) -> bool {
        self.nodes.iter().enumerate().any(|(i, node)| {
            let Kind::Scalar(text, style) = &node.kind else { return false };
            match self.tag(NodeId(i as u32)) {
                Some(tag) => ruby::is_symbol_tag(tag),
                None => {
                    text.starts_with(':')
                        && *style == Style::Plain
                        && matches!(ruby::scan(text), ruby::Scalar::Symbol(_))
                }
            }
        })
    }

    /// The outermost node; `None` for an empty document.
    pub fn root(&self) -> Option<NodeId> {
        (!self.nodes.is_empty()).then_some(NodeId(0))
    }

    /// A node.
    ///
    /// # Panics
    /// When the id belongs to another tree.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the document is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether Ruby reads it as plain data without any permissions: it has no aliases, tags or
    /// symbols.
    pub fn is_plain(&self) -> bool {
        self.nodes.iter().all(|node| {
            let is_plain = match &node.kind {
                Kind::Scalar(text, Style::Plain) => !text.starts_with(':'),
                Kind::Alias(_) => false,
                _ => true,
            };
            is_plain && node.tag & !SHARED == 0
        })
    }

    /// Whether an alias refers to a node.
    pub fn is_shared(&self, id: NodeId) -> bool {
        self.node(id).tag & SHARED != 0
    }

    /// The explicit tag of a node, such as `tag:yaml.org,2002:str` or `!ruby/sym`.
    pub fn tag(&self, id: NodeId) -> Option<&str> {
        let index = (self.node(id).tag & !SHARED).checked_sub(1)?;
        self.tags.get(index as usize).map(EcoString::as_str)
    }

    /// The items of a list, or the keys and values of a map in turn.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let node = self.node(id);
        let end = if matches!(node.kind, Kind::List | Kind::Map) { node.next } else { 0 };
        let mut at = id.0 + 1;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let child = NodeId(at);
            at = self.node(child).next;
            Some(child)
        })
    }

    /// The keys and values of a map.
    pub fn entries(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let is_map = matches!(self.node(id).kind, Kind::Map);
        let mut children = self.children(id);
        std::iter::from_fn(
            move || {
                if is_map { Some((children.next()?, children.next()?)) } else { None }
            },
        )
    }

    /// The target of an alias; any other node itself.
    pub fn target(&self, id: NodeId) -> NodeId {
        match self.node(id).kind {
            Kind::Alias(to) => to,
            _ => id,
        }
    }

    /// The node under a path of keys and list indices. Of equal keys the last one wins, as for the
    /// value; a merged key is found in its source.
    pub fn find_node(&self, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(self.root()?, |at, key| self.step(at, key, 0))
    }

    /// The place of the value under a path of keys and list indices.
    pub fn find(&self, path: &[&str]) -> Option<TextRange> {
        self.find_node(path).map(|id| self.node(id).span)
    }

    /// The text of a scalar.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(self.target(id)).kind {
            Kind::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    fn step(&self, at: NodeId, key: &str, merges: u32) -> Option<NodeId> {
        /// Merge keys may point to maps with merge keys; longer chains are not followed.
        const MERGES: u32 = 16;
        let at = self.target(at);
        if matches!(self.node(at).kind, Kind::List) {
            return self.children(at).nth(key.parse().ok()?);
        }
        let mut found = None;
        for (k, v) in self.entries(at) {
            let text = self.text(k);
            if text == Some(key) {
                found = Some(v);
            } else if text == Some("<<") && merges < MERGES {
                found = self.step_merged(v, key, merges + 1).or(found);
            }
        }
        found
    }

    fn step_merged(&self, source: NodeId, key: &str, merges: u32) -> Option<NodeId> {
        let source = self.target(source);
        match self.node(source).kind {
            Kind::List => self.children(source).find_map(|map| match self.target(map) {
                map if matches!(self.node(map).kind, Kind::Map) => self.step(map, key, merges),
                _ => None,
            }),
            Kind::Map => self.step(source, key, merges),
            _ => None,
        }
    }

    /// An error about a place of this tree. The column is in bytes, because the text is not
    /// available any more.
    pub(super) fn error(&self, span: TextRange, message: impl Into<String>) -> Error {
        let line = self.lines.partition_point(|start| *start <= span.start).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let column = span.start.saturating_sub(start) + 1;
        Error { kind: ErrorKind::Refused, message: message.into(), range: span, line, column }
    }
}
