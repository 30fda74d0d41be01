//! Attributes from title patterns, and references by composite names.

use std::collections::BTreeSet;

use ecow::EcoString;

use crate::catalog::names::is_composite;
use crate::catalog::values::{new_param, relationship_target};
use crate::catalog::{Param, ParamOrigin, ParamSource, RelationEnd, Resource, ResourceKind, flat};
use crate::compile::finish::is_relation;
use crate::error::EvalResult;
use crate::state::Compiler;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;

impl Compiler<'_> {
    /// Adds the attributes that the title patterns of a resource's type find in its title.
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
                let origin = ParamOrigin {
                    how: ParamSource::Declaration,
                    span: Some(span),
                    within: container,
                };
                new_param(name, value, false, origin)
            })
            .collect();
        if !params.is_empty() {
            resource.params.edit(|all| drop(all.splice(0..0, params)));
        }
        Ok(())
    }

    /// Adds an alias for each resource that a relationship refers to by its composite name.
    pub(super) fn alias_composite_names(&mut self) {
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
                keys.extend(values.iter().filter_map(relationship_target));
            }
        }
        for key in keys.iter().filter(|key| kinds.contains(&key.kind)) {
            self.find_named(key);
        }
    }
}
