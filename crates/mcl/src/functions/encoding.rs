//! `encoding`, `fmt` and `golang.template`: conversion of data to and from text.

use ordain_data::Value as Data;
use ordain_functions::base64;
use ordain_functions::go::quote::quote;

use super::{Builtin, Call, Fault, Outcome};
use crate::types::{StructType, Type};
use crate::value::{Map, Struct, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin::pure(
        "encoding.base64_decode",
        "func(data str) str",
        "Decodes a base64 text.",
        base64_decode,
    ),
    Builtin::pure(
        "encoding.base64_encode",
        "func(data str) str",
        "A text in base64.",
        base64_encode,
    ),
    Builtin {
        is_speculated: false,
        ..Builtin::pure(
            "encoding.decode_json",
            "func(data str) ?1 | func(data str, type str) ?1",
            "The data of a JSON text, as the given type or that of the context.",
            |call| decode_json(call, false),
        )
        .variable()
    },
    Builtin {
        is_speculated: false,
        ..Builtin::pure(
            "encoding.decode_json_flexible",
            "func(data str) ?1 | func(data str, type str) ?1",
            "The same; missing fields are zero, and unknown ones are ignored.",
            |call| decode_json(call, true),
        )
        .variable()
    },
    Builtin::impure(
        "golang.template",
        "func(template str) str | func(template str, vars ?1) str",
        "A text by a template of Go, filled with data.",
        template,
    )
    .variable(),
    Builtin::pure(
        "fmt.printf",
        "func(format str) str",
        "A text by a format with `%s %q %d %f %t %v %T %%`.",
        printf,
    )
    .variable(),
];

fn base64_encode(call: &mut Call<'_>) -> Outcome {
    Ok(base64::encode(call.bytes(0)?, base64::Mode::Strict).into())
}

fn base64_decode(call: &mut Call<'_>) -> Outcome {
    let text = call.bytes(0)?;
    let decoded = ordain_functions::go::base64::decode(text);
    decoded
        .map(Value::bytes)
        .map_err(|error| Fault::fatal(format!("could not decode base64: {error}")))
}

fn decode_json(call: &mut Call<'_>, is_flexible: bool) -> Outcome {
    let ty = &call.signature.result;
    if let Some(given) = call.args.get(1).and_then(|arg| arg.as_str()) {
        let given = crate::types::parse(&given.to_text())
            .map_err(|_| Fault::fatal("invalid type specification"))?;
        if given != *ty {
            return Err(Fault::fatal("incompatible types"));
        }
    }
    let text = call.text(0)?;
    let data = ordain_data::json::read(&text)
        .map_err(|error| Fault::fatal(format!("invalid JSON: {error}")))?;
    convert(&data, ty, is_flexible).map_err(Fault::fatal)
}

/// Data as a value of a type.
fn convert(data: &Data, ty: &Type, is_flexible: bool) -> Result<Value, String> {
    let mismatch = || format!("type doesn't match {}", ty.kind());
    match ty {
        Type::Bool => data.as_bool().map(Value::Bool).ok_or_else(mismatch),
        Type::Str => data.as_str().map(Value::from).ok_or_else(mismatch),
        Type::Int => match data {
            Data::Int(number) => Ok((*number).into()),
            Data::Float(_) => Err("num doesn't contain int64".into()),
            _ => Err(mismatch()),
        },
        Type::Float => match data {
            Data::Int(number) => Ok((*number as f64).into()),
            Data::Float(number) => Ok((*number).into()),
            _ => Err(mismatch()),
        },
        Type::List(item) => {
            let items = data.as_list().ok_or_else(mismatch)?.iter();
            items
                .map(|data| convert(data, item, is_flexible))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::list)
        }
        Type::Map(pair) => {
            let entries = data.as_map().ok_or_else(mismatch)?.iter();
            let pairs = entries.map(|(key, data)| {
                let key = convert(key, &pair.0, is_flexible)?;
                Ok((key, convert(data, &pair.1, is_flexible)?))
            });
            Ok(Map::new(pairs.collect::<Result<Vec<_>, String>>()?).into())
        }
        Type::Struct(shape) => record(data, shape, is_flexible),
        Type::Func(_) => Err("func type".into()),
        Type::Variant => Err("variant type".into()),
        Type::Var(_) => Err("the type of the data is not known".into()),
    }
}

fn record(data: &Data, shape: &StructType, is_flexible: bool) -> Result<Value, String> {
    let entries = data.as_map().ok_or("type doesn't match struct")?;
    if !is_flexible && entries.len() != shape.types.len() {
        return Err("incompatible number of fields".into());
    }
    let values = shape.fields().map(|(name, ty)| match data.get(name) {
        Some(data) => convert(data, ty, is_flexible),
        None if is_flexible => ty.zero().ok_or_else(|| format!("{ty} has no zero value")),
        None => Err(format!("field {name} was not found in struct")),
    });
    let values = values.collect::<Result<Vec<_>, String>>()?;
    Ok(Struct::new(std::sync::Arc::clone(&shape.names), values).into())
}

fn printf(call: &mut Call<'_>) -> Outcome {
    let format = call.bytes(0)?;
    let mut out = Vec::with_capacity(format.len() + 16);
    let mut args = call.args.iter().zip(&call.signature.args).skip(1);
    let mut count = 0;
    let mut is_verb = false;
    for (index, byte) in format.iter().enumerate() {
        if !is_verb {
            match byte {
                b'%' => is_verb = true,
                _ => out.push(*byte),
            }
            continue;
        }
        is_verb = false;
        if *byte == b'%' {
            out.push(b'%');
            continue;
        }
        if !b"tsqdfvT".contains(byte) {
            return Err(Fault::fatal(format!("invalid format string at {index}")));
        }
        count += 1;
        let values = call.args.len() - 1;
        let (value, ty) = args.next().ok_or_else(|| {
            Fault::fatal(format!("more specifiers ({count}) than values ({values})"))
        })?;
        print(&mut out, *byte, value, ty).map_err(Fault::fatal)?;
    }
    Ok(Value::bytes(out))
}

fn print(out: &mut Vec<u8>, verb: u8, value: &Value, ty: &Type) -> Result<(), String> {
    let is_wanted = match verb {
        b't' => matches!(value, Value::Bool(_)),
        b's' | b'q' => matches!(value, Value::Str(_)),
        b'd' => matches!(value, Value::Int(_)),
        b'f' => matches!(value, Value::Float(_)),
        _ => true,
    };
    if !is_wanted {
        let wanted = match verb {
            b't' => "bool",
            b'd' => "int",
            b'f' => "float",
            _ => "str",
        };
        let found = value.kind();
        return Err(format!("unexpected type: base kind does not match ({wanted} != {found})"));
    }
    match (verb, value) {
        (b'T', _) if ty.is_known() => out.extend(ty.to_string().bytes()),
        (b'T', _) => out.extend(Type::of(value).to_string().bytes()),
        (b'q', Value::Str(text)) => out.extend(quote(text.as_bytes()).bytes()),
        (_, Value::Str(text)) => out.extend(text.as_bytes()),
        _ => out.extend(value.to_string().bytes()),
    }
    Ok(())
}

fn template(call: &mut Call<'_>) -> Outcome {
    let text = call.bytes(0)?;
    let data = call.args.get(1).map(|data| (*data, call.signature.args.get(1)));
    let rendered = crate::template::render(text, data, call.environment, call.functions);
    rendered.map(Value::bytes).map_err(Fault::fatal)
}
