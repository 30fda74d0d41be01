//! Resources that the Python classes of modules export.

use std::collections::HashMap;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{Map, Value as Data, json as data_json};
use ordain_functions::base64::Mode;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::conversation::gone;
use super::function::raised;
use super::message::{Message, list};
use super::rows::Rows;
use super::{COMPILE, Python, State};
use crate::diagnostics::Exception;
use crate::model::plugin::{Context, Stop};
use crate::model::resource::{Export, Id, Resource};
use crate::value::InstanceId;

/// An entity with its exported instances.
struct Entity {
    /// The positions of its resource classes.
    exported_as: Vec<usize>,
    /// The names of its attributes.
    names: Vec<EcoString>,
    /// The instances with their attributes.
    rows: Rows,
}

impl Python {
    /// Exports the resources of a model with the classes in the child.
    ///
    /// # Errors
    /// If a resource cannot be exported.
    pub fn export(
        &self,
        context: &mut dyn Context,
        instances: &[InstanceId],
    ) -> Result<Export, Stop> {
        self.mirror.borrow_mut().finish();
        let message = self.export_message(context, instances);
        let answer = self.converse(context, message, "the export")?;
        if let Some(error) = answer.get("error") {
            return Err(raised(error, context, &mut self.mirror.borrow_mut()));
        }
        let texts = |name: &str| -> Vec<String> {
            let list = answer[name].as_array().into_iter().flatten();
            list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let (warnings, skipped) = (texts("warnings"), texts("skipped"));
        let fields = self.receive_fields(context)?;
        let resources = resources(&answer, fields);
        let mut files = HashMap::new();
        for (digest, content) in answer["files"].as_object().into_iter().flatten() {
            let text = content.as_str().unwrap_or_default();
            let bytes = ordain_functions::base64::decode(text, Mode::Strict)
                .map_err(|error| Stop::raised(Exception::ValueError, error.to_string()))?;
            files.insert(digest.clone(), bytes);
        }
        Ok(Export { resources, files, warnings, skipped })
    }

    /// Receives the fields of all resources. They have a message of their own, since their numbers
    /// may have any size.
    fn receive_fields(&self, context: &dyn Context) -> Result<Vec<Map>, Stop> {
        let opened = self.host.session(context.world(), COMPILE);
        let text = opened.and_then(|mut session| session.receive_text());
        let text = text.map_err(|fault| gone(&fault, "the export"))?;
        match data_json::read_bytes(&text) {
            Ok(Data::List(groups)) => {
                Ok(Arc::unwrap_or_clone(groups).into_iter().flat_map(fields_of).collect())
            }
            Ok(_) => Ok(Vec::new()),
            Err(error) => Err(Stop::raised(Exception::ValueError, error.message)),
        }
    }

    /// The message with the instances of each resource class and their attributes.
    fn export_message(&self, context: &mut dyn Context, instances: &[InstanceId]) -> Message {
        let State { resources, .. } = &*self.state.borrow();
        let mirror = &mut *self.mirror.borrow_mut();
        // Entities have many instances, so the resource classes of each entity are cached.
        let mut of_entity: FxHashMap<EcoString, Entity> = FxHashMap::default();
        let mut found: Vec<Vec<u32>> = vec![Vec::new(); resources.len()];
        let mut order = Vec::new();
        for &instance in instances {
            let name = context.entity_name(instance);
            if !of_entity.contains_key(name) {
                let is = |name: &String| context.is_instance(instance, name) == Some(true);
                let exported_as = (0..resources.len()).filter(|&at| is(&resources[at])).collect();
                let names = context.attribute_names(instance);
                let name = EcoString::from(name);
                order.push(name.clone());
                of_entity.insert(name, Entity { exported_as, names, rows: Rows::default() });
            }
            let Some(entity) = of_entity.get_mut(context.entity_name(instance)) else { continue };
            for &at in &entity.exported_as {
                found[at].push(instance.0);
            }
            if !entity.exported_as.is_empty() && mirror.completes(instance) {
                mirror.register(instance);
                entity.rows.add(context, instance, &entity.names, mirror);
            }
        }
        let mut message = Message::with("do", "export");
        message.set("files", self.wants_files.get());
        let of_entity = order.iter().filter_map(|name| of_entity.get(name));
        let exported = of_entity.filter(|entity| !entity.rows.is_empty());
        list(message.entry("rows"), exported, |out, entity| entity.rows.write(out, &entity.names));
        let mut by_name = Message::new();
        for (name, of_name) in resources.iter().zip(found) {
            by_name.set(name, of_name);
        }
        message.entry("instances").extend(by_name.into_text());
        message
    }
}

/// The fields of a group of resources with the same field names: the names, the number of values,
/// and the values in columns. A column of one value is the same for all.
fn fields_of(group: Data) -> Vec<Map> {
    let items = |data: Data| match data {
        Data::List(items) => Arc::unwrap_or_clone(items),
        _ => Vec::new(),
    };
    let [names, count, columns] = <[Data; 3]>::try_from(items(group)).unwrap_or_default();
    let (names, count) = (items(names), count.as_int().unwrap_or_default());
    let mut columns: Vec<Vec<Data>> = items(columns).into_iter().map(items).collect();
    let of_row = |row: usize| {
        let values = columns.iter_mut().map(|column| match column.as_mut_slice() {
            [value] => value.clone(),
            values => values.get_mut(row).map(std::mem::take).unwrap_or_default(),
        });
        names.iter().cloned().zip(values).collect()
    };
    (0..usize::try_from(count).unwrap_or_default()).map(of_row).collect()
}

/// The resources of an answer with their fields.
fn resources(answer: &Json, fields: Vec<Map>) -> Vec<Resource> {
    let list = |name: &str| answer[name].as_array().into_iter().flatten();
    let ids: Vec<Arc<Id>> = list("ids").map(|parts| Arc::new(id_of(parts))).collect();
    let required = |position: &Json| ids.get(position.as_u64()? as usize).cloned();
    ids.iter()
        .zip(list("requires"))
        .zip(list("of"))
        .zip(fields)
        .map(|(((id, requires), instance), fields)| Resource {
            id: id.clone(),
            instance: instance.as_u64().map(|number| InstanceId(number as u32)),
            fields,
            requires: requires.as_array().into_iter().flatten().filter_map(required).collect(),
        })
        .collect()
}

fn id_of(parts: &Json) -> Id {
    let part = |at: usize| parts[at].as_str().unwrap_or_default().to_owned();
    Id { entity: part(0), agent: part(1), attribute: part(2), value: part(3) }
}
