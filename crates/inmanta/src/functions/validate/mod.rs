//! `std::validate_type`: checks values against named types of Python libraries.

use crate::diagnostics::Exception;
mod forms;
mod items;
mod lenient;
mod time;
mod web;

use ecow::EcoString;
use num_bigint::BigInt;
use ordain_functions::regex::{Dialect, compile};
use ordain_source::World;

use super::addresses::Interface;
use super::entry::{Entry, Outcome, plain, string};
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::{Dict, Value, compare_numbers};
use lenient::{lenient_integer, lenient_number};

pub(super) const TABLE: &[Entry] = &[plain(
    "validate_type",
    "fq_type_name: string, value: any, validation_parameters: dict? = null",
    "bool",
    validate_type,
)];

/// Whether a value satisfies a type, or the error of the type's parameters.
pub type Validation = Result<bool, Stop>;

fn validate_type(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let parameters = match arguments.get(2) {
        Value::Dict(entries) => Some(&**entries),
        _ => None,
    };
    let name = string(arguments, 0);
    validate(context.world(), name, arguments.get(1), parameters).map(Value::Bool)
}

/// Whether a value satisfies the type of this name with these parameters.
///
/// # Errors
/// If there is no such type, or it has no such parameters.
pub fn validate(
    world: &dyn World,
    name: &str,
    value: &Value,
    parameters: Option<&Dict>,
) -> Validation {
    let Some((module, kind)) = name.split_once('.') else { return Ok(false) };
    let text = value.as_str();
    let none = parameters.is_none_or(Dict::is_empty);
    match (module, kind) {
        ("pydantic", "conint" | "confloat" | "condecimal" | "constr") => {
            let empty = Dict::default();
            constrained(kind, value, parameters.unwrap_or(&empty))
        }
        ("pydantic", "condate" | "conbytes") => {
            let empty = Dict::default();
            constrained_form(kind, value, parameters.unwrap_or(&empty))
        }
        ("pydantic", "conlist" | "conset" | "confrozenset") => {
            let empty = Dict::default();
            let named = |name: &str, value: &Value| validate(world, name, value, None);
            items::check(&named, kind, value, parameters.unwrap_or(&empty))
        }
        ("pydantic" | "datetime" | "ipaddress" | "uuid", _) => {
            let form = if module == "pydantic" { forms::check(world, kind, value) } else { None };
            match form.or_else(|| simple(module, kind, value, text)) {
                Some(_) if !none => Ok(false),
                Some(answer) => Ok(answer),
                None => {
                    let text = format!("module '{module}' has no attribute '{kind}'");
                    Err(Stop::raised(Exception::AttributeError, text))
                }
            }
        }
        _ => Ok(false),
    }
}

