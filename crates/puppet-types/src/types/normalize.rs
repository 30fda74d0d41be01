//! The normalised form of a type: nested variants flattened, enums and ranges merged. An alias has
//! the normalised form of its definition, which messages show.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use ecow::EcoString;

use crate::types::assignable::is_assignable;
use crate::types::variant::{enumeration, variant_of};
use crate::types::{CallableType, FloatRange, IntRange, SizeRange, StructMember, Type};

fn boxed(kind: &Arc<Type>) -> Arc<Type> {
    Arc::new(normalize(kind))
}

/// The simplest form of a type.
pub fn normalize(kind: &Type) -> Type {
    match kind {
        Type::NotUndef(Some(t)) => not_undef(normalize(t)),
        Type::Collection(_) => Type::Collection(SizeRange::ANY_SIZE),
        Type::Type(Some(t)) => Type::Type(Some(boxed(t))),
        Type::Sensitive(Some(t)) => Type::Sensitive(Some(boxed(t))),
        Type::Iterable(Some(t)) => Type::Iterable(Some(boxed(t))),
        Type::Iterator(Some(t)) => Type::Iterator(Some(boxed(t))),
        Type::Optional(Some(t)) => optional(normalize(t)),
        Type::Array(element, size) => Type::Array(boxed(element), *size),
        Type::Hash(entry, size) => {
            Type::Hash(Arc::new((normalize(&entry.0), normalize(&entry.1))), *size)
        }
        Type::Tuple(types, size) => Type::Tuple(types.iter().map(normalize).collect(), *size),
        Type::Struct(members) => Type::Struct(
            members
                .iter()
                .map(|m| StructMember { kind: normalize(&m.kind), ..m.clone() })
                .collect(),
        ),
        Type::Callable(Some(callable)) => Type::Callable(Some(Arc::new(CallableType {
            params: callable.params.iter().map(normalize).collect(),
            size: callable.size,
            block: callable.block.as_ref().map(normalize),
            returns: callable.returns.as_ref().map(normalize),
        }))),
        Type::Variant(types) if !types.is_empty() => variant(types),
        _ => kind.clone(),
    }
}

fn not_undef(inner: Type) -> Type {
    match inner {
        Type::Optional(Some(t)) => not_undef((*t).clone()),
        Type::Optional(None) => Type::NotUndef(None),
        t if is_assignable(&t, &Type::Undef) => Type::NotUndef(Some(Arc::new(t))),
        t => t,
    }
}

fn optional(inner: Type) -> Type {
    match inner {
        Type::NotUndef(Some(t)) => optional((*t).clone()),
        Type::NotUndef(None) => Type::Optional(None),
        t if is_assignable(&t, &Type::Undef) => t,
        t => Type::Optional(Some(Arc::new(t))),
    }
}

fn variant(given: &[Type]) -> Type {
    let types: Vec<Type> = given.iter().map(normalize).collect();
    let modified = types != given;
    if let [one] = types.as_slice() {
        return one.clone();
    }
    let is_optional = |t: &Type| matches!(t, Type::Undef | Type::Optional(_));
    if types.iter().any(is_optional) {
        let rest = types.into_iter().filter(|t| *t != Type::Undef).map(|t| match t {
            Type::Optional(Some(t)) => (*t).clone(),
            Type::Optional(None) => Type::Any,
            t => t,
        });
        return match variant_of(rest) {
            Type::Variant(empty) if empty.is_empty() => Type::Undef,
            t => normalize(&Type::Optional(Some(Arc::new(t)))),
        };
    }
    let types = match variant_of(types) {
        Type::Variant(types) => types.to_vec(),
        one => return one,
    };
    let before = types.len();
    let types = merged(types);
    // If nothing was merged, the written order stays.
    if !modified && types.len() == before {
        return Type::Variant(given.into());
    }
    variant_of(types)
}

fn merged(mut types: Vec<Type>) -> Vec<Type> {
    types = merge_enums(types, false);
    types = merge_enums(types, true);
    types = merge_patterns(types);
    let lower = |a: &IntRange, b: &IntRange| a.from.cmp(&b.from);
    types = merge_ranges(types, integer_range, Type::Integer, lower, |a, b| {
        let apart = a.to.saturating_add(1) < b.from || b.to.saturating_add(1) < a.from;
        (!apart).then(|| a.joined(*b))
    });
    let lower = |a: &FloatRange, b: &FloatRange| a.from.total_cmp(&b.from);
    merge_ranges(types, float_range, Type::Float, lower, |a, b| {
        let joined = FloatRange { from: a.from.min(b.from), to: a.to.max(b.to) };
        (!(a.to < b.from || b.to < a.from)).then_some(joined)
    })
}

fn integer_range(kind: &Type) -> Option<IntRange> {
    if let Type::Integer(range) = kind { Some(*range) } else { None }
}

fn float_range(kind: &Type) -> Option<FloatRange> {
    if let Type::Float(range) = kind { Some(*range) } else { None }
}

/// The number of connected ranges that are merged like upstream, which may leave some of them
/// separate. More ranges become one, which has the same values.
const MAX_APART: usize = 1_000;

