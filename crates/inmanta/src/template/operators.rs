//! Python's operators.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::ast::{Binary, Comparison};
use super::fault::{Fault, Res, type_error};
use super::runtime::Runtime;
use super::value::{Entries, Key, Object, Val, View};
use crate::diagnostics::Exception;
use crate::value::{Value, float_integer};

/// The limit for the size of numbers, in bits.
const MAX_BITS: u64 = 1 << 22;

fn zero<T>(text: &str) -> Res<T> {
    Err(Fault::Raised(Exception::ZeroDivisionError, text.into()))
}

fn too_large<T>() -> Res<T> {
    Err(Fault::Raised(Exception::OverflowError, "the number is too large".into()))
}

fn unsupported(symbol: &str, a: &Val, b: &Val) -> Fault {
    let (a, b) = (a.type_name(), b.type_name());
    type_error(format!("unsupported operand type(s) for {symbol}: '{a}' and '{b}'"))
}

/// Converts a number to a float.
pub(super) fn float(value: &Val) -> Res<f64> {
    Ok(match value {
        Val::Float(number) => *number,
        Val::Int(number) => *number as f64,
        Val::Bool(truth) => f64::from(u8::from(*truth)),
        Val::Big(number) => {
            let found: f64 = number.to_string().parse().unwrap_or(f64::INFINITY);
            if found.is_infinite() {
                let text = "int too large to convert to float";
                return Err(Fault::Raised(Exception::OverflowError, text.into()));
            }
            found
        }
        _ => {
            let text = format!("must be real number, not {}", value.type_name());
            return Err(type_error(text));
        }
    })
}

/// Divides two integers with a single rounding.
fn divided(a: &BigInt, b: &BigInt) -> Res<f64> {
    if a.sign() == Sign::NoSign {
        return Ok(0.0);
    }
    let is_negative = (a.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    let (a, b) = (a.magnitude(), b.magnitude());
    // The quotient has a few bits more than a float, and a last bit for the remainder, so that it
    // is rounded only once.
    let shift = 66 - (a.bits() as i64 - b.bits() as i64);
    let (a, b) = if shift >= 0 {
        (a << shift.unsigned_abs(), b.clone())
    } else {
        (a.clone(), b << shift.unsigned_abs())
    };
    let mut quotient = &a / &b;
    if &quotient * &b != a {
        quotient.set_bit(0, true);
    }
    let found: f64 = quotient.to_string().parse().unwrap_or(f64::INFINITY);
    let exponent = i32::try_from(-shift).unwrap_or(i32::MAX);
    let half = exponent / 2;
    let found = found * 2f64.powi(half) * 2f64.powi(exponent - half);
    if found.is_infinite() {
        let text = "integer division result too large for a float";
        return Err(Fault::Raised(Exception::OverflowError, text.into()));
    }
    Ok(if is_negative { -found } else { found })
}

fn floor_divided(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (a / b, a % b);
    if rest.sign() != Sign::NoSign && rest.sign() != b.sign() {
        (quotient - 1, rest + b)
    } else {
        (quotient, rest)
    }
}

fn power(a: &BigInt, b: &BigInt) -> Res<Val> {
    if b.sign() == Sign::Minus {
        return float_power(float(&Val::int(a.clone()))?, float(&Val::int(b.clone()))?);
    }
    if a.bits() <= 1 {
        let is_even = !b.bit(0);
        return Ok(Val::Int(match a.sign() {
            _ if b.sign() == Sign::NoSign => 1,
            Sign::NoSign => 0,
            Sign::Minus if !is_even => -1,
            _ => 1,
        }));
    }
    match u32::try_from(b) {
        Ok(exponent) if u64::from(exponent).saturating_mul(a.bits()) <= MAX_BITS => {
            Ok(Val::int(a.pow(exponent)))
        }
        _ => too_large(),
    }
}

fn float_power(a: f64, b: f64) -> Res<Val> {
    if a == 0.0 && b < 0.0 {
        return zero("0.0 cannot be raised to a negative power");
    }
    if a < 0.0 && a.is_finite() && b.is_finite() && b.fract() != 0.0 {
        let text = "complex numbers are not supported in templates";
        return Err(Fault::Raised(Exception::NotImplementedError, text.into()));
    }
    let found = a.powf(b);
    if found.is_infinite() && a.is_finite() && b.is_finite() {
        let text = "(34, 'Numerical result out of range')";
        return Err(Fault::Raised(Exception::OverflowError, text.into()));
    }
    Ok(Val::Float(found))
}

fn floats(operator: Binary, a: f64, b: f64) -> Res<Val> {
    Ok(Val::Float(match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide if b == 0.0 => return zero("float division by zero"),
        Binary::Divide => a / b,
        Binary::FloorDivide if b == 0.0 => return zero("float floor division by zero"),
        Binary::Modulo if b == 0.0 => return zero("float modulo by zero"),
        Binary::FloorDivide => {
            let rest = floored_rest(a, b);
            let quotient = (a - rest) / b;
            let floor = quotient.floor();
            if quotient - floor > 0.5 { floor + 1.0 } else { floor }
        }
        Binary::Modulo => floored_rest(a, b),
        Binary::Power => return float_power(a, b),
    }))
}

