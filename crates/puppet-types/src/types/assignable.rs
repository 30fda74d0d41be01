//! Assignability: the subtype relation.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::types::aliases::{expansion, resolved, rich_data};
use crate::types::init::{init_fault, init_takes};
use crate::types::instance::is_instance;
use crate::types::ruby_classes;
use crate::types::undecided::undecided;
use crate::types::variant::variant_of;
use crate::types::{CallableType, IntRange, ObjectType, SizeRange, StructMember, Type};
use crate::value::equality::case_matches;
use crate::value::{SemVerRange, Value};

/// Pairs of types under comparison that involve an alias. A repeated pair counts as assignable,
/// because nothing has contradicted it so far.
#[derive(Clone, Copy)]
struct Guard<'a> {
    to: *const Type,
    from: *const Type,
    depth: u32,
    outer: Option<&'a Guard<'a>>,
}

/// The nesting of aliases at which a comparison is given up.
const DEPTH_LIMIT: u32 = 200;

/// The nesting of `Init` types at which a comparison is given up.
const INIT_LIMIT: u32 = 6;

/// From this number of alternatives on, the alternatives of one variant are looked up in a set of
/// those of the other. Inference of large lists makes such variants.
const MAX_SEARCHED: usize = 32;

/// The results for pairs of aliases while a comparison lasts: without them, aliases that mention each
/// other twice would be compared twice as often at each level.
#[derive(Default)]
struct Memo {
    pairs: FxHashMap<(*const Type, *const Type), bool>,
    /// The current nesting of comparisons.
    nested: u32,
    /// The depth of the outermost pair that was taken to hold since it came back.
    assumed: u32,
    /// Whether a comparison was given up.
    is_given_up: bool,
}

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::default();
}

/// Whether every instance of `from` is an instance of `to`.
pub fn is_assignable(to: &Type, from: &Type) -> bool {
    MEMO.with_borrow_mut(|memo| memo.nested += 1);
    let result = test(to, from, None);
    MEMO.with_borrow_mut(|memo| {
        memo.nested -= 1;
        if memo.nested == 0 {
            *memo = Memo::default();
        }
    });
    result
}

type G<'a> = Option<&'a Guard<'a>>;

/// Something that is the same for the same alias wherever it is mentioned.
fn identity(kind: &Type) -> *const Type {
    match kind {
        Type::Alias(alias) => Arc::as_ptr(alias).cast(),
        Type::Data | Type::RichData | Type::RichDataKey => {
            expansion(kind).map_or(kind, |target| target)
        }
        _ => kind,
    }
}

fn guarded(to: &Type, from: &Type, guard: G<'_>, inner: impl FnOnce(G<'_>) -> bool) -> bool {
    // Only aliases stay where they are in memory.
    let is_lasting = expansion(to).is_some() && expansion(from).is_some();
    let (to, from) = (identity(to), identity(from));
    let mut frame = guard;
    while let Some(g) = frame {
        if g.to == to && g.from == from {
            MEMO.with_borrow_mut(|memo| memo.assumed = memo.assumed.min(g.depth));
            return true;
        }
        frame = g.outer;
    }
    let depth = guard.map_or(0, |g| g.depth) + 1;
    if depth >= DEPTH_LIMIT {
        MEMO.with_borrow_mut(|memo| memo.is_given_up = true);
        return false;
    }
    if !is_lasting {
        return inner(Some(&Guard { to, from, depth, outer: guard }));
    }
    let before = MEMO.with_borrow_mut(|memo| match memo.pairs.get(&(to, from)) {
        Some(&result) => Err(result),
        None => Ok(std::mem::replace(&mut memo.assumed, u32::MAX)),
    });
    let before = match before {
        Err(result) => return result,
        Ok(before) => before,
    };
    let result = inner(Some(&Guard { to, from, depth, outer: guard }));
    MEMO.with_borrow_mut(|memo| {
        // A result that depends on an outer pair cannot be stored.
        let is_own = memo.assumed >= depth;
        if (is_own || !result) && !memo.is_given_up {
            memo.pairs.insert((to, from), result);
        }
        memo.assumed = if is_own { before } else { before.min(memo.assumed) };
    });
    result
}

