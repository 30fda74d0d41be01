//! Operators and lookups at run time: the internal functions `_operator`, `_lookup` and
//! `_struct_lookup`.

use super::{Builtin, Call, Fault, Outcome, global};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "_lookup",
        "func(listormap []?1, indexorkey int) ?1 | func(listormap map{?1: ?2}, indexorkey ?1) ?2",
        "The element of a list or a map: `a[b]`.",
        global::lookup,
    )
    .catchable()
    .variable(),
    Builtin::pure(
        "_operator",
        "func(op str, a ?1, b ?1) ?2",
        "The value of an operator with one or two operands.",
        operator,
    )
    .catchable()
    .variable(),
    Builtin::pure(
        "_struct_lookup",
        "func(struct ?1, field str) ?2",
        "The field of a struct: `s->f`.",
        field,
    )
    .variable(),
    Builtin::pure(
        "_struct_lookup_optional",
        "func(struct ?1, field str, optional ?2) ?2",
        "The field of a struct, or a default if its type has none: `s->f <|> d`.",
        field,
    )
    .variable(),
];

fn field(call: &mut Call<'_>) -> Outcome {
    let name = call.text(1)?;
    if name.is_empty() {
        return Err(Fault::fatal("received empty field"));
    }
    match call.record(0)?.get(&name) {
        Some(value) => Ok(value.clone()),
        None if call.args.len() > 2 => call.value(2).cloned(),
        None => Err(Fault::fatal(format!("could not lookup field: `{name}` in struct"))),
    }
}

fn operator(call: &mut Call<'_>) -> Outcome {
    let a = call.value(1)?;
    match Operator::of(call.str(0)?.as_str().unwrap_or("")) {
        Some(operator) => operator.apply(a, call.args.get(2).copied()),
        None => Err(unsupported(a)),
    }
}

/// An operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `not`
    Not,
    /// `==`
    Equal,
    /// `!=`
    Differ,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `and`
    And,
    /// `or`
    Or,
    /// `in`
    In,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

impl Operator {
    /// The operator that is written so.
    pub fn of(text: &str) -> Option<Self> {
        Some(match text {
            "not" => Self::Not,
            "==" => Self::Equal,
            "!=" => Self::Differ,
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::More,
            ">=" => Self::AtLeast,
            "and" => Self::And,
            "or" => Self::Or,
            "in" => Self::In,
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            _ => return None,
        })
    }

    /// The operator as it is written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Equal => "==",
            Self::Differ => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::And => "and",
            Self::Or => "or",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }

    /// Its value for these operands.
    ///
    /// # Errors
    /// If the operator does not support the kinds, or the divisor is zero.
    pub fn apply(self, a: &Value, b: Option<&Value>) -> Outcome {
        let Some(b) = b else {
            return match (self, a) {
                (Self::Not, Value::Bool(a)) => Ok((!a).into()),
                _ => Err(unsupported(a)),
            };
        };
        if let Some(value) = self.of_plain(a, b) {
            return Ok(value);
        }
        match (self, a, b) {
            (Self::Equal, ..) => equal(a, b).map(Value::from),
            (Self::Differ, ..) => equal(a, b).map(|is_equal| (!is_equal).into()),
            (Self::In, _, Value::List(items)) => Ok(items.contains(a).into()),
            (Self::In, ..) => Err(unsupported(b)),
            (Self::Add, Value::Str(a), Value::Str(b)) => {
                Ok(Value::bytes([a.as_bytes(), b.as_bytes()].concat()))
            }
            (Self::Divide, Value::Int(a), Value::Int(b)) => divide(*a as f64, *b as f64),
            (Self::Divide, Value::Float(a), Value::Float(b)) => divide(*a, *b),
            _ => Err(unsupported(a)),
        }
    }

    /// Its value for two numbers or two bools ([`Value::is_plain`]), if the result is such a value
    /// too and the operator cannot fail.
    #[inline]
    pub(crate) fn of_plain(self, a: &Value, b: &Value) -> Option<Value> {
        Some(match (a, b) {
            (Value::Int(a), Value::Int(b)) => match self {
                Self::Add => a.wrapping_add(*b).into(),
                Self::Subtract => a.wrapping_sub(*b).into(),
                Self::Multiply => a.wrapping_mul(*b).into(),
                _ => self.of_order(a, b)?.into(),
            },
            (Value::Float(a), Value::Float(b)) => match self {
                Self::Add => (a + b).into(),
                Self::Subtract => (a - b).into(),
                Self::Multiply => (a * b).into(),
                _ => self.of_order(a, b)?.into(),
            },
            (Value::Bool(a), Value::Bool(b)) => match self {
                Self::And => (*a && *b).into(),
                Self::Or => (*a || *b).into(),
                Self::Equal => (a == b).into(),
                Self::Differ => (a != b).into(),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Its value if it compares.
    #[inline]
    fn of_order<T: PartialOrd>(self, a: &T, b: &T) -> Option<bool> {
        Some(match self {
            Self::Equal => a == b,
            Self::Differ => a != b,
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::More => a > b,
            Self::AtLeast => a >= b,
            _ => return None,
        })
    }
}

fn unsupported(value: &Value) -> Fault {
    Fault::fatal(format!("unsupported kind: {}", value.kind()))
}

fn equal(a: &Value, b: &Value) -> Result<bool, Fault> {
    if matches!(a, Value::Func(_)) { Err(unsupported(a)) } else { Ok(a == b) }
}

fn divide(a: f64, b: f64) -> Outcome {
    if b == 0.0 { Err(Fault::catchable("can't divide by zero")) } else { Ok((a / b).into()) }
}
