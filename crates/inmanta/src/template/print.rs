//! Prints values as Python does.

use std::fmt::Write;
use std::rc::Rc;

use ecow::EcoString;

use super::fault::{Fault, Res};
use super::runtime::Runtime;
use super::value::{Entries, Object, Proxy, Val, View};
use crate::diagnostics::Exception;
use crate::value::{Value, float_text};
use ordain_functions::text::repr_python;

/// The limit for nested values.
const MAX_DEPTH: usize = 200;

/// The address that all objects print.
const ADDRESS: &str = "0x7f0000000000";

impl Runtime<'_> {
    /// Python's `str`.
    pub(super) fn text(&mut self, value: &Val) -> Res<EcoString> {
        match value {
            Val::Str(text) | Val::Markup(text) => Ok(text.clone()),
            _ => {
                let mut out = String::new();
                self.write_text(value, &mut out)?;
                Ok(out.into())
            }
        }
    }

    /// Appends the text of Python's `str`.
    pub(super) fn write_text(&mut self, value: &Val, out: &mut String) -> Res<()> {
        match value {
            Val::Str(text) | Val::Markup(text) => {
                out.push_str(text);
                Ok(())
            }
            Val::Undefined(found) if found.is_strict => Err(found.fault(self)),
            Val::Undefined(_) => Ok(()),
            Val::Object(found) => match &**found {
                Object::Module { text, .. } => {
                    out.push_str(text);
                    Ok(())
                }
                Object::Block { .. } => {
                    write!(out, "<jinja2.runtime.BlockReference object at {ADDRESS}>")
                        .map_err(memory)
                }
                _ => self.write_repr(value, out, 0),
            },
            _ => self.write_repr(value, out, 0),
        }
    }

    /// Python's `repr`.
    pub(super) fn repr(&self, value: &Val) -> Res<String> {
        let mut out = String::new();
        self.write_repr(value, &mut out, 0)?;
        Ok(out)
    }

    fn write_dict(&self, entries: &Entries, out: &mut String, depth: usize) -> Res<()> {
        out.push('{');
        for (index, (key, value)) in entries.map.values().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            self.write_repr(key, out, depth + 1)?;
            out.push_str(": ");
            self.write_repr(value, out, depth + 1)?;
        }
        out.push('}');
        Ok(())
    }

    /// Appends the text of Python's `repr`.
    pub(super) fn write_repr(&self, value: &Val, out: &mut String, depth: usize) -> Res<()> {
        if depth > MAX_DEPTH {
            return Err(Fault::Raised(
                Exception::RecursionError,
                "maximum recursion depth exceeded".into(),
            ));
        }
        if out.len() > ordain_source::limits::most_text() {
            return Err(Fault::Raised(Exception::MemoryError, "a text is too long".into()));
        }
        match value {
            Val::Undefined(_) => out.push_str("Undefined"),
            Val::None => out.push_str("None"),
            Val::Bool(true) => out.push_str("True"),
            Val::Bool(false) => out.push_str("False"),
            Val::Int(number) => write!(out, "{number}").map_err(memory)?,
            Val::Big(number) => write!(out, "{number}").map_err(memory)?,
            Val::Float(number) => out.push_str(&float_text(*number)),
            Val::Str(text) => out.push_str(&repr_python(text)),
            Val::Markup(text) => {
                write!(out, "Markup({})", repr_python(text)).map_err(memory)?;
            }
            Val::Bytes(bytes) => write_bytes(bytes, out),
            Val::List(found) => match found.try_borrow() {
                Ok(items) => {
                    out.push('[');
                    self.write_items(&items, out, depth)?;
                    out.push(']');
                }
                Err(_) => out.push_str("[...]"),
            },
            Val::Tuple(found) => {
                out.push('(');
                self.write_items(&found.items, out, depth)?;
                out.push_str(if found.items.len() == 1 { ",)" } else { ")" });
            }
            Val::Dict(found) => self.write_dict(&found.borrow(), out, depth)?,
            Val::Iterator(found) => {
                let (kind, function) = (found.type_name, found.function);
                if function.is_empty() {
                    write!(out, "<{kind} object at {ADDRESS}>").map_err(memory)?;
                } else {
                    write!(out, "<{kind} object {function} at {ADDRESS}>").map_err(memory)?;
                }
            }
            Val::Proxy(found) => match &found.value {
                Value::Object(object) => out.push_str(&object.handed),
                _ => {
                    out.push('@');
                    found.value.write_repr(out, &*self.model);
                }
            },
            Val::Object(found) => self.write_object(found, out, depth)?,
        }
        Ok(())
    }

    fn write_items(&self, items: &[Val], out: &mut String, depth: usize) -> Res<()> {
        for (index, item) in items.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            self.write_repr(item, out, depth + 1)?;
        }
        Ok(())
    }

    fn write_object(&self, object: &Object, out: &mut String, depth: usize) -> Res<()> {
        match object {
            Object::Range { start, stop, step: 1 } => write!(out, "range({start}, {stop})"),
            Object::Range { start, stop, step } => write!(out, "range({start}, {stop}, {step})"),
            Object::Function(name @ ("range" | "dict")) => write!(out, "<class '{name}'>"),
            Object::Function("cycler") => write!(out, "<class 'jinja2.utils.Cycler'>"),
            Object::Function("joiner") => write!(out, "<class 'jinja2.utils.Joiner'>"),
            Object::Function("namespace") => write!(out, "<class 'jinja2.utils.Namespace'>"),
            Object::Function(_) => write!(out, "<function generate_lorem_ipsum at {ADDRESS}>"),
            Object::Method(value, name) => {
                write!(out, "<built-in method {name} of {} object at {ADDRESS}>", value.type_name())
            }
            Object::ProxyMethod(_, name) => write!(out, "@<built-in method {name}>"),
            Object::Macro(found) => match &found.node.name {
                Some(name) => write!(out, "<Macro {}>", repr_python(name)),
                None => write!(out, "<Macro anonymous>"),
            },
            Object::Loop(state) => {
                let length = state.length.get().map_or_else(|| "?".into(), |n| n.to_string());
                write!(out, "<LoopContext {}/{length}>", state.index0.get() + 1)
            }
            Object::Cycler { .. } => write!(out, "<jinja2.utils.Cycler object at {ADDRESS}>"),
            Object::Joiner { .. } => write!(out, "<jinja2.utils.Joiner object at {ADDRESS}>"),
            Object::Namespace(entries) => {
                out.push_str("<Namespace ");
                self.write_repr(&Val::dict(entries.borrow().clone()), out, depth + 1)?;
                out.push('>');
                Ok(())
            }
            Object::Module { name, .. } => write!(out, "<TemplateModule {}>", repr_python(name)),
            Object::Block { .. } => {
                write!(out, "<jinja2.runtime.BlockReference object at {ADDRESS}>")
            }
            Object::Blocks(context) => {
                write!(out, "<TemplateReference {}>", repr_python(&context.name))
            }
            Object::View(view, dict) => return self.write_view(*view, dict, out, depth),
            Object::Model(name) => write!(out, "@{name}"),
            Object::Plugin(name) => write!(out, "@{name}"),
            Object::Null => write!(out, "null"),
            Object::Slice(start, stop, step) => {
                out.push_str("slice(");
                self.write_items(&[start.clone(), stop.clone(), step.clone()], out, depth)?;
                out.push(')');
                Ok(())
            }
            Object::Set(found) => {
                let items: Vec<Val> = found.borrow().values().cloned().collect();
                if items.is_empty() {
                    out.push_str("set()");
                } else {
                    out.push('{');
                    self.write_items(&items, out, depth)?;
                    out.push('}');
                }
                Ok(())
            }
        }
        .map_err(memory)
    }

    fn write_view(&self, view: View, dict: &Val, out: &mut String, depth: usize) -> Res<()> {
        if let Val::Proxy(found) = dict
            && !found.is_argument
        {
            let shown = match view {
                View::Keys => "@dict_keys(",
                View::Values => "@dict_values(",
                View::Items => "@dict_items(",
            };
            out.push_str(shown);
            let Value::Dict(entries) = &found.value else { return Ok(()) };
            let items = entries.iter().map(|(key, value)| match view {
                View::Keys => Val::Str(key.clone()),
                View::Values => plain(value),
                View::Items => Val::tuple(vec![Val::Str(key.clone()), plain(value)]),
            });
            self.write_repr(&Val::list(items.collect()), out, depth + 1)?;
            out.push(')');
            return Ok(());
        }
        let name = match (view, matches!(dict, Val::Proxy(_))) {
            (View::Keys, false) => "dict_keys",
            (View::Values, false) => "dict_values",
            (View::Items, false) => "dict_items",
            (View::Keys, true) => "KeysView",
            (View::Values, true) => "ValuesView",
            (View::Items, true) => "ItemsView",
        };
        out.push_str(name);
        out.push('(');
        match dict {
            Val::Dict(found) => {
                let entries = found.borrow();
                let items: Vec<Val> = entries
                    .map
                    .values()
                    .map(|(key, value)| match view {
                        View::Keys => key.clone(),
                        View::Values => value.clone(),
                        View::Items => Val::tuple(vec![key.clone(), value.clone()]),
                    })
                    .collect();
                out.push('[');
                self.write_items(&items, out, depth)?;
                out.push(']');
            }
            other => self.write_repr(other, out, depth + 1)?,
        }
        out.push(')');
        Ok(())
    }

    /// Escapes a value for HTML, unless it is escaped already.
    pub(super) fn escaped(&mut self, value: &Val) -> Res<EcoString> {
        if let Val::Markup(text) = value {
            return Ok(text.clone());
        }
        if let Val::Object(found) = value
            && let Object::Module { text, .. } = &**found
        {
            return Ok(text.clone());
        }
        let text = self.text(value)?;
        if !text.contains(['&', '<', '>', '"', '\'']) {
            return Ok(text);
        }
        self.text_fits(text.len())?;
        let mut out = EcoString::with_capacity(text.len() + 16);
        for c in text.chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&#34;"),
                '\'' => out.push_str("&#39;"),
                c => out.push(c),
            }
        }
        Ok(out)
    }
}

