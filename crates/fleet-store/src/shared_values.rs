//! Values that hosts share: those of mgmt's `kv`, elections, and exported resources of programs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_graph::shared::{
    SharedChanges, SharedEntry, SharedGuard, SharedKey, SharedStore, SharedStoreError, SharedWrite,
    Space,
};

use crate::database::{Connection, Database, read, write};
use crate::error::FleetStoreError;
use crate::time::{SECOND, now};
use crate::value::Value;

/// The number of revisions for which removals are remembered. A reader that is further behind gets
/// all values.
const REMEMBERED: i64 = 1000;
/// The number of revisions between two removals of old rows.
const SWEEP: i64 = 100;
/// How often a reader that waits looks for changes.
const POLL: Duration = Duration::from_millis(200);

/// The changes of shared values after a revision; all values without one.
///
/// # Errors
/// When the database fails.
pub fn shared_changes(
    connection: &mut dyn Connection,
    after: Option<i64>,
) -> Result<SharedChanges, FleetStoreError> {
    let (revision, forgotten) = revisions(connection, "")?;
    let known = after.filter(|after| (forgotten..=revision).contains(after));
    let sql = "SELECT space, name, host, value, revision FROM shared_values WHERE revision > $1";
    let mut entries = Vec::new();
    for row in connection.rows(sql, &[known.unwrap_or(0).into()])? {
        let [space, name, host, value, revision] = &row[..] else {
            return Err(FleetStoreError::failed("five columns expected"));
        };
        // A newer server may have further spaces.
        let Some(space) = Space::parse(space.text()?) else { continue };
        let value = value.optional(Value::text)?.map(str::to_owned);
        if value.is_some() || known.is_some() {
            let key = SharedKey::new(space, name.text()?, host.text()?);
            entries.push(SharedEntry { key, value, revision: revision.integer()? });
        }
    }
    entries.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(SharedChanges { revision, is_complete: known.is_none(), entries })
}

/// The last revision of the shared values.
///
/// # Errors
/// When the database fails.
pub fn shared_revision(connection: &mut dyn Connection) -> Result<i64, FleetStoreError> {
    revisions(connection, "").map(|(revision, _)| revision)
}

/// The last revision, up to a limit, that changed one of these names: keys, namespaces, and the kinds
/// of exports. It is another one after each change of them.
///
/// # Errors
/// When the database fails.
pub fn shared_revision_of<'n>(
    connection: &mut dyn Connection,
    names: impl IntoIterator<Item = &'n (Space, String)>,
    at_most: i64,
) -> Result<i64, FleetStoreError> {
    let mut last = 0;
    for (space, name) in names {
        let found = if *space == Space::Export {
            let sql = "SELECT max(revision) FROM shared_values
                       WHERE space = $1 AND substr(name, 1, length($2)) = $2 AND revision <= $3";
            let prefix = format!("{name}/");
            let parameters = [space.as_str().into(), prefix.as_str().into(), at_most.into()];
            connection.value(sql, &parameters)?
        } else {
            let sql = "SELECT max(revision) FROM shared_values
                       WHERE space = $1 AND name = $2 AND revision <= $3";
            let parameters = [space.as_str().into(), name.as_str().into(), at_most.into()];
            connection.value(sql, &parameters)?
        };
        let found = found.map(|value| value.optional(Value::integer)).transpose()?.flatten();
        last = last.max(found.unwrap_or(0));
    }
    Ok(last)
}

