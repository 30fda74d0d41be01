//! The changes that Ruby code makes to its arguments.
//!
//! Values are shared and immutable here, but Ruby mutates lists, hashes and texts in place, visibly
//! for all their holders. Templates get copies that know their originals. When a copy has changed,
//! the new value replaces the original in all variables and parameters that hold it. The `ruby`
//! process reports its changes itself (`process_values.rs`).

use std::sync::Arc;

use ecow::EcoString;
use ordain_ruby::{HostError, Value as Ruby};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::{ParamSource, ResourceId};
use crate::error::EvalResult;
use crate::plugins::convert::{MAX_NESTING, from_ruby, raised, to_ruby};
use crate::state::Compiler;
use crate::state::budget::{MAX_WEIGHT, Size, address};
use crate::state::scope::{RESERVED, ScopeKind};
use crate::state::templates::FixedCopies;
use crate::value::closure::ScopeId;
use crate::value::{HashValue, Value};

/// The values that a template was given.
#[derive(Default)]
pub(crate) struct RubyMutations {
    roots: Vec<Root>,
    /// The copies of lists and hashes with several references, by their address.
    copies: FxHashMap<usize, Ruby>,
    /// The addresses of immutable lists and hashes, once they are needed.
    fixed: Option<FxHashSet<usize>>,
    is_changed: bool,
}

/// The number of recent values among which an argument that was passed before is searched.
const RECENT: usize = 8;

/// A value that was asked for.
struct Root {
    /// Held so that the addresses of its parts are not reused.
    value: Value,
    copy: Ruby,
    scope: ScopeId,
    /// The variable it is the value of.
    name: Option<EcoString>,
}

impl Root {
    fn is_same(&self, other: &Self) -> bool {
        address(&self.value).is_some_and(|number| address(&other.value) == Some(number))
            && (self.scope, &self.name) == (other.scope, &other.name)
    }
}

impl RubyMutations {
    /// The copy of a value for a template.
    pub(crate) fn share(
        &mut self,
        compiler: &Compiler<'_>,
        value: Value,
        scope: ScopeId,
        name: Option<&str>,
    ) -> Ruby {
        if !matches!(value, Value::Str(_) | Value::Array(_) | Value::Hash(_) | Value::Iterator(_)) {
            return to_ruby(&value);
        }
        let is_fixed = name.is_some_and(|name| compiler.is_fixed(scope, name));
        let held = value.clone();
        let copy = self.copy(&held, is_fixed, &mut compiler.templates.fixed_copies());
        let root = Root { value, copy: copy.clone(), scope, name: name.map(Into::into) };
        if !self.roots.iter().rev().take(RECENT).any(|other| other.is_same(&root)) {
            self.roots.push(root);
        }
        copy
    }

    /// Copies a value. Facts are large and many templates ask for them, so the copies of immutable
    /// values serve all templates of a compile.
    fn copy(&mut self, value: &Value, is_fixed: bool, fixed: &mut FixedCopies) -> Ruby {
        let holders = match value {
            Value::Array(items) => Arc::strong_count(items),
            Value::Hash(entries) => Arc::strong_count(entries),
            Value::Str(text) if is_fixed => return Ruby::str(text.clone()).frozen(),
            Value::Str(text) => return Ruby::str(text.clone()).shared(0),
            other => return to_ruby(other),
        };
        let number = address(value).unwrap_or_default();
        if holders > 1 {
            let known = fixed.get(&number).map(|(_, copy)| copy);
            if let Some(copy) = known.or_else(|| self.copies.get(&number)) {
                return copy.clone();
            }
        }
        let copy = match value {
            Value::Array(items) => {
                Ruby::array(items.iter().map(|item| self.copy(item, is_fixed, fixed)).collect())
            }
            Value::Hash(entries) => Ruby::hash(
                entries
                    .iter()
                    .map(|(k, v)| (self.key(k, is_fixed, fixed), self.copy(v, is_fixed, fixed))),
            ),
            other => to_ruby(other),
        };
        let copy = copy.shared(number);
        if holders > 1 && is_fixed {
            fixed.insert(number, (value.clone(), copy.clone()));
        } else if holders > 1 {
            self.copies.insert(number, copy.clone());
        }
        copy
    }

