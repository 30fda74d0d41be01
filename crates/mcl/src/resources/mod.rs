//! The kinds of resources with their fields and sent values.

mod kind;
mod table;

use std::sync::OnceLock;

use ordain_source::suggest;
use rustc_hash::FxHashMap;

use crate::types::{self, Type};

pub use kind::{DefaultValue, Field, Kind, Width};
pub use table::kinds;

/// A kind with its fields by name and their types read.
#[derive(Debug)]
pub struct KindInfo {
    /// The kind.
    pub kind: &'static Kind,
    fields: FxHashMap<&'static str, (usize, Type)>,
}

impl KindInfo {
    /// A field with its number and type.
    pub fn field(&self, name: &str) -> Option<(usize, &'static Field, &Type)> {
        let (at, ty) = self.fields.get(name)?;
        Some((*at, self.kind.fields.get(*at)?, ty))
    }
}

/// A kind by its name.
pub fn find(name: &str) -> Option<&'static KindInfo> {
    static TABLE: OnceLock<FxHashMap<&'static str, KindInfo>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let known = |kind: &'static Kind| {
            let fields = kind.fields.iter().enumerate();
            let fields = fields.map(|(at, field)| {
                (field.name, (at, types::parse(field.ty).unwrap_or(Type::Variant)))
            });
            (kind.name, KindInfo { kind, fields: fields.collect() })
        };
        kinds().map(known).collect()
    });
    table.get(name)
}

/// The kind whose name is most similar to an unknown one.
pub fn nearest(name: &str) -> Option<&'static str> {
    // The names of these kinds in other programs.
    let same = match name {
        "service" => Some("svc"),
        "package" => Some("pkg"),
        "notify" => Some("print"),
        "directory" => Some("file"),
        _ => None,
    };
    if same.is_some() {
        return same;
    }
    let mut names: Vec<&str> = kinds().map(|kind| kind.name).collect();
    names.retain(|name| !name.starts_with('_'));
    names.sort_unstable();
    suggest::nearest(name, names)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_types_of_all_fields_can_be_read() {
        for kind in kinds() {
            for field in kind.fields {
                assert!(types::parse(field.ty).is_ok(), "{} {}", kind.name, field.ty);
            }
            assert_eq!(find(kind.name).unwrap().fields.len(), kind.fields.len());
        }
    }
}
