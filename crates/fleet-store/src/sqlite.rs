//! SQLite: one connection for writing, several for reading.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, OpenFlags};

use crate::database::{Connection, Database, RowFunction, TransactionBody};
use crate::dialect::Dialect;
use crate::error::FleetStoreError;
use crate::migrate::migrate_schema;
use crate::value::Value;

/// The body of an SQL function. Its error becomes the error of the query.
pub type FunctionBody = Arc<dyn Fn(&[Value]) -> Result<Value, String> + Send + Sync>;

/// A function that SQLite lacks. It must be deterministic and have no side effects.
#[derive(Clone)]
pub struct SqlFunction {
    /// Its name. `regexp` is the operator `REGEXP`, with the pattern as the first argument.
    pub name: &'static str,
    /// The number of its arguments; -1 for any.
    pub arguments: i32,
    /// Its implementation.
    pub body: FunctionBody,
}

impl std::fmt::Debug for SqlFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.name, self.arguments)
    }
}

/// A database in a file.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    functions: Vec<SqlFunction>,
    writer: Mutex<rusqlite::Connection>,
    readers: Readers,
}

/// Connections that read.
#[derive(Debug)]
struct Readers {
    state: Mutex<ReaderState>,
    returned: Condvar,
    limit: usize,
}

#[derive(Debug, Default)]
struct ReaderState {
    idle: Vec<rusqlite::Connection>,
    open: usize,
}

/// A lock is poisoned only after a panic, and every panic leaves this data consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a call waits for a free connection.
const POOL_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a statement waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of prepared statements per connection.
const PREPARED: usize = 256;

/// The number of SQLite's virtual machine instructions between two checks of the time limit.
const STEPS: i32 = 10_000;

/// Estimates the statistics from a thousand rows of each index.
const STATISTICS: &str = "PRAGMA analysis_limit = 1000; ANALYZE";

impl Sqlite {
    /// Opens the database in a file. Creates a missing file, and migrates the schema. At most
    /// `readers` queries run at once; queries may call `functions`.
    ///
    /// # Errors
    /// When the file cannot be used, or a newer Ordain wrote the schema.
    pub fn open(
        path: &Path,
        readers: usize,
        functions: Vec<SqlFunction>,
    ) -> Result<Self, FleetStoreError> {
        create_private(path)?;
        let writer = open_connection(path, true, &functions)?;
        let readers =
            Readers { state: Mutex::default(), returned: Condvar::new(), limit: readers.max(1) };
        let database =
            Self { path: path.to_path_buf(), functions, writer: Mutex::new(writer), readers };
        migrate_schema(&database)?;
        Ok(database)
    }

    fn reader(&self) -> Result<Reader<'_>, FleetStoreError> {
        let readers = &self.readers;
        let end = Instant::now() + POOL_TIMEOUT;
        let mut state = lock(&readers.state);
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(Reader { readers, connection: Some(connection) });
            }
            if state.open < readers.limit {
                state.open += 1;
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let reason = "all connections are in use".into();
                return Err(FleetStoreError::Unavailable { reason });
            }
            let waited = readers.returned.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        let mut reader = Reader { readers, connection: None };
        reader.connection = Some(open_connection(&self.path, false, &self.functions)?);
        Ok(reader)
    }
}

/// A connection that returns to the pool, unless its query panicked.
struct Reader<'a> {
    readers: &'a Readers,
    connection: Option<rusqlite::Connection>,
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.readers.state);
        match self.connection.take() {
            Some(connection) if !std::thread::panicking() => state.idle.push(connection),
            _ => state.open -= 1,
        }
        self.readers.returned.notify_one();
    }
}

/// Creates a missing file that only its owner can read, because facts may contain secrets. SQLite
/// gives its journal files the same mode.
fn create_private(path: &Path) -> Result<(), FleetStoreError> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => {
            Err(FleetStoreError::File { path: path.to_path_buf(), reason: e.to_string() })
        }
        _ => Ok(()),
    }
}

fn open_connection(
    path: &Path,
    is_writer: bool,
    functions: &[SqlFunction],
) -> Result<rusqlite::Connection, FleetStoreError> {
    let failed = |error: rusqlite::Error| FleetStoreError::File {
        path: path.to_path_buf(),
        reason: error.to_string(),
    };
    let mode = if is_writer {
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    } else {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    };
    let connection =
        rusqlite::Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    if is_writer {
        connection.pragma_update(None, "journal_mode", "wal").map_err(failed)?;
        // A committed transaction must survive a power failure.
        connection.pragma_update(None, "synchronous", "full").map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", "on").map_err(failed)?;
    } else {
        connection.pragma_update(None, "query_only", "on").map_err(failed)?;
    }
    // Negative values are in KiB.
    connection.pragma_update(None, "cache_size", -16_384).map_err(failed)?;
    for function in functions {
        add_function(&connection, function).map_err(failed)?;
    }
    Ok(connection)
}

