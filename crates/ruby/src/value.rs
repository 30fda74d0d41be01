//! Values of the language.
//!
//! Texts, arrays and hashes are shared and mutable: a change through one name is visible through
//! all.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::hash::{Hash as StdHash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use indexmap::{Equivalent, IndexMap};
use num_bigint::BigInt;
use ordain_functions::regex;
use rustc_hash::FxBuildHasher;

use crate::class::Class;
use crate::syntax::{Block, RegexFlags};

/// A value.
#[derive(Clone, Default)]
pub enum Value {
    /// `nil`
    #[default]
    Nil,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer beyond 64 bits.
    Big(Rc<BigInt>),
    /// A float.
    Float(f64),
    /// A symbol.
    Symbol(EcoString),
    /// A text.
    Str(Rc<Text>),
    /// An array.
    Array(Rc<Array>),
    /// A hash.
    Hash(Rc<Hash>),
    /// A range.
    Range(Rc<Range>),
    /// A regular expression.
    Regexp(Rc<Regexp>),
    /// The match of a regular expression.
    Match(Rc<MatchData>),
    /// A block or lambda.
    Proc(Rc<Proc>),
    /// A class.
    Class(Class),
    /// An exception.
    Exception(Rc<Exception>),
    /// A time.
    Time(Rc<Time>),
    /// A method that is called with a block later.
    Enumerator(Rc<Enumerator>),
    /// A value of the host.
    Foreign(Rc<Foreign>),
    /// `self` outside of all classes and methods.
    Main,
}

/// A mutable text.
#[derive(Default)]
pub struct Text {
    pub(crate) text: RefCell<EcoString>,
    pub(crate) is_frozen: Cell<bool>,
    /// Whether the host is asked before changes.
    pub(crate) is_shared: Cell<bool>,
}

/// An array.
#[derive(Default)]
pub struct Array {
    pub(crate) items: RefCell<Vec<Value>>,
    pub(crate) is_frozen: Cell<bool>,
    /// The number by which the host knows it, or 0.
    pub(crate) number: Cell<usize>,
}

/// The entries of a hash.
pub(crate) type Entries = IndexMap<Key, Value, FxBuildHasher>;

/// A hash.
#[derive(Default)]
pub struct Hash {
    pub(crate) entries: RefCell<Entries>,
    /// The value of missing keys, or the block that computes it.
    pub(crate) default: RefCell<Value>,
    pub(crate) default_is_block: Cell<bool>,
    pub(crate) is_frozen: Cell<bool>,
    /// The number by which the host knows it, or 0.
    pub(crate) number: Cell<usize>,
}

/// A range.
pub struct Range {
    pub(crate) low: Value,
    pub(crate) high: Value,
    pub(crate) is_open: bool,
}

/// A regular expression.
pub struct Regexp {
    pub(crate) source: EcoString,
    pub(crate) flags: RegexFlags,
    pub(crate) regex: Arc<regex::Regex>,
}

/// The match of a regular expression in a text.
pub struct MatchData {
    pub(crate) text: EcoString,
    pub(crate) regexp: Rc<Regexp>,
    pub(crate) spans: Vec<Option<std::ops::Range<usize>>>,
}

/// The local variables of a method or block.
pub(crate) struct Env {
    pub vars: RefCell<Vec<Value>>,
    pub parent: Option<Rc<Env>>,
}

/// The call of a method that blocks belong to.
pub(crate) struct MethodFrame {
    pub id: u64,
    pub block: Option<Rc<Proc>>,
    pub is_method: bool,
}

/// A block or lambda.
pub struct Proc {
    pub(crate) body: ProcBody,
    pub(crate) is_lambda: bool,
}

pub(crate) enum ProcBody {
    Block {
        block: Arc<Block>,
        env: Rc<Env>,
        method: Rc<MethodFrame>,
        /// The call that got the block; `break` ends it.
        home: u64,
    },
    /// `&:name`
    Symbol(EcoString),
    /// A method of a value.
    Method(Value, EcoString),
    /// Calls a block of the host.
    Foreign(Rc<Foreign>),
    /// Calls a block with the values as one, and another value behind it.
    WithObject(Rc<Proc>, Value),
    /// Calls a block with the values as one, and a number behind it that counts up.
    WithIndex(Rc<Proc>, Cell<i64>),
    /// Appends the values as one to a list.
    Collect(Rc<RefCell<Vec<Value>>>),
}

