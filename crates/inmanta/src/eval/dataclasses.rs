//! Arguments that are handed over as objects of Python dataclasses.

use super::Net;
use crate::error::Result;
use crate::plugin::Arguments;
use crate::types::{Type, TypeId};
use crate::value::{InstanceId, Value, VarId};

impl Net<'_> {
    /// The instances in an argument that become objects.
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

    /// The variable and the type of each field of a dataclass's instance.
    fn fields(&self, id: InstanceId) -> Vec<(VarId, TypeId)> {
        let own = self.instances[id.0 as usize].entity;
        let fields = self.program.dataclasses.get(&own).map(|found| found.fields.as_slice());
        let fields = fields.unwrap_or_default().iter();
        fields.filter_map(|(name, ty)| Some((self.slot_var(id, *name)?, *ty))).collect()
    }

    /// Whether what is known of the instances in an argument fits the fields of their dataclasses.
    ///
    /// # Errors
    /// The first value that does not fit.
    pub(super) fn validate_fields(&mut self, value: &Value, ty: TypeId) -> Result<()> {
        let mut instances = Vec::new();
        self.converted(value, ty, &mut instances);
        for id in instances {
            for (var, ty) in self.fields(id) {
                if !self.is_ready(var) {
                    continue;
                }
                let value = self.get(var, self.here())?;
                if !value.is_unknown() {
                    self.validate(&value, ty)?;
                }
            }
        }
        Ok(())
    }

    /// The fields of the instances in arguments that have no value yet.
    pub(super) fn missing_fields(&self, plugin: u32, arguments: &Arguments) -> Vec<VarId> {
        let mut instances = Vec::new();
        if self.program.dataclasses.is_empty() {
            return Vec::new();
        }
        let entry = &self.program.plugins[plugin as usize];
        let signature = entry.plugin.signature();
        let params = signature.params.iter().zip(&entry.params).zip(&arguments.values);
        for ((param, ty), value) in params {
            if let (true, Some(value)) = (param.converts, value) {
                self.converted(value, *ty, &mut instances);
            }
        }
        let fields = instances.into_iter().flat_map(|id| self.fields(id));
        fields.map(|(var, _)| var).filter(|var| !self.is_ready(*var)).collect()
    }
}
