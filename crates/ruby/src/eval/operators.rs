//! Operators. Those of numbers and texts are computed directly, the rest call methods.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;

use super::error::Eval;
use super::{Frame, Interp};
use crate::class::Class;
use crate::host::HOST_CLASS;
use crate::syntax::{Binary, Expr};
use crate::value::Value;

/// The largest number of bits an integer may grow to.
const MAX_BITS: u64 = 1 << 20;

impl Interp<'_> {
    pub(super) fn binary(
        &mut self,
        f: &Frame,
        op: Binary,
        left: &Expr,
        right: &Expr,
        line: u32,
    ) -> Eval {
        let left = self.eval(f, left)?;
        let right = self.eval(f, right)?;
        self.line = line;
        self.operate(op, &left, &right)
    }

    /// The result of an operator.
    pub(crate) fn operate(&mut self, op: Binary, left: &Value, right: &Value) -> Eval {
        use Binary as B;
        if let (Value::Int(a), Value::Int(b)) = (left, right)
            && let Some(value) = small(op, *a, *b)
        {
            return Ok(value);
        }
        match op {
            B::Eq => return Ok(Value::Bool(self.equal(left, right)?)),
            B::Ne => return Ok(Value::Bool(!self.equal(left, right)?)),
            B::Same => return Ok(Value::Bool(self.case_equal(left, right)?)),
            B::NotMatch => return Ok(Value::Bool(!self.operate(B::Match, left, right)?.truthy())),
            B::Lt | B::Le | B::Gt | B::Ge if is_ordered(left) => {
                let ordering = self.compare_or_raise(left, right)?;
                return Ok(Value::Bool(holds(op, ordering)));
            }
            _ => {}
        }
        if matches!(left, Value::Int(_) | Value::Big(_) | Value::Float(_))
            && !matches!(op, B::Compare | B::Match)
        {
            return arithmetic(self, op, left, right);
        }
        self.send(left, op.name(), vec![right.clone()])
    }

    /// `===`
    pub(crate) fn case_equal(&mut self, pattern: &Value, value: &Value) -> Eval<bool> {
        match pattern {
            Value::Class(class) => Ok(self.is_a(value, *class)),
            Value::Foreign(class) if class.class == HOST_CLASS => {
                self.unsupported(format!("the class {}", class.text))
            }
            Value::Regexp(_) => match value.as_name() {
                Some(text) => Ok(self.match_text(pattern, &text)?.truthy()),
                None => {
                    self.last_match = None;
                    Ok(false)
                }
            },
            Value::Range(range) => self.covers(range, value),
            Value::Proc(proc) => Ok(self.call_block(proc, std::slice::from_ref(value))?.truthy()),
            _ => self.equal(pattern, value),
        }
    }

    /// Whether a value is of a class.
    pub(crate) fn is_a(&self, value: &Value, class: Class) -> bool {
        if let Value::Exception(e) = value
            && e.class == class
        {
            return true;
        }
        value.class().is_a(class)
    }

    /// Compares two values; an error if that is impossible.
    pub(crate) fn compare_or_raise(&mut self, left: &Value, right: &Value) -> Eval<Ordering> {
        if let (Value::Float(a), Value::Float(b)) = (left, right)
            && (a.is_nan() || b.is_nan())
        {
            return self.raise(Class::ARGUMENT_ERROR, "comparison of Float with Float failed");
        }
        match self.try_compare(left, right)? {
            Some(ordering) => Ok(ordering),
            None => {
                let class = self.class_name(left);
                let is_shown = matches!(
                    right,
                    Value::Nil
                        | Value::Bool(_)
                        | Value::Int(_)
                        | Value::Float(_)
                        | Value::Symbol(_)
                );
                let other = match is_shown {
                    true => self.short_inspect(right),
                    false => self.class_name(right).to_string(),
                };
                let text = format!("comparison of {class} with {other} failed");
                self.raise(Class::ARGUMENT_ERROR, text)
            }
        }
    }
}

/// Whether `<` is built in for these values, rather than a method of their class.
fn is_ordered(value: &Value) -> bool {
    matches!(
        value,
        Value::Int(_)
            | Value::Big(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::Time(_)
            | Value::Symbol(_)
    )
}

fn holds(op: Binary, ordering: Ordering) -> bool {
    match op {
        Binary::Lt => ordering.is_lt(),
        Binary::Le => ordering.is_le(),
        Binary::Gt => ordering.is_gt(),
        _ => ordering.is_ge(),
    }
}

/// Operators on small integers whose result is small.
fn small(op: Binary, a: i64, b: i64) -> Option<Value> {
    use Binary as B;
    Some(match op {
        B::Add => Value::Int(a.checked_add(b)?),
        B::Sub => Value::Int(a.checked_sub(b)?),
        B::Mul => Value::Int(a.checked_mul(b)?),
        B::Div if b != 0 => Value::Int(floor_div(a, b)?),
        B::Mod if b != 0 => Value::Int(floor_mod(a, b)),
        B::BitAnd => Value::Int(a & b),
        B::BitOr => Value::Int(a | b),
        B::BitXor => Value::Int(a ^ b),
        B::Lt => Value::Bool(a < b),
        B::Le => Value::Bool(a <= b),
        B::Gt => Value::Bool(a > b),
        B::Ge => Value::Bool(a >= b),
        B::Eq | B::Same => Value::Bool(a == b),
        B::Ne => Value::Bool(a != b),
        B::Compare => Value::Int(a.cmp(&b) as i64),
        _ => return None,
    })
}

fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

fn floor_mod(a: i64, b: i64) -> i64 {
    if b == -1 {
        return 0;
    }
    let rest = a % b;
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

fn to_big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(i) => Some(BigInt::from(*i)),
        Value::Big(big) => Some((**big).clone()),
        _ => None,
    }
}

