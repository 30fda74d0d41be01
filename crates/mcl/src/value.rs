//! Values of mcl: immutable, cheap to clone, 16 bytes.
//!
//! Types are static, so values do not carry them: empty lists of all types are the same value.
//! Where the type is printed (`%T`), the caller provides it.
//!
//! Equality is by content, and NaN differs from itself, as in the language. [`Value::compare`] is
//! the total order by which maps are sorted.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::go;

/// A text: bytes, mostly UTF-8.
///
/// Functions can make arbitrary bytes (`base64_decode`, `substr`). A text records whether it is
/// UTF-8.
#[derive(Clone)]
pub struct Str(Arc<Bytes>);

#[derive(Debug)]
enum Bytes {
    Utf8(String),
    /// Never UTF-8.
    Other(Vec<u8>),
}

impl Str {
    /// A text of these bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Arc::new(match String::from_utf8(bytes.into()) {
            Ok(text) => Bytes::Utf8(text),
            Err(error) => Bytes::Other(error.into_bytes()),
        }))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &*self.0 {
            Bytes::Utf8(text) => text.as_bytes(),
            Bytes::Other(bytes) => bytes,
        }
    }

    /// The text, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match &*self.0 {
            Bytes::Utf8(text) => Some(text),
            Bytes::Other(_) => None,
        }
    }

    /// The text, with replacement characters for invalid UTF-8.
    pub fn to_text(&self) -> std::borrow::Cow<'_, str> {
        match &*self.0 {
            Bytes::Utf8(text) => text.into(),
            Bytes::Other(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self(Arc::new(Bytes::Utf8(text)))
    }
}

impl From<EcoString> for Str {
    fn from(text: EcoString) -> Self {
        Self::from(text.as_str())
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Str {}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl std::hash::Hash for Str {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

/// Raw, without quotes.
impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// In quotes, as in a list.
impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&go::quote::quote(self.as_bytes()))
    }
}

/// The weight of a value besides the bytes of its text.
const PART: usize = 8;

/// The parts of a value and their total weight. Shared parts count each time they are visited,
/// because printing and comparing visit them each time.
pub struct Parts<T> {
    parts: Vec<T>,
    weight: usize,
}

impl<T> Parts<T> {
    fn new(parts: Vec<T>, weigh: impl Fn(&T) -> usize) -> Self {
        let weight = parts.iter().fold(PART, |sum, part| sum.saturating_add(weigh(part)));
        Self { parts, weight }
    }
}

impl<T> std::ops::Deref for Parts<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.parts
    }
}

impl<T: PartialEq> PartialEq for Parts<T> {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// A map: pairs in the order of their keys, each key once.
#[derive(Clone, PartialEq)]
pub struct Map(Arc<Parts<(Value, Value)>>);

impl Map {
    /// A map of pairs in any order. The last of equal keys wins.
    pub fn new(pairs: impl IntoIterator<Item = (Value, Value)>) -> Self {
        let mut pairs: Vec<(Value, Value)> = pairs.into_iter().collect();
        let is_sorted = pairs.is_sorted_by(|a, b| a.0.compare(&b.0) == Ordering::Less);
        if !is_sorted {
            pairs.reverse();
            pairs.sort_by(|a, b| a.0.compare(&b.0));
            pairs.dedup_by(|later, kept| later.0.compare(&kept.0) == Ordering::Equal);
        }
        let weigh = |(key, value): &(Value, Value)| key.weight().saturating_add(value.weight());
        Self(Arc::new(Parts::new(pairs, weigh)))
    }

    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        let found = self.0.binary_search_by(|(k, _)| k.compare(key));
        found.ok().and_then(|at| self.0.get(at)).map(|(_, value)| value)
    }

    /// The value of a key that is a text.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        let found = self.0.binary_search_by(|(k, _)| match k {
            Value::Str(text) => text.as_bytes().cmp(key.as_bytes()),
            _ => Ordering::Less,
        });
        found.ok().and_then(|at| self.0.get(at)).map(|(_, value)| value)
    }

    /// The pairs in the order of their keys.
    pub fn pairs(&self) -> &[(Value, Value)] {
        &self.0
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A struct: named values in the order of its type.
#[derive(Clone)]
pub struct Struct(Arc<Fields>);

struct Fields {
    names: Arc<[EcoString]>,
    values: Parts<Value>,
}

impl Struct {
    /// A struct of names and as many values. All structs of one place in the program share the
    /// names.
    pub fn new(names: Arc<[EcoString]>, values: Vec<Value>) -> Self {
        debug_assert_eq!(names.len(), values.len());
        Self(Arc::new(Fields { names, values: Parts::new(values, Value::weight) }))
    }

    /// A struct of pairs.
    pub fn of<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let (names, values): (Vec<EcoString>, Vec<Value>) =
            fields.into_iter().map(|(name, value)| (name.into(), value)).unzip();
        Self::new(names.into(), values)
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let at = self.0.names.iter().position(|n| n == name)?;
        self.0.values.get(at)
    }

    /// The names of the fields.
    pub fn names(&self) -> &Arc<[EcoString]> {
        &self.0.names
    }

    /// The values of the fields.
    pub fn values(&self) -> &[Value] {
        &self.0.values
    }

    /// Names and values in order.
    pub fn fields(&self) -> impl Iterator<Item = (&EcoString, &Value)> {
        self.0.names.iter().zip(&*self.0.values)
    }
}

