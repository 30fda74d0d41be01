//! The values of the language.

mod numbers;
mod repr;

use std::fmt::Write;
use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexMap;
use num_bigint::BigInt;
use rustc_hash::FxBuildHasher;

use crate::types::TypeExpr;

pub use numbers::{float_integer, float_text};
pub use repr::{string_repr, write_string};

/// The number of an instance of a run, in the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InstanceId(pub u32);

/// The number of a variable of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// The entries of a dict in their order.
pub type Dict = IndexMap<EcoString, Value, FxBuildHasher>;

/// A value.
#[derive(Clone, Default, Debug)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` and `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer of more than 64 bits.
    BigInt(Rc<BigInt>),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Str(EcoString),
    /// A list.
    List(Rc<Vec<Value>>),
    /// A dict.
    Dict(Rc<Dict>),
    /// An instance of an entity.
    Instance(InstanceId),
    /// A value that is not known yet. Each one is equal only to itself.
    Unknown(Rc<Unknown>),
    /// A value that is computed at deployment.
    Reference(Rc<Reference>),
    /// A Python object that only plugins can use.
    Object(Rc<Object>),
}

/// An unknown value.
#[derive(Debug, Default)]
pub struct Unknown {
    /// The source of the value.
    pub source: EcoString,
}

/// A value that is computed at deployment.
#[derive(Debug)]
pub struct Reference {
    /// The registered name, such as `std::Environment`.
    pub name: EcoString,
    /// The name of its Python class.
    pub class: EcoString,
    /// Its arguments in the order in which they were set.
    pub arguments: Vec<(EcoString, Value)>,
    /// The type of the value that it computes.
    pub computes: TypeExpr,
    /// The output of Python's `str`.
    pub text: String,
    /// The output of Python's `repr`, if it is different.
    pub repr: Option<String>,
    /// The number in the Python child, if it comes from there.
    pub number: Option<u64>,
}

/// A Python object.
#[derive(Debug)]
pub struct Object {
    /// The number in the Python child. Equal objects have the same number.
    pub number: u64,
    /// The name of its class.
    pub class: EcoString,
    /// The output of Python's `str`.
    pub text: String,
    /// The output of Python's `repr`.
    pub repr: String,
    /// The text of the object that plugins get for it.
    pub handed: String,
    /// Its kind.
    pub sort: ObjectKind,
}

/// The kinds of Python objects that the compiler distinguishes.
#[derive(Debug)]
pub enum ObjectKind {
    /// A tuple with these items.
    Tuple(Value),
    /// A set or another iterable.
    Items(Value),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A number that the model language does not have.
    Number,
    /// `None` in a field of a dataclass object, which was not converted to `null`.
    BareNone,
    /// A reference in a field of a dataclass object, which was not converted.
    BareReference,
    /// Anything else.
    Other,
}

/// The names and places of instances, for printing.
pub trait Names {
    /// The full name of the entity of an instance.
    fn entity_name(&self, instance: InstanceId) -> &str;
    /// The places where an instance was constructed, as text.
    fn constructed_at(&self, instance: InstanceId) -> String;
}

impl Value {
    /// A text.
    pub fn str(text: impl Into<EcoString>) -> Self {
        Self::Str(text.into())
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(Rc::new(items.into_iter().collect()))
    }

    /// A dict.
    pub fn dict(entries: impl IntoIterator<Item = (EcoString, Self)>) -> Self {
        Self::Dict(Rc::new(entries.into_iter().collect()))
    }

    /// A new unknown value.
    pub fn unknown(source: impl Into<EcoString>) -> Self {
        Self::Unknown(Rc::new(Unknown { source: source.into() }))
    }

