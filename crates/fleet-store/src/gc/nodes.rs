//! Nodes that stopped sending data.

use super::step::Step;
use crate::database::{Connection, Database, write};
use crate::error::FleetStoreError;
use crate::shared_values::remove_shared_of;
use crate::value::Value;

/// The number of nodes that one transaction expires.
const EXPIRED: u64 = 500;

/// The number of reports of a node that one transaction deletes.
const REPORTS: usize = 500;

/// Expires nodes that sent nothing since a time (`expire-stale-nodes`).
pub(super) fn expire(
    database: &dyn Database,
    now: i64,
    horizon: i64,
) -> Result<Step, FleetStoreError> {
    let sql = format!(
        "UPDATE certnames SET expired = $1 WHERE id IN (
             SELECT c.id FROM certnames c
                 LEFT JOIN catalogs k ON k.certname_id = c.id
                 LEFT JOIN factsets f ON f.certname_id = c.id
             WHERE c.deactivated IS NULL AND c.expired IS NULL AND c.created < $2
                 AND (k.producer_timestamp IS NULL OR k.producer_timestamp < $2)
                 AND (f.producer_timestamp IS NULL OR f.producer_timestamp < $2)
                 AND (c.latest_report_producer_timestamp IS NULL
                     OR c.latest_report_producer_timestamp < $2)
                 AND (c.facts_expire_updated IS NULL
                     OR (c.facts_expire AND c.facts_expire_updated < $2))
                 AND (c.catalog_inputs_timestamp IS NULL OR c.catalog_inputs_timestamp < $2)
             LIMIT {EXPIRED})
         AND deactivated IS NULL AND expired IS NULL"
    );
    let count = write(database, |c| c.execute(&sql, &[now.into(), horizon.into()]))?;
    Ok(Step { count, more: count >= EXPIRED })
}

/// Deletes a node that was deactivated or expired before a time.
pub(super) fn purge(database: &dyn Database, horizon: i64) -> Result<Step, FleetStoreError> {
    let sql = "SELECT id FROM certnames WHERE (deactivated IS NOT NULL OR expired IS NOT NULL)
                   AND (deactivated < $1 OR expired < $1) LIMIT 1";
    let node = write(database, |c| c.value(sql, &[horizon.into()]))?;
    let Some(node) = node else { return Ok(Step { count: 0, more: false }) };
    loop {
        let reports = write(database, |c| super::reports::delete_of_node(c, &node, REPORTS))?;
        if reports < REPORTS {
            break;
        }
    }
    let deleted = write(database, |connection| delete(connection, &node, horizon))?;
    Ok(Step { count: u64::from(deleted), more: true })
}

/// Deletes the remaining rows of a node, unless the node was activated meanwhile.
fn delete(
    connection: &mut dyn Connection,
    node: &Value,
    horizon: i64,
) -> Result<bool, FleetStoreError> {
    let lock = connection.dialect().lock();
    let sql = format!(
        "SELECT 1 FROM certnames WHERE id = $1 AND (deactivated < $2 OR expired < $2){lock}"
    );
    if connection.row(&sql, &[node.clone(), horizon.into()])?.is_none() {
        return Ok(false);
    }
    super::reports::delete_of_node(connection, node, usize::MAX)?;
    remove_shared_of(connection, node)?;
    for table in [
        "facts",
        "factsets",
        "catalog_resources",
        "catalog_edges",
        "catalog_history",
        "catalogs",
        "certname_packages",
        "certname_catalog_inputs",
        "compile_answers",
    ] {
        let sql = format!("DELETE FROM {table} WHERE certname_id = $1");
        connection.execute(&sql, std::slice::from_ref(node))?;
    }
    connection.execute("DELETE FROM certnames WHERE id = $1", std::slice::from_ref(node))?;
    Ok(true)
}
