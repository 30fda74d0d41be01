//! Stores the lookups of a compile.

use sha2::{Digest, Sha256};

use crate::command::CatalogInputs;
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::ingest::node;
use crate::ingest::outcome::Outcome;
use crate::rows::{self, Shared};
use crate::value::Value;

const INPUTS: Shared = Shared { table: "catalog_inputs", columns: &["hash", "type", "name"] };

pub(super) fn replace(
    connection: &mut dyn Connection,
    command: &CatalogInputs,
    (received, now): (i64, i64),
) -> Result<Outcome, FleetStoreError> {
    // PuppetDB ignores empty lists.
    if command.inputs.is_empty() {
        return Ok(Outcome::Stored { changed: false });
    }
    let time = command.producer_timestamp;
    let node = node::activate(connection, &command.certname, (time, received, now))?;
    let sql = "SELECT catalog_inputs_timestamp, catalog_inputs_hash FROM certnames WHERE id = $1";
    let row = connection.row(sql, std::slice::from_ref(&node.id))?.unwrap_or_default();
    let stored = row.first().unwrap_or(&Value::Null).optional(Value::integer)?;
    if stored.is_some_and(|stored| stored >= time) {
        return Ok(Outcome::Stale);
    }
    let hash = command.hash();
    let changed = row.get(1) != Some(&Value::from(hash.as_slice()));
    if changed {
        replace_rows(connection, &node.id, command)?;
    }
    let sql = "UPDATE certnames SET catalog_inputs_uuid = $1, catalog_inputs_timestamp = $2,
                   catalog_inputs_hash = $3 WHERE id = $4";
    let uuid = command.catalog_uuid.clone().into();
    connection.execute(sql, &[uuid, time.into(), hash.as_slice().into(), node.id])?;
    Ok(Outcome::Stored { changed })
}

fn replace_rows(
    connection: &mut dyn Connection,
    node: &Value,
    command: &CatalogInputs,
) -> Result<(), FleetStoreError> {
    let hash = |(kind, name): &(String, String)| -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(kind);
        hash.update([0]);
        hash.update(name);
        hash.finalize().into()
    };
    let hashes: Vec<[u8; 32]> = command.inputs.iter().map(hash).collect();
    let by_hash: std::collections::HashMap<[u8; 32], &(String, String)> =
        hashes.iter().copied().zip(&command.inputs).collect();
    let (ids, _) = rows::ensure(connection, &INPUTS, &hashes, |hash| {
        let (kind, name) = by_hash.get(hash).map(|pair| (*pair).clone()).unwrap_or_default();
        vec![hash.as_slice().into(), kind.into(), name.into()]
    })?;
    let sql = "DELETE FROM certname_catalog_inputs WHERE certname_id = $1";
    connection.execute(sql, std::slice::from_ref(node))?;
    let rows: Vec<Vec<Value>> = hashes
        .iter()
        .enumerate()
        .filter_map(|(i, hash)| {
            let id = ids.get(hash.as_slice())?;
            Some(vec![node.clone(), (*id).into(), (i as i64).into()])
        })
        .collect();
    let columns = ["certname_id", "catalog_input_id", "ordinal"];
    rows::insert(connection, "certname_catalog_inputs", &columns, &rows, "")
}
