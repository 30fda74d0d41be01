//! Lists and hashes that both the compile and the `ruby` process have.
//!
//! Ruby code mutates values in place, and all holders see it. So each list and hash that the
//! process gets has a number. Before Puppet code continues, the process reports the contents of
//! changed ones, and the new values replace the old ones. A value that comes back by its number is
//! the same value as before. `shared_values.rb` is the counterpart in Ruby.

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};
use std::sync::Arc;

use super::answers::text;
use super::unpack::NumberedParts;
use super::wire::{MARK, pack_entries};
use crate::catalog::ResourceId;
use crate::error::{EvalResult, plain as fail};
use crate::plugins::mutations::{Change, Changes, is_same, parts};
use crate::plugins::state::Part;
use crate::state::Compiler;
use crate::state::budget::{MAX_NESTING, address};
use crate::value::closure::ScopeId;
use crate::value::{HashValue, Value};

/// The number of references to a list or hash, also inside of a sensitive value.
fn holders(value: &Value) -> usize {
    match value {
        Value::Array(items) => Arc::strong_count(items),
        Value::Hash(entries) => Arc::strong_count(entries),
        Value::Sensitive(inner) => Arc::strong_count(inner),
        _ => 0,
    }
}

/// Whether a part of a value has other references.
fn is_shared(value: &Value) -> bool {
    holders(value) > 1 || parts(value).any(is_shared)
}

impl Compiler<'_> {
    /// Prepares values for Ruby code that may change them: the number of the first list or hash in
    /// them, and the values. Without a number, nothing else refers to them.
    pub(super) fn share(&mut self, values: &[Value], scope: ScopeId) -> (Json, Vec<Json>) {
        if !values.iter().any(is_shared) {
            return self.share_copies(values);
        }
        self.ruby.values.index();
        let base = self.ruby.values.len();
        let within = self.domain(scope);
        (json!(base), values.iter().map(|value| self.share_part(value, within)).collect())
    }

    /// Runs a request. The values that it shares are forgotten when it ends.
    pub(super) fn with_shared_values<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.ruby.values.len();
        let result = work(self);
        self.ruby.values.truncate(before);
        result
    }

    /// Values for Ruby code that gets copies.
    pub(super) fn share_copies(&mut self, values: &[Value]) -> (Json, Vec<Json>) {
        (Json::Null, values.iter().map(|value| self.pack_value(value)).collect())
    }

    /// The value of a variable, as an answer.
    pub(super) fn share_variable(
        &mut self,
        value: Value,
        scope: ScopeId,
        name: &str,
    ) -> (Json, Json) {
        if let (Value::Str(text), true) = (&value, self.is_fixed(scope, name)) {
            return (Json::Null, json!({ MARK: "frozen", "v": text.as_str() }));
        }
        let of = self.scope_of(scope, name).unwrap_or(scope);
        let (base, mut values) = self.share(&[value], of);
        (base, values.pop().unwrap_or_default())
    }

    fn share_part(&mut self, value: &Value, within: Option<ResourceId>) -> Json {
        if let Value::Str(text) = value {
            return Json::String(text.as_str().to_owned());
        }
        if let Some(address) = address(value)
            && holders(value) > 1
        {
            if let Some(packed) = self.share_fixed(value, address) {
                return packed;
            }
            if let Some(number) = self.ruby.values.numbers.get(&address) {
                return json!({ MARK: "shared", "n": number });
            }
            let number = self.ruby.values.len();
            self.ruby.values.numbers.insert(address, number);
        }
        match value {
            Value::Array(items) => {
                self.ruby.values.parts.push(Part { value: value.clone(), within });
                items.iter().map(|item| self.share_part(item, within)).collect()
            }
            Value::Hash(entries) => {
                self.ruby.values.parts.push(Part { value: value.clone(), within });
                self.share_entries(entries, within)
            }
            Value::Iterator(iterator) => {
                self.ruby.values.parts.push(Part { value: Value::Undef, within });
                iterator.items.iter().map(|item| self.share_part(item, within)).collect()
            }
            Value::Sensitive(inner) => {
                json!({ MARK: "sensitive", "v": self.share_part(inner, within) })
            }
            other => self.pack_value(other),
        }
    }

    fn share_entries(&mut self, entries: &HashValue, within: Option<ResourceId>) -> Json {
        pack_entries(entries, &mut |value| self.share_part(value, within))
    }

    /// Sends a value that no code may change, such as facts, once; the process keeps it.
    fn share_fixed(&mut self, value: &Value, address: usize) -> Option<Json> {
        if self.ruby.values.fixed.is_none() {
            let fixed = self.fixed_parts().into_iter().map(|address| (address, None));
            self.ruby.values.fixed = Some(fixed.collect());
        }
        let known = self.ruby.values.fixed.as_ref()?.get(&address)?;
        if let Some(number) = known {
            return Some(json!({ MARK: "frozen", "n": number }));
        }
        let number = self.ruby.values.sent.len();
        Some(json!({ MARK: "frozen", "n": number, "v": self.pack_fixed(value) }))
    }

    /// A part of a frozen value. The process numbers its lists and hashes in the same order.
    fn pack_fixed(&mut self, value: &Value) -> Json {
        let Some(address) = address(value) else { return self.pack_value(value) };
        let values = &mut self.ruby.values;
        let known = values.fixed.get_or_insert_default().entry(address).or_default();
        if let Some(number) = known {
            return json!({ MARK: "frozen", "n": number });
        }
        *known = Some(values.sent.len());
        values.sent.push(value.clone());
        match value {
            Value::Array(items) => items.iter().map(|item| self.pack_fixed(item)).collect(),
            Value::Hash(entries) => pack_entries(entries, &mut |value| self.pack_fixed(value)),
            other => self.pack_value(other),
        }
    }

    /// Records the values that Ruby code passed and continues to hold.
    pub(super) fn keep_arguments(&mut self, given: NumberedParts, scope: ScopeId) {
        let within = self.domain(scope);
        for (number, value) in given.into_parts() {
            self.ruby.values.set(number, Part { value, within });
        }
    }

    /// Applies the changes that Ruby code made: the contents of lists and hashes by their numbers,
    /// and the texts of variables.
    pub(super) fn answer_changed(&mut self, args: &[Json]) -> EvalResult<Json> {
        let cost =
            self.ruby.values.len() + self.scopes.ids().count() + self.catalog.resources.len();
        self.budget.spend(cost as u64 / 64 + 1)?;
        for report in args.get(1).and_then(Json::as_array).into_iter().flatten() {
            self.change_text(report.as_array().map_or(&[][..], Vec::as_slice))?;
            // The process knows.
            self.ruby.texts_changed = false;
        }
        let report = args.first().and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let contents = report.iter().filter_map(|pair| {
            let number = usize::try_from(pair.get(0)?.as_u64()?).ok()?;
            Some((number, pair.get(1)?))
        });
        let contents: FxHashMap<usize, &Json> = contents.collect();
        let mut numbers: Vec<usize> = contents.keys().copied().collect();
        numbers.sort_unstable();
        let (mut found, mut new) = (Vec::new(), Vec::new());
        let (done, open) = Default::default();
        let mut remade = Rebuild { compiler: self, contents, done, open };
        for number in numbers {
            // A value that Puppet cannot represent is not replaced.
            let Ok(value) = remade.value(number) else { continue };
            let Some(part) = remade.compiler.ruby.values.parts.get(number) else {
                new.push((number, value));
                continue;
            };
            if let Some(old) = address(&part.value)
                && address(&value) != Some(old)
            {
                found.push((old, Change { value, within: part.within }));
            }
        }
        for (_, change) in &found {
            self.budget.weigh(&change.value)?;
        }
        let changed: Changes = found.into_iter().collect();
        let mut parts = std::mem::take(&mut self.ruby.values.parts);
        let others = parts.iter_mut().map(|part| (&mut part.value, part.within));
        self.replace_changed(&changed, others);
        self.ruby.values.parts = parts;
        for (number, value) in new {
            self.ruby.values.set(number, Part { value, within: None });
        }
        self.ruby.values.renumber();
        Ok(Json::Null)
    }

    fn change_text(&mut self, report: &[Json]) -> EvalResult<()> {
        let scope = self.scope_argument(report)?;
        let name = text(report, 1);
        let Some(of) = self.scope_of(scope, name) else { return Ok(()) };
        let Ok(value) = self.unpack_value(report.get(2).unwrap_or(&Json::Null)) else {
            return Ok(());
        };
        self.budget.weigh(&value)?;
        let name = name.rsplit_once("::").map_or(name, |(_, name)| name);
        self.replace_text(of, EcoString::from(name), value);
        Ok(())
    }
}

