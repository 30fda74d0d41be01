//! Questions of Ruby code about the catalog so far.

use serde_json::{Value as Json, json};

use super::answers::text;
use crate::catalog::{ResourceId, ResourceKind};
use crate::error::EvalResult;
use crate::state::Compiler;
use crate::value::resource_key::ResourceKey;

impl Compiler<'_> {
    pub(super) fn answer_about_catalog(&mut self, name: &str, args: &[Json]) -> EvalResult<Json> {
        match name {
            "enclosing" => {
                let id = self.scopes.get(self.scope_argument(args)?).resource;
                Ok(self.pack_resource(id))
            }
            "resource" => {
                let key = ResourceKey::new(text(args, 0), text(args, 1));
                let found = self.catalog.find(&key);
                Ok(found.map_or(Json::Null, |id| self.pack_resource(id)))
            }
            "resources" => {
                let count = u32::try_from(self.catalog.resources.len()).unwrap_or(u32::MAX);
                Ok((0..count).map(|id| self.pack_resource(ResourceId(id))).collect())
            }
            "tags" => {
                let tags = &self.catalog.tags;
                Ok(self.catalog.own_tags.iter().map(|tag| json!(tags.name(tag).as_str())).collect())
            }
            _ => {
                let name = text(args, 1).trim_start_matches("::").to_lowercase();
                let found = match text(args, 0) {
                    "class" => self.env.find_class(&name)?,
                    _ => self.env.find_define(&name)?,
                };
                Ok(json!(found.is_some()))
            }
        }
    }

    fn pack_resource(&mut self, id: ResourceId) -> Json {
        let resource = self.catalog.get(id);
        let is_class = matches!(resource.what, ResourceKind::Class(_));
        let params: Vec<_> =
            resource.params.iter().map(|p| (p.name.clone(), p.value.clone())).collect();
        let tags: Vec<String> =
            resource.tags.iter().map(|tag| self.catalog.tags.name(tag).to_string()).collect();
        let place = resource.span.map(|span| self.place_names(span));
        let (kind, title) = (resource.kind.to_string(), resource.title.to_string());
        let (is_virtual, exported) = (resource.is_virtual, resource.exported);
        let params: serde_json::Map<String, Json> = params
            .into_iter()
            .map(|(name, value)| (name.to_string(), self.pack_value(&value)))
            .collect();
        json!({
            "type": kind,
            "title": title,
            "class": is_class,
            "parameters": params,
            "virtual": is_virtual,
            "exported": exported,
            "tags": tags,
            "file": place.as_ref().map(|p| p.0.as_str()),
            "line": place.as_ref().map(|p| p.1),
        })
    }
}
