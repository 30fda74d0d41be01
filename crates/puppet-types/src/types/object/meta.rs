//! The types of types and what else Pcore, the model of Puppet's types, names: `Pcore::IntegerType`
//! is the object type whose instances are the integer types, `Annotation` the parent of annotations.

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::normal;
use crate::error::{EvalResult, plain};
use crate::types::display::simple_name;
use crate::types::mismatch::{accepts, describe_call};
use crate::types::parse::{builtin, parse_static, specialize_value};
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{
    CallableType, IntRange, ObjectAttribute, ObjectType, StructMember, Type, TypeAlias, TypeSet,
};
use crate::value::Value;

/// What an attribute is if it is not given.
#[derive(Clone, Copy)]
enum Otherwise {
    /// It must be given.
    Required,
    Undef,
    False,
    AnyType,
    Nothing,
}

use Otherwise::{AnyType, False, Nothing, Required, Undef};

type Attribute = (&'static str, &'static str, Otherwise);

/// Name, parent, own attributes.
type Entry = (&'static str, &'static str, &'static [Attribute]);

const OPTIONAL_TYPE: &[Attribute] = &[("type", "Optional[Type]", Undef)];
const SIZE: Attribute = ("size_type", "Optional[Type[Integer]]", Undef);
const URI_PART: &str =
    "Optional[Variant[String[1], Regexp, Type[Pattern], Type[Enum], Type[NotUndef], Type[Undef]]]";

const OBJECTS: &[Entry] = &[
    ("Annotation", "", &[]),
    (
        "RubyMethod",
        "Annotation",
        &[("body", "String", Required), ("parameters", "Optional[String[1]]", Undef)],
    ),
    ("Pcore", "", &[]),
    ("Pcore::AnyType", "Any", &[]),
    ("Pcore::UndefType", "Pcore::AnyType", &[]),
    ("Pcore::UnitType", "Pcore::AnyType", &[]),
    ("Pcore::DefaultType", "Pcore::AnyType", &[]),
    ("Pcore::OptionalType", "Pcore::AnyType", OPTIONAL_TYPE),
    ("Pcore::NotUndefType", "Pcore::AnyType", OPTIONAL_TYPE),
    ("Pcore::TypeType", "Pcore::AnyType", OPTIONAL_TYPE),
    ("Pcore::IterableType", "Pcore::AnyType", OPTIONAL_TYPE),
    ("Pcore::IteratorType", "Pcore::AnyType", OPTIONAL_TYPE),
    ("Pcore::SensitiveType", "Pcore::AnyType", &[]),
    ("Pcore::BinaryType", "Pcore::AnyType", &[]),
    ("Pcore::VariantType", "Pcore::AnyType", &[("types", "Array[Type]", Required)]),
    (
        "Pcore::InitType",
        "Pcore::AnyType",
        &[("type", "Optional[Type]", Undef), ("init_args", "Array", Nothing)],
    ),
    ("Pcore::ScalarType", "Pcore::AnyType", &[]),
    ("Pcore::ScalarDataType", "Pcore::ScalarType", &[]),
    (
        "Pcore::NumericType",
        "Pcore::ScalarDataType",
        &[("from", "Optional[Numeric]", Undef), ("to", "Optional[Numeric]", Undef)],
    ),
    ("Pcore::IntegerType", "Pcore::NumericType", &[]),
    ("Pcore::FloatType", "Pcore::NumericType", &[]),
    ("Pcore::BooleanType", "Pcore::ScalarDataType", &[]),
    (
        "Pcore::StringType",
        "Pcore::ScalarDataType",
        &[("size_type_or_value", "Optional[Variant[String, Type[Integer]]]", Undef)],
    ),
    (
        "Pcore::EnumType",
        "Pcore::ScalarDataType",
        &[("values", "Array[String[1]]", Required), ("case_insensitive", "Boolean", False)],
    ),
    ("Pcore::PatternType", "Pcore::ScalarDataType", &[("patterns", "Array[Regexp]", Required)]),
    (
        "Pcore::RegexpType",
        "Pcore::ScalarType",
        &[("pattern", "Variant[Undef, String, Regexp]", Undef)],
    ),
    ("Pcore::CollectionType", "Pcore::AnyType", &[SIZE]),
    ("Pcore::ArrayType", "Pcore::CollectionType", &[("element_type", "Optional[Type]", AnyType)]),
    (
        "Pcore::HashType",
        "Pcore::CollectionType",
        &[("key_type", "Optional[Type]", AnyType), ("value_type", "Optional[Type]", AnyType)],
    ),
    ("Pcore::TupleType", "Pcore::AnyType", &[("types", "Array[Type]", Required), SIZE]),
    (
        "Pcore::StructType",
        "Pcore::AnyType",
        &[("elements", "Array[Pcore::StructElement]", Required)],
    ),
    (
        "Pcore::StructElement",
        "",
        &[("key_type", "Type", Required), ("value_type", "Type", Required)],
    ),
    (
        "Pcore::CallableType",
        "Pcore::AnyType",
        &[
            ("param_types", "Optional[Type[Tuple]]", Undef),
            ("block_type", "Optional[Type[Callable]]", Undef),
            ("return_type", "Optional[Type]", AnyType),
        ],
    ),
    ("Pcore::CatalogEntryType", "Pcore::AnyType", &[]),
    (
        "Pcore::ClassType",
        "Pcore::CatalogEntryType",
        &[("class_name", "Optional[String[1]]", Undef)],
    ),
    (
        "Pcore::ResourceType",
        "Pcore::CatalogEntryType",
        &[("type_name", "Optional[String[1]]", Undef), ("title", "Optional[String[1]]", Undef)],
    ),
    ("Pcore::AbstractTimeDataType", "Pcore::AnyType", &[]),
    (
        "Pcore::TimestampType",
        "Pcore::ScalarType",
        &[("from", "Optional[Timestamp]", Undef), ("to", "Optional[Timestamp]", Undef)],
    ),
    (
        "Pcore::TimespanType",
        "Pcore::ScalarType",
        &[("from", "Optional[Timespan]", Undef), ("to", "Optional[Timespan]", Undef)],
    ),
    (
        "Pcore::SemVerType",
        "Pcore::ScalarType",
        &[("ranges", "Array[Variant[SemVerRange, String[1]]]", Nothing)],
    ),
    ("Pcore::SemVerRangeType", "Pcore::AnyType", &[]),
    (
        "Pcore::RuntimeType",
        "Pcore::AnyType",
        &[
            ("runtime", "Optional[String[1]]", Undef),
            ("name_or_pattern", "Optional[Variant[String[1], Tuple[Regexp, String[1]]]]", Undef),
        ],
    ),
    ("Pcore::TypeReferenceType", "Pcore::AnyType", &[("type_string", "String[1]", Required)]),
    (
        "Pcore::TypeAliasType",
        "Pcore::AnyType",
        &[
            ("name", "String[1]", Required),
            ("type_expr", "Any", Required),
            ("resolved_type", "Optional[Type]", Undef),
        ],
    ),
    ("Pcore::ObjectType", "Pcore::AnyType", &[("_pcore_init_hash", "Any", Required)]),
    (
        "Pcore::ObjectTypeExtenType",
        "Pcore::AnyType",
        &[("base_type", "Type", Required), ("init_parameters", "Array", Required)],
    ),
    ("Pcore::TypeSetType", "Pcore::AnyType", &[("_pcore_init_hash", "Any", Required)]),
    ("Pcore::URIType", "Pcore::AnyType", &[("parameters", "Any", Undef)]),
];

/// A URI begins with a scheme.
const URI_PATTERN: &str = r"[a-zA-Z][\-+.a-zA-Z\d]*:(?:\/\/[^\s\/]|(?!\/\/))";

const ALIASES: &[(&str, &str)] = &[
    ("Pcore::SimpleTypeName", r"Pattern[/\A[A-Z]\w*\z/]"),
    ("Pcore::MemberName", r"Pattern[/\A[a-z_]\w*\z/]"),
    ("Pcore::TypeName", r"Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/]"),
    ("Pcore::QRef", r"Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/]"),
    ("Puppet::LookupKey", "RichDataKey"),
    ("Puppet::LookupValue", "RichData"),
];

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
        (_, Some((_, text))) => alias_of(known, (*parse_static(text)).clone()),
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
            ("Pcore::ObjectType", _) => super::definition().clone(),
            ("Pcore::TypeSetType", _) => crate::types::type_set::definition().clone(),
            ("Pcore::URIType", _) => uri_parameters(),
            _ => (*parse_static(kind)).clone(),
        },
        value: match otherwise {
            Required => None,
            Undef => Some(Value::Undef),
            False => Some(Value::Bool(false)),
            AnyType => Some(Value::of_type(Type::Any)),
            Nothing => Some(Value::array([])),
        },
        ..normal((*attribute).into())
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
        kind: (*parse_static(if name == "port" { port } else { URI_PART })).clone(),
    });
    let text = Type::String(IntRange::at_least(1));
    let either = Type::Variant([text, Type::Struct(members.into())].into());
    Type::Optional(Some(Arc::new(either)))
}

