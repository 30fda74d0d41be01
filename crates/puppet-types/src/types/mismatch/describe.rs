//! Finds the part of a type that does not fit the expected one, by the structure of the expected one.

use ecow::EcoString;
use rustc_hash::FxHashSet;

use super::reason::{Mismatch, Reason, Step};
use crate::types::aliases::{expansion, resolved};
use crate::types::assignable::{is_callable, parameter_tuple, tuple_size};
use crate::types::inner::find_inside;
use crate::types::signature::{Signature, callable_of};
use crate::types::variant::variant_of;
use crate::types::{
    CallableType, IntRange, SizeRange, StructMember, Type, infer_set, is_assignable, normalize,
};
use crate::value::Value;

/// The maximal length of the path to a part.
const PATH_LIMIT: usize = 64;

fn plus(path: &[Step], step: Step) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(step);
    path
}

fn type_mismatch(path: &[Step], expected: &Type, actual: &Type) -> Mismatch {
    let (expected, actual) = (normalize(expected), normalize(actual));
    Mismatch { path: path.to_vec(), reason: Reason::Type { expected, actual } }
}

fn pattern_mismatch(path: &[Step], expected: &Type, actual: &Type) -> Mismatch {
    let (expected, actual) = (normalize(expected), normalize(actual));
    Mismatch { path: path.to_vec(), reason: Reason::Pattern { expected, actual } }
}

fn size_mismatch(path: &[Step], expected: IntRange, actual: IntRange) -> Mismatch {
    Mismatch { path: path.to_vec(), reason: Reason::Size { expected, actual } }
}

/// The parts of `actual` that do not fit `expected`.
pub(super) fn describe(expected: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let unresolved = |kind: &Type| match kind {
        Type::Reference(name) => Some(name.clone()),
        _ => None,
    };
    if let Some(name) = find_inside(expected, &unresolved) {
        return vec![Mismatch { path: path.to_vec(), reason: Reason::Unresolved(name) }];
    }
    inside(&normalize(expected), expected, actual, path)
}

fn inside(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    if path.len() > PATH_LIMIT {
        return any(expected, original, actual, path);
    }
    match expected {
        Type::Variant(types) => variant(types, original, actual, path),
        Type::Struct(members) => structure(members, original, actual, path),
        Type::Hash(entry, size) => hash(&entry.0, &entry.1, *size, original, actual, path),
        Type::Tuple(types, size) => {
            if expected == actual || types.is_empty() && matches!(actual, Type::Array(..)) {
                return Vec::new();
            }
            tuple(types, tuple_size(types, *size), original, actual, path, size_mismatch)
        }
        Type::Array(element, size) => array(element, *size, original, actual, path),
        Type::Callable(callable) => match (callable, actual) {
            (Some(expected), Type::Callable(actual)) => {
                self::callable(expected, actual.as_deref(), path)
            }
            (None, Type::Callable(_)) => Vec::new(),
            _ => vec![type_mismatch(path, original, actual)],
        },
        Type::Optional(inner) => match inner {
            Some(inner) if *actual != Type::Undef => {
                let original = if is_name(original) { original } else { expected };
                inside(inner, original, actual, path)
            }
            _ => Vec::new(),
        },
        Type::Pattern(_) | Type::Enum { .. } => vec![pattern_mismatch(path, original, actual)],
        Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => {
            match expansion(expected) {
                Some(target) => inside(&normalize(target), expected, actual, path),
                None => any(expected, original, actual, path),
            }
        }
        _ => any(expected, original, actual, path),
    }
}

fn is_name(kind: &Type) -> bool {
    matches!(kind, Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey)
}

fn any(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    match is_assignable(expected, actual) {
        true => Vec::new(),
        false => vec![type_mismatch(path, original, actual)],
    }
}

