//! Tables of texts: printed types, assignability, mismatches.

#![allow(clippy::unwrap_used)]

use crate::types::format::{quoted, to_string};
use crate::types::mismatch::{describe_call, describe_mismatch, describe_params};
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{Type, generalize, infer, infer_set, is_assignable, is_instance, parse_static};
use crate::value::Value;
use crate::value::compare::{case_matches, contains, equals, matches};
use crate::value::text::to_text;

fn kind(text: &'static str) -> Type {
    (*parse_static(text)).clone()
}

fn list(items: &[i64]) -> Value {
    Value::array(items.iter().map(|i| Value::Int(*i)))
}

#[test]
fn types_print_as_they_are_written() {
    let texts = [
        "Integer[1, 2]",
        "Integer[default, 2]",
        "Float[1.0, 2.5]",
        "Array[Integer]",
        "Array[0, 0]",
        "Array[Any, 1, 2]",
        "Hash[String, Integer, 1]",
        "Tuple[Integer, String, 1, 3]",
        "Struct[{'a' => Integer, Optional['b'] => String, NotUndef['c'] => Optional[Integer]}]",
        "Enum['a', 'b', true]",
        "Pattern[/a\\/b/]",
        "Callable[[Integer], String]",
        "Callable[Integer, 1, 2, Callable[1, 1]]",
        "Optional['a']",
        "Type[Variant[Integer, Undef]]",
        "Sensitive[Array[Integer]]",
        "Timespan['0-01:00:00.0']",
    ];
    for text in texts {
        assert_eq!(kind(text).to_string(), text);
    }
}

#[test]
fn wider_types_take_narrower_ones() {
    let pairs = [
        ("Numeric", "Integer[1]", true),
        ("Integer[1, 5]", "Integer[1, 6]", false),
        ("Data", "Array[Hash[String, Integer]]", true),
        ("Data", "Hash[Integer, Integer]", false),
        ("RichData", "Data", true),
        ("Array[Integer, 1]", "Tuple[Integer, Integer]", true),
        ("Tuple[Integer]", "Array[Integer]", false),
        ("Hash[String, Integer]", "Struct[{a => Integer}]", true),
        ("Struct[{a => Integer}]", "Hash[String, Integer]", false),
        ("Variant[Integer, String]", "Enum[a, b]", true),
        ("Optional[Integer]", "Undef", true),
        ("NotUndef", "Optional[Integer]", false),
        ("Callable[Integer]", "Callable[Scalar]", true),
        ("Callable[Scalar]", "Callable[Integer]", false),
        ("Iterable[Integer]", "Array[Integer[1]]", true),
        ("Type[Scalar]", "Type[String]", true),
        ("CatalogEntry", "Class", true),
        ("Enum[a, true]", "Enum['A']", true),
        ("Pattern[/a/]", "Enum[ab, ba]", true),
        ("Collection[1, 2]", "Tuple[Integer, Integer, Integer]", false),
    ];
    for (to, from, expected) in pairs {
        assert_eq!(is_assignable(&kind(to), &kind(from)), expected, "{to} >= {from}");
    }
}

#[test]
fn values_are_inferred_and_generalised() {
    let nested = Value::array([Value::Int(1), Value::str("a"), list(&[1])]);
    assert_eq!(infer(&nested).to_string(), "Array[Data, 3, 3]");
    assert_eq!(
        infer_set(&nested).to_string(),
        "Tuple[Integer[1, 1], String, Tuple[Integer[1, 1]]]"
    );
    assert_eq!(generalize(&infer(&list(&[1, 5]))).to_string(), "Array[Integer]");
    let hash = Value::hash([("b", Value::Int(1)), ("a", Value::Int(3))]);
    assert_eq!(infer(&hash).to_string(), "Hash[Enum['a', 'b'], Integer[1, 3], 2, 2]");
    assert_eq!(infer(&Value::array([])).to_string(), "Array[0, 0]");
}

#[test]
fn an_alias_that_holds_itself_ends() {
    use std::sync::{Arc, OnceLock};
    let alias = Arc::new(crate::types::TypeAlias { name: "T".into(), target: OnceLock::new() });
    let inner = Type::Alias(Arc::clone(&alias));
    let array = Type::Array(Arc::new(inner.clone()), crate::types::SizeRange::ANY_SIZE);
    let target = Type::Variant([Type::Integer(crate::types::IntRange::ANY), array].into());
    alias.target.set(target).unwrap();
    let value = Value::array([list(&[1, 2]), Value::Int(3)]);
    assert!(is_instance(&inner, &value));
    assert!(!is_instance(&inner, &Value::array([Value::str("x")])));
    assert!(is_assignable(&inner, &inner) && is_assignable(&kind("Data"), &inner));
    assert_eq!(inner.to_string(), "T = Variant[Integer, Array[T]]");
}

