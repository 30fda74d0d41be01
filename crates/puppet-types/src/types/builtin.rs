//! The built-in types by name, without parameters.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::model::{FloatRange, Type, TypeSet};
use crate::types::aliases::root;
use crate::types::range::{IntRange, SizeRange};

/// Names that consist of several words or of initials, by their lower case. Those of one word have a
/// capital and nothing else, so that any spelling but the usual one is a name's own.
static SPELLINGS: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    FxHashMap::from_iter([
        ("catalogentry", "CatalogEntry"),
        ("notundef", "NotUndef"),
        ("scalardata", "ScalarData"),
        ("semver", "SemVer"),
        ("semverrange", "SemVerRange"),
        ("timespan", "Timespan"),
        ("timestamp", "Timestamp"),
        ("typereference", "TypeReference"),
        ("typeset", "TypeSet"),
        ("uri", "URI"),
    ])
});

/// The built-in type of a name that is spelled as usual, unless it is described by a text.
pub(crate) fn exact_builtin(name: &str) -> Option<Type> {
    Some(match name {
        "Any" => Type::Any,
        "Undef" => Type::Undef,
        "Default" => Type::Default,
        "Numeric" => Type::Numeric,
        "Scalar" => Type::Scalar,
        "ScalarData" => Type::ScalarData,
        "Data" => Type::Data,
        "RichData" => Type::RichData,
        "RichDataKey" => Type::RichDataKey,
        "NotUndef" => Type::NotUndef(None),
        "Optional" => Type::Optional(None),
        "Variant" => Type::Variant([].into()),
        "Integer" => Type::Integer(IntRange::ANY),
        "Float" => Type::Float(FloatRange::ANY),
        "Boolean" => Type::Boolean(None),
        "String" => Type::String(SizeRange::ANY_SIZE),
        "Enum" => Type::Enum { values: [].into(), caseless: false },
        "Pattern" => Type::Pattern([].into()),
        "Regexp" => Type::Regexp(None),
        "Collection" => Type::Collection(SizeRange::ANY_SIZE),
        "Array" => Type::Array(Arc::new(Type::Any), SizeRange::ANY_SIZE),
        "Hash" => Type::Hash(Arc::new((Type::Any, Type::Any)), SizeRange::ANY_SIZE),
        "Tuple" => Type::Tuple([].into(), None),
        "Struct" => Type::Struct([].into()),
        "Iterable" => Type::Iterable(None),
        "Iterator" => Type::Iterator(None),
        "Callable" => Type::Callable(None),
        "Type" => Type::Type(None),
        "Init" => Type::Init(None),
        "CatalogEntry" => Type::CatalogEntry,
        "Resource" => Type::Resource { kind: None, title: None },
        "Class" => Type::Class(None),
        "Sensitive" => Type::Sensitive(None),
        "Binary" => Type::Binary,
        "Timestamp" => Type::Timestamp(None),
        "Timespan" => Type::Timespan(None),
        "SemVer" | "Semver" => Type::SemVer([].into()),
        "SemVerRange" | "Semverrange" => Type::SemVerRange,
        "URI" => Type::Uri(None),
        "Runtime" => Type::Runtime(None),
        "Object" => Type::Object(root()),
        "TypeSet" => Type::TypeSet(TypeSet::any()),
        "TypeReference" => Type::Reference("UnresolvedReference".into()),
        _ => return None,
    })
}

/// The usual spelling of a name, if that may differ from the given one.
pub(crate) fn usual_spelling(name: &str) -> Option<&'static str> {
    // Resource types such as `File` are looked up often. Spellings begin with other letters.
    if !name.starts_with(['C', 'N', 'S', 'T', 'U', 'c', 'n', 's', 't', 'u']) {
        return None;
    }
    SPELLINGS.get(name.to_ascii_lowercase().as_str()).copied()
}
