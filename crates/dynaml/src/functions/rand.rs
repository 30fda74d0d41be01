//! `rand`: numbers and texts by chance.

use ordain_source::limits::most_text;

use super::support::{eager, fail};
use crate::diagnostics::stop::Eval;
use crate::eval::evaluator::{Call, Table};
use crate::value::Value;

/// A uniformly distributed number below a limit.
fn below(call: &Call<'_, '_>, limit: u64) -> u64 {
    let limit = limit.max(1);
    let rest = (u64::MAX % limit + 1) % limit;
    const MAX_TRIES: u32 = 64;
    let mut found = call.ev.world.random();
    for _ in 0..MAX_TRIES {
        if found <= u64::MAX - rest {
            break;
        }
        found = call.ev.world.random();
    }
    found % limit
}

fn number(call: &Call<'_, '_>, limit: i64) -> Value {
    let found = i64::try_from(below(call, limit.unsigned_abs())).unwrap_or(0);
    Value::Int(if limit < 0 { -found } else { found })
}

/// Characters of a class like `A-Z[:digit:]`.
fn text(call: &mut Call<'_, '_>, class: &str, length: i64) -> Eval<Value> {
    const HIGHEST: u32 = 0xffff;
    let pattern = ecow::eco_format!("^[{class}]$");
    let regex = call.ev.cache.pattern(&pattern).or_else(|e| {
        let shown = crate::text::quoted(class);
        fail(format!("invalid rand character set specification {shown}: {e}"))
    })?;
    let most = i64::try_from(most_text() / 4).unwrap_or(i64::MAX);
    if length > most {
        return fail("the text has grown too long");
    }
    let mut buffer = [0; 4];
    let mut chars: Vec<char> = Vec::new();
    for c in (0..=HIGHEST).filter_map(char::from_u32) {
        if (chars.is_empty() || c.is_ascii() || !chars[0].is_ascii())
            && regex.is_match(c.encode_utf8(&mut buffer))
        {
            chars.push(c);
        }
    }
    if chars.is_empty() {
        return fail(format!("no character is in the set {}", crate::text::quoted(class)));
    }
    let mut out = String::new();
    for _ in 0..length {
        let at = below(call, chars.len() as u64);
        out.extend(usize::try_from(at).ok().and_then(|at| chars.get(at)));
    }
    Ok(Value::str(out))
}

fn rand(call: &mut Call<'_, '_>) -> Eval<Value> {
    match call.args {
        [] => Ok(number(call, i64::MAX)),
        [Value::Int(0)] => fail("zero range not possible for integer random values"),
        [Value::Int(n)] => Ok(number(call, *n)),
        [Value::Int(_), _] => fail("rand int takes only one argument"),
        [Value::Bool(_)] => Ok(Value::Bool(below(call, 2) == 1)),
        [Value::Bool(_), _] => fail("rand bool takes only one argument"),
        [Value::Str(class)] => text(call, class, 1),
        [Value::Str(class), Value::Int(length)] if *length > 0 => text(call, class, *length),
        [Value::Str(_), Value::Int(length)] => {
            fail(format!("rand length must be positive, found {length}"))
        }
        [Value::Str(_), other] => {
            fail(format!("rand length must be an integer, found {}", other.kind()))
        }
        [other] | [other, _] => {
            fail(format!("rand takes an integer, a bool or a string, found {}", other.kind()))
        }
        _ => fail("rand takes a maximum of 2 arguments"),
    }
}

pub(super) fn register(table: &mut Table) {
    table.extend([eager("rand(kind?, size?)", "A random number, truth value or text.", rand)]);
}
