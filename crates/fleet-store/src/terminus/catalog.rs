//! `replace_catalog`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value as Json, json};

use super::context::Context;
use super::text::{ruby_text, stringify};
use crate::error::FleetStoreError;
use crate::time::format_time;

/// An exported resource that was not collected: PuppetDB gets it, agents do not.
#[derive(Debug, Clone)]
pub struct ExportedResource {
    /// The resource as catalogs contain it.
    pub resource: Json,
    /// The reference of its container, such as `Class[Web]`.
    pub container: Option<String>,
}

/// How resources of a type are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Naming {
    /// By this parameter.
    By(&'static str),
    /// By several parameters together.
    Composite,
    /// Names need not be unique.
    NotUnique,
}

/// How Puppet's own types and those of the modules in Puppet's packages are named. Other types are
/// assumed to be named by `name`, as most are.
pub fn naming(kind: &str) -> Naming {
    match kind {
        "File" | "Archive" | "Concat_file" | "Vcsrepo" => Naming::By("path"),
        "Exec" | "Tidy" => Naming::NotUnique,
        "Package" | "Sshkey" | "Alternative_entry" => Naming::Composite,
        _ => Naming::By("name"),
    }
}

/// Relationship parameters, whether the edge is reversed, and the name of the relationship.
const RELATIONSHIPS: [(&str, bool, &str); 4] = [
    ("before", true, "before"),
    ("require", false, "required-by"),
    ("notify", true, "notifies"),
    ("subscribe", false, "subscription-of"),
];

/// Parameters whose arrays are unordered.
const UNORDERED: [&str; 8] =
    ["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// Makes the command from a catalog in the agents' format and the exported resources that were not
/// collected. `naming` returns how a type is named.
///
/// # Errors
/// [`FleetStoreError::Refused`] if the catalog has another format, or a relationship has no target.
pub fn replace_catalog(
    catalog: Json,
    exported: Vec<ExportedResource>,
    context: &Context<'_>,
    naming: &dyn Fn(&str) -> Naming,
) -> Result<Json, FleetStoreError> {
    let Json::Object(mut catalog) = catalog else {
        return Err(FleetStoreError::refused("a catalog is no JSON object"));
    };
    let mut edges = containment(catalog.remove("edges"))?;
    let Some(Json::Array(mut resources)) = catalog.remove("resources") else {
        return Err(FleetStoreError::refused("a catalog has no resources"));
    };
    let real = resources.len();
    for one in exported {
        let name = resource_ref(&one.resource);
        if let (Some(container), Some(target)) = (one.container.as_deref().and_then(split), name) {
            edges.push(edge(&container, &target, "contains"));
        }
        resources.push(one.resource);
    }
    let mut resources: Vec<Map<String, Json>> = resources
        .into_iter()
        .map(|resource| match resource {
            Json::Object(map) => Ok(map),
            _ => Err(FleetStoreError::refused("a resource is no JSON object")),
        })
        .collect::<Result<_, _>>()?;
    for resource in &mut resources {
        prepare(resource, naming);
    }
    add_relationships(&mut edges, &resources, real)?;
    for resource in &mut resources {
        remove_secrets(resource);
    }
    let version = catalog.remove("version").unwrap_or_default();
    let uuid = catalog.remove("catalog_uuid").filter(|uuid| !uuid.is_null());
    Ok(json!({
        "certname": context.certname,
        "version": ruby_text(&version),
        "environment": context.environment,
        "transaction_uuid": context.transaction_uuid,
        "catalog_uuid": uuid.or_else(|| context.transaction_uuid.map(Json::from)),
        "code_id": catalog.remove("code_id"),
        "job_id": context.job_id,
        "producer_timestamp": format_time(context.producer_timestamp),
        "producer": context.producer,
        "resources": resources,
        "edges": edges,
    }))
}

type Reference = (String, String);

/// The edges of containment, with type and title as separate fields.
fn containment(edges: Option<Json>) -> Result<Vec<Json>, FleetStoreError> {
    let refused = || FleetStoreError::refused("a catalog has malformed edges");
    let Some(edges) = edges else { return Ok(Vec::new()) };
    let edges = edges.as_array().ok_or_else(refused)?;
    let end = |edge: &Json, key: &str| edge.get(key).and_then(Json::as_str).and_then(split);
    edges
        .iter()
        .map(|one| {
            let source = end(one, "source").ok_or_else(refused)?;
            let target = end(one, "target").ok_or_else(refused)?;
            let relationship = one.get("relationship").and_then(Json::as_str);
            Ok(edge(&source, &target, relationship.unwrap_or("contains")))
        })
        .collect()
}

fn edge(source: &Reference, target: &Reference, relationship: &str) -> Json {
    let end = |(kind, title): &Reference| json!({ "type": kind, "title": title });
    json!({ "source": end(source), "target": end(target), "relationship": relationship })
}

/// Type and title of a reference such as `File[/etc/a]`.
fn split(reference: &str) -> Option<Reference> {
    let (kind, rest) = reference.split_once('[')?;
    let title = rest.strip_suffix(']')?;
    (!kind.is_empty() && !title.is_empty()).then(|| (kind.to_owned(), title.to_owned()))
}

fn resource_ref(resource: &Json) -> Option<Reference> {
    let text = |key: &str| resource.get(key).map(ruby_text);
    Some((text("type")?, text("title")?))
}

fn text_of(resource: &Map<String, Json>, key: &str) -> String {
    resource.get(key).map(ruby_text).unwrap_or_default()
}

/// Converts parameters to plain data, and adds aliases.
fn prepare(resource: &mut Map<String, Json>, naming: &dyn Fn(&str) -> Naming) {
    let kind = text_of(resource, "type");
    let title = text_of(resource, "title");
    resource.insert("title".into(), title.into());
    let parameters = match resource.remove("parameters") {
        Some(Json::Object(map)) => map,
        _ => Map::new(),
    };
    let mut parameters: Map<String, Json> =
        parameters.into_iter().map(|(name, value)| (name, stringify(value))).collect();
    add_aliases(&mut parameters, &naming(&kind));
    for name in UNORDERED {
        if let Some(Json::Array(items)) = parameters.get_mut(name) {
            items.sort_by_cached_key(ruby_text);
        }
    }
    resource.insert("parameters".into(), Json::Object(parameters));
}

/// A name that differs from the title is an alias. Catalogs omit names that equal the title, except
/// those of the class and the stage `main`.
fn add_aliases(parameters: &mut Map<String, Json>, naming: &Naming) {
    if *naming == Naming::Composite {
        return;
    }
    let mut aliases: Vec<Json> = match parameters.get("alias") {
        None | Some(Json::Null) => Vec::new(),
        Some(value) => flatten(value).into_iter().filter(|v| !v.is_null()).cloned().collect(),
    };
    if let Naming::By(parameter) = naming
        && let Some(name) = parameters.get(*parameter).filter(|name| !name.is_null())
        && !aliases.contains(name)
    {
        aliases.push(name.clone());
    }
    if !aliases.is_empty() {
        parameters.insert("alias".into(), Json::Array(aliases));
    }
}

/// The items of nested arrays.
fn flatten(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(items) => items.iter().flat_map(flatten).collect(),
        other => vec![other],
    }
}

