//! Conversions to versions, bytes, expressions and URIs.

use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::base64::{Mode, decode};
use ordain_functions::version::{Range, Version};

use super::host::Host;
use crate::error::{EvalResult, PlainError, plain};
use crate::types::Regexp;
use crate::types::semver;
use crate::types::uri::Uri;
use crate::value::text::to_text;
use crate::value::{SemVerRange, Value};

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// `SemVer.new`
pub(super) fn semver(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let number = |value: Option<&Value>| value.and_then(Value::as_int).map_or(0, |i| i as u64);
    let part = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let version = match chosen {
        0 => return parse_version(text(&args[0])).map(|v| Value::SemVer(Arc::new(v))),
        1 => Version {
            major: number(args.first()),
            minor: number(args.get(1)),
            patch: number(args.get(2)),
            prerelease: part(args.get(3)),
            build: part(args.get(4)),
        },
        _ => Version {
            major: number(args[0].get("major")),
            minor: number(args[0].get("minor")),
            patch: number(args[0].get("patch")),
            prerelease: part(args[0].get("prerelease")),
            build: part(args[0].get("build")),
        },
    };
    Ok(Value::SemVer(Arc::new(version)))
}

fn parse_version(text: &str) -> EvalResult<Version> {
    match text.parse() {
        Ok(version) => Ok(version),
        Err(error) => plain(error.to_string()),
    }
}

pub(super) fn explain_semver(name: &str, args: &[Value]) -> Option<EvalResult> {
    match args {
        [Value::Str(text)] => {
            let reason = format!("The string '{text}' cannot be converted to a SemVer");
            Some(Err(PlainError::of_call(name, reason).into()))
        }
        _ => None,
    }
}

/// `SemVerRange.new`
pub(super) fn semver_range(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let bounds = match chosen {
        0 => {
            let source = text(&args[0]);
            return match source.parse::<Range>() {
                Ok(range) => {
                    Ok(Value::SemVerRange(Arc::new(SemVerRange { text: source.into(), range })))
                }
                Err(error) => plain(error.to_string()),
            };
        }
        1 => [args.first(), args.get(1), args.get(2)],
        _ => [args[0].get("min"), args[0].get("max"), args[0].get("exclude_max")],
    };
    let version = |value: Option<&Value>| match value {
        Some(Value::SemVer(version)) => Some(Version::clone(version)),
        _ => None,
    };
    let low = version(bounds[0]);
    let high = version(bounds[1]);
    let exclude = bounds[2].is_some_and(Value::is_true);
    let text = semver::text_between(low.as_ref(), high.as_ref(), exclude);
    let range = match (low, high) {
        (None, None) => Range::all(),
        (low, high) => Range::between(low.unwrap_or(Version::new(0, 0, 0)), high, exclude),
    };
    Ok(Value::SemVerRange(Arc::new(SemVerRange { text, range })))
}

/// `Binary.new`
pub(super) fn binary(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let (from, format) = match chosen {
        2 => (args[0].get("value").unwrap_or(&Value::Undef), args[0].get("format")),
        _ => (&args[0], args.get(1)),
    };
    let bytes = match from {
        Value::Array(items) => {
            items.iter().filter_map(|v| u8::try_from(v.as_int()?).ok()).collect()
        }
        from => {
            let source = text(from);
            let decoded = match format.and_then(Value::as_str).unwrap_or("%B") {
                "%s" | "%r" => return Ok(Value::Binary(Arc::new(source.as_bytes().to_vec()))),
                "%b" => decode(source, Mode::Default),
                "%u" => decode(source, Mode::UrlSafe),
                _ => decode(source, Mode::Strict),
            };
            match decoded {
                Ok(bytes) => bytes,
                Err(error) => return plain(error.to_string()),
            }
        }
    };
    Ok(Value::Binary(Arc::new(bytes)))
}

/// `Regexp.new`
pub(super) fn regexp(_: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let source = text(&args[0]);
    let source: EcoString = match args.get(1).is_some_and(Value::is_true) {
        true => ordain_functions::regex::escape(source).into(),
        false => source.into(),
    };
    let regexp = Regexp::new(source);
    match regexp.regex() {
        Ok(_) => Ok(Value::Regexp(Arc::new(regexp))),
        Err(reason) => plain(reason),
    }
}

/// `URI.new`
pub(super) fn uri(chosen: usize, args: &[Value], _: &mut dyn Host) -> EvalResult {
    let uri = match chosen {
        0 => text(&args[0]).parse::<Uri>()?,
        _ => from_parts(&args[0]),
    };
    Ok(Value::Uri(Arc::new(uri)))
}

/// The URI of these parts.
fn from_parts(parts: &Value) -> Uri {
    let text = |key: &str| parts.get(key).map(|part| String::from(to_text(part)));
    let mut uri = Uri {
        scheme: text("scheme").map(|scheme| scheme.to_lowercase()),
        userinfo: text("userinfo"),
        host: text("host"),
        port: text("port").and_then(|port| port.parse().ok()),
        path: text("path"),
        query: text("query"),
        fragment: text("fragment"),
        opaque: text("opaque"),
    };
    if uri.opaque.is_none() {
        uri.path.get_or_insert_default();
    }
    uri.drop_default_port();
    uri
}