/// A number as a float.
pub(crate) fn to_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        Value::Big(big) => big.to_string().parse().ok(),
        _ => None,
    }
}

/// Arithmetic on numbers.
pub(crate) fn arithmetic(this: &mut Interp<'_>, op: Binary, left: &Value, right: &Value) -> Eval {
    if let (Value::Int(a), Value::Int(b)) = (left, right)
        && let Some(value) = small(op, *a, *b)
    {
        return Ok(value);
    }
    if let (Some(a), Some(b)) = (to_big(left), to_big(right)) {
        return integers(this, op, a, b);
    }
    if matches!(op, Binary::Shl | Binary::Shr | Binary::BitAnd | Binary::BitOr | Binary::BitXor) {
        if matches!(left, Value::Float(_)) {
            return this.no_method(left, op.name());
        }
        let shown = match right {
            Value::Nil => "nil".into(),
            Value::Float(_) if !matches!(op, Binary::Shl | Binary::Shr) => "Float".into(),
            other => this.class_name(other),
        };
        let verb = if matches!(op, Binary::Shl | Binary::Shr) {
            if right.is_nil() {
                "no implicit conversion from nil to integer".to_owned()
            } else {
                format!("no implicit conversion of {shown} into Integer")
            }
        } else {
            format!("{shown} can't be coerced into Integer")
        };
        return this.raise(Class::TYPE_ERROR, verb);
    }
    match (to_float(left), to_float(right)) {
        (Some(a), Some(b)) => Ok(Value::Float(floats(op, a, b))),
        _ => {
            let shown = match right {
                Value::Nil | Value::Bool(_) => this.short_inspect(right),
                other => this.class_name(other).to_string(),
            };
            let class = this.class_name(left);
            let text = format!("{shown} can't be coerced into {class}");
            this.raise(Class::TYPE_ERROR, text)
        }
    }
}

fn floats(op: Binary, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Mod => {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
        }
        _ => a.powf(b),
    }
}

/// An integer shifted left, or right for a negative count; `None` if it gets too big.
fn shifted(a: &BigInt, by: i64) -> Option<BigInt> {
    if by < 0 {
        return Some(a >> by.unsigned_abs().min(MAX_BITS * 2));
    }
    (a.bits().saturating_add(by as u64) <= MAX_BITS).then(|| a << by)
}

fn integers(this: &mut Interp<'_>, op: Binary, a: BigInt, b: BigInt) -> Eval {
    let zero = BigInt::from(0);
    let too_big = a.bits() + b.bits() > MAX_BITS;
    this.charge(((a.bits() + b.bits()) / 8) as usize)?;
    this.steps(((a.bits() / 64 + 1) * (b.bits() / 64 + 1)) as usize / 64)?;
    Ok(Value::big(match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul if too_big => return this.limit("an integer is too big"),
        Binary::Mul => a * b,
        Binary::Div | Binary::Mod if b == zero => {
            return this.raise(Class::ZERO_DIVISION_ERROR, "divided by 0");
        }
        Binary::Div | Binary::Mod => {
            let (mut quotient, mut rest) = (&a / &b, &a % &b);
            if rest != zero && (rest < zero) != (b < zero) {
                quotient -= 1;
                rest += &b;
            }
            if op == Binary::Div { quotient } else { rest }
        }
        Binary::BitAnd => a & b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::Shl | Binary::Shr => {
            let Ok(by) = i64::try_from(&b) else { return this.limit("an integer is too big") };
            let by = if op == Binary::Shl { by } else { by.saturating_neg() };
            match shifted(&a, by) {
                Some(value) => value,
                None => return this.limit("an integer is too big"),
            }
        }
        Binary::Pow => {
            if b < zero {
                return this.unsupported("a rational number");
            }
            let Ok(power) = u32::try_from(&b) else {
                let one = BigInt::from(1);
                if a == zero || a == one {
                    return Ok(Value::big(a));
                }
                return this.limit("an integer is too big");
            };
            if a.bits().saturating_mul(u64::from(power)) > MAX_BITS {
                return this.limit("an integer is too big");
            }
            this.charge((a.bits() * u64::from(power) / 8) as usize)?;
            a.pow(power)
        }
        _ => return this.send(&Value::Big(Rc::new(a)), op.name(), vec![Value::big(b)]),
    }))
}