fn remove_secrets(resource: &mut Map<String, Json>) {
    let Some(Json::Array(names)) = resource.remove("sensitive_parameters") else { return };
    if let Some(Json::Object(parameters)) = resource.get_mut("parameters") {
        for name in names.iter().filter_map(Json::as_str) {
            parameters.remove(name);
        }
    }
}

/// Adds an edge for each relationship of the first `real` resources.
fn add_relationships(
    edges: &mut Vec<Json>,
    resources: &[Map<String, Json>],
    real: usize,
) -> Result<(), FleetStoreError> {
    let mut titles: HashMap<Reference, usize> = HashMap::with_capacity(resources.len());
    let mut aliases: HashMap<Reference, usize> = HashMap::new();
    for (i, resource) in resources.iter().enumerate() {
        let kind = text_of(resource, "type");
        let alias = resource.get("parameters").and_then(|p| p.get("alias"));
        for name in alias.map(flatten).unwrap_or_default() {
            aliases.insert((kind.clone(), ruby_text(name)), i);
        }
        titles.insert((kind, text_of(resource, "title")), i);
    }
    for resource in resources.iter().take(real) {
        let own = (text_of(resource, "type"), text_of(resource, "title"));
        for (parameter, is_forward, relationship) in RELATIONSHIPS {
            let value = resource.get("parameters").and_then(|p| p.get(parameter));
            for other in value.filter(|v| !v.is_null()).map(flatten).unwrap_or_default() {
                let text = ruby_text(other);
                let wrong = |reason: &str| {
                    FleetStoreError::refused(format!(
                        "Invalid relationship: {}[{}] {{ {parameter} => {text} }}, because {text} \
                         {reason}",
                        own.0, own.1
                    ))
                };
                let mut target = split(&text)
                    .filter(|(kind, _)| is_type_name(kind))
                    .ok_or_else(|| wrong("doesn't seem to be in the correct format."))?;
                if target.0 == "File" && target.1.ends_with('/') {
                    target.1.truncate(target.1.trim_end_matches('/').len());
                }
                let found = titles.get(&target).or_else(|| aliases.get(&target)).copied();
                let Some(found) = found else {
                    return Err(wrong("doesn't seem to be in the catalog"));
                };
                if found >= real {
                    return Err(wrong("is exported but not collected"));
                }
                target.1 = resources.get(found).map(|r| text_of(r, "title")).unwrap_or_default();
                let (source, target) = if is_forward { (&own, &target) } else { (&target, &own) };
                edges.push(edge(source, target, relationship));
            }
        }
    }
    let mut seen = HashSet::with_capacity(edges.len());
    edges.retain(|edge| seen.insert(edge.clone()));
    Ok(())
}

/// Whether each part of a name begins with a capital letter.
fn is_type_name(name: &str) -> bool {
    name.split("::").all(|part| {
        let mut chars = part.chars();
        chars.next().is_some_and(|c| c.is_ascii_uppercase())
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    })
}
