//! Lists and hashes that both the compile and the `ruby` process have.
//!
//! Ruby code changes values in place, and all that hold them see it. So each list and hash that it
//! is lent has a number: the process tells what is in those that it has changed before Puppet code
//! goes on, and the new values take the place of the old ones. What comes back by its number is the
//! same value as before. `lent.rb` is the other end.

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

use super::answers::text;
use super::wire::MARK;
use crate::catalog::ResourceId;
use crate::eval::Compiler;
use crate::eval::budget::address;
use crate::eval::error::{EvalResult, plain as fail};
use crate::eval::lent::{Change, Changed, is_same, parts};
use crate::eval::scope::ScopeId;
use crate::value::{HashValue, Value};

/// How many numbers the process may leave out.
const MAX_GAP: usize = 1 << 12;

/// The values that the process has.
#[derive(Default)]
pub(super) struct Lent {
    parts: Vec<Part>,
    /// The numbers of the first of them by their addresses.
    numbers: FxHashMap<usize, usize>,
    numbered: usize,
    /// What nothing may change, once that is asked, with the numbers that the process knows it by.
    fixed: Option<FxHashMap<usize, Option<usize>>>,
    sent: usize,
}

/// A list or hash.
struct Part {
    /// Something else where the process has a list that is none here.
    value: Value,
    /// The resource whose code lent it.
    within: Option<ResourceId>,
}

impl Lent {
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Forgets the last ones.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.parts.len() {
            self.parts.truncate(len);
            self.renumber();
        }
    }

    /// Another process hears of everything anew.
    pub(super) fn begin(&mut self) {
        self.sent = 0;
        self.fixed.iter_mut().flat_map(FxHashMap::values_mut).for_each(|number| *number = None);
    }

    pub(super) fn get(&self, number: Option<u64>) -> Option<&Value> {
        let part = self.parts.get(usize::try_from(number?).ok()?)?;
        address(&part.value).map(|_| &part.value)
    }

    fn renumber(&mut self) {
        self.numbers.clear();
        self.numbered = 0;
    }

    fn index(&mut self) {
        for (number, part) in self.parts.iter().enumerate().skip(self.numbered) {
            if let Some(address) = address(&part.value) {
                self.numbers.entry(address).or_insert(number);
            }
        }
        self.numbered = self.parts.len();
    }
}

/// How many hold a list or hash, or a secret one.
fn holders(value: &Value) -> usize {
    match value {
        Value::Array(items) => Arc::strong_count(items),
        Value::Hash(entries) => Arc::strong_count(entries),
        Value::Sensitive(inner) => Arc::strong_count(inner),
        _ => 0,
    }
}

/// Whether anything else holds a part of a value.
fn is_shared(value: &Value) -> bool {
    holders(value) > 1 || parts(value).any(is_shared)
}

