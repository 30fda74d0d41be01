//! Pins: revisions of code that the server compiles for nodes, in place of the current one.

use serde_json::{Map, Value as Json};

use crate::audit::{AuditEntry, append_audit};
use crate::command::Deactivation;
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::ingest::{Outcome, deactivate};
use crate::value::Value;

/// A node with its revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The node.
    pub certname: String,
    /// The id of the revision.
    pub revision: String,
    /// When it was pinned, in microseconds since 1970.
    pub pinned: i64,
    /// The user who pinned it.
    pub actor: String,
}

/// Pins a node to a revision, and writes that to the audit log. Returns the revision before, if the
/// node was pinned.
///
/// # Errors
/// When the database fails.
pub fn put_pin(
    connection: &mut dyn Connection,
    pin: &Pin,
) -> Result<Option<String>, FleetStoreError> {
    let before = pin_of(connection, &pin.certname)?;
    let sql = "INSERT INTO pins (certname, revision, pinned, actor) VALUES ($1, $2, $3, $4)
               ON CONFLICT (certname) DO UPDATE SET
                   revision = excluded.revision, pinned = excluded.pinned, actor = excluded.actor";
    let row = [
        pin.certname.as_str().into(),
        pin.revision.as_str().into(),
        pin.pinned.into(),
        pin.actor.as_str().into(),
    ];
    connection.execute(sql, &row)?;
    let detail = [("revision", Some(&pin.revision)), ("before", before.as_ref())];
    audit(connection, "pin", (&pin.certname, &pin.actor), &detail, pin.pinned)?;
    Ok(before)
}

/// Removes the pin of a node, and writes that to the audit log. Returns its revision, if the node was
/// pinned.
///
/// # Errors
/// When the database fails.
pub fn remove_pin(
    connection: &mut dyn Connection,
    certname: &str,
    actor: &str,
    now: i64,
) -> Result<Option<String>, FleetStoreError> {
    let before = pin_of(connection, certname)?;
    if before.is_some() {
        connection.execute("DELETE FROM pins WHERE certname = $1", &[certname.into()])?;
        audit(connection, "unpin", (certname, actor), &[("before", before.as_ref())], now)?;
    }
    Ok(before)
}

/// Deactivates a node as PuppetDB's command does, and writes that to the audit log. Data that the
/// node sends later activates it again.
///
/// # Errors
/// When the database fails.
pub fn deactivate_node(
    connection: &mut dyn Connection,
    certname: &str,
    actor: &str,
    now: i64,
) -> Result<Outcome, FleetStoreError> {
    let command = Deactivation { certname: certname.to_owned(), producer_timestamp: now };
    let outcome = deactivate(connection, &command, now)?;
    audit(connection, "deactivate", (certname, actor), &[], now)?;
    Ok(outcome)
}

/// All pins, in the order of their nodes.
///
/// # Errors
/// When the database fails.
pub fn pins(connection: &mut dyn Connection) -> Result<Vec<Pin>, FleetStoreError> {
    let rows = connection.rows("SELECT certname, revision, pinned, actor FROM pins", &[])?;
    let pin = |row: &Vec<Value>| match &row[..] {
        [certname, revision, pinned, actor] => Ok(Pin {
            certname: certname.text()?.to_owned(),
            revision: revision.text()?.to_owned(),
            pinned: pinned.integer()?,
            actor: actor.text()?.to_owned(),
        }),
        _ => Err(FleetStoreError::failed("four columns expected")),
    };
    let mut pins: Vec<Pin> = rows.iter().map(pin).collect::<Result<_, _>>()?;
    // Databases sort by the rules of their language.
    pins.sort_by(|a, b| a.certname.cmp(&b.certname));
    Ok(pins)
}

/// The revision that a node is pinned to.
///
/// # Errors
/// When the database fails.
pub fn pin_of(
    connection: &mut dyn Connection,
    certname: &str,
) -> Result<Option<String>, FleetStoreError> {
    let sql = "SELECT revision FROM pins WHERE certname = $1";
    let revision = connection.value(sql, &[certname.into()])?;
    revision.map(|revision| revision.text().map(str::to_owned)).transpose()
}

/// The ids of code that catalogs and reports name, in order.
///
/// # Errors
/// When the database fails.
pub fn known_revisions(connection: &mut dyn Connection) -> Result<Vec<String>, FleetStoreError> {
    let sql = "SELECT code_id FROM catalogs WHERE code_id IS NOT NULL
               UNION SELECT code_id FROM reports WHERE code_id IS NOT NULL";
    let rows = connection.rows(sql, &[])?;
    let ids = rows.iter().filter_map(|row| row.first());
    let mut ids: Vec<String> =
        ids.map(|id| id.text().map(str::to_owned)).collect::<Result<_, _>>()?;
    ids.sort();
    Ok(ids)
}

fn audit(
    connection: &mut dyn Connection,
    action: &str,
    (subject, actor): (&str, &str),
    detail: &[(&str, Option<&String>)],
    at: i64,
) -> Result<(), FleetStoreError> {
    let entries = detail
        .iter()
        .filter_map(|(name, value)| Some(((*name).to_owned(), Json::String((*value)?.clone()))));
    let detail: Map<String, Json> = entries.collect();
    append_audit(connection, &AuditEntry { at, actor, action, subject, detail: &detail }).map(drop)
}