#[expect(clippy::mutable_key_type, reason = "only caches inside types change")]
fn test(to: &Type, from: &Type, guard: G<'_>) -> bool {
    if matches!(to, Type::Any | Type::Unit) {
        return true;
    }
    match from {
        Type::Unit => true,
        Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => {
            to == from
                || expansion(from)
                    .is_some_and(|target| guarded(to, from, guard, |g| test(to, target, g)))
        }
        Type::Variant(types) => match to {
            Type::NotUndef(_) if types.is_empty() => from_plain(to, from, guard),
            Type::Variant(options) if options.is_empty() => true,
            Type::Variant(options)
                if types.len() > MAX_SEARCHED && options.len() > MAX_SEARCHED =>
            {
                let options: FxHashSet<&Type> = options.iter().collect();
                types.iter().all(|t| options.contains(t) || test(to, t, guard))
            }
            _ => !types.is_empty() && types.iter().all(|t| test(to, t, guard)),
        },
        Type::Optional(inner) => {
            test(to, &Type::Undef, guard) && inner.as_ref().is_none_or(|t| test(to, t, guard))
        }
        Type::NotUndef(Some(inner)) if !test(inner, &Type::Undef, guard) => test(to, inner, guard),
        _ => from_plain(to, from, guard),
    }
}

/// `from` is no alias, variant or optional type here.
fn from_plain(to: &Type, from: &Type, guard: G<'_>) -> bool {
    match to {
        Type::Alias(_) | Type::Data | Type::RichData | Type::RichDataKey => {
            expansion(to).is_some_and(|target| guarded(to, from, guard, |g| test(target, from, g)))
        }
        Type::Variant(types) => types.iter().any(|t| test(t, from, guard)),
        Type::Optional(None) => true,
        Type::Optional(Some(inner)) => *from == Type::Undef || test(inner, from, guard),
        Type::NotUndef(inner) => {
            !test(from, &Type::Undef, guard) && inner.as_ref().is_none_or(|t| test(t, from, guard))
        }
        Type::Undef | Type::Default | Type::Binary | Type::SemVerRange => to == from,
        Type::Numeric => matches!(from, Type::Numeric | Type::Integer(_) | Type::Float(_)),
        Type::ScalarData => is_scalar_data(from),
        Type::Scalar => is_scalar(from),
        Type::Integer(range) => matches!(from, Type::Integer(r) if range.covers(*r)),
        Type::Float(range) => {
            matches!(from, Type::Float(r) if range.from <= r.from && r.to <= range.to)
        }
        Type::Boolean(value) => {
            matches!(from, Type::Boolean(v) if value.is_none() || value == v)
        }
        Type::String(_) | Type::Literal(_) | Type::Enum { .. } | Type::Pattern(_) => text(to, from),
        Type::Regexp(source) => {
            matches!(from, Type::Regexp(s) if source.is_none() || source == s)
        }
        Type::Collection(_) | Type::Array(..) | Type::Hash(..) | Type::Tuple(..) => {
            collection(to, from, guard)
        }
        Type::Struct(members) => structure(members, from, guard),
        Type::Callable(callable) => {
            matches!(from, Type::Callable(other) if callable_takes(callable.as_deref(), other.as_deref(), guard))
        }
        _ => rare(to, from, guard),
    }
}

fn is_scalar_data(from: &Type) -> bool {
    matches!(
        from,
        Type::ScalarData
            | Type::Numeric
            | Type::Integer(_)
            | Type::Float(_)
            | Type::Boolean(_)
            | Type::String(_)
            | Type::Literal(_)
            | Type::Enum { .. }
            | Type::Pattern(_)
    )
}

