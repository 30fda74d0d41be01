//! Earlier catalogs. The oldest ones of a node are deleted first: each is made from the next one.

use super::step::Step;
use crate::database::{Database, write};
use crate::error::FleetStoreError;
use crate::value::Value;

/// The number of nodes that one transaction checks.
const NODES: usize = 2_000;
/// The number of catalogs that one transaction deletes.
const CATALOGS: usize = 500;

/// Deletes some of the catalogs that were replaced before a time, with the earlier ones of the same
/// nodes: clocks may have jumped.
pub(super) fn delete_old(database: &dyn Database, horizon: i64) -> Result<Step, FleetStoreError> {
    let find = format!(
        "SELECT certname_id, number FROM catalog_history WHERE replaced < $1
         ORDER BY replaced LIMIT {CATALOGS}"
    );
    write(database, |connection| {
        let found = connection.rows(&find, &[horizon.into()])?;
        let mut count = 0;
        for row in &found {
            count += connection.execute(DELETE, row)?;
        }
        Ok(Step { count, more: found.len() >= CATALOGS })
    })
}

/// A catalog of a node with all earlier ones.
const DELETE: &str = "DELETE FROM catalog_history WHERE certname_id = $1 AND number <= $2";

/// Deletes the catalogs of the next nodes beyond the last `most` of each. `after` is the id of the
/// last node that was checked.
pub(super) fn delete_surplus(
    database: &dyn Database,
    most: u32,
    after: &mut i64,
) -> Result<Step, FleetStoreError> {
    let nodes = format!(
        "SELECT certname_id, change_count FROM catalogs
         WHERE certname_id > $1 ORDER BY certname_id LIMIT {NODES}"
    );
    let start = *after;
    let (count, last, more) = write(database, |connection| {
        let found = connection.rows(&nodes, &[start.into()])?;
        let (mut count, mut last) = (0, start);
        for row in &found {
            let [node, changes] = &row[..] else {
                return Err(FleetStoreError::failed("two columns expected"));
            };
            last = node.integer()?;
            let surplus = changes.integer()? - i64::from(most);
            if surplus > 0 {
                count += connection.execute(DELETE, &[node.clone(), Value::from(surplus)])?;
            }
        }
        Ok((count, last, found.len() >= NODES))
    })?;
    *after = last;
    Ok(Step { count, more })
}
