//! Defines entities, parents first, with their attributes and inheritance.

use rustc_hash::{FxHashMap, FxHashSet};

use super::define::{duplicate, reported};
use crate::diagnostics::{Class, Error, Reporter, Result};
use crate::model::program::{Attribute, AttributeKind, DefinitionId, NamespaceId, Program};
use crate::symbol::Symbol;
use crate::syntax::ast::{AttributeDef, EntityDef, ExprId};
use crate::types::{Type, TypeId};

use super::Resolution;

/// An entity on the path of the topological sort, with its unvisited parents.
struct PendingEntity {
    index: usize,
    parents: Vec<u32>,
    next: usize,
}

impl Program {
    pub(super) fn define_entities(&mut self, defs: &[(NamespaceId, &EntityDef)]) -> Result<()> {
        let mut order = Vec::with_capacity(defs.len());
        let numbers: Vec<u32> = self
            .named
            .iter()
            .filter_map(|named| if let DefinitionId::Entity(id) = named { Some(*id) } else { None })
            .collect();
        let index_of: FxHashMap<u32, usize> =
            numbers.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let mut is_done = vec![false; defs.len()];
        for start in 0..defs.len() {
            let mut open: Vec<PendingEntity> = Vec::new();
            self.push_entity(defs, start, &mut is_done, &mut open)?;
            while let Some(top) = open.last_mut() {
                let Some(&parent) = top.parents.get(top.next) else {
                    order.push(top.index);
                    open.pop();
                    continue;
                };
                top.next += 1;
                let parent = index_of[&parent];
                if let Some(at) = open.iter().position(|o| o.index == parent) {
                    return Err(self.cycle(defs, &open[at..], &numbers));
                }
                self.push_entity(defs, parent, &mut is_done, &mut open)?;
            }
        }
        for index in order {
            let (namespace, def) = defs[index];
            self.define_entity(numbers[index], namespace, def)?;
        }
        Ok(())
    }

    fn push_entity(
        &mut self,
        defs: &[(NamespaceId, &EntityDef)],
        index: usize,
        is_done: &mut [bool],
        open: &mut Vec<PendingEntity>,
    ) -> Result<()> {
        if std::mem::replace(&mut is_done[index], true) {
            return Ok(());
        }
        let (namespace, def) = defs[index];
        let parents = self.parents_of(namespace, def)?;
        open.push(PendingEntity { index, parents, next: 0 });
        Ok(())
    }

    fn cycle(
        &self,
        defs: &[(NamespaceId, &EntityDef)],
        open: &[PendingEntity],
        numbers: &[u32],
    ) -> Box<Error> {
        let names: Vec<&str> = open
            .iter()
            .rev()
            .map(|o| self.entities[numbers[o.index] as usize].full_name.as_str())
            .collect();
        let message = format!("Entity can not be its own parent {}", names.join(","));
        let last = open.last().map_or(0, |o| o.index);
        let def = defs[last].1;
        let text = format!("Entity({})", self.name(def.name.symbol));
        Error::new(Class::Cycle, message).by(text, def.at)
    }

    fn parents_of(&mut self, namespace: NamespaceId, def: &EntityDef) -> Result<Vec<u32>> {
        if def.parents.is_empty() {
            let is_root = self.entities[self.root_entity as usize].at == def.name.at;
            return Ok(if is_root { Vec::new() } else { vec![self.root_entity] });
        }
        let text = format!("Entity({})", self.name(def.name.symbol));
        let reporter = || Reporter { text: text.clone(), location: Some(def.at) };
        let mut parents = Vec::new();
        for parent in &def.parents {
            let found = self.find(namespace, *parent).map_err(|e| reported(e, &reporter))?;
            let Resolution::Definition(DefinitionId::Entity(id)) = found else {
                let message = format!(
                    "Parents of an entity need to be entities. Default constructors are not \
                     supported. {} is not an entity",
                    self.name(parent.symbol)
                );
                return Err(Error::new(Class::Typing, message).by(text, def.at));
            };
            parents.push(id);
        }
        Ok(parents)
    }

    fn define_entity(&mut self, id: u32, namespace: NamespaceId, def: &EntityDef) -> Result<()> {
        let text = format!("Entity({})", self.name(def.name.symbol));
        let reporter = || Reporter { text: text.clone(), location: Some(def.at) };
        for attribute in &def.attributes {
            self.define_attribute(id, namespace, attribute).map_err(|e| reported(e, &reporter))?;
        }
        let mut names = FxHashSet::default();
        if !def.parents.iter().all(|parent| names.insert(self.name(parent.symbol).to_owned())) {
            return Err(Error::new(Class::Typing, "same parent defined twice").by(text, def.at));
        }
        let parents = self.parents_of(namespace, def)?;
        for &parent in &parents {
            self.entities[parent as usize].children.push(id);
        }
        self.entities[id as usize].parents = parents;
        self.find_ancestors(id);
        self.check_inherited(id)
    }

