//! Earlier catalogs of nodes.
//!
//! When a catalog replaces another one, what differs is stored: it makes the earlier catalog from the
//! later one. So a catalog that does not change writes nothing, a small change little, and equal
//! changes of many nodes share one content. The last catalog is where PuppetDB's API reads it.

mod delta;
mod run;

pub(crate) use delta::Delta;
pub use delta::{CatalogContent, CatalogResource};
pub use run::{RunCatalog, catalog_of_run};

use crate::command::Edge;
use crate::compression::decompress;
use crate::contents::put_shared_content;
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::rows;
use crate::value::Value;

/// The row of a catalog that is replaced.
pub(crate) struct ReplacedCatalog {
    /// The place in the order of the node's catalogs.
    pub(crate) number: i64,
    /// Environment, times of the first and the last command, version, revision of the code, and
    /// number of resources.
    pub(crate) columns: [Value; 6],
}

/// A stored catalog of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCatalog {
    /// The place in the order of the node's catalogs; `None` for the last one.
    pub number: Option<i64>,
    /// The environment.
    pub environment: Option<String>,
    /// When the server sent it for the first time, in microseconds since 1970. Unknown for catalogs
    /// of databases that an earlier version of the program has filled.
    pub first_sent: Option<i64>,
    /// When the server sent it for the last time.
    pub last_sent: i64,
    /// When the server sent the next one.
    pub replaced: Option<i64>,
    /// The version of the configuration.
    pub version: String,
    /// The revision of the code.
    pub code_id: Option<String>,
    /// The number of its resources.
    pub resources: i64,
}

impl StoredCatalog {
    /// Whether it was the catalog of the node at a time.
    pub fn is_of(&self, time: i64) -> bool {
        self.first_sent.is_none_or(|first| first <= time)
            && self.replaced.is_none_or(|replaced| time < replaced)
    }
}

/// Stores a catalog that another one replaces. `time` is that of the other one.
pub(crate) fn add(
    connection: &mut dyn Connection,
    node: &Value,
    replaced: &ReplacedCatalog,
    delta: &Delta,
    (time, now): (i64, i64),
) -> Result<(), FleetStoreError> {
    let digest = put_shared_content(connection, delta.encode().as_bytes(), now)?;
    let sql = "INSERT INTO catalog_history (certname_id, number, environment_id, first_sent,
                   last_sent, catalog_version, code_id, resource_count, replaced, content_digest)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let mut row = vec![node.clone(), replaced.number.into()];
    row.extend_from_slice(&replaced.columns);
    row.extend([time.into(), digest.as_slice().into()]);
    connection.execute(sql, &row).map(drop)
}

/// Adds resources of the stored catalog of a node to the differences, by their ids.
pub(crate) fn add_resources(
    connection: &mut dyn Connection,
    node: &Value,
    ids: &[i64],
    delta: &mut Delta,
) -> Result<(), FleetStoreError> {
    let ids: Vec<Value> = ids.iter().copied().map(Value::from).collect();
    let sql = format!("{RESOURCES} AND k.resource_id IN");
    rows::each_of(connection, &sql, std::slice::from_ref(node), &ids, &mut |row| {
        let (name, found) = resource(row)?;
        delta.resources.insert(name, found);
        Ok(())
    })
}

/// Adds edges to the differences, by their ids.
pub(crate) fn add_edges(
    connection: &mut dyn Connection,
    ids: &[Value],
    delta: &mut Delta,
) -> Result<(), FleetStoreError> {
    let sql = format!("SELECT {EDGE} FROM edges e WHERE e.id IN");
    rows::each_of(connection, &sql, &[], ids, &mut |row| {
        delta.edges.insert(edge(row)?);
        Ok(())
    })
}

const RESOURCES: &str = "SELECT r.type, r.title, r.file, r.line, r.exported, r.parameters, t.tags
    FROM catalog_resources k JOIN resources r ON r.id = k.resource_id
        JOIN tag_sets t ON t.id = k.tag_set_id WHERE k.certname_id = $1";

const EDGE: &str = "e.source_type, e.source_title, e.target_type, e.target_title, e.relationship";

fn resource(row: &[Value]) -> Result<(delta::ResourceName, CatalogResource), FleetStoreError> {
    let [kind, title, file, line, exported, parameters, tags] = row else {
        return Err(FleetStoreError::failed("seven columns expected"));
    };
    let resource = CatalogResource {
        file: file.optional(Value::text)?.map(str::to_owned),
        line: line.optional(Value::integer)?,
        exported: exported.boolean()?,
        parameters: parameters.text()?.to_owned(),
        tags: tags.text()?.to_owned(),
    };
    Ok(((kind.text()?.to_owned(), title.text()?.to_owned()), resource))
}