    /// A separate copy of a key.
    fn key(&mut self, key: &Value, is_fixed: bool, fixed: &mut FixedCopies) -> Ruby {
        match key {
            Value::Array(_) | Value::Hash(_) => self.copy(key, is_fixed, fixed),
            key => to_ruby(key),
        }
    }

    /// Reports that a copy is about to change; false if it must not.
    pub(crate) fn may_change(&mut self, compiler: &Compiler<'_>, number: usize) -> bool {
        let fixed = self.fixed.get_or_insert_with(|| compiler.fixed_parts());
        let allowed = !fixed.contains(&number);
        self.is_changed |= allowed;
        allowed
    }

    /// Writes the changes since the last call back to the compile.
    pub(crate) fn write_back(&mut self, compiler: &mut Compiler<'_>) -> EvalResult<()> {
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        // A template may call functions repeatedly, so this has a cost.
        let cost =
            self.roots.len() + compiler.scopes.ids().count() + compiler.catalog.resources.len();
        compiler.budget.spend(cost as u64 / 64 + 1)?;
        let (mut changed, mut texts) = (Changes::default(), Vec::new());
        let mut copies = FxHashMap::default();
        let mut remade = Rebuild::of(&self.roots);
        for root in &self.roots {
            // A value that Puppet cannot represent is not written back.
            let Ok(value) = remade.value(&root.copy, 0) else {
                remade.new.clear();
                continue;
            };
            compiler.budget.weigh(&value)?;
            let scope = match &root.name {
                Some(name) => compiler.scope_of(root.scope, name),
                None => Some(root.scope),
            };
            let scope = scope.unwrap_or(root.scope);
            if let (Value::Str(text), Some(name)) = (&value, &root.name)
                && root.value.as_str() != Some(text)
            {
                texts.push((scope, plain_name(name).into(), value.clone()));
            }
            let within = compiler.domain(scope);
            for (number, copy, value) in remade.new.drain(..) {
                changed.entry(number).or_insert(Change { value, within });
                copies.entry(number).or_insert(copy);
            }
        }
        drop(remade);
        for (scope, name, text) in texts {
            compiler.replace_text(scope, name, text);
        }
        compiler.replace_changed(&changed, []);
        self.follow(&changed, &copies);
        Ok(())
    }

    /// The arguments of a function call from a template. Unchanged copies become their originals
    /// again.
    pub(crate) fn give_back(&self, given: &[Ruby]) -> Result<Vec<Value>, HostError> {
        let holds_none = |value: &Ruby| !matches!(value, Ruby::Array(_) | Ruby::Hash(_));
        if given.iter().all(holds_none) {
            return given.iter().map(|value| from_ruby(value, 0)).collect();
        }
        let mut remade = Rebuild::of(&self.roots);
        given.iter().map(|value| remade.value(value, 0)).collect()
    }

    /// The copies belong to the new values from now on.
    fn follow(&mut self, changed: &Changes, copies: &FxHashMap<usize, Ruby>) {
        self.copies.extend(copies.iter().map(|(old, copy)| {
            let number = address(&changed[old].value).unwrap_or_default();
            (number, copy.clone().shared(number))
        }));
        for root in &mut self.roots {
            if let Some(change) = address(&root.value).and_then(|number| changed.get(&number)) {
                root.value = change.value.clone();
            } else if let Some(text) = root.copy.as_text() {
                root.value = Value::Str(text);
            }
        }
    }
}

/// A list or hash that has changed.
pub(crate) struct Change {
    /// The new value.
    pub(crate) value: Value,
    /// The resource whose code changed it.
    pub(crate) within: Option<ResourceId>,
}

/// The changes, by the addresses of the old values.
pub(crate) type Changes = FxHashMap<usize, Change>;

