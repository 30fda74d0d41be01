//! Methods of all collections that make lists.

use std::cmp::Ordering;

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::value::{Entries, Key, Proc, Value};

pub(super) const TABLE: &[Method] = &[
    m("to_a", 0, 0, to_a),
    m("entries", 0, 0, to_a),
    e("map", 0, 0, map),
    e("collect", 0, 0, map),
    e("flat_map", 0, 0, flat_map),
    e("collect_concat", 0, 0, flat_map),
    e("select", 0, 0, |i, v, a| filter(i, v, a, true)),
    e("filter", 0, 0, |i, v, a| filter(i, v, a, true)),
    e("find_all", 0, 0, |i, v, a| filter(i, v, a, true)),
    e("reject", 0, 0, |i, v, a| filter(i, v, a, false)),
    m("grep", 1, 1, |i, v, a| grep(i, v, a, true)),
    m("grep_v", 1, 1, |i, v, a| grep(i, v, a, false)),
    e("filter_map", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let mut out = Vec::new();
        i.each(v, &mut |i, item| {
            let new = i.yield_one(&block, item)?;
            if new.truthy() {
                out.push(new);
            }
            Ok(true)
        })?;
        i.list(out)
    }),
    e("partition", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        i.each(v, &mut |i, item| {
            let holds = i.yield_one(&block, item.clone())?.truthy();
            if holds {
                yes.push(item)
            } else {
                no.push(item)
            }
            Ok(true)
        })?;
        i.charge_items(yes.len() + no.len())?;
        Ok(Value::array(vec![Value::array(yes), Value::array(no)]))
    }),
    e("each_with_index", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let mut n = 0;
        i.each(v, &mut |i, item| {
            i.call_block(&block, &[item, Value::Int(n)])?;
            n += 1;
            Ok(true)
        })?;
        Ok(v.clone())
    }),
    e("each_with_object", 1, 1, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let memo = a.get(0);
        i.each(v, &mut |i, item| {
            i.call_block(&block, &[item, memo.clone()])?;
            Ok(true)
        })?;
        Ok(memo)
    }),
    e("each_entry", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        i.each(v, &mut |i, item| i.yield_one(&block, item).map(|_| true))?;
        Ok(v.clone())
    }),
    e("reverse_each", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        for item in i.collect(v)?.into_iter().rev() {
            i.yield_one(&block, item)?;
        }
        Ok(v.clone())
    }),
    e("each_slice", 1, 1, each_slice),
    e("each_cons", 1, 1, each_cons),
    e("sort_by", 0, 0, sort_by),
    m("sort", 0, 0, sort),
    e("group_by", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        let mut places = Entries::default();
        i.each(v, &mut |i, item| {
            let key = i.yield_one(&block, item.clone())?;
            let key = Key::new(key);
            match places.get(&key) {
                Some(Value::Int(at)) => groups[*at as usize].1.push(item),
                _ => {
                    groups.push((key.0.clone(), vec![item]));
                    places.insert(key, Value::Int(groups.len() as i64 - 1));
                }
            }
            Ok(true)
        })?;
        i.charge_items(groups.len() * 4)?;
        Ok(Value::hash(groups.into_iter().map(|(key, items)| (key, Value::array(items)))))
    }),
    m("uniq", 0, 0, uniq),
    m("tally", 0, 0, |i, v, _| {
        let mut counts = Entries::default();
        for item in i.collect(v)? {
            let entry = counts.entry(Key::new(item)).or_insert(Value::Int(0));
            if let Value::Int(n) = entry {
                *n += 1;
            }
        }
        Ok(Value::from_entries(counts))
    }),
    m("first", 0, 1, first),
    m("take", 1, 1, |i, v, a| {
        if i.int(&a.list[0])? < 0 {
            return i.raise(Class::ARGUMENT_ERROR, "attempt to take negative size");
        }
        first(i, v, a)
    }),
    m("drop", 1, 1, |i, v, a| {
        let Ok(count) = usize::try_from(i.int(&a.list[0])?) else {
            return i.raise(Class::ARGUMENT_ERROR, "attempt to drop negative size");
        };
        let items = i.collect(v)?;
        i.list(items.into_iter().skip(count).collect())
    }),
    e("take_while", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let mut out = Vec::new();
        i.each(v, &mut |i, item| {
            let goes_on = i.yield_one(&block, item.clone())?.truthy();
            if goes_on {
                out.push(item);
            }
            Ok(goes_on)
        })?;
        i.list(out)
    }),
    e("drop_while", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let (mut out, mut drops) = (Vec::new(), true);
        i.each(v, &mut |i, item| {
            drops = drops && i.yield_one(&block, item.clone())?.truthy();
            if !drops {
                out.push(item);
            }
            Ok(true)
        })?;
        i.list(out)
    }),
    m("zip", 0, -1, zip),
    m("to_h", 0, 0, to_h),
    m("to_set", 0, 0, |i, _, _| i.unsupported("sets")),
    m("lazy", 0, 0, |i, _, _| i.unsupported("lazy lists")),
];

