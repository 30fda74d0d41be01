//! Stores catalogs.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::command::{Catalog, Edge, Resource};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::history::{self, Delta};
use crate::ingest::node;
use crate::ingest::outcome::Outcome;
use crate::rows::{self, Ids, Shared};
use crate::time::is_later;
use crate::value::Value;

const RESOURCES: Shared = Shared {
    table: "resources",
    columns: &["hash", "resource", "type", "title", "file", "line", "exported", "parameters"],
};

const TAG_SETS: Shared = Shared { table: "tag_sets", columns: &["hash", "tags"] };

const EDGES: Shared = Shared {
    table: "edges",
    columns: &[
        "hash",
        "source_type",
        "source_title",
        "target_type",
        "target_title",
        "relationship",
    ],
};

type Hash = [u8; 32];

/// The stored catalog of a node, compared with a new one.
struct Stored {
    /// The row, if the content differs.
    replaced: Option<history::ReplacedCatalog>,
    time: i64,
    /// The id of the environment, if it is unchanged.
    environment: Option<Value>,
    /// The id of the producer, if it is unchanged.
    producer: Option<Value>,
}

fn stored(
    connection: &mut dyn Connection,
    node: &Value,
    catalog: &Catalog,
) -> Result<Option<Stored>, FleetStoreError> {
    let sql = "SELECT c.producer_timestamp, c.hash, e.environment, c.environment_id, p.name,
                   c.producer_id, c.first_sent, c.change_count, c.catalog_version, c.code_id,
                   c.resource_count
               FROM catalogs c LEFT JOIN environments e ON e.id = c.environment_id
                   LEFT JOIN producers p ON p.id = c.producer_id
               WHERE c.certname_id = $1";
    let row = connection.row(sql, std::slice::from_ref(node))?;
    let Some([time, hash, environment, environment_id, producer, producer_id, row @ ..]) =
        row.as_deref()
    else {
        return Ok(None);
    };
    let is_same = *hash == Value::from(catalog.hash.as_slice());
    let replaced = match row {
        _ if is_same => None,
        [first_sent, change_count, version, code_id, resource_count] => {
            Some(history::ReplacedCatalog {
                number: change_count.integer()? + 1,
                columns: [environment_id, first_sent, time, version, code_id, resource_count]
                    .map(Clone::clone),
            })
        }
        _ => return Err(FleetStoreError::failed("eleven columns expected")),
    };
    let same = |stored: &Value, wanted: &Option<String>, id: &Value| {
        (*stored == wanted.clone().into()).then(|| id.clone())
    };
    Ok(Some(Stored {
        replaced,
        time: time.integer()?,
        environment: same(environment, &catalog.environment, environment_id),
        producer: same(producer, &catalog.producer, producer_id),
    }))
}

pub(super) fn replace(
    connection: &mut dyn Connection,
    catalog: &Catalog,
    (received, now): (i64, i64),
) -> Result<Outcome, FleetStoreError> {
    let time = catalog.producer_timestamp;
    let node = node::activate(connection, &catalog.certname, (time, received, now))?;
    let stored = stored(connection, &node.id, catalog)?;
    if stored.as_ref().is_some_and(|stored| is_later(stored.time, time, now)) {
        return Ok(Outcome::Stale);
    }
    let is_new = stored.is_none();
    let (replaced, environment, producer) = stored.map_or((None, None, None), |stored| {
        (stored.replaced, stored.environment, stored.producer)
    });
    let is_same = !is_new && replaced.is_none();
    let same_environment = environment.is_some();
    let environment = match environment {
        Some(id) => id,
        None => rows::environment(connection, catalog.environment.as_deref())?,
    };
    let producer = match producer {
        Some(id) => id,
        None => rows::producer(connection, catalog.producer.as_deref())?,
    };
    let row = [
        node.id.clone(),
        environment.clone(),
        producer,
        received.into(),
        time.into(),
        catalog.hash.as_slice().into(),
        catalog.version.as_str().into(),
        catalog.transaction_uuid.clone().into(),
        catalog.catalog_uuid.clone().into(),
        catalog.code_id.clone().into(),
        catalog.job_id.clone().into(),
    ];
    connection.execute(if is_new { INSERT } else { UPDATE }, &row)?;
    if !same_environment {
        let sql = "UPDATE certnames SET catalog_environment_id = $1 WHERE id = $2";
        connection.execute(sql, &[environment, node.id.clone()])?;
    }
    if !is_same {
        let mut delta = Delta::default();
        replace_resources(connection, &node.id, &catalog.resources, is_new, &mut delta)?;
        replace_edges(connection, &node.id, &catalog.edges, is_new, &mut delta)?;
        if let Some(replaced) = &replaced {
            history::add(connection, &node.id, replaced, &delta, (time, now))?;
        }
    }
    Ok(Outcome::Stored { changed: !is_same })
}

