//! Values in the texts of types and of instances of object types: `T({'a' => 1})`, `Init[Integer,
//! 'x']`. Unlike in `String($v, '%p')`, types are written by name only, versions and times are
//! quoted texts, and values without a literal only show their type.

use std::fmt::Write as _;

use crate::types::display::{write_type, write_within};
use crate::types::infer::infer;
use crate::types::object::init_hash;
use crate::value::notation::{write_float, write_timespan, write_timestamp};
use crate::value::quoting::write_text_quoted;
use crate::value::resource_key::write_reference;
use crate::value::{HashValue, Object, Value};

/// The width of one level of indentation.
const INDENT: usize = 2;

/// The length of the elements of a list, minus the indentation, above which it is written on
/// several lines.
const LINE: usize = 100;

/// The length of Ruby's notation of a duration without its number; a timestamp has one more.
const TIME: usize = 58;

/// The maximal nesting of indented texts.
const DEPTH_LIMIT: usize = 1000;

/// Writes a value as a literal.
pub(crate) fn write_literal(out: &mut String, value: &Value) {
    Writer { out, level: None }.value(value);
}

/// Writes a hash of literals.
pub(crate) fn write_literal_hash(out: &mut String, entries: &HashValue) {
    Writer { out, level: None }.hash(entries);
}

/// Writes an instance as the call that makes it: `T({'a' => 1})`.
#[inline]
pub fn write_instance(out: &mut String, object: &Object) {
    Writer { out, level: None }.instance(object);
}

/// Writes an instance with one line per attribute. The closing brace has this indentation.
pub(super) fn write_indented_instance(out: &mut String, object: &Object, level: usize) {
    Writer { out, level: Some(level) }.instance(object);
}

struct Writer<'o> {
    out: &'o mut String,
    /// The indentation of lines; `None` for text on one line.
    level: Option<usize>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Undef => self.out.push_str("undef"),
            Value::Default => self.out.push_str("default"),
            Value::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Int(i) => {
                let _ = write!(self.out, "{i}");
            }
            Value::Float(f) => write_float(self.out, *f),
            Value::Str(s) => write_text_quoted(self.out, s),
            Value::Array(items) => self.list(items),
            Value::Hash(entries) => self.hash(entries),
            Value::Regexp(r) => r.write_delimited(self.out),
            Value::Type(t) => write_within(self.out, t, None),
            Value::Reference(t) => write_reference(self.out, t),
            Value::Timestamp(ns) => self.in_quotes(|out| write_timestamp(out, **ns)),
            Value::Timespan(ns) => self.in_quotes(|out| write_timespan(out, **ns)),
            Value::SemVer(version) => {
                let _ = write!(self.out, "'{version}'");
            }
            Value::SemVerRange(range) => {
                let _ = write!(self.out, "'{}'", range.text);
            }
            Value::Uri(uri) => {
                let _ = write!(self.out, "URI('{uri}')");
            }
            Value::Object(object) => self.instance(object),
            Value::Instance(instance) => instance.write(self.out),
            Value::Sensitive(_)
            | Value::Binary(_)
            | Value::Callable(_)
            | Value::Iterator(_)
            | Value::Runtime(_) => {
                self.out.push_str("Instance of ");
                write_type(self.out, &infer(value));
            }
        }
    }

    fn in_quotes(&mut self, write: impl FnOnce(&mut String)) {
        self.out.push('\'');
        write(self.out);
        self.out.push('\'');
    }

    fn instance(&mut self, object: &Object) {
        self.out.push_str(object.kind.label());
        self.out.push('(');
        self.hash(&init_hash(object));
        self.out.push(')');
    }

    fn list(&mut self, items: &[Value]) {
        let breaks = self.level.is_some_and(|level| !fits_line(items, level));
        self.enclosed("[", "]", breaks, items, |w, item| w.value(item));
    }

    fn hash(&mut self, entries: &HashValue) {
        self.enclosed("{", "}", self.level.is_some(), entries, |w, (key, value)| {
            w.value(key);
            w.out.push_str(" => ");
            w.value(value);
        });
    }

    /// Writes elements with commas, on separate lines if `breaks`.
    fn enclosed<T>(
        &mut self,
        open: &str,
        close: &str,
        breaks: bool,
        elements: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T),
    ) {
        let outer = self.level;
        if breaks {
            self.level = outer.map(|level| level + 1);
        }
        self.out.push_str(open);
        for (i, element) in elements.into_iter().enumerate() {
            self.out.push_str(match (i, breaks) {
                (0, _) => "",
                (_, true) => ",",
                (_, false) => ", ",
            });
            if breaks {
                self.line();
            }
            write(self, element);
        }
        self.level = outer;
        if breaks {
            self.line();
        }
        self.out.push_str(close);
    }

    fn line(&mut self) {
        let level = self.level.unwrap_or_default().min(DEPTH_LIMIT);
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', level * INDENT));
    }
}

/// Whether a list stays on one line: it has nothing but plain values, and those are short.
fn fits_line(items: &[Value], level: usize) -> bool {
    let length = |item: &Value| match item {
        Value::Undef => Some("nil".len()),
        Value::Default => Some(":default".len()),
        Value::Bool(b) => Some(if *b { 4 } else { 5 }),
        Value::Int(i) => Some(i.to_string().len()),
        Value::Float(f) => Some(ordain_functions::float::to_ruby(*f).len()),
        Value::SemVer(version) => Some(version.to_string().len()),
        Value::Str(s) => Some(2 + s.chars().count()),
        Value::Array(items) if items.is_empty() => Some(2),
        Value::Hash(entries) if entries.is_empty() => Some(2),
        // These count as numbers, and with the length of Ruby's notation of the object.
        Value::Timespan(ns) => Some(TIME + ns.to_string().len()),
        Value::Timestamp(ns) => Some(TIME + 1 + ns.to_string().len()),
        _ => None,
    };
    let room = LINE.saturating_sub(level * INDENT);
    let sum = items.iter().try_fold(0_usize, |sum, item| Some(sum + length(item)?));
    items.is_empty() || sum.is_some_and(|sum| room > sum)
}