fn variant(types: &[Type], original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let undef = matches!(original, Type::Optional(_)).then_some(Type::Undef);
    let mut all = Vec::new();
    for (i, kind) in undef.iter().chain(types).enumerate() {
        let found = describe(kind, actual, &plus(path, Step::Variant(i)));
        if found.is_empty() {
            return Vec::new();
        }
        all.push(found);
    }
    let merged = merge(path.len(), false, &all);
    match merged.len() {
        1 if is_name(original) => vec![type_mismatch(path, original, actual)],
        _ => merged,
    }
}

/// The way without the numbers of alternatives.
fn canonical(path: &[Step]) -> Vec<&Step> {
    path.iter().filter(|s| !matches!(s, Step::Variant(_) | Step::Signature(_))).collect()
}

/// Joins the mismatches that all alternatives have in the same place into one.
fn merge(position: usize, by_count: bool, alternatives: &[Vec<Mismatch>]) -> Vec<Mismatch> {
    let all: Vec<&Mismatch> = alternatives.iter().flatten().collect();
    let classes: [fn(&Reason, bool) -> bool; 4] = [
        |r, count| match count {
            true => matches!(r, Reason::Count { .. }),
            false => matches!(r, Reason::Size { .. } | Reason::Count { .. }),
        },
        |r, _| matches!(r, Reason::MissingBlock),
        |r, _| matches!(r, Reason::UnexpectedBlock),
        |r, _| matches!(r, Reason::Type { .. } | Reason::Pattern { .. }),
    ];
    for class in classes {
        let same: Vec<&Mismatch> =
            all.iter().copied().filter(|m| class(&m.reason, by_count)).collect();
        if same.is_empty() || same.len() != alternatives.len() {
            continue;
        }
        if let Some(joined) = join(&same) {
            return vec![without_step(joined, position)];
        }
    }
    // Upstream only merges equal mismatches of blocks; other ones are repeated.
    let mut seen = FxHashSet::default();
    let mut unique: Vec<Mismatch> = Vec::new();
    for mismatch in all {
        let is_new = match mismatch.reason {
            Reason::MissingBlock => seen.insert((true, canonical(&mismatch.path))),
            Reason::UnexpectedBlock => seen.insert((false, canonical(&mismatch.path))),
            _ => true,
        };
        if is_new {
            unique.push(mismatch.clone());
        }
    }
    if unique.len() == 1 {
        unique = unique.into_iter().map(|m| without_step(m, position)).collect();
    }
    unique
}

fn without_step(mut mismatch: Mismatch, position: usize) -> Mismatch {
    if position < mismatch.path.len() {
        mismatch.path.remove(position);
    }
    mismatch
}

fn join(same: &[&Mismatch]) -> Option<Mismatch> {
    let (first, rest) = same.split_first()?;
    let mut joined = (*first).clone();
    for other in rest {
        if canonical(&joined.path) != canonical(&other.path) {
            return None;
        }
        joined.reason = join_reasons(&joined.reason, &other.reason)?;
    }
    Some(joined)
}

fn join_reasons(a: &Reason, b: &Reason) -> Option<Reason> {
    let types = |x: &Type, y: &Type| normalize(&variant_of([x.clone(), y.clone()]));
    let ranges = |x: &IntRange, y: &IntRange| x.of_sizes().joined(y.of_sizes());
    Some(match (a, b) {
        (
            Reason::Type { expected, actual },
            Reason::Type { expected: other, .. } | Reason::Pattern { expected: other, .. },
        ) => Reason::Type { expected: types(expected, other), actual: actual.clone() },
        (
            Reason::Pattern { expected, actual },
            Reason::Type { expected: other, .. } | Reason::Pattern { expected: other, .. },
        ) => Reason::Pattern { expected: types(expected, other), actual: actual.clone() },
        (
            Reason::Size { expected, actual },
            Reason::Size { expected: other, .. } | Reason::Count { expected: other, .. },
        ) => Reason::Size { expected: ranges(expected, other), actual: *actual },
        (
            Reason::Count { expected, actual },
            Reason::Size { expected: other, .. } | Reason::Count { expected: other, .. },
        ) => Reason::Count { expected: ranges(expected, other), actual: *actual },
        (Reason::MissingBlock, Reason::MissingBlock)
        | (Reason::UnexpectedBlock, Reason::UnexpectedBlock) => a.clone(),
        _ => return None,
    })
}

