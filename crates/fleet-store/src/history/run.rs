//! The catalog that a run has applied.

use super::{StoredCatalog, stored_catalogs};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::value::Value;

/// The stored catalog that a run has applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunCatalog {
    /// The catalog.
    pub catalog: StoredCatalog,
    /// Whether report and catalog have the same id. Otherwise the catalog is that of the node when
    /// the run ended: of a catalog that is sent several times, only the last ids are stored.
    pub has_id_of_run: bool,
}

/// A report, as far as it tells which catalog its run has applied.
struct Run {
    certname: String,
    /// The end of the run, in microseconds since 1970.
    end: i64,
    version: String,
    /// Whether it has an id of the last catalog.
    has_id_of_last: bool,
}

impl Run {
    /// Whether a catalog was that of the node when the run ended. The start does not tell: the agent
    /// asks for a catalog only after it.
    fn is_of(&self, catalog: &StoredCatalog) -> bool {
        // The catalog may be newer than the run if nobody knows when it was sent first.
        let is_old_enough = catalog.first_sent.is_some()
            || catalog.last_sent <= self.end
            || catalog.version == self.version;
        catalog.is_of(self.end) && is_old_enough
    }
}

/// The stored catalog that the run of a report has applied, by the id of the report in the database.
/// `None` if that catalog is no longer stored, or there is no such report.
///
/// # Errors
/// When the database fails.
pub fn catalog_of_run(
    connection: &mut dyn Connection,
    report: i64,
) -> Result<Option<RunCatalog>, FleetStoreError> {
    let Some(run) = run(connection, report)? else { return Ok(None) };
    let mut stored = stored_catalogs(connection, &run.certname)?.into_iter();
    let found = match run.has_id_of_last {
        true => stored.next(),
        false => stored.find(|catalog| run.is_of(catalog)),
    };
    Ok(found.map(|catalog| RunCatalog { catalog, has_id_of_run: run.has_id_of_last }))
}

fn run(connection: &mut dyn Connection, report: i64) -> Result<Option<Run>, FleetStoreError> {
    let sql = "SELECT c.certname, r.end_time, r.producer_timestamp, r.configuration_version,
                   r.catalog_uuid = k.catalog_uuid, r.transaction_uuid = k.transaction_uuid
               FROM reports r JOIN certnames c ON c.id = r.certname_id
                   LEFT JOIN catalogs k ON k.certname_id = r.certname_id
               WHERE r.id = $1";
    let Some(row) = connection.row(sql, &[report.into()])? else { return Ok(None) };
    let [certname, end, producer_timestamp, version, same_catalog, same_transaction] = &row[..]
    else {
        return Err(FleetStoreError::failed("six columns expected"));
    };
    let is_true = |value: &Value| Ok(value.optional(Value::boolean)?.unwrap_or_default());
    Ok(Some(Run {
        certname: certname.text()?.to_owned(),
        // The clock of the agent may be ahead, but no run ends after its report has arrived.
        end: end.integer()?.min(producer_timestamp.integer()?),
        version: version.text()?.to_owned(),
        has_id_of_last: is_true(same_catalog)? || is_true(same_transaction)?,
    }))
}