/// `Annotation`, the parent of all types of annotations.
pub fn annotation() -> Arc<ObjectType> {
    match named("Annotation") {
        Some(Type::Object(object)) => object,
        // It is in the table.
        _ => super::root(),
    }
}

/// The type that a type is an instance of.
pub(crate) fn type_of_type(kind: &Type) -> Option<Arc<ObjectType>> {
    let name = match kind {
        Type::Literal(_) => "String",
        Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => "TypeAlias",
        Type::Object(_) => "Object",
        Type::Parameterized(_) => "ObjectTypeExten",
        kind => simple_name(kind),
    };
    match named(&format!("Pcore::{name}Type"))? {
        Type::Object(object) => Some(object),
        _ => None,
    }
}

/// Makes a type of the arguments of its type: `Pcore::IntegerType(1, 2)` is `Integer[1, 2]`. `None` if
/// the object type is none whose instances are types.
pub fn construct(object: &ObjectType, args: &[Value]) -> Option<EvalResult> {
    let word = object.name.strip_prefix("Pcore::")?.strip_suffix("Type")?;
    let signature = signature(object);
    if !accepts(&signature, args, None) {
        let name = format!("new_{}", object.name);
        return Some(plain(describe_call(&name, &[&signature], args, None)));
    }
    let base = match word {
        "TypeReference" => builtin("TypeReference")?,
        word => builtin(word)?,
    };
    Some(made(word, &base, args))
}

