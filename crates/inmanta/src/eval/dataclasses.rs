//! Arguments that are passed as objects of Python dataclasses.

use super::net::Net;
use crate::diagnostics::{Class, Error, Result};
use crate::model::plugin::Origin;
use crate::symbol::Symbol;
use crate::types::{Type, TypeId};
use crate::value::{InstanceId, Value, VarId, string_repr};

impl Net<'_> {
    /// Collects the instances in an argument that are passed as objects.
    fn converted(&self, value: &Value, ty: TypeId, out: &mut Vec<InstanceId>) {
        match (self.program.types.get(ty), value) {
            (Type::OrReference(_), Value::Instance(_)) if self.reference_of(value).is_some() => {}
            (Type::OrReference(inner) | Type::Nullable(inner), _) => {
                self.converted(value, *inner, out);
            }
            (Type::Union(items), _) => {
                items.iter().for_each(|item| self.converted(value, *item, out));
            }
            (Type::List(inner), Value::List(items)) => {
                items.iter().for_each(|item| self.converted(item, *inner, out));
            }
            (Type::Dict(inner), Value::Dict(entries)) => {
                entries.values().for_each(|item| self.converted(item, *inner, out));
            }
            (Type::Entity(entity), Value::Instance(id)) => {
                let own = self.instances[id.0 as usize].entity;
                if self.program.dataclasses.contains_key(entity)
                    && self.program.is_entity(own, *entity)
                {
                    out.push(*id);
                }
            }
            _ => {}
        }
    }

    /// The name, the variable and the type of each field of a dataclass's instance.
    fn fields(&self, id: InstanceId) -> Vec<(Symbol, VarId, TypeId)> {
        let own = self.instances[id.0 as usize].entity;
        let fields = self.program.dataclasses.get(&own).map(|found| found.fields.as_slice());
        let fields = fields.unwrap_or_default().iter();
        fields.filter_map(|(name, ty)| Some((*name, self.slot_var(id, *name)?, *ty))).collect()
    }

    /// Checks the instances in an argument one after the other. Returns the variables without a
    /// value of the first instance that has such.
    ///
    /// # Errors
    /// The first value that does not fit, or is not known.
    pub(super) fn check_fields(&mut self, value: &Value, ty: TypeId) -> Result<Vec<VarId>> {
        let mut instances = Vec::new();
        self.converted(value, ty, &mut instances);
        for id in instances {
            // An instance that was made from an object is passed as that object.
            if let Some(Origin::Object) = self.origins.get(&id) {
                continue;
            }
            let fields = self.fields(id);
            let missing: Vec<VarId> =
                fields.iter().map(|field| field.1).filter(|var| !self.is_ready(*var)).collect();
            if !missing.is_empty() {
                return Ok(missing);
            }
            let mut unknown = None;
            for (name, var, ty) in fields {
                let value = self.get(var, self.here())?;
                if !value.is_unknown() {
                    self.validate(&value, ty)?;
                }
                if unknown.is_none() && holds_unknown(&value) {
                    unknown = Some(name);
                }
            }
            if let Some(name) = unknown {
                let message = format!(
                    "Encountered unknown in field {}. Unknowns are not currently supported in \
                     dataclass instances in the Python domain.",
                    string_repr(self.program.name(name))
                );
                return Err(Error::new(Class::Typing, message));
            }
        }
        Ok(Vec::new())
    }
}

fn holds_unknown(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(holds_unknown),
        Value::Dict(entries) => entries.values().any(holds_unknown),
        _ => value.is_unknown(),
    }
}