    /// Checks that an attribute has the same type as the inherited attributes of this name.
    fn check_inherited(&self, id: u32) -> Result<()> {
        let entity = &self.entities[id as usize];
        let mut known: FxHashMap<Symbol, u32> = FxHashMap::default();
        known.extend(entity.own.iter().map(|id| (self.attributes[*id as usize].name, *id)));
        for ancestor in entity.ancestors.iter().rev() {
            for &other in &self.entities[*ancestor as usize].own {
                let found = &self.attributes[other as usize];
                let Some(mine) = known.insert(found.name, other) else { continue };
                let mine = &self.attributes[mine as usize];
                if mine.ty != found.ty {
                    return Err(duplicate("Incompatible attributes", mine.at, found.at));
                }
            }
        }
        Ok(())
    }

    fn find_ancestors(&mut self, id: u32) {
        let mut ancestors = Vec::new();
        let mut seen = FxHashSet::default();
        for &parent in self.entities[id as usize].parents.iter().rev() {
            for &ancestor in self.entities[parent as usize].ancestors.iter().chain([&parent]) {
                if seen.insert(ancestor) {
                    ancestors.push(ancestor);
                }
            }
        }
        self.entities[id as usize].ancestors = ancestors;
    }

    fn define_attribute(
        &mut self,
        entity: u32,
        namespace: NamespaceId,
        def: &AttributeDef,
    ) -> Result<()> {
        let base = self.find_type(namespace, def.ty.name)?;
        // The original looks the type up again for each use, and warns each time.
        self.find_type(namespace, def.ty.name)?;
        if let Some(&old) = self.entities[entity as usize].own_names.get(&def.name.symbol) {
            return Err(self.attribute_exists(old, def.name, entity));
        }
        let ty = self.wrapped(base, def, false);
        let internal = self.wrapped(base, def, true);
        let id = self.attributes.len() as u32;
        let list = if def.ty.is_list { "[]" } else { "" };
        let nullable = if def.ty.is_nullable { "?" } else { "" };
        let type_text = format!("{}{list}{nullable}", self.name(def.ty.name.symbol));
        self.attributes.push(Attribute {
            name: def.name.symbol,
            entity,
            ty,
            internal,
            base,
            is_list: def.ty.is_list,
            is_nullable: def.ty.is_nullable,
            kind: AttributeKind::Plain,
            at: def.name.at,
            default: def.default,
            type_text,
        });
        let owner = &mut self.entities[entity as usize];
        owner.own.push(id);
        owner.own_names.insert(def.name.symbol, id);
        Ok(())
    }

    fn wrapped(&mut self, base: TypeId, def: &AttributeDef, references: bool) -> TypeId {
        let mut ty = base;
        if def.ty.is_list {
            if references {
                ty = self.types.add(Type::OrReference(ty));
            }
            ty = self.types.add(Type::List(ty));
        }
        if def.ty.is_nullable {
            ty = self.types.add(Type::Nullable(ty));
        }
        if references { self.types.add(Type::OrReference(ty)) } else { ty }
    }

    /// Computes slots, defaults and the order of indexes, once all relations are known.
    pub(super) fn finish_entities(&mut self) {
        for id in 0..self.entities.len() {
            let line: Vec<u32> =
                self.entities[id].ancestors.iter().copied().chain([id as u32]).collect();
            let mut slots: Vec<u32> = Vec::new();
            let mut slot_of: FxHashMap<Symbol, u32> = FxHashMap::default();
            let mut defaults: Vec<(Symbol, Option<ExprId>)> = Vec::new();
            let mut default_of: FxHashMap<Symbol, usize> = FxHashMap::default();
            for entity in line {
                for &attribute in &self.entities[entity as usize].own {
                    let found = &self.attributes[attribute as usize];
                    match slot_of.get(&found.name) {
                        Some(&slot) => slots[slot as usize] = attribute,
                        None => {
                            slot_of.insert(found.name, slots.len() as u32);
                            slots.push(attribute);
                        }
                    }
                    if found.is_relation() {
                        continue;
                    }
                    match default_of.get(&found.name) {
                        Some(&at) => defaults[at].1 = found.default,
                        None => {
                            default_of.insert(found.name, defaults.len());
                            defaults.push((found.name, found.default));
                        }
                    }
                }
            }
            let indexed = self.entry_order(id as u32);
            let entity = &mut self.entities[id];
            entity.slots = slots;
            entity.slot_of = slot_of;
            entity.defaults =
                defaults.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
            entity.indexed = indexed;
        }
    }

    fn entry_order(&self, id: u32) -> Vec<u32> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![id];
        while let Some(entity) = work.pop() {
            if seen.insert(entity) {
                order.push(entity);
                work.extend(self.entities[entity as usize].parents.iter().rev());
            }
        }
        order
    }

    /// All `implement` statements of an entity in the order in which they run.
    pub(crate) fn implements_of(&self, id: u32) -> Vec<u32> {
        let mut out = Vec::new();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            let entity = &self.entities[id as usize];
            out.extend(&entity.implements);
            if entity.inherits {
                work.extend(entity.parents.iter().rev());
            }
        }
        out
    }
}
