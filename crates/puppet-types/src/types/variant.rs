//! Variants and enums of given parts.

use ecow::EcoString;

use crate::model::Type;

/// A variant of these types without repetitions, or the only one.
pub fn variant_of(types: impl IntoIterator<Item = Type>) -> Type {
    let mut all: indexmap::IndexSet<Type, rustc_hash::FxBuildHasher> =
        indexmap::IndexSet::default();
    for kind in types {
        match kind {
            Type::Variant(inner) => all.extend(inner.iter().cloned()),
            kind => {
                all.insert(kind);
            }
        }
    }
    match all.len() {
        1 => all.swap_remove_index(0).unwrap_or(Type::Any),
        _ => Type::Variant(all.into_iter().collect::<Vec<_>>().into()),
    }
}

/// An enum of these texts.
#[inline]
pub fn enumeration(mut values: Vec<EcoString>, caseless: bool) -> Type {
    values.sort_unstable();
    values.dedup();
    Type::Enum { values: values.into(), caseless }
}
