//! Values as Python prints them, and the filters and tests that depend on it.

use std::cell::Cell;
use std::fmt::Write;

use minijinja::value::{Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State, filters};
use minijinja_contrib::pycompat::unknown_method_callback;
use ordain_source::budget::{self, HELP, Uncounted};
use ordain_source::limits::{most_items, most_text};

use super::objects::{Dict, Empty, Instance, List};
use crate::value::float_text;

/// How deep a value may nest that is printed.
const DEPTH_LIMIT: usize = 100;

/// How many bytes of texts are read or made for what a step of a template costs.
const BYTES_OF_STEP: u64 = 16;
/// How many steps the call of a filter costs.
const STEPS_OF_CALL: u64 = 4;

thread_local! {
    /// What filters have done for the template that is rendered, in steps.
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// While it is held, what filters do is counted for one template. One that is rendered within
/// another counts for both.
pub(super) struct Work {
    outer: u64,
}

impl Work {
    /// Begins to count.
    pub(super) fn begin() -> Self {
        Self { outer: DONE.replace(0) }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        DONE.set(DONE.get().saturating_add(self.outer));
    }
}

/// Counts so many bytes that a filter reads or makes; the engine counts a filter as one step.
fn take(bytes: usize) -> Result<(), Error> {
    let done = DONE.get().saturating_add(STEPS_OF_CALL + bytes as u64 / BYTES_OF_STEP);
    DONE.set(done);
    if done > budget::scaled(super::FUEL) {
        let text =
            format!("the filters take more than {} steps; {HELP}", budget::scaled(super::FUEL));
        return Err(Error::new(ErrorKind::OutOfFuel, text));
    }
    within_budget()
}

/// What a filter is given, as text.
fn given(value: &Value) -> Result<String, Error> {
    let text = shown(value);
    take(text.len())?;
    Ok(text)
}

/// That no more memory or time is used than is allowed.
fn within_budget() -> Result<(), Error> {
    Uncounted::step();
    budget::check().map_err(|exceeded| Error::new(ErrorKind::OutOfFuel, exceeded.to_string()))
}

/// A text of so many bytes, unless it is too long.
fn text_of(bytes: usize) -> Result<(), Error> {
    if bytes > most_text() {
        return Err(Error::new(ErrorKind::OutOfFuel, format!("a text is too long; {HELP}")));
    }
    within_budget()
}

/// A list of so many items, unless it is too long.
fn items_of(count: usize) -> Result<(), Error> {
    if count > most_items() {
        return Err(Error::new(ErrorKind::OutOfFuel, format!("a list is too long; {HELP}")));
    }
    within_budget()
}

fn replace(value: &Value, old: &Value, new: &Value) -> Result<String, Error> {
    let (text, old, new) = (given(value)?, shown(old), shown(new));
    // As many places as there can be.
    let places = if old.is_empty() { text.len() + 1 } else { text.matches(&old).count() };
    text_of(text.len().saturating_add(places.saturating_mul(new.len())))?;
    Ok(text.replace(&old, &new))
}

fn slice(
    state: &State<'_, '_>,
    value: Value,
    count: usize,
    fill: Option<Value>,
) -> Result<Value, Error> {
    items_of(count)?;
    filters::slice(state, value, count, fill)
}

fn batch(
    state: &State<'_, '_>,
    value: Value,
    count: usize,
    fill: Option<Value>,
) -> Result<Value, Error> {
    if fill.is_some() {
        items_of(count)?;
    }
    // A row is no longer than all that there is, unless it is filled.
    let most = value.len().unwrap_or(count).max(1);
    let count = if fill.is_none() { count.min(most) } else { count };
    filters::batch(state, value, count, fill)
}

/// The name under which templates cannot call it, of the engine's own filter.
const OWN_INDENT: &str = "own indent";

fn indent(
    state: &State<'_, '_>,
    value: Value,
    width: Option<usize>,
    arguments: Rest<Value>,
) -> Result<Value, Error> {
    let text = given(&value)?;
    let named = arguments.last().and_then(|last| last.get_attr("width").ok()?.as_usize());
    let width_of = width.or(named).unwrap_or_default();
    let lines = text.matches('\n').count() + 1;
    text_of(text.len().saturating_add(lines.saturating_mul(width_of)))?;
    let mut all = vec![value, Value::from(width)];
    all.extend(arguments.0);
    state.apply_filter(OWN_INDENT, &all)
}

/// A method of Python's texts, lists and dicts.
pub(super) fn method(
    state: &State<'_, '_>,
    value: &Value,
    method: &str,
    arguments: &[Value],
) -> Result<Value, Error> {
    let text = || value.as_str().unwrap_or_default();
    match (method, arguments) {
        ("replace", [old, new, ..]) => {
            let (old, new) = (shown(old), shown(new));
            let places =
                if old.is_empty() { text().len() + 1 } else { text().matches(&old).count() };
            text_of(text().len().saturating_add(places.saturating_mul(new.len())))?;
        }
        ("join", [items]) => {
            let length = |item: Value| item.as_str().map_or(0, str::len) + text().len();
            text_of(items.try_iter()?.map(length).fold(0, usize::saturating_add))?;
        }
        _ => {}
    }
    take(text().len())?;
    unknown_method_callback(state, value, method, arguments)
}

/// Writes what stands in `{{ }}`.
pub(super) fn write(out: &mut Output<'_>, _: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    within_budget()?;
    check(value)?;
    match value.as_str() {
        Some(text) => out.write_str(text)?,
        None => out.write_str(&shown(value))?,
    }
    Ok(())
}

/// That a value is there.
fn check(value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined => Err(Error::from(ErrorKind::UndefinedError)),
        // Asking for it gives the error that it is.
        ValueKind::Invalid => value.try_iter().map(|_| ()),
        _ => Ok(()),
    }
}