fn add_function(connection: &rusqlite::Connection, function: &SqlFunction) -> rusqlite::Result<()> {
    let body = function.body.clone();
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(function.name, function.arguments, flags, move |context| {
        let arguments: Vec<Value> =
            (0..context.len()).map(|i| from_sqlite(context.get_raw(i))).collect();
        match body(&arguments) {
            Ok(value) => Ok(to_owned_output(value)),
            Err(message) => Err(rusqlite::Error::UserFunctionError(message.into())),
        }
    })
}

fn to_owned_output(value: Value) -> rusqlite::types::Value {
    use rusqlite::types::Value as Sql;
    match value {
        Value::Null => Sql::Null,
        Value::Boolean(flag) => Sql::Integer(flag.into()),
        Value::Integer(number) => Sql::Integer(number),
        Value::Float(number) => Sql::Real(number),
        Value::Text(text) => Sql::Text(text),
        Value::Bytes(bytes) => Sql::Blob(bytes),
    }
}

fn from_sqlite(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Float(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Boolean(flag) => ValueRef::Integer((*flag).into()),
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Float(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Database for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn read(
        &self,
        limit: Option<Duration>,
        work: &mut TransactionBody<'_>,
    ) -> Result<(), FleetStoreError> {
        let mut reader = self.reader()?;
        match &mut reader.connection {
            Some(connection) => read_with(connection, limit, work),
            None => Err(FleetStoreError::failed("there is no connection")),
        }
    }

    fn update_statistics(&self) -> Result<(), FleetStoreError> {
        lock(&self.writer).execute_batch(STATISTICS).map_err(|e| error(&e))?;
        // Connections read the statistics only when they are opened.
        let mut state = lock(&self.readers.state);
        state.open -= state.idle.len();
        state.idle.clear();
        Ok(())
    }

    fn write(&self, work: &mut TransactionBody<'_>) -> Result<(), FleetStoreError> {
        let connection = lock(&self.writer);
        if !connection.is_autocommit() {
            // The previous transaction panicked.
            connection.execute_batch("ROLLBACK").map_err(|e| error(&e))?;
        }
        connection.execute_batch("BEGIN IMMEDIATE").map_err(|e| error(&e))?;
        let result = work(&mut Transaction { connection: &connection })
            .and_then(|()| connection.execute_batch("COMMIT").map_err(|e| error(&e)));
        if result.is_err() && !connection.is_autocommit() {
            // The caller gets the first error. Without a transaction there is nothing to roll back.
            let _ = connection.execute_batch("ROLLBACK");
        }
        result
    }
}

fn read_with(
    connection: &mut rusqlite::Connection,
    limit: Option<Duration>,
    work: &mut TransactionBody<'_>,
) -> Result<(), FleetStoreError> {
    if let Some(limit) = limit {
        let end = Instant::now() + limit;
        connection
            .progress_handler(STEPS, Some(move || Instant::now() >= end))
            .map_err(|e| error(&e))?;
    }
    connection.execute_batch("BEGIN").map_err(|e| error(&e))?;
    let result = work(&mut Transaction { connection });
    if limit.is_some() {
        connection.progress_handler(0, None::<fn() -> bool>).map_err(|e| error(&e))?;
    }
    if !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK").map_err(|e| error(&e))?;
    }
    match (result, limit) {
        (Err(FleetStoreError::Failed { reason, .. }), Some(limit)) if reason == INTERRUPTED => {
            Err(FleetStoreError::Timeout { seconds: limit.as_secs() })
        }
        (result, _) => result,
    }
}

/// The error of a query that the time limit interrupted.
const INTERRUPTED: &str = "interrupted";

struct Transaction<'a> {
    connection: &'a rusqlite::Connection,
}

impl Connection for Transaction<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, FleetStoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| error(&e))?;
        let changed = statement.execute(rusqlite::params_from_iter(parameters));
        changed.map(|count| count as u64).map_err(|e| error(&e))
    }

    fn each(
        &mut self,
        sql: &str,
        parameters: &[Value],
        row: &mut RowFunction<'_>,
    ) -> Result<(), FleetStoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| error(&e))?;
        let columns = statement.column_count();
        let mut rows =
            statement.query(rusqlite::params_from_iter(parameters)).map_err(|e| error(&e))?;
        let mut values = Vec::with_capacity(columns);
        while let Some(found) = rows.next().map_err(|e| error(&e))? {
            values.clear();
            for i in 0..columns {
                values.push(from_sqlite(found.get_ref(i).map_err(|e| error(&e))?));
            }
            if let ControlFlow::Break(()) = row(&values)? {
                break;
            }
        }
        Ok(())
    }

    fn batch(&mut self, sql: &str) -> Result<(), FleetStoreError> {
        self.connection.execute_batch(sql).map_err(|e| error(&e))
    }
}

fn error(error: &rusqlite::Error) -> FleetStoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            FleetStoreError::Unavailable { reason: "another process uses it".into() }
        }
        Some(ErrorCode::DiskFull) => {
            FleetStoreError::Unavailable { reason: "the disk is full".into() }
        }
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
            FleetStoreError::Unavailable { reason: error.to_string() }
        }
        Some(ErrorCode::OperationInterrupted) => FleetStoreError::failed(INTERRUPTED),
        _ => FleetStoreError::failed(error.to_string()),
    }
}