/// Checks a value against a type without parameters; `None` if there is no such type.
fn simple(module: &str, kind: &str, value: &Value, text: Option<&str>) -> Option<bool> {
    let on_text = |test: fn(&str) -> bool| text.is_some_and(test);
    let number = |test: fn(&Value) -> bool| lenient_number(value).is_some_and(|n| test(&n));
    let whole = |test: fn(&Value) -> bool| lenient_integer(value).is_some_and(|n| test(&n));
    Some(match (module, kind) {
        ("datetime", "date") => time::is_date(value),
        ("datetime", "time") => on_text(time::is_time),
        ("datetime", "datetime") => time::is_datetime(value),
        ("datetime", "timedelta") => forms::is_duration(value),
        ("uuid", "UUID") => on_text(web::is_uuid),
        ("ipaddress", kind) => return address(kind, value, text),
        ("pydantic", "IPvAnyAddress") => either(value, text, "Address"),
        ("pydantic", "IPvAnyInterface") => either(value, text, "Interface"),
        ("pydantic", "IPvAnyNetwork") => either(value, text, "Network"),
        ("pydantic", "EmailStr") | ("pydantic", "NameEmail") => on_text(web::is_email),
        ("pydantic", "AnyUrl") => on_text(|text| web::is_url(text, &[])),
        ("pydantic", "AnyHttpUrl") => on_text(|text| web::is_url(text, &["http", "https"])),
        ("pydantic", "HttpUrl") => {
            on_text(|text| web::is_url(text, &["http", "https"]) && text.chars().count() <= 2083)
        }
        ("pydantic", "FtpUrl") => on_text(|text| web::is_url(text, &["ftp"])),
        ("pydantic", "FileUrl") => on_text(|text| web::is_url(text, &["file"])),
        ("pydantic", "WebsocketUrl" | "AnyWebsocketUrl") => {
            on_text(|text| web::is_url(text, &["ws", "wss"]))
        }
        ("pydantic", "NegativeFloat") => number(|n| is_before(n, &Value::Int(0))),
        ("pydantic", "PositiveFloat") => number(|n| is_before(&Value::Int(0), n)),
        ("pydantic", "NonNegativeFloat") => number(|n| is_at_most(&Value::Int(0), n)),
        ("pydantic", "NonPositiveFloat") => number(|n| is_at_most(n, &Value::Int(0))),
        ("pydantic", "FiniteFloat") => number(|n| !matches!(n, Value::Float(f) if !f.is_finite())),
        ("pydantic", "NegativeInt") => whole(|n| is_before(n, &Value::Int(0))),
        ("pydantic", "PositiveInt") => whole(|n| is_before(&Value::Int(0), n)),
        ("pydantic", "NonNegativeInt") => whole(|n| is_at_most(&Value::Int(0), n)),
        ("pydantic", "NonPositiveInt") => whole(|n| is_at_most(n, &Value::Int(0))),
        ("pydantic", "StrictInt") => matches!(value, Value::Int(_) | Value::BigInt(_)),
        ("pydantic", "StrictFloat") => {
            matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_))
        }
        ("pydantic", "StrictBool") => matches!(value, Value::Bool(_)),
        ("pydantic", "StrictStr" | "SecretStr") => text.is_some(),
        _ => return None,
    })
}

fn is_before(a: &Value, b: &Value) -> bool {
    compare_numbers(a, b).is_some_and(std::cmp::Ordering::is_lt)
}

fn is_at_most(a: &Value, b: &Value) -> bool {
    compare_numbers(a, b).is_some_and(std::cmp::Ordering::is_le)
}

fn either(value: &Value, text: Option<&str>, shape: &str) -> bool {
    ["IPv4", "IPv6"]
        .iter()
        .any(|family| address(&format!("{family}{shape}"), value, text) == Some(true))
}

fn address(kind: &str, value: &Value, text: Option<&str>) -> Option<bool> {
    let (is_v4, shape) = match (kind.strip_prefix("IPv4"), kind.strip_prefix("IPv6")) {
        (Some(shape), _) => (true, shape),
        (_, Some(shape)) => (false, shape),
        _ => return None,
    };
    if !matches!(shape, "Address" | "Interface" | "Network") {
        return None;
    }
    let Some(text) = text else {
        let size = if is_v4 { 32 } else { 128 };
        let number = value.as_integer().filter(|n| *n >= BigInt::from(0));
        return Some(number.is_some_and(|number| number < (BigInt::from(1) << size)));
    };
    let Some(interface) = Interface::read(text) else { return Some(false) };
    let fits = match shape {
        "Address" => !text.contains('/'),
        "Network" => !interface.has_host_bits(),
        _ => true,
    };
    Some(interface.address.is_ipv4() == is_v4 && fits)
}

/// The names of a type's parameters.
fn known_parameters(kind: &str) -> &'static [&'static str] {
    match kind {
        "constr" => &[
            "min_length",
            "max_length",
            "pattern",
            "regex",
            "strict",
            "strip_whitespace",
            "to_upper",
            "to_lower",
        ],
        "confloat" => &["strict", "gt", "ge", "lt", "le", "multiple_of", "allow_inf_nan"],
        "condecimal" => &[
            "strict",
            "gt",
            "ge",
            "lt",
            "le",
            "multiple_of",
            "max_digits",
            "decimal_places",
            "allow_inf_nan",
        ],
        _ => &["strict", "gt", "ge", "lt", "le", "multiple_of"],
    }
}