impl Compiler<'_> {
    /// Values for Ruby code, which may change them: the number of the first list or hash in them,
    /// and the values. Without a number nothing else holds them.
    pub(super) fn lend(&mut self, values: &[Value], scope: ScopeId) -> (Json, Vec<Json>) {
        if !values.iter().any(is_shared) {
            return self.lend_copies(values);
        }
        self.ruby.lent.index();
        let base = self.ruby.lent.len();
        let within = self.domain(scope);
        (json!(base), values.iter().map(|value| self.lend_part(value, within)).collect())
    }

    /// Runs a request; what it lends is given back when it ends.
    pub(super) fn lending<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.ruby.lent.len();
        let result = work(self);
        self.ruby.lent.truncate(before);
        result
    }

    /// Values for Ruby code that gets copies.
    pub(super) fn lend_copies(&mut self, values: &[Value]) -> (Json, Vec<Json>) {
        (Json::Null, values.iter().map(|value| self.pack_value(value)).collect())
    }

    /// The value of a variable, as an answer.
    pub(super) fn lend_variable(
        &mut self,
        value: Value,
        scope: ScopeId,
        name: &str,
    ) -> (Json, Json) {
        if let (Value::Str(text), true) = (&value, self.is_fixed(scope, name)) {
            return (Json::Null, json!({ MARK: "frozen", "v": text.as_str() }));
        }
        let of = self.scope_of(scope, name).unwrap_or(scope);
        let (base, mut values) = self.lend(&[value], of);
        (base, values.pop().unwrap_or_default())
    }

    fn lend_part(&mut self, value: &Value, within: Option<ResourceId>) -> Json {
        if let Value::Str(text) = value {
            return Json::String(text.as_str().to_owned());
        }
        if let Some(address) = address(value)
            && holders(value) > 1
        {
            if let Some(packed) = self.lend_fixed(value, address) {
                return packed;
            }
            if let Some(number) = self.ruby.lent.numbers.get(&address) {
                return json!({ MARK: "lent", "n": number });
            }
            let number = self.ruby.lent.len();
            self.ruby.lent.numbers.insert(address, number);
        }
        match value {
            Value::Array(items) => {
                self.ruby.lent.parts.push(Part { value: value.clone(), within });
                items.iter().map(|item| self.lend_part(item, within)).collect()
            }
            Value::Hash(entries) => {
                self.ruby.lent.parts.push(Part { value: value.clone(), within });
                self.lend_entries(entries, within)
            }
            Value::Iterator(iterator) => {
                self.ruby.lent.parts.push(Part { value: Value::Undef, within });
                iterator.items.iter().map(|item| self.lend_part(item, within)).collect()
            }
            Value::Sensitive(inner) => {
                json!({ MARK: "sensitive", "v": self.lend_part(inner, within) })
            }
            other => self.pack_value(other),
        }
    }

    fn lend_entries(&mut self, entries: &HashValue, within: Option<ResourceId>) -> Json {
        if entries.keys().all(|key| key.as_str().is_some_and(|key| key != MARK)) {
            let mut out = Map::with_capacity(entries.len());
            for (key, value) in entries {
                let key = key.as_str().unwrap_or_default().to_owned();
                out.insert(key, self.lend_part(value, within));
            }
            return Json::Object(out);
        }
        let mut pairs = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            pairs.push(json!([self.pack_value(key), self.lend_part(value, within)]));
        }
        json!({ MARK: "hash", "v": pairs })
    }

    /// Facts and what else no code may change; the process keeps it.
    fn lend_fixed(&mut self, value: &Value, address: usize) -> Option<Json> {
        if self.ruby.lent.fixed.is_none() {
            let fixed = self.fixed_parts().into_iter().map(|address| (address, None));
            self.ruby.lent.fixed = Some(fixed.collect());
        }
        let lent = &mut self.ruby.lent;
        let known = lent.fixed.as_mut()?.get_mut(&address)?;
        if let Some(number) = known {
            return Some(json!({ MARK: "frozen", "n": number }));
        }
        let number = lent.sent;
        *known = Some(number);
        lent.sent += 1;
        Some(json!({ MARK: "frozen", "n": number, "v": self.pack_value(value) }))
    }

    /// Takes note of what Ruby code gave and goes on to hold.
    pub(super) fn note_given(&mut self, given: Vec<(usize, Value)>, scope: ScopeId) {
        let within = self.domain(scope);
        for (number, value) in given {
            let parts = &mut self.ruby.lent.parts;
            // The process counts on from what it was lent; of a question that failed before it was
            // sent it has counted some, too.
            if (parts.len()..parts.len() + MAX_GAP).contains(&number) {
                parts.resize_with(number, || Part { value: Value::Undef, within });
                parts.push(Part { value, within });
            }
        }
    }

    /// Hears what Ruby code has changed: what is in lists and hashes now, by their numbers, and the
    /// texts of variables.
    pub(super) fn answer_changed(&mut self, args: &[Json]) -> EvalResult<Json> {
        let cost = self.ruby.lent.len() + self.scopes.ids().count() + self.catalog.resources.len();
        self.spend(cost as u64 / 64 + 1)?;
        for told in args.get(1).and_then(Json::as_array).into_iter().flatten() {
            self.change_text(told.as_array().map_or(&[][..], Vec::as_slice))?;
        }
        let told = args.first().and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let contents = told.iter().filter_map(|pair| {
            let number = usize::try_from(pair.get(0)?.as_u64()?).ok()?;
            Some((number, pair.get(1)?))
        });
        let contents: FxHashMap<usize, &Json> = contents.collect();
        let mut numbers: Vec<usize> = contents.keys().copied().collect();
        numbers.sort_unstable();
        let mut found = Vec::new();
        let (done, open) = Default::default();
        let mut remade = Remade { compiler: self, contents, done, open };
        for number in numbers {
            // What has no form in manifests stays as it was.
            let Ok(value) = remade.value(number) else { continue };
            let Some(part) = remade.compiler.ruby.lent.parts.get(number) else { continue };
            if let Some(old) = address(&part.value)
                && address(&value) != Some(old)
            {
                found.push((old, Change { value, within: part.within }));
            }
        }
        for (_, change) in &found {
            self.weigh(&change.value)?;
        }
        let changed: Changed = found.into_iter().collect();
        let mut parts = std::mem::take(&mut self.ruby.lent.parts);
        let others = parts.iter_mut().map(|part| (&mut part.value, part.within));
        self.replace_changed(&changed, others);
        self.ruby.lent.parts = parts;
        self.ruby.lent.renumber();
        Ok(Json::Null)
    }

    fn change_text(&mut self, told: &[Json]) -> EvalResult<()> {
        let scope = self.told_scope(told)?;
        let name = text(told, 1);
        let Some(of) = self.scope_of(scope, name) else { return Ok(()) };
        let Ok(value) = self.unpack_value(told.get(2).unwrap_or(&Json::Null)) else {
            return Ok(());
        };
        self.weigh(&value)?;
        let name = name.rsplit_once("::").map_or(name, |(_, name)| name);
        self.replace_text(of, EcoString::from(name), value);
        Ok(())
    }
}

