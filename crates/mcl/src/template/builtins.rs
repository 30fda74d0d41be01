//! The built-in functions of Go's templates.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::sync::Arc;

use ordain_functions::go::printf::{sprint, sprintf, sprintln};
use ordain_functions::go::quote::{is_print, runes};

use super::data::{Datum, List};

/// A function of the template language: its name, and its minimal and maximal number of arguments.
pub(super) struct Builtin {
    pub name: &'static str,
    pub least: usize,
    pub most: Option<usize>,
    pub run: fn(&[Datum]) -> Result<Datum, String>,
}

const fn builtin(
    name: &'static str,
    least: usize,
    most: Option<usize>,
    run: fn(&[Datum]) -> Result<Datum, String>,
) -> Builtin {
    Builtin { name, least, most, run }
}

/// All functions except `and` and `or`, which evaluate only the arguments that they need.
const TABLE: &[Builtin] = &[
    builtin("and", 1, None, |_| Ok(Datum::Nothing)),
    builtin("call", 1, None, call),
    builtin("eq", 1, None, |args| equal(args).map(Datum::Bool)),
    builtin("ge", 2, Some(2), |args| compare(args, Ordering::is_ge)),
    builtin("gt", 2, Some(2), |args| compare(args, Ordering::is_gt)),
    builtin("html", 0, None, |args| Ok(text(escape_html(&joined(args))))),
    builtin("index", 1, None, index),
    builtin("js", 0, None, |args| Ok(text(escape_js(&joined(args))))),
    builtin("le", 2, Some(2), |args| compare(args, Ordering::is_le)),
    builtin("len", 1, Some(1), length),
    builtin("lt", 2, Some(2), |args| compare(args, Ordering::is_lt)),
    builtin("ne", 2, Some(2), |args| equal(args).map(|is_equal| Datum::Bool(!is_equal))),
    builtin("not", 1, Some(1), |args| Ok(Datum::Bool(!args.iter().all(Datum::is_true)))),
    builtin("or", 1, None, |_| Ok(Datum::Nothing)),
    builtin("print", 0, None, |args| Ok(text(sprint(&to_args(args))))),
    builtin("printf", 1, None, format),
    builtin("println", 0, None, |args| Ok(text(sprintln(&to_args(args))))),
    builtin("slice", 1, None, slice),
    builtin("urlquery", 0, None, |args| Ok(text(escape_query(&joined(args))))),
];

/// A function by its name.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    TABLE.iter().find(|builtin| builtin.name == name)
}

fn text(bytes: Vec<u8>) -> Datum {
    Datum::Str(crate::value::Str::from_bytes(bytes))
}

fn to_args(args: &[Datum]) -> Vec<ordain_functions::go::printf::Arg> {
    args.iter().map(Datum::to_arg).collect()
}

fn format(args: &[Datum]) -> Result<Datum, String> {
    match args.split_first() {
        Some((Datum::Str(format), rest)) => Ok(text(sprintf(format.as_bytes(), &to_args(rest)))),
        _ => Err("the format is no text".into()),
    }
}

/// The arguments as one text. A missing value is printed as `<no value>`.
fn joined(args: &[Datum]) -> Vec<u8> {
    if let [Datum::Str(only)] = args {
        return only.as_bytes().to_vec();
    }
    let shown = |arg: &Datum| match arg {
        Datum::Nothing => Datum::Str("<no value>".into()).to_arg(),
        other => other.to_arg(),
    };
    sprint(&args.iter().map(shown).collect::<Vec<_>>())
}

fn escape_html(bytes: &[u8]) -> Vec<u8> {
    let escaped = ordain_functions::go::html::escape(bytes);
    escaped.split(|byte| *byte == 0).collect::<Vec<_>>().join("\u{fffd}".as_bytes())
}

fn escape_js(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for rune in runes(bytes) {
        let c = rune.unwrap_or('\u{fffd}');
        match c {
            '\\' => out.extend(b"\\\\"),
            '\'' => out.extend(b"\\'"),
            '"' => out.extend(b"\\\""),
            '<' | '>' | '&' | '=' | '\0'..' ' => {
                out.extend(format!("\\u{:04X}", u32::from(c)).bytes());
            }
            c if c.is_ascii() || is_print(c) => match rune {
                Ok(c) => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                Err(byte) => out.push(byte),
            },
            c => out.extend(format!("\\u{:04X}", u32::from(c)).bytes()),
        }
    }
    out
}

fn escape_query(bytes: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b' ' => out.push('+'),
            b if b.is_ascii_alphanumeric() || b"-_.~".contains(b) => out.push(char::from(*b)),
            b => {
                let _ = write!(out, "%{b:02X}");
            }
        }
    }
    out.into_bytes()
}

fn call(args: &[Datum]) -> Result<Datum, String> {
    match args.first() {
        None | Some(Datum::Nothing) => Err("call of nil".into()),
        Some(other) => Err(format!("non-function {{name}} of type {}", other.type_name())),
    }
}

/// The kind for comparisons; `None` if values of it cannot be compared.
fn basic(datum: &Datum) -> Option<&'static str> {
    Some(match datum {
        Datum::Bool(_) => "bool",
        Datum::Int(..) => "int",
        Datum::Float(_) => "float",
        Datum::Str(_) => "string",
        Datum::Nothing | Datum::List(_) | Datum::Map(_) => return None,
    })
}

fn incompatible(a: &Datum, b: &Datum) -> String {
    format!("incompatible types for comparison: {} and {}", a.type_name(), b.type_name())
}

