//! Types of mcl: printing, parsing and comparison.
//!
//! A type is a tree that is cheap to clone. [`Type::Var`] is an unknown type: a type variable of a
//! signature, numbered within that signature, or of the inference.

pub(crate) mod node;
mod text;
pub mod unify;

use std::sync::Arc;

use ecow::EcoString;

use crate::value::Value;

pub use text::{TypeError, parse};

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `bool`
    Bool,
    /// `str`
    Str,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `variant`: any one type; only fields of resources have it.
    Variant,
    /// `?1`: an unknown type.
    Var(u32),
    /// `[]T`
    List(Arc<Type>),
    /// `map{K: V}`
    Map(Arc<(Type, Type)>),
    /// `struct{a T; b U}`
    Struct(Arc<StructType>),
    /// `func(a T, U) R`
    Func(Arc<FuncType>),
}

/// The fields of a struct type; names and order count.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructType {
    /// The names of the fields; values of the type share them.
    pub names: Arc<[EcoString]>,
    /// The types of the fields.
    pub types: Vec<Type>,
}

impl StructType {
    /// Names and types in order.
    pub fn fields(&self) -> impl Iterator<Item = (&EcoString, &Type)> {
        self.names.iter().zip(&self.types)
    }

    /// The type of a field.
    pub fn get(&self, name: &str) -> Option<&Type> {
        self.fields().find(|(n, _)| *n == name).map(|(_, ty)| ty)
    }
}

/// The shape of a function. Comparisons ignore names.
#[derive(Clone, Eq, Debug)]
pub struct FuncType {
    /// The names of the arguments, empty where there is none.
    pub names: Vec<EcoString>,
    /// The types of the arguments.
    pub args: Vec<Type>,
    /// Its result.
    pub result: Type,
}

impl FuncType {
    /// A function with unnamed arguments.
    pub fn new(args: Vec<Type>, result: Type) -> Self {
        Self { names: vec![EcoString::new(); args.len()], args, result }
    }
}

impl PartialEq for FuncType {
    fn eq(&self, other: &Self) -> bool {
        self.args == other.args && self.result == other.result
    }
}

impl std::hash::Hash for FuncType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.args.hash(state);
        self.result.hash(state);
    }
}

impl Type {
    /// `[]T`
    pub fn list(item: Type) -> Self {
        Self::List(Arc::new(item))
    }

    /// `map{K: V}`
    pub fn map(key: Type, value: Type) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// `struct{…}`
    pub fn record(fields: impl IntoIterator<Item = (EcoString, Type)>) -> Self {
        let (names, types): (Vec<EcoString>, Vec<Type>) = fields.into_iter().unzip();
        Self::Struct(Arc::new(StructType { names: names.into(), types }))
    }

    /// `func(…) R` without names.
    pub fn func(args: Vec<Type>, result: Type) -> Self {
        Self::Func(Arc::new(FuncType::new(args, result)))
    }

    /// The kind of type, as error texts name it: `list` for `[]int`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Str => "str",
            Self::Int => "int",
            Self::Float => "float",
            Self::Variant => "variant",
            Self::Var(_) => "?",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Struct(_) => "struct",
            Self::Func(_) => "func",
        }
    }

    /// The shape, if it is a function.
    pub fn as_func(&self) -> Option<&Arc<FuncType>> {
        if let Self::Func(shape) = self { Some(shape) } else { None }
    }

    /// Whether values of it may be keys of a map.
    pub fn is_hashable(&self) -> bool {
        match self {
            Self::Bool | Self::Str | Self::Int | Self::Float | Self::Var(_) => true,
            Self::Struct(shape) => shape.types.iter().all(Self::is_hashable),
            Self::List(_) | Self::Map(_) | Self::Func(_) | Self::Variant => false,
        }
    }

    /// Whether nothing in it is unknown.
    pub fn is_known(&self) -> bool {
        let mut known = true;
        self.walk(&mut |ty| known &= !matches!(ty, Self::Var(_)));
        known
    }

    /// Calls a function on the type and on all its parts.
    pub fn walk(&self, visit: &mut impl FnMut(&Type)) {
        visit(self);
        match self {
            Self::List(item) => item.walk(visit),
            Self::Map(pair) => {
                pair.0.walk(visit);
                pair.1.walk(visit);
            }
            Self::Struct(shape) => shape.types.iter().for_each(|ty| ty.walk(visit)),
            Self::Func(shape) => {
                shape.args.iter().for_each(|ty| ty.walk(visit));
                shape.result.walk(visit);
            }
            _ => {}
        }
    }

    /// Whether it has at most this many parts. Shared parts count each time.
    pub fn has_at_most(&self, parts: u32) -> bool {
        fn fits(ty: &Type, left: &mut u32) -> bool {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            match ty {
                Type::List(item) => fits(item, left),
                Type::Map(pair) => fits(&pair.0, left) && fits(&pair.1, left),
                Type::Struct(shape) => shape.types.iter().all(|ty| fits(ty, left)),
                Type::Func(shape) => {
                    shape.args.iter().all(|ty| fits(ty, left)) && fits(&shape.result, left)
                }
                _ => true,
            }
        }
        fits(self, &mut { parts })
    }

    /// The type with every variable replaced.
    pub fn replace(&self, with: &mut impl FnMut(u32) -> Type) -> Type {
        match self {
            Self::Var(number) => with(*number),
            Self::List(item) => Self::list(item.replace(with)),
            Self::Map(pair) => {
                let key = pair.0.replace(with);
                Self::map(key, pair.1.replace(with))
            }
            Self::Struct(shape) => {
                let types = shape.types.iter().map(|ty| ty.replace(with)).collect();
                Self::Struct(Arc::new(StructType { names: Arc::clone(&shape.names), types }))
            }
            Self::Func(shape) => Self::Func(Arc::new(FuncType {
                names: shape.names.clone(),
                args: shape.args.iter().map(|ty| ty.replace(with)).collect(),
                result: shape.result.replace(with),
            })),
            _ => self.clone(),
        }
    }

    /// The type of a value as far as the value determines it. The items of an empty list, the pairs
    /// of an empty map and functions are unknown (`?1`).
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::Float(_) => Self::Float,
            Value::Str(_) => Self::Str,
            Value::List(items) => Self::list(items.first().map_or(Self::Var(1), Self::of)),
            Value::Map(map) => match map.pairs().first() {
                Some((key, value)) => Self::map(Self::of(key), Self::of(value)),
                None => Self::map(Self::Var(1), Self::Var(2)),
            },
            Value::Struct(record) => Self::Struct(Arc::new(StructType {
                names: Arc::clone(record.names()),
                types: record.values().iter().map(Self::of).collect(),
            })),
            Value::Func(_) => Self::Var(1),
        }
    }

    /// The initial value of fields of this type, if there is one.
    pub fn zero(&self) -> Option<Value> {
        Some(match self {
            Self::Bool => false.into(),
            Self::Str => "".into(),
            Self::Int => 0.into(),
            Self::Float => 0.0.into(),
            Self::List(_) => Value::list([]),
            Self::Map(_) => crate::value::Map::new([]).into(),
            Self::Struct(shape) => {
                let values = shape.types.iter().map(Self::zero).collect::<Option<_>>()?;
                crate::value::Struct::new(Arc::clone(&shape.names), values).into()
            }
            Self::Func(_) | Self::Variant | Self::Var(_) => return None,
        })
    }
}