fn constrained(kind: &str, value: &Value, parameters: &Dict) -> Validation {
    let known = known_parameters(kind);
    if let Some(name) = parameters.keys().find(|name| !known.contains(&name.as_str())) {
        let text = format!("{kind}() got an unexpected keyword argument '{name}'");
        return Err(Stop::raised(Exception::TypeError, text));
    }
    let strict = parameters.get("strict").is_some_and(|v| matches!(v, Value::Bool(true)));
    if kind == "constr" {
        return Ok(match value.as_str() {
            Some(text) => constrained_text(text, parameters)?,
            None => false,
        });
    }
    let number = match (kind, value) {
        ("conint", Value::Int(_) | Value::BigInt(_)) => Some(value.clone()),
        ("conint", _) if strict => None,
        ("conint", _) => lenient_integer(value),
        ("condecimal", Value::Bool(_)) => None,
        (_, Value::Bool(_) | Value::Str(_)) if strict => None,
        _ => lenient_number(value),
    };
    let Some(number) = number else { return Ok(false) };
    if kind == "condecimal" {
        let is_finite = !matches!(number, Value::Float(n) if !n.is_finite());
        return Ok(is_finite && in_bounds(&number, parameters) && has_digits(value, parameters));
    }
    Ok(in_bounds(&number, parameters))
}

/// Checks dates and bytes with bounds.
fn constrained_form(kind: &str, value: &Value, parameters: &Dict) -> Validation {
    let known: &[&str] = match kind {
        "condate" => &["strict", "gt", "ge", "lt", "le"],
        _ => &["min_length", "max_length", "strict"],
    };
    if let Some(name) = parameters.keys().find(|name| !known.contains(&name.as_str())) {
        let text = format!("{kind}() got an unexpected keyword argument '{name}'");
        return Err(Stop::raised(Exception::TypeError, text));
    }
    if kind == "conbytes" {
        let Some(text) = value.as_str() else { return Ok(false) };
        let length = text.len() as i64;
        let is_short = matches!(parameters.get("min_length"), Some(Value::Int(n)) if length < *n);
        let is_long = matches!(parameters.get("max_length"), Some(Value::Int(n)) if length > *n);
        return Ok(!is_short && !is_long);
    }
    let Some(at) = time::date_seconds(value) else { return Ok(false) };
    let holds = |name: &str, test: fn(f64, f64) -> bool| {
        let bound = parameters.get(name).and_then(time::date_seconds);
        bound.is_none_or(|bound| test(at, bound))
    };
    Ok(holds("gt", |at, bound| at > bound)
        && holds("ge", |at, bound| at >= bound)
        && holds("lt", |at, bound| at < bound)
        && holds("le", |at, bound| at <= bound))
}

fn in_bounds(number: &Value, parameters: &Dict) -> bool {
    let bound = |name: &str, test: fn(&Value, &Value) -> bool| match parameters
        .get(name)
        .filter(|limit| limit.is_number())
    {
        Some(limit) => test(limit, number),
        None => true,
    };
    let multiple = match parameters.get("multiple_of").filter(|limit| limit.is_number()) {
        Some(factor) => is_multiple(number, factor),
        None => true,
    };
    bound("gt", is_before)
        && bound("ge", is_at_most)
        && bound("lt", |limit, number| is_before(number, limit))
        && bound("le", |limit, number| is_at_most(number, limit))
        && multiple
}

