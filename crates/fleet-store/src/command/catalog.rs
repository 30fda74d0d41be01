//! `replace_catalog`.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use super::check::{Object, add_missing, refuse, text_without_nul, uuid, without_nul};
use crate::canonical::{Keys, Sha1Hash, compare, place_in_set, sha1, write, write_string};
use crate::error::FleetStoreError;

/// The catalog of a node, without sensitive values.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalog {
    /// The node.
    pub certname: String,
    /// The version of the configuration.
    pub version: String,
    /// The environment.
    pub environment: Option<String>,
    /// Identifies the run that requested it.
    pub transaction_uuid: Option<String>,
    /// Identifies the compile.
    pub catalog_uuid: Option<String>,
    /// The revision of the code.
    pub code_id: Option<String>,
    /// The orchestrator job that started the run.
    pub job_id: Option<String>,
    /// When the server sent it, in microseconds since 1970.
    pub producer_timestamp: i64,
    /// The server that sent it.
    pub producer: Option<String>,
    /// The resources; type and title are unique.
    pub resources: Vec<Resource>,
    /// The edges, without duplicates.
    pub edges: Vec<Edge>,
    /// The hash of certname, resources and edges as PuppetDB computes it.
    pub hash: Sha1Hash,
}

/// A resource of a catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// The type.
    pub r#type: String,
    /// The title.
    pub title: String,
    /// The file that declares it.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<i64>,
    /// Whether it is exported.
    pub exported: bool,
    /// The parameters as a JSON object with sorted keys.
    pub parameters: String,
    /// The tags as a sorted JSON array.
    pub tags: BTreeSet<String>,
    /// The hash of type, title and parameters as PuppetDB computes it.
    pub identity: Sha1Hash,
}

/// An edge of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Type and title of the source.
    pub source: (String, String),
    /// Type and title of the target.
    pub target: (String, String),
    /// The relationship, such as `contains`.
    pub relationship: String,
}

const RELATIONSHIPS: &[&str] =
    &["contains", "required-by", "notifies", "before", "subscription-of"];

impl Resource {
    /// Hashes everything except the tags.
    pub(crate) fn content_hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let line = self.line.map(|line| line.to_string());
        let exported = if self.exported { "1" } else { "0" };
        for part in [
            Some(self.r#type.as_str()),
            Some(&self.title),
            self.file.as_deref(),
            line.as_deref(),
            Some(exported),
            Some(&self.parameters),
        ] {
            // Without the lengths, different resources could give the same bytes.
            hash.update(part.map_or(u64::MAX, |text| text.len() as u64).to_be_bytes());
            hash.update(part.unwrap_or_default());
        }
        hash.finalize().into()
    }

    /// The tags as a JSON array.
    pub(crate) fn tags_text(&self) -> String {
        let mut text = String::from("[");
        for (i, tag) in self.tags.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            write_string(&mut text, tag);
        }
        text.push(']');
        text
    }
}