fn equal(args: &[Datum]) -> Result<bool, String> {
    let (first, rest) = args.split_first().ok_or("missing argument for comparison")?;
    if rest.is_empty() {
        return Err("missing argument for comparison".into());
    }
    for other in rest {
        let is_equal = match (first, other) {
            (Datum::Int(a, _), Datum::Int(b, _)) => a == b,
            _ if basic(first) != basic(other) => {
                if *first != Datum::Nothing && *other != Datum::Nothing {
                    return Err(incompatible(first, other));
                }
                false
            }
            _ if basic(first).is_some() => first == other,
            (Datum::Nothing, Datum::Nothing) => true,
            (Datum::Nothing, _) | (_, Datum::Nothing) => false,
            _ => {
                let shown = |datum: &Datum| String::from_utf8_lossy(&datum.text()).into_owned();
                return Err(format!(
                    "non-comparable types {}: {}, {}: {}",
                    shown(first),
                    first.type_name(),
                    other.type_name(),
                    shown(other)
                ));
            }
        };
        if is_equal {
            return Ok(true);
        }
    }
    Ok(false)
}

fn compare(args: &[Datum], is_it: fn(Ordering) -> bool) -> Result<Datum, String> {
    const BAD: &str = "invalid type for comparison";
    let [a, b] = args else { return Err(BAD.into()) };
    let (Some(x), Some(y)) = (basic(a), basic(b)) else { return Err(BAD.into()) };
    if x != y {
        return Err(incompatible(a, b));
    }
    let order = match (a, b) {
        (Datum::Int(a, _), Datum::Int(b, _)) => Some(a.cmp(b)),
        (Datum::Float(a), Datum::Float(b)) => a.partial_cmp(b),
        (Datum::Str(a), Datum::Str(b)) => Some(a.cmp(b)),
        _ => return Err(BAD.into()),
    };
    Ok(Datum::Bool(order.is_some_and(is_it)))
}

/// A number as an index up to and including a limit.
fn place(index: &Datum, limit: usize) -> Result<usize, String> {
    match index {
        Datum::Int(number, _) => {
            let place = usize::try_from(*number).ok().filter(|place| *place <= limit);
            place.ok_or_else(|| format!("index out of range: {number}"))
        }
        Datum::Nothing => Err("cannot index slice/array with nil".into()),
        other => Err(format!("cannot index slice/array with type {}", other.type_name())),
    }
}

/// The value of a map for a missing key.
fn zero(type_name: &str) -> Datum {
    match type_name {
        "string" => Datum::Str("".into()),
        "int64" => Datum::Int(0, true),
        "float64" => Datum::Float(0.0),
        "bool" => Datum::Bool(false),
        _ => Datum::Nothing,
    }
}

fn index(args: &[Datum]) -> Result<Datum, String> {
    let (item, indexes) = args.split_first().ok_or("index of untyped nil")?;
    if *item == Datum::Nothing {
        return Err("index of untyped nil".into());
    }
    let mut item = item.clone();
    for index in indexes {
        item = match &item {
            Datum::List(list) => {
                let at = place(index, list.items.len())?;
                list.items.get(at).cloned().ok_or_else(past_end(at, list.items.len()))?
            }
            Datum::Str(text) => {
                let at = place(index, text.len())?;
                let byte = text.as_bytes().get(at).ok_or_else(past_end(at, text.len()))?;
                Datum::Int(i64::from(*byte), false)
            }
            Datum::Map(map) => {
                let is_key = match index {
                    Datum::Int(..) => map.key == "int64",
                    other => map.key == other.type_name() || map.key == "interface {}",
                };
                if *index == Datum::Nothing {
                    return Err(format!("value is nil; should be of type {}", map.key));
                }
                if !is_key {
                    let found = index.type_name();
                    return Err(format!("value has type {found}; should be {}", map.key));
                }
                let key = match index {
                    Datum::Int(number, _) => Datum::Int(*number, true),
                    other => other.clone(),
                };
                map.get(&key).cloned().unwrap_or_else(|| zero(&map.value))
            }
            Datum::Nothing => return Err("index of nil pointer".into()),
            other => return Err(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(item)
}

/// Go's message for an index just after the end.
fn past_end(_at: usize, _length: usize) -> impl Fn() -> String {
    || "reflect: slice index out of range".into()
}

fn length(args: &[Datum]) -> Result<Datum, String> {
    match args.first() {
        Some(Datum::Str(text)) => Ok(Datum::int(text.len())),
        Some(Datum::List(list)) => Ok(Datum::int(list.items.len())),
        Some(Datum::Map(map)) => Ok(Datum::int(map.pairs.len())),
        Some(Datum::Nothing) | None => Err("len of nil pointer".into()),
        Some(other) => Err(format!("len of type {}", other.type_name())),
    }
}

fn slice(args: &[Datum]) -> Result<Datum, String> {
    let (item, indexes) = args.split_first().ok_or("slice of untyped nil")?;
    if *item == Datum::Nothing {
        return Err("slice of untyped nil".into());
    }
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()));
    }
    let length = match item {
        Datum::Str(_) if indexes.len() == 3 => return Err("cannot 3-index slice a string".into()),
        Datum::Str(text) => text.len(),
        Datum::List(list) => list.items.len(),
        other => return Err(format!("can't slice item of type {}", other.type_name())),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = place(index, length)?;
    }
    let [low, high, most] = bounds;
    if low > high {
        return Err(format!("invalid slice index: {low} > {high}"));
    }
    if indexes.len() == 3 && high > most {
        return Err(format!("invalid slice index: {high} > {most}"));
    }
    Ok(match item {
        Datum::Str(bytes) => text(bytes.as_bytes().get(low..high).unwrap_or_default().to_vec()),
        Datum::List(list) => {
            let items = list.items.get(low..high).unwrap_or_default().to_vec();
            Datum::List(Arc::new(List { item: list.item.clone(), items }))
        }
        _ => Datum::Nothing,
    })
}
