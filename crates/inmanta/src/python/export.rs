//! The resources of a model, as the classes of modules export them.

use std::collections::HashMap;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{Value as Data, json as data_json};
use ordain_functions::base64::Mode;
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use super::function::raised;
use super::message::{Message, list};
use super::rows::Rows;
use super::{COMPILE, Python, State, gone};
use crate::plugin::{Context, Stop};
use crate::value::InstanceId;

/// An entity of which instances are exported.
struct Entity {
    /// The places of the resource classes among all.
    exported_as: Vec<usize>,
    /// The names of its attributes.
    names: Vec<EcoString>,
    /// The instances with their attributes.
    rows: Rows,
}

/// The resources that the child exported.
#[derive(Debug, Default)]
pub struct Exported {
    /// The resources: maps of their fields, as the original writes them as JSON.
    pub resources: Vec<Data>,
    /// The instance of each resource, where there is one.
    pub instances: Vec<Option<InstanceId>>,
    /// The contents of files by their digests, if they were asked for.
    pub files: HashMap<String, Vec<u8>>,
    /// Warnings about them.
    pub warnings: Vec<String>,
    /// The instances that are left out because they are not known yet.
    pub skipped: Vec<String>,
}

impl Python {
    /// The resources of a model, as the child's classes export them.
    ///
    /// # Errors
    /// If one cannot be exported.
    pub fn export(
        &self,
        context: &mut dyn Context,
        instances: &[InstanceId],
    ) -> Result<Exported, Stop> {
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
        let resources = self.receive_resources(context)?;
        let numbers = answer["of"].as_array().into_iter().flatten().map(Json::as_u64);
        let instances = numbers.map(|number| number.map(|n| InstanceId(n as u32))).collect();
        let mut files = HashMap::new();
        for (digest, content) in answer["files"].as_object().into_iter().flatten() {
            let text = content.as_str().unwrap_or_default();
            let bytes = ordain_functions::base64::decode(text, Mode::Strict)
                .map_err(|error| Stop::raised("ValueError", error.to_string()))?;
            files.insert(digest.clone(), bytes);
        }
        Ok(Exported { resources, instances, files, warnings, skipped })
    }

    /// The resources follow in a message of their own: their numbers may have any size.
    fn receive_resources(&self, context: &dyn Context) -> Result<Vec<Data>, Stop> {
        let opened = self.host.session(context.world(), COMPILE);
        let text = opened.and_then(|mut session| session.receive_text());
        let text = text.map_err(|fault| gone(&fault, "the export"))?;
        match data_json::read_bytes(&text) {
            Ok(Data::List(groups)) => {
                Ok(Arc::unwrap_or_clone(groups).into_iter().flat_map(resources_of).collect())
            }
            Ok(_) => Ok(Vec::new()),
            Err(error) => Err(Stop::raised("ValueError", error.message)),
        }
    }

    /// The instances by the names of resources, with all that is known of them.
    fn export_message(&self, context: &mut dyn Context, instances: &[InstanceId]) -> Message {
        let State { resources, .. } = &*self.state.borrow();
        let mirror = &mut *self.mirror.borrow_mut();
        // An entity has many instances; its resource classes are found once.
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
                mirror.tell(instance);
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

/// The resources of a group: they have the same fields, whose names, number of values and values in
/// columns make up the group. A column of one value is the same for all.
fn resources_of(group: Data) -> Vec<Data> {
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
        Data::Map(Arc::new(names.iter().cloned().zip(values).collect()))
    };
    (0..usize::try_from(count).unwrap_or_default()).map(of_row).collect()
}

impl Exported {
    /// The resources as JSON. Numbers beyond 64 bits, which its values do not have, are objects
    /// with the key `$int`, as among the values of instances.
    pub fn json(&self) -> Json {
        self.resources.iter().map(as_json).collect()
    }
}

fn as_json(data: &Data) -> Json {
    match data {
        Data::Null => Json::Null,
        Data::Bool(truth) => Json::from(*truth),
        Data::Int(number) => Json::from(*number),
        Data::BigInt(digits) => json!({"$int": &**digits}),
        Data::Float(number) => Json::from(*number),
        Data::Str(text) => Json::from(text.as_str()),
        Data::List(items) => items.iter().map(as_json).collect(),
        Data::Map(entries) => {
            let name = |key: &Data| key.as_str().unwrap_or_default().to_owned();
            entries.iter().map(|(key, value)| (name(key), as_json(value))).collect()
        }
        // An export has neither.
        Data::Secret(inner) => as_json(inner),
        Data::Bytes(bytes) => Json::from(String::from_utf8_lossy(bytes)),
    }
}