/// Changes shared values, all or none. Returns false, and changes nothing, if the condition does
/// not hold. `now` is in microseconds since 1970.
///
/// # Errors
/// When the database fails.
pub fn write_shared(
    connection: &mut dyn Connection,
    writes: &[SharedWrite],
    guard: Option<&SharedGuard>,
    now: i64,
) -> Result<bool, FleetStoreError> {
    let revision = next_revision(connection)?;
    if let Some(guard) = guard {
        let found = stored(connection, &guard.key)?.filter(|(value, ..)| value.is_some());
        if found.map_or(0, |(_, revision, _)| revision) != guard.revision {
            return Ok(false);
        }
    }
    let mut is_changed = false;
    for SharedWrite { key, value, ttl } in writes {
        let ttl = ttl.map(|ttl| i64::try_from(ttl).unwrap_or(i64::MAX));
        let found = stored(connection, key)?;
        let (old, old_ttl) = found.map_or((None, None), |(value, _, ttl)| (value, ttl));
        let is_same = old == *value && (old_ttl == ttl || value.is_none());
        if is_same && ttl.is_none() {
            continue;
        }
        is_changed |= !is_same;
        let sql = "INSERT INTO shared_values (space, name, host, value, revision, ttl, expires)
                   VALUES ($1, $2, $3, $4, $5, $6, $7)
                   ON CONFLICT (space, name, host) DO UPDATE SET value = excluded.value,
                       revision = CASE WHEN $8 THEN shared_values.revision
                                       ELSE excluded.revision END,
                       ttl = excluded.ttl, expires = excluded.expires";
        let expires = ttl.map(|ttl| now.saturating_add(ttl.saturating_mul(SECOND)));
        let row: [Value; 8] = [
            key.space.as_str().into(),
            key.name.as_str().into(),
            key.host.as_str().into(),
            value.clone().into(),
            revision.into(),
            ttl.into(),
            expires.into(),
            is_same.into(),
        ];
        connection.execute(sql, &row)?;
    }
    if is_changed {
        set_revision(connection, revision)?;
    }
    Ok(true)
}

/// Prolongs the values that a host has written with this number of seconds.
///
/// # Errors
/// When the database fails.
pub fn renew_shared(
    connection: &mut dyn Connection,
    host: &str,
    ttl: u64,
    now: i64,
) -> Result<(), FleetStoreError> {
    let ttl = i64::try_from(ttl).unwrap_or(i64::MAX);
    let expires = now.saturating_add(ttl.saturating_mul(SECOND));
    let sql = "UPDATE shared_values SET expires = $1
               WHERE host = $2 AND ttl = $3 AND value IS NOT NULL AND expires > $4";
    connection.execute(sql, &[expires.into(), host.into(), ttl.into(), now.into()]).map(drop)
}

/// Whether a value has ended. A writer would wait for others.
fn has_expired(connection: &mut dyn Connection, now: i64) -> Result<bool, FleetStoreError> {
    let sql = "SELECT 1 FROM shared_values WHERE expires <= $1 LIMIT 1";
    Ok(connection.value(sql, &[now.into()])?.is_some())
}

/// Removes the values that their hosts did not renew in time.
///
/// # Errors
/// When the database fails.
pub fn expire_shared(connection: &mut dyn Connection, now: i64) -> Result<(), FleetStoreError> {
    let revision = next_revision(connection)?;
    let sql = "UPDATE shared_values SET value = NULL, revision = $1, ttl = NULL, expires = NULL
               WHERE expires <= $2";
    if connection.execute(sql, &[revision.into(), now.into()])? > 0 {
        set_revision(connection, revision)?;
    }
    Ok(())
}

/// Removes the values of a node, by its id.
pub(crate) fn remove_shared_of(
    connection: &mut dyn Connection,
    node: &Value,
) -> Result<(), FleetStoreError> {
    let revision = next_revision(connection)?;
    let sql = "UPDATE shared_values SET value = NULL, revision = $1, ttl = NULL, expires = NULL
               WHERE host = (SELECT certname FROM certnames WHERE id = $2) AND value IS NOT NULL";
    if connection.execute(sql, &[revision.into(), node.clone()])? > 0 {
        set_revision(connection, revision)?;
    }
    Ok(())
}

/// The last revision, and the last one whose removals are forgotten.
fn revisions(connection: &mut dyn Connection, lock: &str) -> Result<(i64, i64), FleetStoreError> {
    let sql = format!("SELECT revision, forgotten FROM shared_revision WHERE id = 1 {lock}");
    match connection.row(&sql, &[])?.as_deref() {
        Some([revision, forgotten]) => Ok((revision.integer()?, forgotten.integer()?)),
        _ => Err(FleetStoreError::failed("the revision of the shared values is missing")),
    }
}

/// The number of the next revision. Until the end of the transaction nobody else gets it, so that
/// readers see revisions in their order.
fn next_revision(connection: &mut dyn Connection) -> Result<i64, FleetStoreError> {
    let lock = connection.dialect().lock();
    Ok(revisions(connection, lock)?.0 + 1)
}