impl PartialEq for Struct {
    fn eq(&self, other: &Self) -> bool {
        self.0.names == other.0.names && self.0.values == other.0.values
    }
}

/// The body of a function value. The evaluator chooses its type.
///
/// Functions have an identity only; they cannot be compared or printed.
#[derive(Clone)]
pub struct Func(Arc<Body>);

/// Boxed, so that the pointer is thin.
struct Body(Box<dyn std::any::Any + Send + Sync>);

impl Func {
    /// A function with this body.
    pub fn new<T: Send + Sync + 'static>(body: T) -> Self {
        Self(Arc::new(Body(Box::new(body))))
    }

    /// Its body, if it is of this type.
    pub fn body<T: 'static>(&self) -> Option<&T> {
        self.0.0.downcast_ref()
    }

    /// Whether both are the same function.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A value.
#[derive(Clone)]
pub enum Value {
    /// `true`, `false`.
    Bool(bool),
    /// A whole number; arithmetic wraps.
    Int(i64),
    /// A float.
    Float(f64),
    /// A text.
    Str(Str),
    /// A list.
    List(Arc<Parts<Value>>),
    /// A map.
    Map(Map),
    /// A struct.
    Struct(Struct),
    /// A function.
    Func(Func),
}

const _: () = assert!(size_of::<Value>() == 16);

impl Value {
    /// A list.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Self::List(Arc::new(Parts::new(items.into_iter().collect(), Value::weight)))
    }

    /// The weight of the value: eight for each value in it, and one for each byte of its texts.
    pub fn weight(&self) -> usize {
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Func(_) => PART,
            Self::Str(text) => text.len().saturating_add(PART),
            Self::List(items) => items.weight,
            Self::Map(map) => map.0.weight,
            Self::Struct(record) => record.0.values.weight,
        }
    }

    /// Whether it is a number or a bool, which need no allocation.
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Int(_) | Self::Float(_))
    }

    /// The bytes of its own allocation, without shared parts.
    pub fn own_bytes(&self) -> usize {
        let count = match self {
            Self::Str(text) => return text.len(),
            Self::List(items) => items.len(),
            Self::Map(map) => map.len() * 2,
            Self::Struct(record) => record.values().len(),
            _ => 0,
        };
        count * size_of::<Self>()
    }

    /// A text of any bytes.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Str(Str::from_bytes(bytes))
    }

    /// The kind of value, as error messages name it: `bool`, `str`, …
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Struct(_) => "struct",
            Self::Func(_) => "func",
        }
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// A whole number.
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }

    /// A float.
    pub fn as_float(&self) -> Option<f64> {
        if let Self::Float(value) = self { Some(*value) } else { None }
    }

    /// A text.
    pub fn as_str(&self) -> Option<&Str> {
        if let Self::Str(value) = self { Some(value) } else { None }
    }

    /// A list.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Self::List(value) = self { Some(value) } else { None }
    }

    /// A map.
    pub fn as_map(&self) -> Option<&Map> {
        if let Self::Map(value) = self { Some(value) } else { None }
    }

    /// A struct.
    pub fn as_struct(&self) -> Option<&Struct> {
        if let Self::Struct(value) = self { Some(value) } else { None }
    }

    /// A function.
    pub fn as_func(&self) -> Option<&Func> {
        if let Self::Func(value) = self { Some(value) } else { None }
    }

    /// The total order of values: numbers by size, texts by bytes, lists and structs item by item.
    /// Values of different kinds, which cannot be in one map, are ordered by kind.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b).unwrap_or_else(|| a.total_cmp(b)),
            (Self::Str(a), Self::Str(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) => compare_all(a, b),
            (Self::Struct(a), Self::Struct(b)) => compare_all(a.values(), b.values()),
            (Self::Map(a), Self::Map(b)) => {
                let pairs = a.pairs().iter().zip(b.pairs());
                pairs
                    .map(|(x, y)| x.0.compare(&y.0).then_with(|| x.1.compare(&y.1)))
                    .find(|order| order.is_ne())
                    .unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            _ => self.kind().cmp(other.kind()),
        }
    }

    /// Whether no function could tell the two values apart: as `==`, but NaN equals itself, and `0`
    /// and `-0` differ.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::List(a), Self::List(b)) => {
                Arc::ptr_eq(a, b)
                    || a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.is_same(y))
            }
            (Self::Map(a), Self::Map(b)) => {
                Arc::ptr_eq(&a.0, &b.0)
                    || a.len() == b.len()
                        && (a.pairs().iter().zip(b.pairs()))
                            .all(|(x, y)| x.0.is_same(&y.0) && x.1.is_same(&y.1))
            }
            (Self::Struct(a), Self::Struct(b)) => {
                Arc::ptr_eq(&a.0, &b.0)
                    || a.names() == b.names()
                        && a.values().iter().zip(b.values()).all(|(x, y)| x.is_same(y))
            }
            (Self::Func(a), Self::Func(b)) => a.is_same(b),
            _ => self == other,
        }
    }

    fn print(&self, out: &mut String) {
        match self {
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => {
                let _ = write!(out, "{value}");
            }
            Self::Float(value) => out.push_str(&go::number::float(*value, b'f', None)),
            Self::Str(value) => out.push_str(&go::quote::quote(value.as_bytes())),
            Self::List(items) => {
                print_all(out, "[", ", ", "]", items.iter(), |item, out| item.print(out));
            }
            Self::Map(map) => {
                print_all(out, "{", ", ", "}", map.pairs().iter(), |(key, value), out| {
                    key.print(out);
                    out.push_str(": ");
                    value.print(out);
                });
            }
            Self::Struct(record) => {
                print_all(out, "struct{", "; ", "}", record.fields(), |(name, value), out| {
                    out.push_str(name);
                    out.push_str(": ");
                    value.print(out);
                });
            }
            Self::Func(_) => out.push_str("func"),
        }
    }
}

