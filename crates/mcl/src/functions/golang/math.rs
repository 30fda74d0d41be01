//! `golang/math`.

use crate::functions::Builtin;

pub(in crate::functions) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "golang/math.abs",
        "func(x float) float",
        "The absolute value of a float.",
        |call| Ok(f64::abs(call.float(0)?).into()),
    ),
    Builtin::pure("golang/math.acos", "func(x float) float", "The arc cosine.", |call| {
        Ok(libm::acos(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.acosh",
        "func(x float) float",
        "The inverse hyperbolic cosine.",
        |call| Ok(libm::acosh(call.float(0)?).into()),
    ),
    Builtin::pure("golang/math.asin", "func(x float) float", "The arc sine.", |call| {
        Ok(libm::asin(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.asinh",
        "func(x float) float",
        "The inverse hyperbolic sine.",
        |call| Ok(libm::asinh(call.float(0)?).into()),
    ),
    Builtin::pure("golang/math.atan", "func(x float) float", "The arc tangent.", |call| {
        Ok(libm::atan(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.atan_2",
        "func(y float, x float) float",
        "The angle of a point.",
        |call| Ok(libm::atan2(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure(
        "golang/math.atanh",
        "func(x float) float",
        "The inverse hyperbolic tangent.",
        |call| Ok(libm::atanh(call.float(0)?).into()),
    ),
    Builtin::pure("golang/math.cbrt", "func(x float) float", "The cube root.", |call| {
        Ok(libm::cbrt(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.ceil",
        "func(x float) float",
        "The least integer that is not less.",
        |call| Ok(f64::ceil(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.copysign",
        "func(f float, sign float) float",
        "A float with the sign of another.",
        |call| Ok(f64::copysign(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure("golang/math.cos", "func(x float) float", "The cosine.", |call| {
        Ok(libm::cos(call.float(0)?).into())
    }),
    Builtin::pure("golang/math.cosh", "func(x float) float", "The hyperbolic cosine.", |call| {
        Ok(libm::cosh(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.dim",
        "func(x float, y float) float",
        "The difference of two floats, or 0 if it is negative.",
        |call| Ok(special::dim(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure("golang/math.erf", "func(x float) float", "The error function.", |call| {
        Ok(libm::erf(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.erfc",
        "func(x float) float",
        "The complement of the error function.",
        |call| Ok(libm::erfc(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.erfcinv",
        "func(x float) float",
        "The inverse of the complement of the error function.",
        |call| Ok(special::erfcinv(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.erfinv",
        "func(x float) float",
        "The inverse of the error function.",
        |call| Ok(special::erfinv(call.float(0)?).into()),
    ),
    Builtin::pure("golang/math.exp", "func(x float) float", "e to a power.", |call| {
        Ok(libm::exp(call.float(0)?).into())
    }),
    Builtin::pure("golang/math.exp_2", "func(x float) float", "2 to a power.", |call| {
        Ok(libm::exp2(call.float(0)?).into())
    }),
    Builtin::pure("golang/math.expm_1", "func(x float) float", "e to a power, less 1.", |call| {
        Ok(libm::expm1(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.floor",
        "func(x float) float",
        "The greatest whole number that is not greater.",
        |call| Ok(f64::floor(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.fma",
        "func(x float, y float, z float) float",
        "A product and a sum with one rounding.",
        |call| Ok(call.float(0)?.mul_add(call.float(1)?, call.float(2)?).into()),
    ),
    Builtin::pure("golang/math.gamma", "func(x float) float", "The gamma function.", |call| {
        Ok(special::gamma(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.hypot",
        "func(p float, q float) float",
        "The longest side of a triangle with a right angle.",
        |call| Ok(libm::hypot(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure("golang/math.ilogb", "func(x float) int", "The exponent of a float.", |call| {
        Ok(special::ilogb(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.inf",
        "func(sign int) float",
        "Infinity with a sign: negative for a negative one.",
        |call| Ok(if call.int(0)? < 0 { f64::NEG_INFINITY } else { f64::INFINITY }.into()),
    ),
    Builtin::pure(
        "golang/math.is_inf",
        "func(f float, sign int) bool",
        "Whether a float is infinite with this sign; 0 is any.",
        |call| {
            let (value, sign) = (call.float(0)?, call.int(1)?);
            let is_sign = sign == 0 || (sign > 0) == (value > 0.0);
            Ok((value.is_infinite() && is_sign).into())
        },
    ),
    Builtin::pure(
        "golang/math.is_na_n",
        "func(f float) bool",
        "Whether a float is not a number.",
        |call| Ok(call.float(0)?.is_nan().into()),
    ),
    Builtin::pure(
        "golang/math.j_0",
        "func(x float) float",
        "The Bessel function of the first kind of order 0.",
        |call| Ok(libm::j0(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.j_1",
        "func(x float) float",
        "The Bessel function of the first kind of order 1.",
        |call| Ok(libm::j1(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.jn",
        "func(n int, x float) float",
        "The Bessel function of the first kind of an order.",
        |call| Ok(special::jn(call.int(0)?, call.float(1)?).into()),
    ),
    Builtin::pure(
        "golang/math.ldexp",
        "func(frac float, exp int) float",
        "A float times a power of 2.",
        |call| Ok(libm::ldexp(call.float(0)?, special::clamped(call.int(1)?)).into()),
    ),
    Builtin::pure("golang/math.log", "func(x float) float", "The natural logarithm.", |call| {
        Ok(libm::log(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.log_10",
        "func(x float) float",
        "The logarithm to base 10.",
        |call| Ok(libm::log10(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.log_1_p",
        "func(x float) float",
        "The natural logarithm of 1 and a float.",
        |call| Ok(libm::log1p(call.float(0)?).into()),
    ),
    Builtin::pure("golang/math.log_2", "func(x float) float", "The logarithm to base 2.", |call| {
        Ok(libm::log2(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.logb",
        "func(x float) float",
        "The exponent of a float as a float.",
        |call| Ok(special::logb(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.max",
        "func(x float, y float) float",
        "The greater of two floats.",
        |call| Ok(special::max(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure(
        "golang/math.min",
        "func(x float, y float) float",
        "The lesser of two floats.",
        |call| Ok(special::min(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure(
        "golang/math.mod",
        "func(x float, y float) float",
        "The remainder of a division, with the sign of the dividend.",
        |call| Ok(special::modulo(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure("golang/math.na_n", "func() float", "What is not a number.", |_| {
        Ok(f64::NAN.into())
    }),
    Builtin::pure(
        "golang/math.nextafter",
        "func(x float, y float) float",
        "The next float towards another.",
        |call| Ok(special::next_after(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure(
        "golang/math.pow",
        "func(x float, y float) float",
        "A float to the power of another.",
        |call| Ok(libm::pow(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure("golang/math.pow_10", "func(n int) float", "10 to a power.", |call| {
        Ok(special::power_of_ten(call.int(0)?).into())
    }),
    Builtin::pure(
        "golang/math.remainder",
        "func(x float, y float) float",
        "What a division to the nearest whole number leaves.",
        |call| Ok(libm::remainder(call.float(0)?, call.float(1)?).into()),
    ),
    Builtin::pure(
        "golang/math.round",
        "func(x float) float",
        "The nearest whole number; halves away from zero.",
        |call| Ok(f64::round(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.round_to_even",
        "func(x float) float",
        "The nearest whole number; halves to the even one.",
        |call| Ok(f64::round_ties_even(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.signbit",
        "func(x float) bool",
        "Whether a float has a minus sign.",
        |call| Ok(call.float(0)?.is_sign_negative().into()),
    ),
    Builtin::pure("golang/math.sin", "func(x float) float", "The sine.", |call| {
        Ok(libm::sin(call.float(0)?).into())
    }),
    Builtin::pure("golang/math.sinh", "func(x float) float", "The hyperbolic sine.", |call| {
        Ok(libm::sinh(call.float(0)?).into())
    }),
    Builtin::pure("golang/math.sqrt", "func(x float) float", "The square root.", |call| {
        Ok(f64::sqrt(call.float(0)?).into())
    }),
    Builtin::pure("golang/math.tan", "func(x float) float", "The tangent.", |call| {
        Ok(libm::tan(call.float(0)?).into())
    }),
    Builtin::pure("golang/math.tanh", "func(x float) float", "The hyperbolic tangent.", |call| {
        Ok(libm::tanh(call.float(0)?).into())
    }),
    Builtin::pure(
        "golang/math.trunc",
        "func(x float) float",
        "A float without its fraction.",
        |call| Ok(f64::trunc(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.y_0",
        "func(x float) float",
        "The Bessel function of the second kind of order 0.",
        |call| Ok(libm::y0(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.y_1",
        "func(x float) float",
        "The Bessel function of the second kind of order 1.",
        |call| Ok(libm::y1(call.float(0)?).into()),
    ),
    Builtin::pure(
        "golang/math.yn",
        "func(n int, x float) float",
        "The Bessel function of the second kind of an order.",
        |call| Ok(special::yn(call.int(0)?, call.float(1)?).into()),
    ),
];

/// Functions with edges of their own.
mod special {
    /// An exponent, limited to the range that affects results.
    pub(super) fn clamped(exponent: i64) -> i32 {
        i32::try_from(exponent.clamp(-10_000, 10_000)).unwrap_or(0)
    }

    pub(super) fn power_of_ten(exponent: i64) -> f64 {
        match exponent {
            -323..=308 => format!("1e{exponent}").parse().unwrap_or(f64::NAN),
            ..-323 => 0.0,
            _ => f64::INFINITY,
        }
    }

    pub(super) fn dim(x: f64, y: f64) -> f64 {
        let difference = x - y;
        // Two equal infinities have no difference.
        if difference <= 0.0 { 0.0 } else { difference }
    }

    pub(super) fn max(x: f64, y: f64) -> f64 {
        match (x, y) {
            (x, y) if x == f64::INFINITY || y == f64::INFINITY => f64::INFINITY,
            (x, y) if x.is_nan() || y.is_nan() => f64::NAN,
            (x, y) if x == 0.0 && y == 0.0 => {
                if x.is_sign_negative() {
                    y
                } else {
                    x
                }
            }
            (x, y) => {
                if x > y {
                    x
                } else {
                    y
                }
            }
        }
    }

    pub(super) fn min(x: f64, y: f64) -> f64 {
        match (x, y) {
            (x, y) if x == f64::NEG_INFINITY || y == f64::NEG_INFINITY => f64::NEG_INFINITY,
            (x, y) if x.is_nan() || y.is_nan() => f64::NAN,
            (x, y) if x == 0.0 && y == 0.0 => {
                if x.is_sign_negative() {
                    x
                } else {
                    y
                }
            }
            (x, y) => {
                if x < y {
                    x
                } else {
                    y
                }
            }
        }
    }

    pub(super) fn modulo(x: f64, y: f64) -> f64 {
        x % y
    }

    pub(super) fn next_after(x: f64, y: f64) -> f64 {
        match (x, y) {
            (x, y) if x.is_nan() || y.is_nan() => f64::NAN,
            (x, y) if x == y => x,
            (0.0, y) => f64::from_bits(1).copysign(y),
            (x, y) if (y > x) == (x > 0.0) => f64::from_bits(x.to_bits() + 1),
            (x, _) => f64::from_bits(x.to_bits() - 1),
        }
    }

    /// The exponent of a finite float that is not zero.
    fn exponent(x: f64) -> i64 {
        i64::from(libm::ilogb(x))
    }

    pub(super) fn logb(x: f64) -> f64 {
        match x {
            0.0 => f64::NEG_INFINITY,
            x if x.is_infinite() => f64::INFINITY,
            x if x.is_nan() => x,
            x => exponent(x) as f64,
        }
    }

    pub(super) fn ilogb(x: f64) -> i64 {
        match x {
            0.0 => i64::from(i32::MIN),
            x if x.is_infinite() || x.is_nan() => i64::from(i32::MAX),
            x => exponent(x),
        }
    }

    /// Higher orders give the same results as this one.
    const HIGHEST_ORDER: i64 = 1_000_000;

    fn order(n: i64) -> i32 {
        let clamped = n.clamp(-HIGHEST_ORDER, HIGHEST_ORDER);
        // An odd order affects the sign.
        i32::try_from(clamped - (clamped - n) % 2).unwrap_or(0)
    }

    pub(super) fn jn(n: i64, x: f64) -> f64 {
        libm::jn(order(n), x)
    }

    pub(super) fn yn(n: i64, x: f64) -> f64 {
        libm::yn(order(n), x)
    }

    pub(super) fn gamma(x: f64) -> f64 {
        match x {
            x if x == f64::NEG_INFINITY || x < 0.0 && x.floor() == x => f64::NAN,
            x => libm::tgamma(x),
        }
    }

    /// The slope of the error function at 0.
    const SLOPE: f64 = std::f64::consts::FRAC_2_SQRT_PI;

    /// The number of iterations. Each triples the number of correct digits.
    const STEPS: u32 = 4;

    pub(super) fn erfinv(x: f64) -> f64 {
        match x {
            x if x.is_nan() || x.abs() > 1.0 => f64::NAN,
            x if x.abs() == 1.0 => f64::INFINITY.copysign(x),
            x if x.abs() > 0.5 => erfcinv(1.0 - x.abs()).copysign(x),
            x if x == 0.0 => x,
            x => better(x * 0.886_226_925_452_758, |guess| libm::erf(guess) - x),
        }
    }

    pub(super) fn erfcinv(x: f64) -> f64 {
        match x {
            x if x.is_nan() || !(0.0..=2.0).contains(&x) => f64::NAN,
            0.0 => f64::INFINITY,
            2.0 => f64::NEG_INFINITY,
            x if (0.5..=1.5).contains(&x) => erfinv(1.0 - x),
            x if x > 1.0 => -erfcinv(2.0 - x),
            x => {
                // The tail behaves like exp(-y^2) / y, so that its logarithm is nearly a parabola.
                let log = -(x * 1.772_453_850_905_516).ln();
                let mut guess = (log - 0.5 * log.max(0.3).ln()).max(0.05).sqrt();
                for _ in 0..2 * STEPS {
                    let tail = libm::erfc(guess);
                    let slope = SLOPE * (-guess * guess).exp() / tail;
                    let next = guess + (tail.ln() - x.ln()) / slope;
                    if !next.is_finite() {
                        break;
                    }
                    guess = next;
                }
                guess
            }
        }
    }

    /// A root near a guess of a function with the slope of the error function.
    fn better(mut guess: f64, error: impl Fn(f64) -> f64) -> f64 {
        for _ in 0..STEPS {
            let step = error(guess) / (SLOPE * (-guess * guess).exp());
            let next = guess - step / (1.0 + guess * step);
            if !next.is_finite() {
                break;
            }
            guess = next;
        }
        guess
    }
}