/// An exception.
pub struct Exception {
    /// Its class.
    pub class: Class,
    /// The name of its class, if the host raised it.
    pub class_name: Option<EcoString>,
    /// Its message.
    pub message: EcoString,
    /// The line on which it was raised.
    pub line: u32,
    /// The number that the host gave it when it raised it.
    pub host_error: Option<u64>,
}

/// A time: nanoseconds since 1970 and the offset from UTC in seconds.
pub struct Time {
    pub(crate) nanos: i128,
    pub(crate) offset: i32,
    pub(crate) is_utc: bool,
}

/// A method that is called with a block later.
pub struct Enumerator {
    pub(crate) receiver: Value,
    pub(crate) method: EcoString,
    pub(crate) args: Vec<Value>,
}

/// A value of the host.
pub struct Foreign {
    /// The name of its class.
    pub class: EcoString,
    /// Its text when printed.
    pub text: EcoString,
    /// The host's own value.
    pub inner: Rc<dyn Any>,
}

impl Value {
    /// A text.
    pub fn str(text: impl Into<EcoString>) -> Self {
        Self::Str(Rc::new(Text { text: RefCell::new(text.into()), ..Text::default() }))
    }

    /// A symbol.
    pub fn symbol(name: impl Into<EcoString>) -> Self {
        Self::Symbol(name.into())
    }

    /// An array.
    pub fn array(items: Vec<Value>) -> Self {
        let array = Array::default();
        array.items.replace(items);
        Self::Array(Rc::new(array))
    }

    /// A hash.
    pub fn hash(entries: impl IntoIterator<Item = (Value, Value)>) -> Self {
        let entries = entries.into_iter().map(|(k, v)| (Key::new(k), v)).collect();
        Self::from_entries(entries)
    }

    /// Has the host asked before this text, array or hash changes. The host knows an array or hash
    /// by its number, which is not 0; a later number replaces an earlier one.
    #[must_use]
    pub fn shared(self, number: usize) -> Self {
        match &self {
            Self::Str(text) => text.is_shared.set(true),
            Self::Array(array) => array.number.set(number),
            Self::Hash(hash) => hash.number.set(number),
            _ => {}
        }
        self
    }

    /// Makes this text immutable.
    #[must_use]
    pub fn frozen(self) -> Self {
        if let Self::Str(text) = &self {
            text.is_frozen.set(true);
        }
        self
    }

    /// The number by which the host shares this array or hash.
    pub fn number(&self) -> Option<usize> {
        let number = match self {
            Self::Array(array) => array.number.get(),
            Self::Hash(hash) => hash.number.get(),
            _ => 0,
        };
        (number != 0).then_some(number)
    }

    /// The address of this array or hash, if at least this many references to it exist.
    pub fn address_if_held(&self, holders: usize) -> Option<usize> {
        let (held, address) = match self {
            Self::Array(array) => (Rc::strong_count(array), Rc::as_ptr(array) as usize),
            Self::Hash(hash) => (Rc::strong_count(hash), Rc::as_ptr(hash) as usize),
            _ => return None,
        };
        (held >= holders).then_some(address)
    }

    pub(crate) fn from_entries(entries: Entries) -> Self {
        let hash = Hash::default();
        *hash.entries.borrow_mut() = entries;
        Self::Hash(Rc::new(hash))
    }

    /// An integer of any size.
    pub(crate) fn big(big: BigInt) -> Self {
        i64::try_from(&big).map_or_else(|_| Self::Big(Rc::new(big)), Self::Int)
    }

    /// Whether a condition takes it as true.
    pub fn truthy(&self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }

    /// Whether it is `nil`.
    pub fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<EcoString> {
        match self {
            Self::Str(text) => Some(text.get()),
            _ => None,
        }
    }

