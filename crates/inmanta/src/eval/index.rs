//! Indexes: instances by the values of attributes.

use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::net::Net;
use super::state::ids::{Place, ScopeId};
use super::state::index::{IndexKey, Part};
use super::state::unit::{Requires, Values};
use crate::diagnostics::{Class, Error, Result};
use crate::model::program::AttributeKind;
use crate::symbol::Symbol;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::types::Type;
use crate::value::{InstanceId, Value, VarId, string_repr};

fn hash(key: &IndexKey) -> u64 {
    FxBuildHasher.hash_one(key)
}

impl Net<'_> {
    /// The instance that has a key.
    fn indexed(&self, owner: u32, key: &IndexKey) -> Option<InstanceId> {
        let index = &self.indexes[owner as usize];
        let &(instance, number) = index.first.get(&hash(key))?;
        if number == key.0 && self.has_key(instance, key) {
            return Some(instance);
        }
        index.others.get(key).copied()
    }

    fn insert(&mut self, owner: u32, key: IndexKey, instance: InstanceId) {
        let index = &mut self.indexes[owner as usize];
        match index.first.entry(hash(&key)) {
            Entry::Vacant(free) => {
                free.insert((instance, key.0));
            }
            // The instance is in the index already.
            Entry::Occupied(taken) if *taken.get() == (instance, key.0) => {}
            Entry::Occupied(_) => {
                index.others.insert(key, instance);
            }
        }
    }

    /// Whether an instance has the values of a key.
    fn has_key(&self, instance: InstanceId, key: &IndexKey) -> bool {
        let names = &self.program.index_lists[key.0 as usize];
        names.iter().zip(&key.1).all(|(name, part)| {
            self.slot_var(instance, *name).is_some_and(|var| {
                let var = &self.vars[var.0 as usize];
                var.is_ready() && self.part(var.value()) == *part
            })
        })
    }

    fn part(&self, value: &Value) -> Part {
        match value {
            Value::Null => Part::Null,
            Value::Bool(b) => Part::Bool(*b),
            Value::Int(n) => Part::Int(*n),
            Value::Float(x) => Part::Float(x.to_bits()),
            Value::Str(text) => Part::Str(text.clone()),
            Value::Instance(id) => Part::Instance(*id),
            Value::Unknown(unknown) => Part::Unknown(std::rc::Rc::as_ptr(unknown).addr()),
            _ => Part::Other(value.repr(self).into()),
        }
    }

    fn part_text(&self, part: &Part) -> String {
        match part {
            Part::Null => "null".into(),
            Part::Bool(b) => if *b { "True" } else { "False" }.into(),
            Part::Int(n) => n.to_string(),
            Part::Float(bits) => crate::value::float_text(f64::from_bits(*bits)),
            Part::Str(text) => string_repr(text),
            Part::Instance(id) => Value::Instance(*id).repr(self),
            Part::Other(text) => text.to_string(),
            Part::Unknown(_) => "<inmanta.execute.util.Unknown object>".into(),
        }
    }

    /// The key as errors show it.
    pub(super) fn key_text(&self, key: &IndexKey) -> String {
        let names = &self.program.index_lists[key.0 as usize];
        let parts = names
            .iter()
            .zip(&key.1)
            .map(|(name, part)| format!("{}={}", self.program.name(*name), self.part_text(part)));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Adds an instance to the indexes of its entity and its ancestors.
    pub(super) fn enter(&mut self, instance: InstanceId) -> Result<()> {
        let entity = self.instances[instance.0 as usize].entity;
        for i in 0..self.program.entities[entity as usize].indexed.len() {
            let owner = self.program.entities[entity as usize].indexed[i];
            for j in 0..self.program.entities[owner as usize].indexes.len() {
                let number = self.program.entities[owner as usize].indexes[j];
                self.enter_one(instance, owner, number)?;
            }
        }
        Ok(())
    }

    fn enter_one(&mut self, instance: InstanceId, owner: u32, number: u32) -> Result<()> {
        let mut parts = SmallVec::new();
        for name in &self.program.index_lists[number as usize] {
            let Some(var) = self.slot_var(instance, *name) else { return Ok(()) };
            let var = &self.vars[var.0 as usize];
            if !var.is_ready() {
                return Ok(());
            }
            parts.push(self.part(var.value()));
        }
        let key: IndexKey = (number, parts);
        if let Some(other) = self.indexed(owner, &key)
            && other != instance
        {
            let message = format!("Duplicate key in index. {}", self.key_text(&key));
            let mut error = Error::new(Class::Duplicate, message);
            error.location = self.last_place(instance);
            error.other = self.last_place(other);
            return Err(error);
        }
        let waiting = self.missing[owner as usize].shift_remove(&key);
        self.insert(owner, key, instance);
        for (target, expr) in waiting.into_iter().flatten() {
            self.set(target, &Value::Instance(instance), Place::expr(expr), true)?;
        }
        Ok(())
    }

    /// The place of the last constructor of an instance.
    pub(super) fn last_place(&self, instance: InstanceId) -> Option<crate::location::Location> {
        self.instances[instance.0 as usize].places.last().map(|place| self.location(*place))
    }

    /// Looks in an index.
    pub(super) fn look_up(
        &mut self,
        entity: u32,
        query: &[(Symbol, Value)],
        expr: ExprId,
        target: Option<VarId>,
    ) -> Result<Option<InstanceId>> {
        let place = Place::expr(expr);
        let mut sorted: Vec<&(Symbol, Value)> = query.iter().collect();
        sorted.sort_by(|a, b| self.program.name(a.0).cmp(self.program.name(b.0)));
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let name = self.program.name(twice[0].0);
            let message = format!("Attribute {name} provided twice in index lookup");
            return Err(self.error_at(place, Error::new(Class::Runtime, message)));
        }
        let list = |number: &u32| &self.program.index_lists[*number as usize];
        let number = self.program.entities[entity as usize].indexes.iter().find(|number| {
            let names = list(number);
            names.len() == sorted.len() && names.iter().zip(&sorted).all(|(a, b)| *a == b.0)
        });
        let Some(&number) = number else {
            return Err(self.no_index(entity, query, place));
        };
        let mut parts = SmallVec::new();
        for (name, value) in sorted {
            parts.push(self.coerced(entity, *name, value, place)?);
        }
        let key: IndexKey = (number, parts);
        let found = self.indexed(entity, &key);
        let Some(target) = target else { return Ok(found) };
        match found {
            Some(instance) => self.set(target, &Value::Instance(instance), place, true)?,
            None => self.missing[entity as usize].entry(key).or_default().push((target, expr)),
        }
        Ok(found)
    }

    fn no_index(&self, entity: u32, query: &[(Symbol, Value)], place: Place) -> Box<Error> {
        let query: Vec<String> = query
            .iter()
            .map(|(name, value)| {
                format!("({}, {})", string_repr(self.program.name(*name)), value.repr(self))
            })
            .collect();
        let message = format!(
            "No index defined on {} for this lookup: [{}]",
            self.program.entities[entity as usize].full_name,
            query.join(", ")
        );
        self.error_at(place, Error::new(Class::NotFound, message))
    }

    /// The value of a key: integers are converted if the attribute is a float.
    fn coerced(&self, entity: u32, name: Symbol, value: &Value, place: Place) -> Result<Part> {
        if let Value::Reference(_) = value {
            let message = format!(
                "Invalid value `{}` in index for attribute {}: references can not be used in \
                 indexes.",
                value.text(self),
                self.program.name(name)
            );
            return Err(self.error_at(place, Error::new(Class::Typing, message)));
        }
        let attribute = self.program.attribute(entity, name);
        let ty = attribute.map(|id| {
            let ty = self.program.attributes[id as usize].ty;
            match self.program.types.get(ty) {
                Type::Nullable(inner) => self.program.types.get(*inner),
                ty => ty,
            }
        });
        let is_null = matches!(value, Value::Null);
        if ty != Some(&Type::Float) || value.is_unknown() || is_null {
            return Ok(self.part(value));
        }
        match super::operators::to_float(value) {
            Some(found) => Ok(self.part(&found)),
            None => {
                let message = format!("Failed to cast '{}' to float", value.text(self));
                Err(Error::new(Class::Runtime, message))
            }
        }
    }

    /// Runs an index lookup.
    pub(super) fn run_lookup(
        &mut self,
        expr: ExprId,
        target: VarId,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let ExprKind::Lookup(lookup) = self.program.ast.exprs[expr].kind else { return Ok(()) };
        let place = Place::expr(expr);
        let node = self.program.ast.lookups[lookup].clone();
        let mut values = Values { values: SmallVec::new(), at: 0 };
        for var in requires {
            values.values.push(self.get(*var, place)?);
        }
        let mut query: Vec<(Symbol, Value)> = Vec::new();
        for (name, value) in
            node.names.iter().zip(self.program.ast.lists.list(node.values).to_vec())
        {
            query.push((*name, self.execute(value, scope, &mut values)?));
        }
        let mut entity = node.entity;
        if let Some((root, relation)) = node.root {
            let object = self.execute(root, scope, &mut values)?;
            let (end, found) = self.inverse(expr, &object, relation)?;
            query.insert(0, (end, object));
            entity = Some(found);
        }
        for splat in self.program.ast.lists.list(node.splats).to_vec() {
            if let Value::Dict(dict) = self.execute(splat, scope, &mut values)? {
                for (name, value) in dict.iter() {
                    query.push((self.program.ast.symbols.intern(name), value.clone()));
                }
            }
        }
        let Some(entity) = entity else { return Ok(()) };
        self.look_up(entity, &query, expr, Some(target)).map(|_| ())
    }

    /// The inverse of an object's relation, and the entity at that end.
    fn inverse(&self, expr: ExprId, object: &Value, relation: Symbol) -> Result<(Symbol, u32)> {
        let fail =
            |message: String| self.error_at(Place::expr(expr), Error::new(Class::Typing, message));
        let Value::Instance(instance) = object else {
            return Err(fail(format!(
                "short index lookup is only possible one objects, {} is not an object",
                object.text(self)
            )));
        };
        let entity = self.instances[instance.0 as usize].entity;
        let attribute = self.program.attribute(entity, relation);
        let found = attribute.map(|id| &self.program.attributes[id as usize]);
        let (end, found) = match found {
            Some(found) => match found.kind {
                AttributeKind::Relation { end, .. } => (end, found),
                AttributeKind::Plain => {
                    return Err(fail(format!(
                        "short index lookup is only possible on relations, {} is an attribute",
                        self.program.name(relation)
                    )));
                }
            },
            None => {
                return Err(fail(
                    "short index lookup is only possible on relations, None is an attribute".into(),
                ));
            }
        };
        let Some(end) = end else {
            let full = &self.program.entities[found.entity as usize].full_name;
            return Err(fail(format!(
                "short index lookup is only possible on bi-drectional relations, {full}.{} is \
                 unidirectional",
                self.program.name(relation)
            )));
        };
        let Type::Entity(target) = *self.program.types.get(found.internal) else {
            return Err(fail("the relation leads nowhere".into()));
        };
        Ok((self.program.attributes[end as usize].name, target))
    }
}
