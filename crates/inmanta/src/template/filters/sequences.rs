//! Filters for lists and dicts.

use ecow::EcoString;

use super::super::arguments::{Arguments, BoundArguments};
use super::super::ast::Binary;
use super::super::fault::{Fault, Res, argument_error, type_error};
use super::super::runtime::Runtime;
use super::super::value::{Generator, Next};
use super::super::value::{Key, Object, Tuple, Val};
use crate::diagnostics::Exception;

/// A path of attributes.
#[derive(Clone)]
pub(super) struct Getter {
    parts: Vec<Val>,
    default: Option<Val>,
    ignores_case: bool,
}

impl Getter {
    fn new(attribute: &Val, ignores_case: bool) -> Self {
        let parts = match attribute {
            Val::None => Vec::new(),
            Val::Str(text) | Val::Markup(text) => {
                let part = |part: &str| match part.parse::<i64>() {
                    Ok(number) if part.bytes().all(|b| b.is_ascii_digit()) => Val::Int(number),
                    _ => Val::str(part),
                };
                text.split('.').map(part).collect()
            }
            other => vec![other.clone()],
        };
        Self { parts, default: None, ignores_case }
    }

    fn get(&self, runtime: &mut Runtime<'_>, item: &Val) -> Res<Val> {
        let mut item = item.clone();
        for part in &self.parts {
            item = runtime.item(&item, part)?;
            if let Some(default) = &self.default
                && item.is_undefined()
            {
                item = default.clone();
            }
        }
        if self.ignores_case {
            item = lowered(item);
        }
        Ok(item)
    }
}

fn lowered(value: Val) -> Val {
    match value {
        Val::Str(text) => Val::str(text.to_lowercase()),
        Val::Markup(text) => Val::Markup(text.to_lowercase()),
        other => other,
    }
}

fn flag(runtime: &mut Runtime<'_>, bound: &BoundArguments, index: usize) -> Res<bool> {
    bound.get(index).map_or(Ok(false), |value| runtime.truth(value))
}

pub(super) fn attr(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let (object, name) = (bound.at(0), bound.at(1));
    let Some(found) = name.as_text() else {
        let class = name.type_name();
        return Err(type_error(format!("attribute name must be string, not '{class}'")));
    };
    match runtime.python_attribute(&object, found) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Ok(Val::absent(&object, name)),
        Err(fault) if fault.is(&Exception::AttributeError) => Ok(Val::absent(&object, name)),
        Err(fault) => Err(fault),
    }
}

pub(super) fn batch(_: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let (value, count, fill) = (bound.at(0), bound.at(1), bound.some(2).cloned());
    Ok(Generator::deferred(
        "do_batch",
        Box::new(move |runtime| {
            let mut batches = Vec::new();
            let mut batch = Vec::new();
            for item in runtime.collect(&value)? {
                if runtime.equal(&Val::size(batch.len()), &count)? {
                    batches.push(Val::list(std::mem::take(&mut batch)));
                }
                batch.push(item);
            }
            if !batch.is_empty() {
                if let Some(fill) = fill {
                    let missing =
                        runtime.binary(Binary::Subtract, &count, &Val::size(batch.len()))?;
                    let missing = usize::try_from(missing.as_index()?).unwrap_or(0);
                    runtime.items_fit(missing)?;
                    runtime.step(missing as u64)?;
                    batch.extend(std::iter::repeat_n(fill, missing));
                }
                batches.push(Val::list(batch));
            }
            Ok(batches)
        }),
    ))
}

pub(super) fn slice(_: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let (value, slices, fill) = (bound.at(0), bound.at(1), bound.some(2).cloned());
    Ok(Generator::deferred(
        "sync_do_slice",
        Box::new(move |runtime| {
            let items = runtime.collect(&value)?;
            let count = Val::size(items.len());
            let each = runtime.binary(Binary::FloorDivide, &count, &slices)?.as_index()?;
            let extra = runtime.binary(Binary::Modulo, &count, &slices)?.as_index()?;
            let slices = slices.as_index()?.max(0);
            runtime.items_fit(usize::try_from(slices).unwrap_or(usize::MAX))?;
            runtime.step(slices as u64)?;
            let mut found = Vec::new();
            let mut begin = 0usize;
            for number in 0..slices {
                let has_extra = number < extra;
                let end = begin + each.max(0) as usize + usize::from(has_extra);
                let mut part = items.get(begin..end).unwrap_or_default().to_vec();
                if !has_extra {
                    part.extend(fill.clone());
                }
                found.push(Val::list(part));
                begin = end;
            }
            Ok(found)
        }),
    ))
}

