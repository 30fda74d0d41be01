//! The data of templates: values of Go.

use std::sync::Arc;

use ordain_functions::go::printf::Arg;
use ordain_functions::go::strings;

use crate::types::Type;
use crate::value::{Map, Str, Struct, Value};

/// A value in a template.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Datum {
    /// Nothing: there is no data, or no entry.
    Nothing,
    Bool(bool),
    /// An `int64` of mcl, or an `int` of the template.
    Int(i64, bool),
    Float(f64),
    Str(Str),
    List(Arc<List>),
    Map(Arc<Dict>),
}

#[derive(PartialEq, Debug)]
pub(super) struct List {
    /// The name of the type of the items.
    pub item: String,
    pub items: Vec<Datum>,
}

#[derive(PartialEq, Debug)]
pub(super) struct Dict {
    /// The names of the types of keys and values.
    pub key: String,
    pub value: String,
    pub pairs: Vec<(Datum, Datum)>,
    /// Whether it comes from a struct, whose field names are capitalized here.
    pub is_struct: bool,
}

/// The type of any value.
const ANY: &str = "interface {}";

impl Dict {
    pub(super) fn get(&self, key: &Datum) -> Option<&Datum> {
        self.pairs.iter().find(|(k, _)| k == key).map(|(_, value)| value)
    }

    pub(super) fn field(&self, name: &str) -> Option<&Datum> {
        let found = self.get(&Datum::Str(name.into()));
        if found.is_none() && self.is_struct {
            return self.get(&Datum::Str(title(name)));
        }
        found
    }
}

/// Capitalizes a name.
fn title(name: &str) -> Str {
    Str::from_bytes(strings::title(name.as_bytes()))
}

impl Datum {
    /// An integer of the template.
    pub(super) fn int(value: usize) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX), false)
    }

    /// The name of its type.
    pub(super) fn type_name(&self) -> String {
        match self {
            Self::Nothing => "<nil>".into(),
            Self::Bool(_) => "bool".into(),
            Self::Int(_, true) => "int64".into(),
            Self::Int(_, false) => "int".into(),
            Self::Float(_) => "float64".into(),
            Self::Str(_) => "string".into(),
            Self::List(list) => format!("[]{}", list.item),
            Self::Map(map) => format!("map[{}]{}", map.key, map.value),
        }
    }

    /// Whether a condition takes it for true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Bool(value) => *value,
            Self::Int(value, _) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(list) => !list.items.is_empty(),
            Self::Map(map) => !map.pairs.is_empty(),
        }
    }

    /// The value for formats.
    pub(super) fn to_arg(&self) -> Arg {
        match self {
            Self::Nothing => Arg::Nil,
            Self::Bool(value) => Arg::Bool(*value),
            Self::Int(value, is_wide) => Arg::Int(*value, if *is_wide { "int64" } else { "int" }),
            Self::Float(value) => Arg::Float(*value),
            Self::Str(text) => Arg::Str(text.as_bytes().to_vec()),
            Self::List(list) => {
                Arg::List(self.type_name(), list.items.iter().map(Self::to_arg).collect())
            }
            Self::Map(map) => {
                let pairs = map.pairs.iter().map(|(key, value)| (key.to_arg(), value.to_arg()));
                Arg::Map(self.type_name(), pairs.collect())
            }
        }
    }

    /// The text of it where it is printed.
    pub(super) fn text(&self) -> Vec<u8> {
        match self {
            Self::Nothing => b"<no value>".to_vec(),
            Self::Str(text) => text.as_bytes().to_vec(),
            _ => ordain_functions::go::printf::plain(&self.to_arg()),
        }
    }

    /// The value as a value of mcl of this type; `None` if it has another type.
    pub(super) fn to_value(&self, ty: &Type) -> Option<Value> {
        Some(match (self, ty) {
            (Self::Bool(value), Type::Bool) => (*value).into(),
            (Self::Int(value, true), Type::Int) => (*value).into(),
            (Self::Float(value), Type::Float) => (*value).into(),
            (Self::Str(text), Type::Str) => text.clone().into(),
            (Self::List(list), Type::List(item)) if list.item == go_type(item) => {
                let items: Option<Vec<Value>> =
                    list.items.iter().map(|i| i.to_value(item)).collect();
                Value::list(items?)
            }
            (Self::Map(map), Type::Map(pair))
                if map.key == go_type(&pair.0) && map.value == go_type(&pair.1) =>
            {
                let pairs = map
                    .pairs
                    .iter()
                    .map(|(key, value)| Some((key.to_value(&pair.0)?, value.to_value(&pair.1)?)));
                Map::new(pairs.collect::<Option<Vec<_>>>()?).into()
            }
            _ => return None,
        })
    }
}