fn compare_all(a: &[Value], b: &[Value]) -> Ordering {
    let orders = a.iter().zip(b).map(|(x, y)| x.compare(y));
    orders.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn print_all<T>(
    out: &mut String,
    open: &str,
    between: &str,
    close: &str,
    items: impl Iterator<Item = T>,
    print: impl Fn(T, &mut String),
) {
    out.push_str(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push_str(between);
        }
        print(item, out);
    }
    out.push_str(close);
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Struct(a), Self::Struct(b)) => a == b,
            (Self::Func(a), Self::Func(b)) => a.is_same(b),
            _ => false,
        }
    }
}

/// Prints values as the original does: texts in quotes, floats without exponent.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.print(&mut out);
        f.write_str(&out)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Str(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Str(value.into())
    }
}

impl From<Str> for Value {
    fn from(value: Str) -> Self {
        Self::Str(value)
    }
}

impl From<Map> for Value {
    fn from(value: Map) -> Self {
        Self::Map(value)
    }
}

impl From<Struct> for Value {
    fn from(value: Struct) -> Self {
        Self::Struct(value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_print_as_in_the_original() {
        let map = Map::new([("b".into(), Value::Int(2)), ("a".into(), Value::Int(1))]);
        let record = Struct::of([("a", Value::Float(1.0)), ("b", "x\n".into())]);
        let list = Value::list([map.into(), Value::Float(1e23), Value::Float(-0.0)]);
        assert_eq!(list.to_string(), r#"[{"a": 1, "b": 2}, 100000000000000000000000, -0]"#);
        assert_eq!(Value::Struct(record).to_string(), r#"struct{a: 1; b: "x\n"}"#);
        assert_eq!(Value::bytes([0xff, b'a']).to_string(), r#""\xffa""#);
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        let map =
            Map::new([("b".into(), 1.into()), ("a".into(), 2.into()), ("b".into(), 3.into())]);
        assert_eq!(Value::from(map.clone()).to_string(), r#"{"a": 2, "b": 3}"#);
        assert_eq!(map.get_str("b").unwrap().as_int(), Some(3));
        assert_eq!(map.get(&"c".into()), None);
    }

    #[test]
    fn nan_differs_from_itself_but_is_the_same() {
        let list = Value::list([Value::Float(f64::NAN)]);
        assert_ne!(list, Value::list([Value::Float(f64::NAN)]));
        assert!(list.is_same(&Value::list([Value::Float(f64::NAN)])));
        assert!(!Value::Float(0.0).is_same(&Value::Float(-0.0)));
    }
}
