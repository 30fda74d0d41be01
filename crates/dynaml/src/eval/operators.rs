//! Operators on values.

use std::rc::Rc;

use super::evaluator::Evaluator;
use crate::diagnostics::stop::{Eval, FailureKind, Stop};
use crate::network;
use crate::syntax::ast::BinaryOp;
use crate::value::{Item, List, Map, Value};

/// The number of items, and of bytes, that are copied in the time of a step.
const COPIED_ITEMS: u64 = 4;
const COPIED_BYTES: u64 = 32;
/// The number of items that a function processes in the time of a step: it reads and copies each.
const MADE_ITEMS: u64 = 2;

impl Evaluator<'_> {
    /// Counts steps for the items and bytes of a new value. Shared values are not counted.
    pub(crate) fn count_made(&mut self, result: &Value) -> Eval<()> {
        self.count_steps(match result {
            Value::List(list) if Rc::strong_count(list) == 1 => {
                list.items.len() as u64 / MADE_ITEMS
            }
            Value::Map(map) if Rc::strong_count(map) == 1 => {
                map.entries().len() as u64 / MADE_ITEMS
            }
            Value::Str(text) => text.len() as u64 / COPIED_BYTES,
            _ => 0,
        })
    }

    pub(crate) fn operate(&mut self, op: BinaryOp, a: Value, b: Value) -> Eval<Value> {
        match op {
            BinaryOp::Concat => self.concatenate(a, b, false),
            BinaryOp::Eq => Ok(Value::Bool(self.equal(&a, &b)?)),
            BinaryOp::Ne => Ok(Value::Bool(!self.equal(&a, &b)?)),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => self.compare(op, &a, &b),
            BinaryOp::Add | BinaryOp::Sub => self.add_or_subtract(op, &a, &b),
            _ => self.multiply(op, &a, &b),
        }
    }

    /// Concatenates two values. If `is_fresh`, the first one is a result of the same chain of
    /// operators, so that it is not shared.
    pub(crate) fn concatenate(&mut self, a: Value, b: Value, is_fresh: bool) -> Eval<Value> {
        match (&a, &b) {
            (Value::List(x), Value::List(y)) => {
                self.count_steps((x.items.len() + y.items.len()) as u64 / COPIED_ITEMS)?;
                let items = x.items.iter().chain(&y.items).cloned().collect();
                return self.bounded(Value::List(List::new(items, x.key.clone())));
            }
            (Value::List(_) | Value::Map(_), Value::Null) => return Ok(a),
            (Value::List(x), _) => {
                self.count_steps(x.items.len() as u64 / COPIED_ITEMS)?;
                let mut items = Vec::with_capacity(x.items.len() + 1);
                items.extend(x.items.iter().cloned());
                items.push(b.into());
                return self.bounded(Value::List(List::new(items, x.key.clone())));
            }
            (Value::Map(x), Value::Map(y)) => {
                return self.bounded(Value::Map(overlay(x, y)));
            }
            _ => {}
        }
        let right = match &b {
            Value::Lambda(lambda) => Some(self.lambda_text(lambda)),
            other => other.simple_text(),
        };
        // An unshared text grows in place, so that many parts take linear time.
        let (left, a) = match a {
            Value::Str(text) => (Some(text), None),
            other => (other.simple_text(), Some(other)),
        };
        match (left, right) {
            (Some(mut left), Some(right)) => {
                let copied = if is_fresh { 0 } else { left.len() };
                self.count_steps((copied + right.len()) as u64 / COPIED_BYTES)?;
                left.push_str(&right);
                self.bounded(Value::Str(left))
            }
            (left, _) => {
                let a = a.unwrap_or_else(|| Value::Str(left.unwrap_or_default()));
                let plus = format!(
                    "type '{}'({}) cannot be concatenated with type '{}'({})",
                    a.kind(),
                    self.short(&a),
                    b.kind(),
                    self.short(&b)
                );
                let spiff = "simple value can only be concatenated with simple values";
                Err(Stop::of(FailureKind::Concatenation, self.words(spiff, &plus)))
            }
        }
    }

    fn short(&self, value: &Value) -> String {
        value.simple_text().map(Into::into).unwrap_or_default()
    }

    fn compare(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Eval<Value> {
        let order = match (a, b) {
            (Value::Str(a), Value::Str(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            _ => match (number(a), number(b)) {
                (Some(a), Some(b)) => a.partial_cmp(&b),
                _ => {
                    let text_first = matches!(a, Value::Str(_));
                    let kinds =
                        if text_first { "strings or integers" } else { "integers or strings" };
                    let text = format!("comparision {} only for {kinds}", op.text());
                    return Err(Stop::failed(text));
                }
            },
        };
        Ok(Value::Bool(order.is_some_and(|o| match op {
            BinaryOp::Lt => o.is_lt(),
            BinaryOp::Le => o.is_le(),
            BinaryOp::Gt => o.is_gt(),
            _ => o.is_ge(),
        })))
    }

    fn add_or_subtract(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Eval<Value> {
        let add = op == BinaryOp::Add;
        match (a, b) {
            (Value::Str(_), _) => self.address_arithmetic(add, a, b),
            _ => match (number(a), number(b)) {
                (Some(x), Some(y)) => Ok(Value::Float(if add { x + y } else { x - y })),
                _ => Err(self.no_sum(add, a)),
            },
        }
    }

    fn no_sum(&self, add: bool, a: &Value) -> Stop {
        let (name, word) = if add { ("PLUS", "addition") } else { ("MINUS", "subtration") };
        let spiff = match a {
            Value::Int(_) | Value::Float(_) => "integer operand required".to_owned(),
            Value::Str(_) => format!("string argument for {name} must be an IP address"),
            _ => format!("first argument of {name} must be IP address or integer"),
        };
        Stop::failed(
            self.words(&spiff, &format!("non-IP address {word} requires number arguments")),
        )
    }

    fn address_arithmetic(&mut self, add: bool, a: &Value, b: &Value) -> Eval<Value> {
        let (Value::Str(text), Ok(left)) = (a, network::parse(a)) else {
            let name = if add { "PLUS" } else { "MINUS" };
            let word = if add { "addition" } else { "substraction" };
            let spiff = format!("string argument for {name} must be an IP address");
            let plus = format!("first argument for {word} must be IP address, CIDR or number");
            return Err(Stop::failed(self.words(&spiff, &plus)));
        };
        match b {
            Value::Int(n) => {
                let n = i128::from(*n);
                network::shift(text, &left, if add { n } else { -n })
            }
            Value::Str(_) if !add => match network::parse(b) {
                Ok(right) => network::distance(&left, &right),
                Err(_) => {
                    let plus =
                        "second argument for substraction must be IP address, CIDR or number";
                    Err(Stop::failed(self.words("integer operand required", plus)))
                }
            },
            _ => {
                let plus = if add {
                    "addition argument for an IP address requires an integer argument"
                } else {
                    "second argument of IP address subtraction must be IP address or integer"
                };
                Err(Stop::failed(self.words("integer operand required", plus)))
            }
        }
    }

    fn multiply(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Eval<Value> {
        if let (Value::Str(text), Value::Int(n)) = (a, b)
            && op != BinaryOp::Mod
            && text.contains('/')
            && let Ok(net) = network::parse(a)
        {
            return if op == BinaryOp::Mul {
                network::nth(&net, *n)
            } else {
                network::split(&net, *n)
            };
        }
        if let (Value::Int(x), Value::Int(y)) = (a, b) {
            return match op {
                _ if *y == 0 => Err(Stop::failed("division by zero")),
                BinaryOp::Div => Ok(Value::Int(x.wrapping_div(*y))),
                _ => Ok(Value::Int(x.wrapping_rem(*y))),
            };
        }
        match (number(a), number(b), op) {
            (Some(x), Some(y), BinaryOp::Mul) => Ok(Value::Float(x * y)),
            (Some(_), Some(0.0), BinaryOp::Div) => Err(Stop::failed("division by zero")),
            (Some(x), Some(y), BinaryOp::Div) => Ok(Value::Float(x / y)),
            _ => {
                let plus = match op {
                    BinaryOp::Mul => "non-CIDR multiplication requires number arguments",
                    BinaryOp::Div => "non-CIDR division requires number arguments",
                    _ => "integer operand required",
                };
                Err(Stop::failed(self.words("integer operand required", plus)))
            }
        }
    }
}

/// The common integer operators that cannot fail; `None` for anything else.
pub fn whole_numbers(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    let (Value::Int(a), Value::Int(b)) = (a, b) else { return None };
    let number = op.arithmetic(*a, *b).map(Value::Int);
    number.or_else(|| op.comparison(*a, *b).map(Value::Bool))
}

/// The number of an integer or float.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(n) => Some(*n as f64),
        Value::Float(x) => Some(*x),
        _ => None,
    }
}

/// All entries of two maps; the second wins.
pub fn overlay(a: &Map, b: &Map) -> Rc<Map> {
    let (mut x, mut y) = (a.entries().iter().peekable(), b.entries().iter().peekable());
    let mut out: Vec<(ecow::EcoString, Item)> = Vec::new();
    loop {
        let next = match (x.peek(), y.peek()) {
            (Some(a), Some(b)) if a.0 < b.0 => x.next(),
            (Some(a), Some(b)) => {
                if a.0 == b.0 {
                    x.next();
                }
                y.next()
            }
            (Some(_), None) => x.next(),
            (None, Some(_)) => y.next(),
            (None, None) => return Map::new(out),
        };
        out.extend(next.cloned());
    }
}
