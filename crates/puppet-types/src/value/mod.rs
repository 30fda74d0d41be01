//! Puppet's values.
//!
//! A [`Value`] is small and cheap to clone. Text of up to 15 bytes is inline, and larger contents
//! are shared. Rust's `==` and `Hash` are those of hash keys: `1` and `1.0` differ, text is
//! case-sensitive, and a timestamp is only equal to itself. The language's `==` is in
//! [`crate::value::compare`].

pub mod closure;
pub mod compare;
pub mod equality;
pub mod notation;
pub mod number;
pub mod pcore;
pub mod quoting;
pub mod resource_key;
pub mod rich;
pub mod ruby;
pub mod text;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ecow::EcoString;
use indexmap::Equivalent;

use crate::model::Type;

pub use crate::model::{HashValue, IteratorValue, Object, RuntimeObject, SemVerRange, Value};

impl RuntimeObject {
    /// A symbol.
    pub fn symbol(name: &str) -> Self {
        Self {
            class: Some(SYMBOL.into()),
            ancestors: Vec::new(),
            text: name.into(),
            inspect: ordain_functions::text::inspect_ruby_symbol(name).into(),
            number: None,
            is_by_value: true,
        }
    }

    /// Whether this is a symbol.
    #[inline]
    pub fn is_symbol(&self) -> bool {
        self.class.as_deref() == Some(SYMBOL)
    }

    /// An integer beyond 64 bits, from its decimal digits with an optional minus.
    pub fn integer(digits: &str) -> Self {
        Self {
            class: Some(INTEGER.into()),
            ancestors: Vec::new(),
            text: digits.into(),
            inspect: digits.into(),
            number: None,
            is_by_value: true,
        }
    }

    /// Whether this is an integer beyond 64 bits.
    pub fn is_integer(&self) -> bool {
        self.class.as_deref() == Some(INTEGER)
    }

    /// The 64-bit integer that is nearest to an integer beyond 64 bits; types compare this one.
    pub fn nearest_integer(&self) -> i64 {
        if self.text.starts_with('-') { i64::MIN } else { i64::MAX }
    }

    /// The first and the last integer of a range of integers.
    pub fn integers(&self) -> Option<(i64, i64)> {
        let (from, to) = match self.class.as_deref() {
            Some("Range") => self.text.split_once("..")?,
            _ => return None,
        };
        let (to, is_open) = match to.strip_prefix('.') {
            Some(to) => (to, true),
            None => (to, false),
        };
        let to: i64 = to.parse().ok()?;
        Some((from.parse().ok()?, if is_open { to.checked_sub(1)? } else { to }))
    }

    /// Ruby's `==`.
    #[inline]
    pub fn equals(&self, other: &Self) -> bool {
        self.class == other.class
            && match self.is_by_value {
                true => other.is_by_value && self.inspect == other.inspect,
                false => self.number.is_some() && self.number == other.number,
            }
    }
}

/// The class of Ruby's symbols.
const SYMBOL: &str = "Symbol";
/// The class of integers.
const INTEGER: &str = "Integer";

impl IteratorValue {
    /// The type of the items.
    #[inline]
    pub fn of(&self) -> Arc<Type> {
        match *self.element {
            Type::Runtime(_) => Arc::new(Type::Any),
            _ => Arc::clone(&self.element),
        }
    }
}

impl Value {
    /// Text.
    #[inline]
    pub fn str(text: impl Into<EcoString>) -> Self {
        Self::Str(text.into())
    }

    /// A list.
    #[inline]
    pub fn array(items: impl IntoIterator<Item = Value>) -> Self {
        Self::Array(Arc::new(items.into_iter().collect()))
    }

    /// A hash with text keys.
    #[inline]
    pub fn hash<K: Into<EcoString>>(entries: impl IntoIterator<Item = (K, Value)>) -> Self {
        Self::Hash(Arc::new(entries.into_iter().map(|(k, v)| (Self::str(k), v)).collect()))
    }

    /// A symbol of Ruby.
    #[inline]
    pub fn symbol(name: &str) -> Self {
        Self::Runtime(Arc::new(RuntimeObject::symbol(name)))
    }

    /// An integer beyond 64 bits, from its decimal digits with an optional minus.
    pub fn big_integer(digits: &str) -> Self {
        Self::Runtime(Arc::new(RuntimeObject::integer(digits)))
    }

    /// A type.
    #[inline]
    pub fn of_type(kind: Type) -> Self {
        Self::Type(Arc::new(kind))
    }

    /// Everything but `undef` and `false` is true.
    #[inline]
    pub fn is_true(&self) -> bool {
        !matches!(self, Self::Undef | Self::Bool(false))
    }

    /// Whether this is `undef`.
    #[inline]
    pub fn is_undef(&self) -> bool {
        matches!(self, Self::Undef)
    }

    /// Whether this is `Sensitive`, or something in it is.
    pub fn holds_sensitive(&self) -> bool {
        match self {
            Self::Sensitive(_) => true,
            Self::Array(items) => items.iter().any(Self::holds_sensitive),
            Self::Hash(entries) => {
                entries.iter().any(|(k, v)| k.holds_sensitive() || v.holds_sensitive())
            }
            _ => false,
        }
    }

