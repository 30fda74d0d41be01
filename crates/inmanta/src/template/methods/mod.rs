//! The methods of Python's values.

use crate::diagnostics::Exception;
mod containers;
mod numbers;
mod text;

pub(super) use text::{has_case, lines};

use ecow::EcoString;

use super::arguments::Arguments;
use super::fault::{Fault, Res, type_error};
use super::runtime::Runtime;
use super::value::{Entries, LoopState, Object, Val, View};

/// The methods of `str`, in the order of Python's `dir`.
pub(super) const TEXT: &[&str] = &[
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
];
/// The additional methods of escaped texts.
const MARKUP: &[&str] = &["__html__", "escape", "striptags", "unescape"];
const LIST: &[&str] = &[
    "append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse",
    "sort",
];
const DICT: &[&str] = &[
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];
const TUPLE: &[&str] = &["count", "index"];
const INTEGER: &[&str] = &[
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "conjugate",
    "from_bytes",
    "is_integer",
    "to_bytes",
];
const FLOAT: &[&str] = &["as_integer_ratio", "conjugate", "fromhex", "hex", "is_integer"];
const BYTES: &[&str] = &["decode", "hex", "endswith", "startswith"];

/// Whether a value has a method of this name.
pub(super) fn has(value: &Val, name: &str) -> bool {
    let names: &[&str] = match value {
        Val::Markup(_) if MARKUP.contains(&name) => return true,
        Val::Str(_) | Val::Markup(_) => TEXT,
        Val::List(_) => LIST,
        Val::Dict(_) => DICT,
        Val::Tuple(_) => TUPLE,
        Val::Int(_) | Val::Big(_) | Val::Bool(_) => INTEGER,
        Val::Float(_) => FLOAT,
        Val::Bytes(_) => BYTES,
        _ => return false,
    };
    names.contains(&name)
}

impl Runtime<'_> {
    /// Calls a method.
    pub(super) fn method(
        &mut self,
        value: &Val,
        name: &EcoString,
        arguments: Arguments,
    ) -> Res<Val> {
        match value {
            Val::Str(text) => self.text_method(text, name, arguments),
            Val::Markup(text) => self.markup_method(text, name, arguments),
            Val::List(items) => self.list_method(items, name, arguments),
            Val::Dict(entries) => self.dict_method(entries, name, arguments),
            Val::Tuple(tuple) => self.tuple_method(&tuple.items, name, arguments),
            Val::Int(_) | Val::Big(_) | Val::Bool(_) => self.integer_method(value, name, arguments),
            Val::Float(number) => self.float_method(*number, name, arguments),
            Val::Bytes(bytes) => self.bytes_method(bytes, name, arguments),
            Val::Proxy(_) => self.mapping_method(value, name, arguments),
            Val::Object(object) => self.object_method(value, object, name, arguments),
            _ => Err(missing(value, name)),
        }
    }

    /// Calls a Python method of a list or a dict of the model. It works on a copy, since templates
    /// cannot change the model.
    pub(super) fn model_method(
        &mut self,
        proxy: &std::rc::Rc<super::value::Proxy>,
        name: &EcoString,
        arguments: Arguments,
    ) -> Res<Val> {
        let whole = Val::Proxy(proxy.clone());
        let view = match name.as_str() {
            "keys" => Some(View::Keys),
            "values" => Some(View::Values),
            "items" => Some(View::Items),
            _ => None,
        };
        if let Some(view) = view {
            arguments.none(&format!("dict.{name}"))?;
            return Ok(Val::object(Object::View(view, whole)));
        }
        let copy = if self.has_keys(&whole) {
            let mut entries = Entries::default();
            for (key, value) in self.entries(&whole)? {
                entries.insert(key, value, self)?;
            }
            Val::dict(entries)
        } else {
            Val::list(self.collect(&whole)?)
        };
        let found = self.method(&copy, name, arguments)?;
        match (&found, name.as_str()) {
            (Val::List(_) | Val::Dict(_), "copy") => Ok(whole),
            _ => Ok(found),
        }
    }

    /// `loop.changed(…)`: whether the values differ from those of the last call.
    fn loop_changed(&mut self, state: &LoopState, now: Vec<Val>) -> Res<Val> {
        let last = state.last_changed.borrow().clone();
        let is_same = match last {
            Some(last) => self.equal(&Val::tuple(last), &Val::tuple(now.clone()))?,
            None => false,
        };
        if !is_same {
            state.last_changed.replace(Some(now));
        }
        Ok(Val::Bool(!is_same))
    }

    fn object_method(
        &mut self,
        value: &Val,
        object: &Object,
        name: &EcoString,
        arguments: Arguments,
    ) -> Res<Val> {
        match (object, name.as_str()) {
            (Object::Loop(state), "cycle") => {
                arguments.clone().no_keywords("LoopContext.cycle")?;
                let count = arguments.positional.len();
                if count == 0 {
                    return Err(type_error("no items for cycling given"));
                }
                let at = state.index0.get().rem_euclid(count as i64) as usize;
                Ok(arguments.positional[at].clone())
            }
            (Object::Loop(state), "changed") => self.loop_changed(state, arguments.positional),
            (Object::Cycler { items, position }, "next") => {
                arguments.bind("Cycler.next", "", 1)?;
                let at = position.get();
                position.set((at + 1) % items.len().max(1));
                Ok(items.get(at).cloned().unwrap_or(Val::None))
            }
            (Object::Cycler { position, .. }, "reset") => {
                arguments.bind("Cycler.reset", "", 1)?;
                position.set(0);
                Ok(Val::None)
            }
            (Object::Range { .. }, _) => {
                let items = self.collect(value)?;
                self.tuple_method(&items, name, arguments)
            }
            (Object::Function("dict"), "fromkeys") => {
                let empty = std::rc::Rc::default();
                self.dict_method(&empty, name, arguments)
            }
            (Object::View(..), "isdisjoint") => {
                let other = arguments.only("isdisjoint")?;
                for item in self.collect(&other)? {
                    if self.contains(value, &item)? {
                        return Ok(Val::Bool(false));
                    }
                }
                Ok(Val::Bool(true))
            }
            _ => Err(missing(value, name)),
        }
    }
}

fn missing(value: &Val, name: &str) -> Fault {
    let name = crate::value::string_repr(name);
    let text = format!("'{}' object has no attribute {name}", value.type_name());
    Fault::Raised(Exception::AttributeError, text)
}
