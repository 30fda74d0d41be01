//! PostgreSQL, through a connection pool.

mod address;
mod client;
mod error;
mod tls;
mod value;

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::database::{Connection, Database, RowFunction, TransactionBody};
use crate::dialect::Dialect;
use crate::error::FleetStoreError;
use crate::migrate::migrate_schema;
use crate::value::Value;
use client::{Client, ConnectError};
use error::{describe, error};
use value::read_row;

/// A PostgreSQL database.
pub struct Postgres {
    config: Config,
    pool: Mutex<Pool>,
    returned: Condvar,
    limit: usize,
    tls: Option<MakeRustlsConnect>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Pool {
    idle: Vec<Session>,
    open: usize,
}

/// A connection with its prepared statements.
struct Session {
    client: Client,
    statements: std::collections::HashMap<String, Statement>,
    /// Whether the database knows [`AVOID_SCANS`].
    can_avoid_scans: bool,
}

/// A lock is poisoned only after a panic, and every panic leaves this data consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a call waits for a free connection.
const POOL_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a connection attempt may take. The system repeats lost packets of an attempt at growing
/// intervals, so a short one finds a database sooner that is reachable again.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long the handshake of each host may take. A server may accept a connection and then say
/// nothing.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long data may be on its way without an answer of the other machine, before the connection is
/// given up. The system's default is about fifteen minutes, in which nothing would be stored.
const UNANSWERED: Duration = Duration::from_secs(5);

/// The pause after which a silent connection is probed, and the interval of the probes.
const PROBE_AFTER: Duration = Duration::from_secs(3);
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// The settings of a session. JIT compilation takes longer than most queries, and the planner misjudges
/// JSON. With LZ4 instead of PostgreSQL's own compression, a fact of many nodes is read from their
/// documents 1.6 times as fast. If answers of the database are lost, it gives up the connection as soon
/// as its client does: until then the transaction holds its locks.
const SESSION_SETTINGS: [&str; 6] = [
    "SET jit = off",
    "SET default_toast_compression = 'lz4'",
    "SET tcp_user_timeout = '5s'",
    "SET tcp_keepalives_idle = '3s'",
    "SET tcp_keepalives_interval = '1s'",
    "SET idle_in_transaction_session_timeout = '30s'",
];

/// A plan that PostgreSQL makes for a small table is kept while the table grows a thousandfold, until
/// its statistics are updated. With this setting of a transaction, the plan uses the index at once.
const AVOID_SCANS: &str = "SET LOCAL enable_seqscan = off";

/// The pause of libpq and of the client, which is that of addresses without the parameter.
const DEFAULT_PROBE_AFTER: Duration = Duration::from_secs(2 * 60 * 60);

/// The number of prepared statements per connection.
const PREPARED: usize = 256;

/// How often a transaction is tried if others conflict with it.
const ATTEMPTS: u32 = 16;

impl Postgres {
    /// Connects to a database by URL or by key-value pairs, and migrates its schema. At most
    /// `connections` transactions run at once.
    ///
    /// `sslmode`, `sslrootcert`, `sslcert` and `sslkey` in the address have the meaning of libpq. But
    /// `sslrootcert` without `sslmode` means `sslmode=verify-full`.
    ///
    /// # Errors
    /// When the address is malformed, a certificate or key cannot be used, the database does not
    /// answer, or a newer Ordain wrote the schema.
    pub fn connect(address: &str, connections: usize) -> Result<Self, FleetStoreError> {
        let (address, parameters) = address::split(address)?;
        let tls = tls::configuration(&parameters)?.map(MakeRustlsConnect::new);
        let mut config: Config = address
            .parse()
            .map_err(|e: tokio_postgres::Error| FleetStoreError::failed(describe(&e)))?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNANSWERED);
        }
        if config.get_keepalives_idle() == DEFAULT_PROBE_AFTER {
            config.keepalives_idle(PROBE_AFTER);
        }
        if config.get_keepalives_interval().is_none() {
            config.keepalives_interval(PROBE_INTERVAL);
        }
        if config.get_application_name().is_none() {
            config.application_name("ordain");
        }
        let database = Self {
            config,
            pool: Mutex::default(),
            returned: Condvar::new(),
            limit: connections.max(1),
            tls,
        };
        migrate_schema(&database)?;
        Ok(database)
    }

    fn session(&self) -> Result<Borrowed<'_>, FleetStoreError> {
        let end = Instant::now() + POOL_TIMEOUT;
        let mut pool = lock(&self.pool);
        loop {
            if let Some(session) = pool.idle.pop() {
                if session.client.is_closed() {
                    pool.open -= 1;
                    continue;
                }
                return Ok(Borrowed { database: self, session: Some(session), is_reused: true });
            }
            if pool.open < self.limit {
                pool.open += 1;
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(FleetStoreError::Unavailable {
                    reason: "all connections are in use".into(),
                });
            }
            (pool, _) =
                self.returned.wait_timeout(pool, left).unwrap_or_else(PoisonError::into_inner);
        }
        drop(pool);
        let mut borrowed = Borrowed { database: self, session: None, is_reused: false };
        borrowed.session = Some(self.open_session()?);
        Ok(borrowed)
    }

    fn open_session(&self) -> Result<Session, FleetStoreError> {
        let mut client = self.connect_client()?;
        for setting in SESSION_SETTINGS {
            // Databases that only resemble PostgreSQL may not know a setting.
            let _ = client.batch_execute(setting);
        }
        let can_avoid_scans = client.batch_execute(&format!("BEGIN; {AVOID_SCANS}")).is_ok();
        client.batch_execute("ROLLBACK").map_err(|e| error(&e))?;
        let statements = std::collections::HashMap::new();
        Ok(Session { client, statements, can_avoid_scans })
    }

    /// Connects in another thread: the timeout of the client library does not include the handshake.
    fn connect_client(&self) -> Result<Client, FleetStoreError> {
        let (config, tls) = (self.config.clone(), self.tls.clone());
        let timeout = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
        let timeout = timeout.saturating_add(HANDSHAKE_TIMEOUT);
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(u32::MAX).max(1);
        let (sender, receiver) = std::sync::mpsc::channel();
        let connect = move || {
            // After the timeout nobody receives it, and the connection is closed.
            let _ = sender.send(Client::connect(&config, tls));
        };
        std::thread::Builder::new().name("connect".into()).spawn(connect).map_err(|error| {
            FleetStoreError::Unavailable { reason: format!("cannot start a thread: {error}") }
        })?;
        match receiver.recv_timeout(timeout.saturating_mul(hosts)) {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(ConnectError::Server(e))) => Err(error(&e)),
            Ok(Err(e @ ConnectError::System(_))) => {
                Err(FleetStoreError::Unavailable { reason: e.to_string() })
            }
            Err(_) => {
                let seconds = timeout.as_secs();
                let reason = format!("its server does not answer within {seconds} s");
                Err(FleetStoreError::Unavailable { reason })
            }
        }
    }

    fn transaction(
        &self,
        begin: &str,
        avoids_scans: bool,
        work: &mut TransactionBody<'_>,
    ) -> Result<(), FleetStoreError> {
        loop {
            let mut borrowed = self.session()?;
            let Some(session) = &mut borrowed.session else {
                return Err(FleetStoreError::failed("there is no connection"));
            };
            let begun = if avoids_scans && session.can_avoid_scans {
                session.client.batch_execute(&format!("{begin}; {AVOID_SCANS}"))
            } else {
                session.client.batch_execute(begin)
            };
            match begun {
                Ok(()) => return session.transaction(work),
                // The database ended the connection while it was idle, which says nothing about now.
                // Nothing was done on it, and it is not used again.
                Err(e) if borrowed.is_reused && is_end(&e, &session.client) => {
                    borrowed.session = None;
                }
                Err(e) => return Err(error(&e)),
            }
        }
    }

    fn write_with(
        &self,
        avoids_scans: bool,
        work: &mut TransactionBody<'_>,
    ) -> Result<(), FleetStoreError> {
        let mut attempt = 1;
        loop {
            match self.transaction("BEGIN", avoids_scans, work) {
                Err(e) if e.is_conflict() && attempt < ATTEMPTS => {
                    std::thread::sleep(Duration::from_millis(2) * attempt);
                    attempt += 1;
                }
                result => return result,
            }
        }
    }
}

