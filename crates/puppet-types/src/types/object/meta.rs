//! The types of types and the other names of Pcore, the model of Puppet's types; and the types of the
//! hashes that define object types and type sets.

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::metatypes::{ALIASES, AttributeDefault, Entry, OBJECTS, URI_PART};
use crate::types::aliases::{resolved, root};
use crate::types::text_reader::read_with_names;
use crate::types::{IntRange, ObjectAttribute, ObjectType, StructMember, Type, TypeAlias};
use crate::value::Value;

/// Reads the text of a type that may name types of this file.
fn read(text: &str) -> Type {
    // The texts are constants; a test reads them all.
    read_with_names(text, &mut |name| named(name)).unwrap_or(Type::Any)
}

/// A URI begins with a scheme.
const URI_PATTERN: &str = r"[a-zA-Z][\-+.a-zA-Z\d]*:(?:\/\/[^\s\/]|(?!\/\/))";

/// The type of this name, in any case of its letters.
pub fn named(name: &str) -> Option<Type> {
    static MADE: LazyLock<Mutex<FxHashMap<&'static str, Type>>> = LazyLock::new(Mutex::default);
    let same = |known: &str| known.eq_ignore_ascii_case(name);
    let object = OBJECTS.iter().find(|(known, ..)| same(known));
    let alias = ALIASES.iter().find(|(known, _)| same(known));
    let known = match (object, alias) {
        (Some((known, ..)), _) | (_, Some((known, _))) => known,
        _ if same("Pcore::URI") => "Pcore::URI",
        _ if same("Pcore::URI_RX") => "Pcore::URI_RX",
        _ => return None,
    };
    let lock = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = lock().get(known) {
        return Some(made.clone());
    }
    // Types name each other, so the lock is not held meanwhile.
    let made = match (object, alias) {
        (Some(entry), _) => Type::Object(Arc::new(object_type(entry))),
        (_, Some((_, text))) => alias_of(known, read(text)),
        _ => alias_of(known, uri_type(known == "Pcore::URI")),
    };
    Some(lock().entry(known).or_insert(made).clone())
}

fn alias_of(name: &str, target: Type) -> Type {
    let target = OnceLock::from(target);
    Type::Alias(Arc::new(TypeAlias { name: name.into(), target }))
}

fn uri_type(is_pattern: bool) -> Type {
    let regexp = Arc::new(crate::types::Regexp::new(URI_PATTERN));
    if is_pattern { Type::Pattern([regexp].into()) } else { Type::Regexp(Some(regexp)) }
}

fn object_type((name, parent, attributes): &Entry) -> ObjectType {
    let attributes = attributes.iter().map(|(attribute, kind, otherwise)| ObjectAttribute {
        kind: match (*name, *attribute) {
            ("Pcore::ObjectType", _) => object_definition().clone(),
            ("Pcore::TypeSetType", _) => type_set_definition().clone(),
            ("Pcore::URIType", _) => uri_parameters(),
            _ => read(kind),
        },
        value: match otherwise {
            AttributeDefault::Required => None,
            AttributeDefault::Undef => Some(Value::Undef),
            AttributeDefault::False => Some(Value::Bool(false)),
            AttributeDefault::AnyType => Some(Value::of_type(Type::Any)),
            AttributeDefault::Nothing => Some(Value::array([])),
        },
        ..ObjectAttribute::of_any((*attribute).into())
    });
    let attributes = attributes.collect();
    let parent = match *parent {
        "Any" => Some(Type::Any),
        parent => named(parent),
    };
    ObjectType { name: (*name).into(), parent, attributes, ..ObjectType::bare() }
}

fn uri_parameters() -> Type {
    let port = "Optional[Variant[Integer[0], Type[NotUndef], Type[Undef]]]";
    let parts = ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];
    let members = parts.map(|name| StructMember {
        name: name.into(),
        optional: true,
        key_not_undef: false,
        kind: read(if name == "port" { port } else { URI_PART }),
    });
    let text = Type::String(IntRange::at_least(1));
    let either = Type::Variant([text, Type::Struct(members.into())].into());
    Type::Optional(Some(Arc::new(either)))
}

/// `Annotation`, the parent of all types of annotations.
#[inline]
pub fn annotation() -> Arc<ObjectType> {
    match named("Annotation") {
        Some(Type::Object(object)) => object,
        // It is in the table.
        _ => root(),
    }
}

const DEFINITION: &str = r"Struct[{Optional[name] => Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/], Optional[parent] => Type, Optional[type_parameters] => Hash[Pattern[/\A[a-z_]\w*\z/], NotUndef], Optional[attributes] => Hash[Pattern[/\A[a-z_]\w*\z/], NotUndef], Optional[constants] => Hash[Pattern[/\A[a-z_]\w*\z/], Any], Optional[functions] => Hash[Pattern[/\A[a-z_]\w*\z/], NotUndef], Optional[equality] => Variant[Pattern[/\A[a-z_]\w*\z/], Array[Pattern[/\A[a-z_]\w*\z/]]], Optional[equality_include_type] => Boolean, checks => Any, annotations => Optional[Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]]}]";

/// The type of the hash that defines an object type.
pub(crate) fn object_definition() -> &'static Type {
    static KIND: LazyLock<Type> = LazyLock::new(|| {
        let Type::Struct(members) = read(DEFINITION) else { return Type::Any };
        let mut members = members.to_vec();
        // The text of a type cannot name the type of a single text.
        for member in members.iter_mut().filter(|m| m.name == "functions") {
            if let Type::Hash(entry, size) = &member.kind {
                let name = Type::Variant([entry.0.clone(), Type::Literal("[]".into())].into());
                member.kind = Type::Hash(Arc::new((name, entry.1.clone())), *size);
            }
        }
        Type::Struct(members.into())
    });
    &KIND
}

const TYPE_SET_REFERENCE: &str = r"Struct[{name => Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/], version_range => Variant[String[1], SemVerRange], Optional[name_authority] => Pcore::URI, annotations => Optional[Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]]}]";

/// The type of the hash that defines a type set.
pub(crate) fn type_set_definition() -> &'static Type {
    static KIND: LazyLock<Type> = LazyLock::new(|| {
        let member = |name: &str, kind: Type| StructMember {
            name: name.into(),
            optional: name != "pcore_version",
            key_not_undef: false,
            kind,
        };
        let read = |text| resolved(&read(text)).clone();
        let version = || read("Variant[String[1], SemVer]");
        let many = |kind: Type| {
            let key = read(r"Pattern[/\A[A-Z]\w*\z/]");
            let some = IntRange::at_least(1);
            Type::Hash(Arc::new((key, kind)), some)
        };
        let kinds = Type::Variant([Type::Type(None), object_definition().clone()].into());
        Type::Struct(
            [
                member("pcore_uri", read("Pcore::URI")),
                member("pcore_version", version()),
                member("name_authority", read("Pcore::URI")),
                member("name", read(r"Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/]")),
                member("version", version()),
                member("types", many(kinds)),
                member("references", many(read(TYPE_SET_REFERENCE))),
                member(
                    "annotations",
                    read(r"Optional[Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]]"),
                ),
            ]
            .into(),
        )
    });
    &KIND
}
