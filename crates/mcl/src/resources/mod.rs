//! The kinds of resources with their fields and the values that they send, from the schemas of the
//! kinds.

use std::sync::LazyLock;

use ordain_kinds::{KindSchema, MclKind};
use ordain_source::suggest;
use rustc_hash::FxHashMap;

use crate::types::{self, Type};

pub use ordain_kinds::MclField as Field;
pub use ordain_kinds::language::{DefaultValue, Width};

/// A kind of resource.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Its traits.
    pub traits: &'static [&'static str],
    /// The values it sends, with types; a trailing `?` marks one that may be missing.
    pub sends: &'static [(&'static str, &'static str)],
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its description among the kinds of mcl.
    pub description: &'static MclKind,
    /// The schema of the kind that it becomes.
    pub schema: &'static KindSchema,
}

impl Kind {
    fn new(schema: &'static KindSchema, description: &'static MclKind) -> Self {
        let MclKind { name, traits, sends, .. } = *description;
        Self { name, traits, sends, fields: description.fields_of(schema), description, schema }
    }

    /// Whether it has a trait.
    pub fn has(&self, name: &str) -> bool {
        self.traits.contains(&name)
    }
}

/// A kind with its fields by name and their types read.
#[derive(Debug)]
pub struct KindInfo {
    /// The kind.
    pub kind: Kind,
    fields: FxHashMap<&'static str, (usize, Type)>,
}

impl KindInfo {
    fn new(kind: Kind) -> Self {
        let fields = kind.fields.iter().enumerate();
        let fields = fields
            .map(|(at, field)| (field.name, (at, types::parse(field.ty).unwrap_or(Type::Variant))));
        Self { fields: fields.collect(), kind }
    }

    /// A field with its number and type.
    pub fn field(&self, name: &str) -> Option<(usize, &Field, &Type)> {
        let (at, ty) = self.fields.get(name)?;
        Some((*at, self.kind.fields.get(*at)?, ty))
    }

    /// The words that a field takes; empty if it takes any text.
    pub fn words(&self, field: &str) -> &'static [&'static str] {
        self.field(field).map_or(&[], |(_, field, _)| field.words)
    }
}

static KINDS: LazyLock<FxHashMap<&str, KindInfo>> = LazyLock::new(|| {
    let kinds = ordain_kinds::known()
        .flat_map(|schema| schema.mcl.iter().map(move |kind| Kind::new(schema, kind)));
    kinds.map(|kind| (kind.name, KindInfo::new(kind))).collect()
});

/// A kind by its name.
pub fn find(name: &str) -> Option<&'static KindInfo> {
    KINDS.get(name)
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
    let names = ordain_kinds::known().flat_map(|schema| schema.mcl.iter().map(|kind| kind.name));
    let mut names: Vec<&str> = names.filter(|name| !name.starts_with('_')).collect();
    names.sort_unstable();
    suggest::nearest(name, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_of_all_fields_can_be_read() {
        let mut count = 0;
        for schema in ordain_kinds::known() {
            for kind in schema.mcl.iter().map(|kind| Kind::new(schema, kind)) {
                count += 1;
                for field in &kind.fields {
                    assert!(types::parse(field.ty).is_ok(), "{} {}", kind.name, field.ty);
                }
                assert_eq!(KindInfo::new(kind.clone()).fields.len(), kind.fields.len());
            }
        }
        assert!(count > 50, "{count} kinds");
    }
}
