//! Rows of nodes, and the commands that change only those rows.

use crate::command::{Deactivation, Expiration};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::ingest::outcome::Outcome;
use crate::time::is_later;
use crate::value::Value;

/// A node whose row is locked until the end of the transaction.
pub(super) struct Node {
    pub(super) id: Value,
    deactivated: Option<i64>,
    expired: Option<i64>,
}

/// Locks the row of a node. Inserts a missing one.
pub(super) fn lock(
    connection: &mut dyn Connection,
    certname: &str,
    received: i64,
) -> Result<Node, FleetStoreError> {
    if let Some(node) = find(connection, certname)? {
        return Ok(node);
    }
    let sql = "INSERT INTO certnames (certname, created) VALUES ($1, $2)
               ON CONFLICT (certname) DO NOTHING RETURNING id";
    if let Some(id) = connection.value(sql, &[certname.into(), received.into()])? {
        return Ok(Node { id, deactivated: None, expired: None });
    }
    find(connection, certname)?
        .ok_or_else(|| FleetStoreError::failed(format!("the node {certname} disappeared")))
}

fn find(connection: &mut dyn Connection, certname: &str) -> Result<Option<Node>, FleetStoreError> {
    let lock = connection.dialect().lock();
    let sql = format!("SELECT id, deactivated, expired FROM certnames WHERE certname = $1{lock}");
    let Some(row) = connection.row(&sql, &[certname.into()])? else { return Ok(None) };
    let [id, deactivated, expired] = row.as_slice() else {
        return Err(FleetStoreError::failed("three columns expected"));
    };
    Ok(Some(Node {
        id: id.clone(),
        deactivated: deactivated.optional(Value::integer)?,
        expired: expired.optional(Value::integer)?,
    }))
}

/// Locks the row of a node that sent data. Activates the node, unless it was deactivated or expired
/// after it sent them (`maybe-activate-node!`).
pub(super) fn activate(
    connection: &mut dyn Connection,
    certname: &str,
    (timestamp, received, now): (i64, i64, i64),
) -> Result<Node, FleetStoreError> {
    let node = lock(connection, certname, received)?;
    let is_inactive = node.deactivated.is_some() || node.expired.is_some();
    let later = |time: Option<i64>| time.is_some_and(|time| is_later(time, timestamp, now));
    if is_inactive && !later(node.deactivated) && !later(node.expired) {
        let sql = "UPDATE certnames SET deactivated = NULL, expired = NULL WHERE id = $1";
        connection.execute(sql, std::slice::from_ref(&node.id))?;
    }
    Ok(node)
}

/// Deactivates a node, unless it sent newer data.
pub(crate) fn deactivate(
    connection: &mut dyn Connection,
    command: &Deactivation,
    received: i64,
) -> Result<Outcome, FleetStoreError> {
    let node = lock(connection, &command.certname, received)?;
    let sql = "SELECT 1 FROM factsets WHERE certname_id = $1 AND producer_timestamp > $2
               UNION ALL
               SELECT 1 FROM catalogs WHERE certname_id = $1 AND producer_timestamp > $2
               UNION ALL
               SELECT 1 FROM certnames WHERE id = $1 AND latest_report_producer_timestamp > $2";
    let time = Value::from(command.producer_timestamp);
    if connection.row(sql, &[node.id.clone(), time.clone()])?.is_some() {
        return Ok(Outcome::Stale);
    }
    let sql = "UPDATE certnames SET deactivated = $1
               WHERE id = $2 AND (deactivated IS NULL OR deactivated < $1)";
    let changed = connection.execute(sql, &[time, node.id])? > 0;
    Ok(Outcome::Stored { changed })
}

pub(super) fn configure(
    connection: &mut dyn Connection,
    command: &Expiration,
    (received, now): (i64, i64),
) -> Result<Outcome, FleetStoreError> {
    let time = command.producer_timestamp;
    let node = activate(connection, &command.certname, (time, received, now))?;
    let sql = "UPDATE certnames SET facts_expire = $1, facts_expire_updated = $2
               WHERE id = $3 AND (facts_expire_updated IS NULL OR facts_expire_updated < $2)";
    let changed = connection.execute(sql, &[command.facts.into(), time.into(), node.id])? > 0;
    Ok(Outcome::Stored { changed })
}
