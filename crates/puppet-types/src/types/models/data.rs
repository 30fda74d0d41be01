//! Instances as plain data, as catalogs and files have them.
//!
//! `{"__ptype": "User", "name": "x", "roles": [{"__ptype": "Role", "gid": "adm"}]}`: features in
//! their order, kept values only. A link is `{"__pref": "Role#adm"}`, or by the path of its object
//! in the document if that has no name.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value as Data;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Instance;
use crate::value::Value;

/// The key of the name of the type.
pub const PTYPE: &str = "__ptype";
/// The key of the text of a link.
pub const PREF: &str = "__pref";

pub(super) struct Writer<'a> {
    /// Writes values that are no instances.
    plain: fn(&Value) -> Data,
    /// The outermost objects of the document, with their paths.
    roots: Vec<(&'a Arc<Instance>, EcoString)>,
    /// The index of the document, made when a link needs it.
    known: Option<DocumentIndex>,
    /// Links to objects outside of the document.
    pub(super) dangling: Vec<EcoString>,
}

/// The objects of a document.
#[derive(Default)]
struct DocumentIndex {
    /// The paths of the objects.
    paths: FxHashMap<*const Instance, EcoString>,
    /// The names of those that have one.
    names: FxHashSet<EcoString>,
}

impl<'a> Writer<'a> {
    /// A writer of a document with these outermost objects.
    pub(super) fn new(
        roots: Vec<(&'a Arc<Instance>, EcoString)>,
        plain: fn(&Value) -> Data,
    ) -> Self {
        Self { plain, roots, known: None, dangling: Vec::new() }
    }

    pub(super) fn object(&mut self, instance: &Instance) -> Data {
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
                None => (self.plain)(value),
            };
            entries.push((feature.name.clone(), data));
        }
        Data::map(entries)
    }

    pub(super) fn each(
        &mut self,
        value: &Value,
        mut of: impl FnMut(&mut Self, &Arc<Instance>) -> Data,
    ) -> Data {
        let mut one = |value: &Value| match value {
            Value::Instance(target) => of(self, target),
            other => (self.plain)(other),
        };
        match value {
            Value::Array(items) => Data::list(items.iter().map(one).collect::<Vec<_>>()),
            single => one(single),
        }
    }

    /// The text of a link to an object, and whether the object is in the document.
    fn link_text(&mut self, target: &Arc<Instance>) -> (EcoString, bool) {
        let roots = &self.roots;
        let known = self.known.get_or_insert_with(|| {
            let mut known = DocumentIndex::default();
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
            // Of an object outside of the document without a name, only the type can be written.
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

fn collect(instance: &Instance, path: EcoString, out: &mut DocumentIndex) {
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

/// An object as plain data, with all that is part of it; `plain` writes values that are no instances.
pub(crate) fn object_to_data(instance: &Arc<Instance>, plain: fn(&Value) -> Data) -> Data {
    Writer::new(vec![(instance, "#".into())], plain).object(instance)
}
