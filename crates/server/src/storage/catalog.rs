//! Catalogs for the database.

use ordain_data::Value as Data;
use ordain_fleet_store::terminus::{self, ExportedResource, naming};
use ordain_fleet_store::{Command, FleetStoreError, Value, now};
use ordain_functions::digest;
use ordain_graph::exports::Exported;
use serde_json::{Map, Value as Json, json};

use super::source::{Source, plain};

/// The digest of all of a catalog but its ids.
pub(crate) type CatalogDigest = Vec<u8>;

/// The first key of a catalog after its ids.
const RESOURCES: &[u8] = b"\"resources\":";

/// The part of a catalog before its resources, which has the ids.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    // The head is short: tags, name, version and ids.
    let head = &text[..text.len().min(64 << 10)];
    let at = head.windows(RESOURCES.len()).position(|window| window == RESOURCES)?;
    Some(text.split_at(at))
}

/// The digest of a catalog and its exported resources without the parts that differ between compiles.
pub(crate) fn digest(
    text: &[u8],
    environment: &str,
    exported: &[Exported],
) -> Option<CatalogDigest> {
    let (_, rest) = split(text)?;
    let mut all = digest::sha256_bytes(rest);
    all.extend_from_slice(environment.as_bytes());
    all.extend_from_slice(format!("{exported:?}").as_bytes());
    Some(digest::sha256_bytes(&all))
}

/// The parts of a catalog that are new in each answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CatalogIds<'a> {
    pub(crate) version: &'a Json,
    pub(crate) uuid: &'a str,
    pub(crate) code_id: Option<&'a str>,
}

/// New ids and times of a catalog that is stored already.
#[derive(Clone, Debug)]
pub(super) struct Renewal {
    pub(super) node: String,
    version: String,
    uuid: String,
    code_id: Option<String>,
    transaction: Option<String>,
    timestamp: i64,
    hash: Vec<u8>,
}

impl Renewal {
    /// Reads the ids of a catalog.
    pub(super) fn of(text: &[u8], source: &Source<'_>, timestamp: i64) -> Option<Self> {
        let (head, _) = split(text)?;
        // The head is the beginning of an object; an end makes it a whole one.
        let head = [head.trim_ascii_end().strip_suffix(b",")?, b"}"].concat();
        let head: Json = serde_json::from_slice(&head).ok()?;
        let ids = CatalogIds {
            version: head.get("version")?,
            uuid: head.get("catalog_uuid")?.as_str()?,
            code_id: head.get("code_id").and_then(Json::as_str),
        };
        Some(Self::new(&ids, source, timestamp))
    }

    /// The new ids at this time.
    pub(super) fn new(ids: &CatalogIds<'_>, source: &Source<'_>, timestamp: i64) -> Self {
        let version = match ids.version {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        Self {
            node: source.node.to_string(),
            version,
            uuid: ids.uuid.to_string(),
            code_id: ids.code_id.map(str::to_string),
            transaction: source.transaction.map(str::to_string),
            // Commands have milliseconds. A finer time would make the next one of them look older.
            timestamp: timestamp / 1000 * 1000,
            hash: Vec::new(),
        }
    }

    /// The same for a row with this hash only.
    pub(super) fn with_hash(self, hash: Vec<u8>) -> Self {
        Self { hash, ..self }
    }

    /// The statement and its parameters. It changes no row if the stored catalog is another one, or of a
    /// later request.
    pub(super) fn statement(&self) -> (&'static str, Vec<Value>) {
        let sql = "UPDATE catalogs SET timestamp = $1, producer_timestamp = $2,
                       catalog_version = $3, catalog_uuid = $4, transaction_uuid = $5,
                       code_id = $6
                   WHERE certname_id = (SELECT id FROM certnames WHERE certname = $7
                                        AND deactivated IS NULL AND expired IS NULL)
                   AND hash = $8 AND (producer_timestamp <= $2 OR producer_timestamp > $1)";
        let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::Text);
        let parameters = vec![
            now().into(),
            self.timestamp.into(),
            self.version.as_str().into(),
            self.uuid.as_str().into(),
            text(&self.transaction),
            text(&self.code_id),
            self.node.as_str().into(),
            Value::Bytes(self.hash.clone()),
        ];
        (sql, parameters)
    }
}

/// Makes the command of a catalog and of exported resources that it does not have itself.
///
/// # Errors
/// When the catalog has a form that is not stored.
pub(super) fn command(
    text: &[u8],
    exported: &[Exported],
    context: &terminus::Context<'_>,
) -> Result<Command, FleetStoreError> {
    let catalog: Json = serde_json::from_slice(text).map_err(|error| FleetStoreError::Refused {
        reason: format!("the catalog is no JSON: {error}"),
    })?;
    let of = |resource: &Json, key: &str| {
        resource.get(key).and_then(Json::as_str).unwrap_or_default().to_string()
    };
    let resources = catalog.get("resources").and_then(Json::as_array);
    let own: std::collections::HashSet<(String, String)> = resources
        .into_iter()
        .flatten()
        .filter(|resource| resource.get("exported") == Some(&Json::Bool(true)))
        .map(|resource| (of(resource, "type"), of(resource, "title")))
        .collect();
    let others = exported
        .iter()
        .filter(|one| !own.contains(&(one.id.kind.to_string(), one.id.title.to_string())));
    let others = others.map(|one| ExportedResource { resource: resource(one), container: None });
    let payload = terminus::replace_catalog(catalog, others.collect(), context, &naming)?;
    Command::from_json("replace_catalog", 9, payload, now())
}

/// An exported resource in the form of catalogs. Secrets are left out, as in PuppetDB.
fn resource(exported: &Exported) -> Json {
    let parameters: Map<String, Json> = exported
        .attributes
        .iter()
        .filter(|(_, value)| !has_secret(value))
        .map(|(name, value)| (name.to_string(), plain(value)))
        .collect();
    let place = exported.place.as_ref();
    json!({
        "type": exported.id.kind.as_str(),
        "title": exported.id.title.as_str(),
        "exported": true,
        "tags": exported.tags.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "file": place.map(|place| place.file.clone()),
        "line": place.map(|place| place.line),
        "parameters": parameters,
    })
}

fn has_secret(value: &Data) -> bool {
    match value {
        Data::Secret(_) => true,
        Data::List(items) => items.iter().any(has_secret),
        Data::Map(map) => map.iter().any(|(key, value)| has_secret(key) || has_secret(value)),
        _ => false,
    }
}
