//! Instances as plain data, as catalogs and files have them.
//!
//! `{"__ptype": "User", "name": "x", "roles": [{"__ptype": "Role", "gid": "adm"}]}`: features in
//! their order, kept values only. A link is `{"__pref": "Role#adm"}`, or by the path of its object
//! in the document if that has no name.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value as Data;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Instance;
use crate::value::Value;

/// The key of the name of the type.
pub const PTYPE: &str = "__ptype";
/// The key of what a link says.
pub const PREF: &str = "__pref";

/// An object as plain data, with all that is part of it. Objects that only links lead to are not in
/// it.
pub fn to_data(instance: &Arc<Instance>) -> Data {
    writer(vec![(instance, "#".into())]).object(instance)
}

/// An object, or a list of some, as a document, and the links in it that lead to objects that are not.
pub fn document(value: &Value) -> (Data, Vec<EcoString>) {
    let roots: Vec<(&Arc<Instance>, EcoString)> = match value {
        Value::Instance(one) => vec![(one, "#".into())],
        Value::Array(items) => {
            let roots = items.iter().enumerate().filter_map(|(i, item)| match item {
                Value::Instance(one) => Some((one, eco_format!("#/{i}"))),
                _ => None,
            });
            roots.collect()
        }
        _ => Vec::new(),
    };
    let mut writer = writer(roots);
    let data = writer.each(value, |writer, one| writer.object(one));
    (data, writer.dangling)
}

fn writer(roots: Vec<(&Arc<Instance>, EcoString)>) -> Writer<'_> {
    Writer { roots, known: None, dangling: Vec::new() }
}

struct Writer<'a> {
    /// The outermost objects of the document, with their paths.
    roots: Vec<(&'a Arc<Instance>, EcoString)>,
    /// What is in the document, once a link asks for it.
    known: Option<Known>,
    /// Links to what is not in the document.
    dangling: Vec<EcoString>,
}

/// The objects of a document.
#[derive(Default)]
struct Known {
    /// Where each is.
    paths: FxHashMap<*const Instance, EcoString>,
    /// What links call those that have names.
    names: FxHashSet<EcoString>,
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
                    let (text, is_here) = w.link_text(target);
                    if !is_here {
                        let kind = &instance.kind.name;
                        w.dangling.push(eco_format!("{kind}: {}: {text}", feature.name));
                    }
                    link(text)
                }),
                None => crate::value::rich::to_data(value),
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
            other => crate::value::rich::to_data(other),
        };
        match value {
            Value::Array(items) => Data::list(items.iter().map(one).collect::<Vec<_>>()),
            single => one(single),
        }
    }

    /// What a link to an object says, and whether the object is in the document.
    fn link_text(&mut self, target: &Arc<Instance>) -> (EcoString, bool) {
        let roots = &self.roots;
        let known = self.known.get_or_insert_with(|| {
            let mut known = Known::default();
            roots.iter().for_each(|(root, path)| collect(root, path.clone(), &mut known));
            known
        });
        let path = known.paths.get(&Arc::as_ptr(target)).cloned();
        match (target.link_name(), path) {
            (Some(name), path) => {
                let is_here = path.is_some() || known.names.contains(&name);
                (name, is_here)
            }
            (None, Some(path)) => (path, true),
            // What is outside of the document and has no name can only be said to be of its type.
            (None, None) => (eco_format!("{}#", target.kind.name), false),
        }
    }
}

fn link(text: EcoString) -> Data {
    Data::map([(PREF, Data::Str(text))])
}

fn many(is_many: bool, mut items: impl Iterator<Item = Data>) -> Data {
    if is_many { Data::list(items) } else { items.next().unwrap_or(Data::Null) }
}

fn collect(instance: &Instance, path: EcoString, out: &mut Known) {
    let own = if path == "#" { "#/".into() } else { path.clone() };
    out.paths.insert(std::ptr::from_ref(instance), own);
    out.names.extend(instance.link_name());
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