/// Builds values from copies. An unchanged copy becomes its original.
struct Rebuild<'r> {
    old: FxHashMap<usize, &'r Value>,
    /// Results by the numbers of copies, and by the addresses of other values with several
    /// references.
    done: FxHashMap<usize, (Value, Size)>,
    open: FxHashSet<usize>,
    new: Vec<(usize, Ruby, Value)>,
    /// The size of the parts of the value that is being built.
    size: Size,
}

impl<'r> Rebuild<'r> {
    fn of(roots: &'r [Root]) -> Self {
        let (done, open, new, size) = Default::default();
        let mut this = Self { old: FxHashMap::default(), done, open, new, size };
        roots.iter().for_each(|root| this.index(&root.value));
        this
    }

    fn index(&mut self, value: &'r Value) {
        let Some(number) = address(value) else { return };
        if self.old.insert(number, value).is_none() {
            parts(value).for_each(|part| self.index(part));
        }
    }

    fn value(&mut self, copy: &Ruby, depth: usize) -> Result<Value, HostError> {
        let number = copy.number();
        // A list that is being iterated holds its items once more.
        let key = number.or_else(|| copy.address_if_held(if depth == 0 { 1 } else { 3 }));
        if let Some((done, size)) = key.and_then(|key| self.done.get(&key)).cloned() {
            self.count(size, depth)?;
            return Ok(done);
        }
        // A list may have become a part of itself.
        if depth > MAX_NESTING || key.is_some_and(|key| !self.open.insert(key)) {
            return Err(too_deep());
        }
        let outer = std::mem::take(&mut self.size);
        let made = self.parts(copy, depth);
        if let Some(key) = &key {
            self.open.remove(key);
        }
        let made = made?;
        let size = self.size.around(&made);
        self.size = outer;
        self.count(size, depth)?;
        let Some(key) = key else { return Ok(made) };
        let old = self.old.get(&key);
        let value = match old {
            Some(old) if is_same(old, &made) => (*old).clone(),
            _ => made,
        };
        if old.is_some() && address(&value) != Some(key) {
            self.new.push((key, copy.clone(), value.clone()));
        }
        self.done.insert(key, (value.clone(), size));
        Ok(value)
    }

    fn count(&mut self, size: Size, depth: usize) -> Result<(), HostError> {
        self.size.add(size);
        if depth + size.height > MAX_NESTING {
            return Err(too_deep());
        }
        if self.size.weight > MAX_WEIGHT {
            let text = format!("a value with more than {MAX_WEIGHT} parts is too big");
            return Err(raised("RuntimeError", text));
        }
        Ok(())
    }

    fn parts(&mut self, copy: &Ruby, depth: usize) -> Result<Value, HostError> {
        if let Some(items) = copy.as_items() {
            let items: Result<Vec<_>, _> =
                items.iter().map(|item| self.value(item, depth + 1)).collect();
            return Ok(Value::array(items?));
        }
        let Some(pairs) = copy.as_entries() else { return from_ruby(copy, depth) };
        let mut entries = HashValue::default();
        for (key, value) in pairs {
            entries.insert(self.value(&key, depth + 1)?, self.value(&value, depth + 1)?);
        }
        Ok(Value::Hash(Arc::new(entries)))
    }
}

fn too_deep() -> HostError {
    raised("SystemStackError", "stack level too deep")
}

/// Whether a value has the very parts of another, in their order.
pub(crate) fn is_same(old: &Value, new: &Value) -> bool {
    let same = |(old, new): (&Value, &Value)| match (address(old), address(new)) {
        (None, None) => old == new,
        (old, new) => old == new,
    };
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(&**new).all(same)
        }
        (Value::Hash(old), Value::Hash(new)) => {
            let mut pairs = old.iter().zip(&**new);
            old.len() == new.len() && pairs.all(|(old, new)| old.0 == new.0 && same((old.1, new.1)))
        }
        _ => false,
    }
}

/// The items of a list and the values of a hash.
pub(crate) fn parts(value: &Value) -> impl Iterator<Item = &Value> {
    let inner = match value {
        Value::Sensitive(inner) => Some(&**inner),
        _ => None,
    };
    let items = value.as_array().unwrap_or_default();
    items.iter().chain(value.as_hash().into_iter().flat_map(HashValue::values)).chain(inner)
}

