//! Search in a type and the types of its parts.

use crate::model::Type;

/// The maximal depth of a search.
const MAX_DEPTH: usize = 64;

/// The first answer for a type or one of its parts. Aliases are not expanded.
pub(crate) fn find_inside<T>(kind: &Type, answer: &dyn Fn(&Type) -> Option<T>) -> Option<T> {
    search(kind, answer, 0)
}

fn search<T>(kind: &Type, answer: &dyn Fn(&Type) -> Option<T>, depth: usize) -> Option<T> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(found) = answer(kind) {
        return Some(found);
    }
    let inside = |kind: &Type| search(kind, answer, depth + 1);
    match kind {
        Type::Variant(types) | Type::Tuple(types, _) => types.iter().find_map(inside),
        Type::Optional(Some(t))
        | Type::NotUndef(Some(t))
        | Type::Type(Some(t))
        | Type::Iterable(Some(t))
        | Type::Iterator(Some(t))
        | Type::Sensitive(Some(t))
        | Type::Array(t, _) => inside(t),
        Type::Hash(entry, _) => inside(&entry.0).or_else(|| inside(&entry.1)),
        Type::Struct(members) => members.iter().find_map(|member| inside(&member.kind)),
        _ => None,
    }
}

/// Whether a type names `Sensitive`, so that its values may be secrets.
pub fn names_sensitive(kind: &Type) -> bool {
    let is_sensitive = |kind: &Type| match kind {
        Type::Sensitive(_) => Some(()),
        Type::Alias(alias) => match alias.target.get() {
            Some(Type::Sensitive(_)) => Some(()),
            _ => None,
        },
        _ => None,
    };
    find_inside(kind, &is_sensitive).is_some()
}
