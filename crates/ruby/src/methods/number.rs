//! Methods of integers and floats.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::class::Class;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::eval::{Interp, arithmetic};
use crate::syntax::Binary;
use crate::value::Value;

macro_rules! operator {
    ($name:literal, $op:ident) => {
        m($name, 1, 1, |i, v, a| arithmetic(i, Binary::$op, v, &a.list[0]))
    };
}

/// Methods of all numbers.
pub(super) const NUMERIC: &[Method] = &[
    operator!("+", Add),
    operator!("-", Sub),
    operator!("*", Mul),
    operator!("/", Div),
    operator!("%", Mod),
    operator!("modulo", Mod),
    operator!("**", Pow),
    m("-@", 0, 0, |i, v, _| match v {
        Value::Float(f) => Ok(Value::Float(-f)),
        v => arithmetic(i, Binary::Sub, &Value::Int(0), v),
    }),
    m("+@", 0, 0, |_, v, _| Ok(v.clone())),
    m("abs", 0, 0, |i, v, _| match v {
        Value::Float(f) => Ok(Value::Float(f.abs())),
        v if is_negative(v) => arithmetic(i, Binary::Sub, &Value::Int(0), v),
        v => Ok(v.clone()),
    }),
    m("zero?", 0, 0, |_, v, _| {
        Ok(Value::Bool(matches!(v, Value::Int(0)) || matches!(v, Value::Float(f) if *f == 0.0)))
    }),
    m("positive?", 0, 0, |_, v, _| {
        Ok(Value::Bool(
            !is_negative(v)
                && !matches!(v, Value::Int(0))
                && !matches!(v, Value::Float(f) if *f == 0.0),
        ))
    }),
    m("negative?", 0, 0, |_, v, _| Ok(Value::Bool(is_negative(v)))),
    m("nonzero?", 0, 0, |_, v, _| {
        let is_zero = matches!(v, Value::Int(0)) || matches!(v, Value::Float(f) if *f == 0.0);
        Ok(if is_zero { Value::Nil } else { v.clone() })
    }),
    m("integer?", 0, 0, |_, v, _| Ok(Value::Bool(!matches!(v, Value::Float(_))))),
    m("finite?", 0, 0, |_, v, _| Ok(Value::Bool(!matches!(v, Value::Float(f) if !f.is_finite())))),
    m("fdiv", 1, 1, |i, v, a| {
        let left = i.send(v, "to_f", vec![])?;
        arithmetic(i, Binary::Div, &left, &a.list[0])
    }),
    m("div", 1, 1, |i, v, a| {
        if matches!(a.list[0], Value::Int(0)) || matches!(a.list[0], Value::Float(f) if f == 0.0) {
            return i.raise(Class::ZERO_DIVISION_ERROR, "divided by 0");
        }
        let quotient = arithmetic(i, Binary::Div, v, &a.list[0])?;
        i.send(&quotient, "floor", vec![])
    }),
    m("divmod", 1, 1, |i, v, a| {
        let quotient = i.send(v, "div", a.list.clone())?;
        let rest = arithmetic(i, Binary::Mod, v, &a.list[0])?;
        Ok(Value::array(vec![quotient, rest]))
    }),
    e("step", 0, 2, step),
    m("coerce", 1, 1, |i, v, a| {
        let (x, y) = (i.send(&a.list[0], "to_f", vec![])?, i.send(v, "to_f", vec![])?);
        Ok(Value::array(vec![x, y]))
    }),
];

