//! The identity of a resource in a catalog.

use std::fmt::Write as _;

use ecow::EcoString;
use ordain_puppet_syntax::names::{capitalize_segments, class_title, is_capitalized};

use crate::types::Type;

/// A resource type's name and a title, to look up in the index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ResourceKey {
    /// The type with capital segments.
    pub kind: EcoString,
    /// The title as identity: a file's without trailing slashes, a class's capitalised.
    pub title: EcoString,
}

impl ResourceKey {
    /// The identity of a resource: type names get capitals, a file's title loses trailing slashes,
    /// class names are down-cased and capitalised.
    #[inline]
    pub fn new(kind: &str, title: &str) -> Self {
        Self::of(capitalize_segments(kind), &EcoString::from(title))
    }

    /// The identity of a resource whose type has its capitals already.
    pub fn of(kind: EcoString, title: &EcoString) -> Self {
        let title = match kind.as_str() {
            "Class" => class_title(title),
            "File" if title.len() > 1 && title.ends_with('/') => {
                let cut = title.trim_end_matches('/');
                EcoString::from(if cut.is_empty() { "/" } else { cut })
            }
            _ => title.clone(),
        };
        Self { kind, title }
    }

    /// As [`ResourceKey::new`], without copies of names that are normal already.
    #[inline]
    pub fn shared(kind: &EcoString, title: &EcoString) -> Self {
        let kind = if is_capitalized(kind) { kind.clone() } else { capitalize_segments(kind) };
        Self::of(kind, title)
    }

    /// `Type[title]`
    pub fn text(&self) -> String {
        [&*self.kind, "[", &*self.title, "]"].concat()
    }
}

/// A resource reference, if the type is one with kind and title.
pub fn reference_key(kind: &Type) -> Option<ResourceKey> {
    match kind {
        Type::Resource { kind: Some(kind), title: Some(title) } => {
            Some(ResourceKey::shared(kind, title))
        }
        Type::Class(Some(name)) => Some(ResourceKey::new("class", name)),
        _ => None,
    }
}

/// Appends a reference that was given as a parameter: the title is not quoted, and the name of a
/// class has capitals.
pub fn write_reference(out: &mut String, kind: &Type) {
    match (reference_key(kind), kind) {
        (Some(key), _) => out.push_str(&key.text()),
        (None, kind) => {
            let _ = write!(out, "{kind}[]");
        }
    }
}