fn is_multiple(number: &Value, factor: &Value) -> bool {
    match (number.as_integer(), factor.as_integer()) {
        (Some(number), Some(factor)) => {
            factor != BigInt::from(0) && number % factor == BigInt::from(0)
        }
        _ => {
            let float = |value: &Value| match value {
                Value::Float(number) => *number,
                other => other
                    .as_integer()
                    .and_then(|n| n.to_string().parse::<f64>().ok())
                    .unwrap_or(f64::NAN),
            };
            let (number, factor) = (float(number), float(factor));
            let rest = number.rem_euclid(factor);
            let threshold = number.abs() / 1e9;
            rest.abs() <= threshold || (rest - factor).abs() <= threshold
        }
    }
}

/// Whether a decimal respects the limits for digits.
fn has_digits(value: &Value, parameters: &Dict) -> bool {
    let text = match value {
        Value::Str(text) => text.trim().to_owned(),
        Value::Float(number) => EcoString::from(crate::value::float_text(*number)).to_string(),
        other => other.as_integer().map(|n| n.to_string()).unwrap_or_default(),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let mantissa = mantissa.trim_start_matches(['+', '-']).replace('_', "");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((&mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0').len().max(1) as i64;
    let places = (fraction.len() as i64 - exponent).max(0);
    let total = if exponent > fraction.len() as i64 {
        digits + exponent - fraction.len() as i64
    } else {
        digits.max(places)
    };
    let limit = |name: &str| match parameters.get(name) {
        Some(Value::Int(limit)) => Some(*limit),
        _ => None,
    };
    let max_digits = limit("max_digits");
    let decimal_places = limit("decimal_places");
    let whole_digits = match (max_digits, decimal_places) {
        (Some(digits), Some(places)) => Some(digits - places),
        _ => None,
    };
    max_digits.is_none_or(|limit| total <= limit)
        && decimal_places.is_none_or(|limit| places <= limit)
        && whole_digits.is_none_or(|limit| total - places <= limit)
}

fn constrained_text(text: &str, parameters: &Dict) -> Validation {
    let is_set = |name: &str| matches!(parameters.get(name), Some(Value::Bool(true)));
    let mut text = text.to_owned();
    if is_set("strip_whitespace") {
        text = text.trim().to_owned();
    }
    if is_set("to_lower") {
        text = text.to_lowercase();
    }
    if is_set("to_upper") {
        text = text.to_uppercase();
    }
    let length = text.chars().count() as i64;
    if matches!(parameters.get("min_length"), Some(Value::Int(limit)) if length < *limit)
        || matches!(parameters.get("max_length"), Some(Value::Int(limit)) if length > *limit)
    {
        return Ok(false);
    }
    let bad =
        |error: ordain_functions::Error| Stop::raised(Exception::RegexError, error.to_string());
    if let Some(pattern) = parameters.get("pattern").and_then(Value::as_str) {
        let regex = compile(Dialect::Python, pattern).map_err(bad)?;
        if !regex.is_match(&text).map_err(bad)? {
            return Ok(false);
        }
    }
    if let Some(pattern) = parameters.get("regex").and_then(Value::as_str) {
        let regex = compile(Dialect::Python, pattern).map_err(bad)?;
        return regex.matches_start(&text).map_err(bad);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, good: &[&str], bad: &[&str]) {
        let world = ordain_source::MemoryWorld::default();
        let test = |text: &str| matches!(validate(&world, name, &Value::str(text), None), Ok(true));
        for text in good {
            assert!(test(text), "{name} takes {text}");
        }
        for text in bad {
            assert!(!test(text), "{name} refuses {text}");
        }
    }

    #[test]
    fn times() {
        let good = ["2020-02-29", "2020-01-01T00:00", "2020-01-01 00:00:00Z", "-86400", "86400.0"];
        check("datetime.date", &good, &["2021-02-29", "2020-1-1", "86401", "2020-01-01T00:01"]);
        let good = ["10:00", "10:00:00.5Z", "10:00+0100", "10:00:00,5", "10:00z"];
        check("datetime.time", &good, &["10", "24:00", "10:00:60", "10:00+01", "3600", "1:00"]);
        let good = ["2020-01-01", "2020-01-01_10:00", "2020-01-01t10:00:00Z", "1577836800.5"];
        check("datetime.datetime", &good, &["2020-01-01T10", "2020-01-01  10:00", "x"]);
    }

    #[test]
    fn addresses() {
        check("ipaddress.IPv4Address", &["1.2.3.4"], &["01.2.3.4", "1.2.3.4/24", "::"]);
        check("ipaddress.IPv4Network", &["1.2.3.0/24", "1.2.3.4"], &["1.2.3.4/24"]);
        check("pydantic.IPvAnyInterface", &["1.2.3.4/24", "::1/64"], &["::1/129"]);
        let uuid = "12345678-1234-5678-1234-567812345678";
        let braced = format!("{{{uuid}}}");
        let good = [uuid, &braced, "12345678123456781234567812345678"];
        check("uuid.UUID", &good, &["x", "1234567812345678-12345678-12345678"]);
    }

    #[test]
    fn forms() {
        check(
            "pydantic.UUID4",
            &["9b2f1c1e-3f5a-4b6a-8c7d-0123456789ab"],
            &["12345678-1234-5678-1234-567812345678", "x"],
        );
        check("pydantic.Json", &["{\"a\": 1}", "NaN", " 1 ", "[NaN]"], &["[1, 2", "", "{a: 1}"]);
        let good = ["1 GiB", "5kb", "10", "1.5MB", " 5 ", "5 k", "5b", "5 bit"];
        check("pydantic.ByteSize", &good, &["x", "1 XB", "1e3"]);
        check("pydantic.AwareDatetime", &["2000-01-01T00:00:00+01:00"], &["2000-01-01"]);
        let good = ["aGVsbG8=", "!!", "", "aGVs bG8=", "aGVsbG8=\n"];
        check("pydantic.Base64Str", &good, &["aGVsbG8"]);
        check("pydantic.Base64UrlBytes", &["_-8="], &["x"]);
        let good = ["postgres://u:p@h:5432/db", "postgres://h1,h2/db"];
        check("pydantic.PostgresDsn", &good, &["http://h", "postgres:///db", "x"]);
        check("pydantic.RedisDsn", &["redis://", "rediss://h"], &["http://x"]);
        check("pydantic.MySQLDsn", &["mysql+pymysql://h"], &["http://h"]);
        check("pydantic.PaymentCardNumber", &["4111111111111111"], &["4111111111111112"]);
        let good = ["1 day, 00:00:00", "P1DT2H", "10:00:00", "-P1D", "PT1S", "P1Y", "01:00", "3 d"];
        check("datetime.timedelta", &good, &["x", "5", "1:2:3", "P", "PT", "1:00"]);
        let good = ["2:00:00", "3 days, 2:00:00", "9:59:59,5", "1:00:00.1234567890"];
        check("datetime.timedelta", &good, &["1 day, 2:0:0", "2:00:60"]);
    }

    #[test]
    fn the_web() {
        let good = ["a@b.c", "N <a@b.cd>", "a+b@c.de", "\u{e9}@\u{e9}.com"];
        let bad = ["a@b", "a..b@c.de", "a@c.test", "a@-b.de", "a b@c.de", "a@b.1"];
        check("pydantic.EmailStr", &good, &bad);
        let good = ["a:b", "http:a", "http:///a", "http://[::1]/", "file:///x", "x:"];
        let bad = ["http://", "http://a b", "http://a:99999", "1a:b", "/a", "http://1.2.3.256"];
        check("pydantic.AnyUrl", &good, &bad);
        check("pydantic.HttpUrl", &["HTTP://a"], &["ftp://a"]);
    }

    #[test]
    fn numbers() {
        let world = ordain_source::MemoryWorld::default();
        let parameters = Dict::from_iter([("ge".into(), Value::Int(0)), ("le".into(), 9.into())]);
        let test = |value: Value| validate(&world, "pydantic.conint", &value, Some(&parameters));
        for (value, fits) in [
            (Value::Int(9), true),
            (Value::Int(10), false),
            (Value::Float(3.0), true),
            (Value::Float(3.5), false),
            (Value::str(" 3 "), true),
            (Value::Bool(true), true),
            (Value::Null, false),
        ] {
            assert!(matches!(test(value.clone()), Ok(answer) if answer == fits), "{value:?}");
        }
        let odd = Dict::from_iter([("x".into(), Value::Int(0))]);
        assert!(validate(&world, "pydantic.conint", &Value::Int(1), Some(&odd)).is_err());
    }

    /// The result of a list type for a value and an item type, as text.
    fn items(name: &str, item: &str, value: Value) -> String {
        let world = ordain_source::MemoryWorld::default();
        let parameters = Dict::from_iter([("item_type".into(), Value::str(item))]);
        match validate(&world, name, &value, Some(&parameters)) {
            Ok(answer) => answer.to_string(),
            Err(Stop::Raised { class, .. }) => class.to_string(),
            Err(_) => "another stop".into(),
        }
    }

    #[test]
    fn items_of_lists() {
        let list = |items: &[Value]| Value::list(items.to_vec());
        let (one, text) = (Value::Int(1), Value::str("a"));
        for (item, value, expected) in [
            ("int", list(&[one.clone(), Value::str("1"), Value::Bool(true)]), "true"),
            ("int", list(&[Value::Float(1.5)]), "false"),
            ("int", list(&[Value::Null]), "false"),
            ("int", one.clone(), "false"),
            ("str", list(std::slice::from_ref(&one)), "false"),
            ("bool", list(&[Value::str("Yes"), Value::Float(0.0)]), "true"),
            ("bool", list(&[Value::Int(2)]), "false"),
            ("int | None", list(&[Value::Null, one.clone()]), "true"),
            ("Optional[str]", list(&[Value::Null, text.clone()]), "true"),
            ("list[int]", list(&[list(std::slice::from_ref(&one))]), "true"),
            ("list[int]", list(&[list(std::slice::from_ref(&text))]), "false"),
            ("pydantic.PositiveInt", list(std::slice::from_ref(&one)), "true"),
            ("object", list(&[Value::Null, text.clone()]), "true"),
            ("None", list(std::slice::from_ref(&one)), "false"),
            ("x", list(&[]), "pydantic.errors.PydanticUserError"),
            ("1", list(&[]), "pydantic.errors.PydanticSchemaGenerationError"),
            ("pydantic.nope", list(std::slice::from_ref(&one)), "AttributeError"),
            ("", list(&[]), "SyntaxError"),
            ("int |", list(&[]), "SyntaxError"),
        ] {
            let found = items("pydantic.conlist", item, value.clone());
            assert_eq!(found, expected, "{item}: {value:?}");
        }
        let nested = list(&[list(&[one])]);
        assert_eq!(items("pydantic.conset", "list", nested), "false", "a list has no hash");
    }

    #[test]
    fn numbers_of_items() {
        let world = ordain_source::MemoryWorld::default();
        let value = Value::list([Value::Int(1), Value::str("1"), Value::Float(1.0)]);
        let test = |name: &str, limit: &str, count: i64| {
            let item = ("item_type".into(), Value::str("int"));
            let parameters = Dict::from_iter([item, (limit.into(), Value::Int(count))]);
            matches!(validate(&world, name, &value, Some(&parameters)), Ok(true))
        };
        assert!(test("pydantic.conlist", "min_length", 3));
        assert!(!test("pydantic.conlist", "max_length", 2));
        assert!(test("pydantic.conset", "max_length", 1), "equal items count once");
        assert!(!test("pydantic.confrozenset", "min_length", 2));
    }

    impl From<i64> for Value {
        fn from(number: i64) -> Self {
            Self::Int(number)
        }
    }
}