/// Visits the addresses of all lists and hashes in a value. If `enter` returns false, their parts
/// are skipped.
fn addresses(value: &Value, enter: &mut impl FnMut(usize) -> bool) {
    if address(value).is_none_or(&mut *enter) {
        parts(value).for_each(|part| addresses(part, enter));
    }
}

/// A name without its class.
fn plain_name(name: &str) -> &str {
    name.rsplit_once("::").map_or(name, |(_, name)| name)
}

/// Replaces old values by new ones.
struct Patch<'c> {
    changed: &'c Changes,
    /// The resources that got a list or hash as a parameter. Puppet copies parameters, so each
    /// resource has its own.
    given: FxHashMap<usize, FxHashSet<ResourceId>>,
    /// The owners of parameters that other code has changed, by the address of the old value.
    owners: FxHashMap<usize, ResourceId>,
    seen: FxHashMap<(Option<ResourceId>, usize), Option<Value>>,
    /// The replaced values. Holding them keeps their addresses from being reused.
    gone: Vec<Value>,
}

impl Patch<'_> {
    /// The replacement of a value in the code of a resource, if there is one.
    fn value(&mut self, value: &Value, within: Option<ResourceId>) -> Option<Value> {
        let Some(number) = address(value) else {
            let Value::Sensitive(inner) = value else { return None };
            return Some(Value::Sensitive(Arc::new(self.value(inner, within)?)));
        };
        if let Some(seen) = self.seen.get(&(within, number)) {
            return seen.clone();
        }
        let new = match self.changed.get(&number) {
            Some(change) if self.reaches(number, change.within, within) => {
                Some(change.value.clone())
            }
            _ => self.parts(value, within),
        };
        self.seen.insert((within, number), new.clone());
        new
    }

    fn parts(&mut self, value: &Value, within: Option<ResourceId>) -> Option<Value> {
        let mut new = value.clone();
        match &mut new {
            Value::Array(items) => {
                let all: Vec<_> = items.iter().map(|item| self.value(item, within)).collect();
                if all.iter().all(Option::is_none) {
                    return None;
                }
                let all = all.into_iter().zip(items.iter());
                *items = Arc::new(all.map(|(new, old)| new.unwrap_or(old.clone())).collect());
            }
            Value::Hash(entries) => {
                let all: Vec<_> = entries.values().map(|value| self.value(value, within)).collect();
                if all.iter().all(Option::is_none) {
                    return None;
                }
                let all = all.into_iter().zip(entries.iter());
                *entries = Arc::new(
                    all.map(|(new, (key, old))| (key.clone(), new.unwrap_or(old.clone())))
                        .collect(),
                );
            }
            _ => return None,
        }
        Some(new)
    }

    /// Whether code of one resource holds a value that code of another changes. The caller of a
    /// function is unknown, so functions reach everything.
    fn reaches(&self, number: usize, from: Option<ResourceId>, to: Option<ResourceId>) -> bool {
        let (Some(from), Some(to)) = (from, to) else { return true };
        if let Some(owner) = self.owners.get(&number)
            && to == *owner
        {
            return true;
        }
        let given = self.given.get(&number);
        let own = |resource| given.is_some_and(|given| given.contains(&resource));
        from == to || !own(from) && !own(to)
    }
}

