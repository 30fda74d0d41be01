//! Types of texts with a format: sizes, durations, encodings, addresses of services, paths.

use std::path::Path;
use std::time::UNIX_EPOCH;

use ordain_source::{EntryKind, ProcessRequest, World};

use super::{time, web};
use crate::value::Value;

/// Checks a value against a type of `pydantic`; `None` if the type is not one of these.
pub(super) fn check(world: &dyn World, kind: &str, value: &Value) -> Option<bool> {
    let text = value.as_str();
    let on_text = |test: &dyn Fn(&str) -> bool| text.is_some_and(test);
    let now = || {
        let elapsed = world.now().duration_since(UNIX_EPOCH).unwrap_or_default();
        elapsed.as_secs_f64()
    };
    let day = |seconds: f64| (seconds / 86_400.0).floor();
    Some(match kind {
        "UUID1" | "UUID3" | "UUID4" | "UUID5" | "UUID6" | "UUID7" | "UUID8" => {
            on_text(&|text| web::uuid_version(text) == kind[4..].parse().ok())
        }
        "Json" => on_text(&is_json),
        "ByteSize" => match value {
            Value::Str(text) => is_size(text),
            Value::Int(size) => *size >= 0,
            Value::BigInt(size) => size.sign() != num_bigint::Sign::Minus,
            Value::Bool(_) => true,
            _ => false,
        },
        "PastDate" => time::date_seconds(value).is_some_and(|at| day(at) < day(now())),
        "FutureDate" => time::date_seconds(value).is_some_and(|at| day(at) > day(now())),
        "PastDatetime" => time::moment(value).is_some_and(|(at, _)| at < now()),
        "FutureDatetime" => time::moment(value).is_some_and(|(at, _)| at > now()),
        "AwareDatetime" => time::moment(value).is_some_and(|(_, has_zone)| has_zone),
        "NaiveDatetime" => time::moment(value).is_some_and(|(_, has_zone)| !has_zone),
        "FilePath" => on_text(&|text| world.kind(Path::new(text)) == Some(EntryKind::File)),
        "DirectoryPath" => {
            on_text(&|text| world.kind(Path::new(text)) == Some(EntryKind::Directory))
        }
        "NewPath" => on_text(&|text| {
            let path = Path::new(text);
            let parent = match path.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent,
                _ => Path::new("."),
            };
            world.kind(path).is_none() && world.kind(parent).is_some()
        }),
        "Base64Str" => on_text(&|text| is_base64(text, false, true)),
        "Base64Bytes" => on_text(&|text| is_base64(text, false, false)),
        "Base64UrlStr" => on_text(&|text| is_base64(text, true, true)),
        "Base64UrlBytes" => on_text(&|text| is_base64(text, true, false)),
        "ImportString" => text.is_none_or(|text| is_importable(world, text)),
        "PaymentCardNumber" => on_text(&is_card),
        "SecretBytes" => text.is_some(),
        "StrictBytes" => false,
        _ => {
            let service = SERVICES.iter().find(|service| service.kind == kind)?;
            on_text(&|text| service.takes(text))
        }
    })
}

/// The requirements for the URL of a service.
struct Service {
    kind: &'static str,
    schemes: &'static [&'static str],
    needs_host: bool,
    has_several_hosts: bool,
}

const fn service(
    kind: &'static str,
    schemes: &'static [&'static str],
    needs_host: bool,
    has_several_hosts: bool,
) -> Service {
    Service { kind, schemes, needs_host, has_several_hosts }
}

