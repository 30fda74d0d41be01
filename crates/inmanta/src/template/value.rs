//! The values that expressions of templates have: Python's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexMap;
use num_bigint::BigInt;
use rustc_hash::FxBuildHasher;

use super::fault::{Fault, Res, type_error};
use super::interpret::Runtime;
use super::iterate::Generator;
use super::scope::{Context, MacroValue};
use crate::value::{InstanceId, Value, float_integer};

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
    /// Text that is not escaped again.
    Markup(EcoString),
    Bytes(Rc<[u8]>),
    List(Rc<RefCell<Vec<Val>>>),
    Tuple(Rc<Tuple>),
    Dict(Rc<RefCell<Entries>>),
    Iterator(Rc<Generator>),
    /// A list, a dict or an instance of the model, or what plugins alone know more of.
    Proxy(Rc<Proxy>),
    Object(Rc<Object>),
}

/// Several values that do not change.
pub(super) struct Tuple {
    pub(super) items: Vec<Val>,
    /// Whether it is one of those that `groupby` gives, of which the two items have names.
    pub(super) is_group: bool,
}

/// A value of the model with the path on which it was reached.
pub(super) struct Proxy {
    pub(super) value: Value,
    pub(super) path: EcoString,
    /// Whether it is an argument of the call or reached from one: these are handed over as plugins
    /// get them, and what they have not is an error.
    pub(super) is_argument: bool,
}

/// A value that is undefined.
pub(super) struct Undefined {
    /// Its message, if that is not made from the rest.
    pub(super) hint: Option<EcoString>,
    /// The name of the type of the value that was asked for it.
    pub(super) object: Option<EcoString>,
    /// The name that was asked for.
    pub(super) name: Val,
    /// Whether it cannot be printed, compared or judged.
    pub(super) is_strict: bool,
}

/// The objects in expressions besides plain data.
pub(super) enum Object {
    Range {
        start: i64,
        stop: i64,
        step: i64,
    },
    /// A global of this name.
    Function(&'static str),
    Method(Val, EcoString),
    /// A method that a list or dict of the model has of Python.
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
    /// `null` of the model inside of a plain list or dict of it.
    Null,
    Set(RefCell<IndexMap<Key, Val, FxBuildHasher>>),
}

/// The part of a dict that a view shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    Keys,
    Values,
    Items,
}

/// The state of a loop: `loop`.
pub(super) struct LoopState {
    /// The items of the loop, as long as its length is asked of it.
    pub(super) source: Val,
    pub(super) items: Rc<Generator>,
    pub(super) index0: Cell<i64>,
    pub(super) depth0: usize,
    pub(super) length: Cell<Option<usize>>,
    pub(super) after: RefCell<Option<Val>>,
    pub(super) current: RefCell<Option<Val>>,
    pub(super) before: RefCell<Option<Val>>,
    pub(super) last_changed: RefCell<Option<Vec<Val>>>,
    /// Renders the loop again for other items, if it is recursive.
    pub(super) recurse: Option<super::scope::Recursion>,
}

/// The entries of a dict, each with its key.
#[derive(Clone, Default)]
pub(super) struct Entries {
    pub(super) map: IndexMap<Key, (Val, Val), FxBuildHasher>,
}