/// A value as Python's `str` gives it.
pub(super) fn shown(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => {
            let mut out = String::new();
            write_repr(value, &mut out, 0, true);
            out
        }
    }
}

/// Appends what Python's `repr` gives; what is of the model has an `@` before it, but not what is
/// inside of it.
fn write_repr(value: &Value, out: &mut String, depth: usize, mark: bool) {
    if depth > DEPTH_LIMIT {
        out.push_str("...");
        return;
    }
    let marker = if mark { "@" } else { "" };
    if let Some(instance) = value.downcast_object_ref::<Instance>() {
        out.push_str(marker);
        out.push_str(&instance.shown);
        return;
    }
    if let Some(list) = value.downcast_object_ref::<List>() {
        out.push_str(marker);
        return write_items(list.items.iter(), out, depth, false);
    }
    if let Some(dict) = value.downcast_object_ref::<Dict>() {
        out.push_str(marker);
        let entries = dict.entries.iter().map(|(k, v)| (Value::from(k.as_str()), v.clone()));
        return write_entries(entries, out, depth, false);
    }
    if value.downcast_object_ref::<Empty>().is_some() {
        return;
    }
    // Writing to a string never fails.
    let _ = match value.kind() {
        ValueKind::None => out.write_str(if mark { "None" } else { "null" }),
        ValueKind::Bool => out.write_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::Number if !value.is_integer() => {
            out.write_str(&float_text(f64::try_from(value.clone()).unwrap_or(f64::NAN)))
        }
        ValueKind::String => {
            crate::value::write_string(out, value.as_str().unwrap_or_default());
            Ok(())
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let items: Vec<Value> = value.try_iter().into_iter().flatten().collect();
            write_items(items.iter(), out, depth, mark);
            Ok(())
        }
        ValueKind::Map => {
            let keys = value.try_iter().into_iter().flatten();
            let entries = keys.map(|key| {
                let item = value.get_item(&key).unwrap_or_default();
                (key, item)
            });
            write_entries(entries, out, depth, mark);
            Ok(())
        }
        _ => write!(out, "{value}"),
    };
}

fn write_items<'a>(
    items: impl Iterator<Item = &'a Value>,
    out: &mut String,
    depth: usize,
    mark: bool,
) {
    out.push('[');
    for (index, item) in items.enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_repr(item, out, depth + 1, mark);
    }
    out.push(']');
}

fn write_entries(
    entries: impl Iterator<Item = (Value, Value)>,
    out: &mut String,
    depth: usize,
    mark: bool,
) {
    out.push('{');
    for (index, (key, value)) in entries.enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_repr(&key, out, depth + 1, mark);
        out.push_str(": ");
        write_repr(&value, out, depth + 1, mark);
    }
    out.push('}');
}

fn is_there(value: &Value) -> bool {
    !value.is_undefined() && value.downcast_object_ref::<Empty>().is_none()
}

