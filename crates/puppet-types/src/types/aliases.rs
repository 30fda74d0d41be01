//! Types that are names for others: aliases, and `Data` and its like.

use std::sync::{Arc, LazyLock};

use ecow::EcoString;

use crate::model::{ObjectType, Type, TypeAlias, TypeSet};
use crate::types::range::SizeRange;

/// The maximal length of a chain of aliases.
const DEPTH_LIMIT: u32 = 200;

fn alias_target(alias: &TypeAlias) -> &Type {
    static UNRESOLVED: Type = Type::Reference(EcoString::new());
    alias.target.get().unwrap_or(&UNRESOLVED)
}

/// The target of a type that is a name for another.
#[inline]
pub(crate) fn expansion(kind: &Type) -> Option<&Type> {
    match kind {
        Type::Alias(alias) => Some(alias_target(alias)),
        Type::Data => Some(data()),
        Type::RichData => Some(rich_data()),
        Type::RichDataKey => Some(rich_data_key()),
        _ => None,
    }
}

/// The type behind any number of names.
#[inline]
pub fn resolved(kind: &Type) -> &Type {
    let mut kind = kind;
    for _ in 0..DEPTH_LIMIT {
        match expansion(kind) {
            Some(target) => kind = target,
            None => break,
        }
    }
    kind
}

/// The definition of `Data`.
pub fn data() -> &'static Type {
    static DATA: LazyLock<Type> = LazyLock::new(|| {
        let text = Type::String(SizeRange::ANY_SIZE);
        Type::Variant(
            [
                Type::ScalarData,
                Type::Undef,
                Type::Hash(Arc::new((text, Type::Data)), SizeRange::ANY_SIZE),
                Type::Array(Arc::new(Type::Data), SizeRange::ANY_SIZE),
            ]
            .into(),
        )
    });
    &DATA
}

/// The definition of `RichDataKey`.
pub fn rich_data_key() -> &'static Type {
    static KEY: LazyLock<Type> =
        LazyLock::new(|| Type::Variant([Type::String(SizeRange::ANY_SIZE), Type::Numeric].into()));
    &KEY
}

/// The definition of `RichData`.
pub fn rich_data() -> &'static Type {
    static RICH: LazyLock<Type> = LazyLock::new(|| {
        let types = [
            Type::Scalar,
            Type::SemVerRange,
            Type::Binary,
            Type::Sensitive(None),
            Type::Type(None),
            Type::TypeSet(TypeSet::any()),
            Type::Uri(None),
            Type::Object(root()),
            Type::Undef,
            Type::Default,
            Type::Hash(Arc::new((Type::RichDataKey, Type::RichData)), SizeRange::ANY_SIZE),
            Type::Array(Arc::new(Type::RichData), SizeRange::ANY_SIZE),
        ];
        Type::Variant(types.into())
    });
    &RICH
}

/// The type of all objects.
pub fn root() -> Arc<ObjectType> {
    static ROOT: LazyLock<Arc<ObjectType>> =
        LazyLock::new(|| Arc::new(ObjectType { name: "Object".into(), ..ObjectType::bare() }));
    Arc::clone(&ROOT)
}