/// Whether an error ends a connection. The client learns from the server that it ended the connection
/// before it finds it closed.
fn is_end(error: &tokio_postgres::Error, client: &Client) -> bool {
    let ends = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::CANNOT_CONNECT_NOW];
    client.is_closed() || error.code().is_some_and(|code| ends.contains(code))
}

/// A connection that returns to the pool, unless it was lost or its transaction panicked.
struct Borrowed<'a> {
    database: &'a Postgres,
    session: Option<Session>,
    /// Whether the connection was open before.
    is_reused: bool,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut pool = lock(&self.database.pool);
        match self.session.take() {
            Some(session) if !std::thread::panicking() && !session.client.is_closed() => {
                pool.idle.push(session);
            }
            _ => pool.open -= 1,
        }
        self.database.returned.notify_one();
    }
}

impl Session {
    /// Does the work of a transaction that has begun, and ends it.
    fn transaction(&mut self, work: &mut TransactionBody<'_>) -> Result<(), FleetStoreError> {
        let result =
            work(self).and_then(|()| self.client.batch_execute("COMMIT").map_err(|e| error(&e)));
        if result.is_err() {
            // The caller gets the first error. A broken connection is not used again.
            let _ = self.client.batch_execute("ROLLBACK");
        }
        result
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, FleetStoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).map_err(|e| error(&e))?;
        if self.statements.len() >= PREPARED {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Database for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn read(
        &self,
        limit: Option<Duration>,
        work: &mut TransactionBody<'_>,
    ) -> Result<(), FleetStoreError> {
        // All statements see the same rows, as in SQLite.
        let mut begin = String::from("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        if let Some(limit) = limit {
            begin
                .push_str(&format!("; SET LOCAL statement_timeout = {}", limit.as_millis().max(1)));
        }
        match self.transaction(&begin, false, work) {
            Err(FleetStoreError::Failed { code: Some(code), .. }) if code == "57014" => {
                Err(FleetStoreError::Timeout { seconds: limit.unwrap_or_default().as_secs() })
            }
            result => result,
        }
    }

    fn write(&self, work: &mut TransactionBody<'_>) -> Result<(), FleetStoreError> {
        self.write_with(false, work)
    }

    fn write_by_keys(&self, work: &mut TransactionBody<'_>) -> Result<(), FleetStoreError> {
        self.write_with(true, work)
    }
}

impl Connection for Session {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, FleetStoreError> {
        let statement = self.prepare(sql)?;
        let parameters: Vec<&(dyn ToSql + Sync)> = parameters.iter().map(|p| p as _).collect();
        self.client.execute(&statement, &parameters).map_err(|e| error(&e))
    }

    fn each(
        &mut self,
        sql: &str,
        parameters: &[Value],
        row: &mut RowFunction<'_>,
    ) -> Result<(), FleetStoreError> {
        let statement = self.prepare(sql)?;
        let parameters: Vec<&(dyn ToSql + Sync)> = parameters.iter().map(|p| p as _).collect();
        let mut values = vec![Value::Null; statement.columns().len()];
        let mut read = |found: &Row| {
            read_row(found, &mut values)?;
            row(&values)
        };
        self.client.each(&statement, &parameters, &mut read, error)
    }

    fn batch(&mut self, sql: &str) -> Result<(), FleetStoreError> {
        self.client.batch_execute(sql).map_err(|e| error(&e))
    }
}
