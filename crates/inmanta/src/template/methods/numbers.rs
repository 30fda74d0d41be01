//! The methods of numbers and of bytes.

use num_bigint::{BigInt, Sign};

use super::super::arguments::Arguments;
use super::super::fault::{Fault, Res, type_error, value_error};
use super::super::runtime::Runtime;
use super::super::value::Val;
use crate::diagnostics::Exception;
use crate::value::float_integer;

impl Runtime<'_> {
    pub(super) fn integer_method(
        &mut self,
        value: &Val,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        let number = value.as_integer().unwrap_or_default();
        match name {
            "to_bytes" => {
                let bound = arguments.bind("to_bytes", "length=, byteorder=, signed=", 0)?;
                return to_bytes(&number, &bound, self);
            }
            "from_bytes" => {
                let bound = arguments.bind("from_bytes", "bytes, byteorder=, signed=", 0)?;
                return from_bytes(&bound, self);
            }
            _ => arguments.none(&format!("int.{name}"))?,
        }
        Ok(match name {
            "as_integer_ratio" => Val::tuple(vec![Val::int(number), Val::Int(1)]),
            "bit_count" => {
                let ones = number.magnitude().iter_u64_digits().map(u64::count_ones).sum::<u32>();
                Val::Int(i64::from(ones))
            }
            "bit_length" => Val::Int(number.bits() as i64),
            "is_integer" => Val::Bool(true),
            _ => Val::int(number),
        })
    }

    pub(super) fn float_method(
        &mut self,
        number: f64,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        if name == "fromhex" {
            let text = "float.fromhex is not supported in templates";
            return Err(Fault::Raised(Exception::NotImplementedError, text.into()));
        }
        arguments.none(&format!("float.{name}"))?;
        Ok(match name {
            "is_integer" => Val::Bool(number.is_finite() && number.fract() == 0.0),
            "conjugate" => Val::Float(number),
            "hex" => Val::str(hex(number)),
            _ => {
                if !number.is_finite() {
                    let kind = if number.is_nan() { "NaN" } else { "Infinity" };
                    let text = format!("cannot convert {kind} to integer ratio");
                    return Err(if number.is_nan() {
                        value_error(text)
                    } else {
                        Fault::Raised(
                            Exception::OverflowError,
                            text.to_lowercase().replace("infinity", "Infinity"),
                        )
                    });
                }
                let mut shift = 0u32;
                let mut scaled = number;
                while scaled.fract() != 0.0 && shift < 1100 {
                    scaled *= 2.0;
                    shift += 1;
                }
                let top = float_integer(scaled).unwrap_or_default();
                Val::tuple(vec![Val::int(top), Val::int(BigInt::from(1) << shift)])
            }
        })
    }

    pub(super) fn bytes_method(
        &mut self,
        bytes: &std::rc::Rc<[u8]>,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        match name {
            "hex" => {
                arguments.none("bytes.hex")?;
                let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                Ok(Val::str(text))
            }
            "decode" => {
                let bound = arguments.bind("decode", "encoding=, errors=", 0)?;
                let encoding = match bound.some(0) {
                    Some(name) => self.text(name)?,
                    None => "utf-8".into(),
                };
                match encoding.to_lowercase().replace("_", "-").as_str() {
                    "latin-1" | "iso-8859-1" | "latin1" => {
                        Ok(Val::str(bytes.iter().map(|b| char::from(*b)).collect::<String>()))
                    }
                    "utf-8" | "utf8" | "ascii" => match std::str::from_utf8(bytes) {
                        Ok(text) => Ok(Val::str(text)),
                        Err(_) => {
                            let text = "'utf-8' codec can't decode the bytes";
                            Err(Fault::Raised(Exception::UnicodeDecodeError, text.into()))
                        }
                    },
                    _ => {
                        let text = format!("unknown encoding: {encoding}");
                        Err(Fault::Raised(Exception::LookupError, text))
                    }
                }
            }
            _ => {
                let part = arguments.only(&format!("bytes.{name}"))?;
                let Val::Bytes(part) = part else {
                    let text = format!(
                        "{name} first arg must be bytes or a tuple of bytes, not {}",
                        part.type_name()
                    );
                    return Err(type_error(text));
                };
                Ok(Val::Bool(if name == "endswith" {
                    bytes.ends_with(&part)
                } else {
                    bytes.starts_with(&part)
                }))
            }
        }
    }
}

type BoundArguments = super::super::arguments::BoundArguments;

fn is_little(bound: &BoundArguments, runtime: &mut Runtime<'_>) -> Res<bool> {
    match bound.some(1) {
        None => Ok(false),
        Some(order) => match runtime.text(order)?.as_str() {
            "little" => Ok(true),
            "big" => Ok(false),
            _ => Err(value_error("byteorder must be either 'little' or 'big'")),
        },
    }
}

fn is_signed(bound: &BoundArguments, runtime: &mut Runtime<'_>) -> Res<bool> {
    bound.some(2).map_or(Ok(false), |signed| runtime.truth(signed))
}

fn to_bytes(number: &BigInt, bound: &BoundArguments, runtime: &mut Runtime<'_>) -> Res<Val> {
    let length = bound.some(0).map_or(Ok(1), Val::as_index)?;
    let (little, signed) = (is_little(bound, runtime)?, is_signed(bound, runtime)?);
    let length =
        usize::try_from(length).map_err(|_| value_error("length argument must be non-negative"))?;
    runtime.text_fits(length)?;
    let overflow = |text: &str| Err(Fault::Raised(Exception::OverflowError, text.into()));
    if !signed && number.sign() == Sign::Minus {
        return overflow("can't convert negative int to unsigned");
    }
    let mut bytes =
        if signed { number.to_signed_bytes_le() } else { number.magnitude().to_bytes_le() };
    if number.sign() == Sign::NoSign {
        bytes.clear();
    }
    if bytes.len() > length {
        return overflow("int too big to convert");
    }
    bytes.resize(length, if number.sign() == Sign::Minus { 0xff } else { 0 });
    if !little {
        bytes.reverse();
    }
    Ok(Val::Bytes(bytes.into()))
}

fn from_bytes(bound: &BoundArguments, runtime: &mut Runtime<'_>) -> Res<Val> {
    let (little, signed) = (is_little(bound, runtime)?, is_signed(bound, runtime)?);
    let mut bytes: Vec<u8> = match bound.at(0) {
        Val::Bytes(bytes) => bytes.to_vec(),
        other => {
            let text = format!("cannot convert '{}' object to bytes", other.type_name());
            return Err(type_error(text));
        }
    };
    if !little {
        bytes.reverse();
    }
    Ok(Val::int(if signed {
        BigInt::from_signed_bytes_le(&bytes)
    } else {
        BigInt::from_bytes_le(Sign::Plus, &bytes)
    }))
}

/// Python's `float.hex`.
fn hex(number: f64) -> String {
    if !number.is_finite() {
        return crate::value::float_text(number);
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number == 0.0 {
        return format!("{sign}0x0.0p+0");
    }
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (lead, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    format!("{sign}0x{lead}.{fraction:013x}p{exponent:+}")
}