#[test]
fn mismatches_name_the_part() {
    let text =
        |expected, value: &Value| describe_mismatch("it", &kind(expected), &infer_set(value));
    let mixed = Value::array([Value::str("a"), Value::Int(1)]);
    assert_eq!(text("Array[Integer]", &mixed), "it index 0 expects an Integer value, got String");
    assert_eq!(
        text("Optional[Integer[1, 2]]", &Value::Int(5)),
        "it expects a value of type Undef or Integer[1, 2], got Integer[5, 5]"
    );
    assert_eq!(
        text("Enum[a, b]", &Value::str("c")),
        "it expects a match for Enum['a', 'b'], got 'c'"
    );
    assert_eq!(text("Array[Integer, 3]", &list(&[1])), "it expects size to be at least 3, got 1");
    assert_eq!(
        text("Struct[{a => Integer}]", &Value::hash([("b", Value::Int(1))])),
        " it expects a value for key 'a'\n  it unrecognized key 'b'"
    );
    assert_eq!(
        text("Variant[Array[Integer], Array[Boolean]]", &Value::array([Value::str("c")])),
        "it index 0 expects a value of type Integer or Boolean, got String"
    );
}

fn signature(params: &[(&str, &'static str, bool)]) -> Signature {
    let params = params.iter().map(|(name, text, optional)| SignatureParam {
        name: (*name).into(),
        kind: kind(text),
        optional: *optional,
    });
    Signature { params: params.collect(), ..Signature::default() }
}

#[test]
fn calls_that_fit_nothing_are_explained() {
    let one = signature(&[("a", "Integer", false)]);
    let two = signature(&[("a", "String", false), ("b", "Optional[Integer]", true)]);
    assert_eq!(
        describe_call("f", &[&one], &[Value::str("x")], None),
        "'f' parameter 'a' expects an Integer value, got String"
    );
    assert_eq!(describe_call("f", &[&one], &[], None), "'f' expects 1 argument, got none");
    assert_eq!(
        describe_call("f", &[&one, &two], &[Value::Bool(true)], None),
        "'f' parameter 'a' expects a value of type Integer or String, got Boolean"
    );
    assert_eq!(
        describe_call("f", &[&one, &two], &[Value::str("x"), Value::str("y")], None),
        "The function 'f' was called with arguments it does not accept. It expects one of:\n  \
         (Integer a)\n    rejected: expects 1 argument, got 2\n  \
         (String a, Integer b?)\n    \
         rejected: parameter 'b' expects a value of type Undef or Integer, got String"
    );
    let given = [("a".into(), Value::str("x")), ("z".into(), Value::Undef)];
    assert_eq!(
        describe_params("Class[C]", &one, &given, false).unwrap(),
        "Class[C]:\n  has no parameter named 'z'\n  parameter 'a' expects an Integer value, got String"
    );
}

#[test]
fn equality_and_matching_follow_the_language() {
    assert!(equals(&Value::str("aBc"), &Value::str("AbC")));
    assert!(!equals(&Value::str("é"), &Value::str("É")));
    assert!(equals(&Value::Int(1), &Value::Float(1.0)));
    assert!(!equals(&Value::Int(i64::MAX), &Value::Float(i64::MAX as f64)));
    let found = matches(&Value::str("web12"), &Value::str("([a-z]+)(x)?")).unwrap();
    assert_eq!(found.groups.unwrap(), [Value::str("web"), Value::str("web"), Value::Undef]);
    assert!(case_matches(&Value::array([Value::Default, Value::Int(2)]), &list(&[1, 2])).matched);
    assert!(contains(&Value::str("B"), &Value::str("abc")).matched);
    assert!(!contains(&Value::Int(4), &list(&[1, 2])).matched);
}

#[test]
fn text_differs_between_interpolation_and_string_new() {
    let value = Value::array([Value::Float(1e20), Value::str("it's"), Value::Undef]);
    assert_eq!(to_text(&value), "[1.0e+20, it's, ]");
    assert_eq!(quoted(&value), "[1.0e+20, 'it\\'s', undef]");
    assert_eq!(quoted(&Value::str("a\t$b")), "\"a\\t\\$b\"");
    let format = |value: &Value, format: &str| to_string(value, Some(&Value::str(format))).unwrap();
    assert_eq!(to_string(&Value::Float(1.5), None).unwrap(), "1.500000");
    assert_eq!(format(&Value::Int(255), "%#x"), "0xff");
    assert_eq!(format(&Value::str("a::bc"), "%C"), "A::Bc");
    assert_eq!(format(&Value::Bool(true), "%#Y"), "Y");
    assert_eq!(format(&list(&[1, 2]), "%(a"), "(1, 2)");
    let entries = Value::hash([("a", list(&[1]))]);
    assert_eq!(format(&entries, "%#h"), "{\n  'a' => [1]\n}");
    let wrong = to_string(&Value::Int(1), Some(&Value::str("%q")));
    assert!(wrong.is_err());
}
