//! The signatures of the built-in conversions, by type.

use std::sync::{Arc, LazyLock, OnceLock};

use super::host::Host;
use super::{collections, numbers, others, times};
use crate::error::EvalResult;
use crate::types::aliases::resolved;
use crate::types::library::parse_with;
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{Type, TypeAlias};
use crate::value::Value;

/// Converts arguments that fit the signature of this number.
type Body = fn(usize, &[Value], &mut dyn Host) -> EvalResult;

/// The error for arguments that fit no signature, if it is worded on its own.
type Explain = fn(&str, &[Value]) -> Option<EvalResult>;

/// The conversion to one kind of type.
pub(super) struct Constructor {
    /// Its name in messages.
    pub name: &'static str,
    /// The signatures that it accepts.
    pub signatures: Vec<Signature>,
    /// Converts arguments that fit the signature of this number.
    pub body: Body,
    /// Words the error of arguments that fit no signature, in place of the usual words.
    pub explain: Option<Explain>,
}

type Param = (&'static str, &'static str, bool);

/// A type used in the signatures, by name.
type Local = (&'static str, &'static str);

fn build(
    name: &'static str,
    locals: &[Local],
    signatures: &[&[Param]],
    body: Body,
    explain: Option<Explain>,
) -> Constructor {
    let mut known: Vec<Arc<TypeAlias>> = Vec::new();
    let read = |text: &str, known: &[Arc<TypeAlias>]| {
        let mut named =
            |name: &str| known.iter().find(|a| a.name == name).map(|a| Type::Alias(Arc::clone(a)));
        // The texts are in this file, and a test parses all of them.
        parse_with(text, &mut named).unwrap_or(Type::Any)
    };
    for (name, text) in locals {
        let target = OnceLock::from(crate::types::normalize(&read(text, &known)));
        known.push(Arc::new(TypeAlias { name: (*name).into(), target }));
    }
    let signature = |params: &&[Param]| Signature {
        params: params
            .iter()
            .map(|(kind, name, optional)| SignatureParam {
                name: (*name).into(),
                kind: read(kind, &known),
                optional: *optional,
            })
            .collect(),
        ..Signature::default()
    };
    let signatures = signatures.iter().map(signature).collect();
    Constructor { name, signatures, body, explain }
}

const RADIX: Local =
    ("Radix", "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]");

const FLOAT_TEXT: &str = r"Variant[Numeric, Boolean, Pattern[/\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z/], Timespan, Timestamp]";

/// The conversion to a type, if there is one.
pub(super) fn constructor(kind: &Type) -> Option<&'static Constructor> {
    Some(match resolved(kind) {
        Type::Integer(_) => &INTEGER,
        Type::Float(_) => &FLOAT,
        Type::Numeric => &NUMERIC,
        Type::Boolean(_) => &BOOLEAN,
        Type::String(_) | Type::Literal(_) => &STRING,
        Type::Array(..) | Type::Tuple(..) => &ARRAY,
        Type::Hash(..) | Type::Struct(_) => &HASH,
        Type::Timespan(_) => &TIMESPAN,
        Type::Timestamp(_) => &TIMESTAMP,
        Type::SemVer(_) => &SEMVER,
        Type::SemVerRange => &SEMVER_RANGE,
        Type::Binary => &BINARY,
        Type::Sensitive(_) => &SENSITIVE,
        Type::Regexp(_) => &REGEXP,
        Type::Type(_) => &TYPE,
        Type::Uri(_) => &URI,
        Type::Unit | Type::NotUndef(None) => &UNIT,
        _ => return None,
    })
}

static INTEGER: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new",
        &[
            RADIX,
            (
                "Convertible",
                r"Variant[Numeric, Boolean, Pattern[/\A[+-]?\s*(?:(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\z/], Timespan, Timestamp]",
            ),
            (
                "NamedArgs",
                "Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]",
            ),
        ],
        &[
            &[("Convertible", "from", false), ("Radix", "radix", true), ("Boolean", "abs", true)],
            &[("NamedArgs", "hash_args", false)],
        ],
        numbers::integer,
        Some(numbers::explain_integer),
    )
});