fn set_revision(connection: &mut dyn Connection, revision: i64) -> Result<(), FleetStoreError> {
    let sql = "UPDATE shared_revision SET revision = $1 WHERE id = 1";
    connection.execute(sql, &[revision.into()])?;
    let old = revision - REMEMBERED;
    if revision % SWEEP != 0 || old <= 0 {
        return Ok(());
    }
    let sql = "DELETE FROM shared_values WHERE value IS NULL AND revision <= $1";
    connection.execute(sql, &[old.into()])?;
    let sql = "UPDATE shared_revision SET forgotten = $1 WHERE id = 1";
    connection.execute(sql, &[old.into()]).map(drop)
}

/// The value, the revision and the seconds of a key.
type StoredValue = (Option<String>, i64, Option<i64>);

fn stored(
    connection: &mut dyn Connection,
    key: &SharedKey,
) -> Result<Option<StoredValue>, FleetStoreError> {
    let sql = "SELECT value, revision, ttl FROM shared_values
               WHERE space = $1 AND name = $2 AND host = $3";
    let parameters =
        [key.space.as_str().into(), key.name.as_str().into(), key.host.as_str().into()];
    match connection.row(sql, &parameters)?.as_deref() {
        None => Ok(None),
        Some([value, revision, ttl]) => Ok(Some((
            value.optional(Value::text)?.map(str::to_owned),
            revision.integer()?,
            ttl.optional(Value::integer)?,
        ))),
        Some(_) => Err(FleetStoreError::failed("three columns expected")),
    }
}

/// The shared values of a database as a store. Readers that wait look for changes five times a
/// second.
#[derive(Clone, Debug)]
pub struct SharedDatabase(pub Arc<dyn Database>);

impl SharedDatabase {
    /// The changes after a revision, without waiting. Removes ended values.
    ///
    /// # Errors
    /// When the database fails.
    pub fn read(&self, after: Option<i64>) -> Result<SharedChanges, FleetStoreError> {
        self.expire()?;
        read(&*self.0, None, |connection| shared_changes(connection, after))
    }

    /// The time until the next value ends unless its host renews it. `None` if no value ends.
    ///
    /// # Errors
    /// When the database fails.
    pub fn next_expiry(&self) -> Result<Option<Duration>, FleetStoreError> {
        let sql = "SELECT min(expires) FROM shared_values";
        let found = read(&*self.0, None, |connection| connection.value(sql, &[]))?;
        let found = found.map(|value| value.optional(Value::integer)).transpose()?.flatten();
        let left = found.map(|expires| expires.saturating_sub(now()).max(0));
        Ok(left.map(|left| Duration::from_micros(u64::try_from(left).unwrap_or(0))))
    }

    /// Removes the values that their hosts did not renew in time.
    ///
    /// # Errors
    /// When the database fails.
    pub fn expire(&self) -> Result<(), FleetStoreError> {
        let database = &*self.0;
        if read(database, None, |connection| has_expired(connection, now()))? {
            write(database, |connection| expire_shared(connection, now()))?;
        }
        Ok(())
    }
}

impl From<FleetStoreError> for SharedStoreError {
    fn from(error: FleetStoreError) -> Self {
        Self::Unreachable(error.to_string())
    }
}

impl SharedStore for SharedDatabase {
    fn changes(
        &self,
        after: Option<i64>,
        at_most: Duration,
    ) -> Result<SharedChanges, SharedStoreError> {
        let end = Instant::now() + at_most;
        loop {
            let changes = self.read(after)?;
            let left = end.saturating_duration_since(Instant::now());
            if Some(changes.revision) != after || changes.is_complete || left.is_zero() {
                return Ok(changes);
            }
            std::thread::sleep(left.min(POLL));
        }
    }

    fn write(
        &self,
        _: &str,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, SharedStoreError> {
        let work = |connection: &mut dyn Connection| write_shared(connection, writes, guard, now());
        Ok(write(&*self.0, work)?)
    }

    fn renew(&self, host: &str, ttl: u64) -> Result<(), SharedStoreError> {
        let work = |connection: &mut dyn Connection| renew_shared(connection, host, ttl, now());
        Ok(write(&*self.0, work)?)
    }
}
