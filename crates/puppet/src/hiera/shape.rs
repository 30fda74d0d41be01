//! The shape of `hiera.yaml`, and Puppet's messages about other shapes.

use std::fmt;

use ecow::EcoString;
use ordain_source::suggest;

use super::text::type_word;
use crate::value::Value;

/// An error in the form of a configuration.
pub(super) struct Problem {
    /// The error, in Puppet's words.
    pub text: String,
    /// The keys and indices that lead to the value.
    pub path: Vec<EcoString>,
    /// The unknown key, with a suggestion.
    pub key: Option<(EcoString, Option<EcoString>)>,
}

/// The path of a value in a configuration: in words, and as keys and indices.
#[derive(Clone, Default)]
struct Position {
    words: String,
    path: Vec<EcoString>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Position {
    fn index(&self, i: usize) -> Self {
        self.below(format!("{self}index {i} "), ecow::eco_format!("{i}"))
    }

    fn entry(&self, key: &EcoString) -> Self {
        self.below(format!("{self}entry '{key}' "), key.clone())
    }

    fn below(&self, words: String, step: EcoString) -> Self {
        let path = self.path.iter().cloned().chain([step]).collect();
        Self { words, path }
    }

    fn problem(&self, text: String) -> Problem {
        Problem { text, path: self.path.clone(), key: None }
    }
}

/// The expected form of a value.
enum Shape {
    /// Text that is not empty.
    Text,
    /// A list of texts, with its minimal and maximal length.
    Texts(usize, usize),
    /// A text or a list of texts.
    TextOrTexts,
    /// An integer within a range of one.
    Version(i64),
    /// A hash of options.
    Options,
    /// Any hash with text keys.
    AnyHash,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A hash with these keys; `true` marks required ones.
    Struct(Vec<(EcoString, bool, Shape)>),
    /// A list.
    List(Box<Shape>),
    /// A shape, or null.
    Nullable(Box<Shape>),
}

/// The errors in a configuration of version 5.
pub(super) fn version_5(value: &Value) -> Vec<Problem> {
    let level = || Shape::List(Box::new(fields(&[("name", true)], level_fields())));
    let defaults = vec![
        optional("data_hash", Shape::Text),
        optional("lookup_key", Shape::Text),
        optional("data_dig", Shape::Text),
        optional("datadir", Shape::Text),
        optional("options", Shape::Options),
    ];
    let shape = Shape::Struct(vec![
        ("version".into(), true, Shape::Version(5)),
        nullable("defaults", Shape::Struct(defaults)),
        nullable("hierarchy", level()),
        optional("plan_hierarchy", level()),
        optional("default_hierarchy", level()),
    ]);
    problems(&shape, value)
}

/// The errors in a configuration of version 4.
pub(super) fn version_4(value: &Value) -> Vec<Problem> {
    let level = fields(
        &[("backend", true), ("name", true), ("datadir", false), ("path", false)],
        vec![nullable("paths", Shape::Texts(0, usize::MAX))],
    );
    let shape = Shape::Struct(vec![
        ("version".into(), true, Shape::Version(4)),
        nullable("datadir", Shape::Text),
        nullable("hierarchy", Shape::List(Box::new(level))),
    ]);
    problems(&shape, value)
}

/// The errors in a configuration of version 3.
pub(super) fn version_3(value: &Value, backends: &[EcoString]) -> Vec<Problem> {
    let mut all = vec![
        nullable("version", Shape::Version(3)),
        nullable("backends", Shape::TextOrTexts),
        nullable("logger", Shape::Text),
        nullable("merge_behavior", Shape::Word(&["deep", "deeper", "native"])),
        nullable("deep_merge_options", Shape::AnyHash),
        nullable("hierarchy", Shape::TextOrTexts),
    ];
    all.extend(backends.iter().map(|backend| (backend.clone(), false, Shape::AnyHash)));
    problems(&Shape::Struct(all), value)
}

fn optional(key: &str, shape: Shape) -> (EcoString, bool, Shape) {
    (key.into(), false, shape)
}

fn nullable(key: &str, shape: Shape) -> (EcoString, bool, Shape) {
    optional(key, Shape::Nullable(Box::new(shape)))
}

fn fields(texts: &[(&str, bool)], more: Vec<(EcoString, bool, Shape)>) -> Shape {
    let texts = texts.iter().map(|(key, required)| (EcoString::from(*key), *required, Shape::Text));
    Shape::Struct(texts.chain(more).collect())
}

fn level_fields() -> Vec<(EcoString, bool, Shape)> {
    let several = || Shape::Texts(1, usize::MAX);
    vec![
        optional("options", Shape::Options),
        optional("data_hash", Shape::Text),
        optional("lookup_key", Shape::Text),
        optional("hiera3_backend", Shape::Text),
        optional("v4_data_hash", Shape::Text),
        optional("data_dig", Shape::Text),
        optional("path", Shape::Text),
        optional("paths", several()),
        optional("glob", Shape::Text),
        optional("globs", several()),
        optional("uri", Shape::Text),
        optional("uris", several()),
        optional("mapped_paths", Shape::Texts(3, 3)),
        optional("datadir", Shape::Text),
    ]
}

fn problems(shape: &Shape, value: &Value) -> Vec<Problem> {
    let mut out = Vec::new();
    check(shape, value, &Position::default(), &mut out);
    out
}

fn expects(at: &Position, expected: &str, value: &Value) -> String {
    format!("{at}expects {expected} value, got {}", type_word(value))
}

fn check(shape: &Shape, value: &Value, at: &Position, out: &mut Vec<Problem>) {
    match shape {
        Shape::Text => match value {
            Value::Str(text) if text.is_empty() => {
                out.push(at.problem(expects(at, "a String[1]", value)))
            }
            Value::Str(_) => {}
            other => out.push(at.problem(expects(at, "a String", other))),
        },
        Shape::Texts(min, max) => check_texts((*min, *max), value, at, out),
        Shape::Nullable(inner) if !value.is_undef() => check(inner, value, at, out),
        Shape::Nullable(_) => {}
        Shape::TextOrTexts => match value {
            Value::Array(_) => check_texts((0, usize::MAX), value, at, out),
            Value::Str(text) if !text.is_empty() => {}
            other => out.push(at.problem(format!(
                "{at}expects a value of type String or Array, got {}",
                type_word(other)
            ))),
        },
        Shape::Version(version) => match value {
            Value::Int(v) if v == version => {}
            Value::Int(v) => {
                out.push(at.problem(format!(
                    "{at}expects an Integer[{version}, {version}] value, got Integer[{v}, {v}]"
                )));
            }
            other => out.push(at.problem(expects(at, "an Integer", other))),
        },
        Shape::Options => check_options(value, at, out),
        Shape::AnyHash if value.as_hash().is_some() => {}
        Shape::AnyHash => out.push(at.problem(expects(at, "a Hash", value))),
        Shape::Word(words) if value.as_str().is_some_and(|w| words.contains(&w)) => {}
        Shape::Word(words) => {
            let words: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
            let got = match value {
                Value::Str(text) => format!("'{text}'"),
                other => type_word(other).to_owned(),
            };
            out.push(
                at.problem(format!(
                    "{at}expects a match for Enum[{}], got {got}",
                    words.join(", ")
                )),
            );
        }
        Shape::Struct(fields) => check_struct(fields, value, at, out),
        Shape::List(item) => match value {
            Value::Array(items) => {
                for (i, value) in items.iter().enumerate() {
                    check(item, value, &at.index(i), out);
                }
            }
            other => out.push(at.problem(expects(at, "an Array", other))),
        },
    }
}

fn check_texts((min, max): (usize, usize), value: &Value, at: &Position, out: &mut Vec<Problem>) {
    let Value::Array(items) = value else {
        out.push(at.problem(expects(at, "an Array", value)));
        return;
    };
    let got = items.len();
    if got < min || got > max {
        let size = if min == max { min.to_string() } else { format!("at least {min}") };
        out.push(at.problem(format!("{at}expects size to be {size}, got {got}")));
        return;
    }
    for (i, item) in items.iter().enumerate() {
        check(&Shape::Text, item, &at.index(i), out);
    }
}

fn check_options(value: &Value, at: &Position, out: &mut Vec<Problem>) {
    let Value::Hash(options) = value else {
        out.push(at.problem(expects(at, "a Hash", value)));
        return;
    };
    for key in options.keys() {
        let name = crate::value::ruby::ruby_text(key);
        match key {
            Value::Str(text) if option_name(text) => {}
            Value::Str(text) => out.push(at.problem(format!(
                "{at}key of entry '{text}' expects a match for \
                 Pattern[/\\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\\z/], got '{text}'"
            ))),
            other => out.push(at.problem(format!(
                "{at}key of entry '{name}' expects a match for \
                 Pattern[/\\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\\z/], got {}",
                type_word(other)
            ))),
        }
    }
}

fn option_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    match bytes {
        [] => false,
        [one] => one.is_ascii_alphabetic(),
        [first, middle @ .., last] => {
            let middle = middle.strip_prefix(b":").unwrap_or(middle);
            first.is_ascii_alphabetic() && middle.iter().all(inner) && last.is_ascii_alphanumeric()
        }
    }
}

fn check_struct(
    fields: &[(EcoString, bool, Shape)],
    value: &Value,
    at: &Position,
    out: &mut Vec<Problem>,
) {
    let Value::Hash(entries) = value else {
        out.push(at.problem(expects(at, "a Struct", value)));
        return;
    };
    for (name, required, shape) in fields {
        match value.get(name) {
            Some(value) => check(shape, value, &at.entry(name), out),
            None if *required => {
                out.push(at.problem(format!("{at}expects a value for key '{name}'")))
            }
            None => {}
        }
    }
    for key in entries.keys() {
        if !fields.iter().any(|(name, ..)| key.as_str() == Some(name)) {
            let key = crate::value::ruby::ruby_text(key);
            let problem = at.problem(format!("{at}unrecognized key '{key}'"));
            let free = fields.iter().filter(|(name, ..)| value.get(name).is_none());
            let near = suggest::nearest(&key, free.map(|(name, ..)| name.as_str()));
            let key = Some((EcoString::from(&*key), near.map(EcoString::from)));
            out.push(Problem { key, ..problem });
        }
    }
}
