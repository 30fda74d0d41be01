//! Iterates over values.

use std::cell::RefCell;
use std::rc::Rc;

use ecow::EcoString;

use super::fault::{Fault, Res, type_error};
use super::runtime::Runtime;
use super::value::{All, Generator, Next, Object, State, Val, View};
use crate::value::Value;

impl Generator {
    fn new(type_name: &'static str, state: State) -> Rc<Self> {
        Rc::new(Self { type_name, function: "", state: RefCell::new(state) })
    }

    /// Creates an iterator over a list of items.
    pub(super) fn items(items: Vec<Val>) -> Rc<Self> {
        Self::new("list_iterator", State::Items(items.into_iter()))
    }

    /// Creates the iterator of Python's `reversed`; the items are reversed already.
    pub(super) fn reversed(items: Vec<Val>) -> Rc<Self> {
        Self::new("list_reverseiterator", State::Items(items.into_iter()))
    }

    /// Creates a generator.
    pub(super) fn lazy(function: &'static str, next: Next) -> Val {
        let state = RefCell::new(State::Next(next));
        Val::Iterator(Rc::new(Self { type_name: "generator", function, state }))
    }

    /// Creates a generator that computes all items at the first read.
    pub(super) fn deferred(function: &'static str, all: All) -> Val {
        let state = RefCell::new(State::All(all));
        Val::Iterator(Rc::new(Self { type_name: "generator", function, state }))
    }

    /// Replaces the remaining items.
    pub(super) fn refill(&self, items: Vec<Val>) {
        *self.state.borrow_mut() = State::Items(items.into_iter());
    }

    /// The next item.
    pub(super) fn next(&self, runtime: &mut Runtime<'_>) -> Res<Option<Val>> {
        runtime.step(1)?;
        // An iterator that is read while it computes an item is at its end.
        let mut state = std::mem::replace(&mut *self.state.borrow_mut(), State::Done);
        if let State::All(all) = state {
            state = State::Items(all(runtime)?.into_iter());
        }
        let item = match &mut state {
            State::Items(items) => items.next(),
            State::List(items, at) => {
                let item = items.borrow().get(*at).cloned();
                *at += 1;
                item
            }
            State::Tuple(tuple, at) => {
                *at += 1;
                tuple.items.get(*at - 1).cloned()
            }
            State::Range { next, stop, step } => {
                let is_inside = if *step > 0 { *next < *stop } else { *next > *stop };
                let item = is_inside.then_some(Val::Int(*next));
                *next = next.saturating_add(*step);
                item
            }
            State::Next(next) => next(runtime)?,
            State::All(_) | State::Done => None,
        };
        if item.is_some() {
            *self.state.borrow_mut() = state;
        }
        Ok(item)
    }
}