pub(super) fn default(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let is_missing =
        value.is_undefined() || (flag(runtime, bound, 2)? && !runtime.truth(&value)?);
    if !is_missing {
        return Ok(value);
    }
    Ok(bound.get(1).cloned().unwrap_or_else(|| Val::str("")))
}

/// The pairs of `value.items()`.
fn pairs(runtime: &mut Runtime<'_>, value: &Val) -> Res<Vec<Val>> {
    let items = match runtime.python_attribute(value, &"items".into())? {
        Some(items) => runtime.call_value(&items, Arguments::default(), false)?,
        None => {
            let text = format!("'{}' object has no attribute 'items'", value.type_name());
            return Err(Fault::Raised(Exception::AttributeError, text));
        }
    };
    runtime.collect(&items)
}

pub(super) fn dictsort(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let by = bound.get(2).cloned().unwrap_or_else(|| Val::str("key"));
    let place = match by.as_text().map(EcoString::as_str) {
        Some("key") => 0,
        Some("value") => 1,
        _ => return argument_error("You can only sort by either \"key\" or \"value\""),
    };
    let is_sensitive = flag(runtime, bound, 1)?;
    let mut keyed = Vec::new();
    for pair in pairs(runtime, &bound.at(0))? {
        let key = runtime.python_item(&pair, &Val::Int(place))?;
        keyed.push((if is_sensitive { key } else { lowered(key) }, pair));
    }
    let is_reversed = flag(runtime, bound, 3)?;
    runtime.sorted(keyed, is_reversed).map(Val::list)
}

pub(super) fn first(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let items = runtime.iterate(&bound.at(0))?;
    let found = items.next(runtime)?;
    Ok(found.unwrap_or_else(|| Val::hinted("No first item, sequence was empty.")))
}

/// Whether Python's `reversed` accepts a value.
fn is_reversible(value: &Val) -> bool {
    match value {
        Val::Str(_)
        | Val::Markup(_)
        | Val::Bytes(_)
        | Val::List(_)
        | Val::Tuple(_)
        | Val::Dict(_)
        | Val::Undefined(_) => true,
        Val::Proxy(found) => matches!(found.value, crate::value::Value::List(_)),
        Val::Object(found) => {
            matches!(&**found, Object::Range { .. } | Object::View(_, Val::Dict(_)))
        }
        _ => false,
    }
}

pub(super) fn last(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    if !is_reversible(&value) {
        let text = format!("'{}' object is not reversible", value.type_name());
        return Err(type_error(text));
    }
    let found = match &value {
        Val::Str(text) | Val::Markup(text) => {
            text.chars().next_back().map(|c| Val::str(c.to_string()))
        }
        _ => runtime.collect(&value)?.pop(),
    };
    Ok(found.unwrap_or_else(|| Val::hinted("No last item, sequence was empty.")))
}

pub(super) fn reverse(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    if let Some(text) = value.as_text() {
        let reversed: String = text.chars().rev().collect();
        return Ok(Val::text_like(reversed, value.is_markup()));
    }
    let mut items = runtime.collect(&value).map_err(|fault| {
        if fault.is(&Exception::TypeError) {
            Fault::Raised(Exception::FilterArgument, "argument must be iterable".into())
        } else {
            fault
        }
    })?;
    items.reverse();
    if is_reversible(&value) {
        return Ok(Val::Iterator(Generator::reversed(items)));
    }
    Ok(Val::list(items))
}

pub(super) fn random(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let length = runtime.length(&value)?;
    if length == 0 {
        return Ok(Val::hinted("No random item, sequence was empty."));
    }
    let at = runtime.below(length);
    runtime.python_item(&value, &Val::size(at))
}

pub(super) fn list(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    runtime.collect(&bound.at(0)).map(Val::list)
}

pub(super) fn items(_: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    Ok(Generator::deferred(
        "do_items",
        Box::new(move |runtime| {
            if value.is_undefined() {
                return Ok(Vec::new());
            }
            if !runtime.is_mapping(&value) {
                return Err(type_error("Can only get item pairs from a mapping."));
            }
            let entries = runtime.entries(&value)?;
            Ok(entries.into_iter().map(|(key, value)| Val::tuple(vec![key, value])).collect())
        }),
    ))
}

/// The items with their sort keys.
fn keyed(runtime: &mut Runtime<'_>, value: &Val, getter: &Getter) -> Res<Vec<(Val, Val)>> {
    let items = runtime.collect(value)?;
    items.into_iter().map(|item| Ok((getter.get(runtime, &item)?, item))).collect()
}