    /// The text of a text or symbol.
    pub fn as_name(&self) -> Option<EcoString> {
        match self {
            Self::Str(text) => Some(text.get()),
            Self::Symbol(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn as_items(&self) -> Option<Vec<Value>> {
        match self {
            Self::Array(array) => Some(array.get()),
            _ => None,
        }
    }

    /// The entries of a hash.
    pub fn as_entries(&self) -> Option<Vec<(Value, Value)>> {
        match self {
            Self::Hash(hash) => Some(hash.pairs()),
            _ => None,
        }
    }

    /// Its class.
    pub fn class(&self) -> Class {
        match self {
            Self::Nil => Class::NIL,
            Self::Bool(true) => Class::TRUE,
            Self::Bool(false) => Class::FALSE,
            Self::Int(_) | Self::Big(_) => Class::INTEGER,
            Self::Float(_) => Class::FLOAT,
            Self::Symbol(_) => Class::SYMBOL,
            Self::Str(_) => Class::STRING,
            Self::Array(_) => Class::ARRAY,
            Self::Hash(_) => Class::HASH,
            Self::Range(_) => Class::RANGE,
            Self::Regexp(_) => Class::REGEXP,
            Self::Match(_) => Class::MATCH_DATA,
            Self::Proc(_) => Class::PROC,
            Self::Class(class) if class.is_module() => Class::MODULE,
            Self::Class(_) => Class::CLASS,
            Self::Exception(e) => e.class,
            Self::Time(_) => Class::TIME,
            Self::Enumerator(_) => Class::ENUMERATOR,
            Self::Foreign(_) => Class::FOREIGN,
            Self::Main => Class::OBJECT,
        }
    }
}

impl Time {
    /// The time as `to_s` prints it.
    pub(crate) fn text(&self) -> String {
        let format = if self.is_utc { "%F %T UTC" } else { "%F %T %z" };
        ordain_functions::time::format(format, self.nanos, Some(self.offset)).unwrap_or_default()
    }
}

impl Text {
    /// The current text.
    pub fn get(&self) -> EcoString {
        self.text.borrow().clone()
    }
}

impl Array {
    /// The current items.
    pub(crate) fn get(&self) -> Vec<Value> {
        self.items.borrow().clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.borrow().len()
    }

    pub(crate) fn at(&self, i: usize) -> Option<Value> {
        self.items.borrow().get(i).cloned()
    }
}

impl Hash {
    /// The current entries.
    pub(crate) fn pairs(&self) -> Vec<(Value, Value)> {
        self.entries.borrow().iter().map(|(k, v)| (k.0.clone(), v.clone())).collect()
    }

    pub(crate) fn get(&self, key: &Value) -> Option<Value> {
        self.entries.borrow().get(&Ref(key)).cloned()
    }

    pub(crate) fn insert(&self, key: Value, value: Value) {
        self.entries.borrow_mut().insert(Key::new(key), value);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.borrow().len()
    }
}

/// A key of a hash. Texts are copied and frozen, so that the key cannot change.
#[derive(Clone)]
pub(crate) struct Key(pub Value);

/// A borrowed key for lookups.
pub(crate) struct Ref<'v>(pub &'v Value);

impl Key {
    pub(crate) fn new(value: Value) -> Self {
        match &value {
            Value::Str(text) if !text.is_frozen.get() => {
                let copy = Text::default();
                copy.is_frozen.set(true);
                copy.text.replace(text.get());
                Self(Value::Str(Rc::new(copy)))
            }
            _ => Self(value),
        }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        eql(&self.0, &other.0, &mut MAX_EQL.clone())
    }
}

impl Eq for Key {}

impl StdHash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state, 0);
    }
}

impl StdHash for Ref<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(self.0, state, 0);
    }
}

impl Equivalent<Key> for Ref<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        eql(self.0, &key.0, &mut MAX_EQL.clone())
    }
}

/// The maximal number of values and the maximal depth of a comparison of keys.
const MAX_EQL: (u32, u32) = (100_000, 200);

