//! The built-in types by name, also those that are described by texts, and the types of texts in the
//! program.

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use crate::error::EvalResult;
use crate::types::builtin::{exact_builtin, usual_spelling};
use crate::types::object::builtin::{deferred, error, resource_param, resource_type};
use crate::types::object::lookup_context::context_type;
use crate::types::object::meta::named;
use crate::types::parameters::specialize_plain;
use crate::types::text_reader::read_with;
use crate::types::{Type, TypeAlias};

/// The built-in type of a name, without parameters. As upstream, most names are accepted in any
/// case: `Semver`, `Uri`.
#[inline]
pub fn builtin(name: &str) -> Option<Type> {
    exact(name).or_else(|| exact(usual_spelling(name)?))
}

fn exact(name: &str) -> Option<Type> {
    let object = match name {
        "Deferred" => deferred(),
        "Error" => error(),
        "Puppet::Resource::Param" => resource_param(),
        "Puppet::Resource::ResourceType3" => resource_type(),
        "Puppet::LookupContext" => context_type(),
        _ => {
            let plain = exact_builtin(name);
            // Most names of manifests are no built-in ones.
            return match name.starts_with(['A', 'P', 'R']) {
                true => plain.or_else(|| named(name)),
                false => plain,
            };
        }
    };
    Some(Type::Object(object))
}

/// The type that a text of the program names, built from built-in types and given names.
///
/// # Errors
/// When the text is no type.
pub(crate) fn parse_with(
    text: &str,
    named: &mut dyn FnMut(&str) -> Option<Type>,
) -> EvalResult<Type> {
    read_with(text, &mut |name| builtin(name).or_else(|| named(name)), specialize_plain)
}

/// The type that a text of a signature names. Every text is read once; it is an error of the program
/// if it does not parse, and the type is then `Any`.
pub fn parse_static(text: &'static str) -> Arc<Type> {
    static CACHE: LazyLock<Mutex<FxHashMap<&'static str, Arc<Type>>>> =
        LazyLock::new(Mutex::default);
    let cached = CACHE.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned();
    if let Some(kind) = cached {
        return kind;
    }
    let read = parse_with(text, &mut |name| local_type(name));
    let kind = Arc::new(read.unwrap_or(Type::Any));
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(cache.entry(text).or_insert(kind))
}

/// The type of the options of `tree_each`.
const TREE_OPTIONS: &str = "Struct[{container_type => Optional[Type], include_root => Optional[Boolean], \
    include_containers => Optional[Boolean], include_values => Optional[Boolean], \
    order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]";

/// The types that signatures name for themselves, so that messages have these names.
const LOCAL_TYPES: [(&str, &str); 9] = [
    ("NameType", "Variant[String, Array[String]]"),
    ("ValueType", "Type"),
    ("DefaultValueType", "Any"),
    ("MergeType", "Variant[String[1], Hash[String, Scalar]]"),
    ("BlockType", "Callable[NameType]"),
    (
        "OptionsWithName",
        "Struct[{name => NameType, value_type => Optional[ValueType], \
         default_value => DefaultValueType, override => Optional[Hash[String, Any]], \
         default_values_hash => Optional[Hash[String, Any]], merge => Optional[MergeType]}]",
    ),
    (
        "OptionsWithoutName",
        "Struct[{value_type => Optional[ValueType], default_value => DefaultValueType, \
         override => Optional[Hash[String, Any]], \
         default_values_hash => Optional[Hash[String, Any]], merge => Optional[MergeType]}]",
    ),
    ("OptionsType", TREE_OPTIONS),
    ("StringData", "Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]"),
];

fn local_type(name: &str) -> Option<Type> {
    static TYPES: LazyLock<Vec<Arc<TypeAlias>>> = LazyLock::new(|| {
        let unset = |(name, _): (&str, _)| {
            Arc::new(TypeAlias { name: name.into(), target: OnceLock::new() })
        };
        let all: Vec<Arc<TypeAlias>> = LOCAL_TYPES.map(unset).into();
        for (alias, (_, text)) in all.iter().zip(LOCAL_TYPES) {
            let mut named = |name: &str| {
                let found = all.iter().find(|alias| alias.name == name)?;
                Some(Type::Alias(Arc::clone(found)))
            };
            let target = parse_with(text, &mut named).unwrap_or(Type::Any);
            // Each is set once.
            let _ = alias.target.set(target);
        }
        all
    });
    let found = TYPES.iter().find(|alias| alias.name == name)?;
    Some(Type::Alias(Arc::clone(found)))
}
