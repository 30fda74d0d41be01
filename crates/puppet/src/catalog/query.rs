//! The queries of collectors.

use crate::value::{Value, compare};
use std::borrow::Cow;

/// A query, its values evaluated when the collector was made.
#[derive(Clone, Debug)]
pub enum Query {
    /// Everything fits.
    All,
    /// Both fit.
    And(Box<Query>, Box<Query>),
    /// One fits.
    Or(Box<Query>, Box<Query>),
    /// A parameter or the title equals or contains a value, or does not.
    Compare {
        /// The name.
        name: ecow::EcoString,
        /// The value.
        value: Value,
        /// `==` rather than `!=`.
        equal: bool,
    },
    /// All of these tags.
    Tags(Vec<ecow::EcoString>),
}

impl Query {
    /// The title of all matching resources, if the query fixes it.
    pub fn title(&self) -> Option<&ecow::EcoString> {
        match self {
            Self::Compare { name, value: Value::Str(title), equal: true } if name == "title" => {
                Some(title)
            }
            Self::And(l, r) => l.title().or_else(|| r.title()),
            _ => None,
        }
    }
}

/// A resource that a query may match.
pub(crate) trait Candidate {
    /// The title.
    fn title(&self) -> &str;
    /// The value of a parameter.
    fn param(&self, name: &str) -> Cow<'_, Value>;
    /// Whether it has a tag.
    fn has_tag(&self, tag: &str) -> bool;
}

/// Whether something fits a query.
pub(crate) fn fits(query: &Query, candidate: &impl Candidate) -> bool {
    match query {
        Query::All => true,
        Query::And(l, r) => fits(l, candidate) && fits(r, candidate),
        Query::Or(l, r) => fits(l, candidate) || fits(r, candidate),
        Query::Tags(tags) => tags.iter().all(|tag| candidate.has_tag(tag)),
        Query::Compare { name, value, equal } if name == "title" => {
            value.as_str().is_some_and(|v| compare::same_text(candidate.title(), v)) == *equal
        }
        Query::Compare { name, value, equal } => match &*candidate.param(name) {
            Value::Array(items) if *equal => items.iter().any(|item| compare::equals(item, value)),
            actual => compare::equals(actual, value) == *equal,
        },
    }
}
