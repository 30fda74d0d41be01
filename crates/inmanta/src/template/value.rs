//! The values of template expressions, which are Python's.
//!
//! Values, iterators and scopes are one recursive type: a macro is a value, its frame has scopes,
//! and scopes have values. So their data is in this file, and their behaviour in others.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexMap;
use num_bigint::BigInt;
use rustc_hash::FxBuildHasher;

use super::ast::{Block, For, Literal, Macro, Symbols, Template};
use super::fault::{Res, type_error};
use super::runtime::Runtime;
use crate::value::{InstanceId, Value};

/// A value.
#[derive(Clone)]
pub(super) enum Val {
    Undefined(Rc<Undefined>),
    None,
    Bool(bool),
    Int(i64),
    /// A whole number that has more than 64 bits.
    Big(Rc<BigInt>),
    Float(f64),
    Str(EcoString),
    /// Escaped text.
    Markup(EcoString),
    Bytes(Rc<[u8]>),
    List(Rc<RefCell<Vec<Val>>>),
    Tuple(Rc<Tuple>),
    Dict(Rc<RefCell<Entries>>),
    Iterator(Rc<Generator>),
    /// A value of the model: a list, a dict, an instance, or an object that only plugins can use.
    Proxy(Rc<Proxy>),
    Object(Rc<Object>),
}

/// A tuple.
pub(super) struct Tuple {
    pub(super) items: Vec<Val>,
    /// Whether it is a result of `groupby`, whose two items have names.
    pub(super) is_group: bool,
}

/// A value of the model with its path.
pub(super) struct Proxy {
    pub(super) value: Value,
    pub(super) path: EcoString,
    /// Whether it is an argument of the call or a part of one. Such values behave like arguments of
    /// plugins: a missing attribute is an error.
    pub(super) is_argument: bool,
}

/// An undefined value.
pub(super) struct Undefined {
    /// The message, if it does not follow from the other fields.
    pub(super) hint: Option<EcoString>,
    /// The type of the object that lacks the attribute.
    pub(super) object: Option<EcoString>,
    /// The name that is not defined.
    pub(super) name: Val,
    /// Whether printing, comparing and testing it is an error.
    pub(super) is_strict: bool,
}

/// Values other than plain data.
pub(super) enum Object {
    Range {
        start: i64,
        stop: i64,
        step: i64,
    },
    /// A global of this name.
    Function(&'static str),
    Method(Val, EcoString),
    /// A Python method of a list or dict of the model.
    ProxyMethod(Rc<Proxy>, EcoString),
    Macro(MacroValue),
    Loop(LoopState),
    Cycler {
        items: Vec<Val>,
        position: Cell<usize>,
    },
    Joiner {
        separator: Val,
        is_used: Cell<bool>,
    },
    Namespace(RefCell<Entries>),
    /// The exports of an imported template.
    Module {
        name: EcoString,
        exported: IndexMap<EcoString, Val>,
        text: EcoString,
    },
    Block {
        name: EcoString,
        context: Rc<Context>,
        depth: usize,
    },
    /// The blocks of a template: `self`.
    Blocks(Rc<Context>),
    /// The keys, values or items of a dict.
    View(View, Val),
    /// A module of the model.
    Model(EcoString),
    /// A plugin of a module of the model.
    Plugin(EcoString),
    Slice(Val, Val, Val),
    /// `null` of the model inside a plain list or dict.
    Null,
    Set(RefCell<IndexMap<Key, Val, FxBuildHasher>>),
}

/// The kinds of dict views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    Keys,
    Values,
    Items,
}

/// The state of a loop: `loop`.
pub(super) struct LoopState {
    /// The iterable, for the length of the loop.
    pub(super) source: Val,
    pub(super) items: Rc<Generator>,
    pub(super) index0: Cell<i64>,
    pub(super) depth0: usize,
    pub(super) length: Cell<Option<usize>>,
    pub(super) after: RefCell<Option<Val>>,
    pub(super) current: RefCell<Option<Val>>,
    pub(super) before: RefCell<Option<Val>>,
    pub(super) last_changed: RefCell<Option<Vec<Val>>>,
    /// The data for a recursive call.
    pub(super) recurse: Option<Recursion>,
}

/// The entries of a dict: original key and value, by lookup key.
#[derive(Clone, Default)]
pub(super) struct Entries {
    pub(super) map: IndexMap<Key, (Val, Val), FxBuildHasher>,
}

/// The lookup key of a value: equal values have equal keys.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    None,
    Undefined,
    Int(i64),
    Big(BigInt),
    Float(u64),
    Str(EcoString),
    Bytes(Rc<[u8]>),
    Tuple(Vec<Key>),
    Instance(InstanceId),
    Address(usize),
}