fn is_scalar(from: &Type) -> bool {
    is_scalar_data(from)
        || matches!(
            from,
            Type::Scalar
                | Type::Regexp(_)
                | Type::SemVer(_)
                | Type::SemVerRange
                | Type::Timespan(_)
                | Type::Timestamp(_)
        )
}

fn chars(text: &str) -> i64 {
    text.chars().count() as i64
}

fn text(to: &Type, from: &Type) -> bool {
    match (to, from) {
        (Type::String(size), Type::String(other)) => size.covers(*other),
        (Type::String(size), Type::Literal(s)) => {
            *size == SizeRange::ANY_SIZE || size.contains(chars(s))
        }
        (Type::String(size), Type::Enum { values, .. }) => {
            *size == SizeRange::ANY_SIZE
                || !values.is_empty() && values.iter().all(|v| size.contains(chars(v)))
        }
        (Type::String(size), Type::Pattern(_)) => *size == SizeRange::ANY_SIZE,
        (Type::Literal(s), Type::Literal(other)) => s == other,
        (Type::Literal(s), Type::Enum { values, caseless }) => {
            // Upstream takes any enum of one value here. Only an equal one makes sense.
            !caseless && matches!(&**values, [v] if v == s)
        }
        (Type::Enum { values, caseless }, _) => enumeration(values, *caseless, from, to),
        (Type::Pattern(patterns), _) => {
            let matches = |s: &str| patterns.iter().any(|p| p.is_match(s));
            to == from
                || match from {
                    Type::Literal(s) => patterns.is_empty() || matches(s),
                    Type::Enum { values, .. } if !values.is_empty() => {
                        patterns.is_empty() || values.iter().all(|s| matches(s))
                    }
                    Type::String(_) | Type::Enum { .. } | Type::Pattern(_) => patterns.is_empty(),
                    _ => false,
                }
        }
        _ => false,
    }
}

fn enumeration(values: &[EcoString], caseless: bool, from: &Type, to: &Type) -> bool {
    let has = |text: &str| match caseless {
        true => values.iter().any(|v| v.eq_ignore_ascii_case(text)),
        false => values.binary_search_by(|v| v.as_str().cmp(text)).is_ok(),
    };
    if to == from {
        return true;
    }
    match from {
        Type::String(_) | Type::Literal(_) | Type::Enum { .. } | Type::Pattern(_)
            if values.is_empty() =>
        {
            true
        }
        Type::Literal(s) => has(s),
        Type::Enum { values: other, caseless: other_caseless } => {
            !other.is_empty() && (caseless || !other_caseless) && other.iter().all(|s| has(s))
        }
        _ => false,
    }
}

/// The number of items of a tuple type.
pub(crate) fn tuple_size(types: &[Type], size: Option<SizeRange>) -> SizeRange {
    let count = types.len() as i64;
    size.unwrap_or(match count {
        0 => SizeRange::ANY_SIZE,
        _ => IntRange::new(count, count),
    })
}

fn collection(to: &Type, from: &Type, guard: G<'_>) -> bool {
    match (to, from) {
        (Type::Collection(size), _) => {
            collection_size(from).is_some_and(|other| size.covers(other))
        }
        (Type::Array(element, size), Type::Array(other, other_size)) => {
            size.covers(*other_size) && test(element, other, guard)
        }
        (Type::Array(element, size), Type::Tuple(types, other_size)) => {
            let count = types.len() as i64;
            size.covers(other_size.unwrap_or(IntRange::new(count, count)))
                && types.iter().all(|t| test(element, t, guard))
        }
        (Type::Hash(entry, size), Type::Hash(other, other_size)) => {
            let empty = *other_size == IntRange::new(0, 0)
                && other.0 == Type::Unit
                && other.1 == Type::Unit;
            empty && size.from == 0
                || test(&entry.0, &other.0, guard)
                    && test(&entry.1, &other.1, guard)
                    && size.covers(*other_size)
        }
        (Type::Hash(entry, size), Type::Struct(members)) => {
            size.contains(members.len() as i64)
                && members.iter().all(|m| {
                    is_instance(&entry.0, &Value::Str(m.name.clone()))
                        && test(&entry.1, &m.kind, guard)
                })
        }
        (Type::Tuple(types, size), _) => tuple(types, *size, from, guard),
        _ => false,
    }
}

