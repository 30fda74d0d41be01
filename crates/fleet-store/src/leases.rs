//! Leases: work that only one server does at a time.

use crate::database::Connection;
use crate::error::FleetStoreError;

/// Acquires or renews a lease. Returns its epoch, which increases whenever the holder changes, or
/// `None` if another server holds the lease. Times are in microseconds since 1970.
///
/// # Errors
/// When the database fails.
pub fn acquire_lease(
    connection: &mut dyn Connection,
    name: &str,
    holder: &str,
    (now, expires): (i64, i64),
) -> Result<Option<i64>, FleetStoreError> {
    let sql = "INSERT INTO leases (name, holder, epoch, expires) VALUES ($1, $2, 1, $3)
               ON CONFLICT (name) DO UPDATE SET
                   epoch = leases.epoch + CASE WHEN leases.holder = excluded.holder THEN 0 ELSE 1 END,
                   holder = excluded.holder, expires = excluded.expires
               WHERE leases.holder = excluded.holder OR leases.expires <= $4
               RETURNING epoch";
    let parameters = [name.into(), holder.into(), expires.into(), now.into()];
    let epoch = connection.value(sql, &parameters)?;
    epoch.map(|epoch| epoch.integer()).transpose()
}

/// Releases a lease before it expires.
///
/// # Errors
/// When the database fails.
pub fn release_lease(
    connection: &mut dyn Connection,
    name: &str,
    holder: &str,
) -> Result<(), FleetStoreError> {
    // The row stays, because it holds the epoch.
    let sql = "UPDATE leases SET expires = 0 WHERE name = $1 AND holder = $2";
    connection.execute(sql, &[name.into(), holder.into()]).map(drop)
}
