//! The tags of a run, by name.

use std::collections::BTreeMap;

use ecow::EcoString;
use rustc_hash::FxHashSet;

use crate::ids::InstId;
use crate::value::Bound;

/// The tags of a run.
#[derive(Debug, Default)]
pub struct Tags {
    pub(super) tags: BTreeMap<EcoString, Tag>,
    pub(super) searched: FxHashSet<InstId>,
    /// The number of finished documents in the stream.
    pub(super) finished: i64,
}

/// The target of a tag.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) value: Bound,
    pub(super) path: String,
    pub(super) global: bool,
    /// Whether it belongs to the document under evaluation.
    pub(super) open: bool,
}

/// The reason why a text is no valid tag name.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let mut length = 0;
    for c in name.chars() {
        match c {
            ':' | '.' if length == 0 => return Err("empty tag component not allowed".into()),
            ':' | '.' => length = 0,
            '0'..='9' if length == 0 => {
                return Err("tag component must start with alnum rune".into());
            }
            'a'..='z' | 'A'..='Z' | '0'..='9' => length += 1,
            c => return Err(format!("invalid character \"{c}\" in tag component")),
        }
    }
    Ok(())
}
