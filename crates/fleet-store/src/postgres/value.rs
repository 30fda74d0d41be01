//! Values in PostgreSQL's binary format.

use std::error::Error as StdError;

use bytes::BytesMut;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::error::error;
use crate::error::FleetStoreError;
use crate::value::Value;

type Result<T> = std::result::Result<T, Box<dyn StdError + Sync + Send>>;

/// Reads a row into values. Texts and bytes of long answers are written into the memory of those of the
/// row before.
pub(super) fn read_row(
    row: &Row,
    values: &mut [Value],
) -> std::result::Result<(), FleetStoreError> {
    for (i, (value, column)) in values.iter_mut().zip(row.columns()).enumerate() {
        match row.try_get(i).map_err(|e| error(&e))? {
            None => *value = Value::Null,
            Some(Raw(raw)) => read(column.type_(), raw, value).map_err(|reason| {
                FleetStoreError::failed(format!("{}: {reason}", column.name()))
            })?,
        }
    }
    Ok(())
}

/// The bytes of a column of any type.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Reads a value of a type that this crate or PuppetDB's queries use.
fn read(ty: &Type, raw: &[u8], value: &mut Value) -> Result<()> {
    let text = match *ty {
        Type::TEXT | Type::JSON | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => raw,
        // The first byte is the version of the format.
        Type::JSONB => match raw.split_first() {
            Some((1, text)) => text,
            _ => return Err("an unknown format of JSONB".into()),
        },
        Type::BYTEA => {
            match value {
                Value::Bytes(before) => {
                    before.clear();
                    before.extend_from_slice(raw);
                }
                value => *value = Value::Bytes(raw.to_vec()),
            }
            return Ok(());
        }
        _ => {
            *value = read_scalar(ty, raw)?;
            return Ok(());
        }
    };
    let text = std::str::from_utf8(text)?;
    match value {
        Value::Text(before) => {
            before.clear();
            before.push_str(text);
        }
        value => *value = Value::Text(text.to_owned()),
    }
    Ok(())
}

fn read_scalar(ty: &Type, raw: &[u8]) -> Result<Value> {
    Ok(match *ty {
        Type::BOOL => Value::Boolean(bool::from_sql(ty, raw)?),
        Type::INT2 => Value::Integer(i16::from_sql(ty, raw)?.into()),
        Type::INT4 => Value::Integer(i32::from_sql(ty, raw)?.into()),
        Type::INT8 => Value::Integer(i64::from_sql(ty, raw)?),
        Type::FLOAT4 => Value::Float(f32::from_sql(ty, raw)?.into()),
        Type::FLOAT8 => Value::Float(f64::from_sql(ty, raw)?),
        Type::NUMERIC => numeric(raw)?,
        _ => return Err(format!("the type {ty} cannot be read").into()),
    })
}

/// Reads a `numeric`, the type of sums and averages: an integer if it fits, else the nearest
/// floating-point number. The format has four 16-bit numbers (the count of digits, the weight of
/// the first digit, the sign and the number of decimals to show), then the digits in base 10,000.
fn numeric(raw: &[u8]) -> Result<Value> {
    let mut words = raw.chunks_exact(2).map(|pair| i16::from_be_bytes([pair[0], pair[1]]));
    let mut next = || words.next().ok_or("a cut off number");
    let (count, weight, sign, _scale) = (next()?, next()?, next()?, next()?);
    let sign = match sign as u16 {
        0 => "",
        0x4000 => "-",
        _ => return Ok(Value::Null),
    };
    let digits = words.take(usize::try_from(count)?);
    let digits: String = digits.map(|digit| format!("{digit:04}")).collect();
    // Each base-10,000 digit is four decimal digits.
    let exponent = (i32::from(weight) + 1) * 4 - i32::try_from(digits.len())?;
    let text = if digits.is_empty() { "0".into() } else { format!("{sign}{digits}e{exponent}") };
    if exponent >= 0 || digits.is_empty() {
        let plain = format!("{sign}{digits}{}", "0".repeat(usize::try_from(exponent.max(0))?));
        if let Ok(number) = plain.parse() {
            return Ok(Value::Integer(number));
        }
    }
    Ok(Value::Float(text.parse()?))
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull> {
        match (self, ty) {
            (Self::Null, _) => return Ok(IsNull::Yes),
            (Self::Boolean(flag), &Type::BOOL) => flag.to_sql(ty, out)?,
            (Self::Integer(number), &Type::INT2) => i16::try_from(*number)?.to_sql(ty, out)?,
            (Self::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out)?,
            (Self::Integer(number), &Type::INT8) => number.to_sql(ty, out)?,
            (Self::Integer(number), &Type::FLOAT8) => (*number as f64).to_sql(ty, out)?,
            (Self::Float(number), &Type::FLOAT8) => number.to_sql(ty, out)?,
            (Self::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(ty, out)?,
            (Self::Text(text), &Type::JSONB) => {
                out.extend_from_slice(&[1]);
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
            (Self::Text(text), &Type::JSON) => {
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
            (Self::Text(text), &(Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME)) => {
                text.to_sql(ty, out)?
            }
            (value, ty) => {
                return Err(format!("{} is no value of type {ty}", value.type_name()).into());
            }
        };
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
