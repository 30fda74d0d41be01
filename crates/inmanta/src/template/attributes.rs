//! Evaluates attributes, items and calls.

use std::rc::Rc;

use ecow::EcoString;

use super::arguments::Arguments;
use super::fault::{Fault, Res, type_error, value_error};
use super::methods;
use super::runtime::Runtime;
use super::value::{Entries, Frame, Key, LoopState, MacroValue, Object, Proxy, Val};
use crate::diagnostics::{Class, Exception};
use crate::model::plugin::Stop;
use crate::value::Value;

impl Runtime<'_> {
    /// `object.name`: an attribute, otherwise an item.
    pub(super) fn attribute(&mut self, object: &Val, name: &EcoString) -> Res<Val> {
        match self.python_attribute(object, name) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => {}
            Err(fault) if fault.is(&Exception::AttributeError) => {}
            Err(fault) => return Err(fault),
        }
        match self.python_item(object, &Val::Str(name.clone())) {
            Err(fault) if fault.is_lookup() => Ok(Val::absent(object, Val::Str(name.clone()))),
            found => found,
        }
    }

    /// `object[argument]`: an item, otherwise an attribute.
    pub(super) fn item(&mut self, object: &Val, argument: &Val) -> Res<Val> {
        match self.python_item(object, argument) {
            Err(fault) if fault.is_lookup() => {}
            found => return found,
        }
        if let Some(name) = argument.as_text()
            && let Some(found) = self.python_attribute(object, name)?
        {
            return Ok(found);
        }
        Ok(Val::absent(object, argument.clone()))
    }

    /// Python's `getattr`; `None` if there is no such attribute.
    pub(super) fn python_attribute(&mut self, object: &Val, name: &EcoString) -> Res<Option<Val>> {
        let method = || Ok(Some(Val::method(object.clone(), name)));
        match object {
            Val::Undefined(found) => {
                match name.as_str() {
                    "_undefined_name" => return Ok(Some(found.name.clone())),
                    "_undefined_hint" => {
                        return Ok(Some(found.hint.clone().map_or(Val::None, Val::Str)));
                    }
                    "_undefined_message" => return Ok(Some(Val::str(found.message(self)))),
                    _ => {}
                }
                if name.starts_with("__") && name.ends_with("__") {
                    return Ok(None);
                }
                Err(found.fault(self))
            }
            Val::Tuple(found) if found.is_group && (name == "grouper" || name == "list") => {
                Ok(found.items.get(usize::from(name == "list")).cloned())
            }
            Val::Int(_) | Val::Big(_) | Val::Bool(_) => Ok(match name.as_str() {
                "numerator" | "real" => object.as_integer().map(Val::int),
                "denominator" => Some(Val::Int(1)),
                "imag" => Some(Val::Int(0)),
                _ if methods::has(object, name) => return method(),
                _ => None,
            }),
            Val::Float(number) => Ok(match name.as_str() {
                "real" => Some(Val::Float(*number)),
                "imag" => Some(Val::Float(0.0)),
                _ if methods::has(object, name) => return method(),
                _ => None,
            }),
            Val::Proxy(found) => self.model_attribute(found, name),
            Val::Object(found) => self.object_attribute(object, found, name),
            _ if methods::has(object, name) => method(),
            _ => Ok(None),
        }
    }

    fn model_attribute(&mut self, proxy: &Rc<Proxy>, name: &EcoString) -> Res<Option<Val>> {
        let Value::Instance(id) = &proxy.value else {
            let object = Val::Proxy(proxy.clone());
            if matches!(proxy.value, Value::Dict(_)) {
                let of_mapping = ["keys", "values", "items", "get"];
                if proxy.is_argument && of_mapping.contains(&name.as_str()) {
                    return Ok(Some(Val::method(object, name)));
                }
            }
            let plain = match &proxy.value {
                _ if proxy.is_argument => return Ok(None),
                Value::List(_) => Val::list(Vec::new()),
                Value::Dict(_) => Val::dict(Entries::default()),
                _ => return Ok(None),
            };
            if methods::has(&plain, name) {
                let method = Object::ProxyMethod(proxy.clone(), name.clone());
                return Ok(Some(Val::object(method)));
            }
            return Ok(None);
        };
        let instance = *id;
        match self.model.attribute(instance, name) {
            Ok(value) => {
                let path = format!("{}.{name}", proxy.path);
                self.inside(&value, &path, proxy).map(Some)
            }
            Err(Stop::Error(error)) if proxy.is_argument && error.class == Class::NotFound => {
                Ok(None)
            }
            Err(Stop::Error(error))
                if !proxy.is_argument
                    && matches!(error.class, Class::NotFound | Class::OptionalValue) =>
            {
                let shown = proxy.value.text(&*self.model);
                Ok(Some(Val::lenient(format!("variable {name} not set on {shown}"))))
            }
            Err(stop) => Err(stop.into()),
        }
    }

    fn object_attribute(
        &mut self,
        value: &Val,
        object: &Rc<Object>,
        name: &EcoString,
    ) -> Res<Option<Val>> {
        let method = || Ok(Some(Val::method(value.clone(), name)));
        match &**object {
            Object::Loop(state) => self.loop_attribute(value, state, name),
            Object::Cycler { items, position } => match name.as_str() {
                "items" => Ok(Some(Val::tuple(items.clone()))),
                "pos" => Ok(Some(Val::size(position.get()))),
                "current" => Ok(items.get(position.get()).cloned()),
                "next" | "reset" => method(),
                _ => Ok(None),
            },
            Object::Joiner { separator, is_used } => Ok(match name.as_str() {
                "sep" => Some(separator.clone()),
                "used" => Some(Val::Bool(is_used.get())),
                _ => None,
            }),
            Object::Namespace(entries) => Ok(entries.borrow().get(name).cloned()),
            Object::Module { exported, name: template, .. } => Ok(match name.as_str() {
                "__name__" => Some(Val::Str(template.clone())),
                _ => exported.get(name).cloned(),
            }),
            Object::Macro(MacroValue { node, .. }) => Ok(match name.as_str() {
                "name" => Some(node.name.clone().map_or(Val::None, Val::Str)),
                "arguments" => {
                    Some(Val::tuple(node.arguments.iter().cloned().map(Val::Str).collect()))
                }
                "catch_kwargs" => Some(Val::Bool(node.uses_kwargs)),
                "catch_varargs" => Some(Val::Bool(node.uses_varargs)),
                "caller" => Some(Val::Bool(node.uses_caller)),
                "explicit_caller" => Some(Val::Bool(node.has_explicit_caller)),
                _ => None,
            }),
            Object::Block { name: block, context, depth } => Ok(match name.as_str() {
                "super" => Some(self.parent_block(block, depth + 1, context)),
                "name" => Some(Val::Str(block.clone())),
                _ => None,
            }),
            Object::Range { start, stop, step } => Ok(match name.as_str() {
                "start" => Some(Val::Int(*start)),
                "stop" => Some(Val::Int(*stop)),
                "step" => Some(Val::Int(*step)),
                "count" | "index" => return method(),
                _ => None,
            }),
            Object::Model(module) => self.module_name(module, name),
            Object::View(..) if name == "isdisjoint" => method(),
            Object::View(_, dict) if name == "mapping" => Ok(Some(dict.clone())),
            Object::Set(_) if methods::has(value, name) => method(),
            Object::Function("dict") if name == "fromkeys" => method(),
            _ => Ok(None),
        }
    }

    /// A variable or a plugin of a module.
    fn module_name(&mut self, module: &EcoString, name: &EcoString) -> Res<Option<Val>> {
        match self.model.lookup_in(module, name) {
            Ok(value) => {
                let path = format!("{module}.{name}");
                return self.of_model(&value, &path).map(Some);
            }
            Err(Stop::Error(error))
                if matches!(error.class, Class::NotFound | Class::OptionalValue) => {}
            Err(stop) => return Err(stop.into()),
        }
        let plugin: EcoString = format!("{module}::{name}").into();
        if self.plugins.values().any(|known| *known == plugin) {
            return Ok(Some(Val::object(Object::Plugin(plugin))));
        }
        let module = crate::value::string_repr(module);
        Err(Fault::Undefined(format!("{module} is undefined")))
    }

    fn loop_attribute(
        &mut self,
        value: &Val,
        state: &LoopState,
        name: &EcoString,
    ) -> Res<Option<Val>> {
        let index0 = state.index0.get();
        Ok(Some(match name.as_str() {
            "index0" => Val::Int(index0),
            "index" => Val::Int(index0 + 1),
            "first" => Val::Bool(index0 == 0),
            "depth0" => Val::size(state.depth0),
            "depth" => Val::size(state.depth0 + 1),
            "length" => Val::size(self.loop_length(state)?),
            "revindex0" => Val::Int(self.loop_length(state)? as i64 - index0 - 1),
            "revindex" => Val::Int(self.loop_length(state)? as i64 - index0),
            "last" => Val::Bool(self.loop_peek(state)?.is_none()),
            "previtem" => match &*state.before.borrow() {
                Some(item) if index0 > 0 => item.clone(),
                _ => Val::hinted("there is no previous item"),
            },
            "nextitem" => match self.loop_peek(state)? {
                Some(item) => item,
                None => Val::hinted("there is no next item"),
            },
            "cycle" | "changed" => Val::method(value.clone(), name),
            _ => return Ok(None),
        }))
    }

    fn loop_peek(&mut self, state: &LoopState) -> Res<Option<Val>> {
        if let Some(item) = &*state.after.borrow() {
            return Ok(Some(item.clone()));
        }
        let item = state.items.next(self)?;
        state.after.replace(item.clone());
        Ok(item)
    }

    /// The length of a loop. It exhausts a generator.
    pub(super) fn loop_length(&mut self, state: &LoopState) -> Res<usize> {
        if let Some(length) = state.length.get() {
            return Ok(length);
        }
        let length = match self.length(&state.source) {
            Ok(length) => length,
            Err(fault) if fault.is(&Exception::TypeError) => {
                let mut rest = Vec::new();
                while let Some(item) = state.items.next(self)? {
                    rest.push(item);
                    self.items_fit(rest.len())?;
                }
                let ahead = usize::from(state.after.borrow().is_some());
                let length = rest.len() + (state.index0.get() + 1) as usize + ahead;
                state.items.refill(rest);
                length
            }
            Err(fault) => return Err(fault),
        };
        state.length.set(Some(length));
        Ok(length)
    }

    /// Whether a value is a mapping for Python.
    pub(super) fn is_mapping(&self, value: &Val) -> bool {
        match value {
            Val::Dict(_) => true,
            Val::Proxy(found) => found.is_argument && matches!(found.value, Value::Dict(_)),
            _ => false,
        }
    }

    /// Whether a value has keys with items.
    pub(super) fn has_keys(&self, value: &Val) -> bool {
        match value {
            Val::Dict(_) => true,
            Val::Proxy(found) => matches!(found.value, Value::Dict(_)),
            _ => false,
        }
    }

    /// Python's `object[argument]`.
    pub(super) fn python_item(&mut self, object: &Val, argument: &Val) -> Res<Val> {
        if let Val::Object(slice) = argument
            && let Object::Slice(start, stop, step) = &**slice
        {
            return self.sliced(object, start, stop, step);
        }
        match object {
            Val::Dict(found) => {
                let key = Key::of(argument, self)?;
                match found.borrow().map.get(&key) {
                    Some((_, value)) => Ok(value.clone()),
                    None => Err(Fault::Raised(Exception::KeyError, self.repr(argument)?)),
                }
            }
            Val::List(found) => {
                let items = found.borrow();
                let at = place(argument, items.len(), "list")?;
                Ok(items[at].clone())
            }
            Val::Tuple(found) => {
                let at = place(argument, found.items.len(), "tuple")?;
                Ok(found.items[at].clone())
            }
            Val::Str(text) | Val::Markup(text) => {
                let count = text.chars().count();
                let at = place(argument, count, "string")?;
                let c = text.chars().nth(at).unwrap_or_default();
                Ok(Val::text_like(c.to_string(), object.is_markup()))
            }
            Val::Bytes(bytes) => {
                let at = place(argument, bytes.len(), "bytes")?;
                Ok(Val::Int(i64::from(bytes[at])))
            }
            Val::Undefined(found) => Err(found.fault(self)),
            Val::Proxy(found) => self.model_item(found, argument),
            Val::Object(found) => match &**found {
                Object::Range { start, stop, step } => {
                    let length = Object::range_length(*start, *stop, *step);
                    let at = place(argument, length, "range object")?;
                    Ok(Val::Int(start + step * at as i64))
                }
                Object::Blocks(context) => {
                    let Some(name) = argument.as_text() else {
                        return Err(Fault::Raised(Exception::KeyError, self.repr(argument)?));
                    };
                    if !context.blocks.borrow().contains_key(name) {
                        return Err(Fault::Raised(
                            Exception::KeyError,
                            crate::value::string_repr(name),
                        ));
                    }
                    let (name, context) = (name.clone(), context.clone());
                    Ok(Val::object(Object::Block { name, context, depth: 0 }))
                }
                _ => Err(not_subscriptable(object)),
            },
            _ => Err(not_subscriptable(object)),
        }
    }

    fn model_item(&mut self, proxy: &Rc<Proxy>, argument: &Val) -> Res<Val> {
        match &proxy.value {
            Value::List(items) => {
                if argument.as_text().is_some() {
                    return Err(no_place(proxy));
                }
                let at = place(argument, items.len(), "list")?;
                let path = format!("{}[{at}]", proxy.path);
                let item = items[at].clone();
                self.inside(&item, &path, proxy)
            }
            Value::Dict(items) => {
                let Some(name) = argument.as_text() else { return Err(no_place(proxy)) };
                let quoted = crate::value::string_repr(name);
                let Some(item) = items.get(name).cloned() else {
                    return Err(Fault::Raised(Exception::KeyError, quoted));
                };
                let path = format!("{}[{quoted}]", proxy.path);
                self.inside(&item, &path, proxy)
            }
            _ => Err(not_subscriptable(&Val::Proxy(proxy.clone()))),
        }
    }

    /// The length of a value that can be sliced.
    fn sliceable_length(&mut self, object: &Val) -> Res<usize> {
        match object {
            Val::Undefined(found) => Err(found.fault(self)),
            Val::Proxy(found) if matches!(found.value, Value::List(_)) => self.length(object),
            Val::List(_) | Val::Tuple(_) | Val::Str(_) | Val::Markup(_) | Val::Bytes(_) => {
                self.length(object)
            }
            Val::Object(found) if matches!(&**found, Object::Range { .. }) => self.length(object),
            Val::Dict(_) => Err(type_error("unhashable type: 'slice'")),
            Val::Proxy(found) if matches!(found.value, Value::Dict(_)) => Err(no_place(found)),
            _ => Err(not_subscriptable(object)),
        }
    }

    fn sliced(&mut self, object: &Val, start: &Val, stop: &Val, step: &Val) -> Res<Val> {
        let bound = |value: &Val| match value {
            Val::None => Ok(None),
            Val::Bool(_) | Val::Int(_) | Val::Big(_) => value.as_index().map(Some),
            _ => Err(type_error(
                "slice indices must be integers or None or have an __index__ method",
            )),
        };
        let length = self.sliceable_length(object)?;
        let places = slice_places(length, bound(start)?, bound(stop)?, bound(step)?.unwrap_or(1))?;
        self.step(places.len() as u64)?;
        Ok(match object {
            Val::List(found) => {
                let items = found.borrow();
                Val::list(places.iter().map(|at| items[*at].clone()).collect())
            }
            Val::Tuple(found) => {
                Val::tuple(places.iter().map(|at| found.items[*at].clone()).collect())
            }
            Val::Bytes(bytes) => Val::Bytes(places.iter().map(|at| bytes[*at]).collect()),
            Val::Str(text) | Val::Markup(text) => {
                let chars: Vec<char> = text.chars().collect();
                let text: String = places.iter().map(|at| chars[*at]).collect();
                Val::text_like(text, object.is_markup())
            }
            Val::Proxy(found) => {
                let Value::List(items) = &found.value else {
                    return Err(not_subscriptable(object));
                };
                let value = Value::list(places.iter().map(|at| items[*at].clone()));
                let path = found.path.clone();
                return self.inside(&value, &path, found);
            }
            Val::Object(found) => match &**found {
                Object::Range { start, step, .. } => {
                    let at = |place: usize| start + step * place as i64;
                    let first = places.first().map_or(0, |place| at(*place));
                    let by = match places[..] {
                        [a, b, ..] => at(b) - at(a),
                        _ => *step,
                    };
                    let stop = first + by * places.len() as i64;
                    Val::object(Object::Range { start: first, stop, step: by })
                }
                _ => return Err(not_subscriptable(object)),
            },
            _ => return Err(not_subscriptable(object)),
        })
    }

    /// Calls a function, a method, a macro or a plugin.
    pub(super) fn call(&mut self, callee: &Val, arguments: Arguments, frame: &Frame) -> Res<Val> {
        let autoescape = frame.context.autoescape.get();
        self.nested(|runtime| runtime.call_value(callee, arguments, autoescape))
    }

    pub(super) fn call_value(
        &mut self,
        callee: &Val,
        arguments: Arguments,
        autoescape: bool,
    ) -> Res<Val> {
        self.step(1)?;
        let not_callable =
            || type_error(format!("'{}' object is not callable", callee.type_name()));
        let object = match callee {
            Val::Object(object) => object,
            Val::Undefined(found) => return Err(found.fault(self)),
            _ => return Err(not_callable()),
        };
        match &**object {
            Object::Method(value, name) => self.method(value, name, arguments),
            Object::ProxyMethod(proxy, name) => self.model_method(proxy, name, arguments),
            Object::Macro(found) => {
                let values = self.macro_arguments(found, arguments)?;
                let text = self.run_macro(found, values)?;
                Ok(Val::text_like(text, autoescape))
            }
            Object::Loop(state) => {
                let Some(recursion) = state.recurse.clone() else {
                    return Err(type_error(
                        "The loop must have the 'recursive' marker to be called recursively.",
                    ));
                };
                let bound = arguments.bind("LoopContext.__call__", "iterable", 1)?;
                self.recurse(&recursion, bound.at(0), state.depth0 + 1)
            }
            Object::Joiner { separator, is_used } => {
                arguments.bind("Joiner.__call__", "", 1)?;
                Ok(if is_used.replace(true) { separator.clone() } else { Val::str("") })
            }
            Object::Block { name, context, depth } => {
                arguments.bind("BlockReference.__call__", "", 1)?;
                let mut text = String::new();
                self.block(name, *depth, context, &mut text)?;
                Ok(Val::text_like(text, context.autoescape.get()))
            }
            Object::Plugin(name) => {
                let name = name.clone();
                self.plugin(&name, arguments)
            }
            Object::Function(name) => self.global(name, arguments),
            _ => Err(not_callable()),
        }
    }

    /// Binds arguments to the parameters of a macro.
    fn macro_arguments(
        &mut self,
        found: &MacroValue,
        arguments: Arguments,
    ) -> Res<Vec<(EcoString, Option<Val>)>> {
        let node = &found.node;
        let shown = |name: &str| crate::value::string_repr(name);
        let own = node.name.as_ref().map_or("None".to_owned(), |name| shown(name));
        let mut named = arguments.named;
        let mut positional = arguments.positional.into_iter();
        let mut take = |name: &str| {
            let at = named.iter().position(|(other, _)| other == name)?;
            Some(named.remove(at).1)
        };
        let mut values = Vec::new();
        let mut has_caller = false;
        let mut is_filled = true;
        for name in &node.arguments {
            let value = match positional.next() {
                Some(value) => Some(value),
                None => {
                    is_filled = false;
                    has_caller |= name == "caller";
                    take(name)
                }
            };
            values.push((name.clone(), value));
        }
        if is_filled {
            has_caller = node.has_explicit_caller;
        }
        if node.uses_caller && !has_caller {
            let caller = match take("caller") {
                Some(caller) if !matches!(caller, Val::None) => caller,
                _ => Val::hinted("No caller defined"),
            };
            values.push(("caller".into(), Some(caller)));
        }
        if node.uses_kwargs {
            let mut entries = Entries::default();
            named.into_iter().for_each(|(name, value)| entries.set(&name, value));
            values.push(("kwargs".into(), Some(Val::dict(entries))));
        } else if let Some((name, _)) = named.first() {
            let is_repeated = named.iter().any(|(name, _)| name == "caller");
            return Err(unused_argument(&own, name, is_repeated));
        }
        let rest: Vec<Val> = positional.collect();
        match rest.len() {
            _ if node.uses_varargs => values.push(("varargs".into(), Some(Val::tuple(rest)))),
            0 => {}
            _ => {
                let count = node.arguments.len();
                let text = format!("macro {own} takes not more than {count} argument(s)");
                return Err(type_error(text));
            }
        }
        Ok(values)
    }

    /// Calls a plugin with values of the template.
    pub(super) fn plugin(&mut self, name: &str, arguments: Arguments) -> Res<Val> {
        let positional: Res<Vec<_>> =
            arguments.positional.iter().map(|value| self.model_value(value, 0)).collect();
        let mut named = Vec::new();
        for (key, value) in &arguments.named {
            named.push((key.clone(), self.model_value(value, 0)?));
        }
        let value = self.model.call(name, &positional?, &named)?;
        let path = name.replace("::", ".");
        self.of_model(&value, &path)
    }

    /// Converts a value of the template to one of the model.
    pub(super) fn model_value(&mut self, value: &Val, depth: usize) -> Res<Value> {
        if depth > 100 {
            return Err(Fault::Raised(
                Exception::RecursionError,
                "maximum recursion depth exceeded".into(),
            ));
        }
        Ok(match value {
            Val::None => Value::Null,
            Val::Bool(truth) => Value::Bool(*truth),
            Val::Int(number) => Value::Int(*number),
            Val::Big(number) => Value::BigInt(number.clone()),
            Val::Float(number) => Value::Float(*number),
            Val::Str(text) | Val::Markup(text) => Value::Str(text.clone()),
            Val::Object(found) if matches!(**found, Object::Null) => Value::Null,
            Val::Proxy(found) => found.value.clone(),
            Val::Undefined(found) if found.is_strict => return Err(found.fault(self)),
            Val::List(_) | Val::Tuple(_) => {
                let items = self.collect(value)?;
                let items: Res<Vec<_>> =
                    items.iter().map(|item| self.model_value(item, depth + 1)).collect();
                Value::list(items?)
            }
            Val::Dict(_) => {
                let mut entries = Vec::new();
                for (key, value) in self.entries(value)? {
                    let key = self.text(&key)?;
                    entries.push((key, self.model_value(&value, depth + 1)?));
                }
                Value::dict(entries)
            }
            other => Value::Str(self.text(other)?),
        })
    }
}