fn array(
    element: &Type,
    size: SizeRange,
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    match actual {
        Type::Tuple(types, other) => {
            let count = types.len() as i64;
            let other = other.unwrap_or(IntRange::new(count, count));
            if !size.covers(other) {
                return vec![size_mismatch(path, size, other)];
            }
            let each = types.iter().enumerate().filter(|(_, t)| !is_assignable(element, t));
            each.flat_map(|(i, t)| describe(element, t, &plus(path, Step::Index(i)))).collect()
        }
        Type::Array(other_element, other) if size.covers(*other) => {
            let general = Type::Array(other_element.clone(), SizeRange::ANY_SIZE);
            vec![type_mismatch(path, original, &general)]
        }
        Type::Array(_, other) => vec![size_mismatch(path, size, *other)],
        _ => vec![type_mismatch(path, original, actual)],
    }
}

fn struct_size(members: &[StructMember]) -> IntRange {
    let required = members.iter().filter(|m| !m.optional).count() as i64;
    IntRange::new(required, members.len() as i64)
}

fn key_type(member: &StructMember) -> Type {
    Type::Literal(member.name.clone())
}

fn hash(
    key: &Type,
    value: &Type,
    size: SizeRange,
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    match actual {
        Type::Struct(members) => {
            let other = struct_size(members);
            if !size.covers(other) {
                return vec![size_mismatch(path, size, other)];
            }
            let mut found = Vec::new();
            for member in members.iter() {
                let own_key = key_type(member);
                if !is_assignable(key, &own_key) {
                    let path = plus(path, Step::EntryKey(member.name.clone()));
                    found.extend(describe(key, &own_key, &path));
                }
                if !is_assignable(value, &member.kind) {
                    let path = plus(path, Step::Entry(member.name.clone()));
                    found.extend(describe(value, &member.kind, &path));
                }
            }
            found
        }
        Type::Hash(entry, other) if size.covers(*other) => {
            let general = Type::Hash(entry.clone(), SizeRange::ANY_SIZE);
            vec![type_mismatch(path, original, &general)]
        }
        Type::Hash(_, other) => vec![size_mismatch(path, size, *other)],
        _ => vec![type_mismatch(path, original, actual)],
    }
}

fn structure(
    members: &[StructMember],
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    match actual {
        Type::Struct(others) => struct_members(members, others, path),
        Type::Hash(entry, size) => {
            let own = struct_size(members);
            if own.covers(*size) {
                let general = Type::Hash(entry.clone(), SizeRange::ANY_SIZE);
                return vec![type_mismatch(path, original, &general)];
            }
            vec![size_mismatch(path, own, *size)]
        }
        _ => vec![type_mismatch(path, original, actual)],
    }
}

fn struct_members(
    members: &[StructMember],
    others: &[StructMember],
    path: &[Step],
) -> Vec<Mismatch> {
    let mut left: indexmap::IndexMap<&EcoString, &StructMember> =
        others.iter().map(|m| (&m.name, m)).collect();
    let mut found = Vec::new();
    for member in members {
        let Some(other) = left.shift_remove(&member.name) else {
            if !member.optional {
                let reason = Reason::MissingKey(member.name.clone());
                found.push(Mismatch { path: path.to_vec(), reason });
            }
            continue;
        };
        if !is_assignable(&member.kind, &other.kind) {
            let path = plus(path, Step::Entry(member.name.clone()));
            found.extend(describe(&member.kind, &other.kind, &path));
        }
    }
    for name in left.into_keys() {
        let reason = Reason::UnknownKey(name.clone());
        found.push(Mismatch { path: path.to_vec(), reason });
    }
    found
}

