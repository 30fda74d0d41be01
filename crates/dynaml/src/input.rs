//! The files of a run.

use ordain_data::yaml::Tree;

/// A file to merge.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Its name, as errors show it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The single key under which the document is put.
    pub under: Option<String>,
}

/// The documents of a text.
pub(crate) struct Documents {
    pub(crate) first: Tree,
    pub(crate) more: Vec<Tree>,
}

impl Documents {
    /// The parsed documents; a text without any counts as one empty document.
    pub(crate) fn new(trees: Vec<Tree>) -> Self {
        let mut trees = trees.into_iter();
        Self { first: trees.next().unwrap_or_default(), more: trees.collect() }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Tree> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// The document with a number, from 0.
    pub(crate) fn get(&self, number: usize) -> Option<&Tree> {
        match number.checked_sub(1) {
            None => Some(&self.first),
            Some(at) => self.more.get(at),
        }
    }
}
