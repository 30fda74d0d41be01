//! The evaluated form of a type: its features, those of its parents first, with their code.

use std::fmt;
use std::sync::Arc;

use ecow::EcoString;

pub use crate::model::{Code, Layout, Method, Modelled, Rule, Slot, TitlePatterns};

// The layout holds types, which may lead back here.
impl fmt::Debug for Modelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.model.name)
    }
}

impl Layout {
    /// The feature that alone names a resource of the type.
    #[inline]
    pub fn namevar(&self) -> Option<usize> {
        match *self.namevars {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The function of this name; one of a subtype comes before that of its parent.
    #[inline]
    pub fn method(&self, name: &str) -> Option<&Arc<Method>> {
        self.functions.iter().rev().find(|method| method.name == name)
    }

    /// The place of a feature.
    #[inline]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}

impl Modelled {
    /// The name of the type.
    #[inline]
    pub fn name(&self) -> &EcoString {
        &self.model.name
    }
}
