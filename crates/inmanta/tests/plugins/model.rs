//! A fake model, for calling plugins without an evaluator.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_inmanta::diagnostics::{Class, Error};
use ordain_inmanta::functions::std_plugins;
use ordain_inmanta::location::Location;
use ordain_inmanta::model::plugin::{
    Arguments, Context, Native, Origin, Plugin, PluginState, Stop,
};
use ordain_inmanta::value::{InstanceId, Names, Value, VarId};
use ordain_source::World;

pub(crate) struct Instance {
    pub entity: String,
    /// `Err` is a variable without a value, or `None` an optional relation without one.
    pub attributes: IndexMap<String, Slot>,
}

pub(crate) enum Slot {
    Value(Value),
    Unset(u32),
    Empty,
}

pub(crate) struct Model {
    pub world: Box<dyn World>,
    pub directory: PathBuf,
    pub modules: HashMap<String, PathBuf>,
    pub instances: Vec<Instance>,
    pub parents: HashMap<String, Vec<String>>,
    pub variables: HashMap<String, Value>,
    pub output: Vec<String>,
    pub natives: Vec<Native>,
    pub state: PluginState,
}

impl Model {
    pub(crate) fn new(world: Box<dyn World>, directory: &Path) -> Self {
        Self {
            world,
            directory: directory.into(),
            modules: HashMap::new(),
            instances: Vec::new(),
            parents: HashMap::new(),
            variables: HashMap::new(),
            output: Vec::new(),
            natives: std_plugins(),
            state: PluginState::default(),
        }
    }

    pub(crate) fn add(&mut self, entity: &str, attributes: Vec<(&str, Slot)>) -> Value {
        let attributes = attributes.into_iter().map(|(name, slot)| (name.into(), slot)).collect();
        self.instances.push(Instance { entity: entity.into(), attributes });
        Value::Instance(InstanceId(self.instances.len() as u32 - 1))
    }

    /// Calls a plugin of the module `std` with positional arguments.
    pub(crate) fn std(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Stop> {
        self.call(&format!("std::{name}"), arguments, &[])
    }
}

/// Arguments for a plugin; their types are not checked.
pub(crate) fn arguments(
    plugin: &dyn Plugin,
    positional: &[Value],
    named: &[(EcoString, Value)],
) -> Arguments {
    let signature = plugin.signature();
    let mut out = Arguments::default();
    for (index, param) in signature.params.iter().enumerate() {
        let by_name = named.iter().find(|(name, _)| *name == param.name).map(|(_, v)| v.clone());
        out.values.push(positional.get(index).cloned().or(by_name).or(param.default.clone()));
    }
    out.rest = positional.iter().skip(signature.params.len()).cloned().collect();
    let is_param = |name: &str| signature.params.iter().any(|param| param.name == name);
    out.keywords = named.iter().filter(|(name, _)| !is_param(name)).cloned().collect();
    out
}

impl Names for Model {
    fn entity_name(&self, instance: InstanceId) -> &str {
        &self.instances[instance.0 as usize].entity
    }

    fn constructed_at(&self, _: InstanceId) -> String {
        "./main.cf:1".into()
    }
}

impl Context for Model {
    fn world(&self) -> &dyn World {
        &*self.world
    }

    fn state(&mut self) -> &mut PluginState {
        &mut self.state
    }

    fn attribute(&mut self, instance: InstanceId, name: &str) -> Result<Value, Stop> {
        let found = &self.instances[instance.0 as usize];
        match found.attributes.get(name) {
            Some(Slot::Value(value)) if value.is_unknown() => Err(Stop::Unknown(value.clone())),
            Some(Slot::Value(value)) => Ok(value.clone()),
            Some(Slot::Unset(variable)) => Err(Stop::Unset(vec![VarId(*variable)])),
            Some(Slot::Empty) => {
                let text = format!("Optional variable accessed that has no value ({name})");
                Err(Error::new(Class::OptionalValue, text).into())
            }
            None => {
                let text =
                    format!("could not find attribute with name: {name} in type {}", found.entity);
                Err(Error::new(Class::NotFound, text).into())
            }
        }
    }

    fn attribute_names(&self, instance: InstanceId) -> Vec<EcoString> {
        let found = &self.instances[instance.0 as usize];
        found.attributes.keys().map(EcoString::from).collect()
    }

    fn is_instance(&self, instance: InstanceId, entity: &str) -> Option<bool> {
        let own = self.entity_name(instance);
        let above = self.parents.get(own).is_some_and(|all| all.iter().any(|one| one == entity));
        Some(own == entity || above)
    }

    fn lookup(&mut self, name: &str) -> Result<Value, Stop> {
        self.variables
            .get(name)
            .cloned()
            .ok_or_else(|| Error::new(Class::NotFound, format!("variable {name} not found")).into())
    }

    fn lookup_in(&mut self, namespace: &str, name: &str) -> Result<Value, Stop> {
        self.lookup(&format!("{namespace}::{name}"))
    }

    fn namespace(&self) -> &str {
        "m::sub"
    }

    fn location(&self) -> Location {
        Location::line(0, 1)
    }

    fn print(&mut self, line: &str) {
        self.output.push(line.into());
    }

    fn warn(&mut self, _: &str, text: &str) {
        self.output.push(format!("warning: {text}"));
    }

    fn project_directory(&self) -> &Path {
        &self.directory
    }

    fn module_directory(&self, module: &str) -> Option<&Path> {
        self.modules.get(module).map(PathBuf::as_path)
    }

    fn setting(&self, section: &str, key: &str) -> Option<&str> {
        (section == "config" && key == "environment").then_some("env")
    }

    fn fact(&self, _: &str, name: &str) -> Option<Value> {
        (name == "known").then(|| Value::str("fact"))
    }

    fn unknown_parameter(&mut self, resource: &str, name: &str) {
        self.output.push(format!("unknown parameter: {resource} {name}"));
    }

    fn construct(
        &mut self,
        entity: &str,
        attributes: &[(EcoString, Value)],
        _: Option<&Origin>,
    ) -> Result<Value, Stop> {
        let slots = attributes.iter().map(|(name, v)| (name.as_str(), Slot::Value(v.clone())));
        Ok(self.add(entity, slots.collect()))
    }

    fn call(
        &mut self,
        plugin: &str,
        positional: &[Value],
        named: &[(EcoString, Value)],
    ) -> Result<Value, Stop> {
        let found = self.natives.iter().find(|native| native.signature.name == plugin);
        let found = found.unwrap_or_else(|| panic!("there is {plugin}"));
        let (run, arguments) = (found.run, arguments(found, positional, named));
        run(self, &arguments)
    }

    fn plugin_names(&self) -> Vec<EcoString> {
        self.natives.iter().map(|native| native.signature.name.clone()).collect()
    }
}
