//! `Puppet::LookupContext`, the type of the context that functions of Hiera levels are called with.

use std::sync::{Arc, LazyLock};

use crate::types::text_reader::read_plain;
use crate::types::{AttributeRole, ObjectAttribute, ObjectFunction, ObjectType, Type};

pub use crate::model::CONTEXT;

/// The functions of a context, with their types.
const METHODS: &[(&str, &str)] = &[
    ("not_found", "Callable[[0, 0], Undef]"),
    ("explain", "Callable[[0, 0, Callable[0, 0]], Undef]"),
    ("interpolate", "Callable[1, 1]"),
    ("cache", "Callable[Optional[Scalar], Any]"),
    ("cache_all", "Callable[[Hash[Optional[Scalar], Any]], Undef]"),
    ("cache_has_key", "Callable[[Optional[Scalar]], Boolean]"),
    ("cached_value", "Callable[Optional[Scalar]]"),
    (
        "cached_entries",
        "Variant[Callable[[0, 0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], \
         Callable[[0, 0], Iterable[Tuple[Optional[Scalar], Any]]]]",
    ),
    ("cached_file_data", "Callable[String, Optional[Callable[Array[Integer]]]]"),
];

/// The type `Puppet::LookupContext`.
pub fn context_type() -> Arc<ObjectType> {
    static KIND: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        let attribute = |name: &str, text, role| ObjectAttribute {
            name: name.into(),
            kind: read_plain(text),
            role,
            value: None,
            is_final: false,
            overrides: false,
            annotations: None,
        };
        let function = |(name, text): &(&str, &'static str)| ObjectFunction {
            name: (*name).into(),
            kind: read_plain(text),
            is_final: false,
            overrides: false,
            annotations: None,
        };
        Arc::new(ObjectType {
            name: CONTEXT.into(),
            parent: Some(Type::Any),
            attributes: vec![
                attribute("environment_name", "String[1]", AttributeRole::Derived),
                attribute("module_name", "Variant[String[1], Undef]", AttributeRole::Normal),
            ],
            functions: METHODS.iter().map(function).collect(),
            ..ObjectType::bare()
        })
    });
    Arc::clone(&KIND)
}