impl Interp<'_> {
    /// Sorts stably. The comparison may run code of the program.
    pub(crate) fn merge_sort<T: Clone>(
        &mut self,
        mut items: Vec<T>,
        compare: &mut dyn FnMut(&mut Interp<'_>, &T, &T) -> Eval<Ordering>,
    ) -> Eval<Vec<T>> {
        let mut width = 1;
        while width < items.len() {
            self.steps(items.len() / 4)?;
            let mut merged = Vec::with_capacity(items.len());
            for pair in items.chunks(width * 2) {
                let (left, right) = pair.split_at(width.min(pair.len()));
                let (mut l, mut r) = (0, 0);
                while l < left.len() && r < right.len() {
                    if compare(self, &left[l], &right[r])?.is_le() {
                        merged.push(left[l].clone());
                        l += 1;
                    } else {
                        merged.push(right[r].clone());
                        r += 1;
                    }
                }
                merged.extend_from_slice(&left[l..]);
                merged.extend_from_slice(&right[r..]);
            }
            items = merged;
            width *= 2;
        }
        Ok(items)
    }

    /// The ordering that a comparing block returned.
    pub(crate) fn block_ordering(&mut self, block: &Proc, a: &Value, b: &Value) -> Eval<Ordering> {
        match self.call_block(block, &[a.clone(), b.clone()])? {
            Value::Int(n) => Ok(n.cmp(&0)),
            Value::Float(f) => Ok(f.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
            Value::Nil => {
                let (x, y) = (self.class_name(a), self.class_name(b));
                self.raise(Class::ARGUMENT_ERROR, format!("comparison of {x} with {y} failed"))
            }
            other => {
                let text = format!("comparison of {} with 0 failed", self.class_name(&other));
                self.raise(Class::ARGUMENT_ERROR, text)
            }
        }
    }
}

fn to_a(i: &mut Interp<'_>, v: &Value, _: &mut Args) -> Eval {
    let items = i.collect(v)?;
    Ok(Value::array(items))
}

fn map(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    if matches!(v, Value::Enumerator(_)) {
        // Items of `each_with_index` are passed as two values, which the block may take as one.
        let items = i.collect(v)?;
        return map(i, &Value::array(items), &mut Args { block: Some(block), ..Args::default() });
    }
    let mut out = Vec::new();
    i.each(v, &mut |i, item| {
        out.push(i.yield_one(&block, item)?);
        Ok(true)
    })?;
    i.list(out)
}

fn flat_map(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let mut out = Vec::new();
    i.each(v, &mut |i, item| {
        match i.yield_one(&block, item)? {
            Value::Array(array) => {
                i.charge_items(array.len())?;
                out.extend(array.get());
            }
            other => out.push(other),
        }
        Ok(true)
    })?;
    i.list(out)
}

fn filter(i: &mut Interp<'_>, v: &Value, a: &mut Args, keeps: bool) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let mut out = Vec::new();
    i.each(v, &mut |i, item| {
        if i.yield_one(&block, item.clone())?.truthy() == keeps {
            out.push(item);
        }
        Ok(true)
    })?;
    i.list(out)
}

fn grep(i: &mut Interp<'_>, v: &Value, a: &mut Args, keeps: bool) -> Eval {
    let block = a.block.take();
    let pattern = a.get(0);
    let mut out = Vec::new();
    i.each(v, &mut |i, item| {
        if i.case_equal(&pattern, &item)? == keeps {
            out.push(match &block {
                Some(block) => i.yield_one(block, item)?,
                None => item,
            });
        }
        Ok(true)
    })?;
    i.list(out)
}

fn count_of(i: &mut Interp<'_>, value: &Value, what: &str) -> Eval<usize> {
    match usize::try_from(i.int(value)?) {
        Ok(n) if n > 0 => Ok(n),
        _ => i.raise(Class::ARGUMENT_ERROR, format!("invalid {what} size")),
    }
}

fn each_slice(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let size = count_of(i, &a.list[0], "slice")?;
    for chunk in i.collect(v)?.chunks(size) {
        let chunk = i.list(chunk.to_vec())?;
        i.yield_one(&block, chunk)?;
    }
    Ok(v.clone())
}

fn each_cons(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let size = count_of(i, &a.list[0], "cons")?;
    for window in i.collect(v)?.windows(size) {
        let window = i.list(window.to_vec())?;
        i.yield_one(&block, window)?;
    }
    Ok(v.clone())
}

pub(super) fn sort_by(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(block) = a.block.take() else { return Ok(Value::Nil) };
    let mut keyed = Vec::new();
    i.each(v, &mut |i, item| {
        let key = i.yield_one(&block, item.clone())?;
        keyed.push((key, item));
        Ok(true)
    })?;
    i.charge_items(keyed.len() * 4)?;
    let sorted = i.merge_sort(keyed, &mut |i, a, b| i.compare_or_raise(&a.0, &b.0))?;
    i.list(sorted.into_iter().map(|(_, item)| item).collect())
}

pub(super) fn sort(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let items = i.collect(v)?;
    let sorted = match a.block.take() {
        Some(block) => i.merge_sort(items, &mut |i, a, b| i.block_ordering(&block, a, b))?,
        None => i.merge_sort(items, &mut |i, a, b| i.compare_or_raise(a, b))?,
    };
    i.list(sorted)
}

fn uniq(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let block = a.block.take();
    let mut seen = Entries::default();
    for item in i.collect(v)? {
        let key = match &block {
            Some(block) => i.yield_one(block, item.clone())?,
            None => item.clone(),
        };
        seen.entry(Key::new(key)).or_insert(item);
    }
    i.list(seen.into_values().collect())
}

pub(super) fn first(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(count) = a.opt(0) else {
        let mut found = Value::Nil;
        i.each(v, &mut |_, item| {
            found = item;
            Ok(false)
        })?;
        return Ok(found);
    };
    let Ok(count) = usize::try_from(i.int(count)?) else {
        let text = match v {
            Value::Array(_) => "negative array size",
            _ => "attempt to take negative size",
        };
        return i.raise(Class::ARGUMENT_ERROR, text);
    };
    let mut out = Vec::new();
    if count > 0 {
        i.each(v, &mut |_, item| {
            out.push(item);
            Ok(out.len() < count)
        })?;
    }
    i.list(out)
}

fn zip(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let items = i.collect(v)?;
    let mut others = Vec::new();
    for other in &a.list {
        others.push(i.collect(other)?);
    }
    i.charge_items(items.len() * (others.len() + 2))?;
    let mut rows = Vec::new();
    for (n, item) in items.into_iter().enumerate() {
        let mut row = vec![item];
        row.extend(others.iter().map(|other| other.get(n).cloned().unwrap_or_default()));
        rows.push(Value::array(row));
    }
    match a.block.take() {
        Some(block) => {
            for row in rows {
                i.yield_one(&block, row)?;
            }
            Ok(Value::Nil)
        }
        None => i.list(rows),
    }
}

fn to_h(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let block = a.block.take();
    let mut entries = Entries::default();
    for (n, item) in i.collect(v)?.into_iter().enumerate() {
        let pair = match &block {
            Some(block) => i.yield_one(block, item)?,
            None => item,
        };
        let items = pair.as_items();
        match items.as_deref() {
            Some([key, value]) => {
                entries.insert(Key::new(key.clone()), value.clone());
            }
            Some(other) => {
                let text = format!("wrong array length at {n} (expected 2, was {})", other.len());
                return i.raise(Class::ARGUMENT_ERROR, text);
            }
            None => {
                let class = i.class_name(&pair);
                let text = format!("wrong element type {class} at {n} (expected array)");
                return i.raise(Class::TYPE_ERROR, text);
            }
        }
    }
    i.charge_items(entries.len() * 3)?;
    Ok(Value::from_entries(entries))
}