const SERVICES: &[Service] = &[
    service(
        "PostgresDsn",
        &[
            "postgres",
            "postgresql",
            "postgresql+asyncpg",
            "postgresql+pg8000",
            "postgresql+psycopg",
            "postgresql+psycopg2",
            "postgresql+psycopg2cffi",
            "postgresql+py-postgresql",
            "postgresql+pygresql",
        ],
        true,
        true,
    ),
    service(
        "CockroachDsn",
        &["cockroachdb", "cockroachdb+psycopg2", "cockroachdb+asyncpg"],
        true,
        false,
    ),
    service("AmqpDsn", &["amqp", "amqps"], false, false),
    service("RedisDsn", &["redis", "rediss"], false, false),
    service("MongoDsn", &["mongodb", "mongodb+srv"], false, true),
    service("KafkaDsn", &["kafka"], false, false),
    service("NatsDsn", &["nats", "tls", "ws", "wss"], false, true),
    service(
        "MySQLDsn",
        &[
            "mysql",
            "mysql+mysqlconnector",
            "mysql+aiomysql",
            "mysql+asyncmy",
            "mysql+mysqldb",
            "mysql+pymysql",
            "mysql+cymysql",
            "mysql+pyodbc",
        ],
        false,
        false,
    ),
    service(
        "MariaDBDsn",
        &["mariadb", "mariadb+mariadbconnector", "mariadb+pymysql"],
        false,
        false,
    ),
    service(
        "ClickHouseDsn",
        &[
            "clickhouse+native",
            "clickhouse+asynch",
            "clickhouse+http",
            "clickhouse",
            "clickhouses",
            "clickhousedb",
        ],
        false,
        false,
    ),
    service("SnowflakeDsn", &["snowflake"], true, false),
];

impl Service {
    fn takes(&self, text: &str) -> bool {
        let Some((scheme, rest)) = text.split_once("://") else { return false };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.is_empty() {
            let is_known = self.schemes.contains(&scheme.to_ascii_lowercase().as_str());
            return is_known && !self.needs_host;
        }
        if !self.has_several_hosts {
            return web::is_url(text, self.schemes);
        }
        let (user, hosts) = match authority.rsplit_once('@') {
            Some((user, hosts)) => (format!("{user}@"), hosts),
            None => (String::new(), authority),
        };
        hosts
            .split(',')
            .all(|host| web::is_url(&format!("{scheme}://{user}{host}{path}"), self.schemes))
    }
}

/// A Python program that fails if a name cannot be imported.
const IMPORT: &str = "
import importlib, sys
path, _, name = sys.argv[1].partition(':')
try:
    found = importlib.import_module(path)
except ImportError:
    if '.' not in path or name:
        raise
    path, name = path.rsplit('.', 1)
    found = importlib.import_module(path)
if name:
    getattr(found, name)
";

/// Whether the machine's Python can import a name.
fn is_importable(world: &dyn World, name: &str) -> bool {
    if name.is_empty() || name.matches(':').count() > 1 || !world.runs_processes() {
        return false;
    }
    let python = world.env("ORDAIN_PYTHON").unwrap_or_else(|| "python3".to_owned());
    let request = ProcessRequest {
        argv: vec![python, "-c".into(), IMPORT.into(), name.into()],
        cwd: None,
        env: Vec::new(),
        stdin: Vec::new(),
        timeout: None,
    };
    world.run(&request).is_ok_and(|output| output.status == Some(0))
}

/// Whether a text is JSON; `NaN` and `Infinity` are allowed.
fn is_json(text: &str) -> bool {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_text = false;
    while let Some(c) = rest.chars().next() {
        let name = ["NaN", "-Infinity", "Infinity"].into_iter().find(|name| rest.starts_with(name));
        if let Some(name) = name.filter(|_| !in_text) {
            plain.push('0');
            rest = &rest[name.len()..];
            continue;
        }
        if c == '\\' && in_text {
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
            plain.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        in_text ^= c == '"';
        plain.push(c);
        rest = &rest[c.len_utf8()..];
    }
    serde_json::from_str::<serde_json::Value>(&plain).is_ok()
}

/// Whether a text is a number with a unit of bytes or bits.
fn is_size(text: &str) -> bool {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = &text[digits..];
    let mut has_digits = digits > 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let places = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if places > 0 {
            has_digits = true;
            rest = &fraction[places..];
        }
    }
    let rest = rest.trim_start();
    let unit: String =
        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let unit = unit.to_lowercase();
    let is_unit = match unit.as_str() {
        "" | "b" | "bit" => true,
        unit => {
            let Some((prefix, rest)) = unit.split_at_checked(1) else { return false };
            "kmgtpe".contains(prefix) && ["", "b", "ib", "bit", "ibit"].contains(&rest)
        }
    };
    has_digits && is_unit
}

