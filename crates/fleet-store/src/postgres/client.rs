//! A connection whose calls block: each of them drives the protocol on the calling thread.
//!
//! The crate `postgres` does the same, but enters its runtime and looks at the socket for each row,
//! which takes a large part of the time of a long answer.

use std::ops::ControlFlow;

use futures_util::{FutureExt, TryStreamExt};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Error, NoTls, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The maximum number of rows that are taken from the connection at once.
const BATCH: usize = 256;

/// A connection.
pub(super) struct Client {
    runtime: Runtime,
    client: tokio_postgres::Client,
    /// The part that sends and receives. It ends with the connection, maybe with the reason.
    connection: Option<JoinHandle<Result<(), Error>>>,
}

/// The reason why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// The system gives no runtime.
    #[error("the system gives no runtime: {0}")]
    System(#[from] std::io::Error),
    /// The server cannot be reached, or refuses.
    #[error(transparent)]
    Server(#[from] Error),
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// When the system gives no runtime, or the server cannot be reached or refuses.
    pub(super) fn connect(
        config: &Config,
        tls: Option<MakeRustlsConnect>,
    ) -> Result<Self, ConnectError> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let (client, connection) = match tls {
            Some(tls) => {
                let (client, connection) = runtime.block_on(config.connect(tls))?;
                (client, runtime.spawn(connection))
            }
            None => {
                let (client, connection) = runtime.block_on(config.connect(NoTls))?;
                (client, runtime.spawn(connection))
            }
        };
        Ok(Self { runtime, client, connection: Some(connection) })
    }

    /// Whether the connection has ended, as far as the last call has noticed.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Runs statements without parameters.
    ///
    /// # Errors
    /// When the server refuses a statement, or the connection ends.
    pub(super) fn batch_execute(&mut self, sql: &str) -> Result<(), Error> {
        let result = self.runtime.block_on(self.client.batch_execute(sql));
        result.map_err(|error| self.reason(error))
    }

    /// Prepares a statement.
    ///
    /// # Errors
    /// When the server refuses it, or the connection ends.
    pub(super) fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        let result = self.runtime.block_on(self.client.prepare(sql));
        result.map_err(|error| self.reason(error))
    }

    /// Runs a statement. Returns the number of rows that it has changed.
    ///
    /// # Errors
    /// When the server refuses it, or the connection ends.
    pub(super) fn execute(
        &mut self,
        statement: &Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Error> {
        let result = self.runtime.block_on(self.client.execute(statement, parameters));
        result.map_err(|error| self.reason(error))
    }

    /// Calls a function for each row of the answer to a query, until it breaks or fails. While it runs,
    /// nothing is received, so a slow receiver of rows slows the server down.
    ///
    /// # Errors
    /// When the server refuses the query, the connection ends, or the function fails. `failed` makes
    /// errors of the caller's type.
    pub(super) fn each<E>(
        &mut self,
        statement: &Statement,
        parameters: &[&(dyn ToSql + Sync)],
        row: &mut dyn FnMut(&Row) -> Result<ControlFlow<()>, E>,
        failed: impl Fn(&Error) -> E,
    ) -> Result<(), E> {
        let query = self.client.query_raw(statement, parameters.iter().copied());
        let stream = match self.runtime.block_on(query) {
            Ok(stream) => stream,
            Err(error) => return Err(failed(&self.reason(error))),
        };
        let mut stream = Box::pin(stream);
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            // Rows of one packet are ready together.
            let received = self.runtime.block_on(async {
                let mut next = stream.try_next().await;
                while let Ok(Some(found)) = next {
                    batch.push(found);
                    if batch.len() >= BATCH {
                        return Ok(true);
                    }
                    match stream.try_next().now_or_never() {
                        Some(ready) => next = ready,
                        None => return Ok(true),
                    }
                }
                next.map(|_| false)
            });
            for found in batch.drain(..) {
                if let ControlFlow::Break(()) = row(&found)? {
                    return Ok(());
                }
            }
            match received {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => return Err(failed(&self.reason(error))),
            }
        }
    }

    /// The reason of an error: if the connection has ended, the one that its other part knows.
    fn reason(&mut self, error: Error) -> Error {
        if !error.is_closed() {
            return error;
        }
        let ended = self.connection.take_if(|connection| connection.is_finished());
        match ended.and_then(|connection| self.runtime.block_on(connection).ok()) {
            Some(Err(reason)) => reason,
            _ => error,
        }
    }
}
