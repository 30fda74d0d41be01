//! The methods of lists, tuples and dicts.

use std::cell::RefCell;
use std::rc::Rc;

use super::super::arguments::{Arguments, unexpected};
use super::super::attributes::slice_places;
use super::super::evaluate::flat_enough;
use super::super::fault::{Fault, Res, type_error, value_error};
use super::super::runtime::Runtime;
use super::super::value::{Entries, Key, Object, Val, View};
use crate::diagnostics::Exception;

impl Runtime<'_> {
    fn position(&mut self, items: &[Val], arguments: &[Val]) -> Res<Option<usize>> {
        let bound = |at: usize| arguments.get(at).map(Val::as_index).transpose();
        let places = slice_places(items.len(), bound(1)?, bound(2)?, 1)?;
        for at in places {
            if items[at].is_same(&arguments[0]) || self.equal(&items[at], &arguments[0])? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn count_of(&mut self, items: &[Val], wanted: &Val) -> Res<Val> {
        let mut count = 0;
        for item in items {
            count += i64::from(item.is_same(wanted) || self.equal(item, wanted)?);
        }
        Ok(Val::Int(count))
    }

    pub(super) fn tuple_method(
        &mut self,
        items: &[Val],
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        match name {
            "count" => {
                let wanted = arguments.only("tuple.count")?;
                self.count_of(items, &wanted)
            }
            _ => {
                arguments.no_keywords("tuple.index")?;
                let arguments = arguments.between("index", 1, 3)?;
                match self.position(items, &arguments)? {
                    Some(at) => Ok(Val::size(at)),
                    None => Err(value_error("tuple.index(x): x not in tuple")),
                }
            }
        }
    }

    pub(super) fn list_method(
        &mut self,
        list: &Rc<RefCell<Vec<Val>>>,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        let items = list.borrow().clone();
        self.items_fit(items.len())?;
        self.step(items.len() as u64 / 8)?;
        match name {
            "append" => {
                let item = arguments.only("list.append")?;
                list.borrow_mut().push(item);
                flat_enough(Val::List(list.clone()))?;
            }
            "clear" => {
                arguments.none("list.clear")?;
                list.borrow_mut().clear();
            }
            "copy" => {
                arguments.none("list.copy")?;
                return Ok(Val::list(items));
            }
            "count" => {
                let wanted = arguments.only("list.count")?;
                return self.count_of(&items, &wanted);
            }
            "extend" => {
                let more = arguments.only("list.extend")?;
                let more = self.collect(&more)?;
                self.items_fit(items.len() + more.len())?;
                list.borrow_mut().extend(more);
            }
            "index" => return self.list_index(&items, arguments),
            "insert" => insert(list, arguments)?,
            "pop" => return pop(list, arguments),
            "remove" => {
                let wanted = arguments.only("list.remove")?;
                match self.position(&items, &[wanted])? {
                    Some(at) => {
                        list.borrow_mut().remove(at);
                    }
                    None => return Err(value_error("list.remove(x): x not in list")),
                }
            }
            "reverse" => {
                arguments.none("list.reverse")?;
                list.borrow_mut().reverse();
            }
            _ => {
                let sorted = self.sorted_by(items, arguments)?;
                *list.borrow_mut() = sorted;
            }
        }
        Ok(Val::None)
    }

    /// `list.sort`.
    fn sorted_by(&mut self, items: Vec<Val>, arguments: Arguments) -> Res<Vec<Val>> {
        if !arguments.positional.is_empty() {
            return Err(type_error("sort() takes no positional arguments"));
        }
        let (mut key, mut is_reversed) = (Val::None, false);
        for (name, value) in arguments.named {
            match name.as_str() {
                "key" => key = value,
                "reverse" => is_reversed = self.truth(&value)?,
                _ => return Err(unexpected("sort", &name)),
            }
        }
        let mut keyed = Vec::new();
        for item in items {
            let key = match &key {
                Val::None => item.clone(),
                key => self.call_value(key, Arguments::of(vec![item.clone()]), false)?,
            };
            keyed.push((key, item));
        }
        self.sorted(keyed, is_reversed)
    }

    /// The methods of mappings other than dicts.
    pub(super) fn mapping_method(
        &mut self,
        mapping: &Val,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        let view = |view| Ok(Val::object(Object::View(view, mapping.clone())));
        match name {
            "keys" => view(View::Keys),
            "values" => view(View::Values),
            "items" => view(View::Items),
            _ => {
                let bound = arguments.bind("Mapping.get", "key, default=", 1)?;
                match self.python_item(mapping, &bound.at(0)) {
                    Err(fault) if fault.is(&Exception::KeyError) => Ok(bound.at(1)),
                    found => found,
                }
            }
        }
    }

    /// `list.index`.
    fn list_index(&mut self, items: &[Val], arguments: Arguments) -> Res<Val> {
        arguments.no_keywords("list.index")?;
        let arguments = arguments.between("index", 1, 3)?;
        match self.position(items, &arguments)? {
            Some(at) => Ok(Val::size(at)),
            None => {
                let shown = self.repr(&arguments[0])?;
                Err(value_error(format!("{shown} is not in list")))
            }
        }
    }

    /// `dict.get`, `dict.setdefault` and `dict.pop`.
    fn dict_entry(
        &mut self,
        dict: &Rc<RefCell<Entries>>,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        arguments.no_keywords(&format!("dict.{name}"))?;
        let arguments = arguments.between(name, 1, 2)?;
        let key = Key::of(&arguments[0], self)?;
        let found = dict.borrow().map.get(&key).map(|(_, value)| value.clone());
        let default = arguments.get(1).cloned();
        match (name, found) {
            ("pop", Some(found)) => {
                dict.borrow_mut().map.shift_remove(&key);
                Ok(found)
            }
            ("pop", None) => match default {
                Some(default) => Ok(default),
                None => Err(Fault::Raised(Exception::KeyError, self.repr(&arguments[0])?)),
            },
            (_, Some(found)) => Ok(found),
            ("get", None) => Ok(default.unwrap_or(Val::None)),
            (_, None) => {
                let value = default.unwrap_or(Val::None);
                let entry = (arguments[0].clone(), value.clone());
                dict.borrow_mut().map.insert(key, entry);
                Ok(value)
            }
        }
    }

    pub(super) fn dict_method(
        &mut self,
        dict: &Rc<RefCell<Entries>>,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        let view = |view, arguments: &Arguments| {
            arguments.none(&format!("dict.{name}"))?;
            Ok(Val::object(Object::View(view, Val::Dict(dict.clone()))))
        };
        match name {
            "keys" => view(View::Keys, &arguments),
            "values" => view(View::Values, &arguments),
            "items" => view(View::Items, &arguments),
            "clear" => {
                arguments.none("dict.clear")?;
                dict.borrow_mut().map.clear();
                Ok(Val::None)
            }
            "copy" => {
                arguments.none("dict.copy")?;
                Ok(Val::dict(dict.borrow().clone()))
            }
            "fromkeys" => {
                arguments.no_keywords("dict.fromkeys")?;
                let arguments = arguments.between("fromkeys", 1, 2)?;
                let value = arguments.get(1).cloned().unwrap_or(Val::None);
                let mut entries = Entries::default();
                for key in self.collect(&arguments[0])? {
                    entries.insert(key, value.clone(), self)?;
                }
                Ok(Val::dict(entries))
            }
            "get" | "setdefault" | "pop" => self.dict_entry(dict, name, arguments),
            "popitem" => {
                arguments.none("dict.popitem")?;
                match dict.borrow_mut().map.pop() {
                    Some((_, (key, value))) => Ok(Val::tuple(vec![key, value])),
                    None => {
                        let text = "'popitem(): dictionary is empty'";
                        Err(Fault::Raised(Exception::KeyError, text.into()))
                    }
                }
            }
            _ => {
                let entries = self.new_dict("update", arguments)?;
                let mut target = dict.borrow_mut();
                for (key, (name, value)) in entries.map {
                    match target.map.get_mut(&key) {
                        Some(entry) => entry.1 = value,
                        None => {
                            target.map.insert(key, (name, value));
                        }
                    }
                }
                Ok(Val::None)
            }
        }
    }

    /// Builds the dict of `dict(…)`.
    pub(in super::super) fn new_dict(&mut self, name: &str, arguments: Arguments) -> Res<Entries> {
        let count = arguments.positional.len();
        if count > 1 {
            let text = format!("{name} expected at most 1 argument, got {count}");
            return Err(type_error(text));
        }
        let mut entries = Entries::default();
        if let Some(source) = arguments.positional.first() {
            if self.has_keys(source) {
                for (key, value) in self.entries(source)? {
                    entries.insert(key, value, self)?;
                }
            } else {
                for (index, pair) in self.collect(source)?.into_iter().enumerate() {
                    let items = self.collect(&pair).map_err(|fault| {
                        if !fault.is(&Exception::TypeError) {
                            return fault;
                        }
                        type_error(format!(
                            "cannot convert dictionary update sequence element #{index} to a \
                             sequence"
                        ))
                    })?;
                    let [key, value] = &items[..] else {
                        return Err(value_error(format!(
                            "dictionary update sequence element #{index} has length {}; 2 is \
                             required",
                            items.len()
                        )));
                    };
                    entries.insert(key.clone(), value.clone(), self)?;
                }
            }
        }
        for (name, value) in arguments.named {
            entries.set(&name, value);
        }
        Ok(entries)
    }
}

/// `list.insert`.
fn insert(list: &RefCell<Vec<Val>>, arguments: Arguments) -> Res<()> {
    arguments.no_keywords("list.insert")?;
    let arguments = arguments.between("insert", 2, 2)?;
    let at = arguments[0].as_index()?;
    let count = list.borrow().len() as i64;
    let at = if at < 0 { at.saturating_add(count) } else { at }.clamp(0, count);
    list.borrow_mut().insert(at as usize, arguments[1].clone());
    Ok(())
}

/// `list.pop`.
fn pop(list: &RefCell<Vec<Val>>, arguments: Arguments) -> Res<Val> {
    let error = |text: &str| Fault::Raised(Exception::IndexError, text.into());
    arguments.no_keywords("list.pop")?;
    let arguments = arguments.between("pop", 0, 1)?;
    let at = arguments.first().map_or(Ok(-1), Val::as_index)?;
    let count = list.borrow().len();
    if count == 0 {
        return Err(error("pop from empty list"));
    }
    let at = if at < 0 { at.saturating_add(count as i64) } else { at };
    let at = usize::try_from(at).ok().filter(|at| *at < count);
    let at = at.ok_or_else(|| error("pop index out of range"))?;
    Ok(list.borrow_mut().remove(at))
}
