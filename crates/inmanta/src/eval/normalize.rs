//! Checks a program before its run.

use super::net::Net;
use crate::check::Scopes;
use crate::diagnostics::{Class, Error, Fault, Result};
use crate::model::program::DefinitionId;
use crate::types::Type;
use crate::value::Value;

impl Net<'_> {
    /// Resolves all names, and runs the checks that need no run.
    ///
    /// # Errors
    /// The first error.
    pub fn normalize(&mut self) -> Result<()> {
        self.program.number_globals();
        let named = self.program.named.clone();
        for item in &named {
            match item {
                DefinitionId::Typedef(id) => {
                    let condition = self.program.typedefs[*id as usize].condition;
                    let mut scopes = Scopes::default();
                    self.program.normalize(condition, None, &mut scopes)?;
                }
                DefinitionId::Plugin(id) => self.program.normalize_plugin(*id)?,
                _ => {}
            }
        }
        for item in &named {
            if let DefinitionId::Entity(id) = item {
                self.normalize_entity(*id)?;
            }
        }
        for item in &named {
            if let DefinitionId::Implementation(id) = item {
                self.program.normalize_implementation(*id)?;
            }
        }
        for top in 0..self.program.tops.len() {
            self.program.normalize_top(top)?;
        }
        Ok(())
    }

    /// Checks the defaults and relations of an entity, and resolves its conditions.
    fn normalize_entity(&mut self, id: u32) -> Result<()> {
        for i in 0..self.program.entities[id as usize].own.len() {
            let attribute = self.program.entities[id as usize].own[i];
            let found = &self.program.attributes[attribute as usize];
            let (Some(default), ty, at) = (found.default, found.ty, found.at) else { continue };
            if *self.program.types.get(found.base) == Type::Number {
                self.program.warn_of_number(at);
            }
            let Some(value) = self.program.constant(default).cloned() else {
                let text = self.program.ast.reported(default);
                let message = format!("{text} is not a constant");
                return Err(self.default_error(attribute, Error::new(Class::Runtime, message)));
            };
            if let Err(error) = self.validate(&value, ty) {
                // A check does not run plugins in Python, so it cannot tell.
                if std::mem::take(&mut self.needs_plugin) {
                    continue;
                }
                let is_typedef = error.fault == Some(Fault::UnmetCondition);
                if error.reporter.is_some() && !is_typedef {
                    return Err(error);
                }
                let mut error = error;
                (error.reporter, error.location) = (None, Some(at));
                return Err(self.default_error(attribute, error));
            }
        }
        self.check_relations(id)?;
        for i in 0..self.program.entities[id as usize].implements.len() {
            let implement = self.program.entities[id as usize].implements[i];
            let found = &mut self.program.implements[implement as usize];
            if std::mem::replace(&mut found.is_normalized, true) {
                continue;
            }
            let (condition, at) = (found.condition, found.at);
            if let Some(condition) = condition {
                let namespace = self.program.namespace_at(at.file);
                let mut scopes = Scopes::instance(namespace);
                self.program.normalize(condition, None, &mut scopes)?;
            }
        }
        let all = self.program.implements_of(id);
        self.program.entities[id as usize].all_implements = all;
        self.program.check_dataclass(id)
    }

    fn default_error(&self, attribute: u32, error: Box<Error>) -> Box<Error> {
        let found = &self.program.attributes[attribute as usize];
        let default = found.default.map_or_else(String::new, |default| {
            match self.program.constant(default) {
                Some(Value::List(_)) => "List()".into(),
                _ => self.program.ast.reported(default),
            }
        });
        let name = self.program.name(found.name);
        error.by(format!("{} {name} = {default}", found.type_text), found.at)
    }

    fn check_relations(&self, id: u32) -> Result<()> {
        let entity = &self.program.entities[id as usize];
        for attribute in &entity.own {
            let found = &self.program.attributes[*attribute as usize];
            if !found.is_relation() {
                continue;
            }
            for parent in &entity.parents {
                let Some(other) = self.program.attribute(*parent, found.name) else { continue };
                let other = &self.program.attributes[other as usize];
                let owner = &self.program.entities[other.entity as usize];
                let message = format!(
                    "Attribute name {} is already defined in {}, unable to define relationship",
                    self.program.name(found.name),
                    owner.name.map_or("", |name| self.program.name(name))
                );
                let mut error = Error::new(Class::Duplicate, message).at(found.at);
                error.other = Some(other.at);
                return Err(error);
            }
        }
        Ok(())
    }
}
