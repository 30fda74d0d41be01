//! Combinations, permutations and products of arrays.

use super::array::{array, items};
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::value::{Proc, Value};

pub(super) const TABLE: &[Method] = &[
    e("combination", 1, 1, combination),
    e("permutation", 0, 1, permutation),
    m("product", 0, -1, product),
];

/// Calls a block with the items at these indices.
fn hand(i: &mut Interp<'_>, block: &Proc, items: &[Value], places: &[usize]) -> Eval<()> {
    let chosen = places.iter().map(|&place| items[place].clone()).collect();
    let chosen = i.list(chosen)?;
    i.yield_one(block, chosen)?;
    Ok(())
}

fn combination(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let items = array(v).get();
    let Some(size) = size(i, &a.list[0], items.len())? else { return Ok(v.clone()) };
    let mut places: Vec<usize> = (0..size).collect();
    loop {
        hand(i, &block, &items, &places)?;
        // The last index that can advance does; the indices after it follow it.
        let most = |at: usize| items.len() - size + at;
        let Some(at) = (0..size).rev().find(|&at| places[at] < most(at)) else { break };
        places[at] += 1;
        for next in at + 1..size {
            places[next] = places[next - 1] + 1;
        }
    }
    Ok(v.clone())
}

fn permutation(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let items = array(v).get();
    let size = match a.opt(0).cloned() {
        Some(size) => self::size(i, &size, items.len())?,
        None => Some(items.len()),
    };
    let Some(size) = size else { return Ok(v.clone()) };
    let mut places: Vec<usize> = (0..size).collect();
    let mut used = vec![false; items.len()];
    used[..size].fill(true);
    loop {
        hand(i, &block, &items, &places)?;
        // The last place that can take a later item does; the places after it take the first items
        // that are left.
        let mut at = size;
        let next = loop {
            let Some(before) = at.checked_sub(1) else { return Ok(v.clone()) };
            at = before;
            used[places[at]] = false;
            if let Some(next) = (places[at] + 1..items.len()).find(|&next| !used[next]) {
                break next;
            }
        };
        (places[at], used[next]) = (next, true);
        for place in &mut places[at + 1..] {
            let first = used.iter().position(|used| !used).unwrap_or_default();
            (*place, used[first]) = (first, true);
        }
    }
}

/// The number of items to take; `None` if there are fewer.
fn size(i: &mut Interp<'_>, wanted: &Value, most: usize) -> Eval<Option<usize>> {
    Ok(usize::try_from(i.int(wanted)?).ok().filter(|size| *size <= most))
}

fn product(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let mut lists = vec![array(v).get()];
    for other in &a.list {
        lists.push(items(i, other)?);
    }
    let count = lists.iter().map(Vec::len).fold(1, usize::saturating_mul);
    let block = a.block.take();
    if block.is_none() {
        i.charge_items(count.saturating_mul(lists.len() + 3))?;
    }
    let mut all = Vec::new();
    let mut places = vec![0; lists.len()];
    for _ in 0..count {
        let chosen = places.iter().zip(&lists).map(|(&place, list)| list[place].clone()).collect();
        match &block {
            Some(block) => {
                let chosen = i.list(chosen)?;
                i.yield_one(block, chosen)?;
            }
            None => all.push(Value::array(chosen)),
        }
        for (place, list) in places.iter_mut().zip(&lists).rev() {
            *place += 1;
            if *place < list.len() {
                break;
            }
            *place = 0;
        }
    }
    Ok(if block.is_some() { v.clone() } else { Value::array(all) })
}
