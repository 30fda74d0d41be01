//! Reports values that are missing at the end of a run.

use super::net::Net;
use super::state::ids::Place;
use super::state::unit::{Unit, Work};
use super::state::variable::Kind;
use crate::diagnostics::{Background, Class, Error, Reporter, Result};
use crate::model::program::AttributeKind;
use crate::syntax::ast::ExprId;
use crate::value::{InstanceId, Value, VarId};

impl Net<'_> {
    /// Finds the values that are missing at the end.
    pub(super) fn finish(&mut self) -> Result<()> {
        let mut errors = Vec::new();
        for entity in 0..self.program.entities.len() {
            self.finish_entity(entity, &mut errors);
        }
        for id in 0..self.instances.len() as u32 {
            self.finish_instance(InstanceId(id), &mut errors);
        }
        if !errors.is_empty() {
            return Err(Error::several(errors, &self.program.files));
        }
        if self.living > 0 {
            return Err(self.stuck_units());
        }
        Ok(())
    }

    fn finish_entity(&mut self, entity: usize, errors: &mut Vec<Error>) {
        let full = self.program.entities[entity].full_name.clone();
        for (key, waiting) in &self.missing[entity] {
            for (_, expr) in waiting {
                let text = self.key_text(key);
                let message = format!("No match in index on type {full} with key {text}");
                let error = Error::new(Class::NotFound, message);
                errors.push(*self.error_at(Place::expr(*expr), error));
            }
        }
        for i in 0..self.program.entities[entity].own.len() {
            let attribute = self.program.entities[entity].own[i];
            let found = &self.program.attributes[attribute as usize];
            let AttributeKind::Relation { relation, .. } = found.kind else { continue };
            let (name, at) = (self.program.name(found.name), found.at);
            let exprs = self.program.relation_annotations.get(relation as usize);
            let exprs = exprs.cloned().unwrap_or_default();
            for expr in exprs {
                let var = self.annotation(expr);
                let Some(var) = var else { continue };
                let var = &self.vars[var.0 as usize];
                if !var.is_ready() {
                    errors.push(*Error::new(Class::Unset, "Value not available"));
                } else if var.value().is_unknown() {
                    let message = "Relation annotation can not be Unknown";
                    let text = format!("{full}.{name}");
                    errors.push(*Error::new(Class::Typing, message).by(text, at));
                }
            }
        }
    }

    /// The variable of an annotation.
    fn annotation(&self, expr: ExprId) -> Option<VarId> {
        self.annotations.iter().flatten().find(|(known, _)| *known == expr).map(|(_, var)| *var)
    }

    fn finish_instance(&mut self, id: InstanceId, errors: &mut Vec<Error>) {
        let instance = &self.instances[id.0 as usize];
        let (entity, first) = (instance.entity as usize, instance.first);
        if instance.implementations.is_empty() {
            let name = self.program.entities[entity].name.map_or("", |n| self.program.name(n));
            let message = format!("Unable to select implementation for entity {name}");
            let mut error = *Error::new(Class::Runtime, message);
            error.location = self.last_place(id);
            let text = Value::Instance(id).text(self);
            error.reporter = Some(Reporter { text, location: error.location });
            error.background = Some(Box::new(self.program.about_implementations(entity as u32)));
            errors.push(error);
        }
        for slot in 0..self.program.entities[entity].slots.len() {
            let var = VarId(first + 1 + slot as u32);
            if self.vars[var.0 as usize].is_ready() {
                continue;
            }
            if self.can_get(var) {
                self.freeze_last(var);
                continue;
            }
            let attribute = self.program.entities[entity].slots[slot];
            let found = &self.program.attributes[attribute as usize];
            let (name, at) = (self.program.name(found.name), self.program.files.show(found.at));
            let text = Value::Instance(id).text(self);
            let message = match found.kind {
                AttributeKind::Relation { low, .. } if found.is_many() => {
                    let count = match self.vars[var.0 as usize].kind {
                        Kind::Many => {
                            let link = self.vars[var.0 as usize].link as usize;
                            self.delayed[link].items().len()
                        }
                        _ => 0,
                    };
                    format!(
                        "The object {text} is not complete: attribute {name} ({at}) requires {low} \
                         values but only {count} are set"
                    )
                }
                _ => {
                    format!("The object {text} is not complete: attribute {name} ({at}) is not set")
                }
            };
            let mut error = *Error::new(Class::Unset, message);
            let mut background = Background::default();
            if let Some(place) = self.last_place(id) {
                background.places.push((place, "the instance is created here".into()));
            }
            background.places.push((found.at, format!("`{name}` is defined here")));
            error.background = Some(Box::new(background));
            errors.push(error);
        }
    }

    /// The error that some units can never run.
    fn stuck_units(&self) -> Box<Error> {
        let mut left: Vec<&Unit> =
            self.units.iter().filter(|unit| !matches!(unit.work, Work::Done)).collect();
        left.sort_by_key(|unit| unit.sequence);
        let first = left.iter().find_map(|unit| match unit.work {
            Work::Exec { expr, .. } | Work::Assign { expr, .. } => Some(Place::expr(expr)),
            Work::For { stmt, .. } | Work::If { stmt, .. } => Some(Place::stmt(stmt)),
            _ => None,
        });
        let texts: Vec<String> = left.iter().map(|unit| self.unit_text(unit)).collect();
        let message = format!("not all statements executed: [{}]", texts.join(", "));
        let mut error = Error::new(Class::Runtime, message);
        if let Some(circle) = self.program.circle() {
            let mut background = Background::default();
            background.help.push(format!("these wait for each other: {circle}"));
            error.background = Some(Box::new(background));
        }
        match first {
            Some(place) => self.error_at(place, error),
            None => error,
        }
    }

    fn unit_text(&self, unit: &Unit) -> String {
        match &unit.work {
            Work::Exec { expr, .. } | Work::Assign { expr, .. } | Work::Call { expr, .. } => {
                self.program.ast.repr(*expr)
            }
            Work::For { stmt, .. } | Work::If { stmt, .. } => self.program.ast.statement(*stmt),
            Work::Implement { instance, .. } => {
                let entity = self.instances[instance.0 as usize].entity;
                format!("SubConstructor({})", self.program.entities[entity as usize].full_name)
            }
            Work::SetAttr(_) | Work::Logic { .. } | Work::Lookup { .. } => {
                "<inmanta.execute.runtime.HangUnit object>".into()
            }
            Work::Pass { expr, .. } | Work::Give { expr, .. } => self.program.ast.repr(*expr),
            _ => "<inmanta.execute.runtime.RawUnit object>".into(),
        }
    }
}