    /// The value with the contents of `Sensitive` in its place, for comparisons only.
    pub fn revealed(&self) -> Self {
        match self {
            Self::Sensitive(inner) => inner.revealed(),
            value if !value.holds_sensitive() => value.clone(),
            Self::Array(items) => Self::array(items.iter().map(Self::revealed)),
            Self::Hash(entries) => {
                let entries = entries.iter().map(|(k, v)| (k.revealed(), v.revealed()));
                Self::Hash(Arc::new(entries.collect()))
            }
            value => value.clone(),
        }
    }

    /// The text, if this is text.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(s) = self { Some(s) } else { None }
    }

    /// The integer, if this is one.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(i) = self { Some(*i) } else { None }
    }

    /// The items, if this is a list.
    #[inline]
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(a) = self { Some(a) } else { None }
    }

    /// The entries, if this is a hash.
    #[inline]
    pub fn as_hash(&self) -> Option<&HashValue> {
        if let Self::Hash(h) = self { Some(h) } else { None }
    }

    /// The entry of a hash under a text key.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_hash()?.get(&Key(key))
    }
}

impl From<bool> for Value {
    #[inline]
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<i64> for Value {
    #[inline]
    fn from(i: i64) -> Self {
        Self::Int(i)
    }
}

impl From<&str> for Value {
    #[inline]
    fn from(s: &str) -> Self {
        Self::Str(s.into())
    }
}

impl From<String> for Value {
    #[inline]
    fn from(s: String) -> Self {
        Self::Str(s.into())
    }
}

impl From<EcoString> for Value {
    #[inline]
    fn from(s: EcoString) -> Self {
        Self::Str(s)
    }
}

/// Looks up a text key in a [`HashValue`] without making a [`Value`] of it.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a>(pub &'a str);

impl Hash for Key<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(5);
        self.0.hash(state);
    }
}

impl Equivalent<Value> for Key<'_> {
    #[inline]
    fn equivalent(&self, key: &Value) -> bool {
        key.as_str() == Some(self.0)
    }
}

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undef, Self::Undef) | (Self::Default, Self::Default) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Hash(a), Self::Hash(b)) => a == b,
            (Self::Regexp(a), Self::Regexp(b)) => a.source == b.source,
            (Self::Type(a), Self::Type(b)) | (Self::Reference(a), Self::Reference(b)) => a == b,
            (Self::Sensitive(a), Self::Sensitive(b)) => a == b,
            (Self::Binary(a), Self::Binary(b)) => a == b,
            // As keys of hashes, each of these is equal to itself alone.
            (Self::Timestamp(a), Self::Timestamp(b)) | (Self::Timespan(a), Self::Timespan(b)) => {
                Arc::ptr_eq(a, b)
            }
            (Self::SemVer(a), Self::SemVer(b)) => a == b,
            (Self::SemVerRange(a), Self::SemVerRange(b)) => a.range == b.range,
            (Self::Uri(a), Self::Uri(b)) => a == b,
            (Self::Callable(a), Self::Callable(b)) => Arc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => a.kind == b.kind && a.values == b.values,
            (Self::Instance(a), Self::Instance(b)) => a == b,
            (Self::Iterator(a), Self::Iterator(b)) => Arc::ptr_eq(a, b),
            (Self::Runtime(a), Self::Runtime(b)) => Arc::ptr_eq(a, b) || a.equals(b),
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Undef => state.write_u8(0),
            Self::Default => state.write_u8(1),
            Self::Bool(b) => state.write_u8(2 + u8::from(*b)),
            Self::Int(i) => {
                state.write_u8(4);
                state.write_i64(*i);
            }
            Self::Float(f) => {
                state.write_u8(6);
                state.write_u64(f.to_bits());
            }
            Self::Str(s) => Key(s).hash(state),
            Self::Array(items) => items.hash(state),
            // Equality ignores order, so the entries cannot be hashed in order.
            Self::Hash(entries) => state.write_usize(entries.len()),
            Self::Regexp(r) => r.source.hash(state),
            Self::Type(t) | Self::Reference(t) => t.hash(state),
            Self::Sensitive(inner) => inner.hash(state),
            Self::Binary(bytes) => bytes.hash(state),
            Self::Timestamp(ns) | Self::Timespan(ns) => ns.hash(state),
            Self::SemVer(version) => version.hash(state),
            Self::SemVerRange(range) => range.range.hash(state),
            Self::Uri(uri) => uri.hash(state),
            Self::Callable(_) => state.write_u8(7),
            Self::Object(object) => object.kind.name.hash(state),
            // The equality of links depends on their document.
            Self::Instance(instance) => instance.kind.name.hash(state),
            Self::Iterator(iterator) => state.write_usize(iterator.items.len()),
            Self::Runtime(object) => object.class.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_small() {
        assert_eq!(size_of::<Value>(), 24);
    }
}