fn tuple(
    types: &[Type],
    size: IntRange,
    original: &Type,
    actual: &Type,
    path: &[Step],
    wrong_size: fn(&[Step], IntRange, IntRange) -> Mismatch,
) -> Vec<Mismatch> {
    let other = match actual {
        Type::Tuple(others, other) => tuple_size(others, *other),
        Type::Array(_, other) => *other,
        _ => return vec![type_mismatch(path, original, actual)],
    };
    if !size.covers(other) {
        return vec![wrong_size(path, size, other)];
    }
    let Some(last) = types.len().checked_sub(1) else { return Vec::new() };
    let mut found = Vec::new();
    match actual {
        Type::Tuple(others, _) => {
            for (i, kind) in others.iter().enumerate() {
                let i = i.min(last);
                found.extend(describe(&types[i], kind, &plus(path, Step::Index(i))));
            }
        }
        Type::Array(element, _) => {
            for (i, kind) in types.iter().enumerate() {
                found.extend(describe(kind, element, &plus(path, Step::Index(i))));
            }
        }
        _ => {}
    }
    found
}

fn count_mismatch(path: &[Step], expected: IntRange, actual: IntRange) -> Mismatch {
    Mismatch { path: path.to_vec(), reason: Reason::Count { expected, actual } }
}

fn callable(
    expected: &CallableType,
    actual: Option<&CallableType>,
    path: &[Step],
) -> Vec<Mismatch> {
    let own = parameter_tuple(expected);
    let Some(actual) = actual else {
        return vec![type_mismatch(path, &own, &Type::Any)];
    };
    let other = parameter_tuple(actual);
    let (Type::Tuple(types, size), false) = (&own, own == other) else {
        return callable_rest(expected, actual, path);
    };
    let found = tuple(types, tuple_size(types, *size), &own, &other, path, count_mismatch);
    if found.is_empty() { callable_rest(expected, actual, path) } else { found }
}

fn callable_rest(expected: &CallableType, actual: &CallableType, path: &[Step]) -> Vec<Mismatch> {
    let own = expected.returns.as_ref().unwrap_or(&Type::Any);
    let other = actual.returns.as_ref().unwrap_or(&Type::Any);
    if !is_assignable(own, other) {
        return vec![type_mismatch(&plus(path, Step::Return), own, other)];
    }
    let own = expected.block.as_ref().unwrap_or(&Type::Undef);
    let other = actual.block.as_ref().unwrap_or(&Type::Undef);
    match is_assignable(other, own) {
        true => Vec::new(),
        false => vec![type_mismatch(&plus(path, Step::Block), own, other)],
    }
}

/// The mismatch of each signature.
pub(super) fn describe_signatures(
    name: &str,
    signatures: &[&Signature],
    args: &[Value],
    block: Option<&Signature>,
) -> String {
    let types: Vec<Type> = args.iter().map(infer_set).collect();
    let path = |i| [Step::Signature(i)];
    let mut errors: Vec<Vec<Mismatch>> = signatures
        .iter()
        .enumerate()
        .map(|(i, s)| arguments(s, &types, block.is_some(), &path(i)))
        .collect();
    if errors.iter().any(Vec::is_empty) {
        let block = block.map(callable_of);
        let of_block: Vec<Vec<Mismatch>> = signatures
            .iter()
            .enumerate()
            .map(|(i, s)| self::block(s, &types, block.as_ref(), &path(i)))
            .collect();
        if of_block.iter().all(|e| !e.is_empty()) {
            errors = of_block;
        } else {
            for (own, other) in errors.iter_mut().zip(of_block) {
                if own.is_empty() {
                    *own = other;
                }
            }
        }
    }
    let label = if name == "lambda" { "block".into() } else { format!("'{name}'") };
    let merged = merge(0, true, &errors);
    if let [one] = merged.as_slice() {
        return format!("{label}{}", one.text());
    }
    render(&label, signatures, errors)
}