/// `eql?`: as `==`, but numbers of different classes differ.
pub(crate) fn eql(a: &Value, b: &Value, budget: &mut (u32, u32)) -> bool {
    if budget.0 == 0 || budget.1 == 0 {
        return false;
    }
    budget.0 -= 1;
    match (a, b) {
        (Value::Nil, Value::Nil) | (Value::Main, Value::Main) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Big(a), Value::Big(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Symbol(a), Value::Symbol(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => Rc::ptr_eq(a, b) || *a.text.borrow() == *b.text.borrow(),
        (Value::Array(a), Value::Array(b)) => Rc::ptr_eq(a, b) || eql_items(a, b, budget),
        (Value::Hash(a), Value::Hash(b)) => Rc::ptr_eq(a, b) || eql_entries(a, b, budget),
        (Value::Class(a), Value::Class(b)) => a == b,
        (Value::Regexp(a), Value::Regexp(b)) => a.source == b.source && a.flags == b.flags,
        (Value::Range(a), Value::Range(b)) => {
            a.is_open == b.is_open && eql(&a.low, &b.low, budget) && eql(&a.high, &b.high, budget)
        }
        (Value::Proc(a), Value::Proc(b)) => Rc::ptr_eq(a, b),
        (Value::Time(a), Value::Time(b)) => a.nanos == b.nanos,
        (Value::Foreign(a), Value::Foreign(b)) => {
            Rc::ptr_eq(a, b) || a.class == b.class && a.text == b.text
        }
        (Value::Exception(a), Value::Exception(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

fn eql_items(a: &Array, b: &Array, budget: &mut (u32, u32)) -> bool {
    let (a, b) = (a.items.borrow(), b.items.borrow());
    budget.1 -= 1;
    let same = a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| eql(a, b, budget));
    budget.1 += 1;
    same
}

fn eql_entries(a: &Hash, b: &Hash, budget: &mut (u32, u32)) -> bool {
    let (a, b) = (a.entries.borrow(), b.entries.borrow());
    budget.1 -= 1;
    let same = a.len() == b.len()
        && a.iter().all(|(k, v)| b.get(k).is_some_and(|other| eql(v, other, budget)));
    budget.1 += 1;
    same
}

/// The depth to which the content of a value is hashed.
const HASH_DEPTH: usize = 4;
/// The number of items of an array that are hashed.
const HASH_ITEMS: usize = 16;

fn hash<H: Hasher>(value: &Value, state: &mut H, depth: usize) {
    match value {
        Value::Nil => state.write_u8(0),
        Value::Bool(b) => state.write_u8(1 + u8::from(*b)),
        Value::Int(i) => state.write_i64(*i),
        Value::Big(big) => big.hash(state),
        Value::Float(f) => state.write_u64(if *f == 0.0 { 0 } else { f.to_bits() }),
        Value::Symbol(name) => {
            state.write_u8(7);
            name.hash(state);
        }
        Value::Str(text) => text.text.borrow().hash(state),
        Value::Array(array) => {
            let items = array.items.borrow();
            state.write_usize(items.len());
            if depth < HASH_DEPTH {
                items.iter().take(HASH_ITEMS).for_each(|item| hash(item, state, depth + 1));
            }
        }
        Value::Hash(map) => state.write_usize(map.len()),
        Value::Class(class) => class.hash(state),
        _ => state.write_u8(9),
    }
}

/// Drops values in a loop. Recursion could overflow the stack, because values may be nested deeply.
fn release(mut queue: Vec<Value>) {
    while let Some(value) = queue.pop() {
        match value {
            Value::Array(array) => {
                if let Some(array) = Rc::into_inner(array) {
                    queue.append(&mut array.items.take());
                }
            }
            Value::Hash(hash) => {
                if let Some(hash) = Rc::into_inner(hash) {
                    let entries = hash.entries.take();
                    entries.into_iter().for_each(|(k, v)| queue.extend([k.0, v]));
                    queue.push(hash.default.take());
                }
            }
            Value::Proc(proc) => {
                if let Some(Proc { body: ProcBody::Block { env, .. }, .. }) = Rc::into_inner(proc) {
                    release_env(env, &mut queue);
                }
            }
            _ => {}
        }
    }
}

fn release_env(env: Rc<Env>, queue: &mut Vec<Value>) {
    let mut next = Some(env);
    while let Some(env) = next.take() {
        if let Some(mut env) = Rc::into_inner(env) {
            queue.append(&mut env.vars.take());
            next = env.parent.take();
        }
    }
}

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_) | Value::Proc(_))
}

impl Drop for Array {
    fn drop(&mut self) {
        if self.items.get_mut().iter().any(is_nested) {
            release(self.items.take());
        }
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        if self.entries.get_mut().iter().any(|(k, v)| is_nested(v) || is_nested(&k.0)) {
            let entries = self.entries.take();
            release(entries.into_iter().flat_map(|(k, v)| [k.0, v]).collect());
        }
    }
}

impl Drop for Env {
    fn drop(&mut self) {
        if self.vars.get_mut().iter().any(is_nested) {
            release(self.vars.take());
        }
    }
}