fn floored_rest(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        0.0_f64.copysign(b)
    } else if (rest < 0.0) != (b < 0.0) {
        rest + b
    } else {
        rest
    }
}

fn integers(operator: Binary, a: &Val, b: &Val) -> Res<Val> {
    if let (Some(a), Some(b)) = (a.as_small(), b.as_small()) {
        let found = match operator {
            Binary::Add => a.checked_add(b),
            Binary::Subtract => a.checked_sub(b),
            Binary::Multiply => a.checked_mul(b),
            _ => None,
        };
        if let Some(found) = found {
            return Ok(Val::Int(found));
        }
    }
    let (Some(a), Some(b)) = (a.as_integer(), b.as_integer()) else {
        return Err(unsupported("+", a, b));
    };
    if a.bits() + b.bits() > MAX_BITS {
        return too_large();
    }
    let is_zero = b.sign() == Sign::NoSign;
    Ok(match operator {
        Binary::Add => Val::int(a + b),
        Binary::Subtract => Val::int(a - b),
        Binary::Multiply => Val::int(a * b),
        Binary::Divide if is_zero => return zero("division by zero"),
        Binary::FloorDivide if is_zero => return zero("integer division or modulo by zero"),
        Binary::Modulo if is_zero => return zero("integer modulo by zero"),
        Binary::Divide => Val::Float(divided(&a, &b)?),
        Binary::FloorDivide => Val::int(floor_divided(&a, &b).0),
        Binary::Modulo => Val::int(floor_divided(&a, &b).1),
        Binary::Power => return power(&a, &b),
    })
}

impl Binary {
    fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Modulo => "%",
            Self::Power => "** or pow()",
        }
    }
}

