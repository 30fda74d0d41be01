//! Creates instances.

use smallvec::smallvec;

use super::net::Net;
use super::state::ids::{Place, ScopeId};
use super::state::index::Instance;
use super::state::unit::{Requires, Values, Work};
use super::state::variable::Kind;
use crate::diagnostics::explanation::{self, Explanation};
use crate::diagnostics::{Class, Error, Result};
use crate::model::program::{AttributeKind, NewInfo};
use crate::symbol::Symbol;
use crate::syntax::ast::{ExprId, ExprKind, NewId};
use crate::value::{InstanceId, Value};

impl Net<'_> {
    /// Runs a constructor.
    pub(super) fn construct_from(
        &mut self,
        id: ExprId,
        new: NewId,
        scope: ScopeId,
        values: &mut Values,
    ) -> Result<Value> {
        let number = new.raw() as usize;
        let Some(info) = self.program.news.get(number).copied().flatten() else {
            return Err(Error::new(Class::Runtime, "the constructor was not looked up"));
        };
        let (instance, late) = self.construct_with(id, new, info, scope, values)?;
        self.fill(id, info, instance, &late, scope)?;
        self.implement(instance)?;
        Ok(Value::Instance(instance))
    }

    fn construct_with(
        &mut self,
        id: ExprId,
        new: NewId,
        info: NewInfo,
        scope: ScopeId,
        values: &mut Values,
    ) -> Result<(InstanceId, Vec<Symbol>)> {
        let count = info.direct as usize;
        let mut direct = Vec::with_capacity(count);
        for i in 0..count {
            let (name, value) = self.program.direct(info)[i];
            direct.push((name, self.execute(value, scope, values)?));
        }
        let late = self.late_attributes(id, new, info, scope, values)?;
        let names = late.iter().map(|(name, _)| *name).collect();
        for (name, value) in late {
            match direct.iter_mut().find(|(known, _)| *known == name) {
                Some(default) => default.1 = value,
                None => direct.push((name, value)),
            }
        }
        let found = self.matching(id, info, &direct)?;
        let place = Place::expr(id);
        let instance = match found {
            Some(instance) => {
                self.instances[instance.0 as usize].places.push(place);
                for (name, value) in &direct {
                    self.set_attribute(instance, *name, value, place, true)?;
                }
                instance
            }
            None => self.create(info.entity, &direct, place)?,
        };
        Ok((instance, names))
    }

    /// The instance with the same key in an index. It must be the same in all indexes.
    fn matching(
        &mut self,
        id: ExprId,
        info: NewInfo,
        direct: &[(Symbol, Value)],
    ) -> Result<Option<InstanceId>> {
        let mut hits: Vec<(u32, InstanceId)> = Vec::new();
        for i in 0..self.program.entities[info.entity as usize].indexes.len() {
            let list = self.program.entities[info.entity as usize].indexes[i];
            let query: Vec<(Symbol, Value)> = self.program.index_lists[list as usize]
                .iter()
                .filter_map(|name| direct.iter().find(|(known, _)| known == name).cloned())
                .collect();
            let Some(hit) = self.look_up(info.entity, &query, id, None)? else { continue };
            if self.instances[hit.0 as usize].entity != info.entity {
                let message = "Type found in index is not an exact match";
                let mut error = Error::new(Class::Duplicate, message);
                error.location = Some(self.location(Place::expr(id)));
                error.other = self.last_place(hit);
                return Err(error);
            }
            hits.push((list, hit));
        }
        let Some((_, first)) = hits.first() else { return Ok(None) };
        if hits.iter().all(|(_, hit)| hit == first) {
            return Ok(Some(*first));
        }
        let mut error = Error::new(Class::IndexCollision, "Inconsistent indexes detected!\n");
        error.explanation = Some(self.explain_collision(id, &hits));
        Err(self.error_at(Place::expr(id), error))
    }

    fn explain_collision(&self, id: ExprId, hits: &[(u32, InstanceId)]) -> Explanation {
        let name = |name: &Symbol| self.program.name(*name);
        let found = |(list, hit): &(u32, InstanceId)| {
            let names = self.program.index_lists[*list as usize].iter().map(name);
            (names.collect::<Vec<_>>().join(","), Value::Instance(*hit).text(self))
        };
        let matches: Vec<(String, String)> = hits.iter().map(found).collect();
        let ast = &self.program.ast;
        let class = match ast.exprs[id].kind {
            ExprKind::New(new) => name(&ast.news[new].class.symbol),
            _ => "",
        };
        let at = self.program.files.show(self.location(Place::expr(id)));
        explanation::collision(&ast.pretty(id), &at, class, &matches)
    }

    /// The attributes from `**` dicts and from the object that the instance is assigned to.
    fn late_attributes(
        &mut self,
        id: ExprId,
        new: NewId,
        info: NewInfo,
        scope: ScopeId,
        values: &mut Values,
    ) -> Result<Vec<(Symbol, Value)>> {
        let place = Place::expr(id);
        let mut late: Vec<(Symbol, Value)> = Vec::new();
        let splats = self.program.ast.news[new].splats;
        for i in 0..splats.len() {
            let splat = self.program.ast.lists.list(splats)[i];
            let Value::Dict(dict) = self.execute(splat, scope, values)? else { continue };
            for (key, value) in dict.iter() {
                let name = self.program.ast.symbols.intern(key);
                let node = &self.program.ast.news[new];
                let is_set =
                    self.program.ast.names.list(node.names).iter().any(|n| n.symbol == name)
                        || late.iter().any(|(known, _)| *known == name);
                if is_set {
                    let class = self.program.name(node.class.symbol);
                    let message = format!(
                        "The attribute {key} is set twice in the constructor call of {class}."
                    );
                    return Err(self.error_at(place, Error::new(Class::Runtime, message)));
                }
                if self.program.attribute(info.entity, name).is_none() {
                    let error = self.program.no_attribute(info.entity, name);
                    return Err(self.error_at(place, error));
                }
                late.push((name, value.clone()));
            }
        }
        if let Some(given) = self.inverse_attribute(info, scope, values)?
            && !late.iter().any(|(name, _)| *name == given.0)
        {
            late.insert(0, given);
        }
        let is_given = |name: &Symbol| late.iter().any(|(known, _)| known == name);
        let dynamic = self.program.dynamic.list(info.dynamic).iter();
        let missing: Vec<Symbol> = dynamic.copied().filter(|name| !is_given(name)).collect();
        if missing.is_empty() {
            return Ok(late);
        }
        Err(self.program.missing_attributes(id, info.entity, &missing))
    }

    /// The attribute that the inverse relation sets: the object that the instance is assigned to.
    fn inverse_attribute(
        &mut self,
        info: NewInfo,
        scope: ScopeId,
        values: &mut Values,
    ) -> Result<Option<(Symbol, Value)>> {
        let Some(left) = info.left else { return Ok(None) };
        let object = match left.object {
            Some(object) => self.execute(object, scope, values)?,
            None => match self.owner(scope) {
                Some(owner) => Value::Instance(owner),
                None => return Ok(None),
            },
        };
        let Value::Instance(owner) = object else { return Ok(None) };
        let entity = self.instances[owner.0 as usize].entity;
        let Some(attribute) = self.program.attribute(entity, left.attribute) else {
            return Ok(None);
        };
        let AttributeKind::Relation { end: Some(end), .. } =
            self.program.attributes[attribute as usize].kind
        else {
            return Ok(None);
        };
        let end = &self.program.attributes[end as usize];
        let is_direct = self.program.direct(info).iter().any(|(name, _)| *name == end.name);
        let is_indexed = self.program.entities[info.entity as usize]
            .indexes
            .iter()
            .any(|list| self.program.index_lists[*list as usize].contains(&end.name));
        let fits = self.program.is_entity(info.entity, end.entity);
        Ok((!is_direct && is_indexed && fits).then_some((end.name, object)))
    }

    /// Makes an instance with the attributes that its indexes need.
    pub(super) fn create(
        &mut self,
        entity: u32,
        direct: &[(Symbol, Value)],
        place: Place,
    ) -> Result<InstanceId> {
        self.check_size().map_err(|error| self.error_at(place, error))?;
        let id = InstanceId(self.instances.len() as u32);
        let first = self.ready(Kind::Plain, Value::Instance(id), place).0;
        self.instances.push(Instance {
            entity,
            first,
            places: smallvec![place],
            implementations: smallvec![],
        });
        for i in 0..self.program.entities[entity as usize].slots.len() {
            let attribute = self.program.entities[entity as usize].slots[i];
            self.slot(attribute, id);
        }
        for (name, value) in direct {
            self.set_attribute(id, *name, value, place, true)?;
        }
        self.enter(id)?;
        Ok(id)
    }

    /// Sets the attributes that no index needs.
    fn fill(
        &mut self,
        id: ExprId,
        info: NewInfo,
        instance: InstanceId,
        late: &[Symbol],
        scope: ScopeId,
    ) -> Result<()> {
        let inner = if info.owns { self.owner_scope(scope, instance) } else { scope };
        for i in 0..self.program.indirect(info).len() {
            let (name, value) = self.program.indirect(info)[i];
            if late.contains(&name) {
                continue;
            }
            let var = self.attribute_var(instance, name)?;
            self.assign(value, var, Place::expr(id), instance, name, inner)?;
        }
        Ok(())
    }

    /// Starts the implementations of an instance.
    pub(super) fn implement(&mut self, instance: InstanceId) -> Result<()> {
        let entity = self.instances[instance.0 as usize].entity as usize;
        for i in 0..self.program.entities[entity].all_implements.len() {
            let implement = self.program.entities[entity].all_implements[i];
            let scope = ScopeId::instance(instance);
            let mut requires = Requires::new();
            if let Some(condition) = self.program.implements[implement as usize].condition {
                self.emit(condition, scope, &mut requires).map_err(|mut error| {
                    if error.class == Class::NotFound {
                        let entity = self.instances[instance.0 as usize].entity;
                        let at = self.program.implements[implement as usize].at;
                        let mut reporter = self.implement_reporter(entity, implement);
                        reporter.location = Some(at);
                        error.set_reporter(true, &|| reporter.clone());
                    }
                    error
                })?;
            }
            self.unit(Work::Implement { instance, implement }, scope, requires);
        }
        Ok(())
    }
}