fn signature(object: &ObjectType) -> Signature {
    let mut attributes: Vec<ObjectAttribute> = object.all_attributes().into_values().collect();
    // The size comes last where a type has parts.
    attributes.sort_by_key(|a| a.name == "size_type");
    let params = attributes.into_iter().map(|a| SignatureParam {
        optional: a.value.is_some(),
        name: a.name,
        kind: a.kind,
    });
    Signature { params: params.collect(), ..Signature::default() }
}

fn made(word: &str, base: &Type, args: &[Value]) -> EvalResult {
    let items = |value: &Value| value.as_array().map_or_else(Vec::new, <[Value]>::to_vec);
    let first = args.first().filter(|arg| !arg.is_undef());
    let mut keys: Vec<Value> = match (word, first) {
        ("Variant" | "Enum" | "Pattern" | "Tuple" | "SemVer", Some(list)) => {
            let mut keys = items(list);
            keys.extend_from_slice(&args[1..]);
            keys
        }
        ("Init", Some(kind)) => {
            let mut keys = vec![kind.clone()];
            keys.extend(args.get(1).map_or_else(Vec::new, items));
            keys
        }
        ("Integer" | "Float" | "Timestamp" | "Timespan", _) => {
            let open = |arg: &Value| if arg.is_undef() { Value::Default } else { arg.clone() };
            args.iter().map(open).collect()
        }
        ("Array" | "Hash", Some(_)) => {
            let any = |arg: &Value| {
                if arg.is_undef() { Value::of_type(Type::Any) } else { arg.clone() }
            };
            args.iter().map(any).collect()
        }
        ("String", Some(Value::Str(text))) => {
            return Ok(Value::of_type(Type::Literal(text.clone())));
        }
        ("TypeReference", Some(Value::Str(name))) => {
            return Ok(Value::of_type(Type::Reference(name.clone())));
        }
        ("Callable", _) => return Ok(Value::of_type(callable(args))),
        ("Struct", Some(elements)) => vec![members(&items(elements))],
        ("TypeSet", Some(definition)) => {
            return TypeSet::from_hash(definition).map(|set| Value::of_type(Type::TypeSet(set)));
        }
        _ => args.to_vec(),
    };
    if word == "Hash" && keys.len() == 1 {
        keys.push(Value::of_type(Type::Any));
    }
    while keys.last().is_some_and(Value::is_undef) {
        keys.pop();
    }
    match keys.is_empty() || word == "Numeric" {
        true => Ok(Value::of_type(base.clone())),
        false => specialize_value(base, &keys),
    }
}

fn members(elements: &[Value]) -> Value {
    let entry = |element: &Value| match element {
        Value::Object(object) => {
            let part = |name| object.values.get(name).cloned().unwrap_or_default();
            (part("key_type"), part("value_type"))
        }
        _ => Default::default(),
    };
    Value::Hash(Arc::new(elements.iter().map(entry).collect()))
}

fn callable(args: &[Value]) -> Type {
    let kind = |i: usize| match args.get(i) {
        Some(Value::Type(kind)) => Some(Type::clone(kind)),
        _ => None,
    };
    let Some(Type::Tuple(params, size)) = kind(0) else { return Type::Callable(None) };
    let count = params.len() as i64;
    Type::Callable(Some(Arc::new(CallableType {
        params: params.to_vec(),
        size: size.unwrap_or(IntRange::new(count, count)),
        block: kind(1),
        returns: kind(2).filter(|kind| *kind != Type::Any),
    })))
}
