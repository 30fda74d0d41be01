//! The evaluated form of a type with features: its features with their code, those of its parents
//! first.

use std::fmt;
use std::sync::Arc;

use ecow::EcoString;

pub use crate::model::{Code, Layout, LoadedModel, Method, Rule, Slot, TitlePatterns};

// Not derived, because the types in the layout may refer to it.
impl fmt::Debug for LoadedModel {
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

    /// The function of this name. A function of a subtype overrides that of its parent.
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

impl LoadedModel {
    /// The name of the type.
    #[inline]
    pub fn name(&self) -> &EcoString {
        &self.model.name
    }
}