/// An iterator.
pub(super) struct Generator {
    /// Its Python class.
    pub(super) type_name: &'static str,
    /// The Python generator function, if it has one.
    pub(super) function: &'static str,
    pub(super) state: RefCell<State>,
}

/// A function that computes the next item.
pub(super) type Next = Box<dyn FnMut(&mut Runtime<'_>) -> Res<Option<Val>>>;
/// A function that computes all items at the first read.
pub(super) type All = Box<dyn FnOnce(&mut Runtime<'_>) -> Res<Vec<Val>>>;

pub(super) enum State {
    Items(std::vec::IntoIter<Val>),
    /// A list, which may change during the iteration, with the position.
    List(Rc<RefCell<Vec<Val>>>, usize),
    Tuple(Rc<Tuple>, usize),
    Range {
        next: i64,
        stop: i64,
        step: i64,
    },
    Next(Next),
    All(All),
    Done,
}

/// Values by name.
pub(super) type Names = IndexMap<EcoString, Val, FxBuildHasher>;

/// The source of names that a template does not assign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Resolver {
    /// The model.
    Model,
    /// The arguments of the call.
    Arguments,
    /// No source: an imported template fails at such a name.
    None,
}

/// The context of a rendering, like Jinja's class of this name.
pub(super) struct Context {
    pub(super) parent: Rc<Names>,
    pub(super) vars: RefCell<Names>,
    pub(super) exported: RefCell<Vec<EcoString>>,
    pub(super) blocks: RefCell<IndexMap<EcoString, Vec<Rc<Block>>, FxBuildHasher>>,
    pub(super) autoescape: Rc<Cell<bool>>,
    pub(super) resolver: Resolver,
    pub(super) name: EcoString,
}

/// A template with its name in the module.
#[derive(Clone)]
pub(super) struct LoadedTemplate {
    pub(super) template: Rc<Template>,
    pub(super) name: EcoString,
}

/// The values of the names of a scope.
pub(super) struct Scope {
    pub(super) symbols: Symbols,
    pub(super) values: RefCell<Vec<Option<Val>>>,
    pub(super) parent: Option<Rc<Scope>>,
}

/// The surroundings of a running statement.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) scope: Rc<Scope>,
    pub(super) context: Rc<Context>,
    /// Whether assignments are exported to the context.
    pub(super) is_top: bool,
    /// Whether output stops once the template extends another one.
    pub(super) checks_output: bool,
    /// The template that this one extends.
    pub(super) extends: Rc<RefCell<Option<LoadedTemplate>>>,
}

/// A macro with its enclosing scopes.
pub(super) struct MacroValue {
    pub(super) node: Rc<Macro>,
    pub(super) frame: Frame,
}

/// A recursive loop with its enclosing scopes.
#[derive(Clone)]
pub(super) struct Recursion {
    pub(super) node: Rc<For>,
    pub(super) frame: Frame,
}