/// Whether Python decodes a text as base64. Python ignores characters outside of the alphabet.
fn is_base64(text: &str, for_addresses: bool, is_text: bool) -> bool {
    let mut bits = 0u32;
    let (mut place, mut pads) = (0u32, 0u32);
    let mut bytes = Vec::new();
    for byte in text.bytes() {
        let byte = match byte {
            b'-' if for_addresses => b'+',
            b'_' if for_addresses => b'/',
            byte => byte,
        };
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                pads += 1;
                if place >= 2 && place + pads >= 4 {
                    place = 0;
                    break;
                }
                continue;
            }
            _ => continue,
        };
        pads = 0;
        bits = (bits << 6) | u32::from(value);
        if place > 0 {
            bytes.push((bits >> (6 - 2 * place)) as u8);
        }
        place = (place + 1) % 4;
    }
    place == 0 && (!is_text || std::str::from_utf8(&bytes).is_ok())
}

/// Whether a text is the number of a payment card.
fn is_card(text: &str) -> bool {
    let text = text.trim();
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let is_number = digits.len() == text.chars().count() && (12..=19).contains(&digits.len());
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            0 => *digit,
            _ if *digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    is_number && sum.is_multiple_of(10)
}

/// Whether a value is a duration.
pub(super) fn is_duration(value: &Value) -> bool {
    let text = match value {
        Value::Str(text) => text.as_str(),
        Value::Int(seconds) => return seconds.unsigned_abs() <= 86_399_999_913_600,
        Value::Float(seconds) => return seconds.abs() <= 86_399_999_913_600.0,
        _ => return false,
    };
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(rest) = text.strip_prefix(['P', 'p']) {
        return is_iso_duration(rest);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if text[digits..].starts_with(':') {
        return is_clock(text);
    }
    let rest = text[digits..].trim_start_matches(' ');
    let Some(rest) = rest.strip_prefix(['d', 'D']).filter(|_| digits > 0) else { return false };
    let rest = match rest.get(..2) {
        Some(ay) if ay.eq_ignore_ascii_case("ay") => {
            let rest = &rest[2..];
            rest.strip_prefix(['s', 'S']).unwrap_or(rest)
        }
        _ => rest,
    };
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start_matches(' ');
    rest.is_empty() || is_clock(rest.strip_prefix(['+', '-']).unwrap_or(rest))
}

/// Whether a text is `HH:MM`, `HH:MM:SS` or `H:MM:SS`, the latter two with an optional fraction.
fn is_clock(text: &str) -> bool {
    let (whole, fraction) = match text.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let parts: Vec<&str> = whole.split(':').collect();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let fits = |text: &&str| is_digits(text) && text.len() == 2 && **text < *"60";
    let is_fine = match &parts[..] {
        [hours, rest @ ..] => {
            is_digits(hours) && (hours.len() >= 2 || rest.len() == 2) && rest.iter().all(fits)
        }
        [] => false,
    };
    let is_fraction = fraction.is_none_or(|text| parts.len() == 3 && is_digits(text));
    (2..=3).contains(&parts.len()) && is_fine && is_fraction
}

/// Whether a text is the part of an ISO duration after the `P`: `1DT2H`.
fn is_iso_duration(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let parts = |text: &str, units: &str| {
        let mut rest = text;
        let mut count = 0;
        while !rest.is_empty() {
            let digits =
                rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.' || *b == b',').count();
            let unit = rest[digits..].chars().next();
            let is_unit = unit.is_some_and(|c| units.contains(c.to_ascii_uppercase()));
            if digits == 0 || !is_unit {
                return None;
            }
            rest = &rest[digits + 1..];
            count += 1;
        }
        Some(count)
    };
    match (parts(date, "YMWD"), time.map(|time| parts(time, "HMS"))) {
        (Some(days), None) => days > 0,
        (Some(_), Some(Some(times))) => times > 0,
        _ => false,
    }
}