    /// A whole number of any size.
    pub fn int(number: BigInt) -> Self {
        match i64::try_from(&number) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::BigInt(Rc::new(number)),
        }
    }

    /// Whether the value is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }

    /// The name of the Python type of the value.
    pub fn python_type(&self) -> &str {
        match self {
            Self::Null => "NoneValue",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::BigInt(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::List(_) => "list",
            Self::Dict(_) => "dict",
            Self::Instance(_) => "Instance",
            Self::Unknown(_) => "Unknown",
            Self::Reference(reference) => &reference.class,
            Self::Object(object) => &object.class,
        }
    }

    /// The integer value; `true` is 1.
    pub fn as_integer(&self) -> Option<BigInt> {
        match self {
            Self::Bool(b) => Some(BigInt::from(u8::from(*b))),
            Self::Int(n) => Some(BigInt::from(*n)),
            Self::BigInt(n) => Some((**n).clone()),
            _ => None,
        }
    }

    /// Whether operators accept it as a number; `true` is one.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Int(_) | Self::BigInt(_) | Self::Float(_))
    }

    /// Python's `bool(value)`.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(b) => *b,
            Self::Int(n) => *n != 0,
            Self::BigInt(_) | Self::Instance(_) | Self::Unknown(_) => true,
            Self::Reference(_) | Self::Object(_) => true,
            Self::Float(x) => *x != 0.0,
            Self::Str(s) => !s.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Dict(entries) => !entries.is_empty(),
        }
    }

    /// The output of Python's `str`.
    pub fn text(&self, names: &dyn Names) -> String {
        match self {
            Self::Str(s) => s.to_string(),
            Self::Instance(id) => {
                let name = names.entity_name(*id);
                format!("{name} (instantiated at {})", names.constructed_at(*id))
            }
            Self::Reference(reference) => reference.text.clone(),
            Self::Object(object) => object.text.clone(),
            _ => self.repr(names),
        }
    }

    /// The output of Python's `repr`.
    pub fn repr(&self, names: &dyn Names) -> String {
        let mut out = String::new();
        self.write_repr(&mut out, names);
        out
    }

    /// Appends the text of [`Value::repr`].
    pub fn write_repr(&self, out: &mut String, names: &dyn Names) {
        // Writing to a string never fails.
        let _ = match self {
            Self::Null => out.write_str("null"),
            Self::Bool(true) => out.write_str("True"),
            Self::Bool(false) => out.write_str("False"),
            Self::Int(n) => write!(out, "{n}"),
            Self::BigInt(n) => write!(out, "{n}"),
            Self::Float(x) => out.write_str(&float_text(*x)),
            Self::Str(s) => {
                write_string(out, s);
                Ok(())
            }
            Self::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    item.write_repr(out, names);
                }
                out.write_str("]")
            }
            Self::Dict(entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    write_string(out, key);
                    out.push_str(": ");
                    value.write_repr(out, names);
                }
                out.write_str("}")
            }
            Self::Instance(id) => write!(out, "{} #{}", names.entity_name(*id), id.0 + 1),
            Self::Unknown(_) => out.write_str("<inmanta.execute.util.Unknown object>"),
            Self::Reference(reference) => {
                out.write_str(reference.repr.as_ref().unwrap_or(&reference.text))
            }
            Self::Object(object) => out.write_str(&object.repr),
        };
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::List(a), Self::List(b)) => Rc::ptr_eq(a, b) || a == b,
            (Self::Dict(a), Self::Dict(b)) => Rc::ptr_eq(a, b) || a == b,
            (Self::Instance(a), Self::Instance(b)) => a == b,
            (Self::Unknown(a), Self::Unknown(b)) => Rc::ptr_eq(a, b),
            (Self::Reference(a), Self::Reference(b)) => {
                Rc::ptr_eq(a, b) || (a.class == b.class && a.arguments == b.arguments)
            }
            (Self::Object(a), Self::Object(b)) => a.number == b.number,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (a, b) if a.is_number() && b.is_number() => {
                compare_numbers(a, b) == Some(std::cmp::Ordering::Equal)
            }
            _ => false,
        }
    }
}

/// The exact order of two numbers: large integers are not rounded.
pub fn compare_numbers(a: &Value, b: &Value) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Float(a), _) => compare_float(*a, b),
        (_, Value::Float(b)) => compare_float(*b, a).map(std::cmp::Ordering::reverse),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        _ => Some(a.as_integer()?.cmp(&b.as_integer()?)),
    }
}

fn compare_float(a: f64, b: &Value) -> Option<std::cmp::Ordering> {
    if a.is_nan() {
        return None;
    }
    if a.is_infinite() {
        return Some(if a > 0.0 { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less });
    }
    let whole = float_integer(a.floor())?;
    let order = whole.cmp(&b.as_integer()?);
    Some(order.then(if a.fract() == 0.0 {
        std::cmp::Ordering::Equal
    } else {
        std::cmp::Ordering::Greater
    }))
}
