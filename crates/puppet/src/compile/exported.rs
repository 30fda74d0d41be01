//! Exported resources: `<<| |>>` collects the exports of this node and of others.

use std::borrow::Cow;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::ResourceRef;
use ordain_graph::exports::Exported;
use ordain_graph::place::Place;
use ordain_source::Span;

use crate::catalog::query::{Candidate, fits};
use crate::catalog::resource::Import;
use crate::catalog::values::{Declaration, new_param};
use crate::catalog::{Param, ParamOrigin, ParamSource, Resource, ResourceId};
use crate::error::{EvalResult, PlainError, Unwind};
use crate::eval::collect::TagCache;
use crate::state::Compiler;
use crate::value::Value;
use crate::value::resource_key::ResourceKey;
use crate::value::rich::{from_data, to_data};

/// A resource of another node that is not in the catalog.
struct ForeignResource<'a>(&'a Exported);

impl Candidate for ForeignResource<'_> {
    fn title(&self) -> &str {
        &self.0.id.title
    }

    fn param(&self, name: &str) -> Cow<'_, Value> {
        let found = self.0.attributes.iter().find(|(n, _)| n == name);
        Cow::Owned(found.map_or(Value::Undef, |(_, value)| from_data(value)))
    }

    fn has_tag(&self, tag: &str) -> bool {
        self.0.tags.iter().any(|t| t == tag)
    }
}

impl Compiler<'_> {
    /// The resources that this node exports, once the catalog is finished.
    pub(crate) fn exports(&self) -> Vec<Exported> {
        let exported = self.catalog.resources.iter().filter(|resource| resource.exported);
        let one = |resource: &Resource| {
            let params = resource.params.iter().filter(|p| !p.value.is_undef());
            let attribute = |param: &Param| {
                let value = match to_data(&param.value) {
                    value @ Data::Secret(_) => value,
                    value if resource.sensitive.contains(&param.name) => {
                        Data::Secret(Arc::new(value))
                    }
                    value => self.decrypted.mark(value),
                };
                (param.name.clone(), value)
            };
            let tags = resource.tags.iter().map(|tag| self.catalog.tags.name(tag).clone());
            Exported {
                node: self.node.clone(),
                id: ResourceRef { kind: resource.kind.clone(), title: resource.title.clone() },
                attributes: params.map(attribute).collect(),
                tags: tags.collect(),
                place: resource.span.map(|span| self.place_of(span)),
            }
        };
        exported.map(one).collect()
    }

    fn place_of(&self, span: Span) -> Place {
        let file = self.env.sources.file(span.file);
        let line = file.line_col(span.range.start).line;
        Place { file: file.path.display().to_string(), line, column: 0 }
    }

    /// The resources that a collector of exported resources takes now: own ones, and those of other
    /// nodes, which are added to the catalog. Without a store nothing is collected, as upstream.
    pub(crate) fn collect_exported(&mut self, number: usize) -> EvalResult<Vec<ResourceId>> {
        if self.settings.exports.is_none() {
            return Ok(Vec::new());
        }
        let collector = &self.catalog.collectors[number];
        let held = TagCache::default();
        let kind = collector.kind.clone();
        let mut hits: Vec<ResourceId> = self
            .catalog
            .of_kind(&kind)
            .iter()
            .copied()
            .filter(|&id| self.catalog.get(id).exported)
            .filter(|id| !collector.collected.contains(id))
            .filter(|&id| self.fits(&collector.query, id, &held))
            .collect();
        let query = collector.query.clone();
        for exported in self.exported_elsewhere(&kind)?.iter() {
            if fits(&query, &ForeignResource(exported)) {
                hits.extend(self.import(number, exported)?);
            }
        }
        Ok(hits)
    }

    /// The exports of other nodes of a kind. The store is read once per kind.
    fn exported_elsewhere(&mut self, kind: &EcoString) -> EvalResult<Arc<[Exported]>> {
        if let Some(known) = self.catalog.exported_elsewhere.get(kind) {
            return Ok(Arc::clone(known));
        }
        let Some(store) = &self.settings.exports else { return Ok(Arc::default()) };
        let found = store.of_kind(kind, &self.node);
        let found: Arc<[Exported]> = found.map_err(PlainError::new)?.into();
        self.catalog.exported_elsewhere.insert(kind.clone(), Arc::clone(&found));
        Ok(found)
    }

    /// The error of an exported resource that is also declared here, or exported by a third node.
    fn duplicate_import(
        &self,
        number: usize,
        exported: &Exported,
        known: ResourceId,
    ) -> Box<Unwind> {
        let mut error = PlainError::new(format!(
            "A duplicate resource was found while collecting exported resources, with the type and title {}",
            exported.id
        ));
        error.related.push((self.catalog.collectors[number].span, "collected here".into()));
        let at = exported.place.as_ref().map(|p| format!(" at {p}")).unwrap_or_default();
        let known_by = match (self.catalog.imports.get(&known), self.catalog.get(known).span) {
            (Some(import), _) => format!(", and so does {}", import.node),
            (None, Some(span)) => {
                error.related.push((span, "declared here".into()));
                String::new()
            }
            (None, None) => String::new(),
        };
        error.help = Some(format!("{} exports it{at}{known_by}", exported.node));
        error.into()
    }

    /// Puts a resource of another node into the catalog; `None` if it has it already.
    fn import(&mut self, number: usize, exported: &Exported) -> EvalResult<Option<ResourceId>> {
        let id = &exported.id;
        if let Some(known) = self.catalog.find(&ResourceKey::shared(&id.kind, &id.title)) {
            let is_same = self.catalog.imports.get(&known).is_some_and(|i| i.node == exported.node);
            if is_same {
                return Ok(None);
            }
            return Err(self.duplicate_import(number, exported, known));
        }
        let collector = &self.catalog.collectors[number];
        let (scope, span) = (collector.scope, collector.span);
        let import =
            Arc::new(Import { node: exported.node.clone(), place: exported.place.clone(), span });
        let within = self.scopes.get(scope).resource;
        let param = |(name, value): &(EcoString, Data)| -> Param {
            let how = ParamSource::Exported(Arc::clone(&import));
            let origin = ParamOrigin { how, span: None, within };
            new_param(name.clone(), from_data(value), false, origin)
        };
        let params = exported.attributes.iter().map(param).collect();
        let at =
            Declaration { scope, span, is_virtual: true, exported: false, title_is_text: true };
        let new = self.declare(&id.kind, &id.title, params, at)?;
        // Its tags are those of its titles and parameters here: as in PuppetDB's terminus, tags of its
        // containers at the other node are only for collectors to find it.
        self.catalog.imports.insert(new, import);
        Ok(Some(new))
    }
}
