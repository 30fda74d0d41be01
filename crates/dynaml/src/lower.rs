//! Finished documents as plain data.

use std::rc::Rc;

use ecow::EcoString;
use ordain_data::Value as Data;
use rustc_hash::FxHashMap;

use crate::output::lambda::lambda_text;
use crate::output::{Writer, unescape_key};
use crate::syntax::ast::Exprs;
use crate::value::{Flags, Item, Value};

/// The plain data of documents; shared parts stay shared. Lambdas become their printed text; nodes
/// that are marked as temporary are omitted.
pub fn data(exprs: &Exprs, documents: &[Value]) -> Vec<Data> {
    let mut lowering = Lowering { exprs, shared: FxHashMap::default(), escapes: None };
    documents.iter().map(|document| lowering.data(document)).collect()
}

/// The plain data of a printed document: escapes are resolved, too.
pub(crate) fn printed(writer: &Writer<'_>, document: &Value) -> Data {
    let escapes = Some(writer);
    Lowering { exprs: writer.exprs, shared: FxHashMap::default(), escapes }.data(document)
}

struct Lowering<'e> {
    exprs: &'e Exprs,
    /// Resolves escapes in texts and keys, if set.
    escapes: Option<&'e Writer<'e>>,
    /// Shared lists and maps, by their address and whether escapes in them are resolved.
    shared: FxHashMap<(usize, bool), Data>,
}

impl Lowering<'_> {
    fn data(&mut self, value: &Value) -> Data {
        match value {
            Value::Null => Data::Null,
            Value::Bool(b) => Data::Bool(*b),
            Value::Int(n) => Data::Int(*n),
            Value::Float(x) => Data::Float(*x),
            Value::Str(s) => match self.escapes {
                Some(writer) => Data::Str(writer.text(s).as_ref().into()),
                None => Data::Str(s.clone()),
            },
            Value::List(list) => self.once(list, |lowering, list| {
                let items = list.items.iter().filter(|i| is_shown(i));
                Data::list(items.map(|i| lowering.data(&i.value)))
            }),
            Value::Map(map) => self.once(map, |lowering, map| {
                let entries = map.entries().iter().filter(|e| is_shown(&e.1));
                Data::map(entries.map(|(k, i)| (lowering.key(k), lowering.data(&i.value))))
            }),
            Value::Lambda(lambda) => {
                Data::str(format!("(( {} ))", lambda_text(self.exprs, lambda)))
            }
            Value::Template(template) => {
                let escapes = self.escapes.take();
                let data = self.data(&template.source);
                self.escapes = escapes;
                data
            }
        }
    }

    fn key(&self, key: &EcoString) -> EcoString {
        if self.escapes.is_some() { unescape_key(key).as_ref().into() } else { key.clone() }
    }

    fn once<T>(&mut self, part: &Rc<T>, lower: impl FnOnce(&mut Self, &T) -> Data) -> Data {
        if Rc::strong_count(part) == 1 {
            return lower(self, part);
        }
        let key = (Rc::as_ptr(part).addr(), self.escapes.is_some());
        if let Some(known) = self.shared.get(&key) {
            return known.clone();
        }
        let data = lower(self, part);
        self.shared.insert(key, data.clone());
        data
    }
}

fn is_shown(item: &Item) -> bool {
    !item.flags.has_any(Flags::TEMPORARY.with(Flags::LOCAL))
}

/// Converts plain data. Integers beyond 64 bits become floats.
pub fn value(data: &Data) -> Value {
    match data {
        Data::Null => Value::Null,
        Data::Bool(b) => Value::Bool(*b),
        Data::Int(n) => Value::Int(*n),
        Data::BigInt(digits) => Value::Float(digits.parse().unwrap_or(f64::INFINITY)),
        Data::Float(x) => Value::Float(*x),
        Data::Str(s) => Value::Str(s.clone()),
        Data::Bytes(b) => Value::str(String::from_utf8_lossy(b).into_owned()),
        Data::List(items) => Value::list(items.iter().map(value)),
        Data::Map(map) => Value::map(
            map.iter().map(|(k, v)| (k.as_str().unwrap_or_default().to_owned(), value(v))),
        ),
        Data::Secret(inner) => value(inner),
    }
}