pub(super) fn sort(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let is_reversed = flag(runtime, bound, 1)?;
    let ignores_case = !flag(runtime, bound, 2)?;
    let attribute = bound.at(3);
    let getters: Vec<Getter> = match &attribute {
        Val::Str(text) | Val::Markup(text) => {
            text.split(',').map(|part| Getter::new(&Val::str(part), ignores_case)).collect()
        }
        other => vec![Getter::new(other, ignores_case)],
    };
    let mut keyed = Vec::new();
    for item in runtime.collect(&bound.at(0))? {
        let keys: Res<Vec<Val>> = getters.iter().map(|getter| getter.get(runtime, &item)).collect();
        keyed.push((Val::list(keys?), item));
    }
    runtime.sorted(keyed, is_reversed).map(Val::list)
}

pub(super) fn unique(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let ignores_case = !flag(runtime, bound, 1)?;
    let getter = Getter::new(&bound.at(2), ignores_case);
    let value = bound.at(0);
    let mut source = None;
    let mut seen: std::collections::HashSet<Key> = Default::default();
    let next: Next = Box::new(move |runtime| {
        let source = match &source {
            Some(source) => source,
            None => source.insert(runtime.iterate(&value)?),
        };
        while let Some(item) = source.next(runtime)? {
            let key = getter.get(runtime, &item)?;
            if seen.insert(Key::of(&key, runtime)?) {
                return Ok(Some(item));
            }
        }
        Ok(None)
    });
    Ok(Generator::lazy("sync_do_unique", next))
}

/// The first smallest or largest item.
fn extreme(runtime: &mut Runtime<'_>, bound: &BoundArguments, is_max: bool) -> Res<Val> {
    let ignores_case = !flag(runtime, bound, 1)?;
    let getter = Getter::new(&bound.at(2), ignores_case);
    let mut best: Option<(Val, Val)> = None;
    let items = runtime.iterate(&bound.at(0))?;
    while let Some(item) = items.next(runtime)? {
        let key = getter.get(runtime, &item)?;
        let is_better = match &best {
            None => true,
            Some((other, _)) if is_max => runtime.greater(&key, other)?,
            Some((other, _)) => runtime.less(&key, other)?,
        };
        if is_better {
            best = Some((key, item));
        }
    }
    Ok(match best {
        Some((_, item)) => item,
        None => Val::hinted("No aggregated item, sequence was empty."),
    })
}

pub(super) fn min(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    extreme(runtime, bound, false)
}

pub(super) fn max(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    extreme(runtime, bound, true)
}

pub(super) fn join(
    runtime: &mut Runtime<'_>,
    bound: &BoundArguments,
    autoescape: bool,
) -> Res<Val> {
    let mut items = runtime.collect(&bound.at(0))?;
    if let Some(attribute) = bound.some(2) {
        let getter = Getter::new(attribute, false);
        items = items.iter().map(|item| getter.get(runtime, item)).collect::<Res<_>>()?;
    }
    let separator = bound.get(1).cloned().unwrap_or_else(|| Val::str(""));
    let has_markup = autoescape && (separator.is_markup() || items.iter().any(Val::is_markup));
    let mut out = String::new();
    let between =
        if has_markup { runtime.escaped(&separator)? } else { runtime.text(&separator)? };
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index > 0 { &between } else { "" });
        if has_markup {
            let text = runtime.escaped(item)?;
            out.push_str(&text);
        } else {
            runtime.write_text(item, &mut out)?;
        }
        runtime.text_fits(out.len())?;
    }
    Ok(Val::text_like(out, has_markup))
}

pub(super) fn groupby(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let ignores_case = !flag(runtime, bound, 3)?;
    let mut getter = Getter::new(&bound.at(1), ignores_case);
    getter.default = bound.some(2).cloned();
    let keyed = keyed(runtime, &bound.at(0), &getter)?;
    let sorted = runtime.sorted(keyed, false)?;
    let mut groups: Vec<(Val, Vec<Val>)> = Vec::new();
    for item in sorted {
        let key = getter.get(runtime, &item)?;
        match groups.last_mut() {
            Some((last, items)) if runtime.equal(last, &key)? => items.push(item),
            _ => groups.push((key, vec![item])),
        }
    }
    getter.ignores_case = false;
    let mut found = Vec::new();
    for (key, items) in groups {
        let key = match items.first() {
            Some(first) if ignores_case => getter.get(runtime, first)?,
            _ => key,
        };
        let items = vec![key, Val::list(items)];
        found.push(Val::Tuple(Tuple { items, is_group: true }.into()));
    }
    Ok(Val::list(found))
}

pub(super) fn sum(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let getter = bound.some(1).map(|attribute| Getter::new(attribute, false));
    let mut total = bound.get(2).cloned().unwrap_or(Val::Int(0));
    let items = runtime.iterate(&bound.at(0))?;
    if total.as_text().is_some() {
        return Err(type_error("sum() can't sum strings [use ''.join(seq) instead]"));
    }
    while let Some(item) = items.next(runtime)? {
        let item = match &getter {
            Some(getter) => getter.get(runtime, &item)?,
            None => item,
        };
        total = runtime.binary(Binary::Add, &total, &item)?;
    }
    Ok(total)
}