/// The name of a type in Go.
pub(super) fn go_type(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".into(),
        Type::Str => "string".into(),
        Type::Int => "int64".into(),
        Type::Float => "float64".into(),
        Type::List(item) => format!("[]{}", go_type(item)),
        Type::Map(pair) => format!("map[{}]{}", go_type(&pair.0), go_type(&pair.1)),
        _ => ANY.into(),
    }
}

/// Whether the type is the same in Go. Structs whose fields are all in lower case become maps.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Str | Type::Int | Type::Float => true,
        Type::List(item) => is_plain(item),
        Type::Map(pair) => is_plain(&pair.0) && is_plain(&pair.1),
        _ => false,
    }
}

/// A value of mcl for a template; the type is optional.
///
/// # Errors
/// Templates see no function values.
pub(super) fn convert(value: &Value, ty: Option<&Type>) -> Result<Datum, String> {
    let found;
    let ty = match ty {
        Some(ty) => ty,
        None => {
            found = Type::of(value);
            &found
        }
    };
    Ok(match value {
        Value::Bool(value) => Datum::Bool(*value),
        Value::Int(value) => Datum::Int(*value, true),
        Value::Float(value) => Datum::Float(*value),
        Value::Str(text) => Datum::Str(text.clone()),
        Value::List(_) if is_plain(ty) => typed(value, ty),
        Value::List(items) => {
            let part = if let Type::List(item) = ty { Some(&**item) } else { None };
            let items = items.iter().map(|item| convert(item, part)).collect::<Result<_, _>>()?;
            Datum::List(Arc::new(List { item: ANY.into(), items }))
        }
        Value::Map(map) => dict(map, ty)?,
        Value::Struct(record) => fields(record, ty)?,
        Value::Func(_) => return Err("can't use `func` as vars input".into()),
    })
}

/// A value whose type is the same in Go.
pub(super) fn typed(value: &Value, ty: &Type) -> Datum {
    match (value, ty) {
        (Value::List(items), Type::List(item)) => {
            let items = items.iter().map(|value| typed(value, item)).collect();
            Datum::List(Arc::new(List { item: go_type(item), items }))
        }
        (Value::Map(map), Type::Map(pair)) => {
            let pairs = map.pairs().iter();
            let pairs = pairs.map(|(key, value)| (typed(key, &pair.0), typed(value, &pair.1)));
            let (key, value) = (go_type(&pair.0), go_type(&pair.1));
            Datum::Map(Arc::new(Dict { key, value, pairs: pairs.collect(), is_struct: false }))
        }
        _ => convert(value, Some(ty)).unwrap_or(Datum::Nothing),
    }
}

/// The result of a function.
pub(super) fn result(value: &Value, ty: &Type) -> Result<Datum, String> {
    if is_plain(ty) { Ok(typed(value, ty)) } else { convert(value, Some(ty)) }
}

fn dict(map: &Map, ty: &Type) -> Result<Datum, String> {
    let (key, part) = match ty {
        Type::Map(pair) => (go_type(&pair.0), Some(&pair.1)),
        _ => ("string".into(), None),
    };
    let key = if map.is_empty() { "string".into() } else { key };
    let pairs = map.pairs().iter();
    let pairs = pairs.map(|(key, value)| Ok((convert(key, None)?, convert(value, part)?)));
    let pairs = pairs.collect::<Result<_, String>>()?;
    Ok(Datum::Map(Arc::new(Dict { key, value: ANY.into(), pairs, is_struct: false })))
}

fn fields(record: &Struct, ty: &Type) -> Result<Datum, String> {
    let shape = if let Type::Struct(shape) = ty { Some(shape) } else { None };
    let mut pairs = Vec::new();
    for (name, value) in record.fields() {
        let value = convert(value, shape.and_then(|shape| shape.get(name)))?;
        pairs.push((Datum::Str(title(name)), value));
    }
    // Go prints maps in the order of their keys.
    pairs.sort_by(|(a, _), (b, _)| match (a, b) {
        (Datum::Str(a), Datum::Str(b)) => a.cmp(b),
        _ => std::cmp::Ordering::Equal,
    });
    let (key, value) = ("string".into(), ANY.into());
    Ok(Datum::Map(Arc::new(Dict { key, value, pairs, is_struct: true })))
}
