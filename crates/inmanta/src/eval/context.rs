//! The interface of a run for plugins.

use std::path::Path;

use ecow::EcoString;
use ordain_source::World;

use super::net::Net;
use super::state::ids::{Place, ScopeId};
use super::state::variable::Kind;
use crate::diagnostics::{Class, Error, Fault};
use crate::location::Location;
use crate::model::identity::Identity;
use crate::model::plugin::{AttributeOutline, Context, EntityOutline, Origin, PluginState, Stop};
use crate::model::program::{Attribute, AttributeKind, DefinitionId};
use crate::syntax::ast::ExprId;
use crate::types::{Type, TypeExpr};
use crate::value::{InstanceId, Value, VarId};

impl Net<'_> {
    fn site(&self) -> (ExprId, ScopeId) {
        self.call_site.last().copied().unwrap_or((ExprId::new(0), ScopeId::TOP))
    }

    /// An attribute as Python code sees it.
    fn outline(&self, attribute: &Attribute) -> AttributeOutline {
        let program = &self.program;
        let (relation, end) = match attribute.kind {
            AttributeKind::Plain => (None, None),
            AttributeKind::Relation { low, high, end, .. } => (Some((low, high)), end),
        };
        let end = end.map(|id| {
            let other = &program.attributes[id as usize];
            let entity = &program.entities[other.entity as usize];
            (entity.full_name.to_string(), program.name(other.name).to_string())
        });
        AttributeOutline {
            name: program.name(attribute.name).to_string(),
            relation,
            end,
            is_many: attribute.is_list || attribute.is_many(),
            is_nullable: attribute.is_nullable,
        }
    }

    /// The place of the current call.
    pub(super) fn here(&self) -> Place {
        Place::expr(self.site().0)
    }

    /// The value of a variable, if it has one.
    fn value_of(&mut self, var: VarId) -> Result<Value, Stop> {
        if !self.is_ready(var) {
            return Err(Stop::Unset(vec![var]));
        }
        let (expr, _) = self.site();
        let value = self.get(var, Place::expr(expr))?;
        if value.is_unknown() { Err(Stop::Unknown(value)) } else { Ok(value) }
    }

    /// The variable of a name in a scope.
    fn find_in_scope(&self, name: &str, scope: ScopeId, block_of: Location) -> Option<VarId> {
        let symbol = self.program.ast.symbols.get(name)?;
        let mut at = scope;
        while at != ScopeId::TOP && at.as_instance().is_none() {
            let found = self.scopes[at.0 as usize];
            if let Some(var) = self.names_of_scope(at, symbol) {
                return Some(var);
            }
            at = found.parent;
        }
        let own = at.as_instance().and_then(|id| self.slot_var(id, symbol));
        let namespace = self.program.namespace_at(block_of.file);
        let globals = &self.program.namespaces[namespace as usize].globals;
        own.or_else(|| globals.get(&symbol).map(|number| VarId(*number)))
    }

    fn names_of_scope(&self, scope: ScopeId, name: crate::symbol::Symbol) -> Option<VarId> {
        let found = self.scopes[scope.0 as usize];
        let block = self.scope_blocks.get(&scope.0)?;
        let names = &self.program.ast.blocks[*block].variables;
        let at = names.iter().position(|known| *known == name)?;
        Some(VarId(found.first + at as u32))
    }
}