static FLOAT: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_float",
        &[
            ("Convertible", FLOAT_TEXT),
            ("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]"),
        ],
        &[
            &[("Convertible", "from", false), ("Boolean", "abs", true)],
            &[("NamedArgs", "hash_args", false)],
        ],
        numbers::float,
        Some(|name, args| numbers::explain(name, "Float", args)),
    )
});

static NUMERIC: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_numeric",
        &[
            ("Convertible", FLOAT_TEXT),
            ("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]"),
        ],
        &[
            &[("Convertible", "from", false), ("Boolean", "abs", true)],
            &[("NamedArgs", "hash_args", false)],
        ],
        numbers::numeric,
        Some(|name, args| numbers::explain(name, "Numeric", args)),
    )
});

static BOOLEAN: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_boolean",
        &[],
        &[&[(
            "Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]]",
            "from",
            false,
        )]],
        |_, args, _| Ok(Value::Bool(numbers::boolean(&args[0]))),
        Some(|name, args| match args.len() {
            1 => numbers::explain(name, "Boolean", args),
            _ => None,
        }),
    )
});

static STRING: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_string",
        &[
            ("Format", r"Pattern[/^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$/]"),
            (
                "ContainerFormat",
                "Struct[{Optional[format] => Format, Optional[separator] => String, Optional[separator2] => String, Optional[string_formats] => Hash[Type, Format]}]",
            ),
            ("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]"),
            ("Convertible", "Any"),
            ("Formats", "Variant[Default, String[1], TypeMap]"),
        ],
        &[&[("Convertible", "from", false), ("Formats", "string_formats", true)]],
        |_, args, _| crate::types::format::to_string(&args[0], args.get(1)).map(Value::from),
        None,
    )
});

static ARRAY: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_array",
        &[],
        &[
            &[
                ("Variant[Array,Hash,Binary,Iterable]", "from", false),
                ("Boolean[false]", "wrap", true),
            ],
            &[("Any", "from", false), ("Boolean[true]", "wrap", false)],
        ],
        collections::array,
        Some(|name, args| numbers::explain(name, "Array", args)),
    )
});

static HASH: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_hash",
        &[
            ("KeyValueArray", "Array[Tuple[Any,Any],1]"),
            ("TreeArray", "Array[Tuple[Array,Any],1]"),
            ("NewHashOption", "Enum[tree, hash_tree]"),
        ],
        &[
            &[("TreeArray", "from", false), ("NewHashOption", "build_option", true)],
            &[("KeyValueArray", "from", false)],
            &[("Any", "from", false)],
        ],
        collections::hash,
        None,
    )
});

const TIME_FORMATS: Local = ("Formats", "Variant[String[2],Array[String[2], 1]]");

static TIMESPAN: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_timespan",
        &[TIME_FORMATS],
        &[
            &[("Variant[Integer,Float]", "seconds", false)],
            &[("String[1]", "string", false), ("Formats", "format", true)],
            &[
                ("Integer", "days", false),
                ("Integer", "hours", false),
                ("Integer", "minutes", false),
                ("Integer", "seconds", false),
                ("Integer", "milliseconds", true),
                ("Integer", "microseconds", true),
                ("Integer", "nanoseconds", true),
            ],
            &[("Struct[{string => String[1], Optional[format] => Formats}]", "hash_arg", false)],
            &[(
                "Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer, Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}]",
                "hash_arg",
                false,
            )],
        ],
        times::timespan,
        None,
    )
});

static TIMESTAMP: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_timestamp",
        &[TIME_FORMATS],
        &[
            &[],
            &[("Variant[Integer,Float]", "seconds", false)],
            &[
                ("String[1]", "string", false),
                ("Formats", "format", true),
                ("String[1]", "timezone", true),
            ],
            &[(
                "Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}]",
                "hash_arg",
                false,
            )],
        ],
        times::timestamp,
        None,
    )
});

static SEMVER: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_Version",
        &[
            ("PositiveInteger", "Integer[0,default]"),
            ("SemVerQualifier", r"Pattern[/\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z/]"),
            (
                "SemVerPattern",
                r"Pattern[/\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z/]",
            ),
            (
                "SemVerHash",
                "Struct[{major=>PositiveInteger,minor=>PositiveInteger,patch=>PositiveInteger,Optional[prerelease]=>SemVerQualifier,Optional[build]=>SemVerQualifier}]",
            ),
        ],
        &[
            &[("SemVerPattern", "str", false)],
            &[
                ("PositiveInteger", "major", false),
                ("PositiveInteger", "minor", false),
                ("PositiveInteger", "patch", false),
                ("SemVerQualifier", "prerelease", true),
                ("SemVerQualifier", "build", true),
            ],
            &[("SemVerHash", "hash_args", false)],
        ],
        others::semver,
        Some(others::explain_semver),
    )
});