/// Methods of integers.
pub(super) const INTEGER: &[Method] = &[
    operator!("<<", Shl),
    operator!(">>", Shr),
    operator!("&", BitAnd),
    operator!("|", BitOr),
    operator!("^", BitXor),
    m("~", 0, 0, |i, v, _| {
        let minus = arithmetic(i, Binary::Sub, &Value::Int(-1), v)?;
        Ok(minus)
    }),
    m("[]", 1, 1, |i, v, a| {
        let shifted = arithmetic(i, Binary::Shr, v, &a.list[0])?;
        arithmetic(i, Binary::BitAnd, &shifted, &Value::Int(1))
    }),
    m("to_i", 0, 0, |_, v, _| Ok(v.clone())),
    m("to_int", 0, 0, |_, v, _| Ok(v.clone())),
    m("ord", 0, 0, |_, v, _| Ok(v.clone())),
    m("to_f", 0, 0, |_, v, _| {
        Ok(match v {
            Value::Int(i) => Value::Float(*i as f64),
            Value::Big(big) => Value::Float(big.to_string().parse().unwrap_or(f64::INFINITY)),
            v => v.clone(),
        })
    }),
    m("to_s", 0, 1, to_s),
    m("inspect", 0, 0, to_s),
    m("chr", 0, 1, |i, v, _| {
        let n = i.int(v)?;
        match u8::try_from(n).ok().filter(u8::is_ascii) {
            Some(byte) => i.text(char::from(byte).to_string()),
            None => i.unsupported("`chr' beyond ASCII"),
        }
    }),
    e("times", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let count = i.int(v)?;
        for n in 0..count {
            i.yield_one(&block, Value::Int(n))?;
        }
        Ok(v.clone())
    }),
    e("upto", 1, 1, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let (low, high) = (i.int(v)?, limit(i, v, &a.list[0])?);
        for n in low..=high {
            i.yield_one(&block, Value::Int(n))?;
        }
        Ok(v.clone())
    }),
    e("downto", 1, 1, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let (high, low) = (i.int(v)?, limit(i, v, &a.list[0])?);
        for n in (low..=high).rev() {
            i.yield_one(&block, Value::Int(n))?;
        }
        Ok(v.clone())
    }),
    m("succ", 0, 0, |i, v, _| arithmetic(i, Binary::Add, v, &Value::Int(1))),
    m("next", 0, 0, |i, v, _| arithmetic(i, Binary::Add, v, &Value::Int(1))),
    m("pred", 0, 0, |i, v, _| arithmetic(i, Binary::Sub, v, &Value::Int(1))),
    m("even?", 0, 0, |i, v, _| Ok(Value::Bool(is_zero_mod(i, v)?))),
    m("odd?", 0, 0, |i, v, _| Ok(Value::Bool(!is_zero_mod(i, v)?))),
    m("gcd", 1, 1, |i, v, a| {
        let (mut x, mut y) = (i.int(v)?.unsigned_abs(), i.int(&a.list[0])?.unsigned_abs());
        while y != 0 {
            (x, y) = (y, x % y);
        }
        Ok(Value::big(BigInt::from(x)))
    }),
    m("pow", 1, 1, |i, v, a| arithmetic(i, Binary::Pow, v, &a.list[0])),
    m("round", 0, 2, |i, v, a| round_integer(i, v, a, 0)),
    m("floor", 0, 1, |i, v, a| round_integer(i, v, a, -1)),
    m("ceil", 0, 1, |i, v, a| round_integer(i, v, a, 1)),
    m("truncate", 0, 1, |i, v, a| round_integer(i, v, a, if is_negative(v) { 1 } else { -1 })),
    m("digits", 0, 0, |i, v, _| {
        let text = i.display(v)?;
        let digits = text.bytes().rev().map(|b| Value::Int(i64::from(b.wrapping_sub(b'0'))));
        Ok(Value::array(digits.collect()))
    }),
    m("bit_length", 0, 0, |i, v, _| match v {
        Value::Int(n) => {
            Ok(Value::Int(i64::from(64 - (if *n < 0 { !*n } else { *n }).leading_zeros())))
        }
        _ => i.unsupported("`bit_length' of a big integer"),
    }),
    m("size", 0, 0, |_, _, _| Ok(Value::Int(8))),
    m("hash", 0, 0, |i, _, _| i.unsupported("`hash'")),
];

/// Methods of floats.
pub(super) const FLOAT: &[Method] = &[
    m("to_f", 0, 0, |_, v, _| Ok(v.clone())),
    m("to_i", 0, 0, |i, v, _| whole(i, v, f64::trunc)),
    m("to_int", 0, 0, |i, v, _| whole(i, v, f64::trunc)),
    m("truncate", 0, 1, |i, v, a| rounded(i, v, a, f64::trunc)),
    m("round", 0, 2, round_float),
    m("floor", 0, 1, |i, v, a| rounded(i, v, a, f64::floor)),
    m("ceil", 0, 1, |i, v, a| rounded(i, v, a, f64::ceil)),
    m("nan?", 0, 0, |_, v, _| Ok(Value::Bool(matches!(v, Value::Float(f) if f.is_nan())))),
    m("infinite?", 0, 0, |_, v, _| {
        Ok(match v {
            Value::Float(f) if f.is_infinite() => Value::Int(if *f > 0.0 { 1 } else { -1 }),
            _ => Value::Nil,
        })
    }),
];

fn is_negative(v: &Value) -> bool {
    match v {
        Value::Int(i) => *i < 0,
        Value::Float(f) => *f < 0.0,
        Value::Big(big) => **big < BigInt::from(0),
        _ => false,
    }
}

fn is_zero_mod(i: &mut Interp<'_>, v: &Value) -> Eval<bool> {
    Ok(matches!(arithmetic(i, Binary::Mod, v, &Value::Int(2))?, Value::Int(0)))
}

fn limit(i: &mut Interp<'_>, v: &Value, limit: &Value) -> Eval<i64> {
    match limit {
        Value::Int(n) => Ok(*n),
        Value::Float(f) => Ok(f.floor() as i64),
        other => {
            i.compare_or_raise(v, other)?;
            i.int(other)
        }
    }
}

fn to_s(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let radix = match a.opt(0) {
        None => 10,
        Some(radix) => i.int(radix)?,
    };
    let Some(radix) = u32::try_from(radix).ok().filter(|r| (2..=36).contains(r)) else {
        return i.raise(Class::ARGUMENT_ERROR, format!("invalid radix {radix}"));
    };
    let text = match v {
        Value::Int(n) if radix == 10 => n.to_string(),
        Value::Int(n) => BigInt::from(*n).to_str_radix(radix),
        Value::Big(big) => {
            i.steps((big.bits() / 16) as usize)?;
            big.to_str_radix(radix)
        }
        v => i.display(v)?.to_string(),
    };
    i.text(text)
}