impl Context for Net<'_> {
    fn state(&mut self) -> &mut PluginState {
        &mut self.plugin_state
    }

    fn secret(&mut self, text: &str) {
        self.secrets.add(text);
    }

    fn world(&self) -> &dyn World {
        self.settings.world
    }

    fn attribute(&mut self, instance: InstanceId, name: &str) -> Result<Value, Stop> {
        let symbol = self.program.ast.symbols.intern(name);
        let var = self.attribute_var(instance, symbol)?;
        match self.value_of(var) {
            Err(Stop::Unset(vars)) => self.value_in_batch(var).ok_or(Stop::Unset(vars)),
            found => found,
        }
    }

    fn attribute_names(&self, instance: InstanceId) -> Vec<EcoString> {
        let entity = self.instances[instance.0 as usize].entity;
        let slots = self.program.entities[entity as usize].slots.iter();
        let name = |id: &u32| self.program.attributes[*id as usize].name;
        slots.map(|id| self.program.ast.symbols.name(name(id)).clone()).collect()
    }

    fn is_relation(&self, instance: InstanceId, name: &str) -> bool {
        let entity = self.instances[instance.0 as usize].entity;
        let slots = &self.program.entities[entity as usize].slots;
        slots.iter().map(|id| &self.program.attributes[*id as usize]).any(|attribute| {
            self.program.name(attribute.name) == name
                && matches!(attribute.kind, AttributeKind::Relation { .. })
        })
    }

    fn is_instance(&self, instance: InstanceId, entity: &str) -> Option<bool> {
        let id = self.program.entities.iter().position(|e| e.full_name == entity)? as u32;
        let own = self.instances[instance.0 as usize].entity;
        Some(self.program.is_entity(own, id))
    }

    fn entity(&self, name: &str) -> Option<EntityOutline> {
        let entities = &self.program.entities;
        let id = entities.iter().position(|entity| entity.full_name == name)?;
        let entity = &entities[id];
        let name_of = |id: &u32| entities[*id as usize].full_name.to_string();
        let above = entity.ancestors.iter().filter(|ancestor| **ancestor as usize != id);
        let attributes = |ids: &[u32]| {
            ids.iter().map(|id| &self.program.attributes[*id as usize]).collect::<Vec<_>>()
        };
        let own = attributes(&entity.own).into_iter().map(|attribute| self.outline(attribute));
        let names = attributes(&entity.slots).into_iter();
        Some(EntityOutline {
            parents: entity.parents.iter().map(name_of).collect(),
            ancestors: above.map(name_of).collect(),
            own: own.collect(),
            names: names.map(|attribute| self.program.name(attribute.name).to_string()).collect(),
        })
    }

    fn lookup(&mut self, name: &str) -> Result<Value, Stop> {
        let (expr, scope) = self.site();
        let at = self.program.ast.exprs[expr].at;
        match self.find_in_scope(name, scope, at) {
            Some(var) => self.value_of(var),
            None => {
                let message = format!("variable {name} not found");
                Err(Stop::Error(Error::new(Class::NotFound, message)))
            }
        }
    }

    fn peek(&self, name: &str) -> Option<Value> {
        let (expr, scope) = self.site();
        let var = self.find_in_scope(name, scope, self.program.ast.exprs[expr].at)?;
        let found = &self.vars[var.0 as usize];
        let is_plain = found.is_ready() && !matches!(found.kind, Kind::Proxy | Kind::Opt);
        let value = is_plain.then(|| found.value())?;
        let is_known = !matches!(value, Value::Unknown(_) | Value::Reference(_));
        is_known.then(|| value.clone())
    }

    fn lookup_in(&mut self, namespace: &str, name: &str) -> Result<Value, Stop> {
        let found = self.program.namespace_numbers.get(namespace).and_then(|namespace| {
            let symbol = self.program.ast.symbols.get(name)?;
            self.program.namespaces[*namespace as usize].globals.get(&symbol)
        });
        match found {
            Some(number) => self.value_of(VarId(*number)),
            None => {
                let message = format!("variable {name} not found");
                Err(Stop::Error(Error::new(Class::NotFound, message)))
            }
        }
    }

    fn namespace(&self) -> &str {
        let (expr, _) = self.site();
        let namespace = self.program.namespace_at(self.program.ast.exprs[expr].at.file);
        &self.program.namespaces[namespace as usize].name
    }

    fn location(&self) -> Location {
        self.program.ast.exprs[self.site().0].at
    }

    fn print(&mut self, line: &str) {
        self.stdout.push_str(line);
        self.stdout.push('\n');
    }

    fn warn(&mut self, component: &str, text: &str) {
        self.logs.push(format!("{component:<15} WARNING {text}"));
    }

    fn project_directory(&self) -> &Path {
        &self.settings.project
    }

    fn module_directory(&self, module: &str) -> Option<&Path> {
        let found = self.settings.modules.iter().find(|(name, _)| name == module);
        found.map(|(_, path)| path.as_path())
    }

    fn setting(&self, section: &str, key: &str) -> Option<&str> {
        let mut settings = self.settings.settings.iter().rev();
        let found = settings.find(|(s, k, _)| s == section && k == key);
        found.map(|(_, _, value)| value.as_str())
    }

    fn fact(&self, resource: &str, name: &str) -> Option<Value> {
        let mut facts = self.settings.facts.iter();
        let found = facts.find(|(r, n, _)| r == resource && n == name);
        found.map(|(_, _, value)| value.clone())
    }

    fn identities(&self) -> &[Identity] {
        &self.settings.identities
    }

    fn unknown_parameter(&mut self, resource: &str, name: &str) {
        self.unknown_parameters.push((resource.into(), name.into()));
    }

    fn construct(
        &mut self,
        entity: &str,
        attributes: &[(EcoString, Value)],
        origin: Option<&Origin>,
    ) -> Result<Value, Stop> {
        let id = self.program.entities.iter().position(|e| e.full_name == entity);
        let Some(id) = id else {
            let message = format!("could not find type {entity}");
            return Err(Stop::Error(Error::new(Class::TypeNotFound, message)));
        };
        let direct: Vec<_> = attributes
            .iter()
            .map(|(name, value)| (self.program.ast.symbols.intern(name), value.clone()))
            .collect();
        let (expr, _) = self.site();
        let made = self.create(id as u32, &direct, Place::expr(expr));
        let instance = made.map_err(|error| match &error.fault {
            Some(Fault::Raised(exception)) => {
                Stop::raised(exception.clone(), error.message.clone())
            }
            _ => Stop::Error(error),
        })?;
        if let Some(origin) = origin {
            self.origins.insert(instance, origin.clone());
        }
        self.implement(instance)?;
        Ok(Value::Instance(instance))
    }

    fn call(
        &mut self,
        plugin: &str,
        positional: &[Value],
        named: &[(EcoString, Value)],
    ) -> Result<Value, Stop> {
        let found = self.program.named.iter().find_map(|item| match item {
            DefinitionId::Plugin(id)
                if self.program.plugins[*id as usize].plugin.signature().name == plugin =>
            {
                Some(*id)
            }
            _ => None,
        });
        let Some(id) = found else {
            let message = format!("could not find plugin {plugin}");
            return Err(Stop::Error(Error::new(Class::NotFound, message)));
        };
        let entry = self.program.plugins[id as usize].plugin.clone();
        let checked = self.check_plugin_arguments(id, positional, named)?;
        if !checked.missing.is_empty() {
            return Err(Stop::Unset(checked.missing));
        }
        self.needs_plugin |= !entry.is_callable();
        entry.call(self, &checked.arguments)
    }

    fn attribute_type(&mut self, entity: &str, name: &str) -> TypeExpr {
        let id = self.program.entities.iter().position(|e| e.full_name == entity);
        let symbol = self.program.ast.symbols.intern(name);
        let found = id.and_then(|id| self.program.attribute(id as u32, symbol));
        let Some(found) = found else { return TypeExpr::Any };
        let ty = self.program.attributes[found as usize].internal;
        match self.program.types.get(ty) {
            Type::OrReference(inner) => TypeExpr::Known(*inner),
            _ => TypeExpr::Known(ty),
        }
    }

    fn plugin_names(&self) -> Vec<EcoString> {
        self.program.plugins.iter().map(|entry| entry.plugin.signature().name.clone()).collect()
    }
}