fn collection_size(from: &Type) -> Option<SizeRange> {
    Some(match from {
        Type::Collection(size) | Type::Array(_, size) | Type::Hash(_, size) => *size,
        Type::Tuple(types, size) => {
            let count = types.len() as i64;
            size.unwrap_or(IntRange::new(count, count))
        }
        Type::Struct(members) => {
            let count = members.len() as i64;
            IntRange::new(count, count)
        }
        _ => return None,
    })
}

fn tuple(types: &[Type], size: Option<SizeRange>, from: &Type, guard: G<'_>) -> bool {
    let own = tuple_size(types, size);
    match from {
        Type::Tuple(others, other_size) => {
            if !own.covers(tuple_size(others, *other_size)) {
                return false;
            }
            let Some(last) = types.last() else { return true };
            if others.is_empty() {
                return own.from == 0;
            }
            others.iter().enumerate().all(|(i, o)| test(types.get(i).unwrap_or(last), o, guard))
        }
        Type::Array(element, other_size) => {
            let count = types.len().min(usize::try_from(other_size.to).unwrap_or(usize::MAX));
            own.covers(*other_size) && types.iter().take(count).all(|t| test(t, element, guard))
        }
        _ => false,
    }
}

fn structure(members: &[StructMember], from: &Type, guard: G<'_>) -> bool {
    match from {
        Type::Struct(others) => {
            let by_name: FxHashMap<&str, &StructMember> =
                others.iter().map(|m| (m.name.as_str(), m)).collect();
            let mut matched = 0;
            members.iter().all(|m| match by_name.get(m.name.as_str()) {
                None => m.optional,
                Some(other) => {
                    matched += 1;
                    (m.optional || !other.optional) && test(&m.kind, &other.kind, guard)
                }
            }) && matched == others.len()
        }
        Type::Hash(entry, size) => {
            let required = members.iter().filter(|m| !m.optional).count() as i64;
            let any_text = Type::String(SizeRange::ANY_SIZE);
            members
                .iter()
                .filter(|m| !m.optional)
                .all(|m| test(&m.kind, &entry.1, guard) && test(&any_text, &entry.0, guard))
                && IntRange::new(required, members.len() as i64).covers(*size)
        }
        _ => false,
    }
}

/// The parameters of a callable as a tuple.
pub(crate) fn parameter_tuple(callable: &CallableType) -> Type {
    Type::Tuple(callable.params.clone().into(), Some(callable.size))
}

fn callable_takes(to: Option<&CallableType>, from: Option<&CallableType>, guard: G<'_>) -> bool {
    let Some(to) = to else { return true };
    let returned = from.and_then(|f| f.returns.as_ref()).unwrap_or(&Type::Any);
    if to.returns.as_ref().is_some_and(|r| !test(r, returned, guard)) {
        return false;
    }
    let Some(from) = from else { return false };
    test(&parameter_tuple(from), &parameter_tuple(to), guard)
        && test(
            from.block.as_ref().unwrap_or(&Type::Undef),
            to.block.as_ref().unwrap_or(&Type::Undef),
            guard,
        )
}

