//! Titles of resources whose type takes them apart by patterns, and names of several parts.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::text::inspect_ruby;
use ordain_source::{FileId, Span, TextRange};
use rustc_hash::FxHashMap;

use crate::catalog::values::new_param;
use crate::catalog::{
    How, Param, ParamOrigin, RelationEnd, Resource, ResourceId, ResourceKind, flat,
};
use crate::compile::finish::is_relation;
use crate::error::EvalResult;
use crate::load::RubyType;
use crate::load::native_type::NativeType;
use crate::state::Compiler;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;
use crate::value::ruby::{ruby_inspect, ruby_text};

impl Compiler<'_> {
    /// Gives a resource the attributes that its title tells, where the patterns of its type take
    /// titles apart.
    pub(super) fn add_title_values(
        &mut self,
        resource: &mut Resource,
        scope: ScopeId,
    ) -> EvalResult<()> {
        let ResourceKind::Native(schema) = &resource.what else { return Ok(()) };
        let (Some(kind), Some(span)) = (schema.ruby.clone().filter(|k| k.patterns), resource.span)
        else {
            return Ok(());
        };
        let name = resource.kind.to_lowercase();
        let mut values = self.title_values(&name, &kind, &resource.title, (scope, span))?;
        if let Some(model) = &schema.model {
            self.titles_as_features(model, &mut values);
        }
        let namevar = match &*kind.namevars {
            [one] => one.as_str(),
            _ => "name",
        };
        let container = self.scopes.get(scope).resource;
        let given = values.into_iter().filter(|(name, value)| {
            let is_title = name == namevar && value.as_str() == Some(&resource.title);
            !is_title && !value.is_undef() && resource.param(name).is_none()
        });
        let params: Vec<Param> = given
            .map(|(name, value)| {
                let origin =
                    ParamOrigin { how: How::Declaration, span: Some(span), within: container };
                new_param(name, value, false, origin)
            })
            .collect();
        if !params.is_empty() {
            resource.params.edit(|all| drop(all.splice(0..0, params)));
        }
        Ok(())
    }
}

impl Compiler<'_> {
    /// The resource of a title, or the one whose name attributes together are what the title says by
    /// the patterns of its type.
    pub(crate) fn find_named(&mut self, key: &ResourceKey) -> Option<ResourceId> {
        if let Some(id) = self.catalog.find(key) {
            return Some(id);
        }
        let id = self.find_by_parts(key)?;
        self.catalog.alias(key.clone(), id);
        Some(id)
    }

    fn find_by_parts(&mut self, key: &ResourceKey) -> Option<ResourceId> {
        let first = *self.catalog.of_kind(&key.kind).first()?;
        let ResourceKind::Native(schema) = &self.catalog.get(first).what else { return None };
        let kind = schema.ruby.clone().filter(is_composite)?;
        let nowhere = Span { file: FileId(0), range: TextRange::default() };
        let name = key.kind.to_lowercase();
        let values = self.title_values(&name, &kind, &key.title, (ScopeId::TOP, nowhere)).ok()?;
        let value = |name: &str| {
            let value = values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            value.cloned().unwrap_or_default()
        };
        let mut names: Vec<&EcoString> = kind.namevars.iter().collect();
        names.sort();
        let parts = names.into_iter().map(|name| String::from(ruby_text(&value(name))));
        let title = parts.collect::<Vec<_>>().join("\0");
        self.catalog.find(&ResourceKey::new(&key.kind, &title))
    }

    /// The resources that have, with the defaults of their types, the name of another, and what is to
    /// say of each.
    pub(crate) fn doubles_by_parts(&self) -> Vec<(ResourceId, ResourceId, String)> {
        let mut known: FxHashMap<(&str, String), ResourceId> = FxHashMap::default();
        let mut doubles = Vec::new();
        for (i, resource) in self.catalog.resources.iter().enumerate() {
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
                    doubles.push((id, *first.get(), self.cannot_alias(id, *first.get(), &name)));
                }
            }
        }
        doubles
    }

    fn cannot_alias(&self, id: ResourceId, first: ResourceId, name: &OtherName) -> String {
        let (resource, first) = (self.catalog.get(id), self.catalog.get(first));
        let at = self.place(resource.span).map(|p| format!(" at {p}")).unwrap_or_default();
        let other = self.place(first.span).map(|p| format!(" {p}")).unwrap_or_default();
        let (shown, parts) = (name.shown(), name.parts());
        format!(
            "Cannot alias {} to {shown}{at}; resource [\"{}\", {parts}] already declared{other}",
            resource.reference(),
            resource.kind,
        )
    }

    /// Lets the references in relations find resources by what their name attributes are together.
    pub(super) fn name_by_parts(&mut self) {
        let is_of_parts = |resource: &&Resource| match &resource.what {
            ResourceKind::Native(schema) => schema.ruby.as_ref().is_some_and(is_composite),
            _ => false,
        };
        let of_parts = self.catalog.resources.iter().filter(is_of_parts);
        let kinds: BTreeSet<EcoString> = of_parts.map(|resource| resource.kind.clone()).collect();
        if kinds.is_empty() {
            return;
        }
        let mut keys: Vec<ResourceKey> = Vec::new();
        for relation in &self.catalog.relations {
            let ends = relation.from.iter().chain(relation.to.iter());
            keys.extend(ends.filter_map(|end| match end {
                RelationEnd::Resource(key) => Some(key.clone()),
                RelationEnd::Collector(_) => None,
            }));
        }
        for resource in &self.catalog.resources {
            for param in resource.params.iter().filter(|param| is_relation(&param.name)) {
                let mut several = Vec::new();
                let values = flat(&param.value, &mut several);
                keys.extend(values.iter().filter_map(|value| self.reference_of(value)));
            }
        }
        for key in keys.iter().filter(|key| kinds.contains(&key.kind)) {
            self.find_named(key);
        }
    }
}