impl Runtime<'_> {
    /// Whether `a > b`, for `max`.
    fn greater(&mut self, a: &Val, b: &Val) -> Res<bool> {
        self.compare(super::super::ast::Comparison::Greater, a, b)
    }

    /// The filter `map`.
    pub(super) fn mapped(
        &mut self,
        value: Val,
        arguments: Arguments,
        autoescape: bool,
    ) -> Res<Val> {
        let mut arguments = Some(arguments);
        let mut source = None;
        let mut mapper: Option<Mapper> = None;
        let next: Next = Box::new(move |runtime| {
            if let Some(arguments) = arguments.take() {
                if !runtime.truth(&value)? {
                    return Ok(None);
                }
                mapper = Some(Mapper::new(arguments)?);
                source = Some(runtime.iterate(&value)?);
            }
            let (Some(source), Some(mapper)) = (&source, &mapper) else { return Ok(None) };
            let Some(item) = source.next(runtime)? else { return Ok(None) };
            match mapper {
                Mapper::Attribute(getter) => getter.get(runtime, &item).map(Some),
                Mapper::Filter(name, arguments) => {
                    runtime.named_filter(name, item, arguments.clone(), autoescape).map(Some)
                }
            }
        });
        Ok(Generator::lazy("sync_do_map", next))
    }

    /// The filters `select`, `reject`, `selectattr` and `rejectattr`.
    pub(super) fn selected(&mut self, name: &str, value: Val, arguments: Arguments) -> Res<Val> {
        let by_attribute = name.ends_with("attr");
        let is_kept = name.starts_with("select");
        let mut arguments = Some(arguments);
        let mut source = None;
        let mut chooser: Option<Selector> = None;
        let next: Next = Box::new(move |runtime| {
            if let Some(arguments) = arguments.take() {
                if !runtime.truth(&value)? {
                    return Ok(None);
                }
                chooser = Some(Selector::new(arguments, by_attribute)?);
                source = Some(runtime.iterate(&value)?);
            }
            let (Some(source), Some(chooser)) = (&source, &chooser) else { return Ok(None) };
            while let Some(item) = source.next(runtime)? {
                let judged = match &chooser.getter {
                    Some(getter) => getter.get(runtime, &item)?,
                    None => item.clone(),
                };
                let found = match &chooser.test {
                    Some((name, arguments)) => {
                        runtime.named_test(name, judged, arguments.clone())?
                    }
                    None => runtime.truth(&judged)?,
                };
                if found == is_kept {
                    return Ok(Some(item));
                }
            }
            Ok(None)
        });
        Ok(Generator::lazy("select_or_reject", next))
    }
}

/// The function that `map` applies to each item.
enum Mapper {
    Attribute(Getter),
    Filter(Val, Arguments),
}

impl Mapper {
    fn new(arguments: Arguments) -> Res<Self> {
        let mut arguments = arguments;
        let attribute = arguments.named.iter().position(|(name, _)| name == "attribute");
        if let (true, Some(at)) = (arguments.positional.is_empty(), attribute) {
            let mut getter = Getter::new(&arguments.named.remove(at).1, false);
            if let Some(at) = arguments.named.iter().position(|(name, _)| name == "default") {
                let default = arguments.named.remove(at).1;
                getter.default = Some(default).filter(|value| !matches!(value, Val::None));
            }
            if let Some((name, _)) = arguments.named.first() {
                let name = crate::value::string_repr(name);
                return argument_error(format!("Unexpected keyword argument {name}"));
            }
            return Ok(Self::Attribute(getter));
        }
        if arguments.positional.is_empty() {
            return argument_error("map requires a filter argument");
        }
        let name = arguments.positional.remove(0);
        Ok(Self::Filter(name, arguments))
    }
}

/// The test that `select` and its relatives apply to each item.
struct Selector {
    getter: Option<Getter>,
    test: Option<(Val, Arguments)>,
}

impl Selector {
    fn new(arguments: Arguments, by_attribute: bool) -> Res<Self> {
        let mut arguments = arguments;
        let mut getter = None;
        if by_attribute {
            if arguments.positional.is_empty() {
                return argument_error("Missing parameter for attribute name");
            }
            getter = Some(Getter::new(&arguments.positional.remove(0), false));
        }
        if arguments.positional.is_empty() {
            return Ok(Self { getter, test: None });
        }
        let name = arguments.positional.remove(0);
        Ok(Self { getter, test: Some((name, arguments)) })
    }
}