/// Replaces the filters and tests that would print or judge values in another way than Python.
pub(super) fn register(environment: &mut Environment<'_>) {
    environment.add_test("defined", |value: &Value| is_there(value));
    environment.add_test("undefined", |value: &Value| !is_there(value));
    for name in ["default", "d"] {
        environment.add_filter(name, default);
    }
    environment.add_filter("string", given);
    environment.add_filter("join", join);
    environment.add_filter("upper", |value: &Value| given(value).map(|text| text.to_uppercase()));
    environment.add_filter("lower", |value: &Value| given(value).map(|text| text.to_lowercase()));
    environment.add_filter("capitalize", |value: &Value| {
        given(value).map(|text| ordain_functions::text::capitalize(&text))
    });
    environment.add_filter("trim", |value: &Value, set: Option<String>| {
        given(value).map(|text| match set {
            Some(set) => text.trim_matches(|c| set.contains(c)).to_owned(),
            None => text.trim().to_owned(),
        })
    });
    environment.add_filter("replace", replace);
    environment.add_filter("slice", slice);
    environment.add_filter("batch", batch);
    environment.add_filter("indent", indent);
    environment.add_filter(OWN_INDENT, filters::indent);
    environment.add_filter("length", length);
    environment.add_filter("count", length);
    environment.add_filter("format", format);
}

fn default(value: &Value, other: Option<Value>, even_false: Option<bool>) -> Value {
    let keep = is_there(value) && (!even_false.unwrap_or(false) || value.is_true());
    if keep { value.clone() } else { other.unwrap_or_else(|| Value::from("")) }
}

fn join(
    value: &Value,
    separator: Option<String>,
    attribute: Option<Value>,
) -> Result<String, Error> {
    let separator = separator.unwrap_or_default();
    let mut out = String::new();
    for (index, item) in value.try_iter()?.enumerate() {
        let item = match &attribute {
            Some(name) => item.get_item(name)?,
            None => item,
        };
        check(&item)?;
        out.push_str(if index > 0 { &separator } else { "" });
        let before = out.len();
        out.push_str(&shown(&item));
        text_of(out.len())?;
        take(out.len() - before)?;
    }
    Ok(out)
}

fn length(value: &Value) -> Result<usize, Error> {
    check(value)?;
    value.len().ok_or_else(|| {
        let text = format!("object of type '{}' has no len()", value.kind());
        Error::new(ErrorKind::InvalidOperation, text)
    })
}

/// Python's `%` on text, for the conversions that templates use.
fn format(value: &Value, arguments: Rest<Value>) -> Result<String, Error> {
    let template = given(value)?;
    let mut arguments = arguments.iter();
    let mut out = String::new();
    let mut chars = template.chars().peekable();
    let bad = |text: &str| Error::new(ErrorKind::InvalidOperation, text.to_owned());
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = String::new();
        let kind = loop {
            match chars.next() {
                Some(c) if c.is_ascii_digit() || ".+- #".contains(c) => spec.push(c),
                Some(c) => break c,
                None => return Err(bad("incomplete format")),
            }
        };
        if kind == '%' {
            out.push('%');
            continue;
        }
        let argument =
            arguments.next().ok_or_else(|| bad("not enough arguments for format string"))?;
        let text = shown(argument);
        let spec = match spec.strip_prefix('-') {
            Some(rest) => format!("<{rest}"),
            None if kind == 's' => format!(">{spec}"),
            None => spec,
        };
        let number = match f64::try_from(argument.clone()) {
            Ok(number) if "feEgG".contains(kind) => Some(format!("{spec}{kind}")).zip(Some(number)),
            _ => None,
        };
        use ordain_functions::printf::python::{Arg, format};
        let done = match (number, kind) {
            (Some((spec, number)), _) => format(&Arg::Float(number), &spec),
            (None, 'd' | 'i' | 'x' | 'X' | 'o') => {
                let whole = text.split('.').next().unwrap_or_default().parse();
                let whole: num_bigint::BigInt =
                    whole.map_err(|_| bad("%d format: a real number is required, not str"))?;
                let kind = if kind == 'i' { 'd' } else { kind };
                format(&Arg::Int(std::borrow::Cow::Owned(whole)), &format!("{spec}{kind}"))
            }
            _ => format(&Arg::Str(&text), &spec),
        };
        out.push_str(&done.map_err(|error| bad(&error.to_string()))?);
        text_of(out.len())?;
    }
    Ok(out)
}
