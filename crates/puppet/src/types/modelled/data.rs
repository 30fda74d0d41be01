//! Instances as plain data, as catalogs and files have them.
//!
//! `{"__ptype": "User", "name": "x", "roles": [{"__ptype": "Role", "gid": "adm"}]}`: features in
//! their order, kept values only. A link is `{"__pref": "Role#adm"}`, or by the path of its object
//! in the document if that has no name.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value as Data;
use rustc_hash::FxHashMap;

use super::Instance;
use crate::value::Value;

/// The key of the name of the type.
pub(crate) const PTYPE: &str = "__ptype";
/// The key of what a link says.
pub(crate) const PREF: &str = "__pref";

/// An object as plain data, with all that is part of it. Objects that only links lead to are not in
/// it.
pub fn to_data(instance: &Arc<Instance>) -> Data {
    Writer { root: instance, paths: None }.object(instance)
}

struct Writer<'a> {
    root: &'a Arc<Instance>,
    /// Where the objects of the document are, once a link asks for it.
    paths: Option<FxHashMap<*const Instance, EcoString>>,
}

impl Writer<'_> {
    fn object(&mut self, instance: &Instance) -> Data {
        let mut entries: Vec<(EcoString, Data)> =
            vec![(PTYPE.into(), Data::Str(instance.kind.name.clone()))];
        for (i, slot, value) in instance.written() {
            let feature = &slot.feature;
            let data = match instance.links().and_then(|links| links.of(i)) {
                Some(texts) => many(slot.is_many, texts.iter().map(|text| link(text.clone()))),
                None if feature.is_containment() => self.each(value, |w, target| w.object(target)),
                None if feature.is_reference() => self.each(value, |w, target| {
                    let name = target.link_name();
                    link(name.unwrap_or_else(|| w.path(target)))
                }),
                None => crate::rich::to_data(value),
            };
            entries.push((feature.name.clone(), data));
        }
        Data::map(entries)
    }

    fn each(
        &mut self,
        value: &Value,
        mut of: impl FnMut(&mut Self, &Arc<Instance>) -> Data,
    ) -> Data {
        let mut one = |value: &Value| match value {
            Value::Instance(target) => of(self, target),
            other => crate::rich::to_data(other),
        };
        match value {
            Value::Array(items) => Data::list(items.iter().map(one).collect::<Vec<_>>()),
            single => one(single),
        }
    }

    /// Where an object is in the document.
    fn path(&mut self, target: &Arc<Instance>) -> EcoString {
        let root = self.root;
        let paths = self.paths.get_or_insert_with(|| {
            let mut paths = FxHashMap::default();
            collect(root, EcoString::from("#"), &mut paths);
            paths
        });
        let known = paths.get(&Arc::as_ptr(target)).cloned();
        // What is outside of the document and has no name can only be said to be of its type.
        known.unwrap_or_else(|| eco_format!("{}#", target.kind.name))
    }
}

fn link(text: EcoString) -> Data {
    Data::map([(PREF, Data::Str(text))])
}

fn many(is_many: bool, mut items: impl Iterator<Item = Data>) -> Data {
    if is_many { Data::list(items) } else { items.next().unwrap_or(Data::Null) }
}

fn collect(instance: &Instance, path: EcoString, out: &mut FxHashMap<*const Instance, EcoString>) {
    out.insert(std::ptr::from_ref(instance), if path == "#" { "#/".into() } else { path.clone() });
    for (_, slot, value) in instance.written().filter(|(_, slot, _)| slot.feature.is_containment())
    {
        let name = &slot.feature.name;
        match value {
            Value::Instance(part) => collect(part, eco_format!("{path}/{name}"), out),
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    if let Value::Instance(part) = item {
                        collect(part, eco_format!("{path}/{name}/{i}"), out);
                    }
                }
            }
            _ => {}
        }
    }
}