impl Edge {
    /// Hashes the edge.
    pub(crate) fn content_hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let (source, target) = (&self.source, &self.target);
        for part in [&source.0, &source.1, &target.0, &target.1, &self.relationship] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

pub(super) fn read(mut map: Map<String, Json>, version: i64) -> Result<Catalog, FleetStoreError> {
    if version < 7 {
        add_missing(&mut map, &["code_id"]);
    }
    if version < 8 {
        let run = map.get("transaction_uuid").cloned().unwrap_or_default();
        map.insert("catalog_uuid".into(), run);
    }
    if version < 9 {
        map.insert("producer".into(), Json::Null);
        map.insert("job_id".into(), Json::Null);
    }
    let mut object = Object::new(&mut map);
    let mut certname = object.string("certname");
    let mut catalog_version = object.string("version");
    let mut texts = [
        object.optional_string("environment"),
        object.maybe_string("code_id"),
        object.optional_string("job_id"),
        object.maybe_string("producer"),
    ];
    let transaction_uuid = uuid(object.optional_string("transaction_uuid"))?;
    let catalog_uuid = uuid(object.maybe_string("catalog_uuid"))?;
    let producer_timestamp = object.time("producer_timestamp");
    let resources = object.objects("resources");
    let edges = object.objects("edges");
    refuse("replace catalog", object.known_problems())?;
    let hash_name = certname.clone();
    let resources: Vec<(Resource, String)> =
        resources.into_iter().map(read_resource).collect::<Result<_, _>>()?;
    let edges = read_edges(edges, &resources)?;
    let hash = hash(&hash_name, &resources, &edges);
    text_without_nul(&mut certname);
    text_without_nul(&mut catalog_version);
    texts.iter_mut().flatten().for_each(text_without_nul);
    let [environment, code_id, job_id, producer] = texts;
    Ok(Catalog {
        certname,
        version: catalog_version,
        environment,
        transaction_uuid,
        catalog_uuid,
        code_id,
        job_id,
        producer_timestamp,
        producer,
        resources: resources.into_iter().map(|(resource, _)| without_nul_in(resource)).collect(),
        edges: edges.into_iter().map(|(edge, _)| edge_without_nul(edge)).collect(),
        hash,
    })
}

/// Reads a resource. Also returns its text for the hash of the catalog.
fn read_resource(mut map: Map<String, Json>) -> Result<(Resource, String), FleetStoreError> {
    let tags: BTreeSet<String> = match map.get("tags") {
        Some(Json::Array(tags)) if tags.iter().all(Json::is_string) => {
            tags.iter().filter_map(|tag| tag.as_str()).map(str::to_owned).collect()
        }
        _ => {
            return Err(FleetStoreError::refused("the tags of a resource are no array of strings"));
        }
    };
    let text = resource_text(&map, &tags);
    let mut object = Object::new(&mut map);
    let kind = object.string("type");
    let title = object.string("title");
    let exported = object.boolean("exported");
    let file = object.optional_string("file");
    let line = object.optional("line").filter(|line| !line.is_null());
    let parameters = object.optional("parameters");
    if line.as_ref().is_some_and(|line| line.as_i64().is_none()) {
        object.part("line", Some("(not an integer)".into()));
    }
    if parameters.as_ref().is_some_and(|value| !value.is_object() && !value.is_null()) {
        object.part("parameters", Some("(not a map)".into()));
    }
    // Unknown keys are ignored, so that newer agents may add some.
    let problems = object.known_problems();
    refuse("replace catalog", problems.map(|text| format!("{{:resources [{text}]}}")))?;
    if let Some(tag) = tags.iter().find(|tag| !is_tag(tag)) {
        return Err(FleetStoreError::refused(format!(
            "Resource '{kind}[{title}]' has an invalid tag '{tag}'. Tags must begin with a letter, \
             digit or underscore, and consist of those, colons, dots and hyphens; letters are small."
        )));
    }
    let mut parameters = parameters.unwrap_or_default();
    let identity = identity(&kind, &title, &parameters);
    without_nul(&mut parameters);
    if parameters.is_null() {
        parameters = Json::Object(Map::new());
    }
    let mut stored = String::new();
    write(&mut stored, &parameters, Keys::Strings);
    let resource = Resource {
        r#type: kind,
        title,
        file,
        line: line.and_then(|line| line.as_i64()),
        exported,
        parameters: stored,
        tags,
        identity,
    };
    Ok((resource, text))
}

/// `resource-identity-hash`.
fn identity(kind: &str, title: &str, parameters: &Json) -> Sha1Hash {
    let mut text = String::from("[");
    write_string(&mut text, kind);
    text.push(',');
    write_string(&mut text, title);
    text.push(',');
    write(&mut text, parameters, Keys::Keywords);
    text.push(']');
    sha1(&text)
}

/// The text of a resource for the hash of the catalog: the relevant keys in PuppetDB's order.
fn resource_text(map: &Map<String, Json>, tags: &BTreeSet<String>) -> String {
    let mut text = String::from("{");
    for key in ["exported", "file", "line", "parameters", "tags", "title", "type"] {
        let Some(value) = map.get(key) else { continue };
        if text.len() > 1 {
            text.push(',');
        }
        write_string(&mut text, key);
        text.push(':');
        if key == "tags" {
            let mut tags: Vec<&String> = tags.iter().collect();
            tags.sort_by_cached_key(|tag| place_in_set(tag));
            text.push('[');
            for (i, tag) in tags.into_iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write_string(&mut text, tag);
            }
            text.push(']');
        } else {
            write(&mut text, value, Keys::Keywords);
        }
    }
    text.push('}');
    text
}

/// Whether Puppet accepts a tag (`tag-pattern` in `catalogs.clj`).
fn is_tag(tag: &str) -> bool {
    let is_word = |c: char| c == '_' || c.is_numeric() || c.is_alphabetic() && !c.is_uppercase();
    let mut chars = tag.chars();
    chars.next().is_some_and(is_word) && chars.all(|c| is_word(c) || matches!(c, ':' | '.' | '-'))
}