fn edge(row: &[Value]) -> Result<Edge, FleetStoreError> {
    let [source_type, source_title, target_type, target_title, relationship] = row else {
        return Err(FleetStoreError::failed("five columns expected"));
    };
    let text = |value: &Value| value.text().map(str::to_owned);
    Ok(Edge {
        source: (text(source_type)?, text(source_title)?),
        target: (text(target_type)?, text(target_title)?),
        relationship: text(relationship)?,
    })
}

/// The stored catalogs of a node, the last one first.
///
/// # Errors
/// When the database fails.
pub fn stored_catalogs(
    connection: &mut dyn Connection,
    certname: &str,
) -> Result<Vec<StoredCatalog>, FleetStoreError> {
    let last = "SELECT NULL, e.environment, k.first_sent, k.producer_timestamp, NULL,
                    k.catalog_version, k.code_id, k.resource_count
                FROM certnames c JOIN catalogs k ON k.certname_id = c.id
                    LEFT JOIN environments e ON e.id = k.environment_id
                WHERE c.certname = $1";
    let earlier = "SELECT h.number, e.environment, h.first_sent, h.last_sent, h.replaced,
                       h.catalog_version, h.code_id, h.resource_count
                   FROM certnames c JOIN catalog_history h ON h.certname_id = c.id
                       LEFT JOIN environments e ON e.id = h.environment_id
                   WHERE c.certname = $1 ORDER BY h.number DESC";
    let mut found = Vec::new();
    for sql in [last, earlier] {
        for row in connection.rows(sql, &[certname.into()])? {
            found.push(stored_catalog(&row)?);
        }
    }
    Ok(found)
}

fn stored_catalog(row: &[Value]) -> Result<StoredCatalog, FleetStoreError> {
    let [number, environment, first_sent, last_sent, replaced, version, code_id, resources] = row
    else {
        return Err(FleetStoreError::failed("eight columns expected"));
    };
    Ok(StoredCatalog {
        number: number.optional(Value::integer)?,
        environment: environment.optional(Value::text)?.map(str::to_owned),
        first_sent: first_sent.optional(Value::integer)?,
        last_sent: last_sent.integer()?,
        replaced: replaced.optional(Value::integer)?,
        version: version.text()?.to_owned(),
        code_id: code_id.optional(Value::text)?.map(str::to_owned),
        resources: resources.integer()?,
    })
}

/// The content of a stored catalog of a node, by its number; without one, of the last catalog.
/// `None` if there is no such catalog.
///
/// # Errors
/// When the database fails, or the content is damaged.
pub fn catalog_content(
    connection: &mut dyn Connection,
    certname: &str,
    number: Option<i64>,
) -> Result<Option<CatalogContent>, FleetStoreError> {
    let sql = "SELECT k.certname_id FROM catalogs k JOIN certnames c ON c.id = k.certname_id
               WHERE c.certname = $1";
    let Some(node) = connection.value(sql, &[certname.into()])? else { return Ok(None) };
    let mut content = CatalogContent::default();
    for row in connection.rows(RESOURCES, std::slice::from_ref(&node))? {
        let (name, found) = resource(&row)?;
        content.resources.insert(name, found);
    }
    let sql = format!(
        "SELECT {EDGE} FROM catalog_edges k JOIN edges e ON e.id = k.edge_id
         WHERE k.certname_id = $1"
    );
    for row in connection.rows(&sql, std::slice::from_ref(&node))? {
        content.edges.insert(edge(&row)?);
    }
    let Some(number) = number else { return Ok(Some(content)) };
    let sql = "SELECT h.number, d.data FROM catalog_history h
               JOIN contents d ON d.digest = h.content_digest
               WHERE h.certname_id = $1 AND h.number >= $2 ORDER BY h.number DESC";
    let mut last = None;
    for row in connection.rows(sql, &[node, number.into()])? {
        let [at, data] = &row[..] else {
            return Err(FleetStoreError::failed("two columns expected"));
        };
        last = Some(at.integer()?);
        Delta::decode(&decompress(data.bytes()?)?)?.apply(&mut content);
    }
    Ok((last == Some(number)).then_some(content))
}
