//! Methods of all collections that reduce them to one value.

use std::cmp::Ordering;

use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::syntax::Binary;
use crate::value::{Proc, Value};

pub(super) const TABLE: &[Method] = &[
    m("inject", 0, 2, inject),
    m("reduce", 0, 2, inject),
    m("sum", 0, 1, sum),
    m("count", 0, 1, count),
    e("find", 0, 0, find),
    e("detect", 0, 0, find),
    m("find_index", 0, 1, find_index),
    m("include?", 1, 1, include),
    m("member?", 1, 1, include),
    m("any?", 0, 1, |i, v, a| decide(i, v, a, |hits, _| hits > 0, Some(true))),
    m("all?", 0, 1, |i, v, a| decide(i, v, a, |hits, all| hits == all, Some(false))),
    m("none?", 0, 1, |i, v, a| decide(i, v, a, |hits, _| hits == 0, Some(true))),
    m("one?", 0, 1, |i, v, a| decide(i, v, a, |hits, _| hits == 1, None)),
    m("min", 0, 1, |i, v, a| extreme(i, v, a, Ordering::Less)),
    m("max", 0, 1, |i, v, a| extreme(i, v, a, Ordering::Greater)),
    m("minmax", 0, 0, |i, v, _| {
        let mut none = Args::default();
        let low = extreme(i, v, &mut none, Ordering::Less)?;
        let high = extreme(i, v, &mut none, Ordering::Greater)?;
        Ok(Value::array(vec![low, high]))
    }),
    e("min_by", 0, 0, |i, v, a| extreme_by(i, v, a, Ordering::Less)),
    e("max_by", 0, 0, |i, v, a| extreme_by(i, v, a, Ordering::Greater)),
];

fn inject(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let block = a.block.take();
    let mut args = std::mem::take(&mut a.list);
    let operator = if block.is_none() { args.pop().and_then(|name| name.as_name()) } else { None };
    let mut memo = args.pop();
    let op = operator.as_deref().and_then(operator_of);
    i.each(v, &mut |i, item| {
        memo = Some(match (memo.take(), &block, &operator) {
            (None, ..) => item,
            (Some(memo), Some(block), _) => i.call_block(block, &[memo, item])?,
            (Some(memo), None, Some(name)) => match op {
                Some(op) => i.operate(op, &memo, &item)?,
                None => i.send(&memo, name, vec![item])?,
            },
            (Some(memo), None, None) => memo,
        });
        Ok(true)
    })?;
    Ok(memo.unwrap_or_default())
}

fn operator_of(name: &str) -> Option<Binary> {
    Some(match name {
        "+" => Binary::Add,
        "-" => Binary::Sub,
        "*" => Binary::Mul,
        "/" => Binary::Div,
        "%" => Binary::Mod,
        "&" => Binary::BitAnd,
        "|" => Binary::BitOr,
        "^" => Binary::BitXor,
        _ => return None,
    })
}

fn sum(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let block = a.block.take();
    let mut total = a.list.first().cloned().unwrap_or(Value::Int(0));
    // Ruby sums floats by the algorithm of Kahan and Babuska.
    let mut lost = 0.0;
    i.each(v, &mut |i, item| {
        let item = match &block {
            Some(block) => i.yield_one(block, item)?,
            None => item,
        };
        total = match (&total, &item) {
            (Value::Float(sum), Value::Float(x)) if x.is_finite() && sum.is_finite() => {
                let next = sum + x;
                lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
                Value::Float(next)
            }
            _ => i.operate(Binary::Add, &total, &item)?,
        };
        Ok(true)
    })?;
    Ok(match total {
        Value::Float(sum) => Value::Float(sum + lost),
        other => other,
    })
}

pub(super) fn count(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let block = a.block.take();
    let wanted = a.list.pop();
    let mut n = 0;
    i.each(v, &mut |i, item| {
        let counts = match (&wanted, &block) {
            (Some(wanted), _) => i.equal(&item, wanted)?,
            (None, Some(block)) => i.yield_one(block, item)?.truthy(),
            (None, None) => true,
        };
        n += i64::from(counts);
        Ok(true)
    })?;
    Ok(Value::Int(n))
}

