//! The kinds of resources: what fields they have, what they send.

mod field;
mod table;

use std::sync::OnceLock;

use ordain_source::suggest;
use rustc_hash::FxHashMap;

use crate::types::{self, Type};

pub use table::kinds;

/// The range of the numbers of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// That of the type.
    Full,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// A float of 32 bits.
    F32,
}

/// The value of a field before the program sets it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DefaultValue {
    /// The zero value of its type; optional fields are unset.
    Zero,
    /// A text.
    Str(&'static str),
    /// A number.
    Int(i64),
    /// A flag.
    Bool(bool),
}

/// A field of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static str,
    /// Its name in the original's own output.
    pub print: &'static str,
    /// Whether it can be unset.
    pub is_optional: bool,
    /// The range of its numbers.
    pub width: Width,
    /// Its value before the program sets it.
    pub default: DefaultValue,
}

/// A kind of resource.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Its traits.
    pub traits: &'static [&'static str],
    /// The values it sends, with types; `?` behind a type marks one that may be missing.
    pub sends: &'static [(&'static str, &'static str)],
    /// Its fields.
    pub fields: &'static [Field],
}

impl Kind {
    /// Whether it can do something.
    pub fn has(&self, what: &str) -> bool {
        self.traits.contains(&what)
    }
}

/// A kind with its fields by name and their types read.
#[derive(Debug)]
pub struct Known {
    /// The kind.
    pub kind: &'static Kind,
    fields: FxHashMap<&'static str, (usize, Type)>,
}

impl Known {
    /// A field with its number and type.
    pub fn field(&self, name: &str) -> Option<(usize, &'static Field, &Type)> {
        let (at, ty) = self.fields.get(name)?;
        Some((*at, self.kind.fields.get(*at)?, ty))
    }
}

/// A kind by its name.
pub fn find(name: &str) -> Option<&'static Known> {
    static TABLE: OnceLock<FxHashMap<&'static str, Known>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let known = |kind: &'static Kind| {
            let fields = kind.fields.iter().enumerate();
            let fields = fields.map(|(at, field)| {
                (field.name, (at, types::parse(field.ty).unwrap_or(Type::Variant)))
            });
            (kind.name, Known { kind, fields: fields.collect() })
        };
        kinds().map(known).collect()
    });
    table.get(name)
}

/// The kind whose name is nearest to one that is none.
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