impl Compiler<'_> {
    /// The addresses of all lists and hashes that come from outside, such as facts.
    pub(crate) fn fixed_parts(&self) -> FxHashSet<usize> {
        let mut fixed = FxHashSet::default();
        let top = self.scopes.get(ScopeId::TOP);
        for value in RESERVED.iter().filter_map(|name| top.get(name)) {
            addresses(value, &mut |address| fixed.insert(address));
        }
        fixed
    }

    /// Replaces the text of a variable, and of the parameter behind it.
    pub(crate) fn replace_text(&mut self, id: ScopeId, name: EcoString, text: Value) {
        self.ruby.texts_changed = true;
        let scope = self.scopes.get_mut(id);
        let old = scope.get(&name).cloned();
        scope.replace(name.clone(), text.clone());
        if matches!(scope.kind, ScopeKind::Class | ScopeKind::Define)
            && let Some(param) = self.catalog.get_mut(scope.resource).param_mut(&name)
            && Some(&param.value) == old.as_ref()
        {
            param.value = text;
        }
    }

    /// Replaces changed values in all variables, in the parameters that they belong to, and in
    /// `others`.
    pub(crate) fn replace_changed<'v>(
        &mut self,
        changed: &Changes,
        others: impl IntoIterator<Item = (&'v mut Value, Option<ResourceId>)>,
    ) {
        if changed.is_empty() {
            return;
        }
        let given = self.given(changed);
        let owners = self.owners(changed, &given);
        let (seen, gone) = Default::default();
        let mut patch = Patch { changed, given, owners, seen, gone };
        let ids: Vec<_> = self.scopes.ids().collect();
        let facts = self.scopes.get(ScopeId::TOP).get("facts").cloned().unwrap_or_default();
        let is_fixed = |id, name: &str| {
            id == ScopeId::TOP && (RESERVED.contains(&name) || facts.get(name).is_some())
        };
        for id in ids {
            let within = self.domain(id);
            let scope = self.scopes.get_mut(id);
            let has_parameters = matches!(scope.kind, ScopeKind::Class | ScopeKind::Define);
            let resource = scope.resource;
            for (name, value) in scope.variables_mut() {
                // Frozen values such as facts are large and never change.
                if is_fixed(id, name) {
                    continue;
                }
                let Some(new) = patch.value(value, within) else { continue };
                let old = std::mem::replace(value, new.clone());
                if has_parameters
                    && let Some(param) = self.catalog.get_mut(resource).param_mut(name)
                    && address(&param.value) == address(&old)
                {
                    param.value = new;
                }
                patch.gone.push(old);
            }
        }
        for (value, within) in others {
            if let Some(new) = patch.value(value, within) {
                patch.gone.push(std::mem::replace(value, new));
            }
        }
    }

    /// The owners of parameters that code of other resources changes. Such code has read the value
    /// as `$class::parameter`, if no resource of its own holds it.
    fn owners(
        &self,
        changed: &Changes,
        given: &FxHashMap<usize, FxHashSet<ResourceId>>,
    ) -> FxHashMap<usize, ResourceId> {
        let owner = |(number, given): (&usize, &FxHashSet<ResourceId>)| {
            let from = changed.get(number)?.within?;
            let declares = |id: &ResourceId| {
                self.domain(self.catalog.get(*id).scope).is_none_or(|by| by == from)
            };
            let none = given.contains(&from) || given.iter().any(declares);
            Some((*number, *given.iter().min_by_key(|id| id.0)?)).filter(|_| !none)
        };
        let mut owners: FxHashMap<usize, ResourceId> = given.iter().filter_map(owner).collect();
        if owners.is_empty() {
            return owners;
        }
        for id in self.scopes.ids() {
            let Some(within) = self.domain(id) else { continue };
            let mut seen = FxHashSet::default();
            for (_, value) in self.scopes.get(id).variables() {
                addresses(value, &mut |number| {
                    let is_other = |change: &Change| change.within != Some(within);
                    if changed.get(&number).is_some_and(is_other)
                        && !given.get(&number).is_some_and(|given| given.contains(&within))
                    {
                        owners.remove(&number);
                    }
                    seen.insert(number)
                });
            }
        }
        owners
    }

    /// The resources that hold a changed value, directly or as a part.
    fn given(&self, changed: &Changes) -> FxHashMap<usize, FxHashSet<ResourceId>> {
        let mut given: FxHashMap<usize, FxHashSet<ResourceId>> = FxHashMap::default();
        for (id, resource) in self.catalog.with_bodies() {
            let mut seen = FxHashSet::default();
            for param in &resource.params {
                if matches!(param.origin.how, ParamSource::ParameterDefault | ParamSource::Data(_))
                {
                    continue;
                }
                addresses(&param.value, &mut |number| {
                    if changed.contains_key(&number) {
                        given.entry(number).or_default().insert(id);
                    }
                    seen.insert(number)
                });
            }
        }
        given
    }
}