fn find(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let mut found = Value::Nil;
    i.each(v, &mut |i, item| {
        let hit = i.yield_one(&block, item.clone())?.truthy();
        if hit {
            found = item;
        }
        Ok(!hit)
    })?;
    Ok(found)
}

pub(super) fn find_index(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let block = a.block.take();
    let wanted = a.list.pop();
    if wanted.is_none() && block.is_none() {
        return i.unsupported("`index' without an argument");
    }
    let (mut n, mut found) = (0, Value::Nil);
    i.each(v, &mut |i, item| {
        let hit = match (&wanted, &block) {
            (Some(wanted), _) => i.equal(&item, wanted)?,
            (None, Some(block)) => i.yield_one(block, item)?.truthy(),
            (None, None) => false,
        };
        if hit {
            found = Value::Int(n);
        }
        n += 1;
        Ok(!hit)
    })?;
    Ok(found)
}

fn include(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let wanted = a.get(0);
    let mut has = false;
    i.each(v, &mut |i, item| {
        has = i.equal(&item, &wanted)?;
        Ok(!has)
    })?;
    Ok(Value::Bool(has))
}

fn holds(i: &mut Interp<'_>, item: Value, a: &Args, block: Option<&Proc>) -> Eval<bool> {
    match (a.opt(0), block) {
        (Some(pattern), _) => i.case_equal(pattern, &item),
        (None, Some(block)) => Ok(i.yield_one(block, item)?.truthy()),
        (None, None) => Ok(item.truthy()),
    }
}

/// Counts the items that satisfy the condition, until the result is decided.
fn decide(
    i: &mut Interp<'_>,
    v: &Value,
    a: &mut Args,
    decision: fn(usize, usize) -> bool,
    decisive: Option<bool>,
) -> Eval {
    let block = a.block.take();
    let (mut hits, mut all) = (0, 0);
    i.each(v, &mut |i, item| {
        let hit = holds(i, item, a, block.as_deref())?;
        hits += usize::from(hit);
        all += 1;
        Ok(Some(hit) != decisive)
    })?;
    Ok(Value::Bool(decision(hits, all)))
}

fn extreme(i: &mut Interp<'_>, v: &Value, a: &mut Args, side: Ordering) -> Eval {
    let block = a.block.take();
    let items = i.collect(v)?;
    if let Some(count) = a.opt(0) {
        let count = usize::try_from(i.int(count)?).unwrap_or(0);
        let mut sorted = match &block {
            Some(block) => i.merge_sort(items, &mut |i, a, b| i.block_ordering(block, a, b))?,
            None => i.merge_sort(items, &mut |i, a, b| i.compare_or_raise(a, b))?,
        };
        if side == Ordering::Greater {
            sorted.reverse();
        }
        sorted.truncate(count);
        return i.list(sorted);
    }
    let mut best: Option<Value> = None;
    for item in items {
        let better = match &best {
            None => true,
            Some(best) => {
                let ordering = match &block {
                    Some(block) => i.block_ordering(block, best, &item)?,
                    None => i.compare_or_raise(best, &item)?,
                };
                ordering.reverse() == side
            }
        };
        if better {
            best = Some(item);
        }
    }
    Ok(best.unwrap_or_default())
}

fn extreme_by(i: &mut Interp<'_>, v: &Value, a: &mut Args, side: Ordering) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let mut best: Option<(Value, Value)> = None;
    i.each(v, &mut |i, item| {
        let key = i.yield_one(&block, item.clone())?;
        let better = match &best {
            None => true,
            Some((other, _)) => i.compare_or_raise(&key, other)? == side,
        };
        if better {
            best = Some((key, item));
        }
        Ok(true)
    })?;
    Ok(best.map_or(Value::Nil, |(_, item)| item))
}