/// Whether resources of a type have names of several parts.
fn is_composite(kind: &Arc<RubyType>) -> bool {
    kind.patterns && kind.namevars.len() > 1
}

/// What several name attributes together name a resource by.
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
    Some(OtherName { name, texts: Texts::Made { shown, parts } })
}

/// Other names of a resource: `alias`, and the value of its name attribute.
pub(super) fn other_names(resource: &Resource) -> Vec<OtherName> {
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
                texts: Texts::Made { shown, parts },
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
pub(super) struct OtherName {
    /// What it is found by.
    pub(super) name: String,
    texts: Texts,
}

/// How messages show another name.
enum Texts {
    /// A single value: its texts are only made for a message.
    Of {
        value: Value,
        in_brackets: bool,
    },
    Made {
        shown: String,
        parts: String,
    },
}

impl OtherName {
    /// A name that is any value: one text is a name like a title, others are only equal to the same.
    /// Names that are sensitive are compared by what is in them, which messages do not show.
    fn of(value: &Value, in_brackets: bool) -> Self {
        let revealed = value.revealed();
        let mut several = Vec::new();
        let name = match flat(&revealed, &mut several) {
            [Value::Str(text)] => text.to_string(),
            // A reference is only equal to itself.
            [Value::Reference(kind)] => format!("\0{:p}", Arc::as_ptr(kind)),
            items => format!("\0{}", inspected(items)),
        };
        Self { name, texts: Texts::Of { value: value.clone(), in_brackets } }
    }

    /// The name as messages have it.
    pub(super) fn shown(&self) -> String {
        match &self.texts {
            Texts::Of { value, in_brackets: true } => format!("[{}]", ruby_inspect(value)),
            Texts::Of { value, in_brackets: false } => ruby_inspect(value),
            Texts::Made { shown, .. } => shown.clone(),
        }
    }

    /// The parts of the name, as messages list them.
    pub(super) fn parts(&self) -> String {
        match &self.texts {
            Texts::Of { value, .. } => {
                let mut several = Vec::new();
                inspected(flat(value, &mut several))
            }
            Texts::Made { parts, .. } => parts.clone(),
        }
    }
}

/// Values as a list without brackets.
fn inspected(items: &[Value]) -> String {
    items.iter().map(ruby_inspect).collect::<Vec<_>>().join(", ")
}