static SEMVER_RANGE: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_VersionRange",
        &[
            ("SemVerRangeString", "String[1]"),
            (
                "SemVerRangeHash",
                "Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],Optional[exclude_max]=>Boolean}]",
            ),
        ],
        &[
            &[("SemVerRangeString", "str", false)],
            &[
                ("Variant[Default,SemVer]", "min", false),
                ("Variant[Default,SemVer]", "max", false),
                ("Boolean", "exclude_max", true),
            ],
            &[("SemVerRangeHash", "hash_args", false)],
        ],
        others::semver_range,
        None,
    )
});

static BINARY: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_Binary",
        &[
            ("ByteInteger", "Integer[0,255]"),
            ("Base64Format", "Enum[\"%b\", \"%u\", \"%B\", \"%s\", \"%r\"]"),
            ("StringHash", "Struct[{value => String, \"format\" => Optional[Base64Format]}]"),
            ("ArrayHash", "Struct[{value => Array[ByteInteger]}]"),
            ("BinaryArgsHash", "Variant[StringHash, ArrayHash]"),
        ],
        &[
            &[("String", "str", false), ("Base64Format", "format", true)],
            &[("Array[ByteInteger]", "byte_array", false)],
            &[("BinaryArgsHash", "hash_args", false)],
        ],
        others::binary,
        None,
    )
});

static SENSITIVE: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_Sensitive",
        &[],
        &[&[("Sensitive", "value", false)], &[("Any", "value", false)]],
        |chosen, args, _| {
            Ok(match chosen {
                0 => args[0].clone(),
                _ => Value::Sensitive(Arc::new(args[0].clone())),
            })
        },
        None,
    )
});

static REGEXP: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_float",
        &[],
        &[&[("String", "pattern", false), ("Boolean", "escape", true)]],
        others::regexp,
        None,
    )
});

static TYPE: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_type",
        &[],
        &[&[("String[1]", "type_string", false)]],
        |_, args, host| {
            let text = args[0].as_str().unwrap_or_default();
            host.type_of_text(text).map(Value::of_type)
        },
        None,
    )
});

static URI: LazyLock<Constructor> = LazyLock::new(|| {
    build(
        "new_error",
        &[],
        &[
            &[("String[1]", "uri", false)],
            &[(
                "Struct[{Optional['scheme'] => String[1], Optional['userinfo'] => String[1], Optional['host'] => String[1], Optional['port'] => Integer[0], Optional['path'] => String[1], Optional['query'] => String[1], Optional['fragment'] => String[1], Optional['opaque'] => String[1]}]",
                "hash",
                false,
            )],
        ],
        others::uri,
        None,
    )
});

static UNIT: LazyLock<Constructor> = LazyLock::new(|| {
    build("new_unit", &[], &[&[("Any", "from", false)]], |_, args, _| Ok(args[0].clone()), None)
});

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::types::library::builtin;

    /// A type that the texts name wrongly would be read as a reference to nothing.
    #[test]
    fn every_signature_reads() {
        let names = [
            "Integer",
            "Float",
            "Numeric",
            "Boolean",
            "String",
            "Array",
            "Hash",
            "Timespan",
            "Timestamp",
            "SemVer",
            "SemVerRange",
            "Binary",
            "Sensitive",
            "Regexp",
            "Type",
            "URI",
        ];
        for name in names {
            let constructor = constructor(&builtin(name).unwrap()).unwrap();
            for param in constructor.signatures.iter().flat_map(|s| &s.params) {
                assert!(
                    !param.kind.to_string().contains("TypeReference"),
                    "{name}: {}",
                    param.kind
                );
                // Only these parameters may accept any value. A type that does not parse would
                // accept any value, too.
                let takes_all = ["value", "from"].contains(&&*param.name);
                assert!(param.kind != Type::Any || takes_all, "{name}: {}", param.name);
            }
        }
    }
}
