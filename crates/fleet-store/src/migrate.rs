//! Migrates the schema of a database.

use crate::database::{Connection, Database};
use crate::error::FleetStoreError;

/// The migrations; number n creates version n. A released migration never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_report_lists.sql"),
    include_str!("migrations/0003_pins.sql"),
    include_str!("migrations/0004_fleet_runs.sql"),
    include_str!("migrations/0005_fleet_jobs.sql"),
    include_str!("migrations/0006_resource_counts.sql"),
    include_str!("migrations/0007_shared_values.sql"),
    include_str!("migrations/0008_covering_indexes.sql"),
    include_str!("migrations/0009_report_durations.sql"),
    include_str!("migrations/0010_catalog_history.sql"),
    include_str!("migrations/0011_node_columns.sql"),
    include_str!("migrations/0012_event_counts.sql"),
    include_str!("migrations/0013_runs_of_servers.sql"),
];

/// Applies the missing migrations, each in one transaction.
///
/// # Errors
/// When the database fails, or a newer Ordain wrote the schema.
pub(crate) fn migrate_schema(database: &dyn Database) -> Result<(), FleetStoreError> {
    database.write(&mut |connection| {
        connection.batch("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
    })?;
    while database_version(database)? < MIGRATIONS.len() as i64 {
        database.write(&mut apply_next)?;
    }
    Ok(())
}

fn database_version(database: &dyn Database) -> Result<i64, FleetStoreError> {
    let known = MIGRATIONS.len() as i64;
    let found = crate::database::read(database, None, version)?;
    if found > known {
        return Err(FleetStoreError::NewerSchema { found, known });
    }
    Ok(found)
}

fn version(connection: &mut dyn Connection) -> Result<i64, FleetStoreError> {
    let found = connection.value("SELECT max(version) FROM schema_version", &[])?;
    let found = found.map(|value| value.optional(|v| v.integer())).transpose()?.flatten();
    Ok(found.unwrap_or(0))
}

/// Applies the next migration. If another server does that at the same time, the insert of the
/// version fails for one of them; it repeats its transaction and finds nothing to do.
fn apply_next(connection: &mut dyn Connection) -> Result<(), FleetStoreError> {
    let found = version(connection)?;
    let Some(text) = usize::try_from(found).ok().and_then(|found| MIGRATIONS.get(found)) else {
        return Ok(());
    };
    connection
        .execute("INSERT INTO schema_version (version) VALUES ($1)", &[(found + 1).into()])?;
    let schema = connection.dialect().schema(text);
    connection.batch(&schema)
}