impl Runtime<'_> {
    /// Python's `bool`.
    pub(super) fn truth(&mut self, value: &Val) -> Res<bool> {
        Ok(match value {
            Val::None => false,
            Val::Bool(truth) => *truth,
            Val::Int(number) => *number != 0,
            Val::Float(number) => *number != 0.0,
            Val::Undefined(found) if found.is_strict => return Err(found.fault(self)),
            Val::Undefined(_) => false,
            Val::Object(found) => match &**found {
                Object::Range { .. } | Object::View(..) | Object::Set(_) => self.length(value)? > 0,
                Object::Loop(state) => self.loop_length(state)? > 0,
                _ => true,
            },
            Val::Str(_) | Val::Markup(_) | Val::Bytes(_) => match value {
                Val::Bytes(bytes) => !bytes.is_empty(),
                _ => value.as_text().is_some_and(|text| !text.is_empty()),
            },
            Val::List(_) | Val::Tuple(_) | Val::Dict(_) => self.length(value)? > 0,
            Val::Proxy(found) => match &found.value {
                Value::List(items) => !items.is_empty(),
                Value::Dict(items) => !items.is_empty(),
                _ => true,
            },
            Val::Big(_) | Val::Iterator(_) => true,
        })
    }

    pub(super) fn binary(&mut self, operator: Binary, a: &Val, b: &Val) -> Res<Val> {
        if a.is_number() && b.is_number() {
            let is_float = matches!(a, Val::Float(_)) || matches!(b, Val::Float(_));
            return if is_float {
                floats(operator, float(a)?, float(b)?)
            } else {
                integers(operator, a, b)
            };
        }
        if operator == Binary::Modulo
            && let Val::Str(text) | Val::Markup(text) = a
        {
            return self.percent(text, b, a.is_markup());
        }
        for value in [a, b] {
            if let Val::Undefined(found) = value {
                return Err(found.fault(self));
            }
        }
        match operator {
            Binary::Add => self.added(a, b),
            Binary::Multiply => self.repeated(a, b),
            Binary::Subtract => match (set_of(a), set_of(b)) {
                (Some(a), Some(b)) => {
                    let mut left = a;
                    left.retain(|key, _| !b.contains_key(key));
                    Ok(Val::object(Object::Set(left.into())))
                }
                _ => Err(unsupported("-", a, b)),
            },
            _ => Err(unsupported(operator.symbol(), a, b)),
        }
    }

    fn added(&mut self, a: &Val, b: &Val) -> Res<Val> {
        match (a, b) {
            (Val::Str(left), Val::Str(right)) => {
                self.text_fits(left.len() + right.len())?;
                let mut text = left.clone();
                text.push_str(right);
                Ok(Val::Str(text))
            }
            (Val::Markup(_), Val::Str(_) | Val::Markup(_)) | (Val::Str(_), Val::Markup(_)) => {
                let mut text = self.escaped(a)?;
                text.push_str(&self.escaped(b)?);
                self.text_fits(text.len())?;
                Ok(Val::Markup(text))
            }
            (Val::List(left), Val::List(right)) => {
                let mut items = left.borrow().clone();
                items.extend(right.borrow().iter().cloned());
                self.items_fit(items.len())?;
                Ok(Val::list(items))
            }
            (Val::Tuple(left), Val::Tuple(right)) => {
                let mut items = left.items.clone();
                items.extend(right.items.iter().cloned());
                self.items_fit(items.len())?;
                Ok(Val::tuple(items))
            }
            (Val::Bytes(left), Val::Bytes(right)) => {
                Ok(Val::Bytes([&left[..], &right[..]].concat().into()))
            }
            (Val::Str(_) | Val::List(_) | Val::Tuple(_), _) => {
                let (left, right) = (a.type_name(), b.type_name());
                Err(type_error(format!("can only concatenate {left} (not \"{right}\") to {left}")))
            }
            _ => Err(unsupported("+", a, b)),
        }
    }

    fn repeated(&mut self, a: &Val, b: &Val) -> Res<Val> {
        let is_sequence = |value: &Val| {
            matches!(
                value,
                Val::Str(_) | Val::Markup(_) | Val::List(_) | Val::Tuple(_) | Val::Bytes(_)
            )
        };
        let (sequence, count) = if is_sequence(a) { (a, b) } else { (b, a) };
        if !is_sequence(sequence) {
            return Err(unsupported("*", a, b));
        }
        if !matches!(count, Val::Bool(_) | Val::Int(_) | Val::Big(_)) {
            let text =
                format!("can't multiply sequence by non-int of type '{}'", count.type_name());
            return Err(type_error(text));
        }
        let count = usize::try_from(count.as_index()?.max(0)).unwrap_or(usize::MAX);
        let repeated = |items: &[Val], runtime: &mut Self| {
            runtime.items_fit(items.len().saturating_mul(count))?;
            runtime.step((items.len() * count) as u64)?;
            Ok::<_, Fault>((0..count).flat_map(|_| items.iter().cloned()).collect::<Vec<_>>())
        };
        match sequence {
            Val::Str(text) | Val::Markup(text) => {
                self.text_fits(text.len().saturating_mul(count))?;
                Ok(Val::text_like(text.repeat(count), sequence.is_markup()))
            }
            Val::Bytes(bytes) => {
                self.text_fits(bytes.len().saturating_mul(count))?;
                Ok(Val::Bytes(bytes.repeat(count).into()))
            }
            Val::Tuple(found) => repeated(&found.items, self).map(Val::tuple),
            Val::List(found) => repeated(&found.borrow().clone(), self).map(Val::list),
            _ => Err(unsupported("*", a, b)),
        }
    }

    pub(super) fn negative(&mut self, value: &Val) -> Res<Val> {
        match value {
            Val::Float(number) => Ok(Val::Float(-number)),
            Val::Undefined(found) => Err(found.fault(self)),
            _ => match value.as_integer() {
                Some(number) => Ok(Val::int(-number)),
                None => Err(type_error(format!(
                    "bad operand type for unary -: '{}'",
                    value.type_name()
                ))),
            },
        }
    }

    pub(super) fn positive(&mut self, value: &Val) -> Res<Val> {
        match value {
            Val::Float(number) => Ok(Val::Float(*number)),
            // An object is escaped text if it has this method.
            Val::Undefined(found) => Err(found.fault(self)),
            _ => match value.as_integer() {
                Some(number) => Ok(Val::int(number)),
                None => Err(type_error(format!(
                    "bad operand type for unary +: '{}'",
                    value.type_name()
                ))),
            },
        }
    }

    pub(super) fn compare(&mut self, comparison: Comparison, a: &Val, b: &Val) -> Res<bool> {
        match comparison {
            Comparison::Equal => self.equal(a, b),
            Comparison::NotEqual => self.equal(a, b).map(|equal| !equal),
            Comparison::In => self.contains(b, a),
            Comparison::NotIn => self.contains(b, a).map(|found| !found),
            _ => self.ordered(comparison, a, b),
        }
    }

    fn ordered(&mut self, comparison: Comparison, a: &Val, b: &Val) -> Res<bool> {
        for value in [a, b] {
            if let Val::Undefined(found) = value {
                return Err(found.fault(self));
            }
        }
        // Values of the model only implement `<`, so `>` exchanges its sides.
        let sides = match (comparison, a, b) {
            (Comparison::Less, Val::Proxy(left), other) => Some((left.clone(), other)),
            (Comparison::Greater, other, Val::Proxy(left)) => Some((left.clone(), other)),
            _ => None,
        };
        if let Some((left, right)) = sides {
            let right = self.model_value(right, 0)?;
            return is_less_in_model(&left.value, &right);
        }
        let sequences = match (a, b) {
            (Val::List(left), Val::List(right)) => {
                Some((left.borrow().clone(), right.borrow().clone()))
            }
            (Val::Tuple(left), Val::Tuple(right)) => {
                Some((left.items.clone(), right.items.clone()))
            }
            _ => None,
        };
        if let Some((left, right)) = sequences {
            for (x, y) in left.iter().zip(&right) {
                if !self.equal(x, y)? {
                    return self.nested(|runtime| runtime.ordered(comparison, x, y));
                }
            }
            return Ok(holds(comparison, Some(left.len().cmp(&right.len()))));
        }
        if let (Some(left), Some(right)) = (set_of(a), set_of(b)) {
            return Ok(compare_sets(comparison, &left, &right));
        }
        let order = match (a, b) {
            (Val::Bytes(left), Val::Bytes(right)) => Some(left.cmp(right)),
            _ if a.is_number() && b.is_number() => number_order(a, b),
            _ => match (a.as_text(), b.as_text()) {
                (Some(left), Some(right)) => Some(left.chars().cmp(right.chars())),
                _ => {
                    let text = format!(
                        "'{}' not supported between instances of '{}' and '{}'",
                        symbol(comparison),
                        a.type_name(),
                        b.type_name()
                    );
                    return Err(type_error(text));
                }
            },
        };
        Ok(holds(comparison, order))
    }

    /// Whether `a < b`, for sorting.
    pub(super) fn less(&mut self, a: &Val, b: &Val) -> Res<bool> {
        self.step(1)?;
        self.ordered(Comparison::Less, a, b)
    }

    /// Python's `==`.
    pub(super) fn equal(&mut self, a: &Val, b: &Val) -> Res<bool> {
        self.step(1)?;
        if let (Val::Str(a), Val::Str(b)) = (a, b) {
            return Ok(a == b);
        }
        for value in [a, b] {
            if let Val::Undefined(found) = value
                && found.is_strict
            {
                return Err(found.fault(self));
            }
        }
        if a.is_number() && b.is_number() {
            return Ok(number_order(a, b) == Some(Ordering::Equal));
        }
        if let (Some(a), Some(b)) = (a.as_text(), b.as_text()) {
            return Ok(a == b);
        }
        match (a, b) {
            (Val::Undefined(_), Val::Undefined(_)) | (Val::None, Val::None) => Ok(true),
            (Val::Bytes(a), Val::Bytes(b)) => Ok(a == b),
            (Val::List(x), Val::List(y)) => {
                if std::rc::Rc::ptr_eq(x, y) {
                    return Ok(true);
                }
                let (x, y) = (x.borrow().clone(), y.borrow().clone());
                self.nested(|runtime| runtime.all_equal(&x, &y))
            }
            (Val::Tuple(x), Val::Tuple(y)) => {
                self.nested(|runtime| runtime.all_equal(&x.items, &y.items))
            }
            (Val::Dict(x), Val::Dict(y)) => {
                let (x, y) = (x.borrow().clone(), y.borrow().clone());
                self.equal_dicts(&x, &y)
            }
            (Val::Proxy(x), _) => Ok(self.equals_model(&x.value, b)),
            (_, Val::Proxy(y)) => Ok(self.equals_model(&y.value, a)),
            (Val::Object(x), Val::Object(y)) => {
                if let (
                    Object::Range { start: a, stop: b, step: c },
                    Object::Range { start: d, stop: e, step: f },
                ) = (&**x, &**y)
                {
                    let (left, right) =
                        (Object::range_length(*a, *b, *c), Object::range_length(*d, *e, *f));
                    let is_equal =
                        left == right && (left == 0 || (a == d && (left == 1 || c == f)));
                    return Ok(is_equal);
                }
                if let (Object::Null, Object::Null) = (&**x, &**y) {
                    return Ok(true);
                }
                if let (Some(x), Some(y)) = (set_of(a), set_of(b)) {
                    return Ok(x.len() == y.len() && x.keys().all(|key| y.contains_key(key)));
                }
                Ok(a.is_same(b))
            }
            _ => Ok(a.is_same(b)),
        }
    }

    fn all_equal(&mut self, a: &[Val], b: &[Val]) -> Res<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (x, y) in a.iter().zip(b) {
            if !x.is_same(y) && !self.equal(x, y)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn equal_dicts(&mut self, x: &Entries, y: &Entries) -> Res<bool> {
        if x.map.len() != y.map.len() {
            return Ok(false);
        }
        for (key, (_, value)) in &x.map {
            let Some((_, other)) = y.map.get(key) else { return Ok(false) };
            if !self.nested(|runtime| runtime.equal(value, other))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a value of the model equals one of the template.
    fn equals_model(&self, value: &Value, other: &Val) -> bool {
        match (value, other) {
            (_, Val::Proxy(other)) => *value == other.value,
            (Value::List(items), Val::List(others)) => {
                let others = others.borrow();
                items.len() == others.len()
                    && items.iter().zip(others.iter()).all(|(x, y)| self.equals_model(x, y))
            }
            (Value::Dict(items), Val::Dict(others)) => {
                let others = others.borrow();
                items.len() == others.map.len()
                    && items.iter().all(|(key, value)| {
                        others.get(key).is_some_and(|other| self.equals_model(value, other))
                    })
            }
            (Value::Str(text), Val::Str(other) | Val::Markup(other)) => text == other,
            (Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_), _) => {
                to_model_number(other).is_some_and(|other| *value == other)
            }
            _ => false,
        }
    }

    /// Python's `in`.
    pub(super) fn contains(&mut self, container: &Val, item: &Val) -> Res<bool> {
        match container {
            Val::Str(text) | Val::Markup(text) => match item {
                Val::Str(part) | Val::Markup(part) => {
                    self.step(text.len() as u64 / 16)?;
                    Ok(text.contains(part.as_str()))
                }
                _ => Err(type_error(format!(
                    "'in <string>' requires string as left operand, not {}",
                    item.type_name()
                ))),
            },
            Val::Dict(found) => {
                let key = Key::of(item, self)?;
                Ok(found.borrow().map.contains_key(&key))
            }
            Val::Undefined(found) if found.is_strict => Err(found.fault(self)),
            Val::Proxy(found) if found.is_argument && matches!(found.value, Value::Dict(_)) => {
                match self.python_item(container, item) {
                    Ok(_) => Ok(true),
                    Err(fault) if fault.is(&Exception::KeyError) => Ok(false),
                    Err(fault) => Err(fault),
                }
            }
            Val::Object(found) => match &**found {
                Object::View(View::Keys, dict) => {
                    let dict = dict.clone();
                    self.contains(&dict, item)
                }
                Object::Set(items) => {
                    let key = Key::of(item, self)?;
                    Ok(items.borrow().contains_key(&key))
                }
                _ => self.contains_item(container, item),
            },
            _ => self.contains_item(container, item),
        }
    }

    fn contains_item(&mut self, container: &Val, item: &Val) -> Res<bool> {
        let items = self.iterate(container).map_err(|fault| {
            if fault.is(&Exception::TypeError) {
                let class = container.type_name();
                type_error(format!("argument of type '{class}' is not iterable"))
            } else {
                fault
            }
        })?;
        while let Some(found) = items.next(self)? {
            if found.is_same(item) || self.equal(&found, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Python's `sorted` by keys. The sort is stable.
    pub(super) fn sorted(&mut self, items: Vec<(Val, Val)>, is_reversed: bool) -> Res<Vec<Val>> {
        let mut items = items;
        if is_reversed {
            items.reverse();
        }
        let mut failed = None;
        // A failed comparison ends the sort.
        let mut merged = merge_sort(items, &mut |a, b| match self.less(b, a) {
            Ok(is_less) => Ok(is_less),
            Err(fault) => {
                failed = Some(fault);
                Err(())
            }
        });
        if let Some(fault) = failed {
            return Err(fault);
        }
        if is_reversed {
            merged.reverse();
        }
        Ok(merged.into_iter().map(|(_, value)| value).collect())
    }
}

/// A stable merge sort. `is_after` tells whether the first key comes after the second.
fn merge_sort(
    items: Vec<(Val, Val)>,
    is_after: &mut dyn FnMut(&Val, &Val) -> Result<bool, ()>,
) -> Vec<(Val, Val)> {
    let mut runs: Vec<Vec<(Val, Val)>> = items.into_iter().map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut next = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(left) = pairs.next() {
            let Some(right) = pairs.next() else {
                next.push(left);
                break;
            };
            let mut merged = Vec::with_capacity(left.len() + right.len());
            let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
            while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek()) {
                match is_after(a, b) {
                    Ok(true) => merged.extend(right.next()),
                    Ok(false) => merged.extend(left.next()),
                    Err(()) => return merged,
                }
            }
            merged.extend(left);
            merged.extend(right);
            next.push(merged);
        }
        runs = next;
    }
    runs.pop().unwrap_or_default()
}

type SetItems = indexmap::IndexMap<Key, Val, rustc_hash::FxBuildHasher>;

/// The items of a set or a set-like view.
pub(super) fn set_of(value: &Val) -> Option<SetItems> {
    let Val::Object(found) = value else { return None };
    match &**found {
        Object::Set(items) => Some(items.borrow().clone()),
        Object::View(View::Keys, Val::Dict(dict)) => Some(
            dict.borrow().map.iter().map(|(key, (name, _))| (key.clone(), name.clone())).collect(),
        ),
        _ => None,
    }
}

fn to_model_number(value: &Val) -> Option<Value> {
    Some(match value {
        Val::Bool(truth) => Value::Bool(*truth),
        Val::Int(number) => Value::Int(*number),
        Val::Big(number) => Value::BigInt(number.clone()),
        Val::Float(number) => Value::Float(*number),
        _ => return None,
    })
}

/// An order comparison in source text.
fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        _ => ">=",
    }
}

