//! The model after a run.

use super::net::Net;
use crate::location::Location;
use crate::value::{InstanceId, Names, Value};

impl Net<'_> {
    /// The output of the program.
    pub fn stdout(&self) -> &str {
        &self.stdout
    }

    /// The log, one line each.
    pub fn logs(&self) -> &[String] {
        &self.logs
    }

    /// The unknown parameters: resource and name.
    pub fn unknown_parameters(&self) -> &[(String, String)] {
        &self.unknown_parameters
    }

    /// The number of calls of each plugin.
    pub fn calls(&self) -> Vec<(String, u64)> {
        let name = |id: u32| self.program.plugins[id as usize].plugin.signature().name.to_string();
        let mut calls: Vec<_> = self.calls.iter().map(|(id, n)| (name(*id), *n)).collect();
        calls.sort();
        calls
    }

    /// The variables at the top level of the main file, in order.
    pub fn variables(&self) -> Vec<(String, Option<Value>)> {
        let Some(top) = self.program.tops.first() else { return Vec::new() };
        let names = &self.program.ast.blocks[top.block].variables;
        let value = |i: usize| {
            let var = self.vars.get(top.first as usize + i)?;
            var.is_ready().then(|| var.value().clone())
        };
        names.iter().enumerate().map(|(i, n)| (self.program.name(*n).into(), value(i))).collect()
    }

    /// All instances.
    pub fn instances(&self) -> impl Iterator<Item = InstanceId> + use<> {
        (0..self.instances.len() as u32).map(InstanceId)
    }

    /// The entity of an instance.
    pub fn entity(&self, id: InstanceId) -> u32 {
        self.instances[id.0 as usize].entity
    }

    /// The attributes of an instance with their values, `None` where there is none.
    pub fn attributes(&self, id: InstanceId) -> Vec<(&str, Option<Value>)> {
        let instance = &self.instances[id.0 as usize];
        let slots = &self.program.entities[instance.entity as usize].slots;
        let value = |slot: usize| {
            let var = &self.vars[instance.first as usize + 1 + slot];
            var.is_ready().then(|| var.value().clone())
        };
        let name = |id: &u32| self.program.name(self.program.attributes[*id as usize].name);
        let values = slots.iter().enumerate().map(|(slot, id)| (name(id), value(slot)));
        values.filter(|(name, _)| *name != "self").collect()
    }

    /// The names of the implementations that ran for an instance.
    pub fn implementations(&self, id: InstanceId) -> Vec<&str> {
        let ran = &self.instances[id.0 as usize].implementations;
        ran.iter().map(|id| self.program.implementations[*id as usize].full_name.as_str()).collect()
    }

    /// The places of an instance's constructors.
    pub fn places(&self, id: InstanceId) -> Vec<Location> {
        self.instances[id.0 as usize].places.iter().map(|place| self.location(*place)).collect()
    }
}

impl Names for Net<'_> {
    fn entity_name(&self, instance: InstanceId) -> &str {
        let entity = self.instances[instance.0 as usize].entity;
        &self.program.entities[entity as usize].full_name
    }

    fn constructed_at(&self, instance: InstanceId) -> String {
        let places = self.instances[instance.0 as usize].places.iter();
        let places: Vec<String> =
            places.map(|place| self.program.files.show(self.location(*place))).collect();
        places.join(",")
    }
}