/// Reads the edges. Also returns the text of each for the hash of the catalog.
fn read_edges(
    edges: Vec<Map<String, Json>>,
    resources: &[(Resource, String)],
) -> Result<Vec<(Edge, String)>, FleetStoreError> {
    let mut known = HashSet::with_capacity(resources.len());
    for (resource, _) in resources {
        if !known.insert((resource.r#type.as_str(), resource.title.as_str())) {
            return Err(FleetStoreError::refused(format!(
                "the resource {}[{}] is there twice",
                resource.r#type, resource.title
            )));
        }
    }
    let mut found = HashMap::with_capacity(edges.len());
    let mut ordered = Vec::with_capacity(edges.len());
    for map in edges {
        let mut text = String::new();
        write(&mut text, &Json::Object(map.clone()), Keys::Keywords);
        let edge = read_edge(map)?;
        for (kind, title) in [&edge.source, &edge.target] {
            if !known.contains(&(kind.as_str(), title.as_str())) {
                return Err(FleetStoreError::refused(format!(
                    "Edge '{}' refers to resource '{kind}[{title}]', which doesn't exist in the \
                     catalog.",
                    edge_name(&edge)
                )));
            }
        }
        if !RELATIONSHIPS.contains(&edge.relationship.as_str()) {
            return Err(FleetStoreError::refused(format!(
                "Edge '{}' has invalid relationship type '{}'",
                edge_name(&edge),
                edge.relationship
            )));
        }
        if found.insert(edge.clone(), ()).is_none() {
            ordered.push((edge, text));
        }
    }
    Ok(ordered)
}

fn edge_name(edge: &Edge) -> String {
    let (source, target) = (&edge.source, &edge.target);
    format!("{}[{}] -> {}[{}]", source.0, source.1, target.0, target.1)
}

fn read_edge(mut map: Map<String, Json>) -> Result<Edge, FleetStoreError> {
    let mut object = Object::new(&mut map);
    let mut ends = [object.map("source"), object.map("target")].into_iter().map(|mut end| {
        let mut object = Object::new(&mut end);
        let pair = (object.string("type"), object.string("title"));
        (pair, object.known_problems())
    });
    let (source, target) = (ends.next(), ends.next());
    let relationship = object.string("relationship");
    let mut pairs = Vec::new();
    for (key, end) in [("source", source), ("target", target)] {
        let Some((pair, problems)) = end else { continue };
        object.part(key, problems);
        pairs.push(pair);
    }
    let problems = object.known_problems();
    refuse("replace catalog", problems.map(|text| format!("{{:edges [{text}]}}")))?;
    let target = pairs.pop().unwrap_or_default();
    let source = pairs.pop().unwrap_or_default();
    Ok(Edge { source, target, relationship })
}

/// `catalog-similarity-hash`.
fn hash(certname: &str, resources: &[(Resource, String)], edges: &[(Edge, String)]) -> Sha1Hash {
    let by_title =
        |a: (&str, &str), b: (&str, &str)| compare(a.1, b.1).then_with(|| compare(a.0, b.0));
    fn pair(pair: &(String, String)) -> (&str, &str) {
        (&pair.0, &pair.1)
    }
    let mut edges: Vec<&(Edge, String)> = edges.iter().collect();
    edges.sort_by(|(a, _), (b, _)| {
        by_title(pair(&a.source), pair(&b.source))
            .then_with(|| by_title(pair(&a.target), pair(&b.target)))
            .then_with(|| compare(&a.relationship, &b.relationship))
    });
    let mut resources: Vec<&(Resource, String)> = resources.iter().collect();
    resources.sort_by(|(a, _), (b, _)| by_title((&a.r#type, &a.title), (&b.r#type, &b.title)));
    let mut text = String::from("{\"certname\":");
    write_string(&mut text, certname);
    text.push_str(",\"edges\":[");
    join(&mut text, edges.into_iter().map(|(_, text)| text));
    text.push_str("],\"resources\":[");
    join(&mut text, resources.into_iter().map(|(_, text)| text));
    text.push_str("]}");
    sha1(&text)
}

fn join<'a>(out: &mut String, parts: impl Iterator<Item = &'a String>) {
    for (i, part) in parts.enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(part);
    }
}

fn without_nul_in(mut resource: Resource) -> Resource {
    text_without_nul(&mut resource.r#type);
    text_without_nul(&mut resource.title);
    if let Some(file) = &mut resource.file {
        text_without_nul(file);
    }
    resource
}

fn edge_without_nul(mut edge: Edge) -> Edge {
    for (kind, title) in [&mut edge.source, &mut edge.target] {
        text_without_nul(kind);
        text_without_nul(title);
    }
    edge
}