fn not_subscriptable(value: &Val) -> Fault {
    type_error(format!("'{}' object is not subscriptable", value.type_name()))
}

/// The error about a keyword argument that a macro does not have, or a second `caller`.
fn unused_argument(own: &str, name: &str, is_repeated_caller: bool) -> Fault {
    type_error(match is_repeated_caller {
        true => format!(
            "macro {own} was invoked with two values for the special caller argument. This is \
             most likely a bug."
        ),
        false => {
            format!("macro {own} takes no keyword argument {}", crate::value::string_repr(name))
        }
    })
}

/// The error about a key of the wrong type: the original fails while it builds its message.
fn no_place(proxy: &Proxy) -> Fault {
    let class = if matches!(proxy.value, Value::List(_)) { "Sequence" } else { "Dict" };
    let text = format!("'{class}Proxy' object has no attribute 'get_location'");
    Fault::Raised(Exception::AttributeError, text)
}

/// The position of an index.
fn place(index: &Val, length: usize, class: &str) -> Res<usize> {
    let number = match index {
        Val::Bool(_) | Val::Int(_) | Val::Big(_) => index.as_index()?,
        _ => {
            let found = index.type_name();
            return Err(type_error(match class {
                "string" => format!("string indices must be integers, not '{found}'"),
                "bytes" => format!("byte indices must be integers or slices, not {found}"),
                "range object" => format!("range indices must be integers or slices, not {found}"),
                _ => format!("{class} indices must be integers or slices, not {found}"),
            }));
        }
    };
    let at = if number < 0 { number.checked_add(length as i64) } else { Some(number) };
    let at = at.and_then(|at| usize::try_from(at).ok()).filter(|at| *at < length);
    at.ok_or_else(|| Fault::Raised(Exception::IndexError, format!("{class} index out of range")))
}

/// The positions of a slice.
pub(super) fn slice_places(
    length: usize,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> Res<Vec<usize>> {
    if step == 0 {
        return Err(value_error("slice step cannot be zero"));
    }
    let length = length as i64;
    let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let clamp = |bound: i64| {
        let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
        bound.clamp(low, high)
    };
    let start = start.map_or(if step > 0 { low } else { high }, clamp);
    let stop = stop.map_or(if step > 0 { high } else { low }, clamp);
    let mut places = Vec::new();
    let mut at = start;
    while if step > 0 { at < stop } else { at > stop } {
        places.push(at as usize);
        at = at.saturating_add(step);
    }
    Ok(places)
}
