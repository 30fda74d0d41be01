//! The names of the types of types, and the other names of Pcore, the model of Puppet's types:
//! `Pcore::IntegerType` is the object type whose instances are the integer types.

use crate::model::Type;
use crate::types::simple_name::simple_name;

/// The value of an attribute that is not given.
#[derive(Clone, Copy)]
pub(super) enum AttributeDefault {
    /// It must be given.
    Required,
    Undef,
    False,
    AnyType,
    Nothing,
}

pub(super) type Attribute = (&'static str, &'static str, AttributeDefault);

/// Name, parent, own attributes.
pub(super) type Entry = (&'static str, &'static str, &'static [Attribute]);

use AttributeDefault::{AnyType, False, Nothing, Required, Undef};

const OPTIONAL_TYPE: &[Attribute] = &[("type", "Optional[Type]", Undef)];

const SIZE: Attribute = ("size_type", "Optional[Type[Integer]]", Undef);

pub(super) const URI_PART: &str =
    "Optional[Variant[String[1], Regexp, Type[Pattern], Type[Enum], Type[NotUndef], Type[Undef]]]";

pub(super) const OBJECTS: &[Entry] = &[
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

pub(super) const ALIASES: &[(&str, &str)] = &[
    ("Pcore::SimpleTypeName", r"Pattern[/\A[A-Z]\w*\z/]"),
    ("Pcore::MemberName", r"Pattern[/\A[a-z_]\w*\z/]"),
    ("Pcore::TypeName", r"Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/]"),
    ("Pcore::QRef", r"Pattern[/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/]"),
    ("Puppet::LookupKey", "RichDataKey"),
    ("Puppet::LookupValue", "RichData"),
];

/// Whether a type is an instance of the type of types of this name, or of one that inherits from it.
pub(crate) fn is_metatype(name: &str, kind: &Type) -> bool {
    let kind = match kind {
        Type::Literal(_) => "String",
        Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => "TypeAlias",
        Type::Object(_) => "Object",
        Type::Parameterized(_) => "ObjectTypeExten",
        kind => simple_name(kind),
    };
    let named = |name: &str| OBJECTS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
    let first = named(&format!("Pcore::{kind}Type"));
    std::iter::successors(first, |(_, parent, _)| named(parent)).any(|(known, ..)| *known == name)
}