/// Whether an order satisfies an order comparison.
fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    match comparison {
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessEqual => order.is_some_and(Ordering::is_le),
        Comparison::Greater => order == Some(Ordering::Greater),
        _ => order.is_some_and(Ordering::is_ge),
    }
}

/// Compares sets by inclusion.
fn compare_sets(comparison: Comparison, left: &SetItems, right: &SetItems) -> bool {
    let is_below =
        |small: &SetItems, large: &SetItems| small.keys().all(|key| large.contains_key(key));
    match comparison {
        Comparison::Less => left.len() < right.len() && is_below(left, right),
        Comparison::LessEqual => is_below(left, right),
        Comparison::Greater => left.len() > right.len() && is_below(right, left),
        _ => is_below(right, left),
    }
}

/// `<` of two values of the model.
fn is_less_in_model(left: &Value, right: &Value) -> Res<bool> {
    match model_order(left, right) {
        Some(order) => Ok(order == Some(Ordering::Less)),
        None => Err(type_error(format!(
            "'<' not supported between instances of '{}' and '{}'",
            left.python_type(),
            right.python_type()
        ))),
    }
}

/// The order of two values of the model; `None` if they cannot be compared.
fn model_order(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            for (x, y) in a.iter().zip(b.iter()) {
                if x != y {
                    return model_order(x, y);
                }
            }
            Some(Some(a.len().cmp(&b.len())))
        }
        (Value::Str(a), Value::Str(b)) => Some(Some(a.chars().cmp(b.chars()))),
        _ if a.is_number() && b.is_number() => Some(crate::value::compare_numbers(a, b)),
        _ => None,
    }
}

/// The exact order of two numbers.
pub(super) fn number_order(a: &Val, b: &Val) -> Option<Ordering> {
    match (to_model_number(a), to_model_number(b)) {
        (Some(a), Some(b)) => crate::value::compare_numbers(&a, &b),
        _ => None,
    }
}

/// Python's `int` of a float.
pub(super) fn truncated(number: f64) -> Res<Val> {
    if number.is_nan() {
        return Err(super::fault::value_error("cannot convert float NaN to integer"));
    }
    match float_integer(number.trunc()) {
        Some(whole) => Ok(Val::int(whole)),
        None => {
            let text = "cannot convert float infinity to integer";
            Err(Fault::Raised(Exception::OverflowError, text.into()))
        }
    }
}
