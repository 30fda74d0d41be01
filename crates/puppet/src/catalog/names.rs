//! Names of resources besides their titles: `alias`, name attributes, and composite names.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::text::inspect_ruby;
use rustc_hash::FxHashMap;

use crate::catalog::{Catalog, Resource, ResourceId, ResourceKind, flat};
use crate::load::RubyType;
use crate::load::native_type::NativeType;
use crate::value::Value;
use crate::value::ruby::{ruby_inspect, ruby_text};

/// A resource that has the composite name of an earlier one.
pub(crate) struct DuplicateName {
    pub(crate) resource: ResourceId,
    pub(crate) first: ResourceId,
    pub(crate) name: OtherName,
}

impl Catalog {
    /// The resources that have the composite name of an earlier one, once the defaults of their types
    /// are set.
    pub(crate) fn duplicate_names(&self) -> Vec<DuplicateName> {
        let mut known: FxHashMap<(&str, String), ResourceId> = FxHashMap::default();
        let mut duplicates = Vec::new();
        for (i, resource) in self.resources.iter().enumerate() {
            let ResourceKind::Native(schema) = &resource.what else { continue };
            if resource.is_virtual || !schema.is_isomorphic() {
                continue;
            }
            let Some(name) = composite_name(resource, schema) else { continue };
            let id = ResourceId(i as u32);
            match known.entry((resource.kind.as_str(), name.name.clone())) {
                Entry::Vacant(place) => {
                    place.insert(id);
                }
                Entry::Occupied(first) => {
                    duplicates.push(DuplicateName { resource: id, first: *first.get(), name });
                }
            }
        }
        duplicates
    }
}

/// Whether the resources of a type have composite names: several name attributes, found in titles by
/// patterns.
pub(crate) fn is_composite(kind: &Arc<RubyType>) -> bool {
    kind.patterns && kind.namevars.len() > 1
}

/// The composite name of a resource, if its type has them.
fn composite_name(resource: &Resource, schema: &NativeType) -> Option<OtherName> {
    let kind = schema.ruby.as_ref().filter(|kind| is_composite(kind))?;
    let mut names: Vec<&EcoString> = kind.namevars.iter().collect();
    names.sort();
    let values: Vec<Value> = names
        .iter()
        .map(|name| match resource.param(name) {
            Some(param) => param.value.clone(),
            None if name.as_str() == "name" => Value::Str(resource.title.clone()),
            None => Value::Undef,
        })
        .collect();
    let text = |value: Value| String::from(ruby_text(&value));
    let texts: Vec<String> = values.iter().map(|value| text(value.revealed())).collect();
    let parts: Vec<String> = values.iter().map(|value| inspect_ruby(&ruby_text(value))).collect();
    let (name, parts) = (texts.join("\0"), parts.join(", "));
    let shown = ruby_inspect(&Value::array(values));
    Some(OtherName { name, texts: Texts::Composed { shown, parts } })
}

/// Other names of a resource: `alias`, and the value of its name attribute.
pub(crate) fn other_names(resource: &Resource) -> Vec<OtherName> {
    let mut several = Vec::new();
    let alias = resource.param("alias").map(|p| flat(&p.value, &mut several));
    let is_name = |value: &&Value| !value.is_undef();
    let aliases = alias.unwrap_or_default().iter().filter(is_name);
    let mut out: Vec<OtherName> = aliases.map(|a| OtherName::of(a, false)).collect();
    let ResourceKind::Native(schema) = &resource.what else { return out };
    if !schema.is_isomorphic() {
        return out;
    }
    out.extend(composite_name(resource, schema));
    let Some(namevar) = schema.namevar() else { return out };
    let title = Value::Str(resource.title.clone());
    let given = resource.param(namevar).map(|p| &p.value);
    let is_given = |value: &&Value| is_name(value) && **value != Value::Bool(false);
    let name = given.filter(is_given).unwrap_or(&title);
    let provider = resource.param("provider").map(|p| &p.value).filter(is_name);
    match provider.filter(|_| resource.kind == "Package") {
        // One package may come from several providers.
        Some(provider) => {
            let name_text = ruby_inspect(name);
            let [name, from] = [name, provider].map(|value| OtherName::of(value, false));
            let listed = [name.parts(), from.parts()].into_iter().filter(|part| !part.is_empty());
            let parts = listed.collect::<Vec<_>>().join(", ");
            let shown = format!("[{name_text}, {}]", ruby_inspect(provider));
            out.push(OtherName {
                name: format!("{}\0{}", name.name, from.name),
                texts: Texts::Composed { shown, parts },
            });
        }
        None if *name != title => {
            out.push(OtherName::of(name, true));
        }
        None => {}
    }
    out
}

/// A name of a resource beside its title.
pub(crate) struct OtherName {
    /// The key of the lookup.
    pub(crate) name: String,
    texts: Texts,
}

/// The texts of a name in messages. Few names are ever shown, so a single value is formatted on demand.
enum Texts {
    Single { value: Value, in_brackets: bool },
    Composed { shown: String, parts: String },
}

impl OtherName {
    /// A name that may be any value. A single text is comparable with titles, other values only with
    /// equal values. Sensitive names are compared by their content, which messages hide.
    fn of(value: &Value, in_brackets: bool) -> Self {
        let revealed = value.revealed();
        let mut several = Vec::new();
        let name = match flat(&revealed, &mut several) {
            [Value::Str(text)] => text.to_string(),
            // A reference is only equal to itself.
            [Value::Reference(kind)] => format!("\0{:p}", Arc::as_ptr(kind)),
            items => format!("\0{}", inspected(items)),
        };
        Self { name, texts: Texts::Single { value: value.clone(), in_brackets } }
    }

    /// The name in messages.
    pub(crate) fn shown(&self) -> String {
        match &self.texts {
            Texts::Single { value, in_brackets: true } => format!("[{}]", ruby_inspect(value)),
            Texts::Single { value, in_brackets: false } => ruby_inspect(value),
            Texts::Composed { shown, .. } => shown.clone(),
        }
    }

    /// The parts of the name in messages.
    pub(crate) fn parts(&self) -> String {
        match &self.texts {
            Texts::Single { value, .. } => {
                let mut several = Vec::new();
                inspected(flat(value, &mut several))
            }
            Texts::Composed { parts, .. } => parts.clone(),
        }
    }
}

/// Values as a list without brackets.
fn inspected(items: &[Value]) -> String {
    items.iter().map(ruby_inspect).collect::<Vec<_>>().join(", ")
}