/// Converts a value of the model without a proxy.
pub(super) fn plain(value: &Value) -> Val {
    match value {
        Value::Null => Val::object(Object::Null),
        Value::Bool(truth) => Val::Bool(*truth),
        Value::Int(number) => Val::Int(*number),
        Value::BigInt(number) => Val::Big(number.clone()),
        Value::Float(number) => Val::Float(*number),
        Value::Str(text) => Val::Str(text.clone()),
        Value::List(items) => Val::list(items.iter().map(plain).collect()),
        Value::Dict(items) => {
            let mut entries = Entries::default();
            items.iter().for_each(|(key, value)| entries.set(key, plain(value)));
            Val::dict(entries)
        }
        other => Val::Proxy(Rc::new(Proxy {
            value: other.clone(),
            path: EcoString::new(),
            is_argument: false,
        })),
    }
}

fn memory(_: std::fmt::Error) -> Fault {
    Fault::Raised(Exception::MemoryError, String::new())
}

/// Bytes as Python's `repr` writes them.
fn write_bytes(bytes: &[u8], out: &mut String) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    out.push('b');
    out.push(quote);
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b if *b == quote as u8 => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(char::from(*byte)),
            b => {
                // Writing to a string never fails.
                let _ = write!(out, "\\x{b:02x}");
            }
        }
    }
    out.push(quote);
}