impl Runtime<'_> {
    /// Python's `iter`.
    pub(super) fn iterate(&mut self, value: &Val) -> Res<Rc<Generator>> {
        let items = |name, items| Ok(Generator::new(name, State::Items(Vec::into_iter(items))));
        match value {
            Val::Iterator(found) => Ok(found.clone()),
            Val::List(found) => Ok(Generator::new("list_iterator", State::List(found.clone(), 0))),
            Val::Tuple(found) => {
                Ok(Generator::new("tuple_iterator", State::Tuple(found.clone(), 0)))
            }
            Val::Dict(found) => {
                let keys = found.borrow().map.values().map(|(key, _)| key.clone()).collect();
                items("dict_keyiterator", keys)
            }
            Val::Str(text) | Val::Markup(text) => {
                self.items_fit(text.len())?;
                let chars = text.chars().map(|c| Val::str(c.to_string())).collect();
                items("str_iterator", chars)
            }
            Val::Bytes(bytes) => {
                items("bytes_iterator", bytes.iter().map(|b| Val::Int(i64::from(*b))).collect())
            }
            Val::Undefined(found) if found.is_strict => Err(found.fault(self)),
            Val::Undefined(_) => Ok(Generator::items(Vec::new())),
            Val::Proxy(found) => match &found.value {
                Value::List(all) => {
                    let (found, all) = (found.clone(), all.clone());
                    let name =
                        if found.is_argument { "IteratorProxy" } else { "JinjaIteratorProxy" };
                    let mut at = 0;
                    let next: Next = Box::new(move |runtime| {
                        let Some(item) = all.get(at) else { return Ok(None) };
                        let path = format!("{}[{at}]", found.path);
                        at += 1;
                        runtime.inside(item, &path, &found).map(Some)
                    });
                    Ok(Generator::new(name, State::Next(next)))
                }
                Value::Dict(all) => items(
                    if found.is_argument { "IteratorProxy" } else { "JinjaIteratorProxy" },
                    all.keys().map(|k| Val::Str(k.clone())).collect(),
                ),
                _ => Err(not_iterable(value)),
            },
            Val::Object(found) => match &**found {
                Object::Range { start, stop, step } => {
                    let state = State::Range { next: *start, stop: *stop, step: *step };
                    Ok(Generator::new("range_iterator", state))
                }
                Object::View(view, dict) => {
                    let found = self.viewed(*view, dict)?;
                    items("dict_iterator", found)
                }
                Object::Set(found) => {
                    items("set_iterator", found.borrow().values().cloned().collect())
                }
                // A cycler has `next`, but is not iterable.
                _ => Err(not_iterable(value)),
            },
            _ => Err(not_iterable(value)),
        }
    }

    /// The items of a view of a dict.
    pub(super) fn viewed(&mut self, view: View, dict: &Val) -> Res<Vec<Val>> {
        if let (View::Items, Val::Proxy(found)) = (view, dict)
            && let Value::Dict(entries) = &found.value
            && !found.is_argument
        {
            let pair = |(key, value): (&EcoString, &Value)| {
                Val::tuple(vec![Val::Str(key.clone()), super::print::plain(value)])
            };
            return Ok(entries.iter().map(pair).collect());
        }
        let entries = self.entries(dict)?;
        Ok(entries
            .into_iter()
            .map(|(key, value)| match view {
                View::Keys => key,
                View::Values => value,
                View::Items => Val::tuple(vec![key, value]),
            })
            .collect())
    }

    /// The entries of a mapping.
    pub(super) fn entries(&mut self, dict: &Val) -> Res<Vec<(Val, Val)>> {
        match dict {
            Val::Dict(found) => Ok(found.borrow().map.values().cloned().collect()),
            Val::Proxy(found) => {
                let Value::Dict(all) = &found.value else { return Err(not_iterable(dict)) };
                let all = all.clone();
                all.iter()
                    .map(|(key, value)| {
                        let path = format!("{}[{}]", found.path, crate::value::string_repr(key));
                        Ok((Val::Str(key.clone()), self.inside(value, &path, found)?))
                    })
                    .collect()
            }
            _ => Err(not_iterable(dict)),
        }
    }

    /// Python's `list`.
    pub(super) fn collect(&mut self, value: &Val) -> Res<Vec<Val>> {
        match value {
            Val::List(found) => return Ok(found.borrow().clone()),
            Val::Tuple(found) => return Ok(found.items.clone()),
            _ => {}
        }
        let items = self.iterate(value)?;
        let mut found = Vec::new();
        while let Some(item) = items.next(self)? {
            found.push(item);
            self.items_fit(found.len())?;
        }
        Ok(found)
    }

    /// Python's `len`, if the value has one.
    pub(super) fn length(&mut self, value: &Val) -> Res<usize> {
        Ok(match value {
            Val::Str(text) | Val::Markup(text) => text.chars().count(),
            Val::Bytes(bytes) => bytes.len(),
            Val::List(found) => found.borrow().len(),
            Val::Tuple(found) => found.items.len(),
            Val::Dict(found) => found.borrow().map.len(),
            Val::Undefined(found) if found.is_strict => return Err(found.fault(self)),
            Val::Undefined(_) => 0,
            Val::Proxy(found) => match &found.value {
                Value::List(items) => items.len(),
                Value::Dict(items) => items.len(),
                _ => return Err(no_length(value)),
            },
            Val::Object(found) => match &**found {
                Object::Range { start, stop, step } => Object::range_length(*start, *stop, *step),
                Object::View(_, dict) => return self.length(dict),
                Object::Set(found) => found.borrow().len(),
                Object::Loop(state) => self.loop_length(state)?,
                _ => return Err(no_length(value)),
            },
            _ => return Err(no_length(value)),
        })
    }
}

fn no_length(value: &Val) -> Fault {
    type_error(format!("object of type '{}' has no len()", value.type_name()))
}

pub(super) fn not_iterable(value: &Val) -> Fault {
    type_error(format!("'{}' object is not iterable", value.type_name()))
}