impl Val {
    pub(super) fn str(text: impl Into<EcoString>) -> Self {
        Self::Str(text.into())
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(RefCell::new(items)))
    }

    pub(super) fn tuple(items: Vec<Self>) -> Self {
        Self::Tuple(Rc::new(Tuple { items, is_group: false }))
    }

    pub(super) fn dict(entries: Entries) -> Self {
        Self::Dict(Rc::new(RefCell::new(entries)))
    }

    pub(super) fn object(object: Object) -> Self {
        Self::Object(Rc::new(object))
    }

    pub(super) fn method(object: Self, name: &str) -> Self {
        Self::object(Object::Method(object, name.into()))
    }

    pub(super) fn int(number: BigInt) -> Self {
        match i64::try_from(&number) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::Big(Rc::new(number)),
        }
    }

    /// The value of a constant. Texts share their memory with the tree.
    pub(super) fn literal(literal: &Literal) -> Self {
        match literal {
            Literal::None => Self::None,
            Literal::Bool(truth) => Self::Bool(*truth),
            Literal::Int(number) => Self::Int(*number),
            Literal::Big(number) => Self::Big(number.clone()),
            Literal::Float(number) => Self::Float(*number),
            Literal::Str(text) => Self::Str(text.clone()),
        }
    }

    pub(super) fn size(number: usize) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// Creates plain or escaped text.
    pub(super) fn text_like(text: impl Into<EcoString>, is_markup: bool) -> Self {
        if is_markup { Self::Markup(text.into()) } else { Self::Str(text.into()) }
    }

    /// Creates the undefined value of an undefined name.
    pub(super) fn missing(name: &str) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: None,
            object: None,
            name: Self::str(name),
            is_strict: true,
        }))
    }

    /// Creates an undefined value with a message.
    pub(super) fn hinted(hint: impl Into<EcoString>) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: Some(hint.into()),
            object: None,
            name: Self::None,
            is_strict: true,
        }))
    }

    /// Creates an undefined value that prints as an empty text.
    pub(super) fn lenient(hint: impl Into<EcoString>) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: Some(hint.into()),
            object: None,
            name: Self::None,
            is_strict: false,
        }))
    }

    /// Creates the undefined value of a missing attribute.
    pub(super) fn absent(object: &Self, name: Self) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: None,
            object: Some(object.described().into()),
            name,
            is_strict: true,
        }))
    }

    /// Some of the lists, tuples and dicts directly inside the value.
    fn parts(&self) -> Vec<Self> {
        let has_parts =
            |value: &&Self| matches!(value, Self::List(_) | Self::Tuple(_) | Self::Dict(_));
        const MAX_PARTS: usize = 256;
        match self {
            Self::List(found) => {
                found.borrow().iter().filter(has_parts).take(MAX_PARTS).cloned().collect()
            }
            Self::Tuple(found) => {
                found.items.iter().filter(has_parts).take(MAX_PARTS).cloned().collect()
            }
            Self::Dict(found) => {
                let found = found.borrow();
                let values = found.map.values().map(|(_, value)| value);
                values.filter(has_parts).take(MAX_PARTS).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the value nests too deep. Looks at a limited number of parts.
    pub(super) fn is_too_deep(&self) -> bool {
        const MAX_DEPTH: usize = 200;
        const MAX_VISITS: usize = 1000;
        let mut left = vec![(self.clone(), 0)];
        let mut visits = 0;
        while let Some((value, depth)) = left.pop() {
            visits += 1;
            if depth > MAX_DEPTH {
                return true;
            }
            if visits > MAX_VISITS {
                return false;
            }
            left.extend(value.parts().into_iter().map(|part| (part, depth + 1)));
        }
        false
    }

    pub(super) fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined(_))
    }

    pub(super) fn as_text(&self) -> Option<&EcoString> {
        match self {
            Self::Str(text) | Self::Markup(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_markup(&self) -> bool {
        matches!(self, Self::Markup(_))
    }

    /// The integer value; `true` is 1.
    pub(super) fn as_integer(&self) -> Option<BigInt> {
        match self {
            Self::Bool(truth) => Some(BigInt::from(u8::from(*truth))),
            Self::Int(number) => Some(BigInt::from(*number)),
            Self::Big(number) => Some((**number).clone()),
            _ => None,
        }
    }

    /// The integer value, if it has at most 64 bits.
    pub(super) fn as_small(&self) -> Option<i64> {
        match self {
            Self::Bool(truth) => Some(i64::from(*truth)),
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// An integer as a position or a count. Numbers beyond 64 bits become the smallest or the
    /// largest one.
    pub(super) fn as_index(&self) -> Res<i64> {
        match self {
            Self::Big(number) => {
                Ok(if number.sign() == num_bigint::Sign::Minus { i64::MIN } else { i64::MAX })
            }
            _ => self.as_small().ok_or_else(|| {
                let text =
                    format!("'{}' object cannot be interpreted as an integer", self.type_name());
                type_error(text)
            }),
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Int(_) | Self::Big(_) | Self::Float(_))
    }

    /// Python's `is`.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            // Python keeps small numbers and short texts once in memory.
            (Self::Int(a), Self::Int(b)) => a == b && (-5..=256).contains(a),
            (Self::Str(a), Self::Str(b)) => {
                a == b && (a.chars().count() <= 1 || a.as_ptr() == b.as_ptr() || is_name(a))
            }
            (Self::Markup(a), Self::Markup(b)) => a.as_ptr() == b.as_ptr() && a == b,
            (Self::List(a), Self::List(b)) => Rc::ptr_eq(a, b),
            (Self::Tuple(a), Self::Tuple(b)) => {
                Rc::ptr_eq(a, b) || (a.items.is_empty() && b.items.is_empty())
            }
            (Self::Dict(a), Self::Dict(b)) => Rc::ptr_eq(a, b),
            (Self::Undefined(a), Self::Undefined(b)) => Rc::ptr_eq(a, b),
            (Self::Iterator(a), Self::Iterator(b)) => Rc::ptr_eq(a, b),
            (Self::Proxy(a), Self::Proxy(b)) => Rc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => match (&**a, &**b) {
                (Object::Function(a), Object::Function(b)) => a == b,
                _ => Rc::ptr_eq(a, b),
            },
            _ => false,
        }
    }
}

/// Whether Python interns a text in source code.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Object {
    /// The length of a range.
    pub(super) fn range_length(start: i64, stop: i64, step: i64) -> usize {
        let span = if step > 0 {
            i128::from(stop) - i128::from(start)
        } else {
            i128::from(start) - i128::from(stop)
        };
        if span <= 0 {
            return 0;
        }
        let step = i128::from(step).abs();
        usize::try_from((span + step - 1) / step).unwrap_or(usize::MAX)
    }
}