/// The form that a key is found by: equal values have equal ones.
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

    pub(super) fn size(number: usize) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// A text, escaped already or not.
    pub(super) fn text_like(text: impl Into<EcoString>, is_markup: bool) -> Self {
        if is_markup { Self::Markup(text.into()) } else { Self::Str(text.into()) }
    }

    /// The undefined value of a name that nothing has.
    pub(super) fn missing(name: &str) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: None,
            object: None,
            name: Self::str(name),
            is_strict: true,
        }))
    }

    /// An undefined value with a message.
    pub(super) fn hinted(hint: impl Into<EcoString>) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: Some(hint.into()),
            object: None,
            name: Self::None,
            is_strict: true,
        }))
    }

    /// The same that prints as nothing.
    pub(super) fn lenient(hint: impl Into<EcoString>) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: Some(hint.into()),
            object: None,
            name: Self::None,
            is_strict: false,
        }))
    }

    /// The undefined value of an attribute that an object lacks.
    pub(super) fn absent(object: &Self, name: Self) -> Self {
        Self::Undefined(Rc::new(Undefined {
            hint: None,
            object: Some(object.described().into()),
            name,
            is_strict: true,
        }))
    }

    /// The values directly inside of it that have parts themselves, up to a few hundred.
    fn parts(&self) -> Vec<Self> {
        let has_parts =
            |value: &&Self| matches!(value, Self::List(_) | Self::Tuple(_) | Self::Dict(_));
        const MOST: usize = 256;
        match self {
            Self::List(found) => {
                found.borrow().iter().filter(has_parts).take(MOST).cloned().collect()
            }
            Self::Tuple(found) => {
                found.items.iter().filter(has_parts).take(MOST).cloned().collect()
            }
            Self::Dict(found) => {
                let found = found.borrow();
                let values = found.map.values().map(|(_, value)| value);
                values.filter(has_parts).take(MOST).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether values nest deeper in it than any template should let them.
    pub(super) fn is_too_deep(&self) -> bool {
        const DEEPEST: usize = 200;
        const LOOKS: usize = 1000;
        let mut left = vec![(self.clone(), 0)];
        let mut looks = 0;
        while let Some((value, depth)) = left.pop() {
            looks += 1;
            if depth > DEEPEST {
                return true;
            }
            if looks > LOOKS {
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

    /// The whole number that it is, `true` counting as 1.
    pub(super) fn as_integer(&self) -> Option<BigInt> {
        match self {
            Self::Bool(truth) => Some(BigInt::from(u8::from(*truth))),
            Self::Int(number) => Some(BigInt::from(*number)),
            Self::Big(number) => Some((**number).clone()),
            _ => None,
        }
    }

    /// The same, if it is small.
    pub(super) fn as_small(&self) -> Option<i64> {
        match self {
            Self::Bool(truth) => Some(i64::from(*truth)),
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// A whole number for a place or a count; one that is too large for that is the largest.
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

    /// Whether Python's `is` holds.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            // Small numbers and short texts are kept once in Python.
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

    /// The name of its Python type.
    pub(super) fn type_name(&self) -> &str {
        match self {
            Self::Undefined(found) if found.is_strict => "StrictUndefined",
            Self::Undefined(_) => "Undefined",
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Big(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::Markup(_) => "Markup",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Tuple(found) if found.is_group => "_GroupTuple",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Iterator(found) => found.type_name,
            Self::Proxy(found) => match &found.value {
                Value::List(_) if found.is_argument => "SequenceProxy",
                Value::Dict(_) if found.is_argument => "DictProxy",
                _ if found.is_argument => "DynamicProxy",
                Value::List(_) => "JinjaSequenceProxy",
                Value::Dict(_) => "JinjaDictProxy",
                _ => "JinjaDynamicProxy",
            },
            Self::Object(found) => found.type_name(),
        }
    }

    /// The type as errors name it: with its module if that is not the builtin one.
    fn described(&self) -> String {
        let module = match self {
            Self::None => return "None".into(),
            Self::Undefined(_) => "jinja2.runtime.",
            Self::Markup(_) => "markupsafe.",
            Self::Tuple(found) if found.is_group => "jinja2.filters.",
            Self::Proxy(found) if found.is_argument => "inmanta.execute.proxy.",
            Self::Proxy(_) => "inmanta_plugins.std.",
            Self::Object(found) => found.module(),
            _ => "",
        };
        format!("{module}{} object", self.type_name())
    }
}

/// Whether Python keeps such a text once when it stands in a program.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Object {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Range { .. } => "range",
            Self::Function("range" | "dict" | "cycler" | "joiner" | "namespace") => "type",
            Self::Function(_) => "function",
            Self::Method(Val::Object(_), _) => "method",
            Self::Method(..) => "builtin_function_or_method",
            Self::ProxyMethod(..) => "JinjaCallProxy",
            Self::Macro(_) => "Macro",
            Self::Loop(_) => "LoopContext",
            Self::Cycler { .. } => "Cycler",
            Self::Joiner { .. } => "Joiner",
            Self::Namespace(_) => "Namespace",
            Self::Module { .. } => "TemplateModule",
            Self::Block { .. } => "BlockReference",
            Self::Blocks(_) => "TemplateReference",
            Self::View(_, Val::Proxy(found)) if !found.is_argument => "JinjaSequenceProxy",
            Self::View(View::Keys, Val::Proxy(_)) => "KeysView",
            Self::View(View::Values, Val::Proxy(_)) => "ValuesView",
            Self::View(View::Items, Val::Proxy(_)) => "ItemsView",
            Self::View(View::Keys, _) => "dict_keys",
            Self::View(View::Values, _) => "dict_values",
            Self::View(View::Items, _) => "dict_items",
            Self::Model(_) => "JinjaDynamicProxy",
            Self::Plugin(_) => "JinjaCallProxy",
            Self::Slice(..) => "slice",
            Self::Null => "NoneValue",
            Self::Set(_) => "set",
        }
    }

    fn module(&self) -> &'static str {
        match self {
            Self::Macro(_) | Self::Loop(_) | Self::Block { .. } | Self::Blocks(_) => {
                "jinja2.runtime."
            }
            Self::Cycler { .. } | Self::Joiner { .. } | Self::Namespace(_) => "jinja2.utils.",
            Self::Module { .. } => "jinja2.environment.",
            Self::View(_, Val::Proxy(found)) if !found.is_argument => "inmanta_plugins.std.",
            Self::View(_, Val::Proxy(_)) => "collections.abc.",
            Self::Null => "inmanta.execute.util.",
            Self::ProxyMethod(..) | Self::Model(_) | Self::Plugin(_) => "inmanta_plugins.std.",
            _ => "",
        }
    }

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

impl Undefined {
    /// The error of its use.
    pub(super) fn message(&self, runtime: &Runtime<'_>) -> String {
        if let Some(hint) = self.hint.as_ref().filter(|hint| !hint.is_empty()) {
            return hint.to_string();
        }
        let name = runtime.repr(&self.name).unwrap_or_default();
        match (&self.object, &self.name) {
            (None, _) => format!("{name} is undefined"),
            (Some(object), Val::Str(_) | Val::Markup(_)) => {
                format!("{} has no attribute {name}", crate::value::string_repr(object))
            }
            (Some(object), _) => format!("{object} has no element {name}"),
        }
    }

    pub(super) fn fault(&self, runtime: &Runtime<'_>) -> Fault {
        Fault::Undefined(self.message(runtime))
    }
}

impl Key {
    /// The key that a value is.
    pub(super) fn of(value: &Val, runtime: &Runtime<'_>) -> Res<Self> {
        Self::counted(value, runtime, &mut ordain_source::limits::most_items())
    }

    fn counted(value: &Val, runtime: &Runtime<'_>, left: &mut usize) -> Res<Self> {
        *left = left.checked_sub(1).ok_or_else(|| {
            Fault::Raised(
                "MemoryError",
                format!("a key is too large; {}", ordain_source::budget::HELP),
            )
        })?;
        Ok(match value {
            Val::None => Self::None,
            Val::Bool(truth) => Self::Int(i64::from(*truth)),
            Val::Int(number) => Self::Int(*number),
            Val::Big(number) => Self::Big((**number).clone()),
            Val::Float(number) => match float_integer(*number) {
                Some(whole) if number.fract() == 0.0 => match i64::try_from(&whole) {
                    Ok(small) => Self::Int(small),
                    Err(_) => Self::Big(whole),
                },
                _ => Self::Float(number.to_bits()),
            },
            Val::Str(text) | Val::Markup(text) => Self::Str(text.clone()),
            Val::Bytes(bytes) => Self::Bytes(bytes.clone()),
            Val::Tuple(found) => {
                let mut keys = Vec::with_capacity(found.items.len());
                for item in &found.items {
                    keys.push(Self::counted(item, runtime, left)?);
                }
                Self::Tuple(keys)
            }
            Val::Undefined(found) if found.is_strict => return Err(found.fault(runtime)),
            Val::Undefined(_) => Self::Undefined,
            Val::Proxy(found) => match &found.value {
                Value::Instance(id) => Self::Instance(*id),
                other => return Err(unhashable(other.python_type())),
            },
            Val::Iterator(found) => Self::Address(Rc::as_ptr(found) as *const u8 as usize),
            Val::Object(found) => match &**found {
                Object::Function(name) => Self::Str(format!("function {name}").into()),
                Object::Slice(..) | Object::Set(_) => return Err(unhashable(value.type_name())),
                Object::View(View::Keys | View::Items, _) => {
                    return Err(unhashable(value.type_name()));
                }
                _ => Self::Address(Rc::as_ptr(found) as *const u8 as usize),
            },
            Val::List(_) | Val::Dict(_) => return Err(unhashable(value.type_name())),
        })
    }
}

fn unhashable(class: &str) -> Fault {
    type_error(format!("unhashable type: '{class}'"))
}

impl Entries {
    pub(super) fn insert(&mut self, key: Val, value: Val, runtime: &Runtime<'_>) -> Res<()> {
        let found = Key::of(&key, runtime)?;
        match self.map.get_mut(&found) {
            Some(entry) => entry.1 = value,
            None => {
                self.map.insert(found, (key, value));
            }
        }
        Ok(())
    }

    /// Sets the value of a name.
    pub(super) fn set(&mut self, name: &str, value: Val) {
        let entry = self.map.entry(Key::Str(name.into()));
        entry.and_modify(|entry| entry.1 = value.clone()).or_insert((Val::str(name), value));
    }

    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Val> {
        self.map.get(&Key::Str(name.into())).map(|entry| &entry.1)
    }
}