/// Rounds an integer to tens, hundreds, …; `direction` is -1 down, 1 up, 0 to the nearest.
fn round_integer(i: &mut Interp<'_>, v: &Value, a: &mut Args, direction: i8) -> Eval {
    let digits = match a.opt(0) {
        Some(Value::Hash(_)) => return i.unsupported("`half:'"),
        Some(digits) => i.int(digits)?,
        None => 0,
    };
    if digits >= 0 {
        return Ok(v.clone());
    }
    let Some(unit) = u32::try_from(-digits).ok().and_then(|n| 10i64.checked_pow(n)) else {
        return Ok(Value::Int(0));
    };
    let unit = Value::Int(unit);
    let rest = arithmetic(i, Binary::Mod, v, &unit)?;
    let down = arithmetic(i, Binary::Sub, v, &rest)?;
    let (Value::Int(rest), Value::Int(step)) = (&rest, &unit) else { return Ok(down) };
    let goes_up = match direction {
        -1 => false,
        1 => *rest != 0,
        // Halves go away from zero.
        _ if is_negative(v) => rest * 2 > *step,
        _ => rest * 2 >= *step,
    };
    if goes_up { arithmetic(i, Binary::Add, &down, &unit) } else { Ok(down) }
}

fn whole(i: &mut Interp<'_>, v: &Value, f: fn(f64) -> f64) -> Eval {
    let Value::Float(x) = v else { return Ok(v.clone()) };
    if !x.is_finite() {
        let text = ordain_functions::float::to_ruby(*x);
        return i.raise(Class::FLOAT_DOMAIN_ERROR, text);
    }
    let x = f(*x);
    if x.abs() < 9e18 {
        return Ok(Value::Int(x as i64));
    }
    Ok(format!("{x:.0}").parse::<BigInt>().map_or(Value::Nil, |big| Value::Big(Rc::new(big))))
}

/// Rounds to a number of decimal digits.
fn rounded(i: &mut Interp<'_>, v: &Value, a: &mut Args, f: fn(f64) -> f64) -> Eval {
    let digits = match a.opt(0) {
        Some(digits) => i.int(digits)?,
        None => 0,
    };
    let Value::Float(x) = v else { return Ok(v.clone()) };
    if digits <= 0 {
        let whole = whole(i, v, f)?;
        if digits == 0 {
            return Ok(whole);
        }
        return i.unsupported("rounding a float to tens");
    }
    if digits > 15 || !x.is_finite() {
        return Ok(v.clone());
    }
    let scale = 10f64.powi(digits as i32);
    let scaled = f(x * scale);
    let result = scaled / scale;
    // An inexact factor may move a number across its rounding boundary.
    Ok(Value::Float(if result.is_finite() { result } else { *x }))
}

fn round_float(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    if matches!(a.list.last(), Some(Value::Hash(_))) {
        return i.unsupported("`half:'");
    }
    let digits = match a.opt(0) {
        Some(digits) => i.int(digits)?,
        None => 0,
    };
    let Value::Float(x) = v else { return Ok(v.clone()) };
    if digits == 0 {
        return whole(i, v, f64::round);
    }
    if digits < 0 {
        let whole = whole(i, v, f64::round)?;
        return round_integer(i, &whole, a, 0);
    }
    if digits >= 15 || !x.is_finite() {
        return Ok(v.clone());
    }
    let scale = 10f64.powi(digits as i32);
    Ok(Value::Float(round_half_up(*x, scale)))
}

/// Rounds to multiples of `1 / scale`, halves away from zero, with Ruby's correction for inexact
/// products.
fn round_half_up(x: f64, scale: f64) -> f64 {
    let scaled = x * scale;
    let mut rounded = scaled.round();
    if scale == 1.0 {
        return rounded;
    }
    if x > 0.0 {
        if (rounded + 0.5) / scale <= x {
            rounded += 1.0;
        }
        if (rounded - 0.5) / scale > x {
            rounded -= 1.0;
        }
    } else {
        if (rounded - 0.5) / scale >= x {
            rounded -= 1.0;
        }
        if (rounded + 0.5) / scale < x {
            rounded += 1.0;
        }
    }
    rounded / scale
}

fn step(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    if a.has_keywords {
        return i.unsupported("`step' with keywords");
    }
    let step = a.opt(1).cloned().unwrap_or(Value::Int(1));
    let limit = a.get(0);
    if matches!(step, Value::Int(0)) {
        return i.raise(Class::ARGUMENT_ERROR, "step can't be 0");
    }
    let mut n = v.clone();
    let goes_down = is_negative(&step);
    loop {
        let ordering = i.compare_or_raise(&n, &limit)?;
        if if goes_down { ordering.is_lt() } else { ordering.is_gt() } {
            return Ok(v.clone());
        }
        i.yield_one(&block, n.clone())?;
        n = arithmetic(i, Binary::Add, &n, &step)?;
    }
}
