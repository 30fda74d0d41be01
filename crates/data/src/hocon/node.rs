//! Values before substitutions are resolved.

use std::io;
use std::path::Path;

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::Value;

/// The maximum depth of lists and objects, and the maximum length of a dotted key.
pub(super) const MAX_DEPTH: u32 = 128;

pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The environment and the files that a document may read.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The environment variables that substitutions fall back to.
    pub environment: Environment<'a>,
    /// The bytes of a file that is included; `None` if there is none.
    pub file: &'a dyn Fn(&Path) -> io::Result<Option<Vec<u8>>>,
}

impl Context<'_> {
    /// No variables and no files.
    pub const NONE: Self = Self { environment: &|_| None, file: &|_| Ok(None) };
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Context")
    }
}

/// A value as it is written.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The byte where it starts.
    pub(super) at: usize,
    /// Its id; only computed nodes have their own.
    pub(super) id: usize,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A value with its text.
    Scalar(Value, EcoString),
    /// The spaces between two values of a concatenation.
    Blank(EcoString),
    List(Vec<Node>),
    Object(Fields),
    Substitution {
        path: Vec<EcoString>,
        /// The number of keys of the path that come from the place of its include.
        prefix: usize,
        optional: bool,
    },
    Concatenation(Vec<Node>),
}

/// The fields of an object.
#[derive(Default, Debug)]
pub(super) struct Fields {
    pub(super) entries: IndexMap<EcoString, Field, FxBuildHasher>,
    /// The number of objects that were merged into this one.
    pub(super) generation: u32,
}

/// The values assigned to a key; the last one wins.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) definitions: Vec<Node>,
    /// The generation of the object that defined it, and its position there.
    pub(super) rank: (u32, usize),
}

impl Fields {
    /// Adds a definition of a key.
    pub(super) fn define(&mut self, key: EcoString, node: Node) {
        let rank = (self.generation, self.entries.len());
        let empty = || Field { definitions: Vec::new(), rank };
        self.entries.entry(key).or_insert_with(empty).define(node);
    }

    /// The keys in the order of the result: those of later objects first.
    pub(super) fn in_order(&self) -> Vec<(&EcoString, &Field)> {
        let mut fields: Vec<_> = self.entries.iter().collect();
        if self.generation > 0 {
            fields.sort_by_key(|(_, field)| (std::cmp::Reverse(field.rank.0), field.rank.1));
        }
        fields
    }

    /// Merges an object that comes later.
    pub(super) fn merge(&mut self, later: Fields) {
        self.generation += 1;
        let rank_of = |field: &Field| (std::cmp::Reverse(field.rank.0), field.rank.1);
        let mut fields: Vec<_> = later.entries.into_iter().collect();
        fields.sort_by_key(|(_, field)| rank_of(field));
        for (position, (key, field)) in fields.into_iter().enumerate() {
            let rank = (self.generation, position);
            let empty = || Field { definitions: Vec::new(), rank };
            let mine = self.entries.entry(key).or_insert_with(empty);
            mine.rank = rank;
            field.definitions.into_iter().for_each(|node| mine.define(node));
        }
    }
}

impl Field {
    pub(super) fn define(&mut self, node: Node) {
        match (node.kind, self.definitions.last_mut()) {
            (Kind::Object(later), Some(Node { kind: Kind::Object(fields), .. })) => {
                fields.merge(later);
            }
            (kind, _) => {
                if matches!(kind, Kind::Scalar(..)) {
                    self.definitions.clear(); // A plain value hides earlier definitions.
                }
                self.definitions.push(Node { kind, ..node });
            }
        }
    }
}