fn rare(to: &Type, from: &Type, guard: G<'_>) -> bool {
    match (to, from) {
        (Type::CatalogEntry, _) => {
            matches!(from, Type::CatalogEntry | Type::Resource { .. } | Type::Class(_))
        }
        (Type::Class(name), Type::Class(other)) => name.is_none() || name == other,
        (Type::Resource { kind, title }, Type::Resource { kind: k, title: t }) => match (kind, k) {
            (None, _) => true,
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b) && (title.is_none() || title == t),
            _ => false,
        },
        (Type::Type(inner), Type::Type(other)) => contained(inner.as_ref(), other.as_ref(), guard),
        (Type::Sensitive(inner), Type::Sensitive(other)) => test(
            inner.as_deref().unwrap_or(&Type::Any),
            other.as_deref().unwrap_or(&Type::Any),
            guard,
        ),
        (Type::Iterable(None), _) => element_of(from).is_some(),
        (Type::Iterable(Some(element)), _) => iterates(element, from, guard),
        (Type::Iterator(inner), Type::Iterator(other)) => {
            contained(inner.as_ref(), other.as_ref(), guard)
        }
        (Type::Timestamp(range), Type::Timestamp(other))
        | (Type::Timespan(range), Type::Timespan(other)) => match (range, other) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a.0 <= b.0 && b.1 <= a.1,
        },
        (Type::SemVer(ranges), Type::SemVer(other)) => {
            let within =
                |range: &SemVerRange| ranges.iter().any(|r| range.range.is_within(&r.range));
            ranges.is_empty() || !other.is_empty() && other.iter().all(within)
        }
        (Type::Uri(None), Type::Uri(_)) => true,
        (Type::Uri(Some(parts)), Type::Uri(other)) => {
            other.as_ref().is_some_and(|other| uri_takes(parts, other))
        }
        (Type::Runtime(name), Type::Runtime(other)) => {
            name.is_none()
                || name == other
                || matches!((name, other), (Some(name), Some(other)) if name.0 == other.0
                    && ruby_classes::inherits(&other.1, &name.1))
        }
        (Type::Object(object), Type::Object(other)) => object_is_a(other, object),
        (Type::Object(object), Type::Parameterized(other)) => object_is_a(&other.base, object),
        (Type::Parameterized(to), Type::Parameterized(from)) => {
            object_is_a(&from.base, &to.base)
                && to.parameters.iter().all(|(name, expected)| {
                    let given = from.parameters.iter().find(|(n, _)| n == name);
                    given.is_some_and(|(_, given)| parameter_takes(expected, given))
                })
        }
        (Type::Init(_), _) => init(to, from, guard),
        (Type::TypeSet(a), Type::TypeSet(b)) => a.is_any() || a == b,
        _ => false,
    }
}

fn init(to: &Type, from: &Type, guard: G<'_>) -> bool {
    if let Type::Init(Some(init)) = to
        && let Some(reason) = init_fault(init)
    {
        undecided(reason);
        return false;
    }
    match (to, from) {
        (Type::Init(init), Type::Init(other)) => match (init, other) {
            (None, _) => true,
            (Some(a), Some(b)) => test(&a.target, &b.target, guard),
            (Some(_), None) => false,
        },
        (Type::Init(Some(init)), _) => {
            test(&init.target, from, guard)
                // An object type may take its own `Init` as an argument.
                || (guard.map_or(0, |g| g.depth) < INIT_LIMIT
                    && guarded(to, from, guard, |g| {
                        init_takes(init, |kind| test(kind, from, g))
                    }))
        }
        _ => test(rich_data(), from, guard),
    }
}

/// Whether all parts that a type of URIs names are so in the other's.
fn uri_takes(parts: &Value, other: &Value) -> bool {
    let mut expected = parts.as_hash().into_iter().flatten();
    expected.all(|(name, part)| {
        let given = other.get(name.as_str().unwrap_or_default());
        given.is_some_and(|given| parameter_takes(part, given))
    })
}

/// Whether a type parameter takes another: it matches like the option of a `case`, or both are
/// types and it takes the other.
pub(crate) fn parameter_takes(expected: &Value, given: &Value) -> bool {
    case_matches(expected, given).matched
        || matches!((expected, given), (Value::Type(to), Value::Type(from)) if is_assignable(to, from))
}