fn render(label: &str, signatures: &[&Signature], errors: Vec<Vec<Mismatch>>) -> String {
    let rejected = |mismatch: Mismatch| without_step(mismatch, 0).text();
    if let [one] = signatures {
        let mut out = format!("{label} expects ({})", signature_text(one));
        for mismatch in errors.into_iter().flatten() {
            out.push_str("\n  rejected:");
            out.push_str(&rejected(mismatch));
        }
        return out;
    }
    let mut out = format!(
        "The function {label} was called with arguments it does not accept. It expects one of:"
    );
    for (signature, mismatches) in signatures.iter().zip(errors) {
        out.push_str("\n  (");
        out.push_str(&signature_text(signature));
        out.push(')');
        for mismatch in mismatches {
            out.push_str("\n    rejected:");
            out.push_str(&rejected(mismatch));
        }
    }
    out
}

fn size_of(signature: &Signature) -> IntRange {
    let from = signature.min() as i64;
    IntRange::between(Some(from), signature.max().map(|max| max as i64))
}

fn arguments(
    signature: &Signature,
    types: &[Type],
    has_block: bool,
    path: &[Step],
) -> Vec<Mismatch> {
    // A last argument that can be called counts as the block.
    let callable = types.last().is_some_and(|t| is_callable(t, true));
    let count = if !has_block && callable { types.len() - 1 } else { types.len() };
    let actual = IntRange::new(count as i64, count as i64);
    let expected = size_of(signature);
    if !expected.covers(actual) {
        return vec![count_mismatch(path, expected, actual)];
    }
    let Some(last) = signature.params.len().checked_sub(1) else { return Vec::new() };
    for (i, kind) in types.iter().take(count).enumerate() {
        let param = &signature.params[i.min(last)];
        if !is_assignable(&param.kind, kind) {
            let step = Step::Parameter(param.name.clone());
            let found = describe(&param.kind, kind, &plus(path, step));
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

fn block(
    signature: &Signature,
    types: &[Type],
    block: Option<&Type>,
    path: &[Step],
) -> Vec<Mismatch> {
    let given = block.or_else(|| types.last().filter(|t| is_callable(t, true)));
    let just = |reason| vec![Mismatch { path: path.to_vec(), reason }];
    match (&signature.block, given) {
        (None, Some(_)) => just(Reason::UnexpectedBlock),
        (Some(expected), Some(given)) => describe(expected, given, &plus(path, Step::Block)),
        (Some(expected), None) if !is_assignable(expected, &Type::Undef) => {
            just(Reason::MissingBlock)
        }
        _ => Vec::new(),
    }
}

/// The text of a type with its alias spelled out, if it is one.
fn shown(kind: &Type) -> String {
    match kind {
        Type::Alias(_) => crate::types::display::expanded(kind),
        _ => kind.to_string(),
    }
}

fn signature_text(signature: &Signature) -> String {
    let count = signature.params.len();
    let required = signature.min();
    let mut parts = Vec::with_capacity(count + 1);
    for (i, param) in signature.params.iter().enumerate() {
        let mut kind = &param.kind;
        let mark = if signature.rest && i + 1 == count {
            if required == count { "+" } else { "*" }
        } else if i >= required {
            if let Type::Optional(Some(inner)) = kind {
                kind = inner;
            }
            "?"
        } else {
            ""
        };
        parts.push(format!("{} {}{mark}", shown(kind), param.name));
    }
    if parts.is_empty() {
        return String::new();
    }
    match &signature.block {
        Some(Type::Optional(Some(kind))) => {
            parts.push(format!("{} {}?", shown(kind), signature.block_name));
        }
        // As upstream, a named one is left out.
        Some(kind)
            if matches!(resolved(kind), Type::Callable(_)) && !matches!(kind, Type::Alias(_)) =>
        {
            parts.push(format!("{} {}", shown(kind), signature.block_name));
        }
        _ => {}
    }
    parts.join(", ")
}
