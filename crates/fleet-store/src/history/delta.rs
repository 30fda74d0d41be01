//! The differences from a catalog to the one before it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::command::Edge;
use crate::error::FleetStoreError;

/// The type and the title of a resource.
pub(crate) type ResourceName = (String, String);

/// A resource of a stored catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogResource {
    /// The file that declares it.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<i64>,
    /// Whether it is exported.
    pub exported: bool,
    /// The parameters as a JSON object, without sensitive ones.
    pub parameters: String,
    /// The tags as a JSON array.
    pub tags: String,
}

/// The resources and edges of a stored catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogContent {
    /// The resources by type and title.
    pub resources: BTreeMap<(String, String), CatalogResource>,
    /// The edges.
    pub edges: BTreeSet<Edge>,
}

/// The differences that make the earlier catalog from the next one: first, all that the earlier one
/// lacks is removed, then the rest is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Delta {
    /// The resources that the next catalog lacks, or has with other parameters, tags or places.
    pub(crate) resources: BTreeMap<ResourceName, CatalogResource>,
    /// The resources of the next catalog that are new or differ.
    pub(crate) surplus_resources: BTreeSet<ResourceName>,
    /// The edges that the next catalog lacks.
    pub(crate) edges: BTreeSet<Edge>,
    /// The edges that only the next catalog has.
    pub(crate) surplus_edges: BTreeSet<Edge>,
}

impl Delta {
    /// The differences as JSON. Equal differences have equal texts.
    pub(crate) fn encode(&self) -> String {
        let resource = |((kind, title), found): (&ResourceName, &CatalogResource)| {
            json!([
                kind,
                title,
                found.file,
                found.line,
                found.exported,
                found.parameters,
                found.tags
            ])
        };
        let edge = |edge: &Edge| {
            json!([edge.source.0, edge.source.1, edge.target.0, edge.target.1, edge.relationship])
        };
        let surplus =
            self.surplus_resources.iter().filter(|name| !self.resources.contains_key(*name));
        json!({
            "resources": self.resources.iter().map(resource).collect::<Vec<_>>(),
            "surplus_resources": surplus.collect::<Vec<_>>(),
            "edges": self.edges.iter().map(edge).collect::<Vec<_>>(),
            "surplus_edges": self.surplus_edges.iter().map(edge).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// The differences that [`Self::encode`] has written.
    ///
    /// # Errors
    /// When the text is damaged.
    pub(crate) fn decode(text: &[u8]) -> Result<Self, FleetStoreError> {
        let damaged = || FleetStoreError::failed("an earlier catalog is damaged");
        let document: Json = serde_json::from_slice(text).map_err(|_| damaged())?;
        let items = |key: &str| document[key].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut delta = Self::default();
        for item in items("resources") {
            let (name, resource) = resource(item).ok_or_else(damaged)?;
            delta.resources.insert(name, resource);
        }
        for item in items("surplus_resources") {
            delta.surplus_resources.insert(name(item).ok_or_else(damaged)?);
        }
        for item in items("edges") {
            delta.edges.insert(edge(item).ok_or_else(damaged)?);
        }
        for item in items("surplus_edges") {
            delta.surplus_edges.insert(edge(item).ok_or_else(damaged)?);
        }
        Ok(delta)
    }

    /// Makes the earlier catalog from the next one.
    pub(crate) fn apply(self, content: &mut CatalogContent) {
        for name in &self.surplus_resources {
            content.resources.remove(name);
        }
        content.resources.extend(self.resources);
        for edge in &self.surplus_edges {
            content.edges.remove(edge);
        }
        content.edges.extend(self.edges);
    }
}

fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn name(item: &Json) -> Option<ResourceName> {
    Some((text(&item[0])?, text(&item[1])?))
}

fn resource(item: &Json) -> Option<(ResourceName, CatalogResource)> {
    let resource = CatalogResource {
        file: text(&item[2]),
        line: item[3].as_i64(),
        exported: item[4].as_bool()?,
        parameters: text(&item[5])?,
        tags: text(&item[6])?,
    };
    Some((name(item)?, resource))
}

fn edge(item: &Json) -> Option<Edge> {
    Some(Edge {
        source: (text(&item[0])?, text(&item[1])?),
        target: (text(&item[2])?, text(&item[3])?),
        relationship: text(&item[4])?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn resource(parameters: &str) -> CatalogResource {
        CatalogResource {
            file: Some("/site.pp".into()),
            line: Some(3),
            exported: true,
            parameters: parameters.into(),
            tags: "[\"a\"]".into(),
        }
    }

    fn edge(to: &str) -> Edge {
        Edge {
            source: ("Class".into(), "main".into()),
            target: ("File".into(), to.into()),
            relationship: "contains".into(),
        }
    }

    #[test]
    fn differences_are_read_as_they_are_written() {
        let name = |title: &str| ("File".to_string(), title.to_string());
        let mut delta = Delta::default();
        delta.resources.insert(name("/a"), resource("{\"mode\":\"0600\"}"));
        delta.resources.insert(
            name("/\"b\""),
            CatalogResource { file: None, line: None, exported: false, ..resource("{}") },
        );
        delta.surplus_resources.insert(name("/c"));
        delta.edges.insert(edge("/a"));
        delta.surplus_edges.insert(edge("/c"));
        assert_eq!(Delta::decode(delta.encode().as_bytes()).unwrap(), delta);
        let mut content = CatalogContent::default();
        content.resources.insert(name("/a"), resource("{}"));
        content.resources.insert(name("/c"), resource("{}"));
        content.edges.insert(edge("/c"));
        delta.clone().apply(&mut content);
        assert_eq!((&content.resources, &content.edges), (&delta.resources, &delta.edges));
        for damaged in ["", "{\"edges\": [[1]]}", "{\"resources\": [[\"File\", \"/a\"]]}"] {
            assert!(Delta::decode(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }
}