fn merge_ranges<R: Copy>(
    types: Vec<Type>,
    range_of: fn(&Type) -> Option<R>,
    make: fn(R) -> Type,
    before: fn(&R, &R) -> Ordering,
    join: fn(&R, &R) -> Option<R>,
) -> Vec<Type> {
    let ranges: Vec<R> = types.iter().filter_map(range_of).collect();
    if ranges.len() < 2 {
        return types;
    }
    // The last one takes in all that it touches, then the last one of those that are left.
    let mut merged: Vec<(usize, R)> = Vec::new();
    for mut group in hanging_together(&ranges, before, join) {
        if group.len() > MAX_APART {
            let all = group.iter().map(|i| ranges[*i]);
            let one = all.reduce(|a, b| join(&a, &b).unwrap_or(a));
            merged.extend(group.iter().max().copied().zip(one));
            continue;
        }
        group.sort_unstable();
        while let Some(last) = group.pop() {
            let mut current = ranges[last];
            group.retain(|i| match join(&current, &ranges[*i]) {
                Some(joined) => {
                    current = joined;
                    false
                }
                None => true,
            });
            merged.push((last, current));
        }
    }
    merged.sort_unstable_by_key(|(at, _)| Reverse(*at));
    let mut result: Vec<Type> = merged.into_iter().map(|(_, range)| make(range)).collect();
    result.extend(types.into_iter().filter(|t| range_of(t).is_none()));
    result
}

/// The positions of ranges in groups that share nothing with each other, each from low to high.
fn hanging_together<R: Copy>(
    ranges: &[R],
    before: fn(&R, &R) -> Ordering,
    join: fn(&R, &R) -> Option<R>,
) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_by(|a, b| before(&ranges[*a], &ranges[*b]));
    let mut groups: Vec<(R, Vec<usize>)> = Vec::new();
    for at in order {
        let range = ranges[at];
        match groups.last_mut().and_then(|(whole, all)| Some((join(whole, &range)?, whole, all))) {
            Some((joined, whole, all)) => {
                *whole = joined;
                all.push(at);
            }
            None => groups.push((range, vec![at])),
        }
    }
    groups.into_iter().map(|(_, all)| all).collect()
}

fn merge_enums(types: Vec<Type>, caseless: bool) -> Vec<Type> {
    let texts = |t: &Type| -> Option<Vec<EcoString>> {
        match t {
            Type::Literal(s) if !caseless => Some(vec![s.clone()]),
            Type::Enum { values, caseless: c } if !values.is_empty() && *c == caseless => {
                Some(values.to_vec())
            }
            _ => None,
        }
    };
    if types.iter().filter(|t| texts(t).is_some()).count() < 2 {
        return types;
    }
    let mut all: Vec<EcoString> = types.iter().filter_map(texts).flatten().collect();
    if caseless {
        all.iter_mut().for_each(|s| *s = s.to_lowercase());
    }
    let mut rest: Vec<Type> = types.into_iter().filter(|t| texts(t).is_none()).collect();
    rest.push(enumeration(all, caseless));
    rest
}

fn merge_patterns(types: Vec<Type>) -> Vec<Type> {
    if types.iter().filter(|t| matches!(t, Type::Pattern(_))).count() < 2 {
        return types;
    }
    let mut patterns = Vec::new();
    let mut rest = Vec::new();
    for kind in types {
        match kind {
            Type::Pattern(list) => {
                for pattern in list.iter() {
                    if !patterns.contains(pattern) {
                        patterns.push(Arc::clone(pattern));
                    }
                }
            }
            kind => rest.push(kind),
        }
    }
    rest.push(Type::Pattern(patterns.into()));
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(a: &(u32, u32), b: &(u32, u32)) -> Option<(u32, u32)> {
        (a.1 + 1 >= b.0 && b.1 + 1 >= a.0).then(|| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Merges like upstream: the last range absorbs all remaining ranges that it touches.
    fn merge_like_upstream(
        mut ranges: Vec<IntRange>,
        join: fn(&IntRange, &IntRange) -> Option<IntRange>,
    ) -> Vec<Type> {
        let mut result = Vec::new();
        while let Some(mut current) = ranges.pop() {
            ranges.retain(|range| match join(&current, range) {
                Some(joined) => {
                    current = joined;
                    false
                }
                None => true,
            });
            result.push(Type::Integer(current));
        }
        result
    }

    #[test]
    fn ranges_are_put_together_in_upstreams_order() {
        let join: fn(&IntRange, &IntRange) -> Option<IntRange> = |a, b| {
            let span = |r: &IntRange| (r.from as u32, r.to as u32);
            touches(&span(a), &span(b)).map(|_| a.joined(*b))
        };
        let mut state = 7u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for _ in 0..2_000 {
            let count = next(12) + 2;
            let ranges: Vec<IntRange> = (0..count)
                .map(|_| {
                    let from = i64::from(next(40));
                    IntRange::new(from, from + i64::from(next(4)))
                })
                .collect();
            let types = ranges.iter().copied().map(Type::Integer).collect();
            let lower = |a: &IntRange, b: &IntRange| a.from.cmp(&b.from);
            let merged = merge_ranges(types, integer_range, Type::Integer, lower, join);
            assert_eq!(merged, merge_like_upstream(ranges.clone(), join), "{ranges:?}");
        }
    }
}