const INSERT: &str = "INSERT INTO catalogs (certname_id, environment_id, producer_id, timestamp,
        producer_timestamp, hash, catalog_version, transaction_uuid, catalog_uuid, code_id, job_id,
        first_sent)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $5)";

/// Has the same parameters as `INSERT`. `$1` is set as well, because SQLite needs it to appear
/// first.
const UPDATE: &str = "UPDATE catalogs SET certname_id = $1, environment_id = $2, producer_id = $3,
        timestamp = $4, producer_timestamp = $5, hash = $6, catalog_version = $7,
        transaction_uuid = $8, catalog_uuid = $9, code_id = $10, job_id = $11,
        first_sent = CASE WHEN hash = $6 THEN first_sent ELSE $5 END,
        change_count = change_count + CASE WHEN hash = $6 THEN 0 ELSE 1 END
    WHERE certname_id = $1";

fn replace_resources(
    connection: &mut dyn Connection,
    node: &Value,
    resources: &[Resource],
    is_new: bool,
    delta: &mut Delta,
) -> Result<(), FleetStoreError> {
    let hashes: Vec<Hash> = resources.iter().map(Resource::content_hash).collect();
    let by_hash: HashMap<Hash, &Resource> = hashes.iter().copied().zip(resources).collect();
    let tags: Vec<(Hash, String)> = resources
        .iter()
        .map(|resource| {
            let text = resource.tags_text();
            (Sha256::digest(&text).into(), text)
        })
        .collect();
    let tag_sets = ensure_tag_sets(connection, &tags, resources)?;
    let mut stored: HashMap<i64, i64> = HashMap::new();
    let mut known: HashMap<Hash, i64> = HashMap::new();
    if !is_new {
        stored_resources(connection, node, &by_hash, &mut stored, &mut known)?;
    }
    let unknown: Vec<Hash> =
        hashes.iter().filter(|hash| !known.contains_key(*hash)).copied().collect();
    let (ids, _) = rows::ensure(connection, &RESOURCES, &unknown, |hash| {
        // Every hash belongs to a resource, so the default is never used.
        by_hash.get(hash).map(|resource| resource_row(hash, resource)).unwrap_or_default()
    })?;
    let mut wanted: HashMap<i64, i64> = HashMap::with_capacity(resources.len());
    for ((hash, (tag_hash, _)), resource) in hashes.iter().zip(&tags).zip(resources) {
        let id = known.get(hash).or_else(|| ids.get(hash.as_slice()));
        if let (Some(id), Some(tag_set)) = (id, tag_sets.get(tag_hash.as_slice())) {
            if !is_new && !stored.contains_key(id) {
                delta.surplus_resources.insert((resource.r#type.clone(), resource.title.clone()));
            }
            wanted.insert(*id, *tag_set);
        }
    }
    let mut differing: Vec<i64> = stored
        .iter()
        .filter(|(id, tags)| wanted.get(id) != Some(tags))
        .map(|(id, _)| *id)
        .collect();
    differing.sort_unstable();
    history::add_resources(connection, node, &differing, delta)?;
    let count = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
    connection.execute(
        "UPDATE catalogs SET resource_count = $1 WHERE certname_id = $2",
        &[count.into(), node.clone()],
    )?;
    let columns = ["certname_id", "resource_id", "tag_set_id"];
    let mut gone: Vec<i64> = stored.keys().filter(|id| !wanted.contains_key(id)).copied().collect();
    gone.sort_unstable();
    let gone: Vec<Value> = gone.into_iter().map(Value::from).collect();
    let mut new: Vec<(i64, i64)> =
        wanted.into_iter().filter(|(id, tags)| stored.get(id) != Some(tags)).collect();
    new.sort_unstable();
    let new: Vec<Vec<Value>> =
        new.into_iter().map(|(id, tags)| vec![node.clone(), id.into(), tags.into()]).collect();
    rows::delete(connection, "catalog_resources", ("certname_id", node), "resource_id", &gone)?;
    let upsert = "ON CONFLICT (certname_id, resource_id)
                  DO UPDATE SET tag_set_id = excluded.tag_set_id";
    rows::insert(connection, "catalog_resources", &columns, &new, upsert)
}

/// The resources of the stored catalog with their tags, and the ids of those that the new catalog
/// also has.
fn stored_resources(
    connection: &mut dyn Connection,
    node: &Value,
    by_hash: &HashMap<Hash, &Resource>,
    stored: &mut HashMap<i64, i64>,
    known: &mut HashMap<Hash, i64>,
) -> Result<(), FleetStoreError> {
    let sql = "SELECT r.hash, r.id, c.tag_set_id
               FROM catalog_resources c JOIN resources r ON r.id = c.resource_id
               WHERE c.certname_id = $1";
    for row in connection.rows(sql, std::slice::from_ref(node))? {
        let [hash, id, tag_set] = row.as_slice() else {
            return Err(FleetStoreError::failed("three columns expected"));
        };
        let id = id.integer()?;
        stored.insert(id, tag_set.integer()?);
        if let Ok(hash) = Hash::try_from(hash.bytes()?)
            && by_hash.contains_key(&hash)
        {
            known.insert(hash, id);
        }
    }
    Ok(())
}

fn resource_row(hash: &Hash, resource: &Resource) -> Vec<Value> {
    vec![
        hash.as_slice().into(),
        resource.identity.as_slice().into(),
        resource.r#type.as_str().into(),
        resource.title.as_str().into(),
        resource.file.clone().into(),
        resource.line.into(),
        resource.exported.into(),
        resource.parameters.as_str().into(),
    ]
}

/// The ids of sets of tags. Inserts missing ones with their members.
fn ensure_tag_sets(
    connection: &mut dyn Connection,
    tags: &[(Hash, String)],
    resources: &[Resource],
) -> Result<Ids, FleetStoreError> {
    let texts: HashMap<Hash, (&str, &Resource)> = tags
        .iter()
        .zip(resources)
        .map(|((hash, text), resource)| (*hash, (text.as_str(), resource)))
        .collect();
    let hashes: Vec<Hash> = texts.keys().copied().collect();
    let (ids, new) = rows::ensure(connection, &TAG_SETS, &hashes, |hash| {
        let text = texts.get(hash).map_or("[]", |(text, _)| text);
        vec![hash.as_slice().into(), text.into()]
    })?;
    let mut members = Vec::new();
    for hash in &new {
        let (Some(id), Some((_, resource))) = (ids.get(hash.as_slice()), texts.get(hash)) else {
            continue;
        };
        members.extend(resource.tags.iter().map(|tag| vec![(*id).into(), tag.as_str().into()]));
    }
    let columns = ["tag_set_id", "tag"];
    rows::insert(connection, "tags", &columns, &members, "ON CONFLICT DO NOTHING")?;
    Ok(ids)
}

fn replace_edges(
    connection: &mut dyn Connection,
    node: &Value,
    edges: &[Edge],
    is_new: bool,
    delta: &mut Delta,
) -> Result<(), FleetStoreError> {
    let by_hash: HashMap<Hash, &Edge> =
        edges.iter().map(|edge| (edge.content_hash(), edge)).collect();
    let mut stored: HashSet<i64> = HashSet::new();
    let mut known: HashMap<Hash, i64> = HashMap::new();
    if !is_new {
        let sql = "SELECT e.hash, e.id FROM catalog_edges c JOIN edges e ON e.id = c.edge_id
                   WHERE c.certname_id = $1";
        for row in connection.rows(sql, std::slice::from_ref(node))? {
            let [hash, id] = row.as_slice() else {
                return Err(FleetStoreError::failed("two columns expected"));
            };
            stored.insert(id.integer()?);
            if let Ok(hash) = Hash::try_from(hash.bytes()?)
                && by_hash.contains_key(&hash)
            {
                known.insert(hash, id.integer()?);
            }
        }
    }
    let unknown: Vec<Hash> =
        by_hash.keys().filter(|hash| !known.contains_key(*hash)).copied().collect();
    let (ids, _) = rows::ensure(connection, &EDGES, &unknown, |hash| {
        by_hash.get(hash).map(|edge| edge_row(hash, edge)).unwrap_or_default()
    })?;
    if !is_new {
        let is_surplus = |hash: &Hash| {
            let id = known.get(hash).or_else(|| ids.get(hash.as_slice()));
            id.is_some_and(|id| !stored.contains(id))
        };
        let surplus = by_hash.iter().filter(|(hash, _)| is_surplus(hash));
        delta.surplus_edges.extend(surplus.map(|(_, edge)| (*edge).clone()));
    }
    let wanted: HashSet<i64> = known.into_values().chain(ids.into_values()).collect();
    let mut gone: Vec<i64> = stored.difference(&wanted).copied().collect();
    gone.sort_unstable();
    let gone: Vec<Value> = gone.into_iter().map(Value::from).collect();
    history::add_edges(connection, &gone, delta)?;
    let mut new: Vec<i64> = wanted.difference(&stored).copied().collect();
    new.sort_unstable();
    let new: Vec<Vec<Value>> = new.into_iter().map(|id| vec![node.clone(), id.into()]).collect();
    rows::delete(connection, "catalog_edges", ("certname_id", node), "edge_id", &gone)?;
    rows::insert(connection, "catalog_edges", &["certname_id", "edge_id"], &new, "")
}

fn edge_row(hash: &Hash, edge: &Edge) -> Vec<Value> {
    vec![
        hash.as_slice().into(),
        edge.source.0.as_str().into(),
        edge.source.1.as_str().into(),
        edge.target.0.as_str().into(),
        edge.target.1.as_str().into(),
        edge.relationship.as_str().into(),
    ]
}