/// Builds the values for the present contents. An unchanged list or hash stays the same value.
struct Rebuild<'a, 'e> {
    compiler: &'a Compiler<'e>,
    contents: FxHashMap<usize, &'a Json>,
    done: FxHashMap<usize, Value>,
    open: FxHashSet<usize>,
}

impl Rebuild<'_, '_> {
    fn value(&mut self, number: usize) -> EvalResult {
        if let Some(done) = self.done.get(&number) {
            return Ok(done.clone());
        }
        let old = self.compiler.ruby.values.parts.get(number).map(|part| part.value.clone());
        let Some(&content) = self.contents.get(&number) else {
            return match old {
                Some(old) => Ok(old),
                None => fail("the Ruby code gives a list that it got in another call"),
            };
        };
        // A list may have become a part of itself.
        if self.open.len() > MAX_NESTING || !self.open.insert(number) {
            return fail("stack level too deep");
        }
        let made = self.build(content);
        self.open.remove(&number);
        let made = made?;
        let value = match old {
            Some(old) if is_same(&old, &made) => old,
            _ => made,
        };
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
                        out.insert(self.build(&pair[0])?, self.build(&pair[1])?);
                    }
                    Ok(Value::Hash(Arc::new(out)))
                }
                Some("sensitive") => Ok(Value::Sensitive(Arc::new(self.build(&data["v"])?))),
                Some("shared") => match data["n"].as_u64().and_then(|n| usize::try_from(n).ok()) {
                    Some(number) => self.value(number),
                    None => fail("the Ruby code gives a list without its number"),
                },
                Some(_) => self.compiler.unpack_value(data),
            },
            other => self.compiler.unpack_value(other),
        }
    }
}