fn contained(inner: Option<&Arc<Type>>, other: Option<&Arc<Type>>, guard: G<'_>) -> bool {
    match (inner, other) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => test(a, b, guard),
    }
}

fn iterates(element: &Type, from: &Type, guard: G<'_>) -> bool {
    if test(element, &Type::Any, guard) {
        return element_of(from).is_some();
    }
    element_of(from).flatten().is_some_and(|items| test(element, &items, guard))
}

/// The type of the elements of an instance: `None` if it cannot be iterated over,
/// `Some(None)` if nothing is known of its items.
pub(crate) fn element_of(kind: &Type) -> Option<Option<Cow<'_, Type>>> {
    let one_char = || Cow::Owned(Type::String(IntRange::new(1, 1)));
    Some(match kind {
        Type::Array(element, _) if **element == Type::Any => None,
        Type::Array(element, _) => Some(Cow::Borrowed(element)),
        Type::Tuple(types, _) => Some(Cow::Owned(variant_of(types.iter().cloned()))),
        // Entries without a declared type may be anything.
        Type::Hash(entry, size)
            if **entry == (Type::Any, Type::Any) && *size == SizeRange::ANY_SIZE =>
        {
            Some(Cow::Owned(pair(Type::Unit, Type::Unit)))
        }
        Type::Hash(entry, _) => Some(Cow::Owned(pair(entry.0.clone(), entry.1.clone()))),
        Type::Struct(members) if members.is_empty() => {
            Some(Cow::Owned(pair(Type::Unit, Type::Unit)))
        }
        Type::Struct(members) => Some(Cow::Owned(pair(
            variant_of(members.iter().map(|m| match (Type::Literal(m.name.clone()), m.optional) {
                (name, true) => Type::Optional(Some(Arc::new(name))),
                (name, false) => name,
            })),
            variant_of(members.iter().map(|m| m.kind.clone())),
        ))),
        Type::Collection(_) => None,
        Type::Runtime(Some(class)) if class.0 == "ruby" && ruby_classes::is_iterable(&class.1) => {
            None
        }
        Type::String(_) | Type::Literal(_) => Some(one_char()),
        Type::Enum { .. } => Some(one_char()),
        Type::Integer(_) => Some(Cow::Owned(Type::Integer(IntRange::ANY))),
        Type::Iterable(inner) | Type::Iterator(inner) => inner.as_deref().map(Cow::Borrowed),
        Type::Type(Some(inner)) => match resolved(inner) {
            Type::Enum { .. } => Some(Cow::Borrowed(&**inner)),
            Type::Integer(r) if r.first().is_some() && r.last().is_some() => {
                Some(Cow::Borrowed(&**inner))
            }
            _ => return None,
        },
        Type::Alias(_) => return element_of(resolved(kind)),
        _ => return None,
    })
}

fn pair(key: Type, value: Type) -> Type {
    Type::Tuple([key, value].into(), Some(IntRange::new(2, 2)))
}

/// Whether an object type is another one or inherits from it.
pub(crate) fn object_is_a(kind: &Arc<ObjectType>, other: &ObjectType) -> bool {
    let mut current = Some(Arc::clone(kind));
    for _ in 0..DEPTH_LIMIT {
        let Some(object) = current else { return false };
        if other.is_root() || *object == *other {
            return true;
        }
        current = object.parent_object();
    }
    false
}

/// Whether instances of the type can be called; an optional one only if `optional`.
pub(crate) fn is_callable(kind: &Type, optional: bool) -> bool {
    match resolved(kind) {
        Type::Callable(_) => true,
        Type::Optional(Some(inner)) => optional && is_callable(inner, optional),
        Type::Variant(types) => types.iter().all(|t| is_callable(t, optional)),
        _ => false,
    }
}

/// Whether two types are equal or assignable to each other.
#[inline]
pub fn is_equivalent(a: &Type, b: &Type) -> bool {
    a == b || is_assignable(a, b) && is_assignable(b, a)
}