/// Makes values of what is in lists and hashes now, the same ones of those that have not changed.
struct Remade<'a, 'e> {
    compiler: &'a Compiler<'e>,
    contents: FxHashMap<usize, &'a Json>,
    done: FxHashMap<usize, Value>,
    open: FxHashSet<usize>,
}

impl Remade<'_, '_> {
    fn value(&mut self, number: usize) -> EvalResult {
        if let Some(done) = self.done.get(&number) {
            return Ok(done.clone());
        }
        let Some(part) = self.compiler.ruby.lent.parts.get(number) else {
            return fail("the Ruby code gives a list that it got in another call");
        };
        let old = part.value.clone();
        let Some(&content) = self.contents.get(&number) else { return Ok(old) };
        // A list may have become a part of itself.
        if !self.open.insert(number) {
            return fail("stack level too deep");
        }
        let made = self.build(content);
        self.open.remove(&number);
        let made = made?;
        let value = if is_same(&old, &made) { old } else { made };
        self.done.insert(number, value.clone());
        Ok(value)
    }

    fn build(&mut self, data: &Json) -> EvalResult {
        match data {
            Json::Array(items) => {
                let items: EvalResult<Vec<_>> = items.iter().map(|item| self.build(item)).collect();
                Ok(Value::array(items?))
            }
            Json::Object(entries) => match entries.get(MARK).and_then(Json::as_str) {
                None => {
                    let mut out = HashValue::default();
                    for (key, value) in entries {
                        out.insert(Value::str(key.as_str()), self.build(value)?);
                    }
                    Ok(Value::Hash(Arc::new(out)))
                }
                Some("hash") => {
                    let mut out = HashValue::default();
                    for pair in data["v"].as_array().into_iter().flatten() {
                        out.insert(self.compiler.unpack_value(&pair[0])?, self.build(&pair[1])?);
                    }
                    Ok(Value::Hash(Arc::new(out)))
                }
                Some("sensitive") => Ok(Value::Sensitive(Arc::new(self.build(&data["v"])?))),
                Some("lent") => match data["n"].as_u64().and_then(|n| usize::try_from(n).ok()) {
                    Some(number) => self.value(number),
                    None => fail("the Ruby code gives a list without its number"),
                },
                Some(_) => self.compiler.unpack_value(data),
            },
            other => self.compiler.unpack_value(other),
        }
    }
}
